//! An Application whose project forbids one of its objects.

use serde_json::json;

use super::{application, config, forget, is, named, refresh, world};
use crate::scenario::{row, ucp};
use crate::world::{delete, get};

const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: locked}\nstringData: {a: b}\n";

#[test]
fn nothing_that_a_project_forbids_is_applied_as_planned() {
    let mut world = world();
    world.hub.apply(&json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"namespace": "argocd", "name": "locked"},
        "spec": {
            "sourceRepos": ["*"], "destinations": [{"name": "app", "namespace": "def*"}],
            "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
        },
    }));
    world.forge.commit("locked", &[("app/config.yaml", &config("locked"))]);
    let url = world.forge.url("locked");
    let more = json!({"project": "locked", "syncPolicy": {"automated": {}}});
    world.hub.apply(&application("locked", &url, "app", &more));
    world.until("it is deployed", |world| is(world, "locked", "Synced", "Healthy"));

    let changed = config("locked").replace("hello", "goodbye");
    let files = [("app/config.yaml", changed.as_str()), ("app/secret.yaml", SECRET)];
    let checkout = world.forge.write("locked", &files).display().to_string();
    let plan = ucp(&world.hub, ["plan", &checkout, "--repo-url", &url, "-o", "json"]).json();
    let items = plan["items"].as_array().expect("items");
    let reason =
        "AppProject locked does not permit secret/locked -n default: Argo CD applies nothing of this Application";
    assert_eq!(items.len(), 2, "{plan:#}");
    for item in items {
        assert_eq!((&item["check"], &item["message"]), (&json!("rejected"), &json!(reason)), "{plan:#}");
    }

    world.forge.push("locked");
    refresh(&world, "locked");
    let engine = world.until("its sync fails", |world| {
        let operation = get(&world.hub, &named("locked"))?["status"]["operationState"].take();
        let results = operation["syncResult"]["resources"].as_array()?.clone();
        let refused = results.iter().find(|result| result["kind"] == "Secret")?["message"].as_str()?.to_owned();
        // Argo CD tries again for some time.
        refused.contains("is not permitted in project locked").then(|| format!("{}: {refused}", operation["phase"]))
    });
    let live = get(&world.app, "configmap/locked -n default").expect("the ConfigMap");
    assert_eq!(live["data"]["greeting"], "hello", "{live:#}");
    assert!(get(&world.app, "secret/locked -n default").is_none());
    row("argocd: a project forbids one object of a merge", &engine, &format!("rejected: {reason}"));
    forget(&world, "locked");
    delete(&world.hub, "appproject/locked -n argocd");
    delete(&world.app, "configmap/locked -n default");
}
