//! Composites and claims that are not ready because something they are made of is not.

use std::collections::{BTreeMap, HashMap};

use super::{Role, role};
use crate::engine::code::Code;
use crate::engine::{Cause, Judged};
use crate::model::body::Body;

/// For each troubled object, the composites and claims above it that have no other problem.
pub(super) fn waiting(judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_name: HashMap<(&str, &str, &str), Vec<usize>> =
        judged.iter().enumerate().fold(HashMap::new(), |mut index: HashMap<_, Vec<usize>>, (position, entry)| {
            let kind = &entry.resource.kind;
            let key = (kind.group.as_str(), kind.kind.as_str(), entry.resource.metadata.name.as_str());
            index.entry(key).or_default().push(position);
            index
        });
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, entry) in judged.iter().enumerate() {
        let only_waits = entry.judgement.problems.iter().all(|problem| only_waits(entry, problem.code));
        if !entry.judgement.problems.is_empty()
            && only_waits
            && let Some(cause) = deepest_problem(judged, &by_name, position, 0)
        {
            blamed.entry(cause).or_default().push(position);
        }
    }
    blamed
        .into_iter()
        .filter_map(|(position, holds_up)| {
            let problem = judged[position].judgement.problems.first()?.clone();
            Some(Cause { object: judged[position].resource.name(), problem, holds_up })
        })
        .collect()
}

/// Whether a problem only says that a composite or claim waits: until it is ready, or until what it is made of is gone.
fn only_waits(entry: &Judged<'_>, code: Code) -> bool {
    let is_composed = matches!(role(&entry.resource.kind), Some(Role::Composite | Role::Claim));
    let has_parts = matches!(&entry.resource.body, Body::Crossplane(body) if !body.composed.is_empty());
    code == Code::CompositeNotReady || code == Code::DeletionStuck && is_composed && has_parts
}

/// Composites may be made of composites. Nobody nests them deeper than this, and references may be circular.
const DEEPEST: usize = 8;

fn deepest_problem(
    judged: &[Judged<'_>],
    by_name: &HashMap<(&str, &str, &str), Vec<usize>>,
    position: usize,
    depth: usize,
) -> Option<usize> {
    let Body::Crossplane(body) = &judged[position].resource.body else { return None };
    if depth >= DEEPEST {
        return None;
    }
    body.composed.iter().find_map(|reference| {
        let group = reference.api_version.as_deref()?.split_once('/')?.0;
        let candidates = by_name.get(&(group, reference.kind.as_deref()?, reference.name.as_str()))?;
        let namespace = reference.namespace.as_ref().or(judged[position].resource.metadata.namespace.as_ref());
        let child = *candidates.iter().find(|candidate| {
            let found = judged[**candidate].resource.metadata.namespace.as_ref();
            found.is_none() || namespace.is_none() || found == namespace
        })?;
        let (entry, problems) = (&judged[child], &judged[child].judgement.problems);
        // A deletion waits for what is being deleted, and for nothing that merely is not well.
        let is_deleting = |entry: &Judged<'_>| entry.resource.metadata.deletion_timestamp.is_some();
        if is_deleting(&judged[position]) && !is_deleting(entry) {
            return None;
        }
        let has_own = problems.iter().any(|problem| !only_waits(entry, problem.code));
        if has_own { Some(child) } else { deepest_problem(judged, by_name, child, depth + 1) }
    })
}
