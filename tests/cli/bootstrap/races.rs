//! Between the plan and a write, others write, too: the first repository gets the hub, and changes of others are kept.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use super::hubs::{OTHER, elsewhere};
use super::platform::{Platform, URL, application, with_argo_cd, with_flux, yaml};
use super::run::{bootstrap, get, whole};
use crate::support::command::{CANARY, Ran, run};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options};

/// Runs a command up to its first write of a path, does something else, and lets the command go on.
fn interleave(cluster: &Cluster, mut command: Command, write: &str, meanwhile: impl FnOnce()) -> Ran {
    let proxy = Proxy::start(cluster).unwrap();
    let notice = Arc::new(Notify::new());
    proxy.add(Rule::on(write, Fault::Held(Arc::clone(&notice))).times(1));
    command.env("KUBECONFIG", proxy.kubeconfig()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while proxy.count(write) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {write}");
        std::thread::sleep(Duration::from_millis(5));
    }
    meanwhile();
    notice.notify_one();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Dry runs begin otherwise.
const ANY: &str = "?fieldManager";
const ROOT: &str = "/applications/root?fieldManager";

#[test]
fn the_first_of_two_repositories_gets_the_hub() {
    for (name, write, code, why) in [
        ("first-two-early", ANY, 1, "is the hub of another repository"),
        ("first-two-late", ROOT, 3, "another client created it in the meantime, and it differs"),
    ] {
        let Some(cluster) = support::start(Options::named(name)) else { return };
        let late = interleave(&cluster, whole(&cluster, &elsewhere(with_argo_cd())), write, || {
            run(whole(&cluster, &with_argo_cd())).expect(4);
        });
        let late = late.expect(code);
        assert!(late.stderr.contains(why), "{}", late.stderr);
        assert_eq!(get(&cluster, "application root -n argocd")["spec"]["source"]["repoURL"], URL);
    }
}

#[test]
fn a_root_of_another_name_is_not_added_to_a_hub_that_came_in_between() {
    let Some(cluster) = support::start(Options::named("first-two-names")) else { return };
    let renamed = elsewhere(with_argo_cd());
    let root = application("start", "apps", json!({"server": "https://kubernetes.default.svc"}));
    renamed.write("root.yaml", &yaml(&[root]).replace(URL, OTHER));
    let late = interleave(&cluster, whole(&cluster, &renamed), ANY, || {
        run(whole(&cluster, &with_argo_cd())).expect(4);
    });
    let late = late.expect(1);
    assert!(late.stderr.contains("root objects were not written"), "{}", late.stderr);
    assert!(get(&cluster, "application start -n argocd").is_null());
}

/// Between the last look and the first root, nothing can be locked; the second look reports it.
#[test]
fn two_roots_that_are_written_at_the_same_time_are_reported() {
    let Some(cluster) = support::start(Options::named("first-same-time")) else { return };
    let renamed = elsewhere(with_argo_cd());
    let root = application("start", "apps", json!({"server": "https://kubernetes.default.svc"}));
    renamed.write("root.yaml", &yaml(&[root]).replace(URL, OTHER));
    let late = interleave(&cluster, whole(&cluster, &renamed), "/applications/start?fieldManager", || {
        run(whole(&cluster, &with_argo_cd())).expect(4);
    });
    let late = late.expect(1);
    assert!(late.stderr.contains("root objects of this repository were written, too"), "{}", late.stderr);
    assert!(!get(&cluster, "application start -n argocd").is_null());
}

#[test]
fn the_first_of_two_repositories_gets_the_hub_of_flux() {
    let Some(cluster) = support::start(Options::named("first-two-flux")) else { return };
    let flux = |platform: &Platform| {
        let mut command = bootstrap(&cluster, platform, &["--yes", "--secret-env", "crossplane-system/gcp-creds=C"]);
        command.args(["--secret-env", "flux-system/flux-system:identity=C"]).env("C", CANARY);
        command
    };
    let late = interleave(&cluster, flux(&elsewhere(with_flux())), ANY, || {
        run(flux(&with_flux())).expect(4);
    });
    late.expect(1);
    assert_eq!(get(&cluster, "gitrepository flux-system -n flux-system")["spec"]["url"], URL);
}

#[test]
fn an_object_is_updated_only_as_it_was_in_the_plan() {
    let Some(cluster) = support::start(Options::named("first-changed")) else { return };
    let platform = with_argo_cd();
    run(whole(&cluster, &platform)).expect(4);
    let patch = |arguments: &[&str], patch: &str| {
        let mut words = vec!["patch", "application", "root", "-n", "argocd", "--type=merge", "-p", patch];
        words.extend(arguments);
        assert!(cluster.kubectl(words).status().unwrap().success());
    };
    platform.edit("root.yaml", "\"automated\":{}", "\"automated\":{\"prune\":true}");
    let own = || bootstrap(&cluster, &platform, &["--yes"]);
    let refused = interleave(&cluster, own(), ROOT, || {
        patch(&["--field-manager=jane"], r#"{"metadata": {"annotations": {"example.org/owner": "jane"}}}"#);
    });
    let refused = refused.expect(3);
    assert!(refused.stderr.contains("another client changed it in the meantime"), "{}", refused.stderr);
    let prune = || get(&cluster, "application root -n argocd")["spec"]["syncPolicy"]["automated"]["prune"].clone();
    assert!(prune().is_null());
    // A controller may write its status.
    interleave(&cluster, own(), ROOT, || {
        patch(&["--subresource=status"], r#"{"status": {"reconciledAt": "2026-01-01T00:00:00Z"}}"#);
    })
    .expect(4);
    assert_eq!(prune(), true);
    // An object that was deleted does not come back by an update.
    platform.edit("root.yaml", "{\"prune\":true}", "{\"prune\":false}");
    let refused = interleave(&cluster, own(), ROOT, || {
        assert!(cluster.kubectl(["delete", "application", "root", "-n", "argocd"]).status().unwrap().success());
    });
    let refused = refused.expect(3);
    assert!(refused.stderr.contains("another client deleted it in the meantime"), "{}", refused.stderr);
    assert!(get(&cluster, "application root -n argocd").is_null());
}
