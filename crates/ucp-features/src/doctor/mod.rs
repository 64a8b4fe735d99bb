//! Checks if a core cluster will keep working, and survive the next upgrade. Each file is a group of checks: a check is
//! a function and an entry in its file, a group is a file and a line in [`GROUPS`].

mod argocd;
mod composed;
mod credentials;
mod declared_objects;
mod definitions;
mod git;
mod kubernetes;
mod outdated_compositions;
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

use crate::upgrade::DefinitionUpgrade;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, Assessment};
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest, NamespaceReach};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::variant_words::variant_words;

pub use outdated_compositions::composed_definitions;
pub use rights::{MissingRights, ReportedRights};
pub use versions::MinorVersion;

/// All groups of checks, in output order.
pub const GROUPS: &[CheckGroup] = &[
    CheckGroup { name: "upgrade", checks: upgrade::CHECKS },
    CheckGroup { name: "packages", checks: packages::CHECKS },
    CheckGroup { name: "composed", checks: composed::CHECKS },
    CheckGroup { name: "credentials", checks: credentials::CHECKS },
    CheckGroup { name: "argocd", checks: argocd::CHECKS },
    CheckGroup { name: "git", checks: git::CHECKS },
    CheckGroup { name: "upkeep", checks: upkeep::CHECKS },
    CheckGroup { name: "webhooks", checks: webhooks::CHECKS },
    CheckGroup { name: "versions", checks: versions::CHECKS },
    CheckGroup { name: "kubernetes", checks: kubernetes::CHECKS },
    CheckGroup { name: "rights", checks: rights::CHECKS },
    CheckGroup { name: DEFINITIONS, checks: definitions::CHECKS },
];

/// The group that examines new definitions, and only runs if there are any.
pub const DEFINITIONS: &str = "definitions";

/// A group of related checks.
pub struct CheckGroup {
    /// Name of the group for `--only` and `--skip`.
    pub name: &'static str,
    /// The checks of the group.
    pub checks: &'static [DoctorCheck],
}

/// How bad it is, worst first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// It is broken, or will be at a moment that is known.
    Error,
    /// It will be, sooner or later.
    Warning,
    /// Good to know.
    Info,
}

variant_words!(FindingSeverity { Error = "error", Warning = "warning", Info = "info" });

