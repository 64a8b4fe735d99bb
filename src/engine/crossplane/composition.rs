//! Composites and claims that are not ready because something they are made of is not.

use std::collections::{BTreeMap, HashMap};

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
        let only_waits = entry.judgement.problems.iter().all(|problem| problem.code == Code::CompositeNotReady);
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
        let problems = &judged[child].judgement.problems;
        let has_own = problems.iter().any(|problem| problem.code != Code::CompositeNotReady);
        if has_own { Some(child) } else { deepest_problem(judged, by_name, child, depth + 1) }
    })
}
