//! Other kinds of Crossplane 2: operations, activation of managed resource definitions, and usages.

use super::codes::{self};
use crate::engine::code::Code;
use crate::engine::declared::{Declared, Kinds, Own, Parent, Reference, Text, Which, verdicts};
use crate::engine::{Cause, Facts, Judgement, Problem};
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::body::any::GenericObject;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// These kinds, as a declared engine.
pub(super) const EXTENSIONS: Declared = Declared {
    name: "Crossplane",
    part_of: "crossplane",
    kinds: &[
        Kinds { group: "ops.crossplane.io", which: Which::Only(&["Operation", "CronOperation", "WatchOperation"]) },
        Kinds {
            group: "apiextensions.crossplane.io",
            which: Which::Only(&[
                "ManagedResourceDefinition",
                "ManagedResourceActivationPolicy",
                "CompositeResourceDefinition",
                "CompositionRevision",
            ]),
        },
        Kinds { group: "pkg.crossplane.io", which: Which::Only(&["Lock"]) },
        Kinds { group: "protection.crossplane.io", which: Which::Only(&["Usage", "ClusterUsage"]) },
    ],
    codes: codes::ALL,
    verdicts: verdicts(Code::OperationFailed),
    references: &[
        Reference {
            relation: Relation::DependsOn,
            each: "of",
            group: Text::Item("apiVersion"),
            kind: Text::Item("kind"),
            namespace: Text::Item("resourceRef.namespace"),
            name: Text::Item("resourceRef.name"),
        },
        Reference {
            relation: Relation::DependsOn,
            each: "by",
            group: Text::Item("apiVersion"),
            kind: Text::Item("kind"),
            namespace: Text::Nowhere,
            name: Text::Item("resourceRef.name"),
        },
        Reference {
            relation: Relation::Applies,
            each: "status.appliedResourceRefs",
            group: Text::Item("apiVersion"),
            kind: Text::Item("kind"),
            namespace: Text::Item("namespace"),
            name: Text::Item("name"),
        },
    ],
    parents: &[
        made_by("CronOperation", "ops.crossplane.io/cronoperation"),
        made_by("WatchOperation", "ops.crossplane.io/watchoperation"),
    ],
    own,
    ..Declared::NEW
};

/// Declares the creator of an Operation, which is named in its label.
const fn made_by(kind: &'static str, label: &'static str) -> Parent {
    Parent {
        relation: Relation::Generates,
        group: Text::Is("ops.crossplane.io"),
        kind: Text::Is(kind),
        namespace: Text::Nowhere,
        name: Text::Label(label),
    }
}

fn own(resource: &Resource, any: &GenericObject, _: &crate::engine::Clock) -> Own {
    match resource.kind.kind.as_str() {
        "Operation" => operation(resource, any),
        // A definition that was not activated is OK.
        "ManagedResourceDefinition" if is_inactive(any) => Own::Instead(Judgement::ok(None)),
        _ => Own::Nothing,
    }
}

/// A failed operation is retried up to its limit.
fn operation(resource: &Resource, any: &GenericObject) -> Own {
    let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_i64);
    let failures = number(any.status.get("failures")).unwrap_or_default();
    let limit = number(any.spec.get("retryLimit")).unwrap_or(5);
    match resource.conditions.as_slice().when("Succeeded", ConditionStatus::False) {
        Some(failed) if failures < limit => {
            let message = format!("attempt {failures} of {limit} failed: {}", failed.message);
            Own::Instead(Judgement::quiet(Verdict::Progressing, failed.last_transition_time, message))
        }
        _ => Own::Nothing,
    }
}

fn is_inactive(any: &GenericObject) -> bool {
    any.spec.get("state").and_then(serde_json::Value::as_str) != Some("Active")
}

/// Returns inactive definitions whose kind an Application declares: no objects of these kinds can be created.
pub(super) fn withheld(facts: &Facts<'_, '_>) -> Vec<Cause> {
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
            let message =
                format!("{kind}.{group} is declared in Git, and spec.state is not Active: nothing of it can be made");
            let problem = Problem::new(Code::DefinitionInactive, None, message);
            causes.push(Cause { object: entry.resource.name(), problem, holds_up });
        }
    }
    causes
}
