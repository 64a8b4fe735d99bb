//! Objects of app clusters, by Argo CD's and by Flux's ways.

use serde_json::{Value, json};

use super::{Repository, application, create, document, item, names, plan, plan_as, stdout};
use crate::support::proxy::Proxy;
use crate::support::{self, Cluster, Options};

/// The registration of a cluster with Argo CD, by client certificate.
pub(super) fn registration(name: &str, server: &str, cluster: &Cluster) -> Value {
    let kubeconfig = cluster.admin_kubeconfig().unwrap();
    let user = &kubeconfig["users"][0]["user"];
    let config = json!({"tlsClientConfig": {
        "caData": kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"],
        "certData": user["client-certificate-data"], "keyData": user["client-key-data"],
    }});
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": "argocd", "name": name, "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
        "stringData": {"name": name, "server": server, "config": config.to_string()},
    })
}

#[test]
fn app_clusters_are_read_with_the_credentials_of_their_engines() {
    let Some(core) = support::start(Options::named("plan-core")) else { return };
    let Some(app) = support::start(Options::named("plan-app")) else { return };
    let map = |color: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m, namespace: default}}\ndata: {{color: {color}}}\n"
        )
    };
    let repository =
        Repository::new(&[("argo/m.yaml", &map("red")), ("flux/m.yaml", &map("red").replace("name: m", "name: f"))]);
    let kubeconfig = serde_json::to_string(&app.admin_kubeconfig().unwrap()).unwrap();
    let git = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": {"namespace": "flux-system", "name": "quotes"},
        "spec": {"url": "ssh://git@git.example.org/platform/quotes.git"},
    });
    let kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"namespace": "flux-system", "name": "quotes"},
        "spec": {
            "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "./flux", "prune": true, "namePrefix": "pre-",
            "kubeConfig": {"secretRef": {"name": "app", "key": "kubeconfig"}},
            "postBuild": {"substitute": {"env": "prod"}}, "ignore": [{"paths": ["/data/ignored"]}],
        },
        "status": {"inventory": {"entries": [{"id": "default_old__ConfigMap", "v": "v1"}, {"id": "default_kept__ConfigMap", "v": "v1"}]}},
    });
    create(
        &core,
        vec![
            registration("prod", &app.server(), &app),
            registration("away", "https://127.0.0.1:1", &app),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "flux-system", "name": "app"}, "stringData": {"kubeconfig": kubeconfig}}),
            application("prod", "argo", json!({"destination": {"name": "prod", "namespace": "default"}})),
            application(
                "away",
                "argo",
                json!({"destination": {"server": "https://127.0.0.1:1", "namespace": "default"}}),
            ),
            application("nowhere", "argo", json!({"destination": {"name": "nowhere", "namespace": "default"}})),
            git,
            kustomization,
        ],
    );
    create(
        &app,
        vec![
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "old"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "kept", "annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"}}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "pre-f"}, "data": {"color": "red", "ignored": "x", "mine": "y"}}),
        ],
    );
    repository.write(&[("flux/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f, namespace: default}\ndata: {color: '${env}', ignored: z}\n")]);
    let mark = core.audit_mark();
    let (plan_document, code) = document(&plan(&core, &repository, &["-o", "json"]));
    assert_eq!(code, 1);
    assert_eq!(
        names(&plan_document),
        ["change ConfigMap/pre-f", "abandon ConfigMap/kept", "remove ConfigMap/old", "add ConfigMap/m"]
    );
    let flux = item(&plan_document, "ConfigMap", "pre-f");
    assert_eq!((&flux["cluster"], &flux["deployedBy"]["kind"]), (&json!("app"), &json!("Kustomization")));
    let differences = flux["differences"].as_array().unwrap();
    assert!(
        differences.iter().any(|entry| entry["path"] == "data.color" && entry["after"] == "prod"),
        "{differences:?}"
    );
    assert!(!differences.iter().any(|entry| entry["path"].as_str().unwrap().contains("ignored")), "{differences:?}");
    // Flux takes over fields that kubectl and its like wrote.
    assert!(
        differences.iter().any(|entry| entry["path"] == "data.mine" && entry["after"].is_null()),
        "{differences:?}"
    );
    assert_eq!(item(&plan_document, "ConfigMap", "m")["cluster"], json!("prod"));
    let unreadable = plan_document["unreadable"].to_string();
    assert!(unreadable.contains("away") && unreadable.contains("cannot be reached"), "{unreadable}");
    assert!(unreadable.contains("no cluster of that name is registered"), "{unreadable}");
    // Not one object of theirs was looked for in the core cluster.
    assert!(core.requests_since(mark).iter().all(|request| !request.uri.contains("/configmaps/m")));
    let kubeconfig = support_merged(&core, &app);
    let through = plan_as(
        &kubeconfig,
        &repository,
        &["--destination", "nowhere=plan-app", "--context", "plan-core", "-o", "json"],
    );
    assert!(!document(&through).0["unreadable"].to_string().contains("nowhere"), "{}", stdout(&through));
}

