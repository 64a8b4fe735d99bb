//! Whether a core cluster will still work tomorrow, and through the next upgrade. Each file is a group of checks; adding
//! a check is a function and an entry in its file, adding a group a file and a line in [`GROUPS`].

mod argocd;
mod credentials;
mod git;
mod kubernetes;
mod packages;
mod rights;
mod upgrade;
mod upkeep;
mod versions;
mod webhooks;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::engine::code::Code;
use crate::engine::crossplane::{Role, role};
use crate::engine::{self, Assessment};
use crate::model::body::{Keep, Reach, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};

pub use rights::{Lack, Rights};
pub use versions::Release;

/// Every group of checks, in the order that output names them.
pub const GROUPS: &[Group] = &[
    Group { name: "upgrade", checks: upgrade::CHECKS },
    Group { name: "packages", checks: packages::CHECKS },
    Group { name: "credentials", checks: credentials::CHECKS },
    Group { name: "argocd", checks: argocd::CHECKS },
    Group { name: "git", checks: git::CHECKS },
    Group { name: "upkeep", checks: upkeep::CHECKS },
    Group { name: "webhooks", checks: webhooks::CHECKS },
    Group { name: "versions", checks: versions::CHECKS },
    Group { name: "kubernetes", checks: kubernetes::CHECKS },
    Group { name: "rights", checks: rights::CHECKS },
];

/// Checks of one subject.
pub struct Group {
    /// As `--only` and `--skip` take it.
    pub name: &'static str,
    /// Its checks.
    pub checks: &'static [Check],
}

/// How bad it is, worst first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It is broken, or will be at a moment that is known.
    Error,
    /// It will be, sooner or later.
    Warning,
    /// Good to know.
    Info,
}

impl Severity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One thing that is looked at.
pub struct Check {
    /// As `--only` and `--skip` take it.
    pub name: &'static str,
    /// What it finds.
    pub codes: &'static [Code],
    /// What has to be read for an answer.
    pub reads: &'static [Reads],
    /// Looks.
    pub run: fn(&Facts<'_>) -> Answer,
}

/// Kinds that a check needs.
#[derive(Debug, Clone, Copy)]
pub enum Reads {
    /// Every cluster has it: where it was not read, the answer is unknown.
    Always(&'static str, &'static str),
    /// Where the cluster has it.
    IfThere(&'static str, &'static str),
    /// Kinds of Crossplane with one of these roles.
    Roles(&'static [Role]),
    /// Every kind that an engine reads.
    Engines,
    /// What the credentials that are used may do, which only a live cluster tells.
    Rights,
    /// The version of the API server.
    ServerVersion,
}

/// What a check says.
#[derive(Debug, Default)]
pub struct Answer {
    /// What it found.
    pub found: Vec<Found>,
    /// Why it may have overlooked something, besides what could not be read.
    pub unknown: Vec<String>,
}

impl FromIterator<Found> for Answer {
    fn from_iter<I: IntoIterator<Item = Found>>(found: I) -> Self {
        Self { found: found.into_iter().collect(), unknown: Vec::new() }
    }
}

/// One thing that a check found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is.
    pub code: Code,
    /// How bad it is here.
    pub severity: Severity,
    /// The object that is to be mended.
    pub object: ObjectName,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The fields and values that show it.
    pub evidence: String,
    /// The command that mends it, or that leads to what does.
    pub mend: String,
}

impl Found {
    fn new(code: Code, severity: Severity, object: ObjectName, evidence: impl Into<String>) -> Self {
        let mend = code.command_for(&object);
        Self { code, severity, object, since: None, evidence: evidence.into(), mend }
    }

    /// The same, with a command that is more exact than the code's.
    fn mended_by(self, mend: impl Into<String>) -> Self {
        Self { mend: mend.into(), ..self }
    }

