//! What `teardown` foretells, and what then happens: in the order of its steps, and in another one.

use serde_json::json;

use super::{PROVIDER, SETTINGS, holds, object, start, world};
use crate::scenario::{Foretold, follow, row};
use crate::world::{World, delete, get};

const KIND: &str = "object.kubernetes.crossplane.io";

#[test]
fn a_provider_config_before_what_uses_it() {
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

    let foretold = Foretold::of(&world.hub, config, 1);
    let (fate, reason) = foretold.fate("ProviderConfig", "second");
    assert_eq!((fate, foretold.codes()), ("stuck", vec!["UCP917"]), "{:#}", foretold.document());
    delete(&world.hub, config);
    let finalizers = stays(&mut world, config);
    assert!(finalizers.contains("in-use.crossplane.io"), "{finalizers}");
    row("teardown: a ProviderConfig goes first", &format!("it stays, with {finalizers}"), &format!("{fate}: {reason}"));

    // In the order of the steps it goes.
    let after = Foretold::of(&world.hub, &user, 0);
    assert_eq!(after.fate("Object", "user").0, "deleted");
    follow_all(&world, &after);
    world.until("the configuration is released", |world| get(&world.hub, config).is_none().then_some(()));
    assert!(get(&world.app, "configmap/user -n default").is_none());
}

#[test]
fn a_resource_whose_provider_is_down() {
    let mut world = world();
    world.hub.apply(&object("late", json!({})));
    let late = format!("{KIND}/late");
    world.until("it is created", |world| holds(world, &late, "Ready", "True"));
    world.stop(PROVIDER);
    world.until("the package manager says so", |world| {
        holds(world, "provider.pkg.crossplane.io/provider-kubernetes", "Healthy", "False")
    });
    let foretold = Foretold::of(&world.hub, &late, 1);
    let (fate, reason) = foretold.fate("Object", "late");
    assert_eq!((fate, foretold.codes()), ("stuck", vec!["UCP912"]), "{:#}", foretold.document());
    delete(&world.hub, &late);
    let finalizers = stays(&mut world, &late);
    assert!(get(&world.app, "configmap/late -n default").is_some(), "nobody deleted it outside");
    row("teardown: its provider is down", &format!("it stays, with {finalizers}"), &format!("{fate}: {reason}"));
    world.restart(PROVIDER);
    world.until("it goes", |world| get(&world.hub, &late).is_none().then_some(()));
    assert!(get(&world.app, "configmap/late -n default").is_none());
    world.until("the provider is well", |world| {
        holds(world, "provider.pkg.crossplane.io/provider-kubernetes", "Healthy", "True")
    });
}

/// In a world of its own, as nothing is left of it.
#[test]
fn a_provider_before_its_resources() {
    let mut world = start();
    world.app.apply(&super::config_map("watched", "as declared"));
    for (name, more) in
        [("orphan", json!({"deletionPolicy": "Orphan"})), ("watched", json!({"managementPolicies": ["Observe"]}))]
    {
        world.hub.apply(&object(name, more));
        let name = format!("{KIND}/{name}");
        world.until("it is ready", |world| holds(world, &name, "Ready", "True"));
    }
    let provider = "provider.pkg.crossplane.io/provider-kubernetes";
    let foretold = Foretold::of(&world.hub, provider, 1);
    let (fate, reason) = foretold.fate("Object", "settings");
    assert_eq!(fate, "stuck", "{:#}", foretold.document());
    assert!(foretold.codes().contains(&"UCP913"), "{:#}", foretold.document());

    // Its Pod is gone at once, and it with it.
    world.kill(PROVIDER);
    delete(&world.hub, provider);
    let finalizers = stays(&mut world, SETTINGS);
    world.until("the provider is gone", |world| get(&world.hub, provider).is_none().then_some(()));
    for (object, fate) in foretold.fates() {
        match fate.as_str() {
            "stuck" => assert!(get(&world.hub, &object).is_some(), "{object} is stuck"),
            "removed" | "deleted" | "left" | "orphaned" => {
                world.until(&format!("{object} is gone"), |world| get(&world.hub, &object).is_none().then_some(()));
            }
            other => panic!("{object}: {other}"),
        }
    }
    assert!(get(&world.app, "configmap/settings -n default").is_some(), "nobody deleted it outside");
    row(
        "teardown: the provider goes first",
        &format!("its resources stay, with {finalizers}"),
        &format!("{fate}: {reason}"),
    );
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

/// Runs every command of a plan.
fn follow_all(world: &World, foretold: &Foretold) {
    for (title, commands) in foretold.steps() {
        for command in commands {
            let ended = follow(&world.hub, &command);
            assert!(ended.is_ok(), "{title}: {command}: {ended:?}\n{:#}", foretold.document());
        }
    }
}
