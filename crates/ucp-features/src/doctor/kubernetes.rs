//! Versions of Kubernetes that an engine's version does not support.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::DoctorFacts;
use super::minor_version::MinorVersion;
use super::versions::{RunningEngine, outdated_tables, unknown_version};
use ucp_core::engine::code::Code;

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "kubernetes-version",
    codes: &[Code::KubernetesUnsupported],
    reads: &[RequiredData::Always("apps", "Deployment"), RequiredData::ServerVersion],
    run: unsupported_kubernetes,
}];

/// The versions of Kubernetes that upstream supports for one minor version of an engine.
struct SupportedVersions {
    engine: MinorVersion,
    /// The oldest minor version of Kubernetes.
    oldest: u64,
    /// The newest minor version, if upstream names one.
    newest: Option<u64>,
}

const fn supported(major: u64, minor: u64, oldest: u64, newest: Option<u64>) -> SupportedVersions {
    SupportedVersions { engine: MinorVersion { major, minor }, oldest, newest }
}

/// By engine, newest first. Argo CD: `docs/operator-manual/tested-kubernetes-versions.md` of v3.5.1 and of commit
/// 030b4f9. Flux: the requirement of `flux check` of that version (`kubernetesConstraints` in `cmd/flux/check.go`),
/// which has no upper bound; for 2.8, the oldest version in its release notes.
const SUPPORTED: [(&str, &[SupportedVersions]); 2] = [
    (
        "argocd",
        &[
            supported(3, 5, 33, Some(36)),
            supported(3, 4, 32, Some(35)),
            supported(3, 3, 32, Some(35)),
            supported(3, 2, 31, Some(34)),
            supported(3, 1, 31, Some(34)),
            supported(3, 0, 29, Some(32)),
        ],
    ),
    (
        "flux",
        &[
            supported(2, 9, 33, None),
            supported(2, 8, 33, None),
            supported(2, 7, 32, None),
            supported(2, 6, 31, None),
            supported(2, 5, 30, None),
            supported(2, 4, 28, None),
        ],
    ),
];

/// The engine that only requires a version that Kubernetes itself still maintains: the prerequisites in
/// docs.crossplane.io, "Install Crossplane".
const CONTENT_WITH_MENDED: &str = "crossplane";

/// End of life of the minor versions of Kubernetes, oldest first: `endOfLifeDate` in `data/releases/eol.yaml` of
/// kubernetes/website for those that have ended, "End Of Life Date" in kubernetes.io/releases/1.N for the others. For
/// 1.30, which was planned to end on 2025-06-28, the former has 2025-07-15.
const MENDED_UNTIL: [(u64, Date); 8] = [
    (30, date(2025, 7, 15)),
    (31, date(2025, 11, 11)),
    (32, date(2026, 2, 28)),
    (33, date(2026, 6, 28)),
    (34, date(2026, 10, 27)),
    (35, date(2027, 2, 28)),
    (36, date(2027, 6, 28)),
    (37, date(2027, 10, 28)),
];

fn unsupported_kubernetes(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    let today = facts.now().to_zoned(TimeZone::UTC).date();
    let engines = SUPPORTED.iter().map(|(part_of, rows)| (*part_of, Some(*rows)));
    for (part_of, rows) in engines.chain([(CONTENT_WITH_MENDED, None)]) {
        let Some(RunningEngine { name, version: Some(runs), object: Some(object) }) =
            RunningEngine::find(facts, part_of)
        else {
            continue;
        };
        let Some(server) = facts.server else {
            answer.unknown.push("the version of the API server is not known".to_owned());
            continue;
        };
        answer.unknown.extend(outdated_tables(facts));
        answer.unknown.extend(match rows {
            Some(rows) => rows.first().and_then(|newest| unknown_version(name, runs, newest.engine)),
            None => MENDED_UNTIL.last().and_then(|(newest, _)| {
                unknown_version("Kubernetes", server, MinorVersion { major: 1, minor: *newest })
            }),
        });
        if let Some(wanted) =
            rows.map_or_else(|| ended_support(server, today), |rows| unmet_requirement(rows, runs, server))
        {
            let evidence = format!("{name} {runs} runs on Kubernetes {server}; upstream {wanted}");
            answer.found.push(CheckFinding::new(
                Code::KubernetesUnsupported,
                FindingSeverity::Warning,
                object,
                evidence,
            ));
        }
    }
    answer
}

