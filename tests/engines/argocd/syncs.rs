//! Applications that Argo CD compares successfully, and cannot sync.

use serde_json::json;

use super::{RESOURCES, application, config, forget, is, named, refresh, world};
use crate::nodes::NEVER_READY;
use crate::scenario::{StatusReport, record, row, ucp, words};
use crate::world::{delete, get, kubectl, patch};

fn service(cluster_ip: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: fixed}}\nspec: {{clusterIP: {cluster_ip}, ports: [{{port: 80}}]}}\n"
    )
}

#[test]
fn a_sync_that_fails_and_retries() {
    let mut world = world();
    let automated =
        json!({"syncPolicy": {"automated": {}, "retry": {"limit": 5, "backoff": {"duration": "10s", "factor": 2}}}});
    world.forge.commit("retrying", &[("app/service.yaml", &service("10.0.0.77"))]);
    world.hub.apply(&application("retrying", &world.forge.url("retrying"), "app", &automated));
    world.until("it is deployed", |world| is(world, "retrying", "Synced", "Healthy"));
    // A field that cannot be changed.
    world.forge.commit("retrying", &[("app/service.yaml", &service("10.0.0.78"))]);
    refresh(&world, "retrying");
    let engine = world.until("its first attempt fails", |world| {
        let operation = get(&world.hub, &named("retrying"))?["status"]["operationState"].take();
        let message = operation["message"].as_str()?.to_owned();
        (operation["phase"] == "Running" && message.contains("may not change once set"))
            .then(|| format!("{} retryCount {}: {message}", operation["phase"], operation["retryCount"]))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named("retrying"));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("may not change once set"), "{finding:#}");
    row("argocd: a sync fails and retries", &engine, &words(finding));
    record(&world.hub, "argocd-retrying", RESOURCES);

    // Repaired by a revert; the operation is ended as `argocd app terminate-op` does, and stays failed.
    world.forge.commit("retrying", &[("app/service.yaml", &service("10.0.0.77"))]);
    patch(&world.hub, &named("retrying"), &json!({"status": {"operationState": {"phase": "Terminating"}}}));
    let engine = world.until("the revert is compared", |world| {
        refresh(world, "retrying");
        let object = get(&world.hub, &named("retrying"))?;
        let operation = &object["status"]["operationState"];
        let ended = operation["phase"] == "Failed" || operation["phase"] == "Error";
        is(world, "retrying", "Synced", "Healthy")
            .filter(|_| ended)
            .map(|reported| format!("{reported}, last operation {}", operation["phase"]))
    });
    StatusReport::of(&world.hub).nothing_about(&named("retrying"));
    row("argocd: a failed sync that was mended", &engine, "nothing");
    record(&world.hub, "argocd-mended", RESOURCES);
    forget(&world, "retrying");
    delete(&world.app, "service/fixed -n default");
}

#[test]
fn a_manager_that_reverts_self_heal() {
    let mut world = world();
    world.forge.commit("fought", &[("app/config.yaml", &config("fought"))]);
    let heals = json!({"syncPolicy": {"automated": {"selfHeal": true}}});
    world.hub.apply(&application("fought", &world.forge.url("fought"), "app", &heals));
    world.until("it is deployed", |world| is(world, "fought", "Synced", "Healthy"));
    let map = "configmap/fought -n default";
    let engine = world.until("it has healed it several times", |world| {
        if get(&world.app, map)?["data"]["greeting"] == "hello" {
            patch(&world.app, map, &json!({"data": {"greeting": "by the other one"}}));
        }
        let object = get(&world.hub, &named("fought"))?;
        let attempts = object["status"]["operationState"]["operation"]["sync"]["autoHealAttemptsCount"].as_i64()?;
        (attempts >= 3 && object["status"]["sync"]["status"] == "OutOfSync")
            .then(|| format!("OutOfSync, autoHealAttemptsCount {attempts}"))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named("fought"));
    assert!(!words(finding).contains("corrects it automatically"), "{finding:#}");
    assert!(words(finding).contains("reverts"), "{finding:#}");
    let ran = ucp(&world.hub, ["drift", "-A"]);
    assert!(!ran.stdout.contains("corrects it automatically"), "{ran:#?}");
    row("argocd: self-heal fights", &engine, &words(finding));
    record(&world.hub, "argocd-fight", RESOURCES);
    forget(&world, "fought");
    delete(&world.app, map);
}

#[test]
fn a_deployment_whose_rollout_fails() {
    let mut world = world();
    let deployment = format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: broken}}