#[test]
fn permissions_recorded_by_adopt_cluster_are_used_where_no_tenant_can_write() {
    let Some(core) = support::start(Options::named("plan-allowed")) else { return };
    let Some(app) = support::start(Options::named("plan-unverified")) else { return };
    let repository = Repository::new(&[(
        "flux/m.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\ndata: {color: red}\n",
    )]);
    let mut kubeconfig = app.admin_kubeconfig().unwrap();
    let cluster = &mut kubeconfig["clusters"][0]["cluster"];
    *cluster = json!({"server": cluster["server"], "insecure-skip-tls-verify": true});
    // An author of a Secret may also write these annotations, which `adopt-cluster` writes.
    let secret = |namespace: &str, name: &str, allowed: Option<&str>| {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {
                "namespace": namespace, "name": name, "labels": {"app.kubernetes.io/managed-by": "kubectl-ucp"},
                "annotations": {
                    "kubectl-ucp.io/cluster": name, "kubectl-ucp.io/auth": "service-account",
                    "kubectl-ucp.io/allowed": allowed,
                },
            },
            "stringData": {"value": kubeconfig.to_string()},
        })
    };
    let kustomization = |namespace: &str, name: &str| {
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"namespace": namespace, "name": name},
            "spec": {
                "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "./flux", "prune": true,
                "kubeConfig": {"secretRef": {"name": name}},
            },
        })
    };
    let ready = |status: &str| json!({"type": "Ready", "status": status, "reason": "R", "message": "", "lastTransitionTime": "2026-11-01T09:00:00Z"});
    // With the credentials of a tenant, Flux only fetches repositories that the tenant may read.
    let git = |namespace: &str| {
        let artifact = json!({
            "digest": "sha256:0", "lastUpdateTime": "2026-11-01T09:00:00Z", "path": "a", "revision": "main@sha1:0",
            "url": "http://source-controller/a",
        });
        json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"namespace": namespace, "name": "quotes"}, "spec": {"url": super::URL},
            "status": match namespace {
                "guest" => json!({}),
                // Its artifact is of another URL, which it had before.
                "former" => json!({"artifact": artifact, "observedGeneration": 1, "conditions": [ready("False")]}),
                _ => json!({"artifact": artifact, "observedGeneration": 1, "conditions": [ready("True")]}),
            },
        })
    };
    let fetching = |namespace: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": namespace, "name": "fetching"},
            "stringData": {"value": serde_json::to_string(&app.admin_kubeconfig().unwrap()).unwrap()},
        })
    };
    let mut across = kustomization("neighbor", "fetching");
    across["spec"]["sourceRef"]["namespace"] = json!("flux-system");
    across["status"] = json!({"observedGeneration": 1, "conditions": [ready("False")]});
    create(
        &core,
        vec![
            secret("flux-system", "allowed", Some("insecure")),
            secret("flux-system", "refused", None),
            secret("tenant", "claimed", Some("insecure")),
            kustomization("flux-system", "allowed"),
            kustomization("flux-system", "refused"),
            kustomization("tenant", "claimed"),
            // A guest has no credentials for the repository, and would get its files from the plan.
            fetching("guest"),
            fetching("former"),
            fetching("neighbor"),
            kustomization("guest", "fetching"),
            kustomization("former", "fetching"),
            across,
            git("flux-system"),
            git("tenant"),
            git("guest"),
            git("former"),
        ],
    );
    let (plan_document, _) = document(&plan(&core, &repository, &["-o", "json"]));
    assert_eq!(names(&plan_document), ["add ConfigMap/m"], "{plan_document:#}");
    assert_eq!(item(&plan_document, "ConfigMap", "m")["cluster"], json!("allowed"));
    let unreadable: Vec<&Value> = plan_document["unreadable"].as_array().unwrap().iter().collect();
    for (name, reason) in [
        ("refused", "skips TLS"),
        ("claimed", "its server is localhost"),
        ("guest/fetching", "Flux has not fetched its source as it is now"),
        ("former/fetching", "Flux has not fetched its source as it is now"),
        ("neighbor/fetching", "Flux has not fetched its source as it is now"),
    ] {
        let of_it = |entry: &&&Value| entry.to_string().contains(name) && entry.to_string().contains(reason);
        assert!(unreadable.iter().any(|entry| of_it(&entry)), "{name}: {unreadable:#?}");
    }
    // A namespace does not become that of an engine by being the only one that is read.
    let of_tenant = plan(&core, &repository, &["-n", "tenant", "-o", "json"]);
    assert!(!stdout(&of_tenant).contains("add"), "{}", stdout(&of_tenant));
}

