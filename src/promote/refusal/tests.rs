//! Every refusal has a reason and a remedy.

use super::*;
use ucp_repo::gitops::config::RepositoryConfig;

/// Returns one refusal of each variant; a new variant without a line here is a compile error.
fn all() -> Vec<VersionRefusal> {
    let text = |text: &str| text.to_owned();
    let entry = |reason| VersionRefusal::Entry { service: "shop".into(), reason };
    let all = vec![
        VersionRefusal::Older { before: text("v2"), after: text("v1") },
        VersionRefusal::OtherWords { before: text("main-1"), after: text("develop-2") },
        VersionRefusal::Nothing,
        VersionRefusal::Faulty(text("\"a b\" is not an image tag")),
        VersionRefusal::Moving(text("latest")),
        VersionRefusal::Loose { version: text(">=1"), what: "a range of versions" },
        VersionRefusal::NoChartVersion { version: text("x"), before: text("1.0.0") },
        VersionRefusal::Several {
            service: text("shop"),
            environment: text("prod"),
            versions: vec![text("1"), text("2")],
        },
        VersionRefusal::Shared { file: text("a b.yaml"), by: text("dr"), environment: text("dr") },
        entry(PlacementError::Pattern { name: text(".*"), position: 1 }),
        entry(PlacementError::Suffixed { name: text("a"), position: 0 }),
        entry(PlacementError::InPatches { file: text("version.yml") }),
        entry(PlacementError::SeveralEntries),
        entry(PlacementError::SeveralNames(vec![text("a"), text("b")])),
        VersionRefusal::AlsoReaches { service: text("shop"), entry: text("a"), position: 2, other: text("b") },
        VersionRefusal::Decided { by: text("a transformer"), by_file: Some(text("t.yaml")), file: text("k.yaml") },
        VersionRefusal::Decided { by: text("a patch"), by_file: None, file: text("k.yaml") },
        VersionRefusal::Unused { file: text("k.yaml"), artifact: text("r:5000/a") },
        VersionRefusal::Pinned { reason: text("pinned"), path: text("resources[0]") },
        VersionRefusal::Absent { service: text("shop"), environment: text("prod") },
        VersionRefusal::Uneven { service: text("a/b"), from: text("stage"), to: text("prod"), file: text("f.yaml") },
        VersionRefusal::Unnamed { file: text("f.yaml") },
        VersionRefusal::Rule { reason: text("x does not exist"), file: text("/c/{service}.yaml") },
        VersionRefusal::File { service: text("shop"), reason: text("f.yaml: line 3: broken") },
        VersionRefusal::Unverified(text("it is Degraded")),
        VersionRefusal::TooFresh(text("it is new")),
        VersionRefusal::Followed(text("a.yaml:1: aliases")),
        VersionRefusal::Repository { from: text("a:v1"), to: text("b:v1") },
        VersionRefusal::Digest { path: text("image.digest") },
        VersionRefusal::Generated { file: text("a b/out.yaml") },
        VersionRefusal::Encrypted(text("secret.yaml is encrypted")),
    ];
    for refusal in &all {
        match refusal {
            VersionRefusal::Older { .. }
            | VersionRefusal::OtherWords { .. }
            | VersionRefusal::Nothing
            | VersionRefusal::Faulty(_)
            | VersionRefusal::Moving(_) => {}
            VersionRefusal::Loose { .. } | VersionRefusal::NoChartVersion { .. } | VersionRefusal::Several { .. } => {}
            VersionRefusal::Shared { .. } | VersionRefusal::Entry { .. } | VersionRefusal::AlsoReaches { .. } => {}
            VersionRefusal::Decided { .. } | VersionRefusal::Unused { .. } | VersionRefusal::Pinned { .. } => {}
            VersionRefusal::Absent { .. } | VersionRefusal::Uneven { .. } | VersionRefusal::Rule { .. } => {}
            VersionRefusal::File { .. } | VersionRefusal::Unverified(_) | VersionRefusal::TooFresh(_) => {}
            VersionRefusal::Repository { .. } | VersionRefusal::Digest { .. } | VersionRefusal::Unnamed { .. } => {}
            VersionRefusal::Followed(_) | VersionRefusal::Generated { .. } | VersionRefusal::Encrypted(_) => {}
        }
    }
    all
}

#[test]
fn every_refusal_has_a_reason_and_a_remedy() {
    let mut lines = 0;
    for refusal in all() {
        assert!(!refusal.to_string().is_empty());
        let help = refusal.remedy();
        assert!(!help.to_string().is_empty());
        match help.line.as_ref().map(|line| line.text.as_str()) {
            // The line is a configuration.
            Some(line) => {
                let config: RepositoryConfig =
                    serde_saphyr::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_ne!(config, RepositoryConfig::default(), "{line}");
                lines += 1;
            }
            // No configuration allows an older or faulty version.
            None => assert!(
                matches!(
                    refusal,
                    VersionRefusal::Older { .. }
                        | VersionRefusal::OtherWords { .. }
                        | VersionRefusal::Nothing
                        | VersionRefusal::Faulty(_)
                        | VersionRefusal::Moving(_)
                        | VersionRefusal::Loose { .. }
                        | VersionRefusal::NoChartVersion { .. }
                        | VersionRefusal::Unverified(_)
                        | VersionRefusal::TooFresh(_)
                        | VersionRefusal::Followed(_)
                        | VersionRefusal::Encrypted(_)
                        | VersionRefusal::Repository { .. }
                        | VersionRefusal::Digest { .. }
                        | VersionRefusal::Unnamed { .. }
                ),
                "{help}"
            ),
        }
    }
    assert!(lines > 14);
}
