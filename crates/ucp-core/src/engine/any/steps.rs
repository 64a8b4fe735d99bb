//! Examples of steps, features, and reports that look like the state of the whole object.

use serde_json::json;

use super::examples::judged;
use crate::model::verdict::Verdict::*;

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
