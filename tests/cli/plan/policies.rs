//! Admission policies that a merge brings or changes, compared with the server that enforces them afterwards.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Repository, application, apply_manifests, create, document, item, plan, stdout};
use crate::support::{self, Cluster, Options};

const ADMISSION: &str = "admissionregistration.k8s.io/v1";

fn rule(group: &str, plural: &str) -> Value {
    json!({"apiGroups": [group], "apiVersions": ["v1"], "resources": [plural], "operations": ["CREATE", "UPDATE"]})
}

/// A policy and its binding, with the differences from a plain one.
fn policy(name: &str, rule: Value, spec: Value, binding: Value) -> String {
    let mut policy = json!({
        "apiVersion": ADMISSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
        "spec": {"matchConstraints": {"resourceRules": [rule]}},
    });
    let mut bound = json!({
        "apiVersion": ADMISSION, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    });
    for (object, more) in [(&mut policy, spec), (&mut bound, binding)] {
        for (field, value) in more.as_object().unwrap() {
            object["spec"][field] = value.clone();
        }
    }
    // A file that begins with a brace would be JSON.
    format!("---\n{policy}\n---\n{bound}\n")
}

fn validation(expression: &str, message: &str) -> Value {
    json!({"validations": [{"expression": expression, "message": message}]})
}

fn deployment(namespace: &str, name: &str, labels: Value, replicas: u32) -> Value {
    let labels_of_pods = json!({"app": name});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels_of_pods},
            "template": {"metadata": {"labels": labels_of_pods}, "spec": {"containers": [{"name": "app", "image": "app"}]}},
        },
    })
}

fn settings(name: &str, metadata: Value, data: Value) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
    object["metadata"]["namespace"] = json!("prod");
    object["metadata"]["name"] = json!(name);
    object
}

fn namespace(name: &str, environment: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"env": environment}}})
}

fn live() -> Vec<Value> {
    let strict = json!({"labels": {"tier": "strict"}});
    let owned = json!({"labels": {"tier": "strict"}, "annotations": {"owner": "a"}});
    vec![
        namespace("prod", "prod"),
        namespace("dev", "dev"),
        deployment("prod", "labeled", json!({"team": "a"}), 1),
        deployment("prod", "bare", json!({}), 1),
        deployment("prod", "large", json!({"team": "a"}), 4),
        deployment("prod", "big-large", json!({"team": "a"}), 4),
        deployment("prod", "huge", json!({"team": "a"}), 9),
        deployment("dev", "bare", json!({}), 1),
        settings("strict", strict, json!({})),
        settings("owned", owned, json!({})),
        settings("plain", json!({}), json!({})),
        settings("limits", json!({}), json!({"most": "8"})),
    ]
}

/// The policies of the merge.
fn policies() -> String {
    let deployments = || rule("apps", "deployments");
    let in_production = json!({"matchResources": {"namespaceSelector": {"matchLabels": {"env": "prod"}}}});
    let mut replicas = validation("object.spec.replicas <= variables.limit", "too many replicas");
    replicas["variables"] = json!([{"name": "limit", "expression": "object.metadata.name.startsWith('big-') ? 5 : 2"}]);
    let mut limits = validation("object.spec.replicas <= int(params.data.most)", "more than the limit");
    limits["paramKind"] = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    let limited = json!({"paramRef": {"name": "limits", "namespace": "prod", "parameterNotFoundAction": "Deny"}});
    let mut strict = validation("object.metadata.annotations.owner != ''", "has no owner");
    strict["matchConditions"] =
        json!([{"name": "a", "expression": "object.?metadata.labels['tier'].orValue('') == 'strict'"}]);
    let mut lenient = validation("object.metadata.annotations.owner != ''", "has no owner");
    lenient["failurePolicy"] = json!("Ignore");
    let nothing = || json!({});
    [
        policy(
            "labels",
            deployments(),
            validation("'team' in object.metadata.?labels.orValue({})", "has no team"),
            in_production,
        ),
        policy("replicas", deployments(), replicas, nothing()),
        policy("limits", deployments(), limits, limited),
        policy("strict", rule("", "configmaps"), strict, nothing()),
        policy("lenient", rule("", "configmaps"), lenient, nothing()),
        policy("warns", rule("", "configmaps"), validation("false", "never"), json!({"validationActions": ["Warn"]})),
        policy("unbound", rule("", "configmaps"), validation("false", "never"), json!({"policyName": "other"})),
    ]
    .concat()
}