/// A check.
pub struct DoctorCheck {
    /// Name of the check for `--only` and `--skip`.
    pub name: &'static str,
    /// Codes of its findings.
    pub codes: &'static [Code],
    /// The reads that it requires.
    pub reads: &'static [RequiredData],
    /// Runs the check.
    pub run: fn(&DoctorFacts<'_>) -> CheckFindings,
}

/// The data that a check requires.
#[derive(Debug, Clone, Copy)]
pub enum RequiredData {
    /// A kind that every cluster has: if it was not read, the result is unknown.
    Always(&'static str, &'static str),
    /// A kind that is read if the cluster has it.
    IfThere(&'static str, &'static str),
    /// The kinds of the new definitions.
    NewDefinitions,
    /// Kinds of Crossplane with one of these roles, if the new definitions come from a package.
    PackageRoles(&'static [CrossplaneRole]),
    /// Kinds of Crossplane with one of these roles.
    Roles(&'static [CrossplaneRole]),
    /// All kinds that an engine reads.
    Engines,
    /// The rights of the credentials in use, which only a live cluster reports.
    Rights,
    /// The version of the API server.
    ServerVersion,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckFindings {
    /// Its findings.
    pub found: Vec<CheckFinding>,
    /// Reasons why it may have missed findings, in addition to unreadable data.
    pub unknown: Vec<String>,
}

impl FromIterator<CheckFinding> for CheckFindings {
    fn from_iter<I: IntoIterator<Item = CheckFinding>>(found: I) -> Self {
        Self { found: found.into_iter().collect(), unknown: Vec::new() }
    }
}

/// A finding of a check.
#[derive(Debug, Clone)]
pub struct CheckFinding {
    /// Code of the finding.
    pub code: Code,
    /// Severity in this cluster.
    pub severity: FindingSeverity,
    /// The object to repair.
    pub object: ObjectName,
    /// Start of the problem.
    pub since: Option<Timestamp>,
    /// The fields and values that prove it.
    pub evidence: String,
    /// The command that repairs it, or that shows the next step.
    pub command: String,
}

impl CheckFinding {
    fn new(code: Code, severity: FindingSeverity, object: ObjectName, evidence: impl Into<String>) -> Self {
        let command = code.command_for(&object);
        Self { code, severity, object, since: None, evidence: evidence.into(), command }
    }

    /// Replaces the command of the code by a more specific one.
    fn with_command(self, command: impl Into<String>) -> Self {
        Self { command: command.into(), ..self }
    }

    fn since(self, since: Option<Timestamp>) -> Self {
        Self { since, ..self }
    }
}

/// The facts that checks examine.
pub struct DoctorFacts<'a> {
    /// The cluster state.
    pub state: &'a ClusterState,
    /// The assessment of the engines.
    pub assessment: Assessment<'a>,
    /// The version of Crossplane to upgrade to.
    pub target: Option<MinorVersion>,
    /// The rights of the credentials in use; `None` for a snapshot, or if they could not be requested.
    pub rights: Option<ReportedRights>,
    /// The definitions to upgrade to.
    pub upgrade: Option<DefinitionUpgrade>,
    /// The running version of Crossplane.
    crossplane: Option<MinorVersion>,
    /// The version of Kubernetes.
    server: Option<MinorVersion>,
}

impl<'a> DoctorFacts<'a> {
    /// Collects the facts.
    pub fn gather(
        state: &'a ClusterState,
        assessment: Assessment<'a>,
        target: Option<MinorVersion>,
        rights: Option<ReportedRights>,
    ) -> Self {
        let crossplane = engine::ENGINES.iter().find(|engine| engine.part_of() == "crossplane");
        let version = crossplane.and_then(|crossplane| crossplane.version(state));
        let parse = |version: Option<&str>| version.and_then(MinorVersion::parse);
        let (crossplane, server) = (parse(version.as_deref()), parse(state.server_version.as_deref()));
        Self { state, assessment, target, rights, upgrade: None, crossplane, server }
    }

    /// Adds the definitions to upgrade to.
    #[must_use]
    pub fn with_upgrade(self, upgrade: Option<DefinitionUpgrade>) -> Self {
        Self { upgrade, ..self }
    }

    /// Returns true if the new definitions come from a package.
    fn has_package(&self) -> bool {
        self.upgrade.as_ref().is_some_and(|upgrade| upgrade.package.is_some())
    }

    fn now(&self) -> Timestamp {
        self.state.moment
    }

    fn of_kind(&self, group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Resource> {
        let wanted = move |resource: &&Resource| resource.kind.group == group && resource.kind.kind == kind;
        self.state.resources.iter().filter(wanted)
    }

    fn of_role(&self, wanted: &'a [CrossplaneRole]) -> impl Iterator<Item = &'a Resource> {
        self.state
            .resources
            .iter()
            .filter(move |resource| role(&resource.kind).is_some_and(|role| wanted.contains(&role)))
    }

    /// Returns true if the time is further in the past than the given age.
    fn is_older_than(&self, moment: Timestamp, age: SignedDuration) -> bool {
        self.now().duration_since(moment) > age
    }
}

/// Returns the complete object, if it was kept.
fn whole_object(resource: &Resource) -> &Value {
    static NOTHING: Value = Value::Null;
    resource.whole.as_deref().unwrap_or(&NOTHING)
}

fn text<'a>(resource: &'a Resource, pointer: &str) -> Option<&'a str> {
    whole_object(resource).pointer(pointer)?.as_str()
}

/// Label of the ConfigMaps that Argo CD reads.
const OF_ARGO_CD: &str = "app.kubernetes.io/part-of=argocd";

/// Returns the data to read of a kind.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let everywhere = |shape| KindRequest { reach: NamespaceReach::Everywhere, ..KindRequest::all(shape) };
    let whole = |want: KindRequest| KindRequest { keep: KeepAmount::Whole, ..want };
    Some(match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => everywhere(BodyShape::Secret),
        ("", "ConfigMap") => whole(KindRequest { selector: Some(OF_ARGO_CD), ..everywhere(BodyShape::Conditions) }),
        ("", "Service") => everywhere(BodyShape::Metadata),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => KindRequest::all(BodyShape::Definition),
        ("discovery.k8s.io", "EndpointSlice")
        | ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration")
        | ("apiextensions.crossplane.io", "CompositeResourceDefinition")
        | ("rbac.authorization.k8s.io", "ClusterRole" | "ClusterRoleBinding")
        | ("pkg.crossplane.io", "ControllerConfig")
        | ("secrets.crossplane.io", "StoreConfig") => whole(everywhere(BodyShape::Conditions)),
        _ => whole(engine::want(kind)?),
    })
}

/// Selects the checks to run.
#[derive(Debug, Clone, Default)]
pub struct CheckSelection {
    /// Groups, checks or codes to run; all if empty.
    pub only: Vec<String>,
    /// Groups, checks or codes to skip.
    pub skip: Vec<String>,
    /// The checks to run by default.
    pub purpose: CheckPurpose,
}

/// The checks that run by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckPurpose {
    /// All that need no new definitions.
    #[default]
    Installed,
    /// Those of new definitions.
    NewDefinitions,
}

