//! Other kinds of Crossplane 2: operations, activation of managed resource definitions, and usages.

use super::codes::{self};
use crate::engine::code::Code;
use crate::engine::declared::{
    DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ParentReference, ReferenceField, TextLocation, verdicts,
};
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, Judgement, Problem};
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::body::any::GenericObject;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// These kinds, as a declared engine.
pub(super) const EXTENSIONS: DeclaredEngine = DeclaredEngine {
    name: "Crossplane",
    part_of: "crossplane",
    kinds: &[
        KindSelector {
            group: "ops.crossplane.io",
            which: KindFilter::Only(&["Operation", "CronOperation", "WatchOperation"]),
        },
        KindSelector {
            group: "apiextensions.crossplane.io",
            which: KindFilter::Only(&[
                "ManagedResourceDefinition",
                "ManagedResourceActivationPolicy",
                "CompositeResourceDefinition",
                "CompositionRevision",
            ]),
        },
        KindSelector { group: "pkg.crossplane.io", which: KindFilter::Only(&["Lock"]) },
        KindSelector { group: "protection.crossplane.io", which: KindFilter::Only(&["Usage", "ClusterUsage"]) },
    ],
    codes: codes::ALL,
    verdicts: verdicts(Code::OperationFailed),
    references: &[
        ReferenceField {
            relation: Relation::DependsOn,
            each: "of",
            group: TextLocation::Item("apiVersion"),
            kind: TextLocation::Item("kind"),
            namespace: TextLocation::Item("resourceRef.namespace"),
            name: TextLocation::Item("resourceRef.name"),
        },
        ReferenceField {
            relation: Relation::DependsOn,
            each: "by",
            group: TextLocation::Item("apiVersion"),
            kind: TextLocation::Item("kind"),
            namespace: TextLocation::Nowhere,
            name: TextLocation::Item("resourceRef.name"),
        },
        ReferenceField {
            relation: Relation::Applies,
            each: "status.appliedResourceRefs",
            group: TextLocation::Item("apiVersion"),
            kind: TextLocation::Item("kind"),
            namespace: TextLocation::Item("namespace"),
            name: TextLocation::Item("name"),
        },
    ],
    parents: &[
        made_by("CronOperation", "ops.crossplane.io/cronoperation"),
        made_by("WatchOperation", "ops.crossplane.io/watchoperation"),
    ],
    own,
    ..DeclaredEngine::NEW
};

/// Declares the creator of an Operation, which is named in its label.
const fn made_by(kind: &'static str, label: &'static str) -> ParentReference {
    ParentReference {
        relation: Relation::Generates,
        group: TextLocation::Is("ops.crossplane.io"),
        kind: TextLocation::Is(kind),
        namespace: TextLocation::Nowhere,
        name: TextLocation::Label(label),
    }
}

fn own(resource: &Resource, any: &GenericObject, clock: &AssessmentClock) -> EngineJudgement {
    match resource.kind.kind.as_str() {
        "Operation" => operation(resource, any),
        // A definition that was not activated is OK.
        "ManagedResourceDefinition" if is_inactive(any) => EngineJudgement::Instead(Judgement::ok(None)),
        "CompositeResourceDefinition" => claims(resource, any, clock),
        _ => EngineJudgement::Nothing,
    }
}

/// Claims that are declared can be created once the condition Offered is there.
fn claims(resource: &Resource, any: &GenericObject, clock: &AssessmentClock) -> EngineJudgement {
    if any.spec.get("claimNames").is_none() || resource.conditions.as_slice().of_type("Offered").is_some() {
        return EngineJudgement::Nothing;
    }
    let since = resource.conditions.as_slice().of_type("Established").and_then(|one| one.last_transition_time);
    EngineJudgement::AtBest(Judgement::quiet(clock.under_way(since), since, "its claims are not offered yet"))
}

/// A failed operation is retried up to its limit.
fn operation(resource: &Resource, any: &GenericObject) -> EngineJudgement {
    let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_i64);
    let failures = number(any.status.get("failures")).unwrap_or_default();
    let limit = number(any.spec.get("retryLimit")).unwrap_or(5);
    let conditions = resource.conditions.as_slice();
    let failed = conditions.with_status("Succeeded", ConditionStatus::False);
    // Between two attempts, Succeeded is Unknown, and Synced has the error.
    let is_open = conditions.with_status("Succeeded", ConditionStatus::Unknown).is_some();
    let error = conditions.with_status("Synced", ConditionStatus::False).filter(|_| is_open && failures > 0);
    match failed.or(error) {
        Some(failed) if failures < limit => {
            let message = format!("attempt {failures} of {limit} failed: {}", failed.message);
            EngineJudgement::Instead(Judgement::quiet(Verdict::Progressing, failed.last_transition_time, message))
        }
        _ => EngineJudgement::Nothing,
    }
}

fn is_inactive(any: &GenericObject) -> bool {
    any.spec.get("state").and_then(serde_json::Value::as_str) != Some("Active")
}

/// Returns inactive definitions whose kind an Application declares: no objects of these kinds can be created.
pub(super) fn inactive_definition_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    for entry in facts.judged.iter().filter(|entry| entry.resource.kind.kind == "ManagedResourceDefinition") {
        let Body::Any(any) = &entry.resource.body else { continue };
        let text = |pointer: &str| any.spec.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (group, kind) = (text("/group"), text("/names/kind"));
        if !is_inactive(any) || kind.is_empty() {
            continue;
        }
        // The messages of apimachinery and Argo CD for an unknown kind.
        let unknown = [
            format!("could not find {group}/{kind} "),
            format!("kind \"{kind}\" in version \"{group}/"),
            format!("kind \"{kind}\" is registered for version \"{group}/"),
        ];
        let says =
            |message: Option<&str>| message.is_some_and(|message| unknown.iter().any(|words| message.contains(words)));
        let declares = |resource: &Resource, message: Option<&str>| match &resource.body {
            Body::Application(application) => {
                let mut children = application.status.resources.iter();
                children.any(|child| child.group == group && child.kind == kind)
                    || application.status.operation_state.iter().any(|operation| says(Some(&operation.message)))
                    || says(message)
            }
            Body::Flux(_) => says(message),
            _ => false,
        };
        let held = facts.judged.iter().enumerate().filter(|(_, held)| {
            held.judgement.verdict != Verdict::Ok && declares(held.resource, held.judgement.message.as_deref())
        });
        let holds_up: Vec<usize> = held.map(|(index, _)| index).collect();
        if !holds_up.is_empty() {
            let message = format!(
                "{kind}.{group} is declared in Git, but spec.state is not Active: its objects cannot be created"
            );
            let problem = Problem::new(Code::DefinitionInactive, None, message);
            causes.push(Cause { object: entry.resource.name(), problem, holds_up });
        }
    }
    causes
}
