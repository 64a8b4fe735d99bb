//! Predictions of `teardown`, and the results: in the order of its steps, and in another one.

use serde_json::json;

use super::{BOX, PROVIDER, SETTINGS, TEAM, configure, holds, install_package, object, start, world};
use crate::scenario::{TeardownPrediction, follow, row};
use crate::world::{World, delete, get, kubectl, patch};

const KIND: &str = "object.kubernetes.crossplane.io";

#[test]
fn a_provider_config_that_is_deleted_before_its_users() {
    let mut world = world();
    let config = "providerconfig.kubernetes.crossplane.io/second";
    let mut second = get(&world.hub, "providerconfig.kubernetes.crossplane.io/app").unwrap();
    second["metadata"] = json!({"name": "second"});
    second["status"].take();
    world.hub.apply(&second);
    world.hub.apply(&object("user", json!({"providerConfigRef": {"name": "second"}})));
    let user = format!("{KIND}/user");
    world.until("it is created", |world| holds(world, &user, "Ready", "True"));
    world.until("its configuration counts its users", |world| {
        get(&world.hub, config)?["status"]["users"].as_i64().filter(|users| *users > 0)
    });

    let prediction = TeardownPrediction::of(&world.hub, config, 1);
    let (fate, reason) = prediction.fate("ProviderConfig", "second");
    assert_eq!((fate, prediction.codes()), ("stuck", vec!["UCP917"]), "{:#}", prediction.document());
    delete(&world.hub, config);
    let finalizers = stays(&mut world, config);
    assert!(finalizers.contains("in-use.crossplane.io"), "{finalizers}");
    row("teardown: a ProviderConfig goes first", &format!("it stays, with {finalizers}"), &format!("{fate}: {reason}"));

    // In the order of the steps it is deleted.
    let after = TeardownPrediction::of(&world.hub, &user, 0);
    assert_eq!(after.fate("Object", "user").0, "deleted");
    follow_all(&mut world, &after);
    world.until("the configuration is released", |world| get(&world.hub, config).is_none().then_some(()));
    assert!(get(&world.app, "configmap/user -n default").is_none());
}

#[test]
fn a_resource_that_is_deleted_while_its_provider_is_down() {
    let mut world = world();
    world.hub.apply(&object("late", json!({})));
    let late = format!("{KIND}/late");
    world.until("it is created", |world| holds(world, &late, "Ready", "True"));
    world.stop(PROVIDER);
    world.until("the package manager reports it", |world| {
        holds(world, "provider.pkg.crossplane.io/provider-kubernetes", "Healthy", "False")
    });
    let prediction = TeardownPrediction::of(&world.hub, &late, 1);
    let (fate, reason) = prediction.fate("Object", "late");
    assert_eq!((fate, prediction.codes()), ("stuck", vec!["UCP912"]), "{:#}", prediction.document());
    delete(&world.hub, &late);
    let finalizers = stays(&mut world, &late);
    assert!(get(&world.app, "configmap/late -n default").is_some(), "it was not deleted outside");
    row("teardown: its provider is down", &format!("it stays, with {finalizers}"), &format!("{fate}: {reason}"));
    world.restart(PROVIDER);
    world.until("it is deleted", |world| get(&world.hub, &late).is_none().then_some(()));
    assert!(get(&world.app, "configmap/late -n default").is_none());
    world.until("the provider is well", |world| {
        holds(world, "provider.pkg.crossplane.io/provider-kubernetes", "Healthy", "True")
    });
}

/// A namespace with an Object of Crossplane 2, its ProviderConfig, and its credentials, all deleted at the same time. The
/// provider is too late for the first one, and the second one is deleted in the order of the steps.
#[test]
fn a_namespace_with_its_provider_config() {
    let mut world = world();
    furnish(&mut world, "hasty");
    let user = format!("{NAMESPACED}/hasty -n hasty");
    let prediction = TeardownPrediction::of(&world.hub, "namespace/hasty", 1);
    let (fate, reason) = prediction.fate("Object", "hasty");
    assert_eq!((fate, prediction.codes().contains(&"UCP919")), ("stuck", true), "{:#}", prediction.document());
    let (fate, reason) = (fate.to_owned(), reason.to_owned());
    world.kill(PROVIDER);
    kubectl(&world.hub, "delete namespace/hasty --wait=false");
    world.until("the credentials are gone", |world| get(&world.hub, "secret/creds -n hasty").is_none().then_some(()));
    world.restart(PROVIDER);
    let finalizers = stays(&mut world, &user);
    assert!(get(&world.app, "configmap/hasty -n default").is_some(), "it was not deleted outside");
    row(
        "teardown: a namespace with its ProviderConfig",
        &format!("it stays, with {finalizers}"),
        &format!("{fate}: {reason}"),
    );
    for object in [user.as_str(), &format!("{OWN} -n hasty")] {
        if get(&world.hub, object).is_some() {
            patch(&world.hub, object, &json!({"metadata": {"finalizers": null}}));
        }
    }
    world.until("the namespace is gone", |world| get(&world.hub, "namespace/hasty").is_none().then_some(()));
    delete(&world.app, "configmap/hasty -n default");

    furnish(&mut world, "orderly");
    let prediction = TeardownPrediction::of(&world.hub, "namespace/orderly", 1);
    follow_all(&mut world, &prediction);
    world.until("the namespace is gone", |world| get(&world.hub, "namespace/orderly").is_none().then_some(()));
    assert!(get(&world.app, "configmap/orderly -n default").is_none());
}

