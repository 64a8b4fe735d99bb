//! Applications with charts of Helm and OCI repositories, rendered by the real helm.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Repository, URL, application, create, document, item, names};
use crate::support::helm::{self, helm};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options};

const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {chart: {{ .Chart.Version | quote }}, color: {{ .Values.color | quote }}, size: {{ .Values.size | quote }}, wins: {{ .Values.wins | quote }}}
";

/// An Application with a chart of `url`, and with values of the checkout.
fn chart_application(name: &str, url: &str, version: &str) -> Value {
    let helm_options = json!({
        "releaseName": "web", "valueFiles": ["env/prod.yaml", "$values/shared/prod.yaml"],
        "parameters": [{"name": "wins", "value": "x,y=z"}],
    });
    let sources = json!([
        {"repoURL": url, "chart": "web", "targetRevision": version, "helm": helm_options},
        {"repoURL": URL, "ref": "values"},
    ]);
    let mut object = application(name, "x", json!({"sources": sources}));
    object["spec"].as_object_mut().unwrap().remove("source");
    object["metadata"]["finalizers"] = json!(["resources-finalizer.argocd.argoproj.io"]);
    object
}

fn text(object: &Value) -> String {
    object.to_string()
}

/// Packages the chart in some versions.
fn package(into: &Path, versions: &[&str]) {
    let chart = into.join("source/web");
    for (file, content) in [
        ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.0.0\n"),
        ("templates/web.yaml", TEMPLATE),
        ("values.yaml", "color: red\nsize: 0\nwins: chart\n"),
        ("env/prod.yaml", "color: of-the-chart\nsize: 1\n"),
    ] {
        std::fs::create_dir_all(chart.join(file).parent().unwrap()).unwrap();
        std::fs::write(chart.join(file), content).unwrap();
    }
    for version in versions {
        helm(["package", chart.to_str().unwrap(), "--version", version, "--destination", into.to_str().unwrap()]);
    }
}

/// The deployers: an Application of the checkout, the one that it declares, and one that has nothing to do with it.
fn scene(cluster: &Cluster, web: &Value) {
    let mut root = application(
        "root",
        "config",
        json!({"destination": {
            "server": "https://kubernetes.default.svc", "namespace": "argocd",
        }}),
    );
    root["status"] = json!({"resources": [
        {"group": "argoproj.io", "version": "v1alpha1", "kind": "Application", "namespace": "argocd", "name": "web"},
    ]});
    let mut web = web.clone();
    web["status"] =
        json!({"resources": [{"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": "web"}]});
    let other = application(
        "other",
        "x",
        json!({"source": {
            "repoURL": "https://charts.example.org", "chart": "web", "targetRevision": "1.0.0",
        }}),
    );
    let live = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "quotes", "name": "web", "annotations": {
            "argocd.argoproj.io/tracking-id": "web:/ConfigMap:quotes/web",
        }},
        "data": {"chart": "1.0.0"},
    });
    let namespaces =
        ["argocd", "quotes"].map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    create(cluster, [namespaces.to_vec(), vec![root, web, other, live]].concat());
}

fn plan_command(cluster: &Cluster, repository: &Repository, branch: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(crate::support::command::program());
    command.args(["plan", "-o=json", "--base=main", "--head", branch, "--kubeconfig"]).arg(cluster.kubeconfig());
    command.arg(repository.path()).args(flags).env("PATH", helm::path()).env_remove("KUBECONFIG");
    command
}