/// Returns the objects that the policies of a plan refuse: operation, kind, namespace and name.
fn predicted(plan: &Value) -> BTreeSet<String> {
    let items = plan["items"].as_array().unwrap();
    let refusals = items.iter().filter_map(|item| item["refusals"].as_array()).flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    refusals
        .map(|refusal| {
            let object = &refusal["object"];
            let name = [&object["kind"], &object["namespace"], &object["name"]].map(text).join("/");
            format!("{} {name}", text(&refusal["operation"]))
        })
        .collect()
}

/// Returns the objects among these that the server refuses to update or to create.
fn refused(cluster: &Cluster, objects: &[Value]) -> BTreeSet<String> {
    let refused = objects.iter().filter_map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let name = [text("/kind"), text("/metadata/namespace"), text("/metadata/name")];
        let label = ["label", name[0], name[2], "-n", name[1], "probe=1", "--dry-run=server"];
        let output = cluster.kubectl(label).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        if error.contains("denied request") {
            return Some(format!("UPDATE {}", name.join("/")));
        }
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("object.json");
        std::fs::write(&file, object.to_string()).unwrap();
        let mut create = cluster.kubectl(["create", "--dry-run=server", "-f"]);
        let output = create.arg(&file).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        error.contains("denied request").then(|| format!("CREATE {}", name.join("/")))
    });
    refused.collect()
}

#[test]
fn a_policy_of_the_merge_refuses_what_the_server_refuses_afterwards() {
    let Some(cluster) = support::start(Options::named("plan-policies")) else { return };
    let repository = Repository::new(&[("infra/base.yaml", &settings("base", json!({}), json!({})).to_string())]);
    let mut objects = live();
    create(&cluster, [objects.clone(), vec![application("infra", "infra", json!({}))]].concat());
    let added = [
        deployment("prod", "new", json!({}), 1),
        deployment("dev", "new", json!({}), 1),
        deployment("dev", "new-large", json!({}), 4),
    ];
    let new: Vec<String> = added.iter().map(Value::to_string).collect();
    repository.branch(
        "feature",
        &[("infra/policies.yaml", &policies()), ("infra/new.yaml", &new.join("\n---\n"))],
        &[],
    );
    let arguments = ["--base", "main", "--head", "feature"];
    let (merge, code) = document(&plan(&cluster, &repository, &[&arguments[..], &["-o", "json"]].concat()));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])), "{merge:#}");
    let foretold = predicted(&merge);
    assert_eq!(merge["consequences"]["refusal"], 4, "{merge:#}");
    assert_eq!(merge["consequences"]["unknown"], 0, "{merge:#}");
    let labels = &item(&merge, "ValidatingAdmissionPolicy", "labels")["refusals"];
    assert_eq!(labels.as_array().map(Vec::len), Some(2), "{labels:#}");
    let table = stdout(&plan(&cluster, &repository, &arguments));
    for line in [
        "would refuse the next update of 1 object: deployment.apps/bare -n prod: has no team",
        "would refuse the creation of 1 object: deployment.apps/new -n prod: has no team",
    ] {
        assert!(table.contains(line), "{line}: {table}");
    }
    let only = plan(&cluster, &repository, &[&arguments[..], &["--only", "refusal"]].concat());
    assert_eq!(only.status.code(), Some(1), "{}", stdout(&only));
    // The merge, without the new objects.
    repository.git(&["switch", "--quiet", "feature"]);
    std::fs::remove_file(repository.path().join("infra/new.yaml")).unwrap();
    apply_manifests(&cluster, &repository.path().join("infra"));
    objects.extend(added);
    objects.retain(|object| object["kind"] != "Namespace");
    // Policies take effect some time after they were created.
    let complete = support::run(async || {
        let mut last = BTreeSet::new();
        for _ in 0..20 {
            last = refused(&cluster, &objects);
            if last == foretold {
                break;
            }
        }
        last
    });
    assert_eq!(complete, foretold);
    assert!(foretold.len() >= 6, "{foretold:?}");
}

