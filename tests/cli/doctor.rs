//! `doctor`: the cases of `tests/cases/doctor`, hubs without errors, and checks that depend on a server's version.

use std::process::Command;

use serde_json::{Value, json};

use crate::cases;
use crate::support::command::{Ran, run, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, QUOTES};

#[test]
fn each_case_is_reported_as_its_file_expects() {
    cases::run_all("tests/cases/doctor");
}

#[test]
fn an_engine_is_compared_with_the_version_of_kubernetes() {
    let Some(cluster) = hub::quotes() else { return };
    let look = |ran: Ran| {
        let document = ran.json();
        let check = document["checks"][0].clone();
        assert_eq!(document["checks"].as_array().unwrap().len(), 1, "{document}");
        (document["findings"].clone(), check)
    };
    let arguments = ["doctor", "--only", "kubernetes-version", "-o", "json"];
    // Warnings alone exit 0. Argo CD 3.2 was tested with 1.31 to 1.34. Whether Crossplane is content depends on the day.
    let (live, _) = look(run(ucp_on(cluster, arguments)).expect(0));
    let messages: Vec<&str> = live.as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    let message = messages.iter().find(|message| message.starts_with("Argo CD 3.2 runs on Kubernetes 1."));
    assert!(message.is_some_and(|message| message.ends_with("; upstream tests it with 1.31 to 1.34")), "{live}");
    // A snapshot of ours knows the server's version, and a plain dump does not.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path])).expect(0);
    assert_eq!(look(run(ucp_from(&path, arguments)).expect(0)).0, live);
    // Crossplane requires no particular version, only one that Kubernetes still supports.
    let unpacked = directory.path().join("unpacked");
    std::fs::create_dir(&unpacked).unwrap();
    let tar = Command::new("tar").arg("-xzf").arg(&path).arg("-C").arg(&unpacked).status().unwrap();
    assert!(tar.success());
    let index = unpacked.join("ucp-snapshot.yaml");
    let mut text: Value = serde_saphyr::from_str(&std::fs::read_to_string(&index).unwrap()).unwrap();
    text["serverVersion"] = json!("v1.30.14");
    std::fs::write(&index, text.to_string()).unwrap();
    let (old, _) = look(run(ucp_from(&unpacked.display().to_string(), arguments)).expect(0));
    let ended = "upstream requires a version that Kubernetes still supports, and its support ended by 2025-07-15";
    assert!(
        old.as_array().unwrap().iter().any(|one| {
            let message = one["message"].as_str().unwrap();
            message.starts_with("Crossplane 2.") && message.ends_with(ended)
        }),
        "{old}"
    );
    let (findings, check) = look(run(ucp_from(QUOTES, arguments)).expect(4));
    assert_eq!((findings, &check["outcome"]), (json!([]), &json!("unknown")), "{check}");
}

#[test]
fn a_healthy_hub_has_no_errors() {
    for path in [QUOTES, "tests/fixtures/night", "tests/fixtures/real/healthy"] {
        let ran = run(ucp(["doctor", "--from", path, "-o", "json"])).expect(4);
        let document = ran.json();
        let codes: Vec<_> = document["findings"].as_array().unwrap().iter().map(|one| one["code"].clone()).collect();
        // These run an Argo CD that is older than the releases that upstream fixes.
        assert!(codes.iter().all(|code| code == "UCP444"), "{path}: {codes:?}");
    }
}
