//! `secrets sync --watch`, with the rights that it prints and no others, and `wait --for current` in parallel.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;
use serde_json::{Value, json};

use super::seeds::{At, HOME, LOGIN, connection, syncer};
use super::stage::{Clusters, registrations};
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, interruptible, run, signal, ucp};
use crate::support::{self, kubeconfig};

const USER: &str = "watcher";

/// The password after a rotation.
pub(super) const ROTATED: &[(&str, &str)] =
    &[("username", "shop"), ("password", "canary-that-must-never-sing-2"), ("endpoint", "db.example.org")];

/// A kubeconfig in which both clusters are asked as a user without any rights of their own.
fn as_watcher(clusters: &Clusters) -> PathBuf {
    let mut all = [&clusters.core, &clusters.prod].map(|cluster| cluster.admin_kubeconfig().unwrap());
    all.iter_mut().for_each(|one| one["users"][0]["user"]["as"] = json!(USER));
    clusters.core.save(&kubeconfig::merged(&all))
}

/// Grants the roles of one cluster to the user.
fn grant(clusters: &Clusters, at: At, directory: &Path, roles: &[Value]) {
    let mut objects = roles.to_vec();
    for role in roles {
        let kind = role["kind"].as_str().unwrap();
        let mut binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": format!("{kind}Binding"), "metadata": role["metadata"],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role["metadata"]["name"]},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}],
        });
        binding["metadata"].as_object_mut().unwrap().remove("labels");
        objects.push(binding);
    }
    let path = super::stage::write(directory, "roles.json", &objects);
    let applied = clusters.of(at).kubectl(["apply", "-f", &path]).output().unwrap();
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
}

pub(super) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = interruptible(&command);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(super) fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let ran = Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    ran.hides_secrets();
    ran
}

pub(super) fn password(clusters: &Clusters) -> Option<Vec<u8>> {
    support::run(async || {
        let api: Api<Secret> = Api::namespaced(clusters.prod.client(), "shop");
        Some(api.get_opt("db").await.ok()??.data?.get("password")?.0.clone())
    })
}

#[test]
fn a_watch_copies_changes_with_the_printed_rights_and_wait_sees_them() {
    let Some(clusters) = Clusters::start() else { return };
    let servers = clusters.servers().into_iter().filter(|(name, _)| *name == "prod").collect();
    let mut objects = registrations(&servers, TOKEN);
    objects.extend([connection(HOME, "db", LOGIN), syncer("db", HOME, "db", "prod", "shop")]);
    objects.push(connection(HOME, "of-nobody", LOGIN));
    clusters.put(At::Core, objects);
    clusters.put(At::Prod, vec![json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})]);
    let directory = tempfile::tempdir().unwrap();
    let admin = clusters.kubeconfig();
    let as_admin = |arguments: &[&str]| {
        let mut command = ucp(arguments.iter().copied());
        command.args(["--context", "core", "-v", "9"]).env("KUBECONFIG", &admin);
        command
    };
    let printed = run(as_admin(&["secrets", "sync", "--watch", "--print-rbac"])).expect(0).stdout;
    let (of_core, of_app): (Vec<&str>, Vec<&str>) =
        printed.split("---\n").skip(1).partition(|document| !document.contains("# In the app cluster prod"));
    let parsed = |documents: Vec<&str>| -> Vec<Value> {
        documents.into_iter().map(|document| serde_saphyr::from_str(document).unwrap()).collect()
    };
    // By name, in named namespaces.
    assert!(!printed.contains("of-nobody") && printed.contains("resourceNames:\n  - db\n"), "{printed}");
    let cluster_wide: Vec<Value> =
        parsed(of_core.clone()).into_iter().filter(|role| role["kind"] == "ClusterRole").collect();
    assert!(!json!(cluster_wide).to_string().contains("\"secrets\""), "{printed}");
    grant(&clusters, At::Core, directory.path(), &parsed(of_core));
    grant(&clusters, At::Prod, directory.path(), &parsed(of_app));

    let looked = run(as_admin(&["wait", "secret/db", "-n", HOME, "--for", "current", "--timeout", "0", "-o", "json"]));
    assert_eq!((looked.code, &looked.json()["outcome"]), (Some(4), &json!("timeout")), "{looked:?}");
    assert_eq!(looked.json()["items"][0]["cluster"], "prod");
    let hopeless = run(as_admin(&["wait", "secret/of-nobody", "--for", "current", "--timeout", "0"])).expect(4);
    assert!(hopeless.stdout.contains("nothing declares it for an app cluster"), "{hopeless:?}");

    let waiting = start(as_admin(&["wait", "secret/db", "-n", HOME, "--for", "current", "--timeout", "90s"]));
    let mut command = ucp(["secrets", "sync", "--watch", "--context", "core", "-v", "9"]);
    command.env("KUBECONFIG", as_watcher(&clusters));
    let watching = start(command);
    let waited = ended(waiting).expect(0);
    assert!(waited.stdout.contains("current"), "{waited:?}");
    assert_eq!(password(&clusters).as_deref(), Some(LOGIN[1].1.as_bytes()));
    // It is rotated, and then the copy is deleted: both are repaired.
    clusters.put(At::Core, vec![connection(HOME, "db", ROTATED)]);
    let becomes = |wanted: &str| {
        support::run(async || {
            support::eventually(async || (password(&clusters).as_deref() == Some(wanted.as_bytes())).then_some(()))
                .await
        });
    };
    becomes(ROTATED[1].1);
    let deleted = clusters.prod.kubectl(["delete", "secret", "-n", "shop", "db"]).output().unwrap();
    assert!(deleted.status.success());
    becomes(ROTATED[1].1);
    signal(&watching, "INT");
    let watched = ended(watching).expect(0);
    assert!(!watched.stderr.contains("forbidden") && !watched.stderr.contains("unknown"), "{watched:?}");
    assert!(watched.stdout.matches("done").count() >= 3, "{watched:?}");
    run(as_admin(&["secrets", "verify", "db"])).expect(0);
    let refused = run(as_admin(&["wait", "pod/x", "--for", "current"])).expect(2);
    assert!(refused.stderr.contains("name them as secret/NAME"), "{refused:?}");
}

/// By name, only declared Secrets are watched: undeclared leftovers are not.
#[test]
fn a_watch_that_prunes_requires_names() {
    for arguments in [&["sync", "--watch", "--prune"][..], &["sync", "--watch", "--prune", "--print-rbac"]] {
        let ran = run(ucp(["secrets"].iter().chain(arguments))).expect(2);
        assert!(ran.stderr.contains("--watch --prune requires NAME"), "{}", ran.stderr);
    }
}
