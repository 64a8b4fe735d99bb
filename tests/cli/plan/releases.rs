//! HelmReleases, with charts that the real helm renders, and releases that it installed.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{Repository, URL, create, document, item, names};
use crate::support::helm::{self, helm};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {color: {{ .Values.color | quote }}, login: {{ .Values.login | default \"none\" | quote }}, size: {{ .Values.size | quote }}}
{{- range .Values.extras }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  annotations: {{ .annotations | default dict | toJson }}
data: {a: b}
{{- end }}
";
const HOOK: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: migrate, annotations: {helm.sh/hook: pre-upgrade}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: probe, annotations: {helm.sh/hook: test}}
";
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shoes.plan.example.org}
spec:
  group: plan.example.org
  names: {kind: Shoe, plural: shoes}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
";

fn release(values: &Value, more: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: flux-system}}
spec:
  interval: 5m
  releaseName: web
  targetNamespace: quotes
  chart: {{spec: {{chart: ./charts/web, sourceRef: {{kind: GitRepository, name: quotes}}}}}}
  valuesFrom:
  - {{kind: ConfigMap, name: sizes}}
  - {{kind: Secret, name: login, valuesKey: password, targetPath: login}}
  values: {values}
{more}"
    )
}

const SIZES: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: sizes, namespace: flux-system}
data: {values.yaml: 'size: 1'}
";

fn values(color: &str) -> Value {
    json!({"color": color, "extras": [
        {"name": "removed"},
        {"name": "kept", "annotations": {"helm.sh/resource-policy": "keep"}},
    ]})
}

/// Objects of the cluster: the deployers, and a release that helm installed.
fn scene(cluster: &Cluster, repository: &Repository) {
    let entry = |name: &str| json!({"id": format!("quotes_{name}__ConfigMap"), "v": "v1"});
    let inventory = ["web", "removed", "kept"].map(entry);
    let live = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
        "metadata": {"namespace": "flux-system", "name": "web"},
        "spec": {
            "interval": "5m", "releaseName": "web", "targetNamespace": "quotes", "values": values("green"),
            "chart": {"spec": {"chart": "./charts/web", "sourceRef": {"kind": "GitRepository", "name": "quotes"}}},
        },
        "status": {
            "history": [{"chartVersion": "1.0.0", "status": "deployed", "name": "web"}],
    "inventory": {"entries": inventory},
        },
    });
    create(
        cluster,
        vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}}),
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "flux-system"}}),
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": URL},
            }),
            json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"namespace": "flux-system", "name": "config"},
                "spec": {"path": "./config", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "quotes"}},
            }),
            json!({
                "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "flux-system", "name": "login"},
                "stringData": {"password": "canary-of-release"},
            }),
            live,
        ],
    );
    let file = repository.path().join("values.json");
    std::fs::write(&file, json!({"login": "canary-of-release", "size": 1}).to_string()).unwrap();
    let inline = repository.path().join("inline.json");
    std::fs::write(&inline, values("green").to_string()).unwrap();
    let chart = repository.path().join("charts/web");
    let (kubeconfig, chart) = (cluster.kubeconfig().display().to_string(), chart.display().to_string());
    let (file, inline) = (file.display().to_string(), inline.display().to_string());
    helm(["install", "web", &chart, "--namespace=quotes", "--kubeconfig", &kubeconfig, "-f", &file, "-f", &inline]);
}

fn repository() -> Repository {
    Repository::new(&[
        ("config/release.yaml", &release(&values("green"), "")),
        ("config/sizes.yaml", SIZES),
        ("charts/web/Chart.yaml", CHART),
        ("charts/web/values.yaml", "color: red\nsize: 0\n"),
        ("charts/web/templates/web.yaml", TEMPLATE),
        ("charts/web/templates/hook.yaml", HOOK),
        ("charts/web/crds/shoe.yaml", CRD),
    ])
}

fn plan_as(cluster: &Cluster, repository: &Path, arguments: &[&str]) -> Output {
    plan_command(cluster, repository, arguments).output().unwrap()
}

fn plan_command(cluster: &Cluster, repository: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(crate::support::command::program());
    command.arg("plan").arg("--kubeconfig").arg(cluster.kubeconfig()).arg(repository).args(arguments);
    command.env("COLUMNS", "200").env("PATH", helm::path()).env_remove("KUBECONFIG");
    command
}

fn planned(cluster: &Cluster, repository: &Repository, branch: &str) -> (Value, i32) {
    planned_with(cluster, repository, branch, &["--allow-secret-values"])
}

fn planned_with(cluster: &Cluster, repository: &Repository, branch: &str, arguments: &[&str]) -> (Value, i32) {
    let arguments = [&["--base=main", "--head", branch, "-o=json"], arguments].concat();
    document(&plan_as(cluster, repository.path(), &arguments))
}

