//! `kubectl ucp secrets sync`: Secrets that it writes, those that it never writes, and the state after it is killed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use serde_json::{Value, json};

use super::seeds::{self, At, HOME, LOGIN, Seed, connection, syncer};
use super::stage::{Clusters, namespaces, ways};
use super::states::reported;
use super::watch::{ROTATED, ended, start};
use crate::granted::{Entry, Users, cluster_role, page};
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, interruptible, run, signal, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self};

fn command(kubeconfig: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = ucp(["secrets"]);
    command.args(arguments).args(["--context", "core", "-v", "9"]).env("KUBECONFIG", kubeconfig);
    command
}

/// Every Secret of the namespace of the workloads, by name.
fn secrets(clusters: &Clusters) -> BTreeMap<String, Secret> {
    let list = support::run(async || {
        let api: Api<Secret> = Api::namespaced(clusters.prod.client(), "shop");
        api.list(&ListParams::default()).await.unwrap()
    });
    list.items.into_iter().map(|secret| (secret.metadata.name.clone().unwrap(), secret)).collect()
}

fn actions(ran: &Ran) -> BTreeMap<String, String> {
    let items = ran.json()["items"].as_array().unwrap().clone();
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    items
        .iter()
        .map(|item| (format!("{} {}", text(item, "cluster"), text(item, "name")), text(item, "action")))
        .collect()
}

/// Which seeds are written without being asked for by name, and how.
fn expected(seed: &Seed) -> Option<&'static str> {
    let (_, _, state) = *seed.reported.first()?;
    Some(match (seed.name, state) {
        ("provider-credentials", _) => "refuse",
        // Made in the app cluster itself, or rendered.
        ("external-missing" | "sealed-missing" | "flux-different" | "flux-unknown", _) => "refuse",
        // Its namespace is not there; it cannot change; its type cannot.
        ("nowhere-missing" | "immutable-different" | "pull-different" | "ghost-missing", _) => "refuse",
        ("syncer-missing" | "stage-missing", "missing") => "create",
        // Others own the values.
        ("syncer-stale" | "push-stale" | "syncer-different" | "object-different", _) => "refuse",
        ("ours-stale", _) => "update",
        (_, "current" | "undeclared" | "usedOld" | "orphaned") => "keep",
        // Nothing declares it.
        (name, "missing" | "stale") if name.starts_with("demand-") || name == "asked-stale" => "keep",
        ("composed-missing" | "writer-source" | "flux-foreign", _) => "keep",
        (_, "sourceMissing" | "poorer" | "foreign" | "collision" | "unknown") => "refuse",
        // A copy without a key that has no owner yet.
        ("lacking-different", _) => "update",
        (name, state) => panic!("{name} is {state}"),
    })
}

