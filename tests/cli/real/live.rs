//! What `status` says of everything that `.ci/engines` recorded with `RECORD=1`: `status.txt` beside the objects.

use snapbox::Assert;
use snapbox::data::Data;

use crate::support::command::{run, ucp_from};

#[test]
fn status_of_every_recording_is_what_it_was_when_it_was_looked_through() {
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
fn a_recording_holds_no_secret_and_no_path_of_a_machine() {
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
