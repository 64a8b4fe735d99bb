//! Versions of the engines: support by upstream, and consistency of their parts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::DoctorFacts;
use super::minor_version::MinorVersion;
use ucp_core::engine::code::Code;
use ucp_core::engine::controller::{Workloads, repository, version_of};
use ucp_core::engine::{self, controller, crossplane};
use ucp_core::model::body::Body;
use ucp_core::model::object::ObjectName;

const WORKLOADS: RequiredData = RequiredData::Always("apps", "Deployment");

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck { name: "mixed-versions", codes: &[Code::VersionsMixed], reads: &[WORKLOADS], run: mixed_versions },
    DoctorCheck {
        name: "supported-versions",
        codes: &[Code::VersionUnsupported],
        reads: &[WORKLOADS],
        run: unsupported_versions,
    },
];

/// Date when the tables of versions here and in `kubernetes.rs` were last compared with upstream.
const TABLES_FROM: Date = date(2026, 11, 1);

/// Upstream releases every three to four months: older tables are out of date.
const TABLES_LAST_MONTHS: i64 = 9;

/// Returns a message if the tables are out of date.
pub(super) fn outdated_tables(facts: &DoctorFacts<'_>) -> Option<String> {
    outdated_tables_on(facts.now().to_zoned(TimeZone::UTC).date())
}

fn outdated_tables_on(today: Date) -> Option<String> {
    let is_over = TABLES_FROM.checked_add(TABLES_LAST_MONTHS.months()).is_ok_and(|last| last < today);
    is_over.then(|| {
        format!(
            "the table of supported versions was created in {TABLES_FROM}, more than {TABLES_LAST_MONTHS} months old: update \
             kubectl ucp"
        )
    })
}

/// Returns a message if a version is newer than the tables.
pub(super) fn unknown_version(name: &str, runs: MinorVersion, newest: MinorVersion) -> Option<String> {
    (runs > newest).then(|| {
        format!("{name} {runs} is newer than the versions in the table of supported versions, up to {newest}: update kubectl ucp")
    })
}

/// The oldest and the newest minor version that upstream maintained at that time.
const SUPPORTED: [(&str, MinorVersion, MinorVersion); 3] = [
    ("crossplane", MinorVersion { major: 2, minor: 1 }, MinorVersion { major: 2, minor: 3 }),
    ("argocd", MinorVersion { major: 3, minor: 4 }, MinorVersion { major: 3, minor: 6 }),
    ("flux", MinorVersion { major: 2, minor: 7 }, MinorVersion { major: 2, minor: 9 }),
];

/// Returns the workload of Crossplane's core.
pub(super) fn core_workload(facts: &DoctorFacts<'_>) -> Option<ObjectName> {
    crossplane::core(facts.state).first().map(|core| core.name())
}

/// An engine as detected by its workloads.
pub(super) struct RunningEngine {
    pub(super) name: &'static str,
    /// Version of the engine, if its workloads have one.
    pub(super) version: Option<MinorVersion>,
    /// The main workload of the engine.
    pub(super) object: Option<ObjectName>,
}

impl RunningEngine {
    /// Finds an engine by the label of its workloads.
    pub(super) fn find(facts: &DoctorFacts<'_>, part_of: &str) -> Option<Self> {
        let name = engine::ENGINES.iter().find(|engine| engine.part_of() == part_of)?.name();
        let version = controller::version(facts.state, part_of).as_deref().and_then(MinorVersion::parse);
        let core = core_workload(facts).filter(|_| part_of == "crossplane");
        let part = || Workloads::from_state(facts.state).parts_of(part_of).next().map(|(resource, _)| resource.name());
        Some(Self { name, version, object: core.or_else(part) })
    }
}

