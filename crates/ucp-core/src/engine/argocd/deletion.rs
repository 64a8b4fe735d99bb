//! Applications that are being deleted, and the reason why the deletion is blocked.

use jiff::Timestamp;

use super::destination;
use super::settings::SKIP_RECONCILE;
use super::sync::name_some;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::model::body::argocd::{Application, cascades};
use crate::model::condition::FindCondition as _;
use crate::model::resource::Resource;

/// Judges an Application that is being deleted. Its health and sync status are ignored.
pub(super) fn judge(
    resource: &Resource,
    application: &Application,
    deleted: Timestamp,
    clock: &AssessmentClock,
) -> Judgement {
    let since = Some(deleted);
    let error = resource.conditions.as_slice().of_type("DeletionError");
    let held_by = held_by(resource, application);
    let message = match error.map(|condition| condition.message.trim()) {
        Some(error) if destination::is_unreachable(error) => {
            format!("cannot be deleted: {}; {held_by}", destination::describe_unreachable(application, error))
        }
        Some(error) => format!("cannot be deleted: {error}; {held_by}"),
        None => format!("is being deleted; {held_by}"),
    };
    // An error does not resolve itself by waiting.
    if error.is_some() || clock.is_overdue(since) {
        let problem = Problem::new(Code::ApplicationDeletionStuck, since, message.clone());
        return Judgement::worst(vec![problem], Judgement::ok(since));
    }
    Judgement::quiet(clock.under_way(since), since, message)
}

fn held_by(resource: &Resource, application: &Application) -> String {
    let mut text = resource.metadata.describe_finalizers();
    let resources = &application.status.resources;
    if cascades(&resource.metadata.finalizers) && !resources.is_empty() {
        text.push_str(&format!(" until these are deleted: {}", name_some(resources.iter())));
    }
    if resource.metadata.annotation(SKIP_RECONCILE) == Some("true") {
        text.push_str(&format!("; annotation {SKIP_RECONCILE} is set, so Argo CD does not reconcile it"));
    }
    text
}