/// Returns the requirement of upstream if the server does not meet it. For an engine newer than the table, the
/// requirement of the newest row is the minimum.
fn unmet_requirement(rows: &[SupportedVersions], runs: MinorVersion, server: MinorVersion) -> Option<String> {
    let newest = rows.first()?;
    let row = match rows.iter().find(|row| row.engine == runs) {
        Some(row) => row,
        None if runs > newest.engine => &SupportedVersions { newest: None, ..*newest },
        None => return None,
    };
    let is_too_old = server < MinorVersion { major: 1, minor: row.oldest };
    let is_too_new = row.newest.is_some_and(|newest| server > MinorVersion { major: 1, minor: newest });
    (is_too_old || is_too_new).then(|| match row.newest {
        Some(newest) => format!("tests it with 1.{} to 1.{newest}", row.oldest),
        None => format!("requires 1.{} or newer", row.oldest),
    })
}

/// Returns the requirement if the server's version has reached its end of life.
fn ended_support(server: MinorVersion, today: Date) -> Option<String> {
    // Versions older than the table ended even earlier.
    let (_, until) = MENDED_UNTIL.iter().find(|(minor, _)| server <= MinorVersion { major: 1, minor: *minor })?;
    (*until < today)
        .then(|| format!("requires a version that Kubernetes still supports, and its support ended by {until}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_supported_until_its_end_date() {
        let unsupported = |minor: u64, today: Date| ended_support(MinorVersion { major: 1, minor }, today);
        let last = date(2026, 6, 28);
        assert_eq!(unsupported(33, last), None);
        let (longest, _) = (date(2025, 7, 15), "what upstream says of the version that lived longer than planned");
        assert!(unsupported(30, longest).is_none() && unsupported(30, longest.tomorrow().unwrap()).is_some());
        let ended = "requires a version that Kubernetes still supports, and its support ended by 2026-06-28";
        assert_eq!(unsupported(33, last.tomorrow().unwrap()).as_deref(), Some(ended));
        assert!(unsupported(19, last).is_some());
        assert_eq!((unsupported(34, last), unsupported(99, date(2099, 1, 1))), (None, None));
    }

    #[test]
    fn servers_outside_the_supported_range_of_an_engine_are_reported() {
        let outside = |part_of: &str, runs: (u64, u64), server: u64| {
            let (_, rows) = SUPPORTED.into_iter().find(|(name, _)| *name == part_of)?;
            super::unmet_requirement(
                rows,
                MinorVersion { major: runs.0, minor: runs.1 },
                MinorVersion { major: 1, minor: server },
            )
        };
        assert_eq!(outside("argocd", (3, 1), 33), None);
        assert_eq!(outside("argocd", (3, 1), 35).as_deref(), Some("tests it with 1.31 to 1.34"));
        assert_eq!(outside("argocd", (3, 5), 32).as_deref(), Some("tests it with 1.33 to 1.36"));
        assert_eq!(outside("flux", (2, 7), 31).as_deref(), Some("requires 1.32 or newer"));
        assert_eq!(outside("flux", (2, 7), 99), None);
        // For an engine newer than the table, only a server that is too old for the newest row is reported.
        assert_eq!((outside("argocd", (3, 9), 40), outside("argocd", (3, 9), 32).is_some()), (None, true));
        // Versions that upstream does not cover.
        assert_eq!((outside("flux", (2, 3), 20), outside("argocd", (2, 9), 36)), (None, None));
    }

    #[test]
    fn tables_begin_with_the_newest_version() {
        assert!(MENDED_UNTIL.is_sorted());
        for (part_of, rows) in SUPPORTED {
            assert!(rows.is_sorted_by(|left, right| left.engine > right.engine), "{part_of}");
        }
    }
}
