//! The report of `doctor` for a new version.

use std::fs;

use serde_json::{Value, json};

use super::{rich_definition, upgraded_cluster};
use crate::support::Cluster;
use crate::support::command::{CANARY, run, ucp_from, ucp_on};

const GROUP: &str = "report.upgrades.example.org";

/// The next version of the definition: without `maybe` and with rules for `region`, `names`, and `nested.z`.
fn new_definition() -> Value {
    let mut new = rich_definition(GROUP);
    let spec = &mut new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"].as_object_mut().unwrap().remove("maybe");
    spec["properties"]["region"]["enum"] = json!(["eu", "us"]);
    spec["properties"]["nested"]["properties"]["z"] = json!({"type": "string", "default": "new"});
    spec["properties"]["names"]["x-kubernetes-validations"] =
        json!([{"rule": "isURL(self[0])", "message": "names are URLs"}]);
    new
}

fn seed(cluster: &Cluster) {
    apply(cluster, vec![rich_definition(GROUP)]);
    let gadget = |name: &str, spec: Value| json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Gadget", "metadata": {"name": name}, "spec": spec});
    let objects = vec![
        gadget("a", json!({"region": "eu", "maybe": CANARY, "nested": {"x": "1"}})),
        gadget("b", json!({"region": "eu", "maybe": "b"})),
        gadget("c", json!({"region": CANARY, "names": ["x"]})),
    ];
    apply(cluster, objects);
}

fn apply(cluster: &Cluster, objects: Vec<Value>) {
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": objects}));
}

pub(super) fn summary(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = report["findings"].as_array().unwrap().iter().map(|finding| {
        let also = finding["also"].as_array().into_iter().flatten();
        let names = std::iter::once(&finding["object"]).chain(also).map(|object| text(&object["name"]));
        let names: Vec<String> = names.collect();
        format!(
            "{} {} {}: {}",
            text(&finding["severity"]),
            text(&finding["code"]),
            names.join("+"),
            text(&finding["message"])
        )
    });
    lines.collect()
}

#[test]
fn effects_on_live_objects_are_grouped_worst_first() {
    let Some(cluster) = upgraded_cluster() else {
        return;
    };
    seed(cluster);
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("new.yaml"), new_definition().to_string()).unwrap();
    let crds = directory.path().to_str().unwrap();

    let live = run(ucp_on(cluster, ["doctor", "--crds", crds, "-o", "json"])).expect(1);
    live.hides_secrets();
    let expected = [
        "error UCP473 a+b: removed: spec.maybe",
        "error UCP474 c: spec.region is none of the allowed values",
        "warning UCP475 a: set: spec.nested.z = \"new\"",
    ];
    assert_eq!(summary(&live.json()), expected);
    let report = live.json();
    assert_eq!(report["unreadable"], json!([]), "a cluster without engines has definitions, too");
    let unknown = report["checks"].as_array().unwrap().iter().flat_map(|check| check["unknown"].as_array()).flatten();
    let unknown: Vec<_> = unknown.filter_map(Value::as_str).collect();
    assert!(unknown.iter().any(|reason| reason.contains("names are URLs (1 object)")), "{unknown:?}");

    // The same definition changes nothing, although an object breaks the new rules.
    let same = directory.path().join("same.json");
    fs::write(&same, rich_definition(GROUP).to_string()).unwrap();
    let same = run(ucp_on(cluster, ["doctor", "--crds", same.to_str().unwrap(), "-o", "json"])).expect(0);
    assert_eq!(summary(&same.json()), Vec::<String>::new());
    // A definition without content is not known.
    let files = tempfile::tempdir().unwrap();
    fs::write(files.path().join("good.json"), rich_definition(GROUP).to_string()).unwrap();
    let bad =
        "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: a.b.org}\nspec: []";
    fs::write(files.path().join("bad.yaml"), bad).unwrap();
    let broken = files.path().to_str().unwrap();
    let broken = run(ucp_on(cluster, ["doctor", "--crds", broken])).expect(4);
    assert!(broken.stdout.contains("a.b.org"), "{}", broken.stdout);
    fs::remove_file(directory.path().join("same.json")).unwrap();

    let archive = directory.path().join("night.tar.gz");
    let archive = archive.to_str().unwrap();
    run(ucp_on(cluster, ["snapshot", archive, "--keep", "schema/*"]));
    let stored = run(ucp_from(archive, ["doctor", "--crds", crds, "-o", "json"])).expect(1);
    stored.hides_secrets();
    assert_eq!(summary(&stored.json())[0], expected[0], "a snapshot with schemas gives the same");

    let table = run(ucp_on(cluster, ["doctor", "--crds", crds])).expect(1);
    assert!(table.stdout.contains("gadget.report.upgrades.example.org/a"), "{}", table.stdout);
}