const NAMESPACED: &str = "object.kubernetes.m.crossplane.io";
const OWN: &str = "providerconfig.kubernetes.m.crossplane.io/own";

/// A namespace with an Object and the ProviderConfig that configures it.
fn furnish(world: &mut World, name: &str) {
    let kubeconfig = std::fs::read_to_string(world.app.kubeconfig()).expect("a kubeconfig");
    let credentials = json!({"namespace": name, "name": "creds", "key": "kubeconfig"});
    for object in [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": name, "name": "creds"},
            "stringData": {"kubeconfig": kubeconfig},
        }),
        json!({
            "apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "ProviderConfig",
            "metadata": {"namespace": name, "name": "own"},
            "spec": {"credentials": {"source": "Secret", "secretRef": credentials}},
        }),
        json!({
            "apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object",
            "metadata": {"namespace": name, "name": name},
            "spec": {
                "providerConfigRef": {"kind": "ProviderConfig", "name": "own"},
                "forProvider": {"manifest": super::config_map(name, "as declared")},
            },
        }),
    ] {
        world.hub.apply(&object);
    }
    let user = format!("{NAMESPACED}/{name} -n {name}");
    world.until("it is created", |world| holds(world, &user, "Ready", "True"));
}

/// In a world of its own, as it is deleted completely: first the provider before its resources, and then, with a new
/// one, everything in the order of the steps.
#[test]
fn the_whole_core_cluster() {
    let mut world = start();
    // Each of a fate of its own.
    for (name, more) in [
        ("orphan", json!({"deletionPolicy": "Orphan"})),
        ("watched", json!({"managementPolicies": ["Observe"]})),
        ("resting", json!({})),
    ] {
        if name == "watched" {
            world.app.apply(&super::config_map(name, "as declared"));
        }
        world.hub.apply(&object(name, more));
        let name = format!("{KIND}/{name}");
        world.until("it is ready", |world| holds(world, &name, "Ready", "True"));
    }

    the_provider_first(&mut world);

    let resting = format!("{KIND}/resting");
    kubectl(&world.hub, &format!("annotate {resting} crossplane.io/paused=true"));
    world.until("it rests", |world| holds(world, &resting, "Synced", "False"));
    let prediction = TeardownPrediction::of(&world.hub, "--all", 1);
    for (name, fate) in [("settings", "deleted"), ("orphan", "orphaned"), ("watched", "left"), ("resting", "stuck")] {
        assert_eq!(prediction.fate("Object", name).0, fate, "{name}: {:#}", prediction.document());
    }
    let outside = outside(&world);
    follow_all(&mut world, &prediction);

    let (mut gone, mut stayed) = (0, 0);
    for (object, fate) in prediction.fates() {
        world.until(&format!("{object}, which is {fate}, is gone"), |world| {
            get(&world.hub, &object).is_none().then_some(())
        });
        gone += 1;
        // Stuck objects are no longer stuck: the steps removed the blockers.
        if let Some(map) = outside
            .iter()
            .find(|(name, _)| object.ends_with(&format!("Object.v1alpha2.kubernetes.crossplane.io/{name}")))
        {
            let is_there = get(&world.app, &map.1).is_some();
            assert_eq!(is_there, matches!(fate.as_str(), "orphaned" | "left"), "{object} is {fate}");
            stayed += usize::from(is_there);
        }
    }
    row(
        "teardown: a whole core cluster, in order",
        &format!("{gone} objects gone, {stayed} ConfigMaps stay in the app cluster"),
        &prediction.document()["counts"].to_string(),
    );
}

