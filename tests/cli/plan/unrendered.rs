//! HelmReleases and ApplicationSets, which are not rendered: a plan that may not see what they change is incomplete.

use serde_json::{Value, json};

use super::{Repository, URL, application, create, document, names, plan};
use crate::support::{self, Options};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const GENERATED: &str = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  generators:
  - git: {repoURL: https://git.example.org/platform/quotes.git, directories: [{path: apps/*}]}
  template:
    metadata: {name: '{{path.basename}}'}
    spec: {project: default, source: {repoURL: x, path: x}, destination: {name: in-cluster}}
";

fn release(interval: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: flux-system}}
spec:
  interval: {interval}
  chart: {{spec: {{chart: ./charts/web, sourceRef: {{kind: GitRepository, name: quotes}}}}}}
"
    )
}

fn unread(plan: &Value) -> Vec<&str> {
    let entries = plan["unreadable"].as_array().unwrap().iter();
    entries.map(|entry| entry["what"].as_str().unwrap()).collect()
}

#[test]
fn a_plan_is_incomplete_where_a_release_or_a_generator_reads_what_changes() {
    let Some(cluster) = support::start(Options::named("plan-unrendered")) else { return };
    let git = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": URL},
    });
    let elsewhere = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
        "metadata": {"namespace": "flux-system", "name": "other"},
        "spec": {"interval": "1m", "chart": {"spec": {"chart": "a", "sourceRef": {"kind": "HelmRepository", "name": "a"}}}},
    });
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}});
    create(&cluster, vec![namespace, git, elsewhere, application("config", "config", json!({}))]);
    let repository = Repository::new(&[
        ("config/release.yaml", &release("1m")),
        ("config/set.yaml", GENERATED),
        ("charts/web/Chart.yaml", CHART),
        ("apps/one/a.yaml", "a: 1\n"),
        ("README.md", "text\n"),
    ]);
    let planned = |branch: &str| document(&plan(&cluster, &repository, &["--base=main", "--head", branch, "-o=json"]));

    repository.branch("text", &[("README.md", "other\n"), ("apps/one/a.yaml", "a: 2\n")], &[]);
    let (same, code) = planned("text");
    assert_eq!((unread(&same), code), (Vec::new(), 0), "{same:#}");

    repository.branch("chart", &[("charts/web/Chart.yaml", &CHART.replace("1.0.0", "2.0.0"))], &[]);
    let (chart, code) = planned("chart");
    assert_eq!(code, 4, "{chart:#}");
    assert!(unread(&chart).iter().all(|what| what.contains("helmrelease") && what.contains("web")), "{chart:#}");
    assert!(chart["unreadable"].to_string().contains("charts/web"), "{chart:#}");

    repository.branch("app", &[("apps/two/a.yaml", "a: 1\n")], &[]);
    let (app, code) = planned("app");
    assert_eq!(code, 4, "{app:#}");
    assert!(unread(&app).iter().all(|what| what.contains("applicationset")), "{app:#}");

    // A change of the release itself is shown, and so is that its consequences are not.
    repository.branch("interval", &[("config/release.yaml", &release("5m"))], &[]);
    let (own, code) = planned("interval");
    assert_eq!((names(&own).len(), code), (1, 1), "{own:#}");
    assert_eq!(unread(&own).len(), 1, "{own:#}");

    // Without a revision to compare with, the last state of the files that were deployed is not known.
    let (clusters, _) = document(&plan(&cluster, &repository, &["-o=json"]));
    assert_eq!(unread(&clusters).len(), 2, "{clusters:#}");
}
