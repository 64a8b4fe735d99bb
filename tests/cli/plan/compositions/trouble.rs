//! Each way in which a composite cannot be looked at, by a real fault: it costs that composite alone, and is named.

use std::collections::BTreeMap;

use prost_types::Struct;
use serde_json::{Value, json};
use ucp_features::composition::protocol::{
    FunctionResult, Match, Requirements, ResourceSelector, RunFunctionRequest, RunFunctionResponse, V1,
};

use super::super::hostile::is_harmless;
use super::super::{stderr, stdout};
use super::Scene;
use super::scene::{bucket, composition, fates};
use crate::support::function::{Function, Reply, templates, wanting};

/// A composite that is made by the Composition of its name.
fn composite(name: &str) -> Value {
    json!({
        "apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": name},
        "spec": {"size": "small", "compositionRef": {"name": name}},
    })
}

fn made_by(name: &str, function: &str) -> Value {
    let pipeline = json!([{"step": "make", "functionRef": {"name": function}, "input": {"resources": [
        {"name": "bucket", "base": bucket(json!({"size": "$(spec.size)"}))},
    ]}}]);
    composition(name, "XStore", pipeline)
}

/// An answer that never has enough: each time it requires something else.
fn endless(request: &RunFunctionRequest) -> RunFunctionResponse {
    let number = request.required_resources.keys().filter_map(|name| name.parse::<u32>().ok()).max().unwrap_or(0) + 1;
    let selector = ResourceSelector {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        matching: Some(Match::Name("none".into())),
        namespace: Some("quotes".into()),
    };
    let resources = BTreeMap::from([(number.to_string(), selector)]);
    RunFunctionResponse {
        requirements: Some(Requirements { resources, ..Requirements::default() }),
        ..RunFunctionResponse::default()
    }
}

fn result_with(severity: i32, message: &str) -> RunFunctionResponse {
    let results = vec![FunctionResult { severity, message: message.to_owned() }];
    RunFunctionResponse { results, context: Some(Struct::default()), ..RunFunctionResponse::default() }
}

/// A function whose response depends on the name of the composite.
fn faulty(path: &str, request: RunFunctionRequest) -> Reply {
    let composite = request.observed.as_ref().and_then(|state| state.composite.as_ref()?.resource.clone());
    let name = composite
        .map(|composite| ucp_features::composition::value::from_struct(&composite)["metadata"]["name"].clone());
    let name = name.unwrap_or_default();
    let answer = match name.as_str().unwrap_or_default() {
        "fatal" => result_with(1, "there is no size \u{1b}[31mat all"),
        "endless" => endless(&request),
        "huge" => result_with(3, &"x".repeat(5 * 1024 * 1024)),
        "silent" => return Reply::Silence,
        "stranger" => return Reply::Status(12, "unknown service"),
        "older" if path == V1 => return Reply::Status(12, "unknown service"),
        "broken" => return Reply::Status(13, "it broke: password=canary-status"),
        "many" => wanting((0..1500).map(|number| (number.to_string(), bucket(json!({}))))),
        "loud" => {
            let loud = "\u{1b}]0;title\u{7}\u{9b}31m";
            let mut answer = wanting([(format!("key{loud}"), bucket(json!({"size": loud})))]);
            answer.results = vec![FunctionResult { severity: 2, message: format!("warned{loud}\nof it") }];
            answer
        }
        "shapeless" => wanting([("x".to_owned(), json!({"kind": 7}))]),
        _ => templates(request),
    };
    Reply::Answer(Box::new(answer))
}

fn revision(name: &str, image: &str, state: &str, endpoint: Option<&str>) -> Value {
    let mut revision = json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "FunctionRevision",
        "metadata": {"name": format!("{name}-1"), "labels": {"pkg.crossplane.io/package": name}},
        "spec": {"image": image, "desiredState": state},
    });
    if let Some(endpoint) = endpoint {
        revision["status"] = json!({"endpoint": endpoint});
    }
    revision
}

const COMPUTES: &str = "xpkg.crossplane.io/crossplane-contrib/function-go-templating:v0.11.0";

