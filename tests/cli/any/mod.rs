//! `resources --any`: a verdict for objects of any kind.

mod rules;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::command::{run, ucp_from, ucp_on};
use crate::support::{self, Options, load};

const OBJECTS: &str = "tests/fixtures/any";

fn verdicts(arguments: &[&str]) -> BTreeMap<String, String> {
    let list = run(ucp_from(OBJECTS, arguments.iter().copied())).expect(0).json();
    let reported = |item: &Value| {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        (format!("{}/{}", text("/object/kind"), text("/object/name")), text("/verdict"))
    };
    list["items"].as_array().unwrap().iter().map(reported).collect()
}

#[test]
fn any_gives_objects_of_every_kind_a_verdict() {
    let verdicts_of = verdicts(&["resources", "--any", "-o", "json"]);
    for (object, verdict) in [
        ("Thing/ready", "OK"),
        ("Thing/ready-is-false-beside-a-healthy-phase", "Failed"),
        ("Thing/phase-nobody-knows", "Unknown"),
        ("Elasticsearch/red", "Failed"),
        ("InstallPlan/approval", "NeedsHuman"),
        ("Job/running", "Progressing"),
        ("Thing/suspended", "Paused"),
    ] {
        assert_eq!(verdicts_of.get(object).map(String::as_str), Some(verdict), "{object}");
    }
    // A status without information is never OK.
    assert_eq!(verdicts_of.get("Thing/says-nothing-of-health").map(String::as_str), Some("Unknown"));
    assert!(verdicts(&["resources", "-o", "json"]).is_empty());
}

#[test]
fn kinds_without_an_engine_are_found_by_name() {
    let some = verdicts(&["resources", "--any", "elasticsearch", "-o", "json"]);
    assert_eq!(some.keys().collect::<Vec<_>>(), ["Elasticsearch/red", "Elasticsearch/yellow"]);
}

#[test]
fn status_any_has_a_line_per_group_and_findings_for_failures() {
    let status = |arguments: &[&str]| run(ucp_from(OBJECTS, arguments.iter().copied())).expect(0).json();
    let all = status(&["status", "--any", "-o", "json"]);
    let row = |name: &str| {
        let rows = all["engines"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {rows:?}")).clone()
    };
    assert_eq!(row("elasticsearch.k8s.elastic.co")["verdict"], "Failed");
    assert_eq!(row("elasticsearch.k8s.elastic.co")["counts"]["Failed"], 1);
    // Kubernetes' own groups are one line, and its workloads are judged, too.
    assert_eq!(row("Kubernetes")["kinds"]["deployments"], 5);
    let findings = all["findings"].as_array().unwrap();
    let of = |name: &str| findings.iter().find(|finding| finding["object"]["name"] == name).unwrap();
    assert_eq!(of("deadline")["code"], "UCP601");
    assert_eq!(of("red")["verdict"], "Failed");
    // None of this is read without the flag.
    let few = status(&["status", "-o", "json"]);
    assert!(!few["engines"].as_array().unwrap().iter().any(|row| row["name"] == "elasticsearch.k8s.elastic.co"));
}

#[test]
fn a_convention_table_of_the_user_adds_words() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("conventions.yaml");
    std::fs::write(
        &table,
        "- {group: example.org, kinds: [Thing], source: 'https://example.org', states: {phase: {ok: [Frobnicated]}}}\n",
    )
    .unwrap();
    let table = table.to_str().unwrap();
    let object = "Thing/phase-nobody-knows";
    let found = verdicts(&["resources", "--any", "-o", "json", "--conventions", table]);
    assert_eq!(found.get(object).map(String::as_str), Some("OK"));
    let mut by_environment = ucp_from(OBJECTS, ["resources", "--any", "-o", "json"]);
    by_environment.env("KUBECTL_UCP_CONVENTIONS", table);
    let again = run(by_environment).expect(0).json();
    let item = again["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == "phase-nobody-knows");
    assert_eq!(item.unwrap()["verdict"], "OK");
    std::fs::write(directory.path().join("bad.yaml"), "- {group: example.org, kindz: [Thing], source: s}\n").unwrap();
    let bad = directory.path().join("bad.yaml");
    let refused = run(ucp_from(OBJECTS, ["status", "--conventions", bad.to_str().unwrap()])).expect(2);
    assert!(refused.stderr.contains("kindz"), "{}", refused.stderr);
}

#[test]
fn kinds_that_never_have_a_status_are_ok_without_their_definitions() {
    let kinds = [
        ("argoproj.io/v1alpha1", "AppProject"),
        ("apiextensions.crossplane.io/v1beta1", "EnvironmentConfig"),
        ("apiextensions.crossplane.io/v1beta1", "Usage"),
        ("pkg.crossplane.io/v1beta1", "ImageConfig"),
        ("pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig"),
        ("secrets.crossplane.io/v1alpha1", "StoreConfig"),
        ("cloud.example.org/v1beta1", "ProviderConfigUsage"),
    ];
    let document = |(api, kind): (&str, &str)| {
        format!(
            "---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: a, creationTimestamp: '2026-11-18T09:00:00Z'}}\nspec: {{}}\n"
        )
    };
    let clock = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, creationTimestamp: '2026-11-20T09:00:00Z'}\n";
    let directory = tempfile::tempdir().unwrap();
    let snapshot = directory.path().join("hub.yaml");
    std::fs::write(&snapshot, kinds.map(document).concat() + clock).unwrap();
    let list = run(ucp_from(snapshot.to_str().unwrap(), ["resources", "--any", "-o", "json"])).expect(0).json();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), kinds.len(), "{list:#}");
    assert!(items.iter().all(|item| item["verdict"] == "OK"), "{list:#}");
}

