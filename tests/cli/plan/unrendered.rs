//! ApplicationSets that call other servers: a plan that may not see their changes is incomplete.

use serde_json::{Value, json};

use super::{Repository, application, create, document, plan};
use crate::support::{self, Options, load};

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
fn a_plan_is_incomplete_if_a_generator_reads_changed_files() {
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

const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: shop, namespace: flux-system}
spec: {interval: 5m, url: https://git.example.org/other/shop.git, ref: {tag: v1}}
";
const ELSEWHERE: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec: {interval: 5m, prune: true, sourceRef: {kind: GitRepository, name: shop}, path: ./deploy}
";
const VARIABLES: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: flux-system}
data: {color: red}
";
const QUOTA: &str = "apiVersion: v1
kind: ResourceQuota
metadata: {name: small, namespace: default}
spec: {hard: {pods: '1'}}
";
const USER: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: default}
data: {color: '${color}'}
";

fn kustomization(name: &str, spec: &Value) -> Value {
    let mut all = json!({
        "interval": "5m", "prune": true, "path": format!("./{name}"),
        "sourceRef": {"kind": "GitRepository", "name": "quotes"},
    });
    all.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "flux-system", "name": name}, "spec": all,
    })
}

/// Files of another repository are not in the checkout, variables are those of the merge, and the server predicts
/// with the rules that it has.
#[test]
fn effects_that_depend_on_other_objects_are_predicted_or_listed() {
    let Some(cluster) = support::start(Options::named("plan-sources")) else { return };
    load::install_all_crds(&cluster).unwrap();
    create(
        &cluster,
        vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "flux-system"}}),
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"interval": "5m", "url": super::URL},
            }),
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "shop"},
                "spec": {"interval": "5m", "url": "https://git.example.org/other/shop.git", "ref": {"tag": "v1"}},
            }),
            kustomization("config", &json!({})),
            kustomization(
                "web",
                &json!({"postBuild": {"substituteFrom": [{"kind": "ConfigMap", "name": "settings"}]}}),
            ),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "flux-system", "name": "settings"}, "data": {"color": "red"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "web"}, "data": {"color": "red"}}),
        ],
    );
    let files =
        [("config/source.yaml", SOURCE), ("config/elsewhere.yaml", ELSEWHERE), ("config/settings.yaml", VARIABLES)];
    let repository = Repository::new(&[&files[..], &[("web/web.yaml", USER)]].concat());
    let planned = |branch: &str, change: &[(&str, &str)], removed: &[&str]| {
        repository.branch(branch, change, removed);
        document(&plan(&cluster, &repository, &["--base=main", "--head", branch, "-o=json"])).0
    };
    let unknown = |plan: &Value| plan["consequences"]["unknown"].as_u64().unwrap();

    let tag = planned("tag", &[("config/source.yaml", &SOURCE.replace("v1}", "v2}"))], &[]);
    assert!(unknown(&tag) > 0, "{tag:#}");
    let interval = planned("interval", &[("config/source.yaml", &SOURCE.replace("5m", "1m"))], &[]);
    assert_eq!(unknown(&interval), 0, "{interval:#}");
    let path = planned("path", &[("config/elsewhere.yaml", &ELSEWHERE.replace("./deploy", "./other"))], &[]);
    assert!(unread(&path).iter().any(|what| what.contains("kustomization") && what.contains("shop")), "{path:#}");

    let color = planned("color", &[("config/settings.yaml", &VARIABLES.replace("red", "blue"))], &[]);
    let items = color["items"].as_array().unwrap();
    let web = items.iter().find(|item| item["object"]["name"] == "web");
    let web = web.unwrap_or_else(|| panic!("the change of the variable is missing: {color:#}"));
    assert!(web.to_string().contains("blue"), "{web:#}");
    let gone = planned("gone", &[], &["config/settings.yaml"]);
    assert!(unread(&gone).iter().any(|what| what.contains("kustomization") && what.contains("web")), "{gone:#}");

    let quota = planned("quota", &[("config/quota.yaml", QUOTA)], &[]);
    assert!(unknown(&quota) > 0 && quota.to_string().contains("rules that the cluster has now"), "{quota:#}");
}