#[test]
fn manifests_of_a_checkout_are_compared_too() {
    let Some(cluster) = upgraded_cluster() else { return };
    let group = "checkout.upgrades.example.org";
    apply(cluster, vec![rich_definition(group)]);
    let gadget = |version: &str, name: &str, spec: Value| {
        json!({"apiVersion": format!("{group}/{version}"), "kind": "Gadget", "metadata": {"name": name}, "spec": spec})
            .to_string()
    };
    let mut new = rich_definition(group);
    let version = &mut new["spec"]["versions"][0];
    (version["deprecated"], version["deprecationWarning"]) = (json!(true), json!("use v2"));
    let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"].as_object_mut().unwrap().remove("maybe");
    spec["properties"]["region"]["enum"] = json!(["eu", "us"]);
    spec["required"] = json!(["region", "zone"]);
    let directory = tempfile::tempdir().unwrap();
    let (crds, checkout) = (directory.path().join("new.json"), directory.path().join("checkout"));
    fs::write(&crds, new.to_string()).unwrap();
    fs::create_dir_all(checkout.join("chart/templates")).unwrap();
    let write = |name: &str, text: String| fs::write(checkout.join(name), text).unwrap();
    write("patch.yaml", gadget("v1", "patch", json!({"maybe": CANARY})));
    write("bad.yaml", gadget("v1", "bad", json!({"region": CANARY})));
    write("gone.yaml", gadget("v0", "gone", json!({})));
    let doctor = || {
        let (crds, checkout) = (crds.to_str().unwrap(), checkout.to_str().unwrap());
        run(ucp_on(cluster, ["doctor", "--crds", crds, "--repo", checkout, "-o", "json"]))
    };
    let ran = doctor().expect(1);
    ran.hides_secrets();
    assert_eq!(
        summary(&ran.json()),
        [
            "error UCP473 patch: in patch.yaml: removed: spec.maybe",
            "error UCP474 bad: in bad.yaml: spec.region is none of the allowed values",
            "warning UCP413 bad: in bad.yaml: v1, which is deprecated: use v2",
            "warning UCP413 patch: in patch.yaml: v1, which is deprecated: use v2",
        ],
        "v0 is not served today either, and a patch does not have all fields"
    );
    // A template may declare anything.
    for name in ["patch.yaml", "bad.yaml", "gone.yaml"] {
        fs::remove_file(checkout.join(name)).unwrap();
    }
    doctor().expect(0);
    write("chart/templates/gadget.yaml", format!("{{{{ if .Values.on }}}}\napiVersion: {group}/v1\n{{{{ end }}}}\n"));
    let unknown = doctor().expect(4);
    assert!(
        unknown.stdout.contains("chart/templates/gadget.yaml names checkout.upgrades.example.org"),
        "{}",
        unknown.stdout
    );
    run(ucp_on(cluster, ["doctor", "--repo", checkout.to_str().unwrap()])).expect(2);
}

#[test]
fn nothing_to_compare_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").unwrap();
    let path = directory.path().to_str().unwrap();
    let night = "tests/fixtures/night";
    let none = run(ucp_from(night, ["doctor", "--crds", path])).expect(3);
    assert!(none.stderr.contains("no CRD, XRD, or ManagedResourceDefinition"), "{}", none.stderr);
    let package = run(ucp_from(night, ["doctor", "--package", &format!("{path}/a.yaml")])).expect(3);
    assert!(package.stderr.contains("it is no archive of an image"), "{}", package.stderr);
    let absent = run(ucp_from(night, ["doctor", "--crds", &format!("{path}/none")])).expect(3);
    assert!(absent.stderr.contains("does not exist"), "{}", absent.stderr);
    run(ucp_from(night, ["doctor", "--crds", path, "--package", path])).expect(2);
    let words = run(ucp_from(night, ["doctor", "--only", "definitions"])).expect(2);
    assert!(words.stderr.contains("--crds"), "{}", words.stderr);
}