#[test]
fn declared_copies_are_written_and_a_second_run_writes_nothing() {
    let Some(clusters) = Clusters::start() else { return };
    let seeds: Vec<Seed> = seeds::all(&clusters.id()).into_iter().filter(|seed| seed.name != "both").collect();
    clusters.seed(&seeds);
    let kubeconfig = clusters.kubeconfig();
    let before = secrets(&clusters);
    let planned = run(command(&kubeconfig, &["sync", "--dry-run", "-o", "json"])).expect(1);
    let wanted: BTreeMap<String, String> = seeds
        .iter()
        .filter_map(|seed| Some((format!("{} {}", seed.reported.first()?.0, seed.name), expected(seed)?.to_owned())))
        .collect();
    let planned = actions(&planned);
    let wrong: Vec<_> = wanted
        .iter()
        .filter(|(key, action)| planned.get(*key) != Some(action))
        .map(|(key, action)| (key, action, planned.get(key)))
        .collect();
    assert!(wrong.is_empty() && planned.len() == wanted.len(), "{wrong:#?}");
    let manifests = run(command(&kubeconfig, &["sync", "--dry-run", "-o", "yaml"])).expect(1).stdout;
    assert!(manifests.contains("name: syncer-missing") && manifests.contains("password: <hidden>"), "{manifests}");
    // The plan lists why a Secret is skipped, and the flag that would change that.
    let table = run(command(&kubeconfig, &["sync", "--dry-run"])).expect(1).stdout;
    for reason in ["refused: its values are managed by", "replace it with --allow-poorer", "pass its name to copy it"] {
        assert!(table.contains(reason), "{reason}: {table}");
    }
    assert_eq!(secrets(&clusters), before, "a dry run writes nothing");
    // In a pipe, questions cannot be answered.
    let ran = run(command(&kubeconfig, &["sync"]));
    assert!(ran.code != Some(0) && secrets(&clusters) == before, "{ran:?}");

    let ran = run(command(&kubeconfig, &["sync", "--yes", "-o", "json"])).expect(1);
    let after = reported(&ran.json());
    for name in ["syncer-missing", "ours-stale", "lacking-different"] {
        assert_eq!(after[&format!("prod shop/{name}")].0, "current", "{name}: {}", ran.stdout);
    }
    assert_eq!(after["stage shop/stage-missing"].0, "current");
    let now = secrets(&clusters);
    for (name, old) in &before {
        let is_written = ["ours-stale", "lacking-different"].contains(&name.as_str());
        assert_eq!(now[name].data != old.data, is_written, "{name}");
    }
    assert_eq!(now.len(), before.len() + 1);
    let made = &now["syncer-missing"];
    let metadata = &made.metadata;
    assert_eq!(made.type_.as_deref(), Some("Opaque"));
    assert!(metadata.owner_references.is_none(), "{metadata:?}");
    let keys: Vec<&str> = metadata.annotations.iter().flatten().map(|(key, _)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "kubectl-ucp.io/copied-from",
            "kubectl-ucp.io/copied-from-cluster",
            "kubectl-ucp.io/copied-version",
            "kubectl-ucp.io/wanted-by"
        ]
    );
    assert_eq!(metadata.labels.as_ref().unwrap().len(), 1);

    let mark = clusters.prod.audit_mark();
    let ran = run(command(&kubeconfig, &["sync", "--yes"])).expect(1);
    assert!(ran.stderr.contains("Nothing to write."), "{ran:?}");
    let written = clusters.prod.requests_since(mark);
    assert!(written.iter().all(|request| request.verb == "get" || request.verb == "list"), "{written:?}");

    // Undeclared Secrets by name; by flags those of other owners, poorer ones, and leftovers.
    let named = |arguments: &[&str]| {
        run(command(&kubeconfig, &[&["sync", "--yes", "--app-cluster", "prod"], arguments].concat()))
    };
    named(&["demand-env", "asked-stale", "--force-conflicts"]).expect(0);
    named(&["syncer-stale", "syncer-different", "--force-conflicts"]).expect(0);
    named(&["syncer-poorer", "--force-conflicts"]).expect(1);
    assert!(secrets(&clusters)["syncer-poorer"].data.as_ref().unwrap().contains_key("password"));
    let now = secrets(&clusters);
    assert_eq!(now["demand-env"].data, now["syncer-missing"].data);
    assert_eq!(now["syncer-stale"].data, now["syncer-missing"].data);
    named(&["syncer-poorer", "--force-conflicts", "--allow-poorer"]).expect(0);
    named(&["ours-orphaned", "gone-orphaned"]).expect(0);
    assert!(secrets(&clusters).contains_key("gone-orphaned"));
    named(&["ours-orphaned", "gone-orphaned", "--prune"]).expect(1);
    let left: Vec<String> = secrets(&clusters).into_keys().filter(|name| name.ends_with("-orphaned")).collect();
    assert_eq!(left, ["gone-orphaned"], "it may be the last copy");
    named(&["gone-orphaned", "--prune", "--allow-poorer"]).expect(0);
    assert!(!secrets(&clusters).keys().any(|name| name.ends_with("-orphaned")));
}

