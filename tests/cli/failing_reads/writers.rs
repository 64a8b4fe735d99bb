//! Commands that write, each where it finds a reason not to: a read that fails is no reason to write after all.

use std::path::Path;

use serde_json::{Value, json};

use super::{Matrix, Place, Promise, holds};
use crate::fleet::{Corner, Fleet, fleet};
use crate::gitops::Gitops;
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run};
use crate::support::kubeconfig::Credential;
use crate::support::proxy::Proxy;
use crate::support::{self, Cluster, Options, load};

/// Runs at the same time.
const PLACES: usize = 4;

/// A corner of the fleet whose app cluster is behind a proxy of its own.
struct Scene {
    corner: Corner,
    core: Proxy,
    app: Proxy,
}

impl Scene {
    fn start(fleet: &'static Fleet) -> Self {
        let corner = Corner::of(fleet, "unread");
        let (core, app) = (Proxy::start(&fleet.core).unwrap(), Proxy::start(&fleet.app).unwrap());
        corner.provision(&corner.namespace, &app.server(), &Credential::Token(TOKEN.to_owned()));
        Self { corner, core, app }
    }

    /// An app cluster that is adopted, and that an Application deploys to.
    fn adopted(fleet: &'static Fleet) -> Self {
        let scene = Self::start(fleet);
        scene.adopt();
        let name = &scene.corner.namespace;
        scene.corner.put(json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name, "namespace": name},
            "spec": {"project": "default", "destination": {"name": name, "namespace": "a"},
                "source": {"repoURL": "https://git.example.org/a"}},
            "status": {"resources": [{"group": "apps", "version": "v1", "kind": "Deployment", "name": "a", "namespace": "a"}]},
        }));
        scene.adopt();
        scene
    }

    /// An app cluster that a user registered by hand.
    fn taken(fleet: &'static Fleet) -> Self {
        let scene = Self::start(fleet);
        scene.corner.put(json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "by-hand", "namespace": scene.corner.namespace,
                "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
            "stringData": {"name": "hand-made", "server": scene.app.server(), "config": "{}"},
        }));
        scene
    }

    fn adopt(&self) {
        let mut command = self.corner.ucp(&["adopt-cluster", &self.corner.namespace, "--yes", "--engine", "argocd"]);
        command.args(["--service-account", &format!("kube-system/{}", self.corner.namespace)]);
        run(command).expect(0);
    }

    fn place(self, arguments: &'static [&'static str]) -> Place<'static> {
        let Self { corner, core, app } = self;
        let (name, kubeconfig) = (corner.namespace.clone(), core.kubeconfig().to_owned());
        Place::new(&name, vec![("core", core), ("app", app)], move |timeout| {
            let mut command = corner.ucp_with(kubeconfig.clone(), &[arguments, &[&corner.namespace]].concat());
            command.args(["--yes", "--engine", "argocd", "--request-timeout", timeout]);
            command
        })
    }
}

fn matrix(title: &str, scenes: Vec<Scene>, arguments: &'static [&'static str]) -> (Ran, Vec<String>) {
    let places = scenes.into_iter().map(|scene| scene.place(arguments)).collect();
    Matrix::new(title, Promise::NothingIsWritten).run(places)
}

#[test]
fn a_failing_read_never_leads_to_an_adoption_or_a_release() {
    let Some(fleet) = fleet() else { return };
    let start = |make: fn(&'static Fleet) -> Scene| (0..PLACES).map(|_| make(fleet)).collect::<Vec<_>>();
    let (unchanged, mut broken) = matrix("adopt-cluster, adopted before", start(Scene::adopted), &["adopt-cluster"]);
    assert_eq!(unchanged.code, Some(0), "{unchanged:?}");
    let (taken, more) = matrix("adopt-cluster, registered by hand", start(Scene::taken), &["adopt-cluster"]);
    assert!(taken.stdout.contains("hand-made"), "{taken:?}");
    broken.extend(more);
    let (used, more) = matrix("release-cluster, deployed to", start(Scene::adopted), &["release-cluster"]);
    assert!(used.code == Some(1) && used.stdout.contains("still deploys there"), "{used:?}");
    broken.extend(more);
    holds(&broken);
}

#[test]
fn a_cluster_is_unknown_while_a_list_fails() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "unlisted");
    let core = Proxy::start(&fleet.core).unwrap();
    let asked = |command: &str| {
        let arguments = [command, "nowhere", "--engine", "argocd", "--yes", "--request-timeout", "5s"];
        run(corner.ucp_with(core.kubeconfig().to_owned(), &arguments))
    };
    for command in ["release-cluster", "adopt-cluster"] {
        let ran = asked(command).expect(2);
        assert!(ran.stderr.contains("no app cluster is called 'nowhere'"), "{ran:?}");
    }
    core.add(crate::support::proxy::Rule::on(
        &format!("/namespaces/{}/secrets", corner.namespace),
        crate::support::proxy::Fault::forbidden(),
    ));
    for command in ["release-cluster", "adopt-cluster"] {
        let ran = asked(command).expect(3);
        assert!(ran.stderr.contains("it is unknown whether app cluster 'nowhere' exists"), "{ran:?}");
        assert!(ran.stderr.contains("secrets"), "{ran:?}");
    }
}

