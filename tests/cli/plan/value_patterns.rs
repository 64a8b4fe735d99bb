//! Patterns in the value files of Applications, rendered by the real helm.

use std::process::Command;

use serde_json::{Value, json};

use super::{Repository, application, create, document, item, names};
use crate::support::{self, Options, helm};

const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: default}
data: {color: {{ .Values.color | quote }}, app: {{ .Values.app | quote }}}
";

fn chart(name: &str, options: Value) -> Value {
    let source = json!({"repoURL": super::URL, "path": "chart", "helm": options});
    application(name, "chart", json!({"source": source}))
}

#[test]
fn patterns_of_value_files_are_expanded_as_in_argo_cd() {
    let Some(cluster) = support::start(Options::named("plan-value-patterns")) else { return };
    let repository = Repository::new(&[
        ("chart/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}\n"),
        ("chart/templates/web.yaml", TEMPLATE),
        ("chart/values.yaml", "color: of-the-chart\napp: none\n"),
        ("env/10-base.yaml", "color: red\n"),
        ("env/20-prod.yaml", "color: green\n"),
        ("env/nested/00-last.yaml", "color: violet\n"),
        ("apps/own/values.yaml", "app: own\n"),
    ]);
    let all = "../env/*.yaml";
    create(
        &cluster,
        vec![
            chart("web", json!({"valueFiles": [all]})),
            chart("named", json!({"valueFiles": [all, "../env/10-base.yaml"]})),
            chart("deep", json!({"valueFiles": ["/env/**/*.yaml"]})),
            chart("own", json!({"valueFiles": ["../apps/$ARGOCD_APP_NAME/v*.yaml"]})),
            chart("optional", json!({"valueFiles": ["../none/*.yaml"], "ignoreMissingValueFiles": true})),
            chart("missing", json!({"valueFiles": ["../none/*.yaml"]})),
            chart("outside", json!({"valueFiles": ["../../*/*.yaml"], "ignoreMissingValueFiles": true})),
            chart("classes", json!({"valueFiles": ["../env/[12]*.yaml"]})),
        ],
    );
    repository.branch("later", &[("env/30-later.yaml", "color: blue\n")], &[]);
    let planned = |arguments: &[&str]| {
        let mut command = Command::new(support::command::program());
        command.args(["plan", "-o=json", "--kubeconfig"]).arg(cluster.kubeconfig()).arg(repository.path());
        document(&command.args(arguments).env("PATH", helm::path()).env_remove("KUBECONFIG").output().unwrap())
    };
    let (plan, code) = planned(&[]);
    assert_eq!(code, 1, "{plan:#}");
    let after = |name: &str, field: &str| {
        let differences = item(&plan, "ConfigMap", name)["differences"].as_array().unwrap();
        let data =
            differences.iter().find(|change| change["path"] == "data").unwrap_or_else(|| panic!("{differences:?}"));
        data["after"][field].as_str().unwrap().to_owned()
    };
    for (name, color) in
        [("web", "green"), ("named", "red"), ("deep", "violet"), ("own", "of-the-chart"), ("optional", "of-the-chart")]
    {
        assert_eq!(after(name, "color"), color, "{name}: {plan:#}");
    }
    assert_eq!((after("own", "app"), after("web", "app")), ("own".to_owned(), "none".to_owned()));
    let reason = |name: &str| {
        let entries = plan["unreadable"].as_array().unwrap().iter();
        let mut entries = entries.filter(|entry| entry["what"].as_str().unwrap().contains(&format!("/{name} ")));
        entries.next().unwrap_or_else(|| panic!("{name}: {plan:#}"))["reason"].as_str().unwrap().to_owned()
    };
    assert!(reason("missing").contains("'../none/*.yaml' matches no file"), "{}", reason("missing"));
    assert!(reason("outside").contains("outside of the repository"), "{}", reason("outside"));
    assert!(reason("classes").contains("is a pattern with classes"), "{}", reason("classes"));
    // A file that a pattern matches from now on.
    let (plan, _) = planned(&["--base", "main", "--head", "later"]);
    assert_eq!(names(&plan), ["add ConfigMap/web"], "{plan:#}");
    assert!(item(&plan, "ConfigMap", "web")["differences"].to_string().contains("blue"), "{plan:#}");
}