impl CheckSelection {
    /// Returns a word that names no group, check or code.
    pub fn unknown_word(&self) -> Option<&str> {
        self.only
            .iter()
            .chain(&self.skip)
            .map(String::as_str)
            .find(|word| !GROUPS.iter().any(|group| group.checks.iter().any(|check| matches_word(word, group, check))))
    }

    /// Returns true if only checks of new definitions are named.
    pub fn names_only_new_definitions(&self) -> bool {
        let is_new = |word: &String| {
            definitions::CHECKS
                .iter()
                .any(|check| GROUPS.iter().any(|group| group.name == DEFINITIONS && matches_word(word, group, check)))
        };
        !self.only.is_empty() && self.only.iter().all(is_new)
    }

    /// Returns true if a selected check requires the rights of the credentials in use.
    pub fn requires_rights(&self) -> bool {
        self.selected().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, RequiredData::Rights)))
    }

    /// Returns true if a selected check requires the version of the API server.
    pub fn requires_version(&self) -> bool {
        self.selected().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, RequiredData::ServerVersion)))
    }

    /// Returns the selected checks with their groups.
    fn selected(&self) -> impl Iterator<Item = (&'static CheckGroup, &'static DoctorCheck)> {
        let all = GROUPS.iter().flat_map(|group| group.checks.iter().map(move |check| (group, check)));
        all.filter(|(group, check)| self.selects(group, check))
    }

    fn selects(&self, group: &CheckGroup, check: &DoctorCheck) -> bool {
        let is_in = |words: &[String]| words.iter().any(|word| matches_word(word, group, check));
        let is_default = match self.purpose {
            CheckPurpose::Installed => group.name != DEFINITIONS,
            CheckPurpose::NewDefinitions => group.name == DEFINITIONS,
        };
        let is_selected = if self.only.is_empty() { is_default } else { is_in(&self.only) };
        let is_possible = group.name != DEFINITIONS || self.purpose == CheckPurpose::NewDefinitions;
        is_selected && is_possible && !is_in(&self.skip)
    }
}

fn matches_word(word: &str, group: &CheckGroup, check: &DoctorCheck) -> bool {
    let is_code = |code: &Code| code.info().code.eq_ignore_ascii_case(word);
    word == group.name || word == check.name || check.codes.iter().any(is_code)
}

/// The result of a check with its coverage.
pub struct ExaminedCheck {
    /// Name of the group.
    pub group: &'static str,
    /// The check.
    pub check: &'static DoctorCheck,
    /// True if the cluster has anything to check.
    pub applies: bool,
    /// Findings of the check.
    pub found: Vec<CheckFinding>,
    /// Reasons why it may have missed findings.
    pub unknown: Vec<String>,
}

/// Runs the selected checks.
pub fn run_checks(facts: &DoctorFacts<'_>, selection: &CheckSelection) -> Vec<ExaminedCheck> {
    selection
        .selected()
        .map(|(group, check)| {
            let CheckFindings { found, unknown } = (check.run)(facts);
            let coverage = coverage(facts, check);
            let unknown = BTreeSet::from_iter(coverage.unknown.into_iter().chain(unknown));
            ExaminedCheck {
                group: group.name,
                check,
                applies: coverage.applies || !found.is_empty(),
                found,
                unknown: unknown.into_iter().collect(),
            }
        })
        .collect()
}

struct CheckCoverage {
    applies: bool,
    unknown: Vec<String>,
}

/// Determines which of a check's required data was read.
fn coverage(facts: &DoctorFacts<'_>, check: &DoctorCheck) -> CheckCoverage {
    let mut coverage = CheckCoverage { applies: check.reads.is_empty(), unknown: Vec::new() };
    for reads in check.reads {
        let is_needed = |kind: &ResourceKind| match reads {
            RequiredData::Always(group, name) | RequiredData::IfThere(group, name) => {
                kind.group == *group && kind.kind == *name
            }
            RequiredData::Roles(roles) => role(kind).is_some_and(|role| roles.contains(&role)),
            RequiredData::PackageRoles(roles) => {
                facts.has_package() && role(kind).is_some_and(|role| roles.contains(&role))
            }
            RequiredData::NewDefinitions => {
                facts.upgrade.as_ref().is_some_and(|upgrade| upgrade.definition_of(kind).is_some())
            }
            RequiredData::Engines => engine::want(kind).is_some(),
            RequiredData::Rights | RequiredData::ServerVersion => false,
        };
        let mut kinds = facts.state.kinds.iter().filter(|kind| is_needed(kind)).peekable();
        let is_there = kinds.peek().is_some();
        coverage.applies |= match reads {
            RequiredData::Always(..) => true,
            RequiredData::Rights => facts.rights.is_some(),
            RequiredData::ServerVersion => facts.server.is_some(),
            _ => is_there,
        };
        if let RequiredData::Always(_, name) = reads
            && !is_there
        {
            coverage.unknown.push(format!("no {name} was read"));
        }
        for kind in kinds {
            let broken = facts.state.unreadable.iter().filter(|entry| entry.is_of(kind));
            coverage.unknown.extend(broken.map(|entry| format!("{} could not be read", entry.what)));
        }
        if matches!(reads, RequiredData::PackageRoles(_)) && !facts.has_package() {
            continue;
        }
        let lost = facts.state.unreadable.iter().filter(|entry| may_hold(&facts.state.kinds, entry, reads));
        coverage.unknown.extend(lost.map(|entry| format!("{} could not be read", entry.what)));
    }
    coverage
}

