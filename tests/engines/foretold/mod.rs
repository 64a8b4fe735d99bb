//! Predictions of `plan` for Compositions, compared with what Crossplane's core then creates: a platform in Git, which
//! Flux deploys; a change of it; the plan of that change; the push; and every object before and after it.
//!
//! `definitions.yaml` has the kinds, `before/` and `after/` the files in Git: one per case. To add a case, add its
//! file to both.

mod by_argocd;
mod by_flux;
mod comparison;
mod merges;

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use self::comparison::{Objects, unpredicted};
use crate::crossplane::functions::{self, FUNCTIONS};
use crate::crossplane::{self, holds};
use crate::flux;
use crate::scenario::{row, ucp};
use crate::world::{World, get, kubectl, patch};

/// Kinds that composites are made of, and the composites.
const KINDS: &str = "configmaps,secrets,services,serviceaccounts,deployments.apps,clusterroles,namespaces,\
    products,pieces,estates,xorders,orders,objects.kubernetes.crossplane.io,\
    compositions.apiextensions.crossplane.io,environmentconfigs.apiextensions.crossplane.io";
const COMPOSITES: &str = "products,pieces,estates,xorders";
/// Long enough for core and the provider to look at everything again.
const STILL: Duration = Duration::from_secs(25);
/// How often the clusters are read until they are as predicted.
const LOOKS: usize = 200;

fn start() -> World {
    let mut world = World::start("foretold");
    crossplane::install(&mut world);
    crossplane::set_up_provider(&world);
    functions::start_templates(&mut world);
    functions::start_others(&mut world);
    flux::install(&mut world);
    let definitions = directory("definitions.yaml");
    kubectl(&world.hub, &format!("apply -f {}", definitions.display()));
    for name in ["products", "pieces", "estates", "xorders"] {
        let definition = format!("xrd/{name}.foretold.example.org");
        world.until("a definition is established", |world| holds(world, &definition, "Established", "True"));
    }
    world.until("claims are offered", |world| holds(world, "xrd/xorders.foretold.example.org", "Offered", "True"));
    world.forge.commit("platform", &files("before"));
    world.hub.apply(&flux::repository("platform", &world.forge.url("platform")));
    world.hub.apply(&flux::kustomization("platform", "platform", "./platform", json!({})));
    world.until("Flux deploys the platform", |world| {
        flux::ready(world, "kustomization/platform -n flux-system", "True")
    });
    let mut looks = 0;
    let unsettled = world.until("every composite is as declared", |world| {
        looks += 1;
        let unsettled = unsettled(world);
        (unsettled.is_empty() || looks == LOOKS).then_some(unsettled)
    });
    assert!(unsettled.is_empty(), "{unsettled:#?}");
    world
}

/// Composites that core has not composed in their present form, with their status.
fn unsettled(world: &World) -> Vec<String> {
    let composites = list(world, COMPOSITES);
    assert!(!composites.is_empty(), "there are composites");
    let reported = |composite: &Value| {
        let conditions = composite["status"]["conditions"].as_array().into_iter().flatten();
        let synced = conditions.into_iter().find(|condition| condition["type"] == "Synced").unwrap_or(&Value::Null);
        let is_settled =
            synced["status"] == "True" && synced["observedGeneration"] == composite["metadata"]["generation"];
        (!is_settled).then(|| format!("{}: {synced}", composite["metadata"]["name"]))
    };
    composites.iter().filter_map(reported).collect()
}

fn list(world: &World, kinds: &str) -> Vec<Value> {
    let output = world.hub.kubectl(["get", "-A", "-o", "json", kinds]).output().expect("kubectl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    list["items"].as_array_mut().map(std::mem::take).unwrap_or_default()
}

fn directory(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/foretold").join(name)
}

/// The files in Git: `PATH`, content.
fn files(name: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory(name)).expect("a directory").map(|entry| entry.expect("an entry").path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (format!("platform/{name}"), fs::read_to_string(&path).expect("a file"))
    };
    entries.map(named).collect()
}

#[test]
fn core_composes_what_was_predicted() {
    let mut world = start();
    // Flux removes fields that kubectl wrote under its own name.
    kubectl(&world.hub, "annotate product sleeps crossplane.io/paused=true --field-manager=operator");
    world.until("core sees the pause", |world| holds(world, "product/sleeps", "Synced", "False"));
    let before = Objects::of(list(&world, KINDS));

    let checkout = world.forge.write("platform", &files("after")).display().to_string();
    let url = world.forge.url("platform");
    let functions = FUNCTIONS.map(|name| format!("{name}=grpcs://{}", functions::address(&world, name)));
    let mut words = vec!["plan", &checkout, "--repo-url", &url];
    words.extend(functions.iter().flat_map(|function| ["--function", function]));
    let ran = ucp(&world.hub, words.iter().copied().chain(["-o", "json"]));
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let plan = ran.json();
    assert_eq!(plan["unreadable"], json!([]), "{:#}", plan["unreadable"]);
    let table = ucp(&world.hub, words);
    fs::write(world.hub.directory().join("plan.txt"), &table.stdout).expect("the plan is written");
    assert_eq!(Objects::of(list(&world, KINDS)), before, "plan writes nothing");

    let commit = world.forge.push("platform");
    patch(
        &world.hub,
        "gitrepository/platform -n flux-system",
        &json!({"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": commit}}}),
    );
    world.until("Flux deploys the change", |world| {
        let applied = get(&world.hub, "kustomization/platform -n flux-system")?;
        let revision = applied["status"]["lastAppliedRevision"].as_str()?.to_owned();
        revision.ends_with(&commit).then_some(revision)
    });
    let mut looks = 0;
    let found = world.until("the clusters are as predicted", |world| {
        looks += 1;
        let found = unpredicted(&before, &Objects::of(list(world, KINDS)), &plan);
        (found.is_empty() || looks == LOOKS).then_some(found)
    });
    assert!(found.is_empty(), "{}\n{plan:#}", found.join("\n"));
    // Nothing comes later, either.
    std::thread::sleep(STILL);
    let found = unpredicted(&before, &Objects::of(list(&world, KINDS)), &plan);
    assert!(found.is_empty(), "{}\n{plan:#}", found.join("\n"));
    let counts = &plan["counts"]["composed"];
    let compositions = list(&world, "compositions.apiextensions.crossplane.io").len();
    row(
        &format!("crossplane: {compositions} Compositions and their composites change"),
        &format!("{} of its objects are as predicted, and no other has changed", comparison::number(&plan)),
        &format!("{} to add, {} to change, {} to remove", counts["add"], counts["change"], counts["remove"]),
    );
}