#[test]
fn every_fault_is_reported_and_only_affects_its_composite() {
    let faults: &[(&str, &str, &str)] = &[
        ("fatal", "faulty", "pipeline step \"make\" returned a fatal result: there is no size"),
        ("endless", "faulty", "requirements didn't stabilize after the maximum number of iterations (5)"),
        ("huge", "faulty", "the message is too large"),
        ("silent", "faulty", "no answer within 2s"),
        ("stranger", "faulty", "it has neither service v1 nor v1beta1"),
        ("broken", "faulty", "it broke: password="),
        ("many", "faulty", "return 1500 composed resources"),
        ("shapeless", "faulty", "composed resource \"x\" has no apiVersion"),
        ("refused", "refused", "nothing listens there (connection refused)"),
        ("absent", "absent", "it is not installed in the core cluster"),
        ("inactive", "inactive", "it has no active FunctionRevision"),
        ("nowhere", "nowhere", "has no status.endpoint"),
        ("outside", "outside", "outside of the cluster"),
        (
            "uncertified",
            "uncertified",
            "secret/crossplane-tls-client -n crossplane-system, core's own certificate, does not exist",
        ),
        ("doing", "doing", "it may have side effects"),
    ];
    let mut declared: Vec<Value> = faults.iter().map(|(name, function, _)| made_by(name, function)).collect();
    let mut native = made_by("native", "faulty");
    native["spec"] =
        json!({"compositeTypeRef": {"apiVersion": "shop.example.org/v1", "kind": "XStore"}, "resources": []});
    let mut given = made_by("given", "faulty");
    given["spec"]["pipeline"][0]["credentials"] =
        json!([{"name": "c", "source": "Secret", "secretRef": {"namespace": "quotes", "name": "c"}}]);
    let mut requiring = made_by("requiring", "faulty");
    requiring["spec"]["pipeline"][0]["requirements"] = json!({"requiredResources": [
        {"requirementName": "s", "apiVersion": "v1", "kind": "Secret", "namespace": "quotes", "name": "s"},
    ]});
    declared.extend([native, given, requiring]);
    declared.extend(["well", "older", "loud"].map(|name| made_by(name, "faulty")));
    let Some(scene) = Scene::start("plan-faults", &declared) else { return };
    for object in [
        revision("inactive", COMPUTES, "Inactive", None),
        revision("nowhere", COMPUTES, "Active", None),
        revision("outside", COMPUTES, "Active", Some("dns:///functions.example.com:9443")),
        revision("uncertified", COMPUTES, "Active", Some("dns:///uncertified.crossplane-system:9443")),
        revision(
            "doing",
            "xpkg.crossplane.io/x/function-python:v1",
            "Active",
            Some("dns:///doing.crossplane-system:9443"),
        ),
    ] {
        scene.apply("crossplane", &object, &[]);
        if object.get("status").is_some() {
            scene.apply("crossplane", &object, &["--subresource=status"]);
        }
    }
    let others = [
        ("native", "mode: Resources"),
        ("given", "credentials are sent to functions only with '--send credentials'"),
        ("requiring", "Secrets are sent to functions only with '--send secrets'"),
        ("missing", "its Composition missing does not exist"),
    ];
    let names =
        faults.iter().map(|(name, ..)| *name).chain(others.map(|(name, _)| name)).chain(["well", "older", "loud"]);
    let mut ambiguous = composite("ambiguous");
    ambiguous["spec"] = json!({"size": "small"});
    let after: Vec<Value> = declared.iter().cloned().chain(names.map(composite)).chain([ambiguous]).collect();
    scene.change(&after);
    let function = Function::start(faulty);
    let arguments = [
        "--functions",
        "cluster",
        "--function",
        &function.named("faulty"),
        "--function",
        "refused=grpc://127.0.0.1:1",
        "--function-timeout",
        "2s",
    ];
    let (plan, code) = scene.document(&arguments);
    assert_eq!(code, 1);
    let reason = |name: &str| {
        let what = format!("xstore.shop.example.org/{name}");
        let found = plan["unreadable"].as_array().unwrap().iter().find(|entry| entry["what"] == what);
        found.unwrap_or_else(|| panic!("nothing of {name} in {:#}", plan["unreadable"]))["reason"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for (name, expected) in faults.iter().map(|(name, _, expected)| (*name, *expected)).chain(others) {
        assert!(reason(name).contains(expected), "{name}: {}", reason(name));
    }
    assert!(reason("ambiguous").contains("and Crossplane would use any of them"), "{}", reason("ambiguous"));
    assert!(!reason("broken").contains("canary-status"), "{}", reason("broken"));
    for well in ["well", "older"] {
        assert_eq!(fates(&plan, well), ["add Bucket/bucket"]);
    }
    let text = stdout(&scene.plan(&arguments)) + &stderr(&scene.plan(&arguments));
    assert!(text.contains("warned"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{text:?}");
    for flags in [&["--allow-function", "x"][..], &["--send", "secrets"], &["--function", "x=http://a:1"]] {
        assert_eq!(scene.plan(flags).status.code(), Some(2), "{flags:?}");
    }
}

#[test]
fn a_composite_that_cannot_be_planned_is_unreadable_and_not_unchanged() {
    let Some(scene) = Scene::start("plan-unlooked", &[made_by("shop", "faulty")]) else { return };
    scene.compose(&composite("shop"), &[], None);
    let mut after = made_by("shop", "faulty");
    after["spec"]["pipeline"][0]["step"] = json!("other");
    scene.change(&[after]);
    // The Composition itself changes, so there is a difference in any case.
    let (plan, code) = scene.document(&["--function", "faulty=grpc://127.0.0.1:1"]);
    assert_eq!((code, plan["unreadable"].as_array().unwrap().len()), (1, 1), "{plan:#}");
}

/// The response of a function is untrusted text: paths in place of versions and names, and objects of others.
fn lying(request: RunFunctionRequest) -> RunFunctionResponse {
    let composite = request.observed.as_ref().and_then(|state| state.composite.as_ref()?.resource.clone());
    let composite = composite.map(|composite| ucp_features::composition::value::from_struct(&composite));
    let name = composite.unwrap_or_default()["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let secret = |name: &str, namespace: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}});
    let object = match name.as_str() {
        "version" => json!({
            "apiVersion": "/v1/namespaces/kube-system/services/http:kubelet:80/proxy/x?a=", "kind": "ConfigMap",
            "metadata": {"name": "a"},
        }),
        "above" => secret("../../kube-system/secrets/x", "quotes"),
        "query" => secret("a?dryRun=None&x=", "quotes"),
        "place" => secret("a", "quotes/services/http:x:80/proxy"),
        "rights" => json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "cluster-admin"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}, "subjects": [],
        }),
        // Another composite of the same Composition has it.
        _ => with_name(bucket(json!({"size": "huge"})), "honest"),
    };
    wanting([("made".to_owned(), object)])
}

fn with_name(mut object: Value, name: &str) -> Value {
    object["metadata"]["name"] = json!(name);
    object
}

#[test]
fn a_hostile_function_only_causes_reads_and_dry_runs() {
    let Some(scene) = Scene::start("plan-liars", &[made_by("liar", "lying")]) else { return };
    let honest = scene.compose(&composite("liar"), &[("made", with_name(bucket(json!({})), "honest"))], None);
    assert_eq!(honest["metadata"]["name"], "liar");
    let of_liar = |name: &str| {
        let mut composite = composite(name);
        composite["spec"]["compositionRef"]["name"] = json!("liar");
        composite
    };
    let names = ["version", "above", "query", "place", "rights", "thief"];
    scene.change(&[vec![made_by("liar", "lying")], names.map(of_liar).to_vec()].concat());
    let function = Function::start(|_, request| Reply::Answer(Box::new(lying(request))));
    let mark = scene.cluster.audit_mark();
    let (plan, code) = scene.document(&["--function", &function.named("lying")]);
    assert!(function.calls() > 0 && code == 1, "{plan:#}");
    let harmful: Vec<_> =
        scene.cluster.requests_since(mark).into_iter().filter(|request| !is_harmless(request)).collect();
    assert!(harmful.is_empty(), "{harmful:#?}");
    // None of the lies is a change that the server accepts.
    for name in names {
        let composites = plan["composites"].as_array().into_iter().flatten();
        let items = composites.filter(|one| one["object"]["name"] == name).filter_map(|one| one["items"].as_array());
        let is_refused = |item: &Value| item["check"] == "rejected" || item["check"] == "unchecked";
        assert!(items.flatten().all(is_refused), "{name}: {plan:#}");
    }
}