/// A request that never comes back, and a program that ends there: the next run does the rest.
#[test]
fn a_run_after_a_kill_at_any_write_has_the_same_result() {
    let Some(clusters) = Clusters::start() else { return };
    let names = ["a", "b", "c"];
    let objects = names.iter().flat_map(|name| {
        [connection(HOME, &format!("db-{name}"), LOGIN), syncer(name, HOME, &format!("db-{name}"), "prod", "shop")]
    });
    let mut servers = clusters.servers();
    servers.remove("dark");
    clusters.put(At::Core, ways(&servers, TOKEN).into_iter().chain(objects).collect());
    let mut shop = namespaces(&["shop"]);
    shop[0]["metadata"].as_object_mut().unwrap().remove("uid");
    clusters.put(At::Prod, shop);
    let proxy = Proxy::start(&clusters.prod).unwrap();
    let prod =
        kubeconfig::kubeconfig("prod", &proxy.server(), clusters.prod.ca_pem(), &Credential::Token(TOKEN.to_owned()));
    let all = [clusters.core.admin_kubeconfig().unwrap(), prod, clusters.stage.admin_kubeconfig().unwrap()];
    let kubeconfig = clusters.core.save(&kubeconfig::merged(&all));
    let arguments = ["sync", "--yes", "--context-map", "prod=prod"];
    for at in 0..names.len() {
        let part = "/secrets?field";
        proxy.add(Rule::on(part, Fault::Hang).times(1));
        let seen = proxy.count(part);
        let mut child = interruptible(&command(&kubeconfig, &arguments)).spawn().unwrap();
        support::run(async || support::eventually(async || (proxy.count(part) > seen).then_some(())).await);
        child.kill().unwrap();
        child.wait().unwrap();
        let there: Vec<String> = secrets(&clusters).into_keys().collect();
        assert_eq!(there.len(), at, "{there:?}");
        run(command(&kubeconfig, &arguments)).expect(0);
        let now = secrets(&clusters);
        assert_eq!(now.keys().collect::<Vec<_>>(), ["db-a", "db-b", "db-c"]);
        for name in names.iter().skip(at + 1) {
            let delete =
                clusters.prod.kubectl(["delete", "secret", "-n", "shop", &format!("db-{name}")]).output().unwrap();
            assert!(delete.status.success());
        }
    }
    // Refusals of the server are reported, and the others are written.
    for name in names {
        let _ = clusters.prod.kubectl(["delete", "secret", "-n", "shop", &format!("db-{name}")]).output();
    }
    let quoted =
        Fault::failure(422, "Invalid", &format!("Secret \"db-b\" is invalid: {}", crate::support::command::CANARY));
    proxy.add(Rule::on("/secrets?field", quoted).after(1).times(1));
    let ran = run(command(&kubeconfig, &arguments)).expect(3);
    assert!(ran.stderr.contains("1 Secret could not be written") && ran.stdout.contains("create failed"), "{ran:?}");
    assert_eq!(secrets(&clusters).into_keys().collect::<Vec<_>>(), ["db-a", "db-c"]);
    // A watch retries refused Secrets.
    proxy.add(Rule::on("/secrets?field", Fault::failure(422, "Invalid", "not now")).times(1));
    let watching = start(command(&kubeconfig, &["sync", "--watch", "--context-map", "prod=prod"]));
    support::run(async || support::eventually(async || secrets(&clusters).get("db-b").map(drop)).await);
    signal(&watching, "INT");
    let watched = ended(watching).expect(0);
    let (failed, done) = (watched.stdout.find("create failed"), watched.stdout.find("create done"));
    assert!(failed.is_some() && failed < done, "{watched:?}");
    // Killed while it replaces a password, and while it deletes.
    let killed_at = |part: &str, arguments: &[&str]| {
        proxy.add(Rule::on(part, Fault::Hang).times(1));
        let seen = proxy.count(part);
        let mut child = interruptible(&command(&kubeconfig, arguments)).spawn().unwrap();
        support::run(async || support::eventually(async || (proxy.count(part) > seen).then_some(())).await);
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let before = secrets(&clusters);
    clusters.put(At::Core, vec![connection(HOME, "db-a", ROTATED)]);
    killed_at("/secrets/db-a?field", &arguments);
    assert_eq!(secrets(&clusters), before);
    run(command(&kubeconfig, &arguments)).expect(0);
    let value = secrets(&clusters)["db-a"].data.as_ref().unwrap()["password"].0.clone();
    assert_eq!(value, ROTATED[1].1.as_bytes());
    // A leftover: its declaration is deleted, and then the copy.
    let delete = clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "c"]).output().unwrap();
    assert!(delete.status.success());
    run(command(&kubeconfig, &["sync", "--yes", "--context-map", "prod=prod"])).expect(0);
    assert_eq!(secrets(&clusters).len(), 3, "an orphan stays without --prune");
    killed_at("/secrets/db-c", &["sync", "--yes", "--prune", "--context-map", "prod=prod"]);
    assert_eq!(secrets(&clusters).len(), 3);
    run(command(&kubeconfig, &["sync", "--yes", "--prune", "--context-map", "prod=prod"])).expect(0);
    assert_eq!(secrets(&clusters).into_keys().collect::<Vec<_>>(), ["db-a", "db-b"]);
}

