//! A new package whose kinds are inactive, or that deprecates a version.

use std::fs;

use serde_json::{Value, json};

use super::report::summary;
use crate::support::command::{run, ucp_from};
use crate::support::objects::{object, snapshot};

const CRD: &str = "CustomResourceDefinition";

fn buckets(versions: Value) -> Value {
    let spec = json!({
        "group": "s3.aws.upbound.io", "scope": "Cluster", "names": {"kind": "Bucket", "plural": "buckets", "categories": ["managed"]},
        "versions": versions,
    });
    let status = json!({"storedVersions": ["v1beta1"]});
    object("apiextensions.k8s.io/v1", CRD, "buckets.s3.aws.upbound.io", json!({"spec": spec, "status": status}))
}

fn version(name: &str, is_stored: bool, more: Value) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let mut version = json!({"name": name, "served": true, "storage": is_stored, "schema": schema});
    more.as_object().unwrap().iter().for_each(|(key, value)| version[key] = value.clone());
    version
}

/// The report of `doctor` for the new package, on a core cluster with one activation policy and these states of definitions.
fn examine(pattern: &str, states: &[(&str, &str)], capability: &str) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let manager = json!([{"manager": "flux", "operation": "Apply", "apiVersion": "s3.aws.upbound.io/v1beta1", "fieldsV1": {"f:spec": {}}}]);
    let policy = json!({"spec": {"activate": [pattern]}});
    let definitions = states.iter().map(|(name, state)| {
        let spec = json!({"spec": {"state": state, "group": "s3.aws.upbound.io", "names": {"kind": "Bucket", "plural": "buckets"}}});
        object("apiextensions.crossplane.io/v1alpha1", "ManagedResourceDefinition", name, spec)
    });
    let objects = [
        buckets(json!([version("v1beta1", true, json!({}))])),
        object(
            "s3.aws.upbound.io/v1beta1",
            "Bucket",
            "logs",
            json!({"metadata": {"managedFields": manager}, "spec": {}}),
        ),
        object("apiextensions.crossplane.io/v1alpha1", "ManagedResourceActivationPolicy", "default", policy),
    ];
    let path = snapshot(&directory, "core.json", &objects.into_iter().chain(definitions).collect::<Vec<_>>()).unwrap();
    let old = version("v1beta1", true, json!({"deprecated": true, "deprecationWarning": "use v1beta2"}));
    let new = buckets(json!([old, version("v1beta2", false, json!({}))]));
    let package = object(
        "meta.pkg.crossplane.io/v1",
        "Provider",
        "provider-aws-s3",
        json!({"spec": {"capabilities": [capability]}}),
    );
    let crds = directory.path().join("package");
    fs::create_dir(&crds).unwrap();
    fs::write(crds.join("crd.json"), new.to_string()).unwrap();
    fs::write(crds.join("package.json"), package.to_string()).unwrap();
    let crds = crds.to_str().unwrap().to_owned();
    run(ucp_from(path.to_str().unwrap(), ["doctor", "--crds", &crds, "-o", "json"])).json()
}

const DEPRECATED: &str =
    "warning UCP413 logs: flux writes it as s3.aws.upbound.io/v1beta1, which is deprecated: use v1beta2";
const OTHER: (&str, &str) = ("queues.sqs.aws.upbound.io", "Active");

#[test]
fn used_kinds_that_stay_inactive_and_deprecated_versions_are_found() {
    let inactive = |report: &Value| summary(report).iter().any(|line| line.starts_with("error UCP478 logs: "));
    let open = examine("queues.*", &[OTHER], "safe-start");
    assert!(inactive(&open) && summary(&open).iter().any(|line| line == DEPRECATED), "{open:#}");
    for (pattern, states, capability) in [
        ("*.s3.aws.upbound.io", vec![OTHER], "safe-start"),
        ("queues.*", vec![("buckets.s3.aws.upbound.io", "Active")], "safe-start"),
        ("queues.*", vec![OTHER], "other"),
        // Crossplane 1.
        ("queues.*", vec![], "safe-start"),
    ] {
        let report = examine(pattern, &states, capability);
        assert!(!inactive(&report), "{pattern} {states:?} {capability}: {report:#}");
    }
    let passive = examine("queues.*", &[("buckets.s3.aws.upbound.io", "Inactive")], "safe-start");
    assert!(inactive(&passive), "{passive:#}");
    let doubtful = examine("[b]uckets.*", &[OTHER], "safe-start");
    let check = doubtful["checks"].as_array().unwrap().iter().find(|check| check["name"] == "inactive-kinds").unwrap();
    assert_eq!((check["outcome"].as_str(), inactive(&doubtful)), (Some("unknown"), false), "{check:#}");
}
