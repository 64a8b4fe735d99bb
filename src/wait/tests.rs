use std::sync::Arc;

use super::*;
use crate::engine::course::Revisions;
use crate::model::body::Body;
use crate::model::kind::ResourceKind;
use crate::model::metadata::Metadata;
use crate::model::resource::Parts;

fn object(is_deleted: bool) -> Resource {
    let metadata = Metadata {
        name: "a".to_owned(),
        deletion_timestamp: is_deleted.then(|| "2026-01-01T00:00:00Z".parse().unwrap()),
        finalizers: if is_deleted { vec!["example.org/keeper".into()] } else { Vec::new() },
        ..Metadata::default()
    };
    Resource::from(Parts {
        kind: Arc::new(ResourceKind::guess("example.org", "Thing")),
        metadata,
        conditions: Vec::new(),
        observed_generation: None,
        body: Body::Conditions,
        whole: None,
    })
}

fn seen(goal: Goal, verdict: Verdict, course: &Course, revision: Option<&str>) -> Outlook {
    let resource = object(goal == Goal::Gone);
    let patience = Patience::Settled;
    look(goal, &Sight { resource: &resource, verdict, message: Some("so it is"), course, revision, patience }).0
}

/// An object that has applied everything and is idle.
fn settled() -> Course {
    Course { applied: Applied::Yes, ..Course::default() }
}

#[test]
fn what_is_not_settled_is_not_reached() {
    use Outlook::{Open, Reached};
    let outdated = Course { outdated: Some("old".to_owned()), ..settled() };
    let busy = Course { under_way: Some("busy".to_owned()), ..settled() };
    for goal in [Goal::Ok, Goal::Synced] {
        assert_eq!(seen(goal, Verdict::Ok, &settled(), None), Reached);
        assert_eq!(seen(goal, Verdict::Ok, &outdated, None), Open);
        assert_eq!(seen(goal, Verdict::Ok, &busy, None), Open);
    }
    assert_eq!(seen(Goal::Synced, Verdict::Failed, &settled(), None), Reached);
    assert_eq!(seen(Goal::Synced, Verdict::Ok, &Course::default(), None), Open);
    for verdict in [Verdict::Unknown, Verdict::Progressing, Verdict::Stuck, Verdict::Drifted] {
        assert_eq!(seen(Goal::Ok, verdict, &settled(), None), Open, "{verdict}");
        assert_eq!(seen(Goal::Verdict(verdict), verdict, &settled(), None), Reached, "{verdict}");
    }
}

#[test]
fn only_a_failure_that_speaks_of_what_was_asked_is_the_end() {
    use Outlook::{Hopeless, Open};
    for verdict in [Verdict::Failed, Verdict::NeedsHuman, Verdict::Paused] {
        assert_eq!(seen(Goal::Ok, verdict, &settled(), None), Hopeless, "{verdict}");
        assert_eq!(seen(Goal::Gone, verdict, &settled(), None), Hopeless, "{verdict}");
    }
    let with = |failure| Course { failure, ..Course::default() };
    let outdated = Course { outdated: Some("old".to_owned()), ..settled() };
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &outdated, None), Open);
    assert_eq!(seen(Goal::Ok, Verdict::Paused, &outdated, None), Hopeless, "nobody looks at it while it is paused");
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &with(Failure::Passing), None), Open);
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &with(Failure::OfHealth), None), Hopeless);
    assert_eq!(seen(Goal::Synced, Verdict::Failed, &with(Failure::OfHealth), None), Open);
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &with(Failure::Undated), None), Hopeless);
    let resource = object(false);
    let (course, revision) = (with(Failure::Undated), None);
    let fresh = Sight {
        resource: &resource,
        verdict: Verdict::Failed,
        message: None,
        course: &course,
        revision,
        patience: Patience::Fresh,
    };
    assert_eq!(look(Goal::Ok, &fresh).0, Open);
}

#[test]
fn a_revision_is_reached_when_it_is_applied_and_failed_when_it_was_tried() {
    use Outlook::{Hopeless, Open, Reached};
    let at = |applied: &str, tried: &str| {
        let revisions = Revisions { applied: vec![applied.to_owned()], tried: vec![tried.to_owned()] };
        Course { revisions: Some(revisions), ..settled() }
    };
    let asked = Some("4f3a2b1c");
    assert_eq!(seen(Goal::Ok, Verdict::Ok, &at("4f3a2b1c", "4f3a2b1c"), asked), Reached);
    assert_eq!(seen(Goal::Ok, Verdict::Ok, &at("11111111", "4f3a2b1c"), asked), Open);
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &at("11111111", "11111111"), asked), Open);
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &at("11111111", "4f3a2b1c"), asked), Hopeless);
    assert_eq!(seen(Goal::Ok, Verdict::Failed, &at("11111111", "11111111"), None), Hopeless);
}

#[test]
fn who_holds_a_deleted_object_is_named() {
    let (resource, course) = (object(true), settled());
    let (verdict, revision, patience) = (Verdict::Progressing, None, Patience::Settled);
    let sight = Sight { resource: &resource, verdict, message: Some("deleting"), course: &course, revision, patience };
    let (outlook, message) = look(Goal::Gone, &sight);
    assert_eq!(outlook, Outlook::Open);
    assert_eq!(message.as_deref(), Some("deleting; finalizer example.org/keeper holds it"));
}
