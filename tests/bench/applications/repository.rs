//! A repository that many Applications deploy from, and the contents of a core cluster once they have.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::measure::run;

/// Where every service is deployed; each is a namespace.
const ENVIRONMENTS: [(&str, &str); 2] = [("stage", "v1.3.0"), ("prod", "v1.2.0")];
const URL: &str = "https://git.example.org/platform/services.git";
/// The time at which everything was created and synced, so that two runs have the same output.
const MOMENT: &str = "2026-11-20T09:00:00Z";

/// One Application: a service in an environment. Every other service is a kustomization with overlays, the rest are plain
/// directories.
struct Deployed {
    number: usize,
    environment: &'static str,
    tag: &'static str,
}

fn deployed(applications: usize) -> impl Iterator<Item = Deployed> {
    (0..applications).map(|index| {
        let (environment, tag) = ENVIRONMENTS[index % ENVIRONMENTS.len()];
        Deployed { number: index / ENVIRONMENTS.len(), environment, tag }
    })
}

impl Deployed {
    fn service(&self) -> String {
        format!("service-{:04}", self.number)
    }

    fn application(&self) -> String {
        format!("{}-{}", self.environment, self.service())
    }

    fn is_kustomized(&self) -> bool {
        self.number.is_multiple_of(2)
    }

    fn path(&self) -> String {
        let middle = if self.is_kustomized() { "overlays/" } else { "" };
        format!("{}/{middle}{}", self.service(), self.environment)
    }

    fn image(&self, tag: &str) -> String {
        let tag = if tag.is_empty() { String::new() } else { format!(":{tag}") };
        format!("registry.example.org/team/{}{tag}", self.service())
    }

    /// The declared objects, with the image at a tag.
    fn manifests(&self, tag: &str) -> Vec<Value> {
        let name = self.service();
        let labels = json!({"app": name});
        let environment: Vec<Value> = (0..8)
            .map(|number| json!({"name": format!("SETTING_{number}"), "value": format!("value {number}")}))
            .collect();
        vec![
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"level": "info"}}),
            json!({
                "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
                "spec": {"clusterIP": "None", "selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]},
            }),
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
                "spec": {
                    "replicas": 1, "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": {"containers": [
                        {"name": "app", "image": self.image(tag), "env": environment, "ports": [{"containerPort": 8080}]},
                    ]}},
                },
            }),
        ]
    }

    /// The objects of the cluster, as Argo CD left it: the Application, and its objects.
    fn objects(&self) -> Vec<Value> {
        let (name, namespace) = (self.application(), self.environment);
        let mut objects = self.manifests(self.tag);
        for object in &mut objects {
            let group = object["apiVersion"].as_str().and_then(|version| version.split_once('/'));
            let group = group.map_or("", |(group, _)| group).to_owned();
            let kind = object["kind"].as_str().unwrap_or_default().to_owned();
            let id = format!("{name}:{group}/{kind}:{namespace}/{}", self.service());
            object["metadata"]["namespace"] = json!(namespace);
            object["metadata"]["annotations"] = json!({"argocd.argoproj.io/tracking-id": id});
            object["metadata"]["creationTimestamp"] = json!(MOMENT);
        }
        let source = json!({"repoURL": URL, "path": self.path(), "targetRevision": "main"});
        let revision = "81f65f32378f6f51e3f0311259da2a15df3e0b91";
        // Some objects have problems everywhere: they are reported, sorted and grouped.
        let health = if self.number.is_multiple_of(7) { "Degraded" } else { "Healthy" };
        let sync = if self.number.is_multiple_of(10) { "OutOfSync" } else { "Synced" };
        let resource = |group: &str, kind: &str| json!({"group": group, "version": "v1", "kind": kind, "namespace": namespace, "name": self.service(), "status": sync});
        objects.push(json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": name, "namespace": "argocd", "creationTimestamp": MOMENT},
            "spec": {
                "project": "default", "source": source,
                "destination": {"server": "https://kubernetes.default.svc", "namespace": namespace},
                "syncPolicy": {"automated": {"prune": true, "selfHeal": true}},
            },
            "status": {
                "health": {"status": health, "lastTransitionTime": MOMENT},
                "history": [{"id": 0, "revision": revision, "source": source, "deployStartedAt": MOMENT, "deployedAt": MOMENT}],
                "operationState": {
                    "operation": {"sync": {"revision": revision}}, "phase": "Succeeded", "message": "successfully synced (all tasks run)",
                    "startedAt": MOMENT, "finishedAt": MOMENT, "syncResult": {"revision": revision, "source": source},
                },
                "reconciledAt": MOMENT,
                "resources": [resource("", "ConfigMap"), resource("", "Service"), resource("apps", "Deployment")],
                "sourceType": if self.is_kustomized() { "Kustomize" } else { "Directory" },
                "summary": {"images": [self.image(self.tag)]},
                "sync": {"status": sync, "revision": revision},
            },
        }));
        objects
    }

    /// Its files, with the image at a tag.
    fn write(&self, top: &Path, tag: &str) {
        let below = |path: String, text: String| {
            let path = top.join(path);
            std::fs::create_dir_all(path.parent().expect("below the top")).expect("a directory can be made");
            std::fs::write(path, text).expect("a file can be written");
        };
        let texts = |tag: &str| {
            let documents: Vec<String> =
                self.manifests(tag).iter().map(|object| serde_saphyr::to_string(object).expect("YAML")).collect();
            documents.join("---\n")
        };
        if !self.is_kustomized() {
            return below(format!("{}/all.yaml", self.path()), texts(tag));
        }
        below(format!("{}/base/all.yaml", self.service()), texts(""));
        below(format!("{}/base/kustomization.yaml", self.service()), "resources:\n- all.yaml\n".to_owned());
        let overlay = format!(
            "resources:\n- ../../base\nimages:\n- name: {}\n  newTag: {tag} # set by the pipeline\n",
            self.image("")
        );
        below(format!("{}/kustomization.yaml", self.path()), overlay);
    }
}

fn git(top: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"];
    run(Command::new("git").arg("-C").arg(top).args(identity).args(arguments), 0);
}

/// Writes the repository: `main` matches the cluster, the working tree has a newer image in one of every `changed`
/// Applications.
pub(crate) fn write(top: &Path, applications: usize, changed: usize) {
    git(top, &["init", "--quiet", "--initial-branch=main"]);
    git(top, &["remote", "add", "origin", URL]);
    deployed(applications).for_each(|one| one.write(top, one.tag));
    git(top, &["add", "--all"]);
    git(top, &["commit", "--quiet", "--message", "what runs"]);
    deployed(applications).step_by(changed).for_each(|one| one.write(top, "v2.0.0"));
}

/// The objects of the core cluster.
pub(crate) fn objects(applications: usize) -> Vec<Value> {
    deployed(applications).flat_map(|one| one.objects()).collect()
}

/// An Application in the middle.
pub(crate) fn some_application(applications: usize) -> String {
    deployed(applications).nth(applications / 2).expect("there are some").application()
}

/// Every directory that is built with kustomize.
pub(crate) fn overlays(applications: usize) -> Vec<String> {
    deployed(applications).filter(Deployed::is_kustomized).map(|one| one.path()).collect()
}