const STAGE: &str = "echo/overlays/stage";

/// An Application and a Kustomization that run the versions of stage, and a controller of Argo CD that does not run.
fn deployers() -> Vec<Value> {
    let workload = |kind: &str, namespace: &str, name: &str, part: &str, ready: i64| {
        let labels = json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": part});
        json!({
            "apiVersion": "apps/v1", "kind": kind,
            "metadata": {"namespace": namespace, "name": name, "labels": labels},
            "spec": {"replicas": 1, "serviceName": name, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "manager", "image": format!("registry.example.org/{name}:v3.5.1")}]},
            }},
            "status": {"observedGeneration": 1, "replicas": 1, "readyReplicas": ready, "availableReplicas": ready, "updatedReplicas": 1},
        })
    };
    let mut repo_server = workload("Deployment", "argocd", "argocd-repo-server", "argocd", 1);
    repo_server["spec"].as_object_mut().unwrap().remove("serviceName");
    vec![
        workload("StatefulSet", "argocd", "argocd-application-controller", "argocd", 0),
        repo_server,
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"namespace": "argocd", "name": "stage-echo"},
            "spec": {"project": "default", "source": {"repoURL": "https://git.example.org/apps.git", "path": STAGE},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"}},
            "status": {
                "sync": {"status": "Synced"}, "health": {"status": "Healthy"},
                "summary": {"images": ["dagandersen/echo-server:v2"]},
            },
        }),
    ]
}

/// Promotions from stage to prod, each in a checkout of its own.
fn promotions(cluster: &Cluster) -> Vec<Place<'_>> {
    let place = |_| {
        let repository = Gitops::paper("v2", "v1");
        let core = Proxy::start(cluster).unwrap();
        let (kubeconfig, top) = (core.kubeconfig().to_owned(), repository.top().to_owned());
        let command = move |timeout: &str| {
            let arguments = ["promote", "stage", "prod", "--all", "--verify", "--yes", "--request-timeout", timeout];
            let mut command = repository.ucp_command(arguments);
            command.env("KUBECONFIG", &kubeconfig);
            command
        };
        let state = Box::new(move || prod(&top));
        Place { state, ..Place::new("", vec![("core", core)], command) }
    };
    (0..PLACES).map(place).collect()
}

#[test]
fn a_failing_read_never_leads_to_a_promotion() {
    let Some(cluster) = support::start(Options::named("unread-promote")) else { return };
    support::run(async || load::load_objects(&cluster.client(), deployers()).await).unwrap();
    let (refused, broken) =
        Matrix::new("promote --verify, out of date", Promise::NothingIsWritten).run(promotions(&cluster));
    assert!(refused.code == Some(1) && refused.stdout.contains("out of date"), "{refused:?}");
    holds(&broken);
}

/// Another deployer of the same versions is not ready: while its kind is hidden, the first one decides nothing.
#[test]
fn a_deployer_whose_list_fails_never_leads_to_a_promotion() {
    let Some(cluster) = support::start(Options::named("unread-promote-two")) else { return };
    let mut objects = deployers();
    objects[0]["status"]["readyReplicas"] = json!(1);
    objects[0]["status"]["availableReplicas"] = json!(1);
    objects.push(json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "team", "name": "apps"}, "spec": {"url": "https://git.example.org/apps.git", "interval": "1m"},
    }));
    objects.push(json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "team", "name": "echo"},
        "spec": {"sourceRef": {"kind": "GitRepository", "name": "apps"}, "path": STAGE, "prune": true, "interval": "1m"},
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "BuildFailed", "message": "no",
            "lastTransitionTime": "2026-11-01T09:00:00Z"}]},
    }));
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let matrix =
        Matrix { per_read: 3, ..Matrix::new("promote --verify, one of two not ready", Promise::NothingIsWritten) };
    let (refused, broken) = matrix.run(promotions(&cluster));
    assert!(refused.code == Some(1) && refused.stdout.contains("Kustomization team/echo"), "{refused:?}");
    holds(&broken);
}

fn prod(top: &Path) -> String {
    std::fs::read_to_string(top.join("echo/overlays/prod/kustomization.yaml")).unwrap()
}
