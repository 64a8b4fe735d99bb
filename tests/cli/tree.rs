//! `tree`: from the Git commit to external resources, through one object.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY};

const CLAIM: &str = "database.platform.example.org/quotes-orders";

fn tree(arguments: &[&str]) -> Ran {
    run(ucp_from(BAD_DAY, ["tree"].into_iter().chain(arguments.iter().copied())))
}

/// The tree of an object in a snapshot of these objects alone.
fn tree_of(objects: &[Value], arguments: &[&str]) -> Ran {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    run_with_input(ucp(["tree", "--from", "-"].iter().chain(arguments)), list.to_string())
}

fn ids(ran: &Ran) -> BTreeSet<String> {
    ran.json()["nodes"].as_array().unwrap().iter().map(|node| node["id"].as_str().unwrap().to_owned()).collect()
}

/// Verdict and message of a node.
fn node(ran: &Ran, id: &str) -> (String, String) {
    let document = ran.json();
    let nodes = document["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|node| node["id"] == id).unwrap_or_else(|| panic!("no {id} in {document:#}"));
    let text = |field: &str| node[field].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("message"))
}

/// `from relation to` of every edge.
fn edges(ran: &Ran) -> BTreeSet<String> {
    let text = |edge: &Value| format!("{} {} {}", edge["from"], edge["relation"], edge["to"]).replace('"', "");
    ran.json()["edges"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn the_git_repository_is_the_first_row() {
    let names = tree(&["application/prod-quote-app-with-database-aws", "-o", "json"]).expect(0).json();
    assert!(names["edges"].as_array().unwrap().iter().any(|edge| edge["relation"] == "hosts"), "{names}");
    for object in ["application/prod-quote-app-with-database-aws", "application/application-bootstrap-prod"] {
        let text = tree(&[object]).expect(0).stdout;
        let first = text.lines().skip_while(|line| !line.starts_with("VERDICT")).nth(1).unwrap();
        assert!(first.contains(" git http"), "{text}");
    }
}

#[test]
fn the_tree_of_a_claim_shows_the_cause_of_its_problem() {
    let ran = tree(&[CLAIM, "-o", "json"]).expect(0);
    let document = ran.json();
    assert_eq!((&document["apiVersion"], &document["kind"]), (&json!("ucp/v1"), &json!("Tree")));
    assert_eq!(document["root"], "database.platform.example.org/quotes/quotes-orders");
    // As in `resources` and `wait`, a category selects kinds.
    let by_category = tree(&["claim/quotes-orders", "-n", "quotes", "-o", "json"]).expect(0).json();
    assert_eq!(by_category["root"], document["root"]);
    let composite = "xdatabase.platform.example.org/quotes-orders-7k2px";
    let instance = "databaseinstance.sql.gcp.upbound.io/quotes-orders-7k2px-4fd2e";
    let edges = edges(&ran);
    for edge in [
        format!("database.platform.example.org/quotes/quotes-orders composes {composite}"),
        format!("{composite} composes {instance}"),
        format!("{instance} configuredBy providerconfig.gcp.upbound.io/default"),
        format!("{instance} reconciledBy provider.pkg.crossplane.io/provider-gcp-sql"),
        format!("{instance} represents external:DatabaseInstance/quotes-orders-7k2px-4fd2e"),
    ] {
        assert!(edges.contains(&edge), "{edge} is not in {edges:#?}");
    }
    assert_eq!(node(&ran, instance).0, "Failed");
    let table = tree(&[CLAIM]).expect(0).stdout;
    assert!(
        table.starts_with("Failed UCP111  databaseinstance.sql.gcp.upbound.io/quotes-orders-7k2px-4fd2e\n"),
        "{table}"
    );
    let lines = table.lines().filter(|line| line.contains("quotes-orders")).collect::<Vec<_>>();
    assert!(lines.iter().any(|line| line.starts_with("Stuck     └─ xdatabase.")), "{table}");
}

#[test]
fn the_tree_of_an_applied_object_reaches_its_commit() {
    let nodepool = "nodepool.container.gcp.crossplane.io/gcp-k8s-np-prod";
    let ran = tree(&[nodepool, "-o", "json"]).expect(0);
    let git = ran.json()["nodes"].as_array().unwrap().iter().filter(|node| node.get("git").is_some()).count();
    assert!(git >= 1, "{}", ran.stdout);
    let up = tree(&[nodepool, "--up", "-o", "json"]).expect(0);
    let down = tree(&[nodepool, "--down", "-o", "json"]).expect(0);
    let union: BTreeSet<String> = ids(&up).union(&ids(&down)).cloned().collect();
    assert_eq!(union, ids(&ran));
    assert_eq!(ids(&up).intersection(&ids(&down)).collect::<Vec<_>>(), [nodepool]);
    let one = tree(&[nodepool, "--up", "--depth", "1", "-o", "json"]).expect(0);
    assert_eq!(ids(&one).len(), 2, "{}", one.stdout);
    let names = tree(&[nodepool, "--up", "-o", "name"]).expect(0).stdout;
    assert!(names.lines().any(|line| line.starts_with("application.argoproj.io/")), "{names}");
}

/// A workload whose rollout hangs, and a revision of a package, are judged by their status.
#[test]
fn an_object_without_an_engine_is_not_ok_just_because_it_exists() {
    let deployment = |conditions: Value| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop", "generation": 2, "creationTimestamp": "2026-11-01T08:00:00Z"},
            "spec": {"replicas": 3},
            "status": {"observedGeneration": 2, "replicas": 4, "updatedReplicas": 1, "readyReplicas": 3, "availableReplicas": 3,
                "unavailableReplicas": 1, "conditions": conditions},
        })
    };
    let underway = json!([{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}]);
    let failed = json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]);
    for (conditions, expected) in [(underway, "Progressing"), (failed, "Failed")] {
        let ran = tree_of(&[deployment(conditions)], &["deployment/web", "-n", "shop", "-o", "json"]);
        assert_eq!(node(&ran, "deployment.apps/shop/web").0, expected, "{ran:?}");
    }
    let revision = json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "metadata": {"name": "p-1"},
        "spec": {"desiredState": "Active"},
        "status": {"conditions": [{"type": "RuntimeHealthy", "status": "False", "reason": "UnhealthyPackageRevision", "message": "deployment is unavailable"}]},
    });
    let ran = tree_of(&[revision], &["providerrevision/p-1", "-o", "json"]);
    assert_ne!(node(&ran, "providerrevision.pkg.crossplane.io/p-1").0, "OK", "{ran:?}");
}