#[test]
fn every_entry_of_the_writing_roles_is_needed() {
    let Some(clusters) = Clusters::start() else { return };
    let mut servers = clusters.servers();
    servers.remove("dark");
    let objects = [connection(HOME, "db", LOGIN), syncer("db", HOME, "db", "prod", "default")];
    clusters.put(At::Core, ways(&servers, TOKEN).into_iter().chain(objects).collect());
    // This cluster does not serve the kinds that make Secrets.
    let definitions = cluster_role("kubectl-ucp-secrets-app-definitions");
    let role = [definitions.clone(), page("kubectl-ucp-secrets-sync-app", &[Some("default")])].concat();
    let given = cluster_role("kubectl-ucp-secrets-app");
    let users = Users::of(&clusters.prod, &role, &given);
    let as_user_of = |position: usize, user: &str| {
        let mut all =
            [&clusters.core, &clusters.prod, &clusters.stage].map(|cluster| cluster.admin_kubeconfig().unwrap());
        all[position]["users"][0]["user"]["as"] = json!(user);
        clusters.core.save(&kubeconfig::merged(&all))
    };
    let as_user = |user: &str| as_user_of(1, user);
    let reading = ["kubectl-ucp-clusters", "kubectl-ucp-clusters-secrets", "kubectl-ucp-secrets"];
    let mut reading: Vec<_> = reading.into_iter().flat_map(cluster_role).collect();
    // The provider configs of Crossplane, without which a write has no grounds.
    let credentials = cluster_role("kubectl-ucp-secrets-credentials");
    let tested = [credentials, page("kubectl-ucp-secrets-sync", &[Some("crossplane-system")])].concat();
    let kinds = clusters.core.kubectl(["api-resources", "--verbs=list", "-o", "name"]).output().unwrap();
    let kinds = String::from_utf8(kinds.stdout).unwrap();
    let configs = kinds.lines().filter_map(|kind| kind.split_once('.')).filter(|(resource, group)| {
        resource.ends_with("providerconfigs")
            && !tested.iter().any(|entry| (entry.resource.as_str(), entry.group.as_str()) == (resource, group))
    });
    reading.extend(configs.map(|(resource, group)| Entry {
        namespace: None,
        group: group.to_owned(),
        resource: resource.to_owned(),
        name: None,
        verb: "list".to_owned(),
    }));
    let readers = Users::of(&clusters.core, &tested, &reading);
    for (entry, user) in &readers.restricted {
        let ran = run(command(&as_user_of(0, user), &["sync", "--yes", "-o", "json"]));
        assert!(matches!(ran.code, Some(3 | 4)) && secrets(&clusters).is_empty(), "{entry:?}: {ran:?}");
        // Without grounds no Secret is read by its name: then the error is about the list.
        let text = format!("{}{}", ran.stdout, ran.stderr);
        let is_read_later = entry.namespace.is_some() && entry.verb == "get";
        assert!(entry.is_named_in(&text) || is_read_later && ran.code == Some(4), "{entry:?}: {ran:?}");
    }
    let each_is_needed = |is_meant: fn(&str) -> bool| {
        for (entry, user) in users.restricted.iter().filter(|(entry, _)| is_meant(&entry.verb)) {
            // Without grounds no write is tried.
            let code = if definitions.contains(entry) { 4 } else { 3 };
            let ran = run(command(&as_user(user), &["sync", "--yes", "-o", "json"])).expect(code);
            assert!(entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr)), "{entry:?}: {ran:?}");
        }
        run(command(&as_user(&users.full), &["sync", "--yes"])).expect(0);
    };
    each_is_needed(|verb| !["patch", "delete"].contains(&verb));
    clusters.put(At::Core, vec![connection(HOME, "db", ROTATED)]);
    each_is_needed(|verb| verb == "patch");
    let delete = clusters.core.kubectl(["delete", "syncers.dagandersen.com", "-n", "default", "db"]).output().unwrap();
    assert!(delete.status.success());
    let (entry, user) = users.restricted.iter().find(|(entry, _)| entry.verb == "delete").unwrap();
    let prune = ["sync", "--prune", "--allow-unchecked", "--yes", "-o", "json"];
    let ran = run(command(&as_user(user), &prune)).expect(3);
    assert!(entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr)), "{ran:?}");
    run(command(&as_user(&users.full), &prune)).expect(0);
}
