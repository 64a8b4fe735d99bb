//! What an Application deploys to the core cluster is judged by itself: where a part of it is in trouble, that is why the
//! Application is not healthy.

use std::collections::{BTreeMap, HashMap};

use super::GROUP;
use crate::engine::code::Code;
use crate::engine::{Cause, Judged};
use crate::model::body::Body;
use crate::model::verdict::Verdict;

/// Group, kind, namespace and name.
type Key<'a> = (&'a str, &'a str, Option<&'a str>, &'a str);

/// Applications, managed resources and all else that is judged, to blame for the health of the Applications that deploy
/// them. (The reverse, a parent that stays Healthy over a degraded child, needs nothing here.)
pub(super) fn to_blame(judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_name: HashMap<Key<'_>, usize> = judged
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let (kind, metadata) = (&entry.resource.kind, &entry.resource.metadata);
            ((kind.group.as_str(), kind.kind.as_str(), metadata.namespace.as_deref(), metadata.name.as_str()), index)
        })
        .collect();
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (parent, entry) in judged.iter().enumerate() {
        let Body::Application(application) = &entry.resource.body else { continue };
        let problems = &entry.judgement.problems;
        let is_health = |code| matches!(code, Code::ApplicationUnhealthy | Code::ApplicationProgressing);
        if problems.is_empty() || !problems.iter().all(|problem| is_health(problem.code)) {
            continue;
        }
        let is_here = application.spec.destination.is_this_cluster();
        for child in application.status.resources.iter().filter(|child| is_here || child.group == GROUP) {
            let namespace = child.namespace.as_deref().filter(|namespace| !namespace.is_empty());
            let key = (child.group.as_str(), child.kind.as_str(), namespace, child.name.as_str());
            let Some(index) = by_name.get(&key).copied().filter(|index| *index != parent) else { continue };
            let judgement = &judged[index].judgement;
            let explains = matches!(judgement.verdict, Verdict::Failed | Verdict::NeedsHuman | Verdict::Stuck);
            if explains && !judgement.problems.is_empty() {
                blamed.entry(index).or_default().push(parent);
            }
        }
    }
    blamed
        .into_iter()
        .filter_map(|(child, holds_up)| {
            let problem = judged[child].judgement.problems.first()?.clone();
            Some(Cause { object: judged[child].resource.name(), problem, holds_up })
        })
        .collect()
}
