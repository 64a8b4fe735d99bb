//! kro's controller: graphs, and their instances.

use serde_json::{Value, json};

use crate::adapters::{HOME, world};
use crate::binaries::Build;
use crate::scenario::{StatusReport, expect, record, row, ucp};
use crate::world::{World, condition, get, patch};

/// The module and the programs of the engine.
pub const BUILD: Build = Build {
    module: "kro",
    version_of: Some("github.com/kubernetes-sigs/kro"),
    programs: &[("kro", "github.com/kubernetes-sigs/kro/cmd/controller")],
    manifests: &[("crds", "github.com/kubernetes-sigs/kro", "helm/crds")],
};

/// A graph with one ConfigMap, with a name from its instance.
fn graph(name: &str, group: &str, title: &str) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": name.to_lowercase()},
        "spec": {
            "schema": {"apiVersion": "v1alpha1", "group": group, "kind": name, "spec": {"title": "string"}},
            "resources": [{"id": "settings", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("${{{title}}}")},
            }}],
        },
    })
}

fn instance(name: &str, title: &str) -> Value {
    json!({
        "apiVersion": "shops.example.org/v1alpha1", "kind": "Storefront",
        "metadata": {"name": name, "namespace": HOME}, "spec": {"title": title},
    })
}

fn state(world: &World, object: &str) -> Option<String> {
    let object = get(&world.hub, object)?;
    let state = object["status"]["state"].as_str()?;
    Some(format!("{state}; {}", condition(&object, "Ready").unwrap_or_default()))
}

fn reaches(world: &mut World, object: &str, wanted: &str) -> String {
    world.until(&format!("{object} is {wanted}"), |world| {
        state(world, object).filter(|state| state.starts_with(&format!("{wanted};")))
    })
}

#[test]
fn graphs_are_accepted_and_create_their_instances() {
    let mut world = world();
    world.hub.apply(&graph("Storefront", "shops.example.org", "schema.spec.title"));
    reaches(&mut world, "resourcegraphdefinition/storefront", "Active");
    world.hub.apply(&instance("north", "north-settings"));
    let north = "storefront.shops.example.org/north -n shop";
    let engine = reaches(&mut world, north, "ACTIVE");
    let reported = StatusReport::of(&world.hub);
    reported.nothing_about("storefront/north -n shop");
    reported.nothing_about("resourcegraphdefinition/storefront");
    let tree = ucp(&world.hub, ["tree", "storefront/north", "-n", HOME]).expect(0).stdout;
    assert!(tree.contains("north-settings"), "{tree}");
    row("kro: an instance is active", &engine, "OK, no findings");
    record(&world.hub, "kro-active", "resourcegraphdefinitions.kro.run,storefronts.shops.example.org,deployments.apps");

    // An expression that leads nowhere.
    world.hub.apply(&graph("Broken", "kro.run", "schema.spec.nothing"));
    let engine = reaches(&mut world, "resourcegraphdefinition/broken", "Inactive");
    let finding_text = expect(
        StatusReport::of(&world.hub).finding("resourcegraphdefinition/broken"),
        "Failed",
        "UCP774",
        &["nothing"],
    );
    row("kro: an expression leads nowhere", &engine, &finding_text);

    // A name that the API server rejects.
    world.hub.apply(&instance("south", "No Name At All"));
    let engine = reaches(&mut world, "storefront.shops.example.org/south -n shop", "ERROR");
    let finding_text =
        expect(StatusReport::of(&world.hub).finding("storefront/south -n shop"), "Failed", "UCP774", &["No Name"]);
    row("kro: the API server refuses what an instance makes", &engine, &finding_text);

    // No controller reconciles it, which its state does not show.
    patch(&world.hub, north, &json!({"metadata": {"annotations": {"kro.run/reconcile": "suspended"}}}));
    let item = world.until("it is paused", |world| {
        let items = ucp(&world.hub, ["resources", "--any", "-A", "-o", "json"]).json()["items"].take();
        let is_it = |item: &&Value| item["object"]["kind"] == "Storefront" && item["object"]["name"] == "north";
        let item = items.as_array().into_iter().flatten().find(is_it).cloned();
        item.filter(|item| item["verdict"] == "Paused")
    });
    row("kro: an instance is suspended", &state(&world, north).unwrap_or_default(), &item["verdict"].to_string());
}
