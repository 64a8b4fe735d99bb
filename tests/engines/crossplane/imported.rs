//! Existing objects in the app cluster are imported into provider-kubernetes: observed, then owned, and unchanged.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::world;
use crate::scenario::row;
use crate::support::Cluster;
use crate::support::command::{Ran, run, ucp_on};
use crate::world::{condition, get};

const COUNT: usize = 100;

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git").arg("-C").arg(directory).args(arguments).status().expect("git");
    assert!(status.success(), "{arguments:?}");
}

fn kubectl_all(cluster: &Cluster, words: &[&str], directory: &Path) {
    let output = cluster.kubectl(words).arg("-f").arg(directory).output().expect("kubectl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The declared fields of the objects: provider-kubernetes records the applied manifest in an annotation.
fn declared(cluster: &Cluster) -> Vec<Value> {
    let output = cluster.kubectl(["get", "configmaps", "-l", "import=this", "-o", "json"]).output().expect("kubectl");
    let list: Value = serde_json::from_slice(&output.stdout).expect("a list");
    let items = list["items"].as_array().expect("items").iter();
    items
        .map(|item| {
            json!([item["metadata"]["name"], item["metadata"]["labels"], item["metadata"]["uid"], item["data"]])
        })
        .collect()
}

#[test]
fn existing_objects_are_imported_without_a_change() {
    let mut world = world();
    let directory = tempfile::tempdir().expect("a directory");
    let (existing, repository) = (directory.path().join("existing"), directory.path().join("repository"));
    fs::create_dir_all(&existing).expect("a directory");
    fs::create_dir_all(repository.join("objects")).expect("a directory");
    for number in 0..COUNT {
        let name = format!("legacy-{number}");
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "labels": {"import": "this", "number": number.to_string()}},
            "data": {"size": number.to_string(), "text": "two\nlines: yes\n"},
        });
        fs::write(existing.join(format!("{name}.json")), object.to_string()).expect("a file");
    }
    kubectl_all(&world.app, &["create"], &existing);
    let before = declared(&world.app);
    assert_eq!(before.len(), COUNT);
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    for (key, value) in [("user.name", "test"), ("user.email", "test@example.org"), ("commit.gpgsign", "false")] {
        git(&repository, &["config", key, value]);
    }
    git(&repository, &["commit", "--quiet", "--allow-empty", "-m", "Begin"]);
    let top = repository.display().to_string();
    let wanted: Vec<String> = (0..COUNT)
        .map(|number| format!("object.kubernetes.crossplane.io=v1/ConfigMap/default/legacy-{number}"))
        .collect();
    let import = |hub: &Cluster, more: &[&str]| -> Ran {
        let flags = ["import", "-C", &top, "--into", "objects", "--provider-config", "app"];
        run(ucp_on(hub, flags.into_iter().chain(more.iter().copied()).chain(wanted.iter().map(String::as_str))))
    };
    let steps = |ran: &Ran, step: &str| {
        ran.json()["items"].as_array().into_iter().flatten().filter(|item| item["step"] == step).count()
    };
    let ran = import(&world.hub, &["--commit", "--yes", "-o", "json"]).expect(0);
    assert_eq!(steps(&ran, "observe"), COUNT);
    let objects = repository.join("objects");
    kubectl_all(&world.hub, &["apply", "--server-side"], &objects);
    let ran = world.until("all are observed", |world| {
        let ran = import(&world.hub, &["--dry-run", "-o", "json"]);
        (steps(&ran, "waiting") == 0).then_some(ran)
    });
    assert_eq!((steps(&ran, "own"), ran.code), (COUNT, Some(0)), "{ran:#?}");
    assert_eq!(declared(&world.app), before, "who only observes changes nothing");
    import(&world.hub, &["--commit", "--yes"]).expect(0);
    kubectl_all(&world.hub, &["apply", "--server-side"], &objects);
    let ran = world.until("all are owned", |world| {
        let ran = import(&world.hub, &["--dry-run", "-o", "json"]);
        let is_ready = |number: usize| {
            let object = get(&world.hub, &format!("object.kubernetes.crossplane.io/legacy-{number}"))?;
            condition(&object, "Synced").filter(|reported| reported.starts_with("True"))
        };
        (steps(&ran, "owned") == COUNT && is_ready(0).is_some() && is_ready(COUNT - 1).is_some()).then_some(ran)
    });
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // Its provider has come by once more.
    std::thread::sleep(std::time::Duration::from_secs(15));
    assert_eq!(declared(&world.app), before, "who owns changes nothing either");
    row(
        "crossplane: 100 objects of the app cluster are imported",
        "Ready; none of them has changed",
        "100 observe, then 100 own, 0 differ, 0 refused",
    );
    kubectl_all(&world.hub, &["delete", "--wait=false"], &objects);
    world.until("they are gone", |world| {
        get(&world.hub, "object.kubernetes.crossplane.io/legacy-0").is_none().then_some(())
    });
}
