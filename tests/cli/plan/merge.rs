//! `teardown --merge PATH`: the objects that engines delete once a path is removed from Git.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::outside::{buckets, platform_crds};
use super::{Repository, application, create, stderr};
use crate::failing_reads::{Matrix, Place, Promise, holds};
use crate::support::command::{Ran, run, ucp, ucp_on};
use crate::support::objects::provider_of;
use crate::support::proxy::Proxy;
use crate::support::{self, Cluster, Options};

/// No controller runs in these clusters.
const CONTROLLERS: &str = "crossplane,argocd,flux";

fn teardown(cluster: &Cluster, repository: &Repository, path: &str) -> Ran {
    let mut command = ucp_on(cluster, ["teardown", "-o", "json", "--merge"]);
    command.arg(repository.path().join(path)).env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", CONTROLLERS);
    run(command)
}

fn fates(plan: &Value) -> Vec<(&str, &str)> {
    let items = plan["items"].as_array().unwrap().iter();
    items.map(|item| (item["object"]["name"].as_str().unwrap(), item["fate"].as_str().unwrap())).collect()
}

#[test]
fn objects_that_are_deleted_with_a_directory_are_listed() {
    let Some(cluster) = support::start(Options::named("teardown-merge")) else { return };
    let old = buckets(&[
        ("deleted", "{forProvider: {size: 1}}"),
        ("orphaned", "{deletionPolicy: Orphan, forProvider: {size: 1}}"),
    ]);
    let kept = buckets(&[("kept", "{forProvider: {size: 1}}")]);
    let last = buckets(&[("last", "{forProvider: {size: 1}}")]);
    let repository = Repository::new(&[
        ("infra/old/buckets.yaml", &old),
        ("infra/kept.yaml", &kept),
        ("alone/README.md", "nothing to apply"),
        ("alone/sub/bucket.yaml", &last),
    ]);
    let source = json!({"source": {"repoURL": super::URL, "path": "infra", "directory": {"recurse": true}}});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}});
    let alone = json!({"source": {"repoURL": super::URL, "path": "alone", "directory": {"recurse": true}}});
    let applications = vec![namespace, application("infra", "infra", source), application("alone", "alone", alone)];
    create(&cluster, [platform_crds(), applications].concat());
    let applied = cluster
        .kubectl(["apply", "--server-side", "--field-manager=argocd-controller", "-R", "-f"])
        .arg(repository.path().join("infra"))
        .arg("-f")
        .arg(repository.path().join("alone/sub"))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}", stderr(&applied));

    let ran = teardown(&cluster, &repository, "infra/old");
    let plan = ran.json();
    assert_eq!(plan["merge"], "infra/old", "{ran:?}");
    let mut fates = fates(&plan);
    fates.sort();
    assert_eq!(fates.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["deleted", "orphaned"], "{plan:#}");
    assert_eq!(fates[1].1, "orphaned", "{plan:#}");
    let commands = plan["steps"].to_string();
    assert!(commands.contains("git rm -r -- :\\\\(top,literal\\\\)infra/old"), "{plan:#}");
    assert!(!commands.contains("kubectl delete"), "the engine deletes it: {plan:#}");
    assert!(repository.path().join("infra/old/buckets.yaml").exists(), "the checkout stays as it is");

    // An Application whose whole path is gone fails to render and deletes nothing: unknown.
    let unknown = teardown(&cluster, &repository, "infra");
    assert!(unknown.code == Some(4) && unknown.stdout.contains("infra"), "{unknown:?}");
    assert!(!unknown.stdout.contains("git rm"), "consequences that are not known are not proposed: {unknown:?}");
    let whole = teardown(&cluster, &repository, "").expect(2);
    assert!(whole.stderr.contains("top directory of the checkout"), "{whole:?}");

    // Argo CD skips a sync that leaves no object, and all syncs while an annotation requires that.
    let last = teardown(&cluster, &repository, "alone/sub").expect(3);
    assert!(last.stderr.contains("allowEmpty"), "{last:?}");
    let annotate =
        ["annotate", "applications.argoproj.io", "infra", "-n", "argocd", "argocd.argoproj.io/skip-reconcile=true"];
    assert!(cluster.kubectl(annotate).output().unwrap().status.success());
    let skipped = teardown(&cluster, &repository, "infra/old").expect(3);
    assert!(skipped.stderr.contains("it is suspended"), "{skipped:?}");
}

