use std::sync::Arc;

use super::criteria::ObservedTarget;
use super::evaluation::evaluate;
use super::*;
use ucp_core::engine::course::{ApplyState, DeployedRevisions, FailureKind, ObjectProgress};
use ucp_core::model::body::Body;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::resource::{Resource, ResourceParts};
use ucp_core::model::verdict::Verdict;

fn object(is_deleted: bool) -> Resource {
    let metadata = Metadata {
        name: "a".to_owned(),
        deletion_timestamp: is_deleted.then(|| "2026-01-01T00:00:00Z".parse().unwrap()),
        finalizers: if is_deleted { vec!["example.org/keeper".into()] } else { Vec::new() },
        ..Metadata::default()
    };
    Resource::from(ResourceParts {
        kind: Arc::new(ResourceKind::guess("example.org", "Thing")),
        metadata,
        conditions: Vec::new(),
        observed_generation: None,
        body: Body::Conditions,
        whole: None,
        trace: None,
        weight: Default::default(),
    })
}

fn seen(goal: WaitGoal, verdict: Verdict, course: &ObjectProgress, revision: Option<&str>) -> WaitOutlook {
    let resource = object(goal == WaitGoal::Gone);
    let patience = WaitPhase::Settled;
    evaluate(
        goal,
        &ObservedTarget { resource: &resource, verdict, message: Some("it is immutable"), course, revision, patience },
    )
    .0
}

/// An object that has applied everything and is idle.
fn settled() -> ObjectProgress {
    ObjectProgress { applied: ApplyState::Yes, ..ObjectProgress::default() }
}

#[test]
fn a_goal_is_not_reached_before_the_object_is_settled() {
    use WaitOutlook::{Open, Reached};
    let outdated = ObjectProgress { outdated: Some("old".to_owned()), ..settled() };
    let busy = ObjectProgress { under_way: Some("busy".to_owned()), ..settled() };
    for goal in [WaitGoal::Ok, WaitGoal::Synced] {
        assert_eq!(seen(goal, Verdict::Ok, &settled(), None), Reached);
        assert_eq!(seen(goal, Verdict::Ok, &outdated, None), Open);
        assert_eq!(seen(goal, Verdict::Ok, &busy, None), Open);
    }
    assert_eq!(seen(WaitGoal::Synced, Verdict::Failed, &settled(), None), Reached);
    assert_eq!(seen(WaitGoal::Synced, Verdict::Ok, &ObjectProgress::default(), None), Open);
    for verdict in [Verdict::Unknown, Verdict::Progressing, Verdict::Stuck, Verdict::Drifted] {
        assert_eq!(seen(WaitGoal::Ok, verdict, &settled(), None), Open, "{verdict}");
        assert_eq!(seen(WaitGoal::Verdict(verdict), verdict, &settled(), None), Reached, "{verdict}");
    }
}

#[test]
fn only_a_lasting_failure_of_the_goal_ends_the_wait() {
    use WaitOutlook::{Hopeless, Open};
    for verdict in [Verdict::Failed, Verdict::NeedsHuman, Verdict::Paused] {
        assert_eq!(seen(WaitGoal::Ok, verdict, &settled(), None), Hopeless, "{verdict}");
        assert_eq!(seen(WaitGoal::Gone, verdict, &settled(), None), Hopeless, "{verdict}");
    }
    let resource = object(false);
    for (message, expected) in
        [("connection refused", Open), ("it is unknown whether it ends", Open), ("first; field is immutable", Hopeless)]
    {
        let course = settled();
        let (outlook, reported) = evaluate(
            WaitGoal::Ok,
            &ObservedTarget {
                resource: &resource,
                verdict: Verdict::Failed,
                message: Some(message),
                course: &course,
                revision: None,
                patience: WaitPhase::Settled,
            },
        );
        assert_eq!(outlook, expected, "{message}");
        assert_eq!(reported.unwrap().contains("'field is immutable'"), expected == Hopeless, "the sentence is quoted");
    }
    let with = |failure| ObjectProgress { failure, ..ObjectProgress::default() };
    let outdated = ObjectProgress { outdated: Some("old".to_owned()), ..settled() };
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &outdated, None), Open);
    assert_eq!(
        seen(WaitGoal::Ok, Verdict::Paused, &outdated, None),
        Hopeless,
        "it is not reconciled while it is paused"
    );
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &with(FailureKind::GivenUp), None), Hopeless);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &with(FailureKind::Passing), None), Open);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &with(FailureKind::OfHealth), None), Hopeless);
    assert_eq!(seen(WaitGoal::Synced, Verdict::Failed, &with(FailureKind::OfHealth), None), Open);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &with(FailureKind::Undated), None), Hopeless);
    let resource = object(false);
    let (course, revision) = (with(FailureKind::Undated), None);
    let fresh = ObservedTarget {
        resource: &resource,
        verdict: Verdict::Failed,
        message: None,
        course: &course,
        revision,
        patience: WaitPhase::Fresh,
    };
    assert_eq!(evaluate(WaitGoal::Ok, &fresh).0, Open);
}

#[test]
fn a_revision_is_reached_when_it_is_applied_and_failed_when_it_was_tried() {
    use WaitOutlook::{Hopeless, Open, Reached};
    let at = |applied: &str, tried: &str| {
        let revisions = DeployedRevisions { applied: vec![applied.to_owned()], tried: vec![tried.to_owned()] };
        ObjectProgress { revisions: Some(revisions), ..settled() }
    };
    let asked = Some("4f3a2b1c");
    assert_eq!(seen(WaitGoal::Ok, Verdict::Ok, &at("4f3a2b1c", "4f3a2b1c"), asked), Reached);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Ok, &at("11111111", "4f3a2b1c"), asked), Open);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &at("11111111", "11111111"), asked), Open);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &at("11111111", "4f3a2b1c"), asked), Hopeless);
    assert_eq!(seen(WaitGoal::Ok, Verdict::Failed, &at("11111111", "11111111"), None), Hopeless);
}

#[test]
fn the_finalizer_that_blocks_a_deletion_is_named() {
    let (resource, course) = (object(true), settled());
    let (verdict, revision, patience) = (Verdict::Progressing, None, WaitPhase::Settled);
    let sight =
        ObservedTarget { resource: &resource, verdict, message: Some("deleting"), course: &course, revision, patience };
    let (outlook, message) = evaluate(WaitGoal::Gone, &sight);
    assert_eq!(outlook, WaitOutlook::Open);
    assert_eq!(message.as_deref(), Some("deleting; finalizer example.org/keeper holds it"));
}