#[test]
fn tenants_cannot_choose_the_namespace_of_argo_cds_clusters() {
    let Some(core) = support::start(Options::named("plan-tenants")) else { return };
    let Some(app) = support::start(Options::named("plan-of-gitops")) else { return };
    let stranger = Proxy::start(&app).unwrap();
    let repository = Repository::new(&[(
        "argo/m.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\ndata: {color: red}\n",
    )]);
    let moved = |mut object: Value, namespace: &str| {
        object["metadata"]["namespace"] = json!(namespace);
        object
    };
    let prod = json!({"destination": {"name": "prod", "namespace": "default"}});
    let project = |namespace: &str, name: &str| {
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
            "metadata": {"namespace": namespace, "name": name},
            "spec": {"sourceRepos": ["*"], "destinations": [{"name": "*", "namespace": "*"}]},
        })
    };
    let settings = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "a-tenant", "name": "argocd-cm"},
        "data": {"resource.customizations.ignoreDifferences.all": "jsonPointers: [/data]"},
    });
    // The tenant has more Applications, a namespace that is listed first, and a cluster and settings by the same names.
    let of_tenant =
        (0..3).map(|index| moved(application(&format!("tenant-{index}"), "argo", prod.clone()), "a-tenant"));
    let objects = vec![
        project("gitops", "default"),
        moved(registration("prod", &app.server(), &app), "gitops"),
        moved(application("prod", "argo", prod.clone()), "gitops"),
        moved(registration("prod", &stranger.server(), &app), "a-tenant"),
        settings,
    ];
    create(&core, objects.into_iter().chain(of_tenant).collect());
    let (plan_document, _) = document(&plan(&core, &repository, &["-o", "json"]));
    assert_eq!(item(&plan_document, "ConfigMap", "m")["cluster"], json!("prod"), "{plan_document:#}");
    assert_eq!(plan_document["unreadable"], json!([]), "{plan_document:#}");
    // With an AppProject of its own, which of the two is Argo CD's is unknown, and a person decides.
    create(&core, vec![project("a-tenant", "one"), project("a-tenant", "two")]);
    let output = plan(&core, &repository, &["-o", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    let printed = super::stderr(&output);
    assert!(printed.contains("AppProjects are in a-tenant, gitops; pass it with --argocd-namespace"), "{printed}");
    let decided = plan(&core, &repository, &["-o", "json", "--argocd-namespace", "gitops"]);
    assert_eq!(item(&document(&decided).0, "ConfigMap", "m")["cluster"], json!("prod"));
    assert_eq!(stranger.seen(), []);
}

/// A kubeconfig with a context for each of two clusters.
fn support_merged(core: &Cluster, app: &Cluster) -> std::path::PathBuf {
    let kubeconfigs = [core.admin_kubeconfig().unwrap(), app.admin_kubeconfig().unwrap()];
    core.save(&support::kubeconfig::merged(&kubeconfigs))
}
