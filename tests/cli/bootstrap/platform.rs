//! The repository of a small company with an empty core cluster: the installation of an engine, the root, and the objects
//! that it deploys.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::CANARY;

pub(super) const URL: &str = "https://git.example.org/acme/platform.git";

/// A checkout on disk.
pub(super) struct Platform(TempDir);

impl Platform {
    /// A repository with these files, and a remote.
    pub(super) fn new(files: &[(&str, String)]) -> Self {
        let platform = Self(tempfile::tempdir().unwrap());
        platform.git(&["init", "--quiet", "--initial-branch=main"]);
        platform.git(&["remote", "add", "origin", "git@git.example.org:acme/platform"]);
        for (name, text) in files {
            platform.write(name, text);
        }
        platform
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Replaces a text in one file.
    pub(super) fn edit(&self, name: &str, old: &str, new: &str) {
        let text = std::fs::read_to_string(self.path().join(name)).unwrap();
        assert!(text.contains(old), "{name} has no {old}: {text}");
        self.write(name, &text.replace(old, new));
    }

    /// Leaves out the objects of a file whose text contains something.
    pub(super) fn leave_out(&self, name: &str, part: &str) {
        let text = std::fs::read_to_string(self.path().join(name)).unwrap();
        let left: Vec<&str> = text.split("---\n").filter(|object| !object.contains(part)).collect();
        self.write(name, &left.join("---\n"));
    }

    /// Removes the objects that create an app cluster or deploy to it.
    pub(super) fn without_app_clusters(&self) {
        self.write(
            "clusters/prod.yaml",
            &yaml(&[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "none"}})]),
        );
        self.leave_out("apps/apps.yaml", "prod-shop");
    }

    /// Writes every file again with another text in place of one, and makes the remote that of `repository`.
    pub(super) fn rewrite(&self, old: &str, new: &str, repository: &str) {
        let mut open = vec![self.path().to_owned()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
                match entry.file_type().unwrap().is_dir() {
                    true if entry.file_name() != ".git" => open.push(entry.path()),
                    true => {}
                    false => {
                        let text = std::fs::read_to_string(entry.path()).unwrap();
                        std::fs::write(entry.path(), text.replace(old, new)).unwrap();
                    }
                }
            }
        }
        self.git(&["remote", "set-url", "origin", repository]);
    }

    pub(super) fn git(&self, arguments: &[&str]) {
        let status = Command::new("git").arg("-C").arg(self.path()).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }
}

/// Documents of one file.
pub(super) fn yaml(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{object}\n")).collect()
}

pub(super) fn crd(group: &str, kind: &str, plural: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let version = if group == "argoproj.io" { "v1alpha1" } else { "v1" };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": version, "served": true, "storage": true, "schema": schema, "subresources": {"status": {}}}],
        },
    })
}

pub(super) fn workload(kind: &str, name: &str, part_of: &str) -> Value {
    let labels = json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": part_of});
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "labels": labels},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": name, "image": format!("registry.example.org/{name}:v3.5.1")}]},
        }},
    });
    if kind == "StatefulSet" {
        object["spec"]["serviceName"] = json!(name);
    }
    object
}

/// An Application of this repository.
pub(super) fn application(name: &str, path: &str, destination: Value) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default", "source": {"repoURL": URL, "path": path}, "destination": destination,
            "syncPolicy": {"automated": {}, "syncOptions": ["CreateNamespace=true"]},
        },
    })
}

fn here() -> Value {
    json!({"server": "https://kubernetes.default.svc", "namespace": "argocd"})
}

/// The objects with credentials, and the external resources.
fn cloud() -> (String, String, String) {
    let provider = json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "provider-gcp"},
        "spec": {"package": "xpkg.example.org/gcp:v1"},
    });
    let config = json!({
        "apiVersion": "gcp.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "default"},
        "spec": {"credentials": {"source": "Secret", "secretRef":
            {"namespace": "crossplane-system", "name": "gcp-creds", "key": "credentials"}}},
    });
    let cluster = json!({
        "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster", "metadata": {"name": "gcp-k8s-prod"},
        "spec": {"forProvider": {"location": "europe-west9-a"},
            "writeConnectionSecretToRef": {"namespace": "default", "name": "gcp-k8s-prod"}},
    });
    (yaml(&[provider]), yaml(&[config]), yaml(&[cluster]))
}

