//! `conflicts`: the cases of `tests/cases/conflicts`, hubs without conflicts, and two core clusters of one repository.

use serde_json::{Value, json};

use crate::cases;
use crate::support::command::{run, ucp};
use crate::support::hub::QUOTES;
use crate::support::objects::{crossplane, object, with};
use crate::support::{self, Options, load};

#[test]
fn each_case_is_reported_as_its_file_expects() {
    cases::run_all("tests/cases/conflicts");
}

#[test]
fn a_healthy_hub_has_no_conflicts() {
    for path in [QUOTES, "tests/fixtures/night"] {
        let ran = run(ucp(["conflicts", "--from", path]));
        assert!(matches!(ran.code, Some(0 | 4)) && ran.stdout.starts_with("No conflicts"), "{path}: {ran:?}");
    }
}

/// Blue and green core clusters, both made from one Git repository: their objects are alike to the last tag.
#[test]
fn two_core_clusters_of_one_repository() {
    let Some(blue) = support::start(Options::named("blue")) else { return };
    let Some(green) = support::start(Options::named("green")) else { return };
    let directory = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        let done = command.current_dir(directory.path()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let bucket = object(
        "s3.aws.m.upbound.io/v1beta1",
        "Bucket",
        "quotes",
        json!({"metadata": {"namespace": "default"}, "spec": {"forProvider": {"region": "eu-central-1"}}}),
    );
    git(&["init", "-q", "platform"]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [bucket, crossplane()]});
    std::fs::write(directory.path().join("platform/core.json"), list.to_string()).unwrap();
    git(&["-C", "platform", "add", "."]);
    git(&["-C", "platform", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Add a bucket"]);
    for (name, cluster) in [("blue", &blue), ("green", &green)] {
        git(&["clone", "-q", "platform", name]);
        let clone = directory.path().join(name);
        // The tags that each provider writes are the same, as upjet tags by kind and name.
        let tags = json!({"crossplane-kind": "bucket.s3.aws.m.upbound.io", "crossplane-name": "quotes", "crossplane-providerconfig": "default"});
        let objects =
            load::manifests::read(&clone).unwrap().into_iter().map(|object| match object["kind"] == "Bucket" {
                true => {
                    with(object, &[json!({"status": {"atProvider": {"arn": "arn:aws:s3:::quotes", "tagsAll": tags}}})])
                }
                false => object,
            });
        let objects: Vec<Value> = objects.collect();
        load::install_all_crds(cluster).unwrap();
        support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    }
    let kubeconfig = crate::sources::kubeconfig(
        directory.path(),
        &[("blue", blue.kubeconfig()), ("green", green.kubeconfig())],
        &[],
    );
    let on = |arguments: &[&str]| {
        let mut command = ucp([&["conflicts"], arguments].concat());
        command.env("KUBECONFIG", &kubeconfig);
        run(command)
    };
    // Of each alone, its own tags prove nothing.
    on(&["--context", "blue"]).expect(0);
    let document = on(&["--contexts", "blue,green", "-o", "json"]).expect(1).json();
    let item = &document["items"][0];
    assert_eq!(document["items"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(
        (&item["code"], &item["certainty"], &item["winner"]),
        (&json!("UCP801"), &json!("certain"), &json!("agreed"))
    );
    let claimants: Vec<_> = item["claimants"].as_array().unwrap().iter().map(|one| &one["source"]["context"]).collect();
    assert_eq!(claimants, ["blue", "green"], "{item}");
    let text = on(&["--contexts", "blue,green"]).expect(1).stdout;
    assert!(text.contains("deleting any of 2 deletes it for all"), "{text}");
    // One of them only looks: there is nothing to decide any more.
    let patch = json!({"spec": {"managementPolicies": ["Observe"]}}).to_string();
    let done = green
        .kubectl(["patch", "buckets.s3.aws.m.upbound.io", "quotes", "-n", "default", "--type=merge", "-p", &patch])
        .output();
    assert!(done.unwrap().status.success());
    on(&["--contexts", "blue,green"]).expect(0);
}
