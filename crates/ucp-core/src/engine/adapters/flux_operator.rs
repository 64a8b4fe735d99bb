//! flux-operator: FluxInstance and FluxReport.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, verdicts,
};
use crate::engine::judgement::Problem;
use crate::model::body::any::GenericObject;

codes! {
    FluxOperatorFailed "UCP778" Failed "flux-operator reports a failure" {
        "Condition Ready of a FluxInstance, ResourceSet or ResourceSetInputProvider is False; or a FluxReport lists a component that is not ready."
        "Read the message; a component that is not ready is a Deployment of Flux."
        "kubectl describe {object}"
    }
}

/// Returns a problem for the components that the report lists as not ready. Failing reconcilers are not included: each
/// of them reports its own failure.
fn unready(any: &GenericObject) -> Vec<Problem> {
    let components = any.spec.get("components").and_then(|list| list.as_array()).into_iter().flatten();
    let names: Vec<&str> = components
        .filter(|component| component.get("ready") == Some(&serde_json::Value::Bool(false)))
        .filter_map(|component| component.get("name")?.as_str())
        .collect();
    match names.is_empty() {
        true => Vec::new(),
        false => vec![Problem::new(Code::FluxOperatorFailed, None, format!("not ready: {}", names.join(", ")))],
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "flux-operator",
    part_of: "flux-operator",
    kinds: &[KindSelector {
        group: "fluxcd.controlplane.io",
        which: KindFilter::Only(&["FluxInstance", "FluxReport", "ResourceSet", "ResourceSetInputProvider"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::FluxOperatorFailed),
    controllers: &[DeclaredController::all(&["flux-operator"])],
    own: |_, any, _| EngineJudgement::Beside(unready(any)),
    ..DeclaredEngine::NEW
};
