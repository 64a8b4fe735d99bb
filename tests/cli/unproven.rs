//! Facts that a dump or a status does not show are unknown, or a difference: never OK, and never certain.

use serde_json::{Value, json};

use crate::support::command::{Ran, run, ucp};
use crate::support::objects::{MADE, crossplane, object, snapshot, whole_snapshot, with};

fn ready() -> Value {
    let condition =
        |kind: &str| json!({"type": kind, "status": "True", "reason": "Available", "lastTransitionTime": MADE});
    json!({"status": {"conditions": [condition("Ready"), condition("Synced")]}})
}

fn bucket() -> Value {
    let spec = json!({"spec": {"forProvider": {"region": "eu-west-1"}}});
    with(object("s3.aws.upbound.io/v1beta1", "Bucket", "logs", ready()), &[spec])
}

fn definition(plural: &str, kind: &str, category: &str) -> Value {
    let names = json!({"kind": kind, "plural": plural, "categories": [category]});
    let versions = json!([{"name": "v1", "served": true, "storage": true}]);
    let spec = json!({"group": "platform.example.org", "scope": "Cluster", "names": names, "versions": versions});
    let name = format!("{plural}.platform.example.org");
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &name, json!({"spec": spec}))
}

/// Runs a command on the snapshot of a whole cluster.
fn whole(command: &[&str], objects: &[Value]) -> Ran {
    let directory = tempfile::tempdir().unwrap();
    let path = whole_snapshot(&directory, "core", objects).unwrap();
    let mut all = ucp(command);
    all.arg("--from").arg(path);
    run(all)
}

/// Runs a command on files without an index.
fn partial(command: &[&str], objects: &[Value]) -> Ran {
    let directory = tempfile::tempdir().unwrap();
    let path = snapshot(&directory, "core.json", objects).unwrap();
    let mut all = ucp(command);
    all.arg("--from").arg(path);
    run(all)
}

#[test]
fn a_composite_whose_parts_do_not_exist_is_not_ok() {
    let composed = |name: &str| json!({"apiVersion": "platform.example.org/v1", "kind": "Disk", "name": name});
    let composite = |parts: Value| {
        with(object("platform.example.org/v1", "XStore", "x", ready()), &[json!({"spec": {"resourceRefs": parts}})])
    };
    let status = |parts: Value| {
        let disk = object("platform.example.org/v1", "Disk", "here", ready());
        let kinds = [definition("xstores", "XStore", "composite"), definition("disks", "Disk", "managed")];
        let objects = [kinds.to_vec(), vec![crossplane(), composite(parts), disk]].concat();
        whole(&["status", "--exit-code"], &objects)
    };
    let missing = status(json!([composed("here"), composed("gone")]));
    assert!(missing.clone().expect(4).stdout.contains("disk.platform.example.org/gone does not exist"), "{missing:?}");
    let stdout = status(json!([composed("here")])).stdout;
    assert!(!stdout.contains("does not exist"), "{stdout}");
}

#[test]
fn a_list_with_a_continue_token_is_incomplete() {
    let directory = tempfile::tempdir().unwrap();
    let read = |metadata: Value| {
        let items = [bucket()];
        let list = json!({"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": items});
        // Large files are read in another way.
        [String::new(), " ".repeat(5 << 20)].map(|padding| {
            let path = directory.path().join("list.json");
            std::fs::write(&path, format!("{list}{padding}")).unwrap();
            let mut command = ucp(["resources", "--from"]);
            command.arg(path);
            run(command)
        })
    };
    for ran in read(json!({"continue": "abc", "remainingItemCount": 7})) {
        let ran = ran.expect(4);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("only a part of the objects"), "{ran:?}");
    }
    for ran in read(json!({"continue": "", "resourceVersion": "7"})) {
        ran.expect(0);
    }
}

