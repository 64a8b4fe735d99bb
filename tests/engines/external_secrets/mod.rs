//! External Secrets' controllers for stores and pushes: Ready of a PushSecret, compared with the app cluster.

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::argocd::register;
use crate::binaries::Build;
use crate::scenario::{row, ucp};
use crate::support::command::Ran;
use crate::support::kubeconfig::Credential;
use crate::world::{World, condition, get, kubectl, patch};

/// The module and the programs of the engine. Its own main would include the SDKs of forty clouds, so it has one of ours,
/// with the provider for Kubernetes only.
pub const BUILD: Build = Build {
    module: "external_secrets",
    version_of: Some("github.com/external-secrets/external-secrets"),
    programs: &[("external-secrets", ".")],
    manifests: &[("crds", "github.com/external-secrets/external-secrets", "config/crds/bases")],
};

const HOME: &str = "crossplane-system";
const PUSH: &str = "pushsecret/db.prod.shop -n crossplane-system";

fn start() -> World {
    // Copies of Secrets need no workloads.
    let mut world = World::with("external-secrets", &[]);
    let binaries = BUILD.directory();
    for entry in std::fs::read_dir(binaries.join("crds")).expect("CRDs") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("kustomization.yaml") {
            kubectl(&world.hub, &format!("apply --server-side -f {}", path.display()));
        }
    }
    kubectl(&world.hub, &format!("create namespace {HOME}"));
    kubectl(&world.app, "create namespace shop");
    let token = Credential::Token(world.app.admin_token().to_owned());
    let way = world.app.kubeconfig_with(&world.app.server(), &token);
    world.hub.apply(&connection("prod", &[("kubeconfig", &way.to_string())]));
    // The author of that Secret is unknown. Only administrators register clusters in the namespace of an engine.
    kubectl(&world.hub, "create namespace argocd");
    register(&world, "prod", world.app.admin_token());
    world.run("external-secrets", &binaries.join("external-secrets"), &[], &[]);
    world
}

/// A connection Secret as Crossplane writes it.
fn connection(name: &str, data: &[(&str, &str)]) -> Value {
    let data: Value = data.iter().map(|(key, value)| ((*key).to_owned(), json!(ByteString((*value).into())))).collect();
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"name": name, "namespace": HOME}, "data": data,
    })
}

fn secrets(world: &World, arguments: &[&str]) -> Ran {
    let flags = ["--app-cluster", "prod", "--use-registration", "--allow-localhost"];
    ucp(&world.hub, ["secrets"].iter().chain(arguments).chain(&flags).copied())
}

/// State and differing keys of the copy.
fn state_of_copy(world: &World) -> (String, String) {
    let item = secrets(world, &["db", "-o", "json"]).json()["items"][0].take();
    (item["state"].as_str().unwrap_or_default().to_owned(), item["differingKeys"].to_string())
}

/// The status of the push in the engine.
fn ready(world: &World) -> Option<String> {
    condition(&get(&world.hub, PUSH)?, "Ready")
}

/// Later than whatever was written before: times are whole seconds.
fn rotate(world: &World, password: &str) {
    std::thread::sleep(std::time::Duration::from_millis(1100));
    world.hub.apply(&connection("db", &[("username", "shop"), ("password", password)]));
}

/// Asks the controller to push now.
fn push_now(world: &World, mark: &str) {
    kubectl(&world.hub, &format!("annotate --overwrite {PUSH} external-secrets.io/force-sync={mark}"));
}

/// The same, and waits until it has.
fn pushed(world: &mut World, mark: &str) {
    let refreshed = |world: &World| get(&world.hub, PUSH).map(|push| push["status"]["refreshTime"].clone());
    let before = refreshed(world);
    // Times are whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    push_now(world, mark);
    world.until("it pushes again", |world| (refreshed(world) != before).then_some(()));
}

#[test]
fn a_push_secret_stays_synced_while_its_copy_is_stale() {
    let mut world = start();
    rotate(&world, "one");
    // The output for Git is applied unchanged.
    let printed = secrets(&world, &["declare", "db", "--as", "pushsecret", "--to-namespace", "shop"]).expect(0).stdout;
    for document in printed.split("---\n").filter(|text| !text.trim().is_empty()) {
        world.hub.apply(&serde_saphyr::from_str::<Value>(document).expect("YAML"));
    }
    let synced = "True Synced: PushSecret synced successfully";
    world.until("it is pushed", |world| (ready(world)? == synced).then_some(()));
    assert_eq!(state_of_copy(&world).0, "current");
    secrets(&world, &["verify", "db"]).expect(0);

    rotate(&world, "two");
    world.until("the difference is reported", |world| (state_of_copy(world).0 == "stale").then_some(()));
    assert_eq!(ready(&world).as_deref(), Some(synced));
    secrets(&world, &["verify", "db"]).expect(1);
    let (state, keys) = state_of_copy(&world);
    row("external-secrets: the password is rotated", synced, &format!("{state}: {keys}"));
    // Its values are the controller's, and are left to it.
    let refused = secrets(&world, &["sync", "db", "--yes"]).expect(1);
    assert!(refused.stdout.contains("refused: its values are managed by"), "{refused:?}");
    pushed(&mut world, "rotated");
    world.until("it is the same again", |world| (state_of_copy(world).0 == "current").then_some(()));

    secrets(&world, &["verify", "db"]).expect(0);

    // Its Kubernetes provider cannot determine whether there is one.
    patch(&world.hub, PUSH, &json!({"spec": {"updatePolicy": "IfNotExists"}}));
    rotate(&world, "three");
    push_now(&world, "kept");
    let failed = world.until("it cannot push", |world| ready(world).filter(|reported| reported != synced));
    let (state, keys) = state_of_copy(&world);
    assert_eq!((state.as_str(), keys.as_str()), ("stale", r#"["password"]"#));
    row("external-secrets: updatePolicy IfNotExists, and a rotation", &failed, &format!("{state}: {keys}"));

    patch(&world.hub, PUSH, &json!({"spec": {"updatePolicy": "Replace"}}));
    push_now(&world, "replaced");
    world.until("it is pushed again", |world| {
        (ready(world)? == synced && state_of_copy(world).0 == "current").then_some(())
    });
    kubectl(&world.hub, &format!("delete secret db -n {HOME}"));
    push_now(&world, "gone");
    let failed =
        world.until("the engine reports it itself", |world| ready(world).filter(|reported| reported != synced));
    assert_eq!(state_of_copy(&world).0, "sourceMissing");
    row("external-secrets: the source is deleted", &failed, &state_of_copy(&world).0);
}
