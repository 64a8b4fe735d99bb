//! Examples of steps, features, and reports that look like the state of the whole object.

use serde_json::{Value, json};

use super::examples::{assert_verdicts, judged};
use crate::model::verdict::Verdict::*;

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message})
}

#[test]
fn counts_have_many_names_and_zeros_may_be_defaults() {
    let spec = json!({"replicas": 3});
    for (status, expected) in [
        (json!({"readyCount": 3}), Ok),
        (json!({"readyCount": 2}), Progressing),
        (json!({"ready": 3}), Ok),
        (json!({"ready": 2}), Progressing),
    ] {
        assert_eq!(judged("Widget", &spec, &status), expected, "{status}");
    }
    let none = json!({"replicas": 0});
    assert_eq!(judged("Widget", &none, &json!({"replicas": 0})), Progressing);
    assert_eq!(judged("Widget", &none, &json!({"replicas": 0, "observedGeneration": 1})), Ok);
}

#[test]
fn a_first_step_is_not_the_whole() {
    assert_verdicts("Widget", &[(json!({"phase": "Initialized"}), Unknown), (json!({"initialized": true}), Ok)]);
}

#[test]
fn what_a_deletion_requires_is_not_required_now() {
    let ready = || condition("Ready", "True", "", "");
    let examples = [
        (json!({"conditions": [ready()], "deprovisionStatus": "Required"}), Ok),
        (json!({"conditions": [ready()], "uninstallState": "NotRequired"}), Ok),
        (json!({"conditions": [ready()], "approvalStatus": "Required"}), NeedsHuman),
        (json!({"conditions": [ready()], "deletionStatus": "ManualInterventionRequired"}), NeedsHuman),
        (json!({"conditions": [ready()], "deprovisionStatus": "Failed"}), Failed),
    ];
    assert_verdicts("Widget", &examples);
}
