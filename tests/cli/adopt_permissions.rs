//! The roles of docs/permissions.md for users who adopt and release app clusters.

use std::process::Command;

use serde_json::json;

use crate::adopted::{adopt, belongings};
use crate::fleet::{Corner, fleet};
use crate::granted::{Entry, Users, cluster_role, page, unreported};
use crate::support::certificates::Validity;
use crate::support::command::{Ran, run};

/// The roles of the page, for a corner: its engines are not where they are by default.
fn moved(mut entries: Vec<Entry>, namespace: &str) -> Vec<Entry> {
    entries.iter_mut().filter(|entry| entry.namespace.is_some()).for_each(|entry| {
        entry.namespace = Some(namespace.to_owned());
    });
    entries.sort();
    entries.dedup();
    entries
}

fn reading(corner: &Corner) -> Vec<Entry> {
    let all = page("kubectl-ucp-clusters", &[None, Some("crossplane-system"), Some("argocd"), Some("flux-system")]);
    moved(all, &corner.namespace)
}

fn with_verbs(entries: &[Entry], verbs: &[&str]) -> Vec<Entry> {
    entries.iter().filter(|entry| verbs.contains(&entry.verb.as_str())).cloned().collect()
}

/// Runs a command without each of some entries, and returns those whose absence it did not report.
fn missing_reports(corner: &Corner, tried: &[Entry], given: &[Entry], arguments: &[&str]) -> (Users, Vec<String>) {
    let users = Users::of(&corner.fleet.core, tried, given);
    let make = |user: Option<&str>| as_user(corner, user, arguments);
    let missing_reports = unreported(&users, &make, is_reported);
    (users, missing_reports)
}

fn as_user(corner: &Corner, user: Option<&str>, arguments: &[&str]) -> Command {
    let mut command = corner.ucp(arguments);
    command.args(["-o", "json"]).args(user.iter().flat_map(|user| ["--as", user]));
    command
}

fn is_reported(entry: &Entry, ran: &Ran) -> bool {
    matches!(ran.code, Some(1 | 3 | 4)) && entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn in_the_core_cluster_every_entry_of_the_roles_is_needed() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "governed");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    corner.provision_gke();
    let given = reading(&corner);
    let gke = corner.namespace.as_str();
    for (home, cluster, engine, auth, resource) in [
        ("argocd", "prod", "argocd", "passthrough", "secrets"),
        ("flux-system", "prod", "flux", "passthrough", "secrets"),
        ("flux-system", gke, "flux", "gcp", "configmaps"),
    ] {
        let mut role = moved(page("kubectl-ucp-adopt", &[Some(home)]), &corner.namespace);
        role.retain(|entry| entry.resource == resource);
        let (write, delete) = (with_verbs(&role, &["get", "create", "patch"]), with_verbs(&role, &["delete"]));
        let adopt = ["adopt-cluster", cluster, "--engine", engine, "--auth", auth, "--yes"];
        let (users, missing_of_adopt) = missing_reports(&corner, &write, &given, &adopt);
        assert_eq!(missing_of_adopt, Vec::<String>::new());
        let ran = run(as_user(&corner, Some(&users.full), &adopt)).expect(0);
        assert_eq!(ran.json()["items"][0]["state"], "adopted", "{ran:?}");
        let release = ["release-cluster", cluster, "--engine", engine, "--yes"];
        let (users, missing_of_release) = missing_reports(&corner, &delete, &given, &release);
        assert_eq!(missing_of_release, Vec::<String>::new());
        let ran = run(as_user(&corner, Some(&users.full), &release)).expect(0);
        assert_eq!(ran.json()["items"][0]["state"], "released", "{ran:?}");
    }
}

#[test]
fn in_the_app_cluster_every_entry_of_the_roles_is_needed() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "entitled");
    let role = page("kubectl-ucp-adopt-app", &[None, Some("kube-system")]);
    let app = &fleet.app;
    let users = Users::of(app, &role, &[]);
    let provision = |user: &str| {
        corner.provision("prod", &app.server(), &app.identity(user, None, Validity::Valid).unwrap());
    };
    let account = format!("kube-system/{}", corner.namespace);
    let asking = ["adopt-cluster", "prod", "--engine", "argocd", "--service-account", &account, "--dry-run"];
    let check_without = |verbs: &[&str], arguments: &[&str]| {
        for (entry, user) in users.restricted.iter().filter(|(entry, _)| verbs.contains(&entry.verb.as_str())) {
            provision(user);
            let ran = run(as_user(&corner, None, arguments)).expect(1);
            assert_eq!(ran.json()["items"][0]["state"], "refused", "{ran:?}");
            assert!(is_reported(entry, &ran), "{entry:?}: {ran:?}");
        }
    };
    check_without(&["get", "create", "patch", "escalate", "bind"], &asking);
    assert_eq!(belongings(&corner).len(), 0);
    provision(&users.full);
    let (items, code, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--grant", "everything"]);
    assert_eq!((&items[0]["state"], code), (&json!("adopted"), Some(0)), "{printed}");
    // Read-only, so that only the user can clean up.
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--read-only"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    check_without(&["get", "delete"], &["release-cluster", "prod", "--dry-run"]);
    provision(&users.full);
    let released = run(as_user(&corner, None, &["release-cluster", "prod", "--yes"])).expect(0);
    assert_eq!(released.json()["items"][0]["state"], "released", "{released:?}");
    assert_eq!(belongings(&corner).len(), 0);
    assert_eq!(cluster_role("kubectl-ucp-adopt-app").len(), role.iter().filter(|one| one.namespace.is_none()).count());
}

/// In RBAC, `*` includes subresources, and `get` is enough to run commands by some of them.
#[test]
fn an_engine_reads_everything_and_runs_nothing() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "bounded");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let user = format!("--as=system:serviceaccount:kube-system:{}", corner.namespace);
    let may = |verb: &str, resource: &str| {
        // kubectl takes `pods/exec` for a Pod with this name.
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let subresource = format!("--subresource={subresource}");
        let mut asked = Command::new("kubectl");
        asked.args(["auth", "can-i", verb, resource, &subresource, "--all-namespaces", &user, "--kubeconfig"]);
        let answer = String::from_utf8(asked.arg(fleet.app.kubeconfig()).output().unwrap().stdout).unwrap();
        answer.trim_end() == "yes"
    };
    for limit in [&["--read-only"][..], &["--grant", "deployed"]] {
        let arguments = [&["prod", "--engine", "argocd"][..], limit].concat();
        let (items, _, printed) = adopt(&corner, &arguments);
        assert_eq!(items[0]["state"], "adopted", "{printed}");
        for resource in ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "services/proxy", "nodes/proxy"]
        {
            assert!(!may("get", resource) && !may("create", resource), "{limit:?} {resource}");
        }
        for (verb, resource) in [
            ("get", "pods"),
            ("get", "pods/log"),
            ("get", "nodes"),
            ("get", "deployments.apps"),
            ("watch", "secrets"),
            ("list", "widgets.example.org"),
        ] {
            assert!(may(verb, resource), "{limit:?} {verb} {resource}");
        }
    }
}