/// Objects, a definition, and an Application that deploys them.
const DISPUTED: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.org}
spec:
  group: example.org
  names: {kind: Gadget, plural: gadgets}
  versions:
  - name: v1
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Joined, type: string, jsonPath: '.status.conditions[?(@.type=="Joined")].status'}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: settings.example.org}
spec:
  group: example.org
  names: {kind: Setting, plural: settings}
  versions: [{name: v1}]
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: alone, namespace: shop, uid: "1"}
status: {conditions: [{type: Installed, status: "True"}, {type: Joined, status: "False", reason: Orphaned, message: nobody took it}]}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: fine, namespace: shop, uid: "2"}
status: {conditions: [{type: Joined, status: "True"}]}
---
apiVersion: example.org/v1
kind: Setting
metadata: {name: plain, namespace: shop, generation: 7, uid: "3"}
status: {observedGeneration: 3, phase: Ready}
---
apiVersion: example.org/v1
kind: Setting
metadata: {name: silent, namespace: shop, generation: 7, uid: "4", creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {colour: red}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd, uid: "5"}
spec: {destination: {server: https://kubernetes.default.svc, namespace: shop}, source: {repoURL: https://git.example.org/shop, path: .}}
status:
  health: {status: Degraded}
  sync: {status: Synced}
  resources:
  - {group: example.org, version: v1, kind: Gadget, namespace: shop, name: fine, status: Synced, health: {status: Degraded, message: it hums}}
"#;

#[test]
fn definitions_and_deployers_influence_the_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.yaml");
    std::fs::write(&file, DISPUTED).unwrap();
    let from = file.to_str().unwrap();
    let list = run(ucp_from(from, ["resources", "--any", "-o", "json"])).expect(0).json();
    let item = |name: &str| {
        let items = list["items"].as_array().unwrap();
        items.iter().find(|item| item["object"]["name"] == name).unwrap().clone()
    };
    // The author of the definition shows this condition.
    assert_eq!(item("alone")["verdict"], "Failed");
    // Without a status of its own, an object has no observed generation, which is no problem.
    assert_eq!((item("plain")["verdict"].as_str(), item("silent")["verdict"].as_str()), (Some("OK"), Some("OK")));
    // Argo CD may know better; both are reported.
    assert_eq!(
        (item("fine")["verdict"].as_str(), item("fine")["findings"][0].as_str()),
        (Some("NeedsHuman"), Some("UCP606"))
    );
    let message = item("fine")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("Argo CD reports Degraded: it hums") && message.contains("OK"), "{message}");

    let tree = run(ucp_from(from, ["tree", "gadget/alone", "-o", "json"])).expect(0).json();
    let root = tree["nodes"].as_array().unwrap().iter().find(|node| node["id"] == tree["root"]).unwrap().clone();
    assert_eq!((root["verdict"].as_str(), tree["findings"][0]["code"].as_str()), (Some("Failed"), Some("UCP601")));
}