    fn since(self, since: Option<Timestamp>) -> Self {
        Self { since, ..self }
    }
}

/// Everything that checks look at.
pub struct Facts<'a> {
    /// The cluster.
    pub state: &'a ClusterState,
    /// What the engines say of it.
    pub assessment: Assessment<'a>,
    /// The version of Crossplane that somebody wants to upgrade to.
    pub target: Option<Release>,
    /// What the credentials that were used may do; `None` in a snapshot, or where nobody could ask.
    pub rights: Option<Rights>,
    /// The version of Crossplane that runs.
    crossplane: Option<Release>,
    /// The version of Kubernetes.
    server: Option<Release>,
}

impl<'a> Facts<'a> {
    /// Gathers them.
    pub fn of(
        state: &'a ClusterState,
        assessment: Assessment<'a>,
        target: Option<Release>,
        rights: Option<Rights>,
    ) -> Self {
        let crossplane = engine::ENGINES.iter().find(|engine| engine.part_of() == "crossplane");
        let version = crossplane.and_then(|crossplane| crossplane.version(state));
        let parse = |version: Option<&str>| version.and_then(Release::parse);
        let (crossplane, server) = (parse(version.as_deref()), parse(state.server_version.as_deref()));
        Self { state, assessment, target, rights, crossplane, server }
    }

    fn now(&self) -> Timestamp {
        self.state.moment
    }

    fn of_kind(&self, group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Resource> {
        let wanted = move |resource: &&Resource| resource.kind.group == group && resource.kind.kind == kind;
        self.state.resources.iter().filter(wanted)
    }

    fn of_role(&self, wanted: &'a [Role]) -> impl Iterator<Item = &'a Resource> {
        self.state
            .resources
            .iter()
            .filter(move |resource| role(&resource.kind).is_some_and(|role| wanted.contains(&role)))
    }

    /// Whether that was not long ago.
    fn is_older_than(&self, moment: Timestamp, age: SignedDuration) -> bool {
        self.now().duration_since(moment) > age
    }
}

/// The whole object, where it was kept.
fn whole(resource: &Resource) -> &Value {
    static NOTHING: Value = Value::Null;
    resource.whole.as_deref().unwrap_or(&NOTHING)
}

fn text<'a>(resource: &'a Resource, pointer: &str) -> Option<&'a str> {
    whole(resource).pointer(pointer)?.as_str()
}

/// Labels of a ConfigMap with settings of Argo CD, without which it does not read it.
const OF_ARGO_CD: &str = "app.kubernetes.io/part-of=argocd";

/// What to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let everywhere = |shape| Want { reach: Reach::Everywhere, ..Want::all(shape) };
    let whole = |want: Want| Want { keep: Keep::Whole, ..want };
    Some(match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => everywhere(Shape::Secret),
        ("", "ConfigMap") => whole(Want { selector: Some(OF_ARGO_CD), ..everywhere(Shape::Conditions) }),
        ("", "Service") => everywhere(Shape::Metadata),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => Want::all(Shape::Definition),
        ("discovery.k8s.io", "EndpointSlice")
        | ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration")
        | ("apiextensions.crossplane.io", "CompositeResourceDefinition")
        | ("pkg.crossplane.io", "ControllerConfig")
        | ("secrets.crossplane.io", "StoreConfig") => whole(everywhere(Shape::Conditions)),
        _ => whole(engine::want(kind)?),
    })
}

/// Which checks run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Groups, checks or codes; all where empty.
    pub only: Vec<String>,
    /// Groups, checks or codes that are left out.
    pub skip: Vec<String>,
}

impl Selection {
    /// A word of it that names no group, no check and no code.
    pub fn unheard_of(&self) -> Option<&str> {
        self.only
            .iter()
            .chain(&self.skip)
            .map(String::as_str)
            .find(|word| !GROUPS.iter().any(|group| group.checks.iter().any(|check| names(word, group, check))))
    }

