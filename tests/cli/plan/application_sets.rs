//! ApplicationSets: the Applications that are added, changed and removed, and the objects that this deletes.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{Repository, URL, application, create, document, item, names};
use crate::support::helm;
use crate::support::{self, Cluster, Options};

const ONE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {a: '1'}\n";

fn config_map(name: &str) -> String {
    ONE.replace("NAME", name)
}

/// An ApplicationSet with Go templates for every directory of `apps`.
fn directories(more: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: apps, namespace: argocd}}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
  - git: {{repoURL: {URL}, directories: [{{path: apps/*}}, {{path: apps/hidden, exclude: true}}]}}
  template:
    metadata:
      name: 'app-{{{{ .path.basename | lower }}}}'
      labels: {{name: '{{{{ index .path.segments 1 | normalize }}}}'}}
    spec:
      project: default
      source: {{repoURL: {URL}, path: '{{{{ .path.path }}}}'}}
      destination: {{server: 'https://kubernetes.default.svc', namespace: quotes}}
      syncPolicy: {{automated: {{prune: true}}}}
{more}"
    )
}

/// A set of names in `{{name}}`, with a matrix of files and clusters.
fn matrix(generator: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: envs, namespace: argocd}}
spec:
  generators:
  - matrix:
      generators:
      - git: {{repoURL: {URL}, files: [{{path: envs/*.json}}]}}
      - {generator}
  template:
    metadata: {{name: '{{{{env}}}}-{{{{name}}}}'}}
    spec:
      project: default
      source: {{repoURL: {URL}, path: 'more/{{{{dir}}}}'}}
      destination: {{server: '{{{{server}}}}', namespace: quotes}}
"
    )
}

fn plan(cluster: &Cluster, repository: &Repository, branch: &str) -> (Value, i32) {
    let mut command = Command::new(crate::support::command::program());
    command.args(["plan", "--base=main", "--head", branch, "-o=json", "--kubeconfig"]).arg(cluster.kubeconfig());
    command.arg(repository.path()).env("COLUMNS", "200").env("PATH", helm::path()).env_remove("KUBECONFIG");
    let output: Output = command.output().unwrap();
    document(&output)
}

/// Adds the objects that the controllers would have created.
fn scene(cluster: &Cluster, repository: &Repository, kept: bool) {
    let namespaces =
        ["argocd", "quotes"].map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let root = application("root", "config", json!({}));
    let set = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
        "metadata": {"namespace": "argocd", "name": "apps"},
        "spec": {"generators": [{"git": {"repoURL": URL, "directories": [{"path": "apps/*"}]}}], "template": {}},
    });
    create(cluster, [namespaces.to_vec(), vec![root, set]].concat());
    let uid = super::get(cluster, "applicationset", "apps", "argocd")["metadata"]["uid"].clone();
    let generated = ["one", "two"].map(|name| {
        let mut app = application(&format!("app-{name}"), &format!("apps/{name}"), json!({}));
        app["metadata"]["labels"] = json!({"name": name});
        if !kept {
            app["metadata"]["finalizers"] = json!(["resources-finalizer.argocd.argoproj.io"]);
        }
        app["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "apps", "uid": uid, "controller": true,
        }]);
        app["status"] = json!({"resources": [{"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": name}]});
        app
    });
    for (name, app) in ["one", "two"].iter().zip(generated) {
        // Owners of `load_objects` are those that it creates itself.
        let file = repository.path().join(".git").join(format!("{name}.json"));
        std::fs::write(&file, app.to_string()).unwrap();
        let created = cluster.kubectl(["create", "-f"]).arg(&file).output().unwrap();
        assert!(created.status.success(), "{}", super::stderr(&created));
        let applied = cluster
            .kubectl(["apply", "--server-side", "--field-manager=argocd-controller", "-n", "quotes", "-f"])
            .arg(repository.path().join("apps").join(name))
            .output()
            .unwrap();
        assert!(applied.status.success(), "{}", super::stderr(&applied));
    }
}

fn repository() -> Repository {
    Repository::new(&[
        ("config/set.yaml", &directories("")),
        ("apps/one/a.yaml", &config_map("one")),
        ("apps/two/a.yaml", &config_map("two")),
        ("apps/hidden/a.yaml", &config_map("hidden")),
        ("more/x/a.yaml", &config_map("x")),
        ("more/z/a.yaml", &config_map("z")),
    ])
}

fn sorted(plan: &Value) -> Vec<String> {
    let mut names = names(plan);
    names.sort();
    names
}

#[test]
fn applications_are_added_changed_and_removed_with_their_objects() {
    let Some(cluster) = support::start(Options::named("plan-sets")) else { return };
    let repository = repository();
    scene(&cluster, &repository, false);

    repository.branch("added", &[("apps/Three/a.yaml", &config_map("three"))], &[]);
    let (added, code) = plan(&cluster, &repository, "added");
    assert_eq!(
        (sorted(&added), code),
        (vec!["add Application/app-three".into(), "add ConfigMap/three".into()], 1),
        "{added:#}"
    );
    assert_eq!(added["unreadable"], json!([]), "{added:#}");
    assert_eq!(item(&added, "Application", "app-three")["deployedBy"]["kind"], "ApplicationSet", "{added:#}");

    // The finalizer of an Application deletes its objects with it.
    repository.branch("removed", &[], &["apps/two/a.yaml"]);
    let (removed, _) = plan(&cluster, &repository, "removed");
    assert_eq!(sorted(&removed), ["remove Application/app-two", "remove ConfigMap/two"], "{removed:#}");
    assert_eq!(removed["unreadable"], json!([]), "{removed:#}");

    let other = directories("").replace("project: default", "project: other");
    repository.branch("project", &[("config/set.yaml", &other)], &[]);
    let (project, _) = plan(&cluster, &repository, "project");
    let one = item(&project, "Application", "app-one");
    assert_eq!(one["differences"].as_array().unwrap().len(), 1, "{one:#}");
    assert_eq!(one["differences"][0]["path"], "spec.project", "{one:#}");

    let patch = "  templatePatch: |\n    metadata:\n      labels:\n        {{- range .path.segments }}\n        segment-{{ . }}: 'yes'\n        {{- end }}\n";
    repository.branch("patch", &[("config/set.yaml", &directories(patch))], &[]);
    let (patched, _) = plan(&cluster, &repository, "patch");
    let one = item(&patched, "Application", "app-one");
    assert!(one["differences"].to_string().contains("segment-one"), "{one:#}");

    let policy = "  syncPolicy: {applicationsSync: create-only}\n";
    repository.branch(
        "policy",
        &[("config/set.yaml", &directories(policy).replace("project: default", "project: other"))],
        &["apps/two/a.yaml"],
    );
    let (policy, _) = plan(&cluster, &repository, "policy");
    let found = sorted(&policy);
    assert!(found.contains(&"abandon Application/app-two".to_owned()), "{policy:#}");
    assert!(!found.iter().any(|name| name.contains("app-one") || name.starts_with("remove")), "{policy:#}");

    // The policy of the controller overrides those of ApplicationSets.
    let parameters = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "argocd", "name": "argocd-cmd-params-cm"},
        "data": {"applicationsetcontroller.policy": "create-update"},
    });
    create(&cluster, vec![parameters]);
    let (kept, _) = plan(&cluster, &repository, "removed");
    assert_eq!(sorted(&kept), ["abandon Application/app-two"], "{kept:#}");
    assert_eq!(kept["unreadable"], json!([]), "{kept:#}");
    let deleted = cluster.kubectl(["delete", "configmap", "argocd-cmd-params-cm", "-n", "argocd"]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");

    let missing = directories("").replace(".path.basename | lower", ".path.none | default \"x\"");
    repository.branch("missing", &[("config/set.yaml", &missing)], &[]);
    let (missing, code) = plan(&cluster, &repository, "missing");
    assert!(missing["unreadable"].to_string().contains("missingkey=error") && code != 0, "{missing:#}");

    // Without the finalizer, the objects of an Application remain.
    let preserved = "  syncPolicy: {preserveResourcesOnDeletion: true}\n";
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit(&[("config/set.yaml", &directories(preserved))]);
    let finalizers = r#"{"metadata":{"finalizers":null}}"#;
    let patched =
        cluster.kubectl(["patch", "application", "app-two", "-n", "argocd", "--type=merge", "-p", finalizers]).output();
    assert!(patched.unwrap().status.success());
    repository.branch("preserved", &[], &["apps/two/a.yaml"]);
    let (preserved, _) = plan(&cluster, &repository, "preserved");
    assert!(sorted(&preserved).contains(&"remove Application/app-two".to_owned()), "{preserved:#}");
    assert!(sorted(&preserved).contains(&"abandon ConfigMap/two".to_owned()), "{preserved:#}");
}

#[test]
fn a_matrix_combines_files_and_clusters() {
    let Some(cluster) = support::start(Options::named("plan-matrix")) else { return };
    let repository = repository();
    scene(&cluster, &repository, true);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": "argocd", "name": "own", "labels": {"argocd.argoproj.io/secret-type": "cluster", "stage": "prod"}},
        "stringData": {"name": "own", "server": "https://kubernetes.default.svc", "config": "{\"bearerToken\": \"canary-of-cluster\"}"},
    });
    create(&cluster, vec![secret]);
    let files = [
        ("config/matrix.yaml", matrix("clusters: {selector: {matchLabels: {stage: prod}}}")),
        ("envs/x.json", "{\"env\": \"x\", \"dir\": \"x\"}".to_owned()),
        ("envs/z.json", "{\"env\": \"z\", \"dir\": \"z\"}".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    repository.branch("matrix", &files, &[]);
    let (planned, _) = plan(&cluster, &repository, "matrix");
    let found = sorted(&planned);
    for name in ["add Application/x-own", "add Application/z-own", "add ConfigMap/x", "add ConfigMap/z"] {
        assert!(found.contains(&name.to_owned()), "{planned:#}");
    }
    assert_eq!(planned["unreadable"], json!([]), "{planned:#}");
    assert!(!planned.to_string().contains("canary-of-cluster"));

    // A generator that calls another server is unknown, and listed.
    let files =
        [("config/matrix.yaml", matrix("scmProvider: {github: {organization: x}}")), ("envs/x.json", "{}".to_owned())];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    repository.branch("scm", &files, &[]);
    let (planned, code) = plan(&cluster, &repository, "scm");
    assert!(planned["unreadable"].to_string().contains("scmProvider") && code != 0, "{planned:#}");
}
