//! ValidatingAdmissionPolicies: the requests that their bindings deny.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::model::admission::{
    AdmissionCall, AdmissionOperation, AdmissionRequest, AdmissionScope, GROUP, NamespaceIndex, list, of_kind,
    whole_object,
};
use crate::model::compiled_policy::CompiledPolicy;
pub use crate::model::compiled_policy::PolicyDecision;
use crate::model::expression::on_own_stack;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The kinds of policies and of their bindings. Mutating policies are not asked about deletions.
pub const KINDS: [&str; 2] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
/// The time that the expressions of a policy may take for all requests. Beyond, its decisions are unknown.
const PATIENCE: Duration = Duration::from_secs(10);

/// A policy with a binding that denies requests.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionPolicy<'a> {
    name: &'a str,
    spec: &'a Value,
    binding: &'a Value,
}

/// The object from which a policy takes its parameters.
#[derive(Debug, Clone, Copy)]
pub enum PolicyParameters<'a> {
    /// It has none.
    None,
    /// This one.
    Object(&'a Value),
    /// One that does not exist.
    Missing,
    /// It is not known, or there are several.
    Unknown,
}

/// Returns the policies of a cluster, once per binding. A binding that only warns or audits denies nothing.
pub fn list_policies(state: &ClusterState) -> impl Iterator<Item = AdmissionPolicy<'_>> {
    of_kind(state, GROUP, KINDS[1]).filter_map(move |binding| {
        let binding = spec_of(binding)?;
        let name = policy_of_binding(binding)?;
        let policy = of_kind(state, GROUP, KINDS[0]).find(|policy| policy.metadata.name == name)?;
        AdmissionPolicy::new(&policy.metadata.name, spec_of(policy)?, binding)
    })
}

fn spec_of(resource: &Resource) -> Option<&Value> {
    resource.whole.as_deref().and_then(|whole| whole.get("spec"))
}

/// Returns the name of the policy that a binding with this spec enforces.
pub fn policy_of_binding(binding: &Value) -> Option<&str> {
    binding.get("policyName")?.as_str()
}

impl<'a> AdmissionPolicy<'a> {
    /// Joins the spec of a policy and that of a binding; `None` if the binding only warns or audits.
    pub fn new(name: &'a str, spec: &'a Value, binding: &'a Value) -> Option<Self> {
        let denies = list(binding, "validationActions").any(|action| action.as_str() == Some("Deny"));
        denies.then_some(Self { name, spec, binding })
    }

    /// Returns the name of the policy.
    pub fn name(&self) -> ObjectName {
        ObjectName {
            api_version: format!("{GROUP}/v1"),
            kind: KINDS[0].to_owned(),
            namespace: None,
            name: self.name.to_owned(),
        }
    }

    /// Returns true if it selects namespaces by their labels.
    pub fn selects_namespaces(&self) -> bool {
        self.scopes().into_iter().any(AdmissionScope::selects_namespaces)
    }

    /// Returns true if it may be asked about requests of an operation for objects of a kind.
    pub fn may_cover(&self, operation: AdmissionOperation, kind: &ResourceKind) -> bool {
        self.scopes().into_iter().all(|scope| scope.may_cover(operation, kind))
    }

