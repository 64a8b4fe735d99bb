//! Objects that a Usage protects, by Crossplane's own webhook.

use serde_json::{Value, json};

use super::{holds, object, world};
use crate::scenario::{StatusReport, TeardownPrediction, expect, follow, row};
use crate::world::{delete, get};

#[test]
fn a_usage_that_refuses_a_deletion() {
    let mut world = world();
    world.hub.apply(&object("used", json!({})));
    let used = "object.kubernetes.crossplane.io/used";
    world.until("it is created", |world| holds(world, used, "Ready", "True"));
    world.hub.apply(&json!({
        "apiVersion": "protection.crossplane.io/v1beta1", "kind": "ClusterUsage", "metadata": {"name": "keep"},
        "spec": {
            "of": {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "resourceRef": {"name": "used"}},
            "reason": "audited until spring", "replayDeletion": true,
        },
    }));
    let usage = "clusterusage.protection.crossplane.io/keep";
    world.until("Crossplane marks the used object", |world| {
        let labels = &get(&world.hub, used)?["metadata"]["labels"];
        (labels["crossplane.io/in-use"] == "true").then_some(())
    });

    let prediction = TeardownPrediction::of(&world.hub, used, 1);
    let (fate, reason) = prediction.fate("Object", "used");
    assert_eq!((fate, prediction.codes()), ("stuck", vec!["UCP915"]), "{:#}", prediction.document());
    assert!(reason.contains("audited until spring"), "{reason}");
    // It only read: the webhook would have noted a dry run of a deletion, and deleted it later.
    let noted = |object: &Value| object["metadata"]["annotations"].to_string().contains("deletion-attempt");
    assert!(!noted(&get(&world.hub, used).unwrap()), "a deletion was tried");

    let refused = follow(&world.hub, &format!("kubectl delete {used}")).expect_err("the webhook refuses");
    assert!(refused.contains("audited until spring"), "{refused}");
    assert!(noted(&get(&world.hub, used).unwrap()), "a real attempt is noted");
    let reported = StatusReport::of(&world.hub);
    let refusal = expect(
        reported.finding("clusterusage/keep"),
        "NeedsHuman",
        "UCP132",
        &["there was an attempt to delete object.kubernetes.crossplane.io/used"],
    );
    row("status: a deletion was refused", &refused, &refusal);
    row("teardown: a Usage protects", &refused, &format!("{fate}: {reason}"));

    for command in prediction.steps().into_iter().flat_map(|(_, commands)| commands) {
        // With its Usage it may be gone by itself: the deletion is replayed.
        let ended = follow(&world.hub, &command);
        assert!(ended.is_ok() || get(&world.hub, used).is_none(), "{command}: {ended:?}");
    }
    world.until("it is gone", |world| get(&world.hub, used).is_none().then_some(()));
    world
        .until("and the kept object too", |world| get(&world.app, "configmap/used -n default").is_none().then_some(()));
    delete(&world.hub, usage);
}
