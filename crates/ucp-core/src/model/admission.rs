//! The deletions about which the API server asks webhooks and policies: rules, selectors, and conditions.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::model::expression::{self, CostBound};
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The API group of the configurations.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// Whether a webhook or a policy is asked about a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdmissionCall {
    /// It is not asked.
    Never,
    /// Its conditions are not covered, or the labels of the namespace are unknown.
    Possible,
    /// It is asked.
    Certain,
}

/// The metadata of the namespaces of a cluster, by name.
#[derive(Debug)]
pub struct NamespaceIndex<'a>(HashMap<&'a str, &'a Metadata>);

impl<'a> NamespaceIndex<'a> {
    /// Finds those of a cluster.
    pub fn from_state(state: &'a ClusterState) -> Self {
        let namespaces = state.resources.iter().filter(|one| one.kind.is_namespace());
        Self(namespaces.map(|one| (one.metadata.name.as_str(), &one.metadata)).collect())
    }
}

/// The fields of a webhook, a policy, or its binding that define what it is asked about.
#[derive(Debug, Clone, Copy)]
pub(super) enum AdmissionScope<'a> {
    /// A webhook: without rules, it is asked about nothing.
    Webhook(&'a Value),
    /// A `MatchResources`: without rules, it covers everything. `None` if it is absent.
    Policy(Option<&'a Value>),
}

impl<'a> AdmissionScope<'a> {
    /// Returns true if it selects namespaces by their labels.
    pub(super) fn selects_namespaces(self) -> bool {
        self.selector("namespaceSelector").is_some()
    }

    /// Returns whether a deletion is covered, without the conditions.
    pub(super) fn call_for_deletion(self, resource: &Resource, namespaces: &NamespaceIndex<'_>) -> AdmissionCall {
        // The API server asks about no configuration of webhooks and policies.
        if resource.kind.group == GROUP {
            return AdmissionCall::Never;
        }
        let by_rules = match self {
            Self::Webhook(webhook) => self.call_by_rules(list(webhook, "rules"), resource),
            Self::Policy(Some(value)) => {
                let by_rules = match list(value, "resourceRules").next() {
                    Some(_) => self.call_by_rules(list(value, "resourceRules"), resource),
                    None => AdmissionCall::Certain,
                };
                match self.call_by_rules(list(value, "excludeResourceRules"), resource) {
                    AdmissionCall::Certain => AdmissionCall::Never,
                    AdmissionCall::Possible => by_rules.min(AdmissionCall::Possible),
                    AdmissionCall::Never => by_rules,
                }
            }
            Self::Policy(None) => AdmissionCall::Certain,
        };
        if !self.selector("objectSelector").is_none_or(|selector| selects(selector, &resource.metadata)) {
            return AdmissionCall::Never;
        }
        match self.selector("namespaceSelector") {
            Some(selector) => by_rules.min(call_in_namespace(selector, resource, namespaces)),
            None => by_rules,
        }
    }

    fn call_by_rules(self, rules: impl Iterator<Item = &'a Value>, resource: &Resource) -> AdmissionCall {
        rules.map(|rule| self.call_by_rule(rule, resource)).max().unwrap_or(AdmissionCall::Never)
    }

    fn call_by_rule(self, rule: &Value, resource: &Resource) -> AdmissionCall {
        let kind = &resource.kind;
        if !is_for_deletion(rule, kind) {
            return AdmissionCall::Never;
        }
        let mut names = list(rule, "resourceNames").peekable();
        let is_named = names.peek().is_some();
        if is_named && !names.any(|name| name.as_str() == Some(&resource.metadata.name)) {
            return AdmissionCall::Never;
        }
        // The deletion of a namespace requests its contents without names. Equivalent versions are converted for a webhook; a
        // policy would see other fields.
        let converts = match self {
            Self::Webhook(webhook) => webhook.get("matchPolicy").and_then(Value::as_str) != Some("Exact"),
            Self::Policy(_) => false,
        };
        let is_version = converts || has_name(rule, "apiVersions", &["*", &kind.version]);
        match is_version && !(is_named && kind.scope == ResourceScope::Namespaced) {
            true => AdmissionCall::Certain,
            false => AdmissionCall::Possible,
        }
    }

    fn selector(self, field: &str) -> Option<&'a Value> {
        let value = match self {
            Self::Webhook(value) => Some(value),
            Self::Policy(value) => value,
        };
        value?.get(field).filter(|selector| !selects_all(selector))
    }
}

/// Returns whether the conditions of a webhook or a policy hold for a deletion.
pub(super) fn call_by_conditions(owner: &Value, resource: &Resource) -> AdmissionCall {
    let expressions: Vec<&str> = expressions(owner, "matchConditions").collect();
    let answers = evaluate_for_deletion(&expressions, resource);
    if answers.contains(&Some(false)) {
        AdmissionCall::Never
    } else if answers.contains(&None) {
        AdmissionCall::Possible
    } else {
        AdmissionCall::Certain
    }
}