/// A Kustomization of Flux, which deploys a directory with an inventory.
fn kustomization(path: &str, inventory: &[&str]) -> Vec<Value> {
    let entries: Vec<Value> = inventory.iter().map(|id| json!({"id": id, "v": "v1"})).collect();
    vec![
        json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": super::URL, "interval": "1m"},
        }),
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"namespace": "flux-system", "name": "quotes", "finalizers": ["finalizers.fluxcd.io"]},
            "spec": {"sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": path, "prune": true, "interval": "1m"},
            "status": {"inventory": {"entries": entries}},
        }),
    ]
}

const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";

/// Objects that are deleted with a directory contain others, of a namespace and of a definition, which are not in Git.
#[test]
fn removing_a_directory_also_deletes_contents_that_are_not_in_git() {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let Some(cluster) = CLUSTER.get_or_init(|| support::start(Options::named("teardown-merge-flux"))) else { return };
    let schema = "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}";
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: disks.plan.example.org}}\n\
         spec:\n  group: plan.example.org\n  scope: Cluster\n  names: {{kind: Disk, plural: disks, singular: disk, listKind: DiskList, categories: [managed]}}\n  \
         versions: [{{name: v1, served: true, storage: true, schema: {schema}}}]\n"
    );
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, namespace: default}\n";
    let repository = Repository::new(&[
        ("flux/shop/namespace.yaml", NAMESPACE),
        ("flux/kinds/disks.yaml", &definition),
        ("flux/kept.yaml", map),
    ]);
    create(cluster, platform_crds());
    let applied = cluster
        .kubectl(["apply", "--server-side", "--field-manager=kustomize-controller", "-R", "-f"])
        .arg(repository.path().join("flux"))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}", stderr(&applied));
    let inventory = [
        "_shop__Namespace",
        "_disks.plan.example.org_apiextensions.k8s.io_CustomResourceDefinition",
        "default_kept__ConfigMap",
    ];
    let inside = vec![
        json!({"apiVersion": "plan.example.org/v1", "kind": "Store", "metadata": {"namespace": "shop", "name": "orders"}, "spec": {}}),
        json!({"apiVersion": "plan.example.org/v1", "kind": "ProviderConfig", "metadata": {"name": "default"}, "spec": {"credentials": {"source": "InjectedIdentity"}}}),
        json!({"apiVersion": "plan.example.org/v1", "kind": "Disk", "metadata": {"name": "data", "finalizers": ["finalizer.managedresource.crossplane.io"]}, "spec": {"forProvider": {}}}),
    ];
    create(cluster, kustomization("./flux", &inventory));
    create(cluster, provider_of("plan", "disks.plan.example.org", 1));
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": inside}));

    let shop = teardown(cluster, &repository, "flux/shop");
    let plan = shop.json();
    assert!(fates(&plan).iter().any(|(name, _)| *name == "orders"), "{shop:?}");
    assert!(plan["steps"].to_string().contains("git rm"), "{shop:?}");
    let kinds = teardown(cluster, &repository, "flux/kinds");
    assert!(fates(&kinds.json()).contains(&("data", "deleted")), "{kinds:?}");

    // None of it is known without every list.
    let mut broken = Vec::new();
    for path in ["flux/shop", "flux/kinds"] {
        let directory = repository.path().join(path);
        let place = |_| {
            let proxy = Proxy::start(cluster).unwrap();
            let (kubeconfig, directory) = (proxy.kubeconfig().to_owned(), directory.clone());
            Place::new("", vec![("core", proxy)], move |timeout| {
                let mut command = ucp(["teardown", "-o", "json", "--request-timeout", timeout, "--merge"]);
                command.arg(&directory).env("KUBECONFIG", &kubeconfig);
                command.env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", CONTROLLERS);
                command
            })
        };
        let title = format!("teardown --merge {path}");
        // Kinds of Kubernetes itself in the namespace are in the matrix of namespaces.
        let is_elsewhere = |path: &str| path.contains("/namespaces/shop/") && !path.contains("example.org");
        // Rights are checked of controllers that run.
        let leave_out = |path: &str| is_elsewhere(path) || path.contains("/namespaces/flux-system/deployments");
        let matrix = Matrix { leave_out: &leave_out, ..Matrix::new(&title, Promise::AnswerIsNotClean) };
        broken.extend(matrix.run((0..4).map(place).collect()).1);
    }
    holds(&broken);
}