/// A company with Argo CD: an app of apps, in a project of its own that one of the apps deploys.
pub(super) fn with_argo_cd() -> Platform {
    let install = [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}}),
        crd("argoproj.io", "Application", "applications"),
        crd("argoproj.io", "AppProject", "appprojects"),
        workload("Deployment", "argocd-repo-server", "argocd"),
        workload("StatefulSet", "argocd-application-controller", "argocd"),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argocd-secret"}, "stringData": {"key": CANARY}}),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "argocd-application-controller"},
            "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}),
    ];
    let mut root = application("root", "apps", here());
    root["spec"]["project"] = json!("infrastructure");
    let (providers, configs, clusters) = cloud();
    let project = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
        "metadata": {"name": "infrastructure", "namespace": "argocd"}, "spec": {"sourceRepos": ["*"]},
    });
    let crossplane = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "crossplane", "namespace": "argocd"},
        "spec": {"project": "default", "destination": here(),
            "source": {"repoURL": "https://charts.example.org", "chart": "crossplane", "targetRevision": "2.3.4"}},
    });
    let apps = [
        application("argocd", "argocd", here()),
        application("providers", "providers", here()),
        application("configs", "configs", here()),
        application("clusters", "clusters", here()),
        application("prod-shop", "shop/overlays/prod", json!({"name": "gcp-k8s-prod", "namespace": "shop"})),
        crossplane,
    ];
    Platform::new(&[
        ("argocd/kustomization.yaml", "namespace: argocd\nresources: [install.yaml]\n".to_owned()),
        ("argocd/install.yaml", yaml(&install)),
        ("root.yaml", yaml(&[root])),
        ("apps/apps.yaml", yaml(&apps)),
        ("apps/project.yaml", yaml(&[project])),
        ("providers/providers.yaml", providers),
        ("configs/configs.yaml", configs),
        ("clusters/prod.yaml", clusters),
        ("shop/base/kustomization.yaml", "resources: [shop.yaml]\n".to_owned()),
        (
            "shop/base/shop.yaml",
            yaml(&[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shop"}})]),
        ),
        ("shop/overlays/prod/kustomization.yaml", "resources: [../../base]\n".to_owned()),
    ])
}

/// A Kustomization of the platform's own repository, with more in its spec.
fn kustomization(name: &str, path: &str, rest: &Value) -> Value {
    let mut spec = json!({"interval": "1m", "path": path, "prune": true,
        "sourceRef": {"kind": "GitRepository", "name": "flux-system"}});
    spec.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": name, "namespace": "flux-system"}, "spec": spec})
}

/// A Kustomization of `./open` whose variables only the cluster knows.
pub(super) fn with_variables() -> Value {
    kustomization("open", "./open", &json!({"postBuild": {"substituteFrom": [{"kind": "ConfigMap", "name": "vars"}]}}))
}

/// The same with Flux, as `flux bootstrap` arranges it: its installation and its root are one directory, which it deploys
/// itself.
pub(super) fn with_flux() -> Platform {
    let components = [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "flux-system"}}),
        crd("source.toolkit.fluxcd.io", "GitRepository", "gitrepositories"),
        crd("kustomize.toolkit.fluxcd.io", "Kustomization", "kustomizations"),
        workload("Deployment", "source-controller", "flux"),
        workload("Deployment", "kustomize-controller", "flux"),
        workload("Deployment", "helm-controller", "flux"),
    ];
    let resting = json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider",
        "metadata": {"name": "resting", "annotations": {"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}},
        "spec": {"package": "xpkg.example.org/resting:v1"},
    });
    let sync = [
        json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"name": "flux-system", "namespace": "flux-system"},
            "spec": {"interval": "1m", "url": URL, "ref": {"branch": "main"}, "secretRef": {"name": "flux-system"}}}),
        kustomization("flux-system", "./clusters/core", &json!({})),
    ];
    let (providers, configs, clusters) = cloud();
    let apps = [
        kustomization("providers", "./providers", &json!({})),
        kustomization("configs", "./configs", &json!({"dependsOn": [{"name": "providers"}]})),
        kustomization("machines", "./machines", &json!({"postBuild": {"substitute": {"stage": "prod"}}})),
        json!({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "metadata": {"name": "crossplane", "namespace": "flux-system"},
            "spec": {"interval": "1h", "chart": {"spec": {"chart": "crossplane", "version": "2.3.4",
                "sourceRef": {"kind": "HelmRepository", "name": "crossplane"}}}}}),
        kustomization(
            "prod-shop",
            "./shop",
            &json!({"kubeConfig": {"secretRef": {"name": "gcp-k8s-prod-kubeconfig"}}}),
        ),
    ];
    Platform::new(&[
        ("clusters/core/flux-system/gotk-components.yaml", yaml(&components)),
        ("clusters/core/flux-system/gotk-sync.yaml", yaml(&sync)),
        (
            "clusters/core/flux-system/kustomization.yaml",
            "resources: [gotk-components.yaml, gotk-sync.yaml]\n".to_owned(),
        ),
        ("clusters/core/apps.yaml", yaml(&apps)),
        ("providers/providers.yaml", providers),
        ("configs/configs.yaml", configs),
        ("machines/prod.yaml", clusters.replace("gcp-k8s-prod", "gcp-k8s-${stage}")),
        ("providers/resting.yaml", yaml(&[resting])),
        (
            "shop/shop.yaml",
            yaml(&[
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shop", "namespace": "default"}}),
            ]),
        ),
    ])
}
