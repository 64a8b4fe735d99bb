//! The requests about which the API server asks webhooks and policies: rules, selectors, and conditions.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::expression::{CompiledExpression, ExpressionAnswer, ExpressionScope, on_own_stack};
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::variant_words::variant_words;

/// The API group of the configurations.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// The operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AdmissionOperation {
    /// An object is created.
    Create,
    /// An object is changed.
    Update,
    /// An object is deleted.
    Delete,
}

variant_words!(AdmissionOperation { Create = "CREATE", Update = "UPDATE", Delete = "DELETE" });

/// A request about which webhooks and policies may be asked.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionRequest<'a> {
    /// The operation.
    pub operation: AdmissionOperation,
    /// Kind of the object, in the version of the request.
    pub kind: &'a ResourceKind,
    /// Metadata of the object; of a deletion, those of the deleted object.
    pub metadata: &'a Metadata,
    /// Metadata before an update.
    pub before: Option<&'a Metadata>,
    /// The object after the request; `None` if it is not known, or there is none.
    pub object: Option<&'a Value>,
    /// The object before the request; `None` if it is not known, or there was none.
    pub old_object: Option<&'a Value>,
}

/// Whether a webhook or a policy is asked about a request.
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

    /// Creates the index from metadata.
    pub fn from_metadata(namespaces: impl IntoIterator<Item = &'a Metadata>) -> Self {
        Self(namespaces.into_iter().map(|metadata| (metadata.name.as_str(), metadata)).collect())
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

    /// Returns whether a request is covered, without the conditions.
    pub(super) fn call(self, request: &AdmissionRequest<'_>, namespaces: &NamespaceIndex<'_>) -> AdmissionCall {
        // The API server asks about no configuration of webhooks and policies.
        if request.kind.group == GROUP {
            return AdmissionCall::Never;
        }
        let by_rules = match self {
            Self::Webhook(_) => self.call_by_rules(self.rules(), request),
            Self::Policy(Some(value)) => {
                let by_rules = match self.rules().next() {
                    Some(_) => self.call_by_rules(self.rules(), request),
                    None => AdmissionCall::Certain,
                };
                match self.call_by_rules(list(value, "excludeResourceRules"), request) {
                    AdmissionCall::Certain => AdmissionCall::Never,
                    AdmissionCall::Possible => by_rules.min(AdmissionCall::Possible),
                    AdmissionCall::Never => by_rules,
                }
            }
            Self::Policy(None) => AdmissionCall::Certain,
        };
        let is_selected = |selector: &Value| {
            std::iter::once(request.metadata).chain(request.before).any(|metadata| selects(selector, metadata))
        };
        if !self.selector("objectSelector").is_none_or(is_selected) {
            return AdmissionCall::Never;
        }
        match self.selector("namespaceSelector") {
            Some(selector) => by_rules.min(call_in_namespace(selector, request, namespaces)),
            None => by_rules,
        }
    }

    /// Returns true if a rule may cover requests of an operation for objects of a kind.
    pub(super) fn may_cover(self, operation: AdmissionOperation, kind: &ResourceKind) -> bool {
        let mut rules = self.rules().peekable();
        let covers_all = rules.peek().is_none() && matches!(self, Self::Policy(_));
        kind.group != GROUP && (covers_all || rules.any(|rule| is_for(rule, operation, kind)))
    }

    /// Returns the subresources, such as `pods/exec`, that its rules name.
    pub(super) fn subresources(self) -> impl Iterator<Item = &'a str> {
        let resources = self.rules().flat_map(|rule| list(rule, "resources"));
        resources.filter_map(Value::as_str).filter(|name| name.contains('/'))
    }

    fn rules(self) -> impl Iterator<Item = &'a Value> {
        let rules = match self {
            Self::Webhook(webhook) => webhook.get("rules"),
            Self::Policy(value) => value.and_then(|value| value.get("resourceRules")),
        };
        rules.and_then(Value::as_array).into_iter().flatten()
    }

    fn call_by_rules(self, rules: impl Iterator<Item = &'a Value>, request: &AdmissionRequest<'_>) -> AdmissionCall {
        rules.map(|rule| self.call_by_rule(rule, request)).max().unwrap_or(AdmissionCall::Never)
    }

    fn call_by_rule(self, rule: &Value, request: &AdmissionRequest<'_>) -> AdmissionCall {
        let kind = request.kind;
        if !is_for(rule, request.operation, kind) {
            return AdmissionCall::Never;
        }
        let mut names = list(rule, "resourceNames").peekable();
        let is_named = names.peek().is_some();
        if is_named && !names.any(|name| name.as_str() == Some(&request.metadata.name)) {
            return AdmissionCall::Never;
        }
        // The deletion of a namespace requests its contents without names. Equivalent versions are converted for a webhook; a
        // policy would see other fields.
        let converts = match self {
            Self::Webhook(webhook) => webhook.get("matchPolicy").and_then(Value::as_str) != Some("Exact"),
            Self::Policy(_) => false,
        };
        let is_version = converts || has_name(rule, "apiVersions", &["*", &kind.version]);
        let may_be_unnamed =
            request.operation == AdmissionOperation::Delete && is_named && kind.scope == ResourceScope::Namespaced;
        match is_version && !may_be_unnamed {
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

/// Returns whether the conditions of a webhook, of which there is at least one, hold for a request.
pub(super) fn call_by_conditions(owner: &Value, request: &AdmissionRequest<'_>) -> AdmissionCall {
    let answers = on_own_stack(|| {
        let scope = request.scope(None)?;
        Some(
            expressions(owner, "matchConditions")
                .map(|text| answer(&CompiledExpression::new(text), request, &scope))
                .collect(),
        )
    });
    let answers: Vec<ExpressionAnswer> = answers.ok().flatten().unwrap_or_default();
    if answers.contains(&ExpressionAnswer::False) {
        AdmissionCall::Never
    } else if !answers.is_empty() && answers.iter().all(|answer| *answer == ExpressionAnswer::True) {
        AdmissionCall::Certain
    } else {
        AdmissionCall::Possible
    }
}

/// Returns the expressions of a list.
pub(super) fn expressions<'a>(owner: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    list(owner, field).map(|entry| entry.get("expression").and_then(Value::as_str).unwrap_or_default())
}

/// Evaluates an expression about a request; the answer is unknown if it depends on more than the object.
pub(super) fn answer(
    expression: &CompiledExpression<'_>,
    request: &AdmissionRequest<'_>,
    scope: &ExpressionScope,
) -> ExpressionAnswer {
    match depends_on_object(expression.text, request.kind) {
        true => expression.answer(scope),
        false => ExpressionAnswer::Unknown,
    }
}

/// The known fields of a request.
const REQUEST_FIELDS: [&str; 6] = ["kind", "name", "namespace", "operation", "resource", "subResource"];
/// The fields of a Secret that are not secret.
const SECRET_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "type"];

