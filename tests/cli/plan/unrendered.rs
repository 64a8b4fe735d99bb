//! ApplicationSets that ask other servers: a plan that may not see what they change is incomplete.

use serde_json::{Value, json};

use super::{Repository, application, create, document, plan};
use crate::support::{self, Options};

const GENERATED: &str = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  generators:
  - matrix:
      generators:
      - git: {repoURL: https://git.example.org/platform/quotes.git, directories: [{path: apps/*}]}
      - scmProvider: {github: {organization: example}}
  template:
    metadata: {name: '{{path.basename}}'}
    spec: {project: default, source: {repoURL: x, path: x}, destination: {name: in-cluster}}
";

fn unread(plan: &Value) -> Vec<&str> {
    let entries = plan["unreadable"].as_array().unwrap().iter();
    entries.map(|entry| entry["what"].as_str().unwrap()).collect()
}

#[test]
fn a_plan_is_incomplete_where_a_generator_reads_what_changes() {
    let Some(cluster) = support::start(Options::named("plan-unrendered")) else { return };
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}});
    create(&cluster, vec![namespace, application("config", "config", json!({}))]);
    let repository =
        Repository::new(&[("config/set.yaml", GENERATED), ("apps/one/a.yaml", "a: 1\n"), ("README.md", "text\n")]);
    let planned = |branch: &str| document(&plan(&cluster, &repository, &["--base=main", "--head", branch, "-o=json"]));

    repository.branch("text", &[("README.md", "other\n"), ("apps/one/a.yaml", "a: 2\n")], &[]);
    let (same, code) = planned("text");
    assert_eq!((unread(&same), code), (Vec::new(), 0), "{same:#}");

    repository.branch("app", &[("apps/two/a.yaml", "a: 1\n")], &[]);
    let (app, code) = planned("app");
    assert_eq!(code, 4, "{app:#}");
    assert!(unread(&app).iter().all(|what| what.contains("applicationset")), "{app:#}");

    // Without a revision to compare with, the last state of the files that were deployed is not known.
    let (clusters, _) = document(&plan(&cluster, &repository, &["-o=json"]));
    assert_eq!(unread(&clusters).len(), 1, "{clusters:#}");
}