    /// Whether a check of it needs to know the rights of the credentials that are used.
    pub fn asks_rights(&self) -> bool {
        self.chosen().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, Reads::Rights)))
    }

    /// Whether a check of it needs to know the version of the API server.
    pub fn asks_version(&self) -> bool {
        self.chosen().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, Reads::ServerVersion)))
    }

    /// The checks that run, each with its group.
    fn chosen(&self) -> impl Iterator<Item = (&'static Group, &'static Check)> {
        let all = GROUPS.iter().flat_map(|group| group.checks.iter().map(move |check| (group, check)));
        all.filter(|(group, check)| self.takes(group, check))
    }

    fn takes(&self, group: &Group, check: &Check) -> bool {
        let is_in = |words: &[String]| words.iter().any(|word| names(word, group, check));
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.skip)
    }
}

fn names(word: &str, group: &Group, check: &Check) -> bool {
    let is_code = |code: &Code| code.info().code.eq_ignore_ascii_case(word);
    word == group.name || word == check.name || check.codes.iter().any(is_code)
}

/// What became of a check.
pub struct Examined {
    /// The group.
    pub group: &'static str,
    /// The check.
    pub check: &'static Check,
    /// Whether there is anything to look at.
    pub applies: bool,
    /// What it found.
    pub found: Vec<Found>,
    /// Why it may have overlooked something.
    pub unknown: Vec<String>,
}

/// Runs the checks that were chosen.
pub fn examine(facts: &Facts<'_>, selection: &Selection) -> Vec<Examined> {
    selection
        .chosen()
        .map(|(group, check)| {
            let Answer { found, unknown } = (check.run)(facts);
            let coverage = coverage(facts, check);
            let unknown = BTreeSet::from_iter(coverage.unknown.into_iter().chain(unknown));
            Examined {
                group: group.name,
                check,
                applies: coverage.applies || !found.is_empty(),
                found,
                unknown: unknown.into_iter().collect(),
            }
        })
        .collect()
}

struct Coverage {
    applies: bool,
    unknown: Vec<String>,
}

/// Whether all was read that a check needs.
fn coverage(facts: &Facts<'_>, check: &Check) -> Coverage {
    let mut coverage = Coverage { applies: check.reads.is_empty(), unknown: Vec::new() };
    for reads in check.reads {
        let is_needed = |kind: &ResourceKind| match reads {
            Reads::Always(group, name) | Reads::IfThere(group, name) => kind.group == *group && kind.kind == *name,
            Reads::Roles(roles) => role(kind).is_some_and(|role| roles.contains(&role)),
            Reads::Engines => engine::want(kind).is_some(),
            Reads::Rights | Reads::ServerVersion => false,
        };
        let mut kinds = facts.state.kinds.iter().filter(|kind| is_needed(kind)).peekable();
        let is_there = kinds.peek().is_some();
        coverage.applies |= match reads {
            Reads::Always(..) => true,
            Reads::Rights => facts.rights.is_some(),
            Reads::ServerVersion => facts.server.is_some(),
            _ => is_there,
        };
        if let Reads::Always(_, name) = reads
            && !is_there
        {
            coverage.unknown.push(format!("no {name} was read"));
        }
        for kind in kinds {
            let broken = facts.state.unreadable.iter().filter(|entry| entry.is_of(kind));
            coverage.unknown.extend(broken.map(|entry| format!("{} could not be read", entry.what)));
        }
        let lost = facts.state.unreadable.iter().filter(|entry| may_hold(&facts.state.kinds, entry, reads));
        coverage.unknown.extend(lost.map(|entry| format!("{} could not be read", entry.what)));
    }
    coverage
}

/// Whether something that could not be read, and is of no kind that is known, may hold what a check needs: an API or a
/// kind of its group, or a file of which nobody knows what is in it.
fn may_hold(kinds: &[Arc<ResourceKind>], entry: &Unreadable, reads: &Reads) -> bool {
    if matches!(reads, Reads::Rights | Reads::ServerVersion) || kinds.iter().any(|kind| entry.is_of(kind)) {
        return false;
    }
    let is_version = |text: &str| {
        text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.'))
    };
    let what = entry.what.as_str();
    let group = match what.split_once('/') {
        Some((group, version)) if is_version(version) => Some(group),
        None if !what.contains([':', ' ']) => what.split_once('.').map(|(_, group)| group),
        _ => None,
    };
    match (group, reads) {
        (Some(group), Reads::Always(of, _) | Reads::IfThere(of, _)) => group == *of,
        // Of kinds that nobody could list, any may have the role.
        _ => true,
    }
}

