//! gitops-promoter: promotion by pull requests between environment branches.

use serde_json::Value;

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ParentReference, TextLocation,
    verdicts,
};
use crate::engine::judgement::{Judgement, Problem};
use crate::graph::link::Relation;
use crate::model::verdict::Verdict;

codes! {
    PromoterFailed "UCP781" Failed "a promotion of gitops-promoter fails" {
        "Condition Ready of an object of promoter.argoproj.io is False, or a commit status failed that a promotion waits for."
        "Read the message: it names the commit, the pull request or the check."
        "kubectl describe {object}"
    }
    PromoterWaits "UCP782" NeedsHuman "a promotion waits for its pull request" {
        "status.pullRequest.state of a ChangeTransferPolicy is open: the proposed commit is deployed when it is merged."
        "Review and merge the pull request."
        "kubectl describe {object}"
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "GitOps Promoter",
    part_of: "gitops-promoter",
    kinds: &[KindSelector {
        group: "promoter.argoproj.io",
        which: KindFilter::Only(&[
            "PromotionStrategy",
            "ChangeTransferPolicy",
            "PullRequest",
            "CommitStatus",
            "ArgoCDCommitStatus",
            "TimedCommitStatus",
            "GitRepository",
            "ScmProvider",
            "ClusterScmProvider",
        ]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::PromoterFailed),
    controllers: &[DeclaredController::all(&["promoter-controller-manager", "gitops-promoter"])],
    parents: &[ParentReference {
        relation: Relation::Generates,
        group: TextLocation::Is("promoter.argoproj.io"),
        kind: TextLocation::Is("PromotionStrategy"),
        namespace: TextLocation::Namespace,
        name: TextLocation::Label("promoter.argoproj.io/promotion-strategy"),
    }],
    own: |resource, any, _| {
        let text = |path: &str| any.status.pointer(path).and_then(|value| value.as_str()).unwrap_or_default();
        let is_open = resource.kind.kind == "ChangeTransferPolicy" && text("/pullRequest/state") == "open";
        match is_open {
            true => {
                let since = text("/pullRequest/prCreationTime").parse().ok();
                let message = format!("pull request {} is open", text("/pullRequest/url"));
                EngineJudgement::Beside(vec![Problem::new(Code::PromoterWaits, since, message)])
            }
            false => {
                promotion(&resource.kind.kind, &any.status).map_or(EngineJudgement::Nothing, EngineJudgement::AtBest)
            }
        }
    },
    ..DeclaredEngine::NEW
};

/// Returns the judgement of a promotion that is not complete: a proposed commit is not active in each environment.
fn promotion(kind: &str, status: &Value) -> Option<Judgement> {
    let environments = match kind {
        "ChangeTransferPolicy" => std::slice::from_ref(status),
        "PromotionStrategy" => status.get("environments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice),
        _ => return None,
    };
    if environments.is_empty() {
        return Some(Judgement::quiet(Verdict::Unknown, None, "status.environments is empty: it promotes nothing"));
    }
    let message = environments.iter().find_map(|environment| {
        let sha = |paths: &[&str]| {
            let found = paths.iter().filter_map(|path| environment.pointer(path)?.as_str());
            found.map(str::to_owned).find(|sha| !sha.is_empty())
        };
        match (sha(&["/active/dry/sha"]), sha(&["/proposed/dry/sha", "/proposed/note/drySha"])) {
            (Some(active), Some(proposed)) if active == proposed => None,
            (Some(active), Some(proposed)) => {
                let failed = failed_checks(environment);
                let failed = if failed.is_empty() { failed } else { format!("; failed checks: {failed}") };
                Some(format!("commit {proposed} is not promoted yet: {active} is active{failed}"))
            }
            _ => Some("its active or proposed commit is not known yet".to_owned()),
        }
    })?;
    Some(Judgement::quiet(Verdict::Progressing, None, message))
}

/// Returns the names of the failed checks of a proposed commit.
fn failed_checks(environment: &Value) -> String {
    let checks = environment.pointer("/proposed/commitStatuses").and_then(Value::as_array).into_iter().flatten();
    let failed = checks.filter(|check| check.get("phase").is_some_and(|phase| phase == "failure"));
    failed.filter_map(|check| check.get("key")?.as_str()).collect::<Vec<_>>().join(", ")
}