spec:
  progressDeadlineSeconds: 5
  selector: {{matchLabels: {{app: broken}}}}
  template:
    metadata: {{labels: {{app: broken, {NEVER_READY}: 'true'}}}}
    spec: {{containers: [{{name: app, image: example.org/app:1}}]}}
"
    );
    world.forge.commit("degraded", &[("app/deployment.yaml", &deployment)]);
    let automated = json!({"syncPolicy": {"automated": {}}});
    world.hub.apply(&application("degraded", &world.forge.url("degraded"), "app", &automated));
    let engine = world.until("it is degraded", |world| is(world, "degraded", "Synced", "Degraded"));
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named("degraded"));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("broken"), "it names the child: {finding:#}");
    row("argocd: a child is degraded", &engine, &words(finding));
    record(&world.hub, "argocd-degraded", RESOURCES);
    forget(&world, "degraded");
    delete(&world.app, "deployment/broken -n default");
}

#[test]
fn a_kind_that_the_cluster_does_not_have() {
    let mut world = world();
    let thing = "apiVersion: things.example.org/v1\nkind: Thing\nmetadata: {name: thing}\n";
    world.forge.commit("no-kind", &[("app/thing.yaml", thing)]);
    let automated = json!({"syncPolicy": {"automated": {}}});
    world.hub.apply(&application("no-kind", &world.forge.url("no-kind"), "app", &automated));
    let engine = world.until("its sync fails", |world| {
        let operation = get(&world.hub, &named("no-kind"))?["status"]["operationState"].take();
        let message = operation["message"].as_str().filter(|message| !message.is_empty())?;
        let phase = operation["phase"].as_str()?;
        let children = operation["syncResult"]["resources"].to_string();
        children.contains("Thing").then(|| format!("{phase}: {message}"))
    });
    // The definition may be on its way, so that Argo CD may try again for some minutes.
    assert_ne!(StatusReport::of(&world.hub).engine("Argo CD"), "OK");
    let reported = StatusReport::later(&world.hub);
    let finding = reported.finding(&named("no-kind"));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("things.example.org") || words(finding).contains("Thing"), "{finding:#}");
    row("argocd: a kind without a CRD", &engine, &words(finding));
    record(&world.hub, "argocd-no-kind", RESOURCES);
    forget(&world, "no-kind");
}

#[test]
fn a_manual_change_without_self_heal() {
    let mut world = world();
    patch(&world.app, "configmap/shop -n default", &json!({"data": {"greeting": "by hand"}}));
    let engine = world.until("it is out of sync", |world| is(world, "shop", "OutOfSync", "Healthy"));
    let ran = ucp(&world.hub, ["drift", "-A", "-o", "json"]).expect(1);
    assert!(ran.stdout.contains("ConfigMap"), "{ran:#?}");
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named("shop"));
    assert_eq!(finding["verdict"], "Drifted", "{finding:#}");
    row("argocd: changed by hand, no self-heal", &engine, &words(finding));
    record(&world.hub, "argocd-out-of-sync", RESOURCES);
    patch(&world.hub, &named("shop"), &json!({"operation": {"sync": {"revision": "main"}}}));
    world.until("a sync brings it back", |world| is(world, "shop", "Synced", "Healthy"));
    kubectl(&world.app, "get configmap shop -n default");
}