fn bucket(name: &str, config: &str, ready: &str) -> Value {
    let condition = |kind: &str| {
        json!({"type": kind, "status": ready, "reason": if kind == "Synced" { "ReconcileSuccess" } else { "Available" }, "message": "no",
        "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    json!({
        "apiVersion": "s3.aws.example.org/v1", "kind": "Bucket",
        "metadata": {"name": name, "annotations": {"crossplane.io/external-name": format!("{name}-abc")}},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": config}},
        "status": {"conditions": [condition("Ready"), condition("Synced")]},
    })
}

fn composite(parts: &[&str]) -> Value {
    let refs: Vec<Value> = parts
        .iter()
        .map(|name| json!({"apiVersion": "s3.aws.example.org/v1", "kind": "Bucket", "name": name}))
        .collect();
    json!({
        "apiVersion": "platform.example.org/v1", "kind": "XStore", "metadata": {"name": "store"},
        "spec": {"resourceRefs": refs, "compositionRef": {"name": "c"}},
    })
}

fn config(name: &str) -> Value {
    json!({"apiVersion": "aws.example.org/v1", "kind": "ProviderConfig", "metadata": {"name": name}, "spec": {}})
}

#[test]
fn the_target_of_a_dangling_reference_is_missing() {
    let objects = [composite(&["here", "gone"]), bucket("here", "nowhere", "True"), config("default")];
    let ran = tree_of(&objects, &["xstore/store", "-o", "json"]);
    let (verdict, message) = node(&ran, "bucket.s3.aws.example.org/gone");
    assert_eq!(verdict, "Failed");
    assert!(message.starts_with("missing: "), "{message}");
    assert_eq!(node(&ran, "providerconfig.aws.example.org/nowhere").0, "Failed");
    // A kind of which the snapshot has nothing is another matter.
    let ran = tree_of(&[composite(&["unseen"])], &["store", "-o", "json"]);
    assert_eq!(node(&ran, "bucket.s3.aws.example.org/unseen").0, "Unknown");
}

#[test]
fn operations_usages_releases_and_directories_are_linked() {
    let config_map = |name: &str, annotations: Value| {
        json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "shop", "annotations": annotations}})
    };
    let commit = "main@sha1:4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";
    let objects = [
        json!({"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "CronOperation", "metadata": {"name": "nightly"}}),
        json!({"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "Operation",
            "metadata": {"name": "nightly-1", "labels": {"ops.crossplane.io/cronoperation": "nightly"}},
            "status": {"appliedResourceRefs": [
                {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "rotated"}]}}),
        json!({"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage",
            "metadata": {"name": "guard", "namespace": "shop"},
            "spec": {"of": {"apiVersion": "v1", "kind": "ConfigMap", "resourceRef": {"name": "rotated"}},
                "by": {"apiVersion": "v1", "kind": "ConfigMap", "resourceRef": {"name": "installed"}}}}),
        config_map("rotated", json!({})),
        config_map("installed", json!({"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"})),
        json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": "apps", "namespace": "flux-system"},
            "spec": {"path": "./clusters/prod", "sourceRef": {"kind": "GitRepository", "name": "platform"}},
            "status": {"lastAppliedRevision": commit}}),
    ];
    let found = edges(&tree_of(&objects, &["configmap/rotated", "-o", "json"]).expect(0));
    for edge in [
        "cronoperation.ops.crossplane.io/nightly generates operation.ops.crossplane.io/nightly-1",
        "operation.ops.crossplane.io/nightly-1 applies configmap/shop/rotated",
        "usage.protection.crossplane.io/shop/guard dependsOn configmap/shop/rotated",
    ] {
        assert!(found.contains(edge), "{edge} is not in {found:#?}");
    }
    let found = edges(&tree_of(&objects, &["configmap/installed", "-o", "json"]).expect(0));
    assert!(found.contains("external:HelmRelease/shop/web applies configmap/shop/installed"), "{found:#?}");
    let ran = tree_of(&objects, &["kustomization/apps"]).expect(0);
    assert!(ran.stdout.contains("apps -n flux-system (./clusters/prod @ main@sha1:4f3a2b1c)"), "{}", ran.stdout);
}

