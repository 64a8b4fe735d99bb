//! What takes from a source that is in trouble, or depends on something that is, fails because of it.

use std::collections::{BTreeMap, HashMap};

use crate::engine::{Cause, Judged};
use crate::model::body::Body;
use crate::model::body::flux::Flux as Fields;
use crate::model::condition::Conditions as _;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Reasons of Ready that say so, whatever the source once held.
const WAITING: [&str; 3] = ["SourceNotReady", "SourceUnavailable", "DependencyNotReady"];

/// Sources and dependencies, each with what it holds up.
pub(super) fn to_blame(judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_name: HashMap<Name<'_>, usize> = judged
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(entry.resource.body, Body::Flux(_)))
        .map(|(index, entry)| {
            let metadata = &entry.resource.metadata;
            ((entry.resource.kind.kind.as_str(), metadata.namespace.as_deref(), metadata.name.as_str()), index)
        })
        .collect();
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate().filter(|(_, entry)| entry.judgement.verdict < Verdict::Paused) {
        let Body::Flux(fields) = &entry.resource.body else { continue };
        let ready = entry.resource.conditions.as_slice().of("Ready");
        let says_so = ready.is_some_and(|condition| WAITING.contains(&condition.reason.as_str()));
        let troubled = builds_on(entry.resource, fields).into_iter().find_map(|name| {
            let foundation = *by_name.get(&name)?;
            let judgement = &judged[foundation].judgement;
            let is_in_trouble = judgement.verdict < Verdict::Progressing && !judgement.problems.is_empty();
            // With an older artifact there is something to build, and what fails then fails for a reason of its own.
            let explains = says_so || has_no_artifact(judged[foundation].resource);
            (foundation != index && is_in_trouble && explains).then_some(foundation)
        });
        if let Some(foundation) = troubled {
            blamed.entry(foundation).or_default().push(index);
        }
    }
    blamed
        .into_iter()
        .filter_map(|(foundation, holds_up)| {
            let problem = judged[foundation].judgement.problems.first()?.clone();
            Some(Cause { object: judged[foundation].resource.name(), problem, holds_up })
        })
        .collect()
}

/// Kind, namespace and name.
type Name<'a> = (&'a str, Option<&'a str>, &'a str);

fn has_no_artifact(source: &Resource) -> bool {
    matches!(&source.body, Body::Flux(fields) if fields.status.artifact.is_none())
}

/// The sources of an object and, where it says that it waits for them, its dependencies.
fn builds_on<'a>(resource: &'a Resource, fields: &'a Fields) -> Vec<Name<'a>> {
    let own = resource.metadata.namespace.as_deref();
    let spec = &fields.spec;
    let repository = spec.chart.as_ref().and_then(|chart| chart.spec.source_ref.as_ref());
    let sources = [spec.source_ref.as_ref(), spec.chart_ref.as_ref(), repository];
    let sources = sources.into_iter().flatten();
    // Its own HelmChart stands between a HelmRelease and the repository, and says more.
    let chart = fields.status.helm_chart.as_deref().and_then(|name| name.split_once('/'));
    let mut names: Vec<Name<'_>> =
        chart.into_iter().map(|(namespace, name)| ("HelmChart", Some(namespace), name)).collect();
    names.extend(
        sources.map(|source| (source.kind.as_str(), source.namespace.as_deref().or(own), source.name.as_str())),
    );
    if resource.conditions.of("Ready").is_some_and(|condition| condition.reason == "DependencyNotReady") {
        let kind = resource.kind.kind.as_str();
        names.extend(spec.depends_on.iter().map(|on| (kind, on.namespace.as_deref().or(own), on.name.as_str())));
    }
    names
}
