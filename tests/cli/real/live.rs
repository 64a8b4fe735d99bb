//! The output of `status` for everything that `.ci/engines` recorded with `RECORD=1`: `status.txt` next to the objects.

use snapbox::Assert;
use snapbox::data::Data;

use crate::support::command::{run, ucp_from};

#[test]
fn the_status_of_every_recording_matches_the_reviewed_text() {
    let mut seen = 0;
    for entry in std::fs::read_dir("tests/fixtures/real/live").unwrap() {
        let directory = entry.unwrap().path();
        let objects = directory.join("objects.yaml");
        let ran = run(ucp_from(objects.to_str().unwrap(), ["status", "--color", "never"])).expect(0);
        let expected = Data::read_from(&directory.join("status.txt"), Some(snapbox::data::DataFormat::Text));
        Assert::new().action_env("SNAPSHOTS").eq(ran.stdout, expected.raw());
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn a_recording_contains_no_secret_and_no_path_of_a_machine() {
    for entry in std::fs::read_dir("tests/fixtures/real/live").unwrap() {
        let path = entry.unwrap().path().join("objects.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        for word in [
            "\nkind: Secret\n",
            "fieldsV1",
            "last-applied-configuration",
            "kubectl-ucp-",
            "PRIVATE KEY",
            "/root",
            "/home",
        ] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}