#[test]
fn healthy_siblings_are_folded_and_repeated_objects_have_a_single_line() {
    let names: Vec<String> = (0..15).map(|number| format!("b{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut objects = vec![composite(&names), config("default")];
    objects.extend(names.iter().map(|name| bucket(name, "default", "True")));
    let ran = tree_of(&objects, &["xstore/store"]);
    let table = &ran.stdout;
    assert!(table.contains("and 12 more, all OK"), "{table}");
    assert_eq!(table.matches("providerconfig.aws.example.org/default").count(), 1, "{table}");
    let wide = tree_of(&objects, &["xstore/store", "-o", "wide"]).stdout;
    assert!(names.iter().all(|name| wide.contains(&format!("/{name} → {name}-abc"))), "{wide}");
    assert_eq!(wide.matches("providerconfig.aws.example.org/default").count(), 1, "{wide}");
    // An unhealthy one is listed, and first.
    objects.push(composite(&[]));
    objects[2] = bucket("b00", "default", "False");
    let table = tree_of(&objects[..17], &["xstore/store"]).stdout;
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.contains("xstore")).collect();
    let first = table.lines().position(|line| line.contains("bucket.s3.aws.example.org/b00 →"));
    assert!(first.is_some() && table.contains("and 11 more, all OK"), "{lines:#?}");
}

#[test]
fn users_of_a_provider_config_are_above_it() {
    let objects =
        [bucket("one", "default", "True"), bucket("two", "other", "True"), config("default"), config("other")];
    let ran = tree_of(&objects, &["providerconfig/default", "--up", "-o", "json"]).expect(0);
    assert_eq!(
        ids(&ran).into_iter().collect::<Vec<_>>(),
        ["bucket.s3.aws.example.org/one", "providerconfig.aws.example.org/default"]
    );
}

#[test]
fn the_tree_of_a_cluster_has_the_objects_deployed_to_it() {
    let kubeconfig = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://10.0.0.1'}}]\n\
                      contexts: [{name: c, context: {cluster: c, user: u}}]\ncurrent-context: c\n\
                      users: [{name: u, user: {token: canary}}]\n";
    let objects = [
        json!({
            "apiVersion": "container.gcp.upbound.io/v1", "kind": "Cluster", "metadata": {"name": "prod"},
            "spec": {"forProvider": {}, "writeConnectionSecretToRef": {"name": "prod-conn", "namespace": "infra"}},
            "status": {"conditions": [
                {"type": "Ready", "status": "True", "reason": "Available"},
                {"type": "Synced", "status": "True", "reason": "ReconcileSuccess"},
            ]},
        }),
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "prod-conn", "namespace": "infra"},
            "type": "connection.crossplane.io/v1alpha1", "stringData": {"kubeconfig": kubeconfig},
        }),
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "cluster-prod", "namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
            "stringData": {"name": "prod", "server": "https://10.0.0.1:443/", "config": "{\"bearerToken\": \"canary\"}"},
        }),
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "shop", "namespace": "argocd"},
            "spec": {
                "destination": {"name": "prod", "namespace": "shop"}, "project": "default",
                "source": {"repoURL": "https://user:canary@git.example.org/shop.git", "path": "overlays/prod"},
            },
            "status": {
                "sync": {"status": "Synced", "revision": "0123456789012345678901234567890123456789"},
                "health": {"status": "Healthy"}, "reconciledAt": "2026-01-01T00:00:00Z",
                "resources": [{"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "shop", "name": "web",
                    "status": "Synced", "health": {"status": "Degraded"}}],
            },
        }),
    ];
    let ran = tree_of(&objects, &["cluster/prod", "-o", "json"]);
    let edges = edges(&ran);
    for edge in [
        "cluster.container.gcp.upbound.io/prod writes secret/infra/prod-conn",
        "secret/infra/prod-conn opens external:https://10.0.0.1/Cluster/prod",
        "external:https://10.0.0.1/Cluster/prod hosts application.argoproj.io/argocd/shop",
    ] {
        assert!(edges.contains(edge), "{edge} is not in {edges:#?}");
    }
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
    // The other direction, and the parts of the object.
    let ran = tree_of(&objects, &["application/shop", "-o", "json"]);
    assert!(ids(&ran).contains("cluster.container.gcp.upbound.io/prod"), "{:#?}", ids(&ran));
    assert_eq!(node(&ran, "external:prod/Deployment/shop/web").0, "Failed");
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
}

