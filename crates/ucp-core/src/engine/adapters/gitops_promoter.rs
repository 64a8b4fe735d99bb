//! gitops-promoter: promotion by pull requests between environment branches.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ParentReference, TextLocation,
    verdicts,
};
use crate::engine::judgement::Problem;
use crate::graph::link::Relation;

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
        EngineJudgement::Beside(match is_open {
            true => {
                let since = text("/pullRequest/prCreationTime").parse().ok();
                vec![Problem::new(
                    Code::PromoterWaits,
                    since,
                    format!("pull request {} is open", text("/pullRequest/url")),
                )]
            }
            false => Vec::new(),
        })
    },
    ..DeclaredEngine::NEW
};