fn unsupported_versions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for (part_of, oldest, newest) in SUPPORTED {
        let Some(engine) = RunningEngine::find(facts, part_of) else { continue };
        answer.unknown.extend(outdated_tables(facts));
        answer.unknown.extend(engine.version.and_then(|runs| unknown_version(engine.name, runs, newest)));
        let has_objects = facts.assessment.judged.iter().any(|entry| entry.engine == engine.name);
        match (engine.version, engine.object) {
            (Some(runs), Some(object)) if runs < oldest => {
                let evidence = format!("{} {runs} is running; upstream supports {oldest} and newer", engine.name);
                let found = CheckFinding::new(Code::VersionUnsupported, FindingSeverity::Warning, object, evidence);
                answer.found.push(match part_of {
                    "crossplane" => found.with_command(format!("kubectl ucp doctor --for {}", next_version(runs))),
                    _ => found,
                });
            }
            (None, _) if has_objects => answer.unknown.push(format!("the version of {} is unknown", engine.name)),
            _ => {}
        }
    }
    answer
}

/// Returns the next version of Crossplane.
fn next_version(runs: MinorVersion) -> MinorVersion {
    match runs {
        MinorVersion { major: 1, minor: 20.. } => MinorVersion { major: 2, minor: 0 },
        MinorVersion { major, minor } => MinorVersion { major, minor: minor + 1 },
    }
}

fn mixed_versions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let workloads = Workloads::from_state(facts.state);
    let mut answer = CheckFindings::default();
    for engine in engine::ENGINES {
        // Each controller of Flux has its own version, and a label has the version of Flux.
        let mut groups: BTreeMap<&str, BTreeMap<String, ObjectName>> = BTreeMap::new();
        for (resource, workload) in workloads.parts_of(engine.part_of()) {
            let (Some(image), Some(version)) = (workload.images.first(), version_of(resource)) else { continue };
            let group = if engine.part_of() == "flux" { "" } else { repository(image) };
            if group.is_empty() && resource.metadata.label("app.kubernetes.io/version").is_none() {
                continue;
            }
            groups.entry(group).or_default().entry(version).or_insert_with(|| resource.name());
        }
        for versions in groups.into_values().filter(|versions| versions.len() > 1) {
            let told: Vec<_> =
                versions.iter().map(|(version, object)| format!("{} runs {version}", object.name)).collect();
            let Some(first) = versions.into_values().next() else { continue };
            answer.found.push(CheckFinding::new(Code::VersionsMixed, FindingSeverity::Warning, first, told.join(", ")));
        }
    }
    // Without labels, the engines of workloads are unknown; if no workload has one, nothing was compared.
    let is_labelled = engine::ENGINES.iter().any(|engine| workloads.parts_of(engine.part_of()).next().is_some());
    let all: BTreeSet<_> = facts
        .state
        .resources
        .iter()
        .filter(|resource| matches!(resource.body, Body::Workload(_)))
        .map(|one| one.name())
        .collect();
    if !is_labelled && !all.is_empty() {
        answer.unknown.push("no workload has the label of its engine".to_owned());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for (text, major, minor) in
            [("2.1", 2, 1), ("v2.1.3", 2, 1), ("1.20.0-rc.1", 1, 20), ("v3.1.9+a1b2c3d", 3, 1), ("2", 2, 0)]
        {
            assert_eq!(MinorVersion::parse(text), Some(MinorVersion { major, minor }), "{text}");
        }
        assert_eq!(MinorVersion::parse("latest"), None);
    }

    #[test]
    fn old_tables_and_newer_versions_are_reported() {
        assert_eq!(outdated_tables_on(TABLES_FROM), None);
        assert_eq!(outdated_tables_on(date(2027, 8, 1)), None);
        let reason = outdated_tables_on(date(2027, 8, 2)).unwrap();
        assert!(reason.contains("2026-11-01, more than 9 months old: update"), "{reason}");
        let newest = MinorVersion { major: 3, minor: 6 };
        assert_eq!(unknown_version("argocd", newest, newest), None);
        let reason = unknown_version("argocd", MinorVersion { major: 3, minor: 7 }, newest).unwrap();
        assert!(reason.contains("argocd 3.7 is newer") && reason.contains("up to 3.6"), "{reason}");
    }
}
