//! Packages whose version a plan changes.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::{Repository, application, create, document, item, plan};
use crate::support::command::{run, ucp_on};
use crate::support::{self, Options};

/// Writes a package as `crossplane xpkg build` does: an archive of layers.
fn write_package(file: &Path, manifests: &[Value]) {
    let archive = |name: &str, content: &[u8]| {
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content).unwrap();
        archive.into_inner().unwrap()
    };
    let text: Vec<String> = manifests.iter().map(Value::to_string).collect();
    let layer = archive("package.yaml", text.join("\n---\n").as_bytes());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&layer).unwrap();
    std::fs::write(file, archive("layer.tar.gz", &packed.finish().unwrap())).unwrap();
}

fn definition(fields: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.plan.example.org"},
        "spec": {"group": "plan.example.org", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [{
            "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": fields},
            }}},
        }]},
    })
}

#[test]
fn a_changed_package_is_evaluated_as_doctor_does() {
    let Some(cluster) = support::start(Options::named("plan-packages")) else { return };
    let provider = |version: &str| {
        json!({
            "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "gadgets"},
            "spec": {"package": format!("xpkg.example.org/example/provider-gadgets:{version}")},
        })
    };
    let text = json!({"type": "string"});
    cluster.apply(&definition(&json!({"color": text, "mode": text})));
    let gadget = json!({
        "apiVersion": "plan.example.org/v1", "kind": "Gadget", "metadata": {"name": "a"},
        "spec": {"color": "canary-color", "mode": "on"},
    });
    create(&cluster, vec![provider("v1.0.0"), application("infra", "infra", json!({}))]);
    cluster.apply(&gadget);
    let repository = Repository::new(&[("infra/provider.yaml", &provider("v1.0.0").to_string())]);
    repository.branch("upgrade", &[("infra/provider.yaml", &provider("v2.0.0").to_string())], &[]);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("provider-gadgets-v2.0.0.xpkg");
    let metadata = json!({
        "apiVersion": "meta.pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "provider-gadgets"},
    });
    write_package(&file, &[metadata, definition(&json!({"mode": text}))]);
    let planned = |flags: &[&str]| {
        document(&plan(&cluster, &repository, &[&["--base=main", "--head=upgrade", "-o=json"], flags].concat()))
    };

    let (plan, _) = planned(&[]);
    let listed = item(&plan, "Provider", "gadgets").clone();
    let command = "kubectl ucp doctor --package xpkg.example.org/example/provider-gadgets:v2.0.0";
    assert!(listed["notes"].to_string().contains(command) && listed["unevaluated"].is_string(), "{plan:#}");

    let packages = directory.path().to_str().unwrap();
    let (plan, _) = planned(&["--packages", packages]);
    let evaluated = item(&plan, "Provider", "gadgets");
    let notes = evaluated["notes"].to_string();
    assert!(
        notes.contains("UCP473") && notes.contains("spec.color") && notes.contains("gadget.plan.example.org/a"),
        "{plan:#}"
    );
    assert!(evaluated["unevaluated"].is_null() && !plan.to_string().contains("canary"), "{plan:#}");
    // Each finding of the other command is there.
    let report = run(ucp_on(&cluster, ["doctor", "--package", file.to_str().unwrap(), "-o", "json"]));
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{report:#}");
    for finding in findings {
        assert!(notes.contains(finding["message"].as_str().unwrap()), "{finding:#}: {notes}");
    }

    std::fs::remove_file(&file).unwrap();
    let (plan, _) = planned(&["--packages", packages]);
    assert!(plan["unreadable"].to_string().contains("provider-gadgets-v2.0.0.xpkg was not found"), "{plan:#}");
    assert!(item(&plan, "Provider", "gadgets")["unevaluated"].is_string(), "{plan:#}");
}
