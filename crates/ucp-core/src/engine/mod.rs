//! Engines: judge the objects of Crossplane, Argo CD, Flux, and others by the rules of each project. All functions are
//! pure: from a [`crate::model::state::ClusterState`] to judgements. A new engine is one file and one line in
//! [`ENGINES`].

mod adapter;
mod adapters;
pub mod any;
pub mod argocd;
mod assessment;
pub mod by_conditions;
pub mod code;
pub mod controller;
pub mod course;
pub mod crossplane;
mod declared;
mod deletion;
mod emptied;
mod engines;
pub mod flux;
mod helm;
mod judgement;
#[cfg(test)]
mod mutations;
pub mod node_verdicts;
pub mod outage;
pub mod outside;
mod presence;
pub mod recovery;
mod select;
#[cfg(test)]
mod toy;
pub mod upkeep;

pub use adapter::{Engine, ExternalRole, MemberSelector, OwnershipKind};
pub use assessment::{Assessment, OtherWorkloads, assess, assess_with};
pub use emptied::{ReferencedAbsence, referenced_absences};
pub use judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement, Problem};
pub use presence::{ListedNames, has_core_engine, hidden_built_ins, hidden_groups, is_present, report_hidden_groups};

use crate::model::body::{KeepAmount, KindRequest, RequestPurpose};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;

use code::Code;
use course::ObjectProgress;
pub use deletion::{orphaning_reason, reapplies_from_git};
pub use engines::{ENGINES, engine_of, links};
use outside::ExternalPolicy;

/// Returns the plural noun for an object's kind, such as `managed resources`.
pub fn noun(resource: &Resource) -> String {
    let own = engine_of(&resource.kind).and_then(|engine| engine.noun(&resource.kind));
    own.map_or_else(|| resource.kind.plural.clone(), str::to_owned)
}

/// Returns the parts of a kind that any engine reads.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    controller::want(kind).or_else(|| ENGINES.iter().find_map(|engine| engine.want(kind)))
}

/// Returns the parts of a kind that `--any` reads: what any engine reads, and what the rules for any kind need. Workloads are
/// judged on their own, so that a health rule may decide for them.
pub fn want_any(kind: &ResourceKind) -> Option<KindRequest> {
    let of_workload = controller::want(kind).map(|want| KindRequest { keep: KeepAmount::WholeIfRuled, ..want });
    of_workload.or_else(|| want(kind)).or_else(|| any::want(kind))
}

/// Returns true for a kind whose verdicts depend on the settings of its engine in the hub.
pub fn is_judged_by_settings(kind: &ResourceKind) -> bool {
    want(kind).is_some_and(|want| want.purpose == RequestPurpose::VerdictsBySettings)
}

/// Returns all codes, of engines and others, in order.
pub fn codes() -> Vec<Code> {
    let mut codes: Vec<Code> = code::ALL
        .iter()
        .chain(any::CODES)
        .chain(declared::CODES)
        .chain(upkeep::ALL)
        .chain(deletion::ALL)
        .chain(ENGINES.iter().flat_map(|engine| engine.codes()))
        .copied()
        .collect();
    codes.sort();
    codes
}

/// Finds a code by its text, ignoring case.
pub fn parse_code(text: &str) -> Option<Code> {
    codes().into_iter().find(|code| code.info().code.eq_ignore_ascii_case(text))
}

/// Returns the progress of an object toward its requested state.
pub fn course(resource: &Resource) -> ObjectProgress {
    engine_of(&resource.kind)
        .map_or_else(|| ObjectProgress::from_conditions(resource), |engine| engine.course(resource))
}

/// Returns the source directory or chart that an object deploys.
pub fn deploys(resource: &Resource) -> Option<&str> {
    engine_of(&resource.kind)?.deploys(resource)
}

/// Returns how objects of a kind own other objects; `None` if they own none.
pub fn ownership(kind: &ResourceKind) -> Option<OwnershipKind> {
    ENGINES.iter().find_map(|engine| engine.ownership(kind))
}

/// Returns true if objects of a kind own others, as a claim or composite, or by applying them.
pub fn may_own(kind: &ResourceKind) -> bool {
    ownership(kind).is_some()
}

/// Returns true if an object lists everything that it applied.
pub fn lists_all(resource: &Resource) -> bool {
    ENGINES.iter().any(|engine| engine.lists_all(resource))
}

/// Returns the relation of a kind to external resources.
pub fn purpose(kind: &ResourceKind) -> Option<ExternalRole> {
    engine_of(kind).and_then(|engine| engine.purpose(kind))
}

/// Returns the effect of deletions and changes of a kind's objects on external resources.
pub fn outside(kind: &ResourceKind) -> Option<&'static ExternalPolicy> {
    engine_of(kind).and_then(|engine| engine.outside(kind))
}

/// Returns a selector for the objects that were created for an object but are not listed in it by name.
pub fn members(resource: &Resource) -> Option<MemberSelector> {
    engine_of(&resource.kind)?.members(resource)
}

/// Returns true if objects of a kind report the state of other objects.
pub fn tells_of_others(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.tells_of_others(kind))
}

/// Returns true if `resources` lists objects of a kind.
pub fn is_listed(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.is_listed(kind))
}

/// Returns true if a word selects a kind, by name or by category.
pub fn is_selected_by(kind: &ResourceKind, word: &str) -> bool {
    let by_category = || match word.to_ascii_lowercase().as_str() {
        "managed" => purpose(kind) == Some(ExternalRole::External),
        "composite" => purpose(kind) == Some(ExternalRole::Composite),
        "claim" => purpose(kind) == Some(ExternalRole::Claim),
        category => kind.in_category(category),
    };
    kind.is_called(word) || by_category()
}
