//! ValidatingAdmissionPolicies: the deletions that their bindings deny.

use serde_json::Value;

use crate::model::admission::{
    AdmissionCall, AdmissionScope, GROUP, NamespaceIndex, call_by_conditions, evaluate_for_deletion, expressions, list,
    of_kind,
};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The kinds of policies and of their bindings. Mutating policies are not asked about deletions.
pub const KINDS: [&str; 2] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

/// A policy with a binding that denies requests.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionPolicy<'a> {
    policy: &'a Resource,
    spec: &'a Value,
    binding: &'a Value,
}

/// The decision of a policy about a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyDecision<'a> {
    /// It is not asked, or has no objection.
    Allows,
    /// It denies the deletion, with its message if it has a fixed one.
    Denies(Option<&'a str>),
    /// It depends on more than the object.
    Unknown,
}

/// Returns the policies of a cluster, once per binding. A binding that only warns or audits denies nothing.
pub fn list_policies(state: &ClusterState) -> impl Iterator<Item = AdmissionPolicy<'_>> {
    of_kind(state, GROUP, KINDS[1]).filter_map(move |binding| {
        let binding = spec_of(binding)?;
        let denies = list(binding, "validationActions").any(|action| action.as_str() == Some("Deny"));
        let name = binding.get("policyName")?.as_str()?;
        let policy = of_kind(state, GROUP, KINDS[0]).find(|policy| denies && policy.metadata.name == name)?;
        Some(AdmissionPolicy { policy, spec: spec_of(policy)?, binding })
    })
}

fn spec_of(resource: &Resource) -> Option<&Value> {
    resource.whole.as_deref().and_then(|whole| whole.get("spec"))
}

impl<'a> AdmissionPolicy<'a> {
    /// Returns the name of the policy.
    pub fn name(&self) -> ObjectName {
        self.policy.name()
    }

    /// Returns true if it selects namespaces by their labels.
    pub fn selects_namespaces(&self) -> bool {
        self.scopes().into_iter().any(AdmissionScope::selects_namespaces)
    }

    /// Decides about the deletion of an object. `failurePolicy` decides only where an expression cannot be evaluated.
    pub fn decide_deletion(&self, resource: &Resource, namespaces: &NamespaceIndex<'_>) -> PolicyDecision<'a> {
        let calls = self.scopes().map(|scope| scope.call_for_deletion(resource, namespaces));
        let call = calls.into_iter().fold(AdmissionCall::Certain, AdmissionCall::min);
        if call == AdmissionCall::Never {
            return PolicyDecision::Allows;
        }
        if self.spec.get("paramKind").is_some_and(Value::is_object) {
            return PolicyDecision::Unknown;
        }
        let call = call.min(call_by_conditions(self.spec, resource));
        if call == AdmissionCall::Never {
            return PolicyDecision::Allows;
        }
        let validations: Vec<&str> = expressions(self.spec, "validations").collect();
        let answers = evaluate_for_deletion(&validations, resource);
        match answers.iter().position(|answer| *answer == Some(false)) {
            Some(denied) if call == AdmissionCall::Certain => {
                let validation = list(self.spec, "validations").nth(denied);
                let message = validation.filter(|one| one.get("messageExpression").is_none());
                PolicyDecision::Denies(message.and_then(|one| one.get("message")?.as_str()))
            }
            Some(_) => PolicyDecision::Unknown,
            None if answers.contains(&None) => PolicyDecision::Unknown,
            None => PolicyDecision::Allows,
        }
    }

    fn scopes(&self) -> [AdmissionScope<'a>; 2] {
        [
            AdmissionScope::Policy(self.spec.get("matchConstraints")),
            AdmissionScope::Policy(self.binding.get("matchResources")),
        ]
    }
}