#[test]
fn ambiguous_names_are_listed_and_missing_objects_reported() {
    let ran = tree(&["cluster.container.gcp.crossplane.io/nothing"]).expect(3);
    assert!(ran.stderr.contains("does not exist"), "{}", ran.stderr);
    let ran = tree(&["nodepol/gcp-k8s-np-prod"]).expect(2);
    assert!(ran.stderr.contains("did you mean 'nodepool'"), "{}", ran.stderr);
    let objects = [
        bucket("twin", "default", "True"),
        json!({
            "apiVersion": "storage.gcp.example.org/v1", "kind": "Bucket", "metadata": {"name": "twin"}, "spec": {"forProvider": {}},
        }),
    ];
    let ran = tree_of(&objects, &["bucket/twin"]).expect(2);
    assert!(
        ran.stderr.contains("bucket.s3.aws.example.org/twin\n  bucket.storage.gcp.example.org/twin"),
        "{}",
        ran.stderr
    );
    tree_of(&objects, &["twin"]).expect(2);
    assert_eq!(ids(&tree_of(&objects, &["bucket.storage.gcp", "twin", "-o", "json"])).len(), 2);
    for words in [&["a/b/c"][..], &["/x"], &["x/"], &["a/b", "c"]] {
        assert_ne!(tree(words).code, Some(0), "{words:?}");
    }
}

