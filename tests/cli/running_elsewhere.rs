//! Versions that run in app clusters to which Flux deploys: `images --running` and `promote --verify`.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::failing_reads::rules;
use crate::gitops::{Gitops, Run, deployment};
use crate::granted::{Users, check, cluster_role, page};
use crate::support::certificates::Validity;
use crate::support::command::CANARY;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, load};

const IMAGE: &str = "dagandersen/echo-server";

/// A core cluster whose Flux deploys the overlay of stage to an app cluster.
struct Scene {
    core: Cluster,
    app: Cluster,
    repository: Gitops,
}

impl Scene {
    fn start(name: &str) -> Option<Self> {
        let core = support::start(Options::named(&format!("{name}-core")))?;
        let app = support::start(Options::named(&format!("{name}-app")))?;
        let scene = Self { core, app, repository: Gitops::paper("v2", "v1") };
        let controller = |name: &str| {
            let template = json!({
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "manager", "image": format!("ghcr.io/fluxcd/{name}:v1.9.0")}]},
            });
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {
                    "namespace": "flux-system", "name": name,
                    "labels": {"app.kubernetes.io/part-of": "flux", "control-plane": "controller"},
                },
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template},
                "status": {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1},
            })
        };
        let time = "2026-11-20T09:00:00Z";
        put(
            &scene.core,
            vec![
                controller("kustomize-controller"),
                controller("source-controller"),
                json!({
                    "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                    "metadata": {"namespace": "flux-system", "name": "apps"},
                    "spec": {"url": "https://git.example.org/apps.git", "interval": "1m"},
                }),
                json!({
                    "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                    "metadata": {"namespace": "flux-system", "name": "stage"},
                    "spec": {
                        "path": "./echo/overlays/stage", "prune": true, "interval": "1m",
                        "sourceRef": {"kind": "GitRepository", "name": "apps"},
                        "kubeConfig": {"secretRef": {"name": "prod-kubeconfig"}},
                    },
                    "status": {
                        "lastAppliedRevision": "main@sha1:a", "lastAttemptedRevision": "main@sha1:a",
                        "conditions": [{
                            "type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "message": "Applied",
                            "lastTransitionTime": time,
                        }],
                        "inventory": {"entries": [
                            {"id": "default_echo_apps_Deployment", "v": "v1"},
                            {"id": "default_nightly_batch_CronJob", "v": "v1"},
                        ]},
                    },
                }),
            ],
        );
        let admin = scene.app.admin_kubeconfig().unwrap();
        scene.enters_with(&admin.to_string());
        scene.app.apply(&nightly("busybox:1"));
        Some(scene)
    }

    /// Writes the kubeconfig that Flux uses.
    fn enters_with(&self, kubeconfig: &str) {
        self.core.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "flux-system", "name": "prod-kubeconfig"},
            "stringData": {"value": kubeconfig},
        }));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.repository.ucp_command(arguments);
        command.arg("--kubeconfig").arg(self.core.kubeconfig());
        command
    }

    fn images(&self) -> Run {
        let run = Run::of(self.command(&["images", "--running", "-o", "json"]).output().unwrap());
        assert!(!format!("{}{}", run.stdout, run.stderr).contains(CANARY), "{run:?}");
        run
    }

    /// The document about stage.
    fn stage(&self) -> Value {
        self.images().json()["services"][0]["images"][0]["versions"]["stage"].take()
    }

    fn table(&self) -> String {
        Run::of(self.command(&["images", "--running"]).output().unwrap()).stdout
    }

    fn promote(&self) -> Run {
        let arguments = ["promote", "stage", "prod", "--all", "--verify", "--dry-run", "-o", "json"];
        Run::of(self.command(&arguments).output().unwrap())
    }

    fn refusal(&self) -> String {
        self.promote().json()["refused"][0]["reason"].as_str().unwrap_or_default().to_owned()
    }
}

/// A job of every night, as Flux applies it.
fn nightly(first: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"namespace": "default", "name": "nightly", "labels": {
            "kustomize.toolkit.fluxcd.io/name": "stage", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
        }},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "initContainers": [{"name": "first", "image": first}],
            "containers": [{"name": "job", "image": "busybox:1"}],
        }}}}},
    })
}

fn put(cluster: &Cluster, objects: Vec<Value>) {
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
}

