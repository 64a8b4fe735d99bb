//! `new service`: a copy of a service in real repositories, of which only names differ.

mod complete;
mod database;
mod landing;
mod layouts;
mod neighbours;
mod refusals;

use crate::gitops::{Gitops, Run};

/// The layout of the paper: a base and overlays a service, most files without a last line break, an image of which the tag
/// is set as a variable, and one Application for each environment.
fn quotes() -> Gitops {
    let overlay = |tag: &str| {
        format!(
            "# Overlay of quotes.\nresources:\n- ../../base\nimages:\n- name: dagandersen/quote-frontend # the frontend\n  newTag: \"{tag}\"\n\
             replacements:\n- source: {{kind: Deployment, name: quotes, fieldPath: 'spec.template.spec.containers.0.image', \
             options: {{delimiter: ':', index: 1}}}}\n  targets:\n  - select: {{kind: Deployment, name: quotes}}\n    fieldPaths: \
             ['spec.template.spec.containers.0.env.[name=VERSION].value']"
        )
    };
    let application = |environment: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {environment}-quotes\n  namespace: argocd\n\
             spec:\n  project: applications\n  source:\n    repoURL: https://git.example.org/acme/quotes.git\n    path: \
             ./quotes/overlays/{environment}\n  destination:\n    name: gcp-k8s-{environment}\n    namespace: default"
        )
    };
    let others = |environment: &str| format!("resources:\n- {environment}-echo.yaml\n- {environment}-quotes.yaml\n");
    Gitops::with(&[
        (
            "quotes/base/kustomization.yaml",
            "resources:\n  - deployment.yaml\n  - \"service.yaml\"\nconfigMapGenerator:\n  - name: quotes-settings\n    literals: [greeting=unquotes]",
        ),
        ("quotes/base/deployment.yaml", DEPLOYMENT),
        (
            "quotes/base/service.yaml",
            "apiVersion: v1\r\nkind: Service\r\nmetadata: {name: 'quotes'}\r\nspec:\r\n  selector: {app: quotes}\r\n  ports: [{port: 80}]\r\n",
        ),
        ("quotes/overlays/prod/kustomization.yaml", &overlay("v1")),
        ("quotes/overlays/stage/kustomization.yaml", &overlay("v2")),
        ("echo/base/kustomization.yaml", "resources: [deployment.yaml]"),
        ("echo/base/deployment.yaml", &crate::gitops::deployment("echo", "dagandersen/echo-server")),
        (
            "echo/overlays/prod/kustomization.yaml",
            "resources: [../../base]\nimages:\n- name: dagandersen/echo-server\n  newTag: v1",
        ),
        (
            "echo/overlays/stage/kustomization.yaml",
            "resources: [../../base]\nimages:\n- name: dagandersen/echo-server\n  newTag: v1",
        ),
        ("argocd/prod/kustomization.yaml", &others("prod")),
        ("argocd/stage/kustomization.yaml", &others("stage")),
        ("argocd/prod/prod-echo.yaml", &application("prod").replace("quotes", "echo")),
        ("argocd/prod/prod-quotes.yaml", &application("prod")),
        ("argocd/stage/stage-echo.yaml", &application("stage").replace("quotes", "echo")),
        ("argocd/stage/stage-quotes.yaml", &application("stage")),
    ])
}

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: quotes   # quotes, not unquotes
spec:
  selector: {matchLabels: {app: quotes}}
  template:
    metadata: {labels: {app: quotes}}
    spec:
      containers:
      - name: quotes
        image: dagandersen/quote-frontend:v0
        env:
        - {name: VERSION, value: ''}
        - {name: ECHO, value: 'http://echo.default/quotes'}
        envFrom:
        - configMapRef: {name: quotes-settings}
";

impl Gitops {
    fn new_service(&self, arguments: &[&str]) -> Run {
        self.ucp(["new", "service"].iter().chain(arguments).copied())
    }
}

/// No response of a cluster, or its absence, changes the written files.
#[test]
fn no_cluster_is_read() {
    let Some(cluster) = crate::support::core_cluster() else { return };
    let proxy = crate::support::proxy::Proxy::start(cluster).unwrap();
    let repository = quotes();
    let mut command = repository.ucp_command(["new", "service", "orders", "--like", "quotes", "--yes"]);
    command.env("KUBECONFIG", proxy.kubeconfig());
    Run::of(command.output().unwrap()).exits(0);
    assert_eq!(proxy.seen(), []);
}

/// Every file of a work tree that git has or would add, and its content.
fn files(repository: &Gitops) -> Vec<(String, String)> {
    let listed = repository.git(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let mut files: Vec<String> = listed.lines().map(str::to_owned).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), repository.read(&file))).collect()
}