#[test]
fn what_a_policy_decides_by_more_than_the_objects_is_not_known() {
    let Some(cluster) = support::start(Options::named("plan-policies-unknown")) else { return };
    let repository = Repository::new(&[("infra/base.yaml", &settings("base", json!({}), json!({})).to_string())]);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "prod"},
        "stringData": {"password": "canary-password"},
    });
    create(&cluster, [live(), vec![secret, application("infra", "infra", json!({}))]].concat());
    let unknown = |spec: Value, rule: Value, binding: Value| {
        let branch = format!("b{}", repository.git(&["rev-list", "--all", "--count"]).trim());
        let text = policy("unknown", rule, spec, binding);
        repository.branch(&branch, &[("infra/policy.yaml", &text)], &[]);
        let arguments = ["--base", "main", "--head", &branch, "-o", "json"];
        let (merge, code) = document(&plan(&cluster, &repository, &arguments));
        assert!(!merge.to_string().contains("canary"), "{merge:#}");
        assert_eq!((code, &merge["consequences"]["unknown"]), (1, &json!(1)), "{merge:#}");
        (predicted(&merge), merge["unreadable"].to_string())
    };
    let deployments = || rule("apps", "deployments");
    let by_user = validation("request.userInfo.username == 'a'", "no");
    let (refusals, gaps) = unknown(by_user, deployments(), json!({}));
    assert_eq!(refusals.len(), 0, "{gaps}");
    assert!(gaps.contains("effects of validatingadmissionpolicy.admissionregistration.k8s.io/unknown"), "{gaps}");
    assert!(gaps.contains("depends on more than the objects") && gaps.contains("prod/bare"), "{gaps}");
    // An expression that is false without the user denies in any case.
    let mut either = validation("object.metadata.name == 'bare'", "no");
    either["validations"].as_array_mut().unwrap().push(json!({"expression": "request.userInfo.username == 'a'"}));
    let (refusals, gaps) = unknown(either, deployments(), json!({}));
    assert_eq!(refusals.len(), 4, "{refusals:?}");
    assert!(gaps.contains("prod/bare") && !gaps.contains("prod/labeled"), "{gaps}");
    // The author of a change could read values of Secrets by it.
    let reads = validation("object.data.password.startsWith('Y2')", "no");
    let (refusals, gaps) = unknown(reads, rule("", "secrets"), json!({}));
    assert_eq!(refusals.len(), 0, "{gaps}");
    let mut parameters = validation("params.data.password.startsWith('Y2')", "no");
    parameters["paramKind"] = json!({"apiVersion": "v1", "kind": "Secret"});
    let reference = json!({"paramRef": {"name": "login", "namespace": "prod", "parameterNotFoundAction": "Deny"}});
    let (refusals, gaps) = unknown(parameters, deployments(), reference);
    assert_eq!(refusals.len(), 0, "{gaps}");
    let subresources =
        json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/exec"], "operations": ["CONNECT"]});
    let (_, gaps) = unknown(validation("false", "no"), subresources, json!({}));
    assert!(gaps.contains("subresources (pods/exec)"), "{gaps}");
}

/// The dry run of an object still has the old policy.
#[test]
fn a_changed_policy_is_named_where_the_old_one_rejects() {
    let Some(cluster) = support::start(Options::named("plan-policies-changed")) else { return };
    let strict = policy("strict", rule("apps", "deployments"), validation("false", "never"), json!({}));
    let open = policy("strict", rule("apps", "deployments"), validation("true", "never"), json!({}));
    let repository = Repository::new(&[("infra/policy.yaml", &strict)]);
    create(&cluster, vec![namespace("prod", "prod"), application("infra", "infra", json!({}))]);
    apply_manifests(&cluster, &repository.path().join("infra"));
    let new = deployment("prod", "new", json!({}), 1);
    support::run(async || {
        let objects = [new.clone()];
        support::eventually(async || (!refused(&cluster, &objects).is_empty()).then_some(())).await;
    });
    let files = [("infra/policy.yaml", open), ("infra/new.yaml", new.to_string())];
    repository.branch("feature", &files.each_ref().map(|(name, text)| (*name, text.as_str())), &[]);
    let arguments = ["--base", "main", "--head", "feature", "-o", "json"];
    let (merge, code) = document(&plan(&cluster, &repository, &arguments));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])), "{merge:#}");
    let rejected = item(&merge, "Deployment", "new");
    assert_eq!(rejected["check"], "rejected", "{merge:#}");
    assert!(rejected["notes"].to_string().contains("the policy changes too"), "{rejected:#}");
    let changed = item(&merge, "ValidatingAdmissionPolicy", "strict");
    assert_eq!((&changed["unevaluated"], &changed["refusals"]), (&Value::Null, &Value::Null), "{changed:#}");
    // A policy that is removed refuses nothing more.
    repository.branch("removal", &[("infra/other.yaml", &namespace("other", "a").to_string())], &["infra/policy.yaml"]);
    let (merge, code) = document(&plan(&cluster, &repository, &["--base", "main", "--head", "removal", "-o", "json"]));
    assert_eq!((code, &merge["consequences"]["unknown"]), (1, &json!(0)), "{merge:#}");
}