/// Kinds without an engine are not requested, however many there are; with the flag, they are listed once.
#[test]
fn kinds_without_an_engine_are_listed_only_with_any_and_only_once() {
    const GROUP: &str = "parts.example.org";
    const KINDS: usize = 40;
    let Some(cluster) = support::start(Options::named("unknown-kinds")) else { return };
    let definition = |number: usize| {
        let (kind, plural) = (format!("Part{number}"), format!("part{number}s"));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{GROUP}")},
            "spec": {
                "group": GROUP, "scope": "Cluster", "names": {"kind": kind, "plural": plural},
                "versions": [{
                    "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                }],
            },
        })
    };
    let kinds = (0..KINDS).map(definition).collect();
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let asked = |arguments: &[&str]| -> Vec<String> {
        let mark = cluster.audit_mark();
        run(ucp_on(&cluster, arguments.iter().copied())).expect(0);
        let of_kind = |request: support::audit::Request| {
            let object = request.object.filter(|object| object.api_group == GROUP)?;
            Some(format!("{} {}", request.verb, object.resource))
        };
        let mut found: Vec<String> = cluster.requests_since(mark).into_iter().filter_map(of_kind).collect();
        found.sort();
        found
    };
    assert_eq!(asked(&["status"]), Vec::<String>::new());
    let mut expected: Vec<String> = (0..KINDS).map(|number| format!("list part{number}s")).collect();
    expected.sort();
    assert_eq!(asked(&["status", "--any"]), expected);
    assert_eq!(asked(&["resources", "--any", "-o", "name"]), expected);
}

/// Instances of KRO's graphs are KRO's in the group of their definition, and the rest of that group has no engine.
#[test]
fn instances_are_their_engines_in_the_group_that_their_definition_names() {
    const GROUP: &str = "shops.example.org";
    let Some(cluster) = support::start(Options::named("graph-instances")) else { return };
    let definition = |group: &str, kind: &str, plural: &str, scope: &str| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {
                "group": group, "scope": scope, "names": {"kind": kind, "plural": plural},
                "versions": [{
                    "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                }],
            },
        })
    };
    let object = |kind: &str, name: &str, state: &str| {
        json!({
            "apiVersion": format!("{GROUP}/v1alpha1"), "kind": kind, "metadata": {"name": name, "namespace": "default"},
            "spec": {}, "status": {"state": state},
        })
    };
    let graph = json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": "storefront"},
        "spec": {"schema": {"group": GROUP, "kind": "Storefront", "apiVersion": "v1alpha1"}},
        "status": {"state": "Active"},
    });
    // Objects that an instance creates have labels; the instance names the kinds.
    let mut north = object("Storefront", "north", "ACTIVE");
    north["metadata"]["annotations"] =
        json!({"applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Poster.nowhere"});
    let made = |name: &str, by: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default", "labels": {
                "kro.run/instance-name": by, "kro.run/instance-namespace": "default", "kro.run/instance-group": GROUP,
                "kro.run/instance-kind": "Storefront",
            }},
        })
    };
    let objects = vec![
        made("settings-of-north", "north"),
        made("settings-of-south", "south"),
        definition("kro.run", "ResourceGraphDefinition", "resourcegraphdefinitions", "Cluster"),
        definition(GROUP, "Storefront", "storefronts", "Namespaced"),
        definition(GROUP, "Poster", "posters", "Namespaced"),
        graph,
        north,
        object("Storefront", "south", "FAILED"),
        object("Poster", "red", "FAILED"),
    ];
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let mark = cluster.audit_mark();
    let status = run(ucp_on(&cluster, ["status", "-o", "json"])).expect(0).json();
    let reported: Vec<_> =
        status["findings"].as_array().unwrap().iter().filter(|one| one["code"] == "UCP774").collect();
    assert_eq!(reported.len(), 1, "{status:#}");
    assert_eq!(reported[0]["object"]["name"], "south");
    let row = status["engines"].as_array().unwrap().iter().find(|row| row["name"] == "KRO").unwrap();
    assert_eq!(row["kinds"]["storefronts"], 2, "{row:#}");
    let requests = cluster.requests_since(mark);
    assert!(!requests.iter().any(|request| request.uri.contains("posters")), "{requests:#?}");
    let listed = run(ucp_on(&cluster, ["resources", "--any", "storefronts", "-o", "json"])).expect(0).json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed:#}");
    let tree = run(ucp_on(&cluster, ["tree", "storefront/north", "-n", "default"])).expect(0).stdout;
    assert!(tree.contains("settings-of-north") && !tree.contains("settings-of-south"), "{tree}");
}
