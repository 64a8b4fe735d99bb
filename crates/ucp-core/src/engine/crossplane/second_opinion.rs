//! States beside the conditions of an object that is Ready: those that the author of a composite defined, and those of the
//! external resource.

use serde_json::Value;

use super::kind_role::{CrossplaneRole, role};
use crate::engine::any::{self, ANY};
use crate::engine::judgement::{AssessmentClock, Judgement};
use crate::model::body::any::GenericObject;
use crate::model::body::crossplane::CrossplaneObject;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Returns the judgement of an object whose conditions are good, if another state contradicts them, or is not known to be
/// good. Of the states that the author of a composite defined, only bad ones count.
pub(super) fn second_opinion(
    resource: &Resource,
    body: &CrossplaneObject,
    clock: &AssessmentClock,
) -> Option<Judgement> {
    let words = match role(&resource.kind)? {
        CrossplaneRole::Composite | CrossplaneRole::Claim => state_of_author(resource, body, clock),
        CrossplaneRole::Managed => external_state(body),
        _ => None,
    };
    words.map(|words| Judgement::quiet(Verdict::Unknown, None, format!("its conditions are good, but {words}")))
}

/// Returns the bad state in the status of a composite or claim, by the rules for any kind.
fn state_of_author(resource: &Resource, body: &CrossplaneObject, clock: &AssessmentClock) -> Option<String> {
    if body.own_status.is_null() {
        return None;
    }
    let fields = GenericObject { spec: Value::Null, status: body.own_status.clone() };
    let judged = any::judge_as(resource, &fields, clock, &[], &ANY);
    let is_bad = matches!(judged.verdict, Verdict::Failed | Verdict::NeedsHuman);
    judged.message.filter(|_| is_bad).map(|message| message.to_string())
}

/// Words of clouds for a resource that works, in lower case, beside those of every kind: AWS, Google Cloud, and their
/// databases (https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html,
/// https://cloud.google.com/sql/docs/mysql/admin-api/rest/v1/instances#SqlInstanceState).
const GOOD_STATES: [&str; 9] =
    ["in-use", "inuse", "inservice", "in_service", "runnable", "on", "activated", "backing-up", "storage-optimization"];

/// Returns a state of the external resource that is not known to be good.
fn external_state(body: &CrossplaneObject) -> Option<String> {
    let is_good = |word: &str| any::is_good_word(word) || GOOD_STATES.contains(&word.to_ascii_lowercase().as_str());
    let (field, word) = body.external_states.iter().find(|(_, word)| !word.is_empty() && !is_good(word))?;
    Some(format!("atProvider.{field} is {word}"))
}