/// Files that could not be read may contain the kind, so the command cannot be called wrong.
#[test]
fn an_unknown_kind_is_no_usage_error_if_the_snapshot_is_incomplete() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("bucket.yaml", &bucket("logs", "default", "True").to_string());
    let tree = |object: &str| run(ucp_from(directory.path().to_str().unwrap(), ["tree", object]));
    assert!(tree("queue/jobs").expect(2).stderr.contains("no kind is called 'queue'"));
    write("broken.yaml", "apiVersion: v1\nkind: [\n");
    let ran = tree("queue/jobs").expect(3);
    let is_reported = ["no kind is called 'queue'; ", "broken.yaml:2"].iter().all(|words| ran.stderr.contains(words));
    assert!(is_reported && ran.stdout.is_empty(), "{}", ran.stderr);
    tree("bucket/logs").expect(4);
}

#[test]
fn diagrams_have_the_syntax_of_their_tools() {
    let hostile = bucket("a", "x\"]; click n0 href \"javascript:1\" <b>`\u{1b}[31m", "True");
    let objects = [hostile, config("default")];
    let drawn = |format: &str| tree_of(&objects, &["bucket/a", "-o", format]).stdout;
    assert!(drawn("dot").starts_with("digraph ") && drawn("dot").contains("x\\\"]; click"), "{}", drawn("dot"));
    let mermaid = drawn("mermaid");
    assert!(
        mermaid.starts_with("flowchart LR\n") && !mermaid.contains("x\"]") && !mermaid.contains("<b>"),
        "{mermaid}"
    );
    assert!(drawn("markdown").starts_with("```mermaid\nflowchart LR\n"), "{}", drawn("markdown"));
    let svg = drawn("svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("<b>"), "{svg}");
    for format in ["dot", "mermaid", "svg", "markdown", "table", "json"] {
        assert!(!drawn(format).contains('\u{1b}'), "{format}");
    }
    run(ucp_from(BAD_DAY, ["status", "-o", "dot"])).expect(2);
}

#[test]
fn a_live_tree_is_that_of_the_snapshot_and_costs_less_than_all() {
    let Some(cluster) = hub::bad_day() else { return };
    for object in [CLAIM, "nodepool.container.gcp.crossplane.io/gcp-k8s-np-prod"] {
        // Other tests ask the same server at the same time: the fewest of several times are its own.
        let look = || {
            let mark = cluster.audit_mark();
            let live = run(ucp_on(cluster, ["tree", object, "-o", "json"])).expect(0);
            (cluster.requests_since(mark).len(), live)
        };
        let (asked, live) = [look(), look(), look()].into_iter().min_by_key(|(asked, _)| *asked).unwrap();
        let offline = tree(&[object, "-o", "json"]).expect(0);
        let known =
            |ran: &Ran| -> BTreeSet<String> { ids(ran).into_iter().filter(|id| !id.starts_with("secret/")).collect() };
        assert_eq!(known(&live), known(&offline), "{object}");
        let mark = cluster.audit_mark();
        let by_name = run(ucp_on(cluster, ["tree", object.rsplit('/').next().unwrap(), "-o", "json"]));
        assert!(asked < cluster.requests_since(mark).len() || by_name.code != Some(0), "{asked} requests for {object}");
    }
    run(ucp_on(cluster, ["tree", "nodepool/nothing"])).expect(3);
}