/// What the engines themselves say with some codes.
fn said(facts: &Facts<'_>, codes: &[Code], severity: Severity) -> Answer {
    let causes = facts.assessment.causes.iter().map(|cause| (&cause.problem, cause.object.clone()));
    // Who only waits for a cause says nothing of its own.
    let waiting: BTreeSet<usize> =
        facts.assessment.causes.iter().flat_map(|cause| cause.holds_up.iter().copied()).collect();
    let judged = facts.assessment.judged.iter().enumerate().filter(|(index, _)| !waiting.contains(index));
    let judged =
        judged.flat_map(|(_, entry)| entry.judgement.problems.iter().map(|problem| (problem, entry.resource.name())));
    let mut seen = BTreeSet::new();
    let said = causes.chain(judged).filter(|(problem, _)| codes.contains(&problem.code));
    said.filter(|(problem, object)| seen.insert((problem.code, object.clone())))
        .map(|(problem, object)| {
            let found = Found::new(problem.code, severity, object, problem.message.clone()).since(problem.since);
            match &problem.hint {
                Some(hint) => found.mended_by(hint.clone()),
                None => found,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_check() {
        let checks: Vec<_> = GROUPS.iter().flat_map(|group| group.checks).collect();
        let names: BTreeSet<_> =
            checks.iter().map(|check| check.name).chain(GROUPS.iter().map(|group| group.name)).collect();
        assert_eq!(names.len(), checks.len() + GROUPS.len(), "{names:?}");
        assert!(checks.iter().all(|check| !check.codes.is_empty()));
    }

    #[test]
    fn groups_checks_and_codes_are_chosen_by_name() {
        let chosen = |only: &[&str], skip: &[&str]| {
            let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            let selection = Selection { only: words(only), skip: words(skip) };
            selection.chosen().count()
        };
        let all = chosen(&[], &[]);
        assert_eq!(chosen(&["upgrade"], &[]), upgrade::CHECKS.len());
        assert_eq!(chosen(&["ucp412"], &[]), 1);
        assert_eq!(chosen(&[], &["storage-versions", "upgrade"]), all - upgrade::CHECKS.len() - 1);
        let typo = Selection { only: vec!["upgrades".to_owned()], skip: Vec::new() };
        assert_eq!(typo.unheard_of(), Some("upgrades"));
    }

    #[test]
    fn rights_are_asked_for_where_a_check_needs_them() {
        let only = |word: &str| Selection { only: vec![word.to_owned()], skip: Vec::new() };
        assert!(Selection::default().asks_rights() && only("rights").asks_rights());
        assert!(!only("certificates").asks_rights() && !only("rights").asks_version());
        let without = Selection { only: Vec::new(), skip: vec!["own-rights".to_owned()] };
        assert!(!without.asks_rights() && without.asks_version());
    }

    #[test]
    fn what_was_lost_counts_for_the_checks_that_may_need_it() {
        let secret = Arc::new(ResourceKind { plural: "secrets".into(), ..ResourceKind::guess("", "Secret") });
        let holds = |what: &str, reads: Reads| {
            let entry = Unreadable { what: what.to_owned(), reason: String::new() };
            may_hold(std::slice::from_ref(&secret), &entry, &reads)
        };
        let workloads = Reads::Always("apps", "Deployment");
        assert!(!holds("metrics.k8s.io/v1beta1", workloads) && holds("metrics.k8s.io/v1beta1", Reads::Engines));
        assert!(holds("apps/v1", workloads) && holds("deployments.apps", workloads));
        assert!(holds("dump/broken.yaml:3", workloads) && holds("standard input", workloads));
        assert!(!holds("secrets", Reads::Engines) && !holds("secrets default/login", workloads));
    }
}