/// The data of the ConfigMap after the merge.
fn data(plan: &Value) -> Value {
    let fields = item(plan, "ConfigMap", "web")["differences"].as_array().unwrap();
    let after = |field: &Value| {
        let path = field["path"].as_str().unwrap().strip_prefix("data.")?.to_owned();
        Some((path, field["after"].clone()))
    };
    fields.iter().filter_map(after).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn a_chart_of_an_application_is_rendered_where_it_was_pulled() {
    let Some(cluster) = support::start(Options::named("plan-application-charts")) else { return };
    let url = "https://charts.example.org";
    let web = |version: &str| chart_application("web", url, version);
    let repository = Repository::new(&[
        ("config/settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
        ("config/web.yaml", &text(&web("1.0.0"))),
        ("shared/prod.yaml", "color: green\n"),
        ("README.md", "text\n"),
    ]);
    scene(&cluster, &web("1.0.0"));
    repository.branch("bump", &[("config/web.yaml", &text(&web("2.0.0")))], &[]);
    repository.branch("values", &[("shared/prod.yaml", "color: blue\n")], &[]);
    repository.branch("readme", &[("README.md", "other\n")], &[]);
    repository.branch("gone", &[], &["config/web.yaml"]);
    let absent = text(&web("1.0.0")).replace("env/prod.yaml", "env/absent.yaml");
    repository.branch("absent", &[("config/web.yaml", &absent)], &[]);
    let directory = tempfile::tempdir().unwrap();
    package(directory.path(), &["1.0.0", "2.0.0"]);
    let charts = ["--charts", directory.path().to_str().unwrap()];
    let planned =
        |branch: &str, flags: &[&str]| document(&plan_command(&cluster, &repository, branch, flags).output().unwrap());

    // Without the chart, the plan says how to get it, where it matters.
    let (plan, _) = planned("bump", &[]);
    let command = "helm pull web --repo https://charts.example.org --version 2.0.0";
    assert!(plan["unreadable"].to_string().contains(command), "{plan:#}");
    let (plan, code) = planned("values", &[]);
    assert!(code == 4 && plan["unreadable"].to_string().contains("helm pull web"), "{plan:#}");
    for flags in [&[][..], &charts] {
        let (plan, code) = planned("readme", flags);
        assert_eq!((&plan["unreadable"], code), (&json!([]), 0), "{plan:#}");
    }

    let (plan, _) = planned("bump", &charts);
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
    // Everything but the version is the same before and after, and differs in the cluster.
    let expected = json!({"chart": "2.0.0", "color": "green", "size": "1", "wins": "x,y=z"});
    assert_eq!(data(&plan), expected, "{plan:#}");
    let (plan, _) = planned("values", &charts);
    assert_eq!(data(&plan)["color"], "blue", "{plan:#}");
    assert!(!plan["deployments"].to_string().contains("\"other\""), "it has nothing of the checkout: {plan:#}");
    let (plan, _) = planned("absent", &charts);
    assert!(plan["unreadable"].to_string().contains("'env/absent.yaml' not found in the chart"), "{plan:#}");

    // Its objects are deleted with it, whether or not the chart is there.
    for flags in [&[][..], &charts] {
        let (plan, _) = planned("gone", flags);
        let names = names(&plan);
        for name in ["remove Application/web", "remove ConfigMap/web"] {
            assert!(names.contains(&name.to_owned()), "{name}: {plan:#}");
        }
    }
}

/// Which files a pattern matches is known without the chart.
#[test]
fn a_file_that_a_pattern_matches_changes_a_pulled_chart() {
    let Some(cluster) = support::start(Options::named("plan-application-patterns")) else { return };
    let web = chart_application("web", "https://charts.example.org", "1.0.0");
    let patterns = text(&web).replace("$values/shared/prod.yaml", "$values/apps/$ARGOCD_APP_NAME/*.yaml");
    let repository = Repository::new(&[
        ("config/settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
        ("config/web.yaml", &patterns),
        ("apps/web/a.yaml", "color: green\n"),
        ("apps/other/a.yaml", "color: none\n"),
    ]);
    scene(&cluster, &serde_json::from_str(&patterns).unwrap());
    repository.branch("added", &[("apps/web/b.yaml", "color: blue\n")], &[]);
    repository.branch("changed", &[("apps/web/a.yaml", "color: red\n")], &[]);
    repository.branch("other", &[("apps/other/a.yaml", "color: red\n")], &[]);
    let directory = tempfile::tempdir().unwrap();
    package(directory.path(), &["1.0.0"]);
    let charts = ["--charts", directory.path().to_str().unwrap()];
    for (branch, color) in [("added", "blue"), ("changed", "red")] {
        let (plan, code) = document(&plan_command(&cluster, &repository, branch, &[]).output().unwrap());
        assert!(code == 4 && plan["unreadable"].to_string().contains("helm pull web"), "{branch}: {plan:#}");
        let (plan, _) = document(&plan_command(&cluster, &repository, branch, &charts).output().unwrap());
        assert_eq!((&data(&plan)["color"], &plan["unreadable"]), (&json!(color), &json!([])), "{branch}: {plan:#}");
    }
    let (plan, code) = document(&plan_command(&cluster, &repository, "other", &[]).output().unwrap());
    assert_eq!((code, &plan["unreadable"]), (0, &json!([])), "{plan:#}");
}

#[test]
fn a_chart_of_an_application_is_pulled_if_that_is_allowed() {
    let Some(cluster) = support::start(Options::named("plan-application-remote")) else { return };
    let directory = tempfile::tempdir().unwrap();
    package(directory.path(), &["1.0.0", "2.0.0"]);
    let server = Proxy::start(&cluster).unwrap();
    let answer = |path: &str, body: Vec<u8>| {
        server.add(Rule::at(path, Fault::Answer { status: 200, headers: Vec::new(), body }));
    };
    let entries = ["1.0.0", "2.0.0"].map(|version| {
        answer(
            &format!("/charts/web-{version}.tgz"),
            std::fs::read(directory.path().join(format!("web-{version}.tgz"))).unwrap(),
        );
        json!({"apiVersion": "v2", "name": "web", "version": version, "urls": [format!("web-{version}.tgz")]})
    });
    answer("/charts/index.yaml", json!({"apiVersion": "v1", "entries": {"web": entries}}).to_string().into());
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, cluster.ca_pem()).unwrap();
    let url = format!("{}/charts", server.server());
    let web = |version: &str| chart_application("web", &url, version);
    let repository = Repository::new(&[
        ("config/settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
        ("config/web.yaml", &text(&web("1.0.0"))),
        ("shared/prod.yaml", "color: green\n"),
        ("README.md", "text\n"),
    ]);
    scene(&cluster, &web("1.0.0"));
    let planned = |branch: &str, flags: &[&str]| {
        let mut command = plan_command(&cluster, &repository, branch, flags);
        document(&command.env("SSL_CERT_FILE", &authority).output().unwrap())
    };
    let remote = &["--allow-remote-bases"][..];
    repository.branch("bump", &[("config/web.yaml", &text(&web("2.0.0")))], &[]);
    let (plan, _) = planned("bump", &[]);
    assert!(plan["unreadable"].to_string().contains("--allow-remote-bases"), "{plan:#}");
    assert_eq!(server.count("/charts"), 0, "nothing is requested without the flag");
    let (plan, _) = planned("bump", remote);
    assert_eq!((&data(&plan)["chart"], &plan["unreadable"]), (&json!("2.0.0"), &json!([])), "{plan:#}");
    repository.branch("range", &[("config/web.yaml", &text(&web(">=1.0.0")))], &[]);
    let (plan, _) = planned("range", remote);
    assert_eq!(data(&plan)["chart"], "2.0.0", "{plan:#}");
    assert!(
        plan.to_string().contains("web-2.0.0.tgz is used, and a newer one may exist when Argo CD looks"),
        "{plan:#}"
    );

    // A chart that cannot be pulled is listed, unless nothing of it changes.
    let broken = Repository::new(&[
        ("config/web.yaml", &text(&web("3.0.0"))),
        ("shared/prod.yaml", "color: green\n"),
        ("README.md", "text\n"),
    ]);
    broken.branch("readme", &[("README.md", "other\n")], &[]);
    broken.branch("values", &[("shared/prod.yaml", "color: blue\n")], &[]);
    let planned = |branch: &str| {
        let mut command = plan_command(&cluster, &broken, branch, remote);
        document(&command.env("SSL_CERT_FILE", &authority).output().unwrap())
    };
    let (plan, code) = planned("readme");
    assert_eq!((&plan["unreadable"], code), (&json!([]), 0), "{plan:#}");
    let (plan, code) = planned("values");
    assert!(code == 4 && plan["unreadable"].to_string().contains("was not pulled"), "{plan:#}");
}