#[test]
fn objects_with_the_same_name_and_different_uids_are_not_merged() {
    let known_by = |uid: &str| with(bucket(), &[json!({"metadata": {"uid": uid}})]);
    let ran = partial(&["resources"], &[known_by("a"), known_by("b")]).expect(4);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("different UIDs"), "{ran:?}");
    partial(&["resources"], &[known_by("a"), known_by("a")]).expect(0);
}

fn kustomization(inventory: &[&str]) -> Value {
    let entries: Vec<Value> =
        inventory.iter().map(|name| json!({"id": format!("_{name}_s3.aws.upbound.io_Bucket")})).collect();
    object(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "shop",
        with(
            ready(),
            &[
                json!({"metadata": {"namespace": "flux-system"}, "spec": {"prune": true}, "status": {"inventory": {"entries": entries}}}),
            ],
        ),
    )
}

#[test]
fn an_object_of_an_inventory_that_does_not_exist_is_a_difference() {
    let drift = |inventory: &[&str]| {
        let ran = partial(&["drift", "-o", "json"], &[kustomization(inventory), bucket()]);
        ran.json()["items"].as_array().unwrap().clone()
    };
    let found = drift(&["logs", "gone"]);
    assert_eq!((found.len(), &found[0]["object"]["name"], &found[0]["code"]), (1, &json!("gone"), &json!("UCP513")));
    assert_eq!(drift(&["logs"]), Vec::<Value>::new());
}

fn application(more: Value) -> Value {
    let source = json!({"repoURL": "https://git.example.org/a.git", "path": "p"});
    let destination = json!({"server": "https://kubernetes.default.svc", "namespace": "d"});
    let base = json!({
        "metadata": {"namespace": "argocd"},
        "spec": {"project": "default", "source": source, "destination": destination},
        "status": {
            "reconciledAt": MADE, "health": {"status": "Healthy"},
            "sync": {"status": "Synced", "revision": "abc", "comparedTo": {"source": source, "destination": destination}},
            "resources": [{"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "Synced"}],
        },
    });
    with(object("argoproj.io/v1alpha1", "Application", "shop", base), &[more])
}

#[test]
fn a_comparison_with_another_source_is_not_used() {
    let drift = |more: Value| partial(&["drift", "-o", "json"], &[application(more)]);
    let same = drift(json!({})).expect(0).json();
    assert_eq!((&same["checked"]["gitops"], &same["unreadable"]), (&json!(1), &json!([])), "{same:#}");
    for (more, reason) in [
        (json!({"spec": {"source": {"path": "other"}}}), "its sources were changed"),
        (
            json!({"status": {"resources": [{"group": "", "version": "v1", "kind": "Pod", "name": "a"}]}}),
            "no sync status",
        ),
    ] {
        let changed = drift(more).expect(4).json();
        assert_eq!(changed["checked"]["gitops"], 0, "{changed:#}");
        assert!(changed["unreadable"].to_string().contains(reason), "{changed:#}");
    }
}

#[test]
fn an_owner_that_was_not_read_may_exist() {
    let tracking = json!({"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "shop:s3.aws.upbound.io/Bucket:d/logs"}}});
    let tracked = with(bucket(), &[tracking]);
    let orphan = |ran: Ran| {
        let document = ran.json();
        let items = document["items"].as_array().unwrap().iter();
        let item =
            items.clone().find(|item| item["object"]["name"] == "logs").unwrap_or_else(|| panic!("{document:#}"));
        (item["certainty"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap().to_owned())
    };
    let command = ["drift", "--orphans", "-o", "json"];
    let (certainty, message) = orphan(partial(&command, &[tracked.clone(), kustomization(&[])]));
    assert!(certainty == "unknown" && message.contains("was not read"), "{certainty} {message}");
    // Files without an index may have only some of the declaring objects.
    let other = application(json!({"metadata": {"name": "other"}}));
    let (certainty, message) = orphan(partial(&command, &[tracked, other]));
    assert!(certainty == "unknown" && message.contains("does not exist"), "{certainty} {message}");
}