    /// Returns the subresources, such as `pods/exec`, about which it is asked.
    pub fn subresources(&self) -> impl Iterator<Item = &'a str> {
        AdmissionScope::Policy(self.spec.get("matchConstraints")).subresources()
    }

    /// Returns the kind of its parameters: API version and kind.
    pub fn parameter_kind(&self) -> Option<(&'a str, &'a str)> {
        let kind = self.spec.get("paramKind")?;
        Some((kind.get("apiVersion")?.as_str()?, kind.get("kind")?.as_str()?))
    }

    /// Returns the namespace and name of its parameters; `None` if they are selected by labels.
    pub fn parameter_name(&self) -> Option<(Option<&'a str>, &'a str)> {
        let reference = self.binding.get("paramRef")?;
        Some((reference.get("namespace").and_then(Value::as_str), reference.get("name")?.as_str()?))
    }

    /// Decides about the deletion of an object.
    pub fn decide_deletion(&self, resource: &Resource, namespaces: &NamespaceIndex<'_>) -> PolicyDecision {
        if self.call(&AdmissionRequest::deletion(resource, None), namespaces) == AdmissionCall::Never {
            return PolicyDecision::Allows;
        }
        let parameters = match self.parameter_kind() {
            Some(_) => PolicyParameters::Unknown,
            None => PolicyParameters::None,
        };
        let whole = whole_object(resource);
        let request = AdmissionRequest::deletion(resource, whole.as_ref());
        self.decide(&[request], namespaces, parameters).pop().unwrap_or(PolicyDecision::Unknown)
    }

    /// Decides about requests, each on its own.
    pub fn decide(
        &self,
        requests: &[AdmissionRequest<'_>],
        namespaces: &NamespaceIndex<'_>,
        parameters: PolicyParameters<'_>,
    ) -> Vec<PolicyDecision> {
        let begun = Instant::now();
        let decisions = on_own_stack(|| {
            let compiled = CompiledPolicy::new(self.spec);
            let decide = |request: &AdmissionRequest<'_>| match self.call(request, namespaces) {
                AdmissionCall::Never => PolicyDecision::Allows,
                _ if begun.elapsed() > PATIENCE => PolicyDecision::Unknown,
                call => self.decide_asked(&compiled, request, call, parameters),
            };
            requests.iter().map(decide).collect()
        });
        decisions.unwrap_or_else(|_| vec![PolicyDecision::Unknown; requests.len()])
    }

    fn decide_asked(
        &self,
        compiled: &CompiledPolicy<'_>,
        request: &AdmissionRequest<'_>,
        call: AdmissionCall,
        parameters: PolicyParameters<'_>,
    ) -> PolicyDecision {
        let parameters = match parameters {
            PolicyParameters::None => None,
            PolicyParameters::Object(object) => Some(object),
            PolicyParameters::Unknown => return PolicyDecision::Unknown,
            PolicyParameters::Missing => {
                let action = self.binding.pointer("/paramRef/parameterNotFoundAction").and_then(Value::as_str);
                return match action {
                    Some("Deny") => compiled.failure("its parameters do not exist".to_owned()).after(call),
                    _ => PolicyDecision::Allows,
                };
            }
        };
        match request.scope(parameters) {
            Some(scope) => compiled.decide(request, scope, call),
            None => PolicyDecision::Unknown,
        }
    }

    fn call(&self, request: &AdmissionRequest<'_>, namespaces: &NamespaceIndex<'_>) -> AdmissionCall {
        let calls = self.scopes().map(|scope| scope.call(request, namespaces));
        calls.into_iter().fold(AdmissionCall::Certain, AdmissionCall::min)
    }

    fn scopes(&self) -> [AdmissionScope<'a>; 2] {
        [
            AdmissionScope::Policy(self.spec.get("matchConstraints")),
            AdmissionScope::Policy(self.binding.get("matchResources")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::metadata::Metadata;

    /// Decides about the update of a Deployment from `old` to `new`.
    fn decide(spec: Value, old: &Value, new: &Value, parameters: PolicyParameters<'_>) -> PolicyDecision {
        let mut policy = json!({"matchConstraints": {"resourceRules": [
            {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"], "operations": ["UPDATE"]},
        ]}});
        for (field, value) in spec.as_object().unwrap() {
            policy[field] = value.clone();
        }
        let binding = json!({
            "policyName": "a", "validationActions": ["Deny"], "paramRef": {"name": "p", "parameterNotFoundAction": "Deny"},
        });
        let metadata = |object: &Value| serde_json::from_value::<Metadata>(object["metadata"].clone()).unwrap();
        let (before, after) = (metadata(old), metadata(new));
        let request = AdmissionRequest {
            operation: AdmissionOperation::Update,
            kind: &ResourceKind { version: "v1".into(), ..ResourceKind::guess("apps", "Deployment") },
            metadata: &after,
            before: Some(&before),
            object: Some(new),
            old_object: Some(old),
        };
        let policy = AdmissionPolicy::new("a", &policy, &binding).unwrap();
        policy.decide(&[request], &NamespaceIndex::from_metadata([]), parameters).pop().unwrap()
    }

    fn deployment(labels: Value, replicas: u32) -> Value {
        json!({"metadata": {"name": "web", "namespace": "shop", "labels": labels}, "spec": {"replicas": replicas}})
    }

    fn denied(message: &str) -> PolicyDecision {
        PolicyDecision::Denies(message.to_owned())
    }

    fn validation(expression: &str) -> Value {
        json!({"validations": [{"expression": expression, "message": "no"}]})
    }

    #[test]
    fn a_policy_denies_what_its_expressions_deny() {
        let web = deployment(json!({"team": "a"}), 3);
        let about = |spec: Value| decide(spec, &web, &web, PolicyParameters::None);
        assert_eq!(about(validation("object.spec.replicas > 3")), denied("no"));
        assert_eq!(about(validation("object.spec.replicas == oldObject.spec.replicas")), PolicyDecision::Allows);
        assert_eq!(
            about(validation("request.namespace == 'shop' && request.kind.kind == 'Deployment'")),
            PolicyDecision::Allows
        );
        assert_eq!(about(validation("request.userInfo.username == 'a'")), PolicyDecision::Unknown);
        assert_eq!(
            about(validation("object.spec.requests.request == 'a'")),
            denied("expression 'object.spec.requests.request == 'a'' resulted in error: no such key: requests")
        );
        let mut spec = validation("object.spec.missing == 1");
        assert_eq!(
            about(spec.clone()),
            denied("expression 'object.spec.missing == 1' resulted in error: no such key: missing")
        );
        spec["failurePolicy"] = json!("Ignore");
        assert_eq!(about(spec), PolicyDecision::Allows);
        let computed = json!({"validations": [{
            "expression": "false", "message": "no", "messageExpression": "'not ' + object.metadata.name",
        }]});
        assert_eq!(about(computed), denied("no"));
        let composed = json!({
            "variables": [{"name": "count", "expression": "object.spec.replicas + 1"}],
            "validations": [{"expression": "variables.count < 4"}],
        });
        assert_eq!(about(composed), denied("failed expression: variables.count < 4"));
    }

    #[test]
    fn values_of_secrets_decide_nothing() {
        let kind = ResourceKind { version: "v1".into(), ..ResourceKind::guess("", "Secret") };
        let secret = json!({"metadata": {"name": "a"}, "type": "Opaque", "data": {"a": "canary"}});
        let metadata = serde_json::from_value::<Metadata>(secret["metadata"].clone()).unwrap();
        let request = AdmissionRequest {
            operation: AdmissionOperation::Create,
            kind: &kind,
            metadata: &metadata,
            before: None,
            object: Some(&secret),
            old_object: None,
        };
        let binding = json!({"policyName": "a", "validationActions": ["Deny"]});
        let about = |expression: &str| {
            let spec = validation(expression);
            let policy = AdmissionPolicy::new("a", &spec, &binding).unwrap();
            policy.decide(&[request], &NamespaceIndex::from_metadata([]), PolicyParameters::None).pop().unwrap()
        };
        for expression in [
            "object.data.a == 'b'",
            "object['data'].a == 'b'",
            "object == oldObject",
            "object.?data.a.orValue('') == ''",
            "object.exists(field, object[field] == 'b')",
            "[object].all(o, o.data.a == 'b')",
        ] {
            assert_eq!(about(expression), PolicyDecision::Unknown, "{expression}");
        }
        assert_eq!(about("object.type == 'Other' || object.metadata.name == 'b'"), denied("no"));
    }

    #[test]
    fn a_condition_that_is_not_known_makes_only_a_denial_unknown() {
        let web = deployment(json!({}), 3);
        let about = |condition: &str, expression: &str| {
            let mut spec = validation(expression);
            spec["matchConditions"] = json!([{"name": "a", "expression": condition}]);
            decide(spec, &web, &web, PolicyParameters::None)
        };
        assert_eq!(about("request.userInfo.username != 'a'", "false"), PolicyDecision::Unknown);
        assert_eq!(about("request.userInfo.username != 'a'", "true"), PolicyDecision::Allows);
        assert_eq!(about("object.spec.replicas > 5", "false"), PolicyDecision::Allows);
        assert_eq!(about("object.spec.replicas < 5", "false"), denied("no"));
        assert_eq!(
            about("object.spec.missing < 5", "true"),
            denied("expression 'object.spec.missing < 5' resulted in error: no such key: missing")
        );
    }

    #[test]
    fn an_update_is_selected_by_the_labels_before_and_after_it() {
        let (old, new) = (deployment(json!({"tier": "web"}), 3), deployment(json!({}), 3));
        let mut spec = validation("false");
        spec["matchConstraints"] = json!({"objectSelector": {"matchLabels": {"tier": "web"}}});
        assert_eq!(decide(spec.clone(), &old, &new, PolicyParameters::None), denied("no"));
        assert_eq!(decide(spec, &new, &new, PolicyParameters::None), PolicyDecision::Allows);
    }

    #[test]
    fn parameters_are_those_of_the_binding() {
        let web = deployment(json!({}), 3);
        let mut spec = validation("object.spec.replicas <= params.data.most");
        spec["paramKind"] = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        let (two, three) = (json!({"data": {"most": 2}}), json!({"data": {"most": 3}}));
        let about = |parameters| decide(spec.clone(), &web, &web, parameters);
        assert_eq!(about(PolicyParameters::Object(&two)), denied("no"));
        assert_eq!(about(PolicyParameters::Object(&three)), PolicyDecision::Allows);
        assert_eq!(about(PolicyParameters::Missing), denied("its parameters do not exist"));
        assert_eq!(about(PolicyParameters::Unknown), PolicyDecision::Unknown);
    }
}