#[test]
fn a_release_is_planned_as_helm_deploys_it() {
    let Some(cluster) = support::start(Options::named("plan-release")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let changed = json!({"color": "blue", "extras": [{"name": "added"}]});
    let set = |branch: &str, files: &[(&str, &str)]| repository.branch(branch, files, &[]);

    set("values", &[("config/release.yaml", &release(&changed, ""))]);
    let (plan, code) = planned(&cluster, &repository, "values");
    let mut found = names(&plan);
    found.sort();
    let expected = [
        "abandon ConfigMap/kept",
        "add ConfigMap/added",
        "add CustomResourceDefinition/shoes.plan.example.org",
        "change ConfigMap/web",
        "change HelmRelease/web",
        "remove ConfigMap/removed",
    ];
    // helm installed the definition with the chart.
    let expected: Vec<&str> = expected.into_iter().filter(|line| !line.contains("Custom")).collect();
    assert_eq!((found, code), (expected.iter().map(|line| (*line).to_owned()).collect(), 1), "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
    let web = item(&plan, "ConfigMap", "web");
    let fields: Vec<&str> =
        web["differences"].as_array().unwrap().iter().map(|field| field["path"].as_str().unwrap()).collect();
    assert!(fields.contains(&"data.color") && !fields.iter().any(|field| field.contains("login")), "{web:#}");
    assert!(item(&plan, "ConfigMap", "removed")["notes"].to_string().contains("meta.helm.sh/release-name"), "{plan:#}");
    let remarks = plan["remarks"].to_string();
    assert!(remarks.contains("migrate (pre-upgrade)") && remarks.contains("probe (test)"), "{remarks}");
    assert!(!plan.to_string().contains("canary-of-release"), "{plan:#}");

    // A ConfigMap with values changes the release; a text does not.
    set("size", &[("config/sizes.yaml", &SIZES.replace("size: 1", "size: 2"))]);
    let (plan, _) = planned(&cluster, &repository, "size");
    assert!(names(&plan).contains(&"change ConfigMap/web".to_owned()), "{plan:#}");
    set("text", &[("README.md", "text")]);
    let (plan, code) = planned(&cluster, &repository, "text");
    assert_eq!((names(&plan).len(), code), (0, 0), "{plan:#}");

    // Flux builds a chart again only for another version.
    let template =
        TEMPLATE.replace("data: {a: b}", "data: {a: c}").replace("name: web}", "name: web, labels: {new: one}}");
    set("same-version", &[("charts/web/templates/web.yaml", &template)]);
    let (plan, code) = planned(&cluster, &repository, "same-version");
    assert_eq!((names(&plan).len(), code), (0, 0), "{plan:#}");
    assert!(plan["remarks"].to_string().contains("keeps its version"), "{plan:#}");
    let files = [
        ("charts/web/templates/web.yaml", &*template),
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.1.0\n"),
    ];
    set("version", &files);
    let (plan, _) = planned(&cluster, &repository, "version");
    assert!(names(&plan).contains(&"change ConfigMap/kept".to_owned()), "{plan:#}");

    let post = "  postRenderers: [{kustomize: {patches: [{target: {kind: ConfigMap, name: web}, patch: '[{\"op\": \"add\", \"path\": \"/data/patched\", \"value\": \"x\"}]'}]}}]\n";
    set("post", &[("config/release.yaml", &release(&values("green"), post))]);
    let (plan, _) = planned(&cluster, &repository, "post");
    let web = item(&plan, "ConfigMap", "web");
    assert!(web["differences"].to_string().contains("data.patched"), "{web:#}");

    set("suspended", &[("config/release.yaml", &release(&changed, "  suspend: true\n"))]);
    let (plan, _) = planned(&cluster, &repository, "suspended");
    assert_eq!(names(&plan), ["change HelmRelease/web"], "{plan:#}");
    assert!(plan["remarks"].to_string().contains("suspended"), "{plan:#}");

    repository.branch("gone", &[], &["config/release.yaml"]);
    let (plan, _) = planned(&cluster, &repository, "gone");
    let mut found = names(&plan);
    found.sort();
    let expected =
        ["abandon ConfigMap/kept", "remove ConfigMap/removed", "remove ConfigMap/web", "remove HelmRelease/web"];
    assert_eq!(found, expected, "{plan:#}");

    // Values that cannot be read leave the result unknown.
    let missing = release(&changed, "").replace("name: login", "name: nowhere");
    set("missing", &[("config/release.yaml", &missing)]);
    let (plan, _) = planned(&cluster, &repository, "missing");
    assert!(plan["unreadable"].to_string().contains("Secret nowhere"), "{plan:#}");

    // Without a base, the inventory of the release shows the objects that it no longer contains.
    repository.write(&[("config/release.yaml", &release(&changed, ""))]);
    let (plan, _) = document(&plan_as(&cluster, repository.path(), &["--allow-secret-values", "-o=json"]));
    assert!(names(&plan).contains(&"remove ConfigMap/removed".to_owned()), "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
}

#[test]
fn a_chart_of_a_repository_is_rendered_where_it_was_pulled() {
    let Some(cluster) = support::start(Options::named("plan-pulled")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let from = "  chart: {spec: {chart: web, version: 2.0.0, sourceRef: {kind: HelmRepository, name: charts}}}";
    let own = "  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: quotes}}}";
    let pulled = release(&values("blue"), "").replace(own, from);
    let charts = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts, namespace: flux-system}\nspec: {url: 'https://charts.example.org'}\n";
    repository.branch("pulled", &[("config/release.yaml", &pulled), ("config/charts.yaml", charts)], &[]);
    let (plan, _) = planned(&cluster, &repository, "pulled");
    let reason = plan["unreadable"].to_string();
    assert!(reason.contains("helm pull web --repo https://charts.example.org --version 2.0.0"), "{plan:#}");
    assert!(!names(&plan).iter().any(|name| name.ends_with("ConfigMap/web")), "{plan:#}");

    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().display().to_string();
    let chart = repository.path().join("charts/web").display().to_string();
    helm(["package", &chart, "--version", "2.0.0", "--destination", &archive]);
    let (plan, _) = planned_with(&cluster, &repository, "pulled", &["--allow-secret-values", "--charts", &archive]);
    assert!(names(&plan).contains(&"change ConfigMap/web".to_owned()), "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
}

/// Charts of other servers are pulled as Flux would, but only if the user allows it: a pull request chooses the address.
#[test]
fn a_chart_of_a_repository_is_pulled_if_that_is_allowed() {
    let Some(cluster) = support::start(Options::named("plan-remote")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let directory = tempfile::tempdir().unwrap();
    let chart = repository.path().join("charts/web").display().to_string();
    helm(["package", &chart, "--version", "2.0.0", "--destination", &directory.path().display().to_string()]);
    let server = Proxy::start(&cluster).unwrap();
    let answer = |path: &str, body: Vec<u8>| {
        server.add(Rule::at(path, Fault::Answer { status: 200, headers: Vec::new(), body }));
    };
    let index =
        "apiVersion: v1\nentries: {web: [{apiVersion: v2, name: web, version: 2.0.0, urls: [web-2.0.0.tgz]}]}\n";
    answer("/charts/index.yaml", index.into());
    answer("/charts/web-2.0.0.tgz", std::fs::read(directory.path().join("web-2.0.0.tgz")).unwrap());
    let authority = directory.path().join("ca.crt");
    std::fs::write(&authority, cluster.ca_pem()).unwrap();

    let planned = |branch: &str, url: &str, version: &str, flags: &[&str]| {
        let from = format!(
            "  chart: {{spec: {{chart: web, version: {version}, sourceRef: {{kind: HelmRepository, name: charts}}}}}}"
        );
        let own = "  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: quotes}}}";
        let charts = format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: charts, namespace: flux-system}}\nspec: {{url: '{url}'}}\n"
        );
        let release = release(&values("blue"), "").replace(own, &from);
        repository.branch(branch, &[("config/release.yaml", &release), ("config/charts.yaml", &charts)], &[]);
        let arguments = [&["--base=main", "--head", branch, "-o=json", "--allow-secret-values"], flags].concat();
        let mut command = plan_command(&cluster, repository.path(), &arguments);
        document(&command.env("SSL_CERT_FILE", &authority).output().unwrap()).0
    };
    let url = format!("{}/charts", server.server());
    let remote = &["--allow-remote-bases"][..];
    let plan = planned("refused", &url, "2.0.0", &[]);
    assert!(plan["unreadable"].to_string().contains("--allow-remote-bases"), "{plan:#}");
    assert_eq!(server.count("/charts"), 0, "nothing is requested without the flag");
    let plan = planned("pulled", &url, "2.0.0", remote);
    assert!(names(&plan).contains(&"change ConfigMap/web".to_owned()), "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
    assert_eq!(server.count("/charts/web-2.0.0.tgz"), 1);
    let plan = planned("range", &url, "'>=1.0.0'", remote);
    assert!(plan.to_string().contains("web-2.0.0.tgz is used, and a newer one may exist"), "{plan:#}");

    let plan = planned("missing", &url, "3.0.0", remote);
    assert!(plan["unreadable"].to_string().contains("was not pulled"), "{plan:#}");
    // An address that nothing answers: without a proxy, the request would end after its time limit.
    let elsewhere = index.replace("[web-2.0.0.tgz]", "['http://192.0.2.1/web-2.0.0.tgz']");
    answer("/elsewhere/index.yaml", elsewhere.into());
    let plan = planned("elsewhere", &format!("{}/elsewhere", server.server()), "2.0.0", remote);
    assert!(plan["unreadable"].to_string().contains("proxyconnect"), "{plan:#}");
    for (branch, url) in [("plain", "http://127.0.0.1:9/charts"), ("plugin", "s3://bucket/charts"), ("flag", "--help")]
    {
        let plan = planned(branch, url, "2.0.0", remote);
        assert!(plan["unreadable"].to_string().contains("only https:// and oci:// are pulled"), "{url}: {plan:#}");
    }
}

/// A chart can print a value in a form that no rule recognizes, and a plan is made before anyone has reviewed the chart.
#[test]
fn a_chart_of_a_pull_request_receives_no_secret() {
    let Some(cluster) = support::start(Options::named("plan-withheld")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let spelled = "apiVersion: v1
kind: ConfigMap
metadata: {name: spelled}
data: {letters: {{ .Values.login | toString | splitList \"\" | join \" \" | quote }}}
";
    let chart = CHART.replace("1.0.0", "1.1.0");
    let files = [("charts/web/templates/spelled.yaml", spelled), ("charts/web/Chart.yaml", &*chart)];
    repository.branch("spelled", &files, &[]);
    let (plan, code) = planned_with(&cluster, &repository, "spelled", &[]);
    let unknown = plan["unreadable"].to_string();
    assert!(unknown.contains("Secret login") && unknown.contains("--allow-secret-values"), "{plan:#}");
    assert_eq!((names(&plan).len(), code), (0, 4), "{plan:#}");
    assert!(!plan.to_string().contains("c a n a r y"), "{plan:#}");
    let (plan, _) = planned(&cluster, &repository, "spelled");
    assert!(plan.to_string().contains("c a n a r y"), "with the flag, the chart receives it: {plan:#}");

    // A merge that changes nothing of the release needs no Secret.
    repository.branch("readme", &[("README.md", "text")], &[]);
    let (plan, code) = planned_with(&cluster, &repository, "readme", &[]);
    assert_eq!((&plan["unreadable"], names(&plan).len(), code), (&json!([]), 0, 0), "{plan:#}");
    // One that changes other values does.
    repository.branch("values", &[("config/sizes.yaml", &SIZES.replace("size: 1", "size: 2"))], &[]);
    let (plan, _) = planned_with(&cluster, &repository, "values", &[]);
    assert!(plan["unreadable"].to_string().contains("Secret login"), "{plan:#}");
}

#[test]
fn random_values_and_lookups_of_a_chart_are_unknown() {
    let Some(cluster) = support::start(Options::named("plan-random")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let random =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: random}\ndata: {key: {{ randAlphaNum 12 | quote }}}\n";
    let looked_up = "{{- $known := lookup \"v1\" \"Secret\" .Release.Namespace \"x\" }}\n";
    let chart = CHART.replace("1.0.0", "1.1.0");
    repository.branch(
        "random",
        &[("charts/web/templates/random.yaml", random), ("charts/web/Chart.yaml", &chart)],
        &[],
    );
    let (plan, _) = planned(&cluster, &repository, "random");
    let unknown = plan["unreadable"].to_string();
    assert!(unknown.contains("configmap/random") && !unknown.contains("configmap/web"), "{plan:#}");
    repository.branch("lookup", &[("charts/web/templates/l.yaml", looked_up), ("charts/web/Chart.yaml", &chart)], &[]);
    let (plan, code) = planned(&cluster, &repository, "lookup");
    assert!(plan["unreadable"].to_string().contains("lookup") && code != 0, "{plan:#}");
}

/// helm would load the schema, and fail: its file is no schema.
#[test]
fn a_schema_outside_of_the_chart_is_not_read_and_that_is_reported() {
    let Some(cluster) = support::start(Options::named("plan-schema")) else { return };
    let repository = repository();
    scene(&cluster, &repository);
    let chart = CHART.replace("1.0.0", "1.1.0");
    let added = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: added}\n";
    let with_schema = |branch: &str, target: &str| {
        let schema =
            json!({ "properties": {"color": {"$ref": target}}, "$defs": {"text": {"type": "string"}} }).to_string();
        let files = [
            ("charts/web/values.schema.json", &*schema),
            ("charts/web/Chart.yaml", &*chart),
            ("charts/web/templates/added.yaml", added),
        ];
        repository.branch(branch, &files, &[]);
        planned(&cluster, &repository, branch).0
    };
    let plan = with_schema("elsewhere", "file:///etc/hostname");
    assert!(names(&plan).contains(&"add ConfigMap/added".to_owned()), "{plan:#}");
    assert!(plan["unreadable"].to_string().contains("the values are not validated"), "{plan:#}");
    let plan = with_schema("own", "#/$defs/text");
    assert!(names(&plan).contains(&"add ConfigMap/added".to_owned()), "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
}