/// Puts a workload as Flux applies it, with so many replicas of its newest template.
fn applied(cluster: &Cluster, name: &str, image: &str, updated: i64) {
    let _ = cluster.kubectl(["delete", "--ignore-not-found", "deployment", name]).output().unwrap();
    put(
        cluster,
        vec![json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"namespace": "default", "name": name, "labels": {
                "kustomize.toolkit.fluxcd.io/name": "stage", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            }},
            "spec": {
                "replicas": 2, "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "app", "image": image}]}},
            },
            "status": {
                "observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "availableReplicas": 2, "updatedReplicas": updated,
            },
        })],
    );
}

#[test]
fn running_versions_are_read_in_the_app_cluster() {
    let Some(scene) = Scene::start("running") else { return };
    // Objects that another Flux applied under the same name, in the core cluster and in the app cluster.
    applied(&scene.core, "echo", &format!("{IMAGE}:v2"), 2);
    applied(&scene.app, "namesake", &format!("{IMAGE}:v2"), 2);
    applied(&scene.app, "echo", &format!("{IMAGE}:v1"), 2);
    assert_eq!((&scene.stage()["running"], &scene.stage()["runs"]), (&json!("v1"), &json!("other")));
    assert!(scene.table().contains("v2 (runs v1)"), "{}", scene.table());
    assert!(scene.refusal().contains("Kustomization flux-system/stage runs v1, not"), "{}", scene.refusal());

    applied(&scene.app, "echo", &format!("{IMAGE}:v2"), 1);
    assert_eq!(scene.stage()["runs"], "rollingOut");
    assert!(scene.refusal().contains("has rolled out 1 of 2 replicas"), "{}", scene.refusal());

    applied(&scene.app, "echo", &format!("{IMAGE}:v2"), 2);
    assert_eq!((&scene.stage()["running"], &scene.stage()["runs"]), (&json!("v2"), &json!("declared")));
    assert_eq!(scene.promote().exits(0).json()["changes"][0]["after"], "v2");

    let mirrored = format!("mirror.example.org/hub/{IMAGE}:v2");
    applied(&scene.app, "echo", &mirrored, 2);
    assert_eq!((&scene.stage()["running"], &scene.stage()["runs"]), (&json!(mirrored), &json!("other")));
    assert!(scene.table().contains(&format!("v2 (runs {mirrored})")), "{}", scene.table());
    assert!(scene.refusal().contains(&format!("runs {mirrored} instead of")), "{}", scene.refusal());

    // The inventory names it, and no list contains it.
    let _ = scene.app.kubectl(["delete", "deployment", "echo"]).output().unwrap();
    assert_eq!(scene.stage()["runs"], "unknown");
    assert!(scene.refusal().contains("default/echo, which no list"), "{}", scene.refusal());
    applied(&scene.app, "echo", "busybox:1", 2);
    assert_eq!(scene.stage()["runs"], "nothing");
    assert!(scene.table().contains("v2 (not running)"), "{}", scene.table());
    // A job of every night runs nothing that is ready.
    scene.app.apply(&nightly(&format!("{IMAGE}:v2")));
    assert_eq!(scene.stage()["runs"], "declared");

    // Without its controller, the applied version may differ from the declared one.
    let scale = ["scale", "-n", "flux-system", "deployment/kustomize-controller", "--replicas=0"];
    assert!(scene.core.kubectl(scale).output().unwrap().status.success());
    assert!(
        scene.refusal().contains("stage is out of date: deployment.apps/kustomize-controller"),
        "{}",
        scene.refusal()
    );
}

#[test]
fn an_app_cluster_that_cannot_be_read_is_unknown() {
    let Some(mut scene) = Scene::start("running-unknown") else { return };
    applied(&scene.app, "echo", &format!("{IMAGE}:v2"), 2);
    let unknown = |scene: &Scene, why: &str| {
        let run = scene.images().exits(4);
        let matrix = run.json();
        assert_eq!(matrix["services"][0]["images"][0]["versions"]["stage"]["runs"], "unknown", "{matrix:#}");
        assert_eq!(matrix["unreadable"][0]["what"], "Kustomization flux-system/stage", "{matrix:#}");
        let reason = matrix["unreadable"][0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains(why), "{reason}");
        let table = Run::of(scene.command(&["images", "--running"]).output().unwrap()).exits(4);
        assert!(table.stdout.contains("v2 (runs unknown)") && table.stderr.contains(why), "{table:?}");
        assert!(scene.refusal().contains(why), "{}", scene.refusal());
    };
    let mut starts_a_program = scene.app.admin_kubeconfig().unwrap();
    let marker = scene.repository.outside().join("started");
    starts_a_program["users"][0]["user"] = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "touch", "args": [marker], "interactiveMode": "Never",
    }});
    scene.enters_with(&starts_a_program.to_string());
    unknown(&scene, "uses an exec credential plugin");
    assert!(!marker.exists());
    let mut by_token = scene.app.admin_kubeconfig().unwrap();
    by_token["users"][0]["user"] = json!({"token": CANARY});
    scene.enters_with(&by_token.to_string());
    unknown(&scene, "Secret flux-system/prod-kubeconfig cannot be read: the server rejects the credentials");
    scene.enters_with(&scene.app.admin_kubeconfig().unwrap().to_string());
    scene.app.stop();
    unknown(&scene, "");
    assert!(
        scene
            .core
            .kubectl(["delete", "secret", "-n", "flux-system", "prod-kubeconfig"])
            .output()
            .unwrap()
            .status
            .success()
    );
    unknown(&scene, "Secret prod-kubeconfig not found in namespace flux-system");
}

