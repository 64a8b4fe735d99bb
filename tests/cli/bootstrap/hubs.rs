//! The hub of another repository, and a cluster with undeclared workloads, are not written to by mistake.

use std::process::Command;

use serde_json::{Value, json};

use super::platform::{Platform, URL, application, with_argo_cd, with_flux, yaml};
use super::rehearse::rehearse;
use super::run::{bootstrap, get, whole};
use crate::support::command::{CANARY, Ran, run, ucp};
use crate::support::{self, Cluster, Options};

pub(super) const OTHER: &str = "https://git.example.org/acme/other.git";

/// The platform as another repository has it.
pub(super) fn elsewhere(platform: Platform) -> Platform {
    platform.rewrite(URL, OTHER, "ssh://git@git.example.org:22/acme/other");
    platform
}

fn context(cluster: &Cluster) -> String {
    let output = cluster.kubectl(["config", "current-context"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn apply(cluster: &Cluster, objects: &[Value]) {
    let path = cluster.directory().join("objects.yaml");
    std::fs::write(&path, yaml(objects)).unwrap();
    assert!(cluster.kubectl(["apply", "--server-side", "-f", path.to_str().unwrap()]).status().unwrap().success());
}

/// It stops with both URLs, and writes nothing.
#[track_caller]
fn refused(ran: Ran) -> String {
    let ran = ran.expect(1);
    let text = ran.stderr;
    assert!(text.contains("is the hub of another repository"), "{text}");
    assert!(text.contains(URL) && text.contains(OTHER), "{text}");
    text
}

fn dry_run(cluster: &Cluster, platform: &Platform, arguments: &[&str]) -> Command {
    let mut command = ucp(["bootstrap", "--dry-run"]);
    command.args(arguments).current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    command
}

#[test]
fn the_hub_of_another_repository_keeps_its_root() {
    let Some(cluster) = support::start(Options::named("hub-argo")) else { return };
    run(whole(&cluster, &with_argo_cd())).expect(4);
    let other = elsewhere(with_argo_cd());
    let text = refused(run(whole(&cluster, &other)));
    let name = context(&cluster);
    assert!(text.contains(&format!("--hub '{name}'")), "{text}");
    // A forced write and a root of another name are no way around it.
    refused(run(bootstrap(&cluster, &other, &["--yes", "--force-conflicts"])));
    let renamed = elsewhere(with_argo_cd());
    renamed.write(
        "root.yaml",
        &yaml(&[application("start", "apps", json!({"server": "https://kubernetes.default.svc"}))]).replace(URL, OTHER),
    );
    refused(run(bootstrap(&cluster, &renamed, &["--yes"])));
    assert_eq!(get(&cluster, "application start -n argocd"), Value::Null);
    assert_eq!(get(&cluster, "application root -n argocd")["spec"]["source"]["repoURL"], URL);
    // The plan shows it before the first attempt.
    refused(run(dry_run(&cluster, &other, &[])));
    let plan = run(dry_run(&cluster, &other, &["-o", "json"])).expect(1).json();
    assert_eq!(plan["hub"]["foreignRoots"][0]["object"]["name"], "root", "{plan:#}");
    // Another directory of one repository is another hub, too.
    let moved = with_argo_cd();
    std::fs::rename(moved.path().join("apps"), moved.path().join("stage")).unwrap();
    moved.write(
        "root.yaml",
        &std::fs::read_to_string(moved.path().join("root.yaml")).unwrap().replace("\"apps\"", "\"stage\""),
    );
    let text = run(bootstrap(&cluster, &moved, &["--yes"])).expect(1).stderr;
    assert!(text.contains("(apps), declared here from") && text.contains("(stage)"), "{text}");
    // Its own repository by another URL is its own.
    let same = with_argo_cd();
    same.rewrite(URL, "ssh://git@GIT.example.org:22/acme/platform/", "https://u:p@git.example.org/Acme/platform.git");
    run(bootstrap(&cluster, &same, &["--yes"])).expect(4);
    // Only its name overrides it.
    let wrong = run(bootstrap(&cluster, &other, &["--yes", "--hub", "prod"])).expect(1);
    assert!(wrong.stderr.contains(&format!("the hub is {name}, not prod")), "{}", wrong.stderr);
    run(bootstrap(&cluster, &other, &["--yes", "--hub", &name])).expect(4);
    assert_eq!(get(&cluster, "application root -n argocd")["spec"]["source"]["repoURL"], OTHER);
}

#[test]
fn the_hub_of_another_repository_keeps_its_source_of_flux() {
    let Some(cluster) = support::start(Options::named("hub-flux")) else { return };
    let flux = |platform: &Platform| {
        let mut command = bootstrap(&cluster, platform, &["--yes", "--secret-env", "crossplane-system/gcp-creds=C"]);
        command.args(["--secret-env", "flux-system/flux-system:identity=C"]).env("C", CANARY);
        command
    };
    run(flux(&with_flux())).expect(4);
    refused(run(flux(&elsewhere(with_flux()))));
    assert_eq!(get(&cluster, "gitrepository flux-system -n flux-system")["spec"]["url"], URL);
    // The directory of another cluster of the same repository: its objects would be pruned.
    let sibling = with_flux();
    std::fs::rename(sibling.path().join("clusters/core"), sibling.path().join("clusters/stage")).unwrap();
    sibling.rewrite("./clusters/core", "./clusters/stage", "git@git.example.org:acme/platform");
    let text = run(flux(&sibling)).expect(1).stderr;
    assert!(text.contains("(clusters/core), declared here from"), "{text}");
    assert_eq!(get(&cluster, "kustomization flux-system -n flux-system")["spec"]["path"], "./clusters/core");
}

/// Another branch of the same directory declares other objects, and the rest would be pruned.
#[test]
fn a_hub_stays_on_its_branch() {
    let Some(cluster) = support::start(Options::named("hub-branch")) else { return };
    let at = |revision: &str| {
        let platform = with_argo_cd();
        platform.edit(
            "root.yaml",
            "\"path\":\"apps\"",
            &format!("\"path\":\"apps\",\"targetRevision\":\"{revision}\""),
        );
        platform
    };
    let live = || get(&cluster, "application root -n argocd")["spec"]["source"]["targetRevision"].clone();
    run(whole(&cluster, &at("prod"))).expect(4);
    let name = context(&cluster);
    let text = run(bootstrap(&cluster, &at("stage"), &["--yes", "--force-conflicts"])).expect(1).stderr;
    let why = "deploys another revision of this repository: application.argoproj.io/root -n argocd, targetRevision: prod -> stage";
    assert!(text.contains(why) && text.contains(&format!("--hub '{name}'")), "{text}");
    let plan = run(dry_run(&cluster, &at("stage"), &["-o", "json"])).expect(1).json();
    let change = &plan["hub"]["revisions"][0];
    assert_eq!((&change["live"], &change["declared"]), (&json!("prod"), &json!("stage")), "{plan:#}");
    let steps = plan["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["object"]["name"] == "root").unwrap();
    assert_eq!(step["reason"], "it differs from the repository; targetRevision: prod -> stage");
    // Without a revision, it would follow the default branch.
    let text = run(bootstrap(&cluster, &with_argo_cd(), &["--yes"])).expect(1).stderr;
    assert!(text.contains("targetRevision: prod -> HEAD"), "{text}");
    assert_eq!(live(), "prod");
    run(bootstrap(&cluster, &at("refs/heads/prod"), &["--yes"])).expect(4);
    let default = with_argo_cd();
    default.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/prod"]);
    run(bootstrap(&cluster, &default, &["--yes"])).expect(4);
    assert!(live().is_null());
    run(bootstrap(&cluster, &at("HEAD"), &["--yes"])).expect(4);
    run(bootstrap(&cluster, &at("stage"), &["--yes", "--hub", &name])).expect(4);
    assert_eq!(live(), "stage");
}

#[test]
fn a_hub_of_flux_stays_on_its_branch() {
    let Some(cluster) = support::start(Options::named("hub-branch-flux")) else { return };
    let flux = |platform: &Platform| {
        let mut command = bootstrap(&cluster, platform, &["--yes", "--secret-env", "crossplane-system/gcp-creds=C"]);
        command.args(["--secret-env", "flux-system/flux-system:identity=C"]).env("C", CANARY);
        command
    };
    run(flux(&with_flux())).expect(4);
    let stage = with_flux();
    stage.edit("clusters/core/flux-system/gotk-sync.yaml", "\"branch\":\"main\"", "\"branch\":\"stage\"");
    let text = run(flux(&stage)).expect(1).stderr;
    assert!(text.contains("ref: branch main -> branch stage"), "{text}");
    assert_eq!(get(&cluster, "gitrepository flux-system -n flux-system")["spec"]["ref"]["branch"], "main");
}

#[test]
fn undeclared_workloads_of_a_cluster_are_listed_before_the_first_write() {
    let Some(cluster) = support::start(Options::named("hub-occupied")) else { return };
    let deployment = |namespace: &str, name: &str| {
        let labels = json!({"app": name});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": namespace, "name": name},
            "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels},
                "spec": {"containers": [{"name": name, "image": "registry.example.org/a:v1"}]}}}})
    };
    apply(&cluster, &[deployment("kube-system", "coredns")]);
    let platform = with_argo_cd();
    run(dry_run(&cluster, &platform, &[])).expect(0);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    apply(&cluster, &[namespace, deployment("shop", "checkout")]);
    let text = run(whole(&cluster, &platform)).expect(1).stderr;
    assert!(
        text.contains("1 object that this repository does not declare: deployment.apps/checkout -n shop"),
        "{text}"
    );
    assert_eq!(get(&cluster, "namespace argocd"), Value::Null);
    // Workloads without a Deployment, and data.
    let spec = json!({"containers": [{"name": "a", "image": "registry.example.org/a:v1"}], "restartPolicy": "Never"});
    let named = |version: &str, kind: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": "shop", "name": "bare"}, "spec": spec});
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let account =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": "shop", "name": "default"}});
    let objects = [
        account,
        named("v1", "Pod", spec.clone()),
        named("batch/v1", "Job", json!({"template": {"spec": spec}})),
        named("v1", "PersistentVolumeClaim", claim),
    ];
    apply(&cluster, &objects);
    let text = run(dry_run(&cluster, &platform, &[])).expect(1).stderr;
    for expected in ["4 objects that", "pod/bare", "job.batch/bare", "persistentvolumeclaim/bare"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let mut named = whole(&cluster, &platform);
    named.args(["--hub", &context(&cluster)]);
    run(named).expect(4);
    // From now on it is the hub of this repository.
    run(bootstrap(&cluster, &platform, &["--yes"])).expect(4);
}

#[test]
fn a_rehearsal_recognizes_the_hub_of_another_repository() {
    let mut root = application("root", "apps", json!({"server": "https://kubernetes.default.svc"}));
    root["spec"]["source"]["repoURL"] = json!(OTHER);
    let objects = [root, super::rehearse::secret("db", "empty", &[], json!({}))];
    let ran = rehearse(&with_argo_cd(), &objects, &[]).expect(1);
    assert!(ran.stdout.contains("hub of another repository"), "{}", ran.stdout);
    assert!(ran.stdout.contains(URL) && ran.stdout.contains(OTHER), "{}", ran.stdout);
    assert!(!ran.stdout.contains("nothing is lost"), "{}", ran.stdout);
    let document = rehearse(&with_argo_cd(), &objects, &["-o", "json"]).expect(1).json();
    assert_eq!(document["hub"]["foreignRoots"][0]["object"]["name"], "root");
}

#[test]
fn a_rehearsal_recognizes_the_branch_of_a_hub_and_a_bucket() {
    let mut root = application("root", "apps", json!({"server": "https://kubernetes.default.svc"}));
    root["spec"]["source"]["targetRevision"] = json!("prod");
    let empty = super::rehearse::secret("db", "empty", &[], json!({}));
    let objects = [root, empty.clone()];
    let stage = with_argo_cd();
    stage.edit("root.yaml", "\"path\":\"apps\"", "\"path\":\"apps\",\"targetRevision\":\"stage\"");
    let ran = rehearse(&stage, &objects, &[]).expect(1);
    assert!(ran.stdout.contains("targetRevision: prod -> stage"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("nothing is lost"), "{}", ran.stdout);
    let bucket = json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "Bucket",
        "metadata": {"name": "flux-system", "namespace": "flux-system"},
        "spec": {"endpoint": "minio.example.org", "bucketName": "platform"}});
    let kustomization = json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "flux-system", "namespace": "flux-system"},
        "spec": {"path": "./clusters/core", "sourceRef": {"kind": "Bucket", "name": "flux-system"}}});
    let ran = rehearse(&with_flux(), &[bucket, kustomization, empty], &[]).expect(1);
    assert!(ran.stdout.contains("minio.example.org/platform"), "{}", ran.stdout);
}