/// Returns true if an unreadable entry of no known kind may contain data that a check requires: an API or a kind of its
/// group, or a file with unknown content.
fn may_hold(kinds: &[Arc<ResourceKind>], entry: &Unreadable, reads: &RequiredData) -> bool {
    if matches!(reads, RequiredData::Rights | RequiredData::ServerVersion) || kinds.iter().any(|kind| entry.is_of(kind))
    {
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
        (Some(group), RequiredData::Always(of, _) | RequiredData::IfThere(of, _)) => group == *of,
        // Any kind that could not be listed may have the role.
        _ => true,
    }
}

/// Returns the findings of the engines with the given codes.
fn engine_findings(facts: &DoctorFacts<'_>, codes: &[Code], severity: FindingSeverity) -> CheckFindings {
    let causes = facts.assessment.causes.iter().map(|cause| (&cause.problem, cause.object.clone()));
    // Objects that only wait for a cause have no findings of their own.
    let waiting: BTreeSet<usize> =
        facts.assessment.causes.iter().flat_map(|cause| cause.holds_up.iter().copied()).collect();
    let judged = facts.assessment.judged.iter().enumerate().filter(|(index, _)| !waiting.contains(index));
    let judged =
        judged.flat_map(|(_, entry)| entry.judgement.problems.iter().map(|problem| (problem, entry.resource.name())));
    let mut seen = BTreeSet::new();
    let said = causes.chain(judged).filter(|(problem, _)| codes.contains(&problem.code));
    said.filter(|(problem, object)| seen.insert((problem.code, object.clone())))
        .map(|(problem, object)| {
            let found = CheckFinding::new(problem.code, severity, object, problem.message.clone()).since(problem.since);
            match &problem.hint {
                Some(hint) => found.with_command(hint.clone()),
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
            let selection = CheckSelection { only: words(only), skip: words(skip), ..CheckSelection::default() };
            selection.selected().count()
        };
        let all = chosen(&[], &[]);
        assert_eq!(chosen(&["upgrade"], &[]), upgrade::CHECKS.len());
        assert_eq!(chosen(&["ucp412"], &[]), 1);
        assert_eq!(chosen(&[], &["storage-versions", "upgrade"]), all - upgrade::CHECKS.len() - 1);
        let typo = CheckSelection { only: vec!["upgrades".to_owned()], ..CheckSelection::default() };
        assert_eq!(typo.unknown_word(), Some("upgrades"));
    }

    #[test]
    fn rights_are_asked_for_where_a_check_needs_them() {
        let only = |word: &str| CheckSelection { only: vec![word.to_owned()], ..CheckSelection::default() };
        assert!(CheckSelection::default().requires_rights() && only("rights").requires_rights());
        assert!(!only("certificates").requires_rights() && !only("rights").requires_version());
        let without = CheckSelection { skip: vec!["own-rights".to_owned()], ..CheckSelection::default() };
        assert!(!without.requires_rights() && without.requires_version());
    }

    #[test]
    fn what_was_lost_counts_for_the_checks_that_may_need_it() {
        let secret = Arc::new(ResourceKind { plural: "secrets".into(), ..ResourceKind::guess("", "Secret") });
        let holds = |what: &str, reads: RequiredData| {
            let entry = Unreadable { what: what.to_owned(), reason: String::new() };
            may_hold(std::slice::from_ref(&secret), &entry, &reads)
        };
        let workloads = RequiredData::Always("apps", "Deployment");
        assert!(!holds("metrics.k8s.io/v1beta1", workloads) && holds("metrics.k8s.io/v1beta1", RequiredData::Engines));
        assert!(holds("apps/v1", workloads) && holds("deployments.apps", workloads));
        assert!(holds("dump/broken.yaml:3", workloads) && holds("standard input", workloads));
        assert!(!holds("secrets", RequiredData::Engines) && !holds("secrets default/login", workloads));
    }
}
