//! Configurations, revisions, compositions and functions: what they installed, and who uses them.

use serde_json::{Value, json};

use super::{bucket, codes, definition, fate, platform, teardown};
use crate::support::objects::{object, provider_of, with};

#[test]
fn deleting_a_configuration_deletes_what_its_revisions_installed() {
    let mut objects = platform();
    objects.push(object(
        "pkg.crossplane.io/v1",
        "Configuration",
        "platform",
        json!({"metadata": {"uid": "c"}, "spec": {"package": "x"}}),
    ));
    objects.push(object(
        "pkg.crossplane.io/v1",
        "ConfigurationRevision",
        "platform-1",
        json!({
            "metadata": {"uid": "cr", "labels": {"pkg.crossplane.io/package": "platform"}, "ownerReferences": [
                {"apiVersion": "pkg.crossplane.io/v1", "kind": "Configuration", "name": "platform", "uid": "c", "controller": true},
            ]},
            "spec": {"desiredState": "Active", "image": "x", "revision": 1},
            "status": {"objectRefs": [
                {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition", "name": "xdatabases.platform.example.org"},
                {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "name": "databases"},
            ]},
        }),
    ));
    let document = teardown(&objects, &["configuration/platform"]).expect(0).json();
    let items = document["items"].as_array().unwrap();
    let instance = items.iter().find(|item| item["object"]["kind"] == "Instance");
    assert_eq!(instance.map(|item| &item["fate"]), Some(&json!("deleted")), "{document}");
    // The package creates a revision again, and its installed objects stay.
    let document = teardown(&objects, &["configurationrevision/platform-1"]).json();
    assert!(
        document["items"].as_array().unwrap().iter().all(|item| item["object"]["kind"] != "Instance"),
        "{document}"
    );
}

#[test]
fn deleting_compositions_and_functions_in_use_is_reported() {
    let mut objects = platform();
    objects.push(object(
        "pkg.crossplane.io/v1",
        "Function",
        "patch",
        json!({"metadata": {"uid": "f"}, "spec": {"package": "x"}}),
    ));
    for target in ["composition/databases", "function/patch"] {
        let document = teardown(&objects, &[target]).expect(1).json();
        assert_eq!(codes(&document), ["UCP920"], "{target}: {document}");
    }
    let unused: Vec<Value> =
        objects.into_iter().filter(|one| one["kind"] != "XDatabase" && one["kind"] != "Composition").collect();
    assert_eq!(codes(&teardown(&unused, &["function/patch"]).expect(0).json()), [""; 0]);
}

/// Crossplane makes the revision of a package again, and until then nothing runs.
#[test]
fn deleting_the_active_revision_of_a_package_in_use_is_reported() {
    let mut objects = platform();
    let revision = |state: &str| {
        let owners = json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": "Function", "name": "patch", "uid": "f", "controller": true}]);
        let rest = json!({
            "metadata": {"uid": format!("fr-{state}"), "labels": {"pkg.crossplane.io/package": "patch"}, "ownerReferences": owners},
            "spec": {"desiredState": state, "image": "x", "revision": 1},
        });
        object("pkg.crossplane.io/v1", "FunctionRevision", &format!("patch-{}", state.to_lowercase()), rest)
    };
    let package = json!({"metadata": {"uid": "f"}, "spec": {"package": "x"}});
    objects.extend([
        object("pkg.crossplane.io/v1", "Function", "patch", package),
        revision("Active"),
        revision("Inactive"),
    ]);
    assert_eq!(codes(&teardown(&objects, &["functionrevision/patch-active"]).expect(1).json()), ["UCP920"]);
    assert_eq!(codes(&teardown(&objects, &["functionrevision/patch-inactive"]).expect(0).json()), [""; 0]);
    // The Deployment of a provider is deleted with its revision, and a kind that only the revision owns with its objects.
    let mut objects = provider_of("s3", "buckets.s3.aws.upbound.io", 1);
    objects.push(bucket(json!({})));
    let document = teardown(&objects, &["providerrevision/s3-1"]).expect(1).json();
    assert_eq!(codes(&document), ["UCP920", "UCP920"], "{document}");
    let owner = json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "name": "s3-1", "uid": "r", "controller": true}]);
    let owned = with(
        definition("buckets", "s3.aws.upbound.io", &["managed"], "Bucket"),
        &[json!({"metadata": {"ownerReferences": owner}})],
    );
    objects.push(owned);
    let document = teardown(&objects, &["providerrevision/s3-1"]).expect(1).json();
    assert_eq!(fate(&document, "logs"), "stuck", "{document}");
}