/// Kubernetes has these kinds, so a server that does not list one has workloads that were not read.
#[test]
fn a_hidden_kind_of_workloads_never_leads_to_a_promotion() {
    let Some(scene) = Scene::start("running-hidden") else { return };
    applied(&scene.app, "echo", &format!("{IMAGE}:v2"), 2);
    let proxy = Proxy::start(&scene.app).unwrap();
    scene.enters_with(&std::fs::read_to_string(proxy.kubeconfig()).unwrap());
    assert_eq!(scene.promote().exits(0).json()["changes"][0]["after"], "v2");
    for path in [
        "/apis/apps/v1/deployments",
        "/apis/apps/v1/statefulsets",
        "/apis/apps/v1/daemonsets",
        "/apis/batch/v1/cronjobs",
    ] {
        for fault in ["undiscovered", "unlisted", "403", "500", "truncated"] {
            rules(path, fault).into_iter().for_each(|rule| proxy.add(rule));
            let run = scene.promote();
            assert_eq!(run.json()["changes"], json!([]), "{path} {fault}: {run:?}");
            proxy.clear();
        }
    }
    for path in ["/apis/apps/v1/deployments", "/apis/batch/v1/cronjobs"] {
        proxy.add(Rule::at(path, Fault::emptied()));
        assert!(scene.refusal().contains("which no list of its cluster contains"), "{path}: {}", scene.refusal());
        proxy.clear();
    }
}

#[test]
fn running_versions_of_app_clusters_are_unknown_in_a_snapshot() {
    let repository = Gitops::paper("v2", "v1");
    let snapshot: PathBuf = repository.outside().join("snapshot.yaml");
    let text = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: stage, namespace: flux-system}\n\
                spec: {path: ./echo/overlays/stage, kubeConfig: {secretRef: {name: prod-kubeconfig}}}\n";
    std::fs::write(&snapshot, text).unwrap();
    let from = ["--from", snapshot.to_str().unwrap()];
    repository
        .ucp(["images"].into_iter().chain(from))
        .exits(4)
        .prints("v2 (runs unknown)")
        .prints("not in the snapshot");
}

#[test]
fn images_and_promote_need_the_secrets_of_app_clusters() {
    let Some(scene) = Scene::start("running-rights") else { return };
    applied(&scene.app, "echo", &format!("{IMAGE}:v2"), 2);
    let top = scene.repository.top().to_str().unwrap();
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"namespace": "default", "name": "other"},
        "spec": {"project": "default", "destination": {"name": "other"}, "source": {"repoURL": "https://git.example.org/other.git"}},
    });
    let release = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"namespace": "default", "name": "other"},
        "spec": {"interval": "1m", "chart": {"spec": {"chart": "other", "sourceRef": {"kind": "HelmRepository", "name": "other"}}}},
    });
    put(&scene.core, vec![application, release]);
    let role = page("kubectl-ucp-images", &[None, Some("flux-system")]);
    let make = |user: Option<&str>| -> Command {
        let mut command =
            crate::support::command::ucp_on(&scene.core, ["images", "--running", "-o", "json", "-C", top]);
        command.args(user.iter().flat_map(|user| ["--as", user]));
        command
    };
    check(&scene.core, "images of app clusters", &role, &[], "customresourcedefinitions", &make);
    // In the app cluster the user is that of the Secret.
    let users = Users::of(&scene.app, &cluster_role("kubectl-ucp-images-app"), &[]);
    let enter = |user: &str| {
        let identity = scene.app.identity(user, None, Validity::Valid).unwrap();
        scene.enters_with(&scene.app.kubeconfig_with(&scene.app.server(), &identity).to_string());
    };
    enter(&users.full);
    assert_eq!(scene.images().exits(0).json()["services"][0]["images"][0]["versions"]["stage"]["runs"], "declared");
    for (entry, user) in &users.restricted {
        enter(user);
        let run = scene.images().exits(4);
        assert!(entry.is_named_in(&run.stdout), "{entry:?}: {run:?}");
    }
}

