//! Charts of Argo CD Applications, rendered by the real helm.

use std::process::Command;

use serde_json::{Value, json};

use super::{Repository, URL, application, create, document, item};
use crate::support::helm;
use crate::support::{self, Options};

const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  values: {{ .Values | toJson | quote }}
  served: {{ .Capabilities.APIVersions.Has \"argoproj.io/v1alpha1/Application\" | quote }}
";

#[test]
fn parameters_files_and_references_are_passed_as_argo_cd_does() {
    let Some(cluster) = support::start(Options::named("plan-charts")) else { return };
    let repository = Repository::new(&[
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("charts/web/templates/web.yaml", TEMPLATE),
        ("charts/web/own.yaml", "own: file\nwins: file\n"),
        ("shared/prod.yaml", "shared: file\n"),
        ("shared/text,with comma.txt", "a,b"),
    ]);
    let helm_options = json!({
        "releaseName": "renamed",
        "valueFiles": ["own.yaml", "$shared/shared/prod.yaml", "missing.yaml"], "ignoreMissingValueFiles": true,
        "values": "wins: text", "valuesObject": {"wins": "object"},
        "parameters": [
            {"name": "list", "value": "x,y=z"}, {"name": "number", "value": "1"},
            {"name": "text", "value": "1", "forceString": true}, {"name": "app", "value": "$ARGOCD_APP_NAME-${ARGOCD_APP_NAMESPACE}"},
        ],
        "fileParameters": [{"name": "content", "path": "/shared/text,with comma.txt"}],
    });
    let sources =
        json!([{"repoURL": URL, "path": "charts/web", "helm": helm_options}, {"repoURL": URL, "ref": "shared"}]);
    let mut web = application("web", "charts/web", json!({"sources": sources}));
    web["spec"].as_object_mut().unwrap().remove("source");
    let elsewhere = json!([
        {"repoURL": "https://charts.example.org", "chart": "redis", "targetRevision": "1.0.0", "helm": {"valueFiles": ["$shared/shared/prod.yaml"]}},
        {"repoURL": URL, "ref": "shared"},
    ]);
    let redis = application("redis", "x", json!({"sources": elsewhere, "source": null}));
    let commit = application(
        "commit",
        "charts/web",
        json!({"source": {
            "repoURL": URL, "path": "charts/web", "helm": {"parameters": [{"name": "a", "value": "$ARGOCD_APP_REVISION"}]},
        }}),
    );
    let namespaces =
        ["argocd", "quotes"].map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    create(&cluster, [namespaces.to_vec(), vec![web, redis, commit]].concat());
    repository.branch("shared", &[("shared/prod.yaml", "shared: changed\n")], &[]);

    let plan = |arguments: &[&str]| -> Value {
        let mut command = Command::new(crate::support::command::program());
        command
            .args(["plan", "-o=json", "--kubeconfig"])
            .arg(cluster.kubeconfig())
            .arg(repository.path())
            .args(arguments);
        document(&command.env("PATH", helm::path()).env_remove("KUBECONFIG").output().unwrap()).0
    };
    let planned = plan(&["--base=main", "--head=shared"]);
    let data = &item(&planned, "ConfigMap", "renamed")["differences"];
    let data = data.as_array().unwrap().iter().find(|field| field["path"] == "data").unwrap()["after"].clone();
    let values: Value = serde_json::from_str(data["values"].as_str().unwrap()).unwrap();
    let expected = json!({
        "own": "file", "shared": "changed", "wins": "object", "list": "x,y=z", "number": 1, "text": "1",
        "app": "web-quotes", "content": "a,b",
    });
    assert_eq!((&values, &data["served"]), (&expected, &json!("true")), "{planned:#}");
    let unknown = planned["unreadable"].to_string();
    assert!(unknown.contains("redis") && unknown.contains("its chart is in another repository"), "{planned:#}");
    assert!(unknown.contains("commit") && unknown.contains("ARGOCD_APP_REVISION"), "{planned:#}");
}
