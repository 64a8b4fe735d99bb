//! Argo Rollouts.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, verdicts,
};
use crate::engine::judgement::{Judgement, Problem};
use crate::model::body::any::{GenericObject, whole_number};
use crate::model::verdict::Verdict;

codes! {
    RolloutFailed "UCP766" Failed "a rollout has failed" {
        "status.phase of a Rollout is Degraded, status.abort is true, or its spec is invalid; or an AnalysisRun or Experiment has failed."
        "Read the message, then retry or roll back in Git."
        "kubectl argo rollouts get rollout {name} -n {namespace}"
    }
    RolloutWaits "UCP767" NeedsHuman "a rollout waits to be promoted" {
        "status.pauseConditions of a Rollout name a step without a duration, or an analysis that was inconclusive: it does not continue until it is promoted or aborted."
        "Look at the canary, then promote or abort it."
        "kubectl argo rollouts get rollout {name} -n {namespace}"
    }
}

fn of_rollout(any: &GenericObject) -> EngineJudgement {
    let text = |key: &str| any.status.get(key).and_then(|value| value.as_str()).unwrap_or_default();
    let verdict = match text("phase") {
        "Failed" | "Error" => Verdict::Failed,
        "Inconclusive" => Verdict::NeedsHuman,
        _ => return EngineJudgement::Nothing,
    };
    EngineJudgement::Instead(Judgement::quiet(verdict, None, text("message")))
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Argo Rollouts",
    part_of: "argo-rollouts",
    kinds: &[KindSelector { group: "argoproj.io", which: KindFilter::Only(&["Rollout", "AnalysisRun", "Experiment"]) }],
    codes: ALL,
    verdicts: verdicts(Code::RolloutFailed),
    controllers: &[DeclaredController::all(&["argo-rollouts"])],
    own: |resource, any, _| {
        // The Rollout reports which of its AnalysisRuns are current; most of them are old.
        if resource.metadata.controller().is_some_and(|owner| owner.kind == "Rollout") {
            return of_rollout(any);
        }
        let waits = any.status.get("pauseConditions").and_then(|list| list.as_array()).into_iter().flatten();
        let mut problems: Vec<Problem> = waits
            .map(|wait| {
                let text = |key: &str| wait.get(key).and_then(|value| value.as_str()).unwrap_or_default();
                Problem::new(Code::RolloutWaits, text("startTime").parse().ok(), text("reason"))
            })
            .collect();
        if any.status.get("abort") == Some(&serde_json::Value::Bool(true)) {
            problems = vec![Problem::new(Code::RolloutFailed, None, "it was aborted")];
        }
        let workload = resource.metadata.annotation("rollout.argoproj.io/workload-generation");
        let workload = workload.and_then(|generation| generation.parse().ok());
        let observed = any.status.get("workloadObservedGeneration").and_then(whole_number);
        match problems.is_empty() {
            true if workload > observed && observed.is_some() => {
                let message = "the latest change of its workload has not been reconciled yet";
                EngineJudgement::AtBest(Judgement::quiet(Verdict::Progressing, None, message))
            }
            true => EngineJudgement::Nothing,
            // The phase is Paused in both cases.
            false => EngineJudgement::only(problems),
        }
    },
    ..DeclaredEngine::NEW
};