/// A Kustomization that applies a HelmRelease and a workload, and their running objects.
const FOLLOWED: &str = r#"apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: prod, namespace: flux-system}
spec: {path: ./apps/prod}
status:
  lastAppliedRevision: main@sha1:a
  lastAttemptedRevision: main@sha1:a
  conditions: [{type: Ready, status: "True", reason: ReconciliationSucceeded, message: Applied}]
  inventory: {entries: [{id: shop_api_helm.toolkit.fluxcd.io_HelmRelease, v: v2}, {id: shop_web_apps_Deployment, v: v1}]}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: api, namespace: shop}
spec: {chart: {spec: {chart: api-chart, version: 1.2.0}}}
status:
  history:
  - {chartName: api-chart, chartVersion: 1.2.0, status: failed, version: 3}
  - {chartName: api-chart, chartVersion: 1.1.0, status: deployed, version: 2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop, labels: {helm.toolkit.fluxcd.io/name: api, helm.toolkit.fluxcd.io/namespace: shop}}
spec: {replicas: 1, template: {spec: {containers: [{name: api, image: "r.io/team/api:v2.0.0"}]}}}
status: {observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: other, labels: {helm.toolkit.fluxcd.io/name: api, helm.toolkit.fluxcd.io/namespace: other}}
spec: {replicas: 1, template: {spec: {containers: [{name: api, image: "r.io/team/api:v9.0.0"}]}}}
status: {observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {kustomize.toolkit.fluxcd.io/name: prod, kustomize.toolkit.fluxcd.io/namespace: flux-system}
spec: {replicas: 1, template: {spec: {containers: [{name: web, image: "mirror.example.org/web:1.27"}]}}}
status: {observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1}
"#;

#[test]
fn helm_releases_and_new_names_are_followed_and_undeployed_images_are_marked() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: api}\nspec:\n  chart: {spec: {chart: \
                   api-chart, version: 1.2.0}}\n  values:\n    image: {repository: r.io/team/api, tag: v2.0.0}\n";
    let entry =
        "resources: [deployment.yaml]\nimages:\n- {name: nginx, newName: mirror.example.org/web, newTag: \"1.27\"}\n";
    let repository = Gitops::with(&[
        ("apps/prod/api/release.yaml", release),
        ("apps/prod/web/kustomization.yaml", entry),
        ("apps/prod/web/deployment.yaml", &deployment("web", "nginx:1.25")),
        ("tools/prod/cron.yaml", &deployment("cron", "r.io/team/cron:v1.0.0")),
    ]);
    let snapshot = repository.outside().join("snapshot.yaml");
    std::fs::write(&snapshot, FOLLOWED).unwrap();
    let from = ["--from", snapshot.to_str().unwrap()];
    let run = repository.ucp(["images", "-o", "json"].into_iter().chain(from)).exits(0);
    let mut cells = Vec::new();
    for service in run.json()["services"].as_array().unwrap() {
        for image in service["images"].as_array().unwrap() {
            let cell = &image["versions"]["prod"];
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            cells.push(
                [text(&image["name"]), text(&cell["declared"]), text(&cell["running"]), text(&cell["runs"])].join(" "),
            );
        }
    }
    cells.sort();
    let expected = [
        "api-chart 1.2.0 1.1.0 other",
        "nginx 1.27 1.27 declared",
        "r.io/team/api v2.0.0 v2.0.0 declared",
        "r.io/team/cron v1.0.0 - notCompared",
    ];
    assert_eq!(cells, expected, "{}", run.stdout);
    let table = repository.ucp(["images"].into_iter().chain(from)).exits(0);
    table.prints("1.2.0 (runs 1.1.0)").prints("v1.0.0*").prints("* not compared: no object");
    let silent = repository.ucp(["images"]).exits(0).stdout;
    assert!(!silent.contains("compared"), "{silent}");
}