/// Returns the expressions of a list.
pub(super) fn expressions<'a>(owner: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    list(owner, field).map(|entry| entry.get("expression").and_then(Value::as_str).unwrap_or_default())
}

/// Evaluates expressions for the deletion of an object; `None` for those that depend on more than the object.
pub(super) fn evaluate_for_deletion(expressions: &[&str], resource: &Resource) -> Vec<Option<bool>> {
    let unknown = || vec![None; expressions.len()];
    let Some(object) = whole_object(resource).filter(|_| !expressions.is_empty()) else { return unknown() };
    let request = json!({"operation": "DELETE"});
    // `object` is null, and is left out: whether it has a field is no question that both answer alike.
    let variables = [("oldObject", &object), ("request", &request)];
    let evaluate = |expression: &&str| {
        let size = CostBound::of_object(&object);
        let known =
            depends_on_object(expression).then(|| expression::evaluate(expression, variables.into_iter(), size));
        known?.ok().flatten()
    };
    expression::on_own_stack(|| expressions.iter().map(evaluate).collect()).unwrap_or_else(|_| unknown())
}

/// Returns true if an expression uses nothing of the request but its operation, and no field whose name the API server escapes.
fn depends_on_object(expression: &str) -> bool {
    expression.split("request").skip(1).all(|rest| rest.starts_with(".operation")) && !expression.contains("__")
}

/// Returns an object as policies see it; `None` if only its metadata was read.
fn whole_object(resource: &Resource) -> Option<Value> {
    let whole = resource.whole.as_deref()?.as_object()?;
    let has_more = whole.keys().any(|field| !["apiVersion", "kind", "metadata"].contains(&field.as_str()));
    let identity = [("apiVersion", resource.kind.api_version()), ("kind", resource.kind.kind.clone())];
    let identity = identity.into_iter().map(|(field, value)| (field.to_owned(), Value::from(value)));
    let fields = whole.iter().map(|(field, value)| (field.clone(), value.clone()));
    has_more.then(|| Value::Object(identity.chain(fields).collect::<Map<_, _>>()))
}

pub(super) fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn has_name(rule: &Value, field: &str, wanted: &[&str]) -> bool {
    list(rule, field).filter_map(Value::as_str).any(|name| wanted.contains(&name))
}

/// Returns true if a rule covers deletions of a kind.
fn is_for_deletion(rule: &Value, kind: &ResourceKind) -> bool {
    let scope = rule.get("scope").and_then(Value::as_str).unwrap_or("*");
    let is_scope = match kind.scope {
        ResourceScope::Namespaced => scope != "Cluster",
        ResourceScope::Cluster => scope != "Namespaced",
    };
    is_scope
        && has_name(rule, "operations", &["DELETE", "*"])
        && has_name(rule, "apiGroups", &["*", &kind.group])
        && has_name(rule, "resources", &["*", "*/*", &kind.plural, &format!("{}/*", kind.plural)])
}

fn selects_all(selector: &Value) -> bool {
    ["matchLabels", "matchExpressions"].into_iter().all(|field| match selector.get(field) {
        None | Some(Value::Null) => true,
        Some(Value::Object(labels)) => labels.is_empty(),
        Some(Value::Array(expressions)) => expressions.is_empty(),
        Some(_) => false,
    })
}

/// Returns true if a `metav1.LabelSelector` selects an object.
fn selects(selector: &Value, metadata: &Metadata) -> bool {
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    let has_labels = labels.is_none_or(|labels| {
        labels.iter().all(|(key, value)| metadata.label(key).is_some() && metadata.label(key) == value.as_str())
    });
    has_labels
        && list(selector, "matchExpressions").all(|expression| {
            let text = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
            let label = metadata.label(text("key"));
            let is_listed =
                || label.is_some_and(|label| list(expression, "values").any(|value| value.as_str() == Some(label)));
            match text("operator") {
                "In" => is_listed(),
                "NotIn" => !is_listed(),
                "Exists" => label.is_some(),
                "DoesNotExist" => label.is_none(),
                _ => false,
            }
        })
}

fn call_in_namespace(selector: &Value, resource: &Resource, namespaces: &NamespaceIndex<'_>) -> AdmissionCall {
    let metadata = match resource.metadata.namespace.as_deref() {
        None if resource.kind.is_namespace() => Some(&resource.metadata),
        // Selectors of namespaces do not apply to other cluster-scoped objects.
        None => return AdmissionCall::Certain,
        Some(name) => namespaces.0.get(name).copied(),
    };
    match metadata.map(|metadata| selects(selector, metadata)) {
        Some(true) => AdmissionCall::Certain,
        Some(false) => AdmissionCall::Never,
        None => AdmissionCall::Possible,
    }
}

pub(super) fn of_kind<'a>(
    state: &'a ClusterState,
    group: &'a str,
    kind: &'a str,
) -> impl Iterator<Item = &'a Resource> {
    state.resources.iter().filter(move |one| one.kind.group == group && one.kind.kind == kind)
}