/// The prediction for a provider that is deleted first, the result, and the repair.
fn the_provider_first(world: &mut World) {
    let provider = "provider.pkg.crossplane.io/provider-kubernetes";
    let prediction = TeardownPrediction::of(&world.hub, provider, 1);
    let (fate, reason) = prediction.fate("Object", "settings");
    assert_eq!(fate, "stuck", "{:#}", prediction.document());
    assert!(prediction.codes().contains(&"UCP913"), "{:#}", prediction.document());
    let (fate, reason) = (fate.to_owned(), reason.to_owned());

    // Its Pod is gone at once, and it with it.
    world.kill(PROVIDER);
    delete(&world.hub, provider);
    let finalizers = stays(world, SETTINGS);
    world.until("the provider is gone", |world| get(&world.hub, provider).is_none().then_some(()));
    for (object, fate) in prediction.fates() {
        match fate.as_str() {
            "stuck" => assert!(get(&world.hub, &object).is_some(), "{object} is stuck"),
            "removed" | "deleted" | "left" | "orphaned" => {
                world.until(&format!("{object} is gone"), |world| get(&world.hub, &object).is_none().then_some(()));
            }
            other => panic!("{object}: {other}"),
        }
    }
    assert!(get(&world.app, "configmap/settings -n default").is_some(), "it was not deleted outside");
    row(
        "teardown: the provider goes first",
        &format!("its resources stay, with {finalizers}"),
        &format!("{fate}: {reason}"),
    );

    // A restarted provider does not reconcile kinds that are being deleted: only a person releases them, and
    // their external resources stay.
    world.restart(PROVIDER);
    stays(world, SETTINGS);
    // The finalizer of a definition stays: without it, the API server deletes later objects of the same kind.
    let is_released =
        |(object, fate): &(String, String)| fate == "stuck" && !object.starts_with("CustomResourceDefinition");
    for (object, _) in prediction.fates().into_iter().filter(is_released) {
        if get(&world.hub, &object).is_some() {
            patch(&world.hub, &object, &json!({"metadata": {"finalizers": null}}));
        }
    }
    // All of them: objects that are applied to a definition that is being deleted are deleted with it.
    world.until("its kinds are gone", |world| {
        let output = world.hub.kubectl(["get", "crd", "-o", "name"]).output().expect("kubectl");
        let names = String::from_utf8_lossy(&output.stdout);
        let is_gone = |group: &str| !names.lines().any(|name| name.ends_with(group));
        (output.status.success() && is_gone(".kubernetes.crossplane.io") && is_gone(".kubernetes.m.crossplane.io"))
            .then_some(())
    });
    assert!(get(&world.app, "configmap/settings -n default").is_some(), "it stays outside");
    install_package(world, "Provider", PROVIDER);
    world.until("the provider is healthy", |world| holds(world, provider, "Healthy", "True"));
    world.restart(PROVIDER);
    configure(world);
    for (name, more) in [
        ("orphan", json!({"deletionPolicy": "Orphan"})),
        ("watched", json!({"managementPolicies": ["Observe"]})),
        ("resting", json!({})),
    ] {
        world.hub.apply(&object(name, more));
        let name = format!("{KIND}/{name}");
        world.until("it is ready", |world| holds(world, &name, "Ready", "True"));
    }
    for object in [SETTINGS, BOX, TEAM] {
        world.until("all is ready", |world| holds(world, object, "Ready", "True"));
    }
}

/// The finalizers of an object that was deleted and is still there a while later.
fn stays(world: &mut World, object: &str) -> String {
    world.until("it is being deleted", |world| {
        get(&world.hub, object)?["metadata"]["deletionTimestamp"].as_str().map(str::to_owned)
    });
    // Twice as long as a provider waits between two looks.
    std::thread::sleep(std::time::Duration::from_secs(20));
    let object = get(&world.hub, object).expect("it stays");
    object["metadata"]["finalizers"].to_string()
}

/// The objects in the app cluster that belong to each Object, by its name.
fn outside(world: &World) -> Vec<(String, String)> {
    let output = world.hub.kubectl(["get", KIND, "-o", "json"]).output().expect("kubectl");
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let items = list["items"].as_array().into_iter().flatten();
    items
        .map(|item| {
            let map = &item["spec"]["forProvider"]["manifest"]["metadata"]["name"];
            (text(&item["metadata"]["name"]), format!("configmap/{} -n default", text(map)))
        })
        .collect()
}

/// Runs every command of a plan, except those that need a decision: orphaned resources shall stay.
fn follow_all(world: &mut World, prediction: &TeardownPrediction) {
    for (title, commands) in prediction.steps() {
        if title == "Decide which external resources should remain" {
            continue;
        }
        for command in commands {
            // There is no chart to uninstall: the workload is removed instead.
            if command.starts_with("helm uninstall") {
                world.kill("crossplane");
                delete(&world.hub, "deployment/crossplane -n crossplane-system");
                continue;
            }
            let ended = follow(&world.hub, &command);
            assert!(ended.is_ok(), "{title}: {command}: {ended:?}\n{:#}", prediction.document());
        }
    }
}