/// Returns true if an expression uses only known fields of the request, no values of a Secret, and no field whose
/// name the API server escapes.
pub(super) fn depends_on_object(expression: &str, kind: &ResourceKind) -> bool {
    let uses_only = |variable: &str, known: &[&str]| {
        fields_in_use(expression, variable).all(|field| field.is_some_and(|field| known.contains(&field)))
    };
    let is_secret = (kind.group.as_str(), kind.kind.as_str()) == ("", "Secret");
    uses_only("request", &REQUEST_FIELDS)
        && (!is_secret || ["object", "oldObject"].iter().all(|variable| uses_only(variable, &SECRET_FIELDS)))
        && !expression.contains("__")
}

/// Returns the field that each use of a variable names; `None` for a use of the whole.
fn fields_in_use<'e>(expression: &'e str, variable: &'e str) -> impl Iterator<Item = Option<&'e str>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    expression.match_indices(variable).filter_map(move |(at, _)| {
        let (before, after) = (&expression[..at], &expression[at + variable.len()..]);
        if before.ends_with(|c: char| is_name(c) || c == '.') || after.starts_with(is_name) {
            return None;
        }
        let field = after.strip_prefix('.').map(|field| field.strip_prefix('?').unwrap_or(field));
        Some(field.map(|field| field.split(|c: char| !is_name(c)).next().unwrap_or_default()))
    })
}

impl<'a> AdmissionRequest<'a> {
    /// Returns the request that deletes an object. The object is known if it was read as a whole: see [`whole_object`].
    pub(super) fn deletion(resource: &'a Resource, whole: Option<&'a Value>) -> Self {
        Self {
            operation: AdmissionOperation::Delete,
            kind: &resource.kind,
            metadata: &resource.metadata,
            before: None,
            object: None,
            old_object: whole,
        }
    }

    /// Returns the variables of expressions; `None` if an object that the request has is not known.
    pub(super) fn scope(&self, params: Option<&Value>) -> Option<ExpressionScope> {
        let (needs_object, needs_old) = match self.operation {
            AdmissionOperation::Create => (true, false),
            AdmissionOperation::Update => (true, true),
            AdmissionOperation::Delete => (false, true),
        };
        if needs_object && self.object.is_none() || needs_old && self.old_object.is_none() {
            return None;
        }
        let kind = self.kind;
        let request = json!({
            "operation": self.operation.as_str(), "name": self.metadata.name, "subResource": "",
            "namespace": self.metadata.namespace.as_deref().unwrap_or_default(),
            "kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
            "resource": {"group": kind.group, "version": kind.version, "resource": kind.plural},
        });
        let variables = [
            ("object", self.object.unwrap_or(&Value::Null)),
            ("oldObject", self.old_object.unwrap_or(&Value::Null)),
            ("request", &request),
        ];
        Some(ExpressionScope::new(variables.into_iter().chain(params.map(|params| ("params", params)))))
    }
}

/// Returns an object as policies see it; `None` if only its metadata was read.
pub(super) fn whole_object(resource: &Resource) -> Option<Value> {
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

/// Returns true if a rule covers an operation on objects of a kind.
fn is_for(rule: &Value, operation: AdmissionOperation, kind: &ResourceKind) -> bool {
    let scope = rule.get("scope").and_then(Value::as_str).unwrap_or("*");
    let is_scope = match kind.scope {
        ResourceScope::Namespaced => scope != "Cluster",
        ResourceScope::Cluster => scope != "Namespaced",
    };
    is_scope
        && has_name(rule, "operations", &[operation.as_str(), "*"])
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

fn call_in_namespace(
    selector: &Value,
    request: &AdmissionRequest<'_>,
    namespaces: &NamespaceIndex<'_>,
) -> AdmissionCall {
    let metadata = match request.metadata.namespace.as_deref() {
        None if request.kind.is_namespace() => Some(request.metadata),
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
