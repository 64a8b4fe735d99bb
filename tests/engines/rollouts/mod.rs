//! Argo Rollouts' controller.

use serde_json::{Value, json};

use crate::adapters::{HOME, world};
use crate::binaries::Build;
use crate::nodes::NEVER_READY;
use crate::scenario::{StatusReport, expect, record, row};
use crate::world::{World, get, patch};

/// The module and the programs of the engine.
pub const BUILD: Build = Build {
    module: "rollouts",
    version_of: Some("github.com/argoproj/argo-rollouts"),
    programs: &[("argo-rollouts", "github.com/argoproj/argo-rollouts/cmd/rollouts-controller")],
    manifests: &[("crds", "github.com/argoproj/argo-rollouts", "manifests/crds")],
};

const RESOURCES: &str = "rollouts.argoproj.io,analysisruns.argoproj.io,deployments.apps";

fn rollout(name: &str, labels: &[(&str, &str)], more: Value) -> Value {
    let mut labels: Value = labels.iter().map(|&(label, value)| (label.to_owned(), json!(value))).collect();
    labels["run"] = json!(name);
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": {"name": name, "namespace": HOME},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"run": name}},
            "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]},
            },
            "strategy": {"canary": {"steps": [{"setWeight": 50}, {"pause": {}}]}},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

/// The phase of an object, with its findings.
fn phase(world: &World, object: &str) -> Option<String> {
    let status = get(&world.hub, object)?["status"].take();
    Some(format!("{}: {}", status["phase"].as_str()?, status["message"].as_str().unwrap_or_default()))
}

fn reaches(world: &mut World, object: &str, wanted: &str) -> String {
    world.until(&format!("{object} is {wanted}"), |world| {
        phase(world, object).filter(|phase| phase.starts_with(&format!("{wanted}:")))
    })
}

#[test]
fn a_canary_waits_is_aborted_and_fails() {
    let mut world = world();
    let web = "rollout/web -n shop";
    world.hub.apply(&rollout("web", &[], json!({})));
    let engine = reaches(&mut world, web, "Healthy");
    StatusReport::of(&world.hub).nothing_about(web);
    row("rollouts: it is healthy", &engine, "OK, no findings");

    world.hub.apply(&rollout(
        "web",
        &[],
        json!({"template": {
            "metadata": {"labels": {"run": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:2"}]},
        }}),
    ));
    let engine = reaches(&mut world, web, "Paused");
    let finding_text = expect(StatusReport::of(&world.hub).finding(web), "NeedsHuman", "UCP767", &["CanaryPauseStep"]);
    row("rollouts: the canary waits", &engine, &finding_text);
    record(&world.hub, "rollouts-paused", RESOURCES);

    // As `kubectl argo rollouts abort` does.
    let mut command = world.hub.kubectl(["patch", "--subresource=status", "--type=merge", "-p"]);
    let output =
        command.arg(r#"{"status":{"abort":true}}"#).args(["rollout/web", "-n", HOME]).output().expect("kubectl");
    assert!(output.status.success(), "{output:?}");
    let engine = reaches(&mut world, web, "Degraded");
    let finding_text = expect(StatusReport::of(&world.hub).finding(web), "Failed", "UCP766", &["abort"]);
    row("rollouts: it is aborted", &engine, &finding_text);
    patch(
        &world.hub,
        web,
        &json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}}}),
    );
    reaches(&mut world, web, "Healthy");
    StatusReport::of(&world.hub).nothing_about(web);

    world.hub.apply(&rollout("never", &[(NEVER_READY, "yes")], json!({"progressDeadlineSeconds": 5})));
    let engine = reaches(&mut world, "rollout/never -n shop", "Degraded");
    let finding_text = expect(StatusReport::of(&world.hub).finding("rollout/never -n shop"), "Failed", "UCP766", &[]);
    row("rollouts: its Pods are never ready", &engine, &finding_text);

    // A result that no rollout requires.
    world.hub.apply(&json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun", "metadata": {"name": "latency", "namespace": HOME},
        "spec": {"metrics": [{
            "name": "latency", "count": 1, "consecutiveErrorLimit": 0,
            "provider": {"web": {"url": "http://127.0.0.1:1/none", "jsonPath": "{$.value}", "timeoutSeconds": 1}},
        }]},
    }));
    let engine = reaches(&mut world, "analysisrun/latency -n shop", "Error");
    let finding_text =
        expect(StatusReport::of(&world.hub).finding("analysisrun/latency -n shop"), "Failed", "UCP766", &[]);
    row("rollouts: an analysis has an error", &engine, &finding_text);
}
