//! The rules for version changes.

use crate::promote::refusal::VersionRefusal;
use ucp_core::model::image::ImageVersion;
use ucp_repo::gitops::catalog::likeness::has_same_words;
use ucp_repo::gitops::order::{Direction, direction};
use ucp_repo::slot::FileSlot;
use ucp_repo::slot::artifact::ArtifactKind;
use ucp_repo::slot::siblings::is_bare_digest;
use ucp_repo::slot::version::{is_constraint, is_moving};

/// The rule for replacing a version with an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Downgrades {
    /// Downgrades are refused.
    Refused,
    /// Downgrades are allowed: `--allow-downgrade`.
    Allowed,
}

/// The rule for writing a mutable tag, such as `latest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutableTags {
    /// Refused: the tag may refer to different images in two environments.
    Refused,
    /// Written with a warning, because the user specified it.
    Warned,
}

/// The rules of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Set by `--allow-downgrade`.
    pub downgrades: Downgrades,
    /// Depends on the command.
    pub mutable_tags: MutableTags,
}

/// The result of judging a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeJudgement {
    /// The direction of the change.
    pub direction: Direction,
    /// The warning to show, if any.
    pub warning: Option<String>,
}

impl Policy {
    /// The rules of commands that write nothing.
    pub const STRICT: Self = Self { downgrades: Downgrades::Refused, mutable_tags: MutableTags::Refused };

    /// Judges a change of an image version.
    ///
    /// # Errors
    /// Fails with the reason to refuse the change.
    pub fn judge(self, before: &ImageVersion, after: &ImageVersion) -> Result<ChangeJudgement, VersionRefusal> {
        if after.is_empty() {
            return Err(VersionRefusal::Nothing);
        }
        if let Some(fault) = after.fault() {
            return Err(VersionRefusal::Faulty(fault));
        }
        if let Some(tag) = after.tag.as_deref().filter(|tag| is_bare_digest(tag) && before.digest.is_some()) {
            let reason = format!("{tag} is a digest without its algorithm, and would become a tag");
            return Err(VersionRefusal::Faulty(reason));
        }
        let direction = direction(before, after);
        if direction == Direction::Downgrade && self.downgrades == Downgrades::Refused {
            return Err(VersionRefusal::Older { before: before.to_string(), after: after.to_string() });
        }
        self.check_words(&before.to_string(), &after.to_string())?;
        let warning = match (after.mutable_tag(), self.mutable_tags) {
            (Some(tag), MutableTags::Refused) => {
                return Err(VersionRefusal::Moving(tag.to_owned()));
            }
            (Some(tag), MutableTags::Warned) => {
                Some(format!("{tag} is a mutable tag: the image behind it can change without a commit"))
            }
            (None, _) => None,
        };
        Ok(ChangeJudgement { direction, warning })
    }
}

impl Policy {
    /// Checks that a promoted version is of the same line of releases: `main-2` does not follow `develop-1`, nor `1.2.4` an
    /// approved `1.2.3-approved`. What the user specified is written.
    fn check_words(self, before: &str, after: &str) -> Result<(), VersionRefusal> {
        match self.mutable_tags == MutableTags::Warned || has_same_words(before, after) {
            true => Ok(()),
            false => Err(VersionRefusal::OtherWords { before: before.to_owned(), after: after.to_owned() }),
        }
    }

    /// Judges a change of any slot.
    ///
    /// # Errors
    /// Fails like [`Policy::judge`].
    pub fn judge_slot(self, slot: &FileSlot, after: &str) -> Result<ChangeJudgement, VersionRefusal> {
        let (before, wanted) = (ImageVersion::parse(&slot.version), ImageVersion::parse(after));
        if slot.what == ArtifactKind::Image && !is_constraint(after) && !is_constraint(&slot.version) {
            return self.judge(&before, &wanted);
        }
        if slot.what == ArtifactKind::Chart && is_chart_version(&slot.version) && !is_chart_version(after) {
            return Err(VersionRefusal::NoChartVersion { version: after.to_owned(), before: slot.version.clone() });
        }
        if slot.what == ArtifactKind::Git && after.starts_with('=') && !is_constraint(&slot.version) {
            return Err(VersionRefusal::Faulty(format!("{after} is not the name of a Git reference")));
        }
        let before_version = slot.value.split(slot.version.as_str()).next().unwrap_or_default();
        if after.contains('/') && before_version.contains("://") && !before_version.contains('?') {
            return Err(VersionRefusal::Faulty(format!(
                "{after} is not the version in a URL, but a part of another one"
            )));
        }
        let direction = direction(&before, &wanted);
        if direction == Direction::Downgrade && self.downgrades == Downgrades::Refused {
            return Err(VersionRefusal::Older { before: slot.version.clone(), after: after.to_owned() });
        }
        self.check_words(&slot.version, after)?;
        let loose = if is_constraint(after) {
            Some("a range of versions: the selected version can change without a commit")
        } else if is_moving(after) {
            Some("a mutable name: the version behind it can change without a commit")
        } else {
            None
        };
        match (loose, self.mutable_tags) {
            (Some(what), MutableTags::Refused) => Err(VersionRefusal::Loose { version: after.to_owned(), what }),
            (loose, _) => Ok(ChangeJudgement { direction, warning: loose.map(|loose| format!("{after} is {loose}")) }),
        }
    }
}

/// Returns a warning if a controller also writes the version.
pub fn owner_warning(name: &str, slot: &FileSlot) -> Option<String> {
    let marker = slot.marker.as_ref()?;
    Some(format!("{name}: according to a comment, {marker} owns this version and may change it"))
}

/// Returns true if a text is a chart version, which is a semantic version, or a range of versions.
fn is_chart_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or(text);
    let is_number = || {
        number.starts_with(|character: char| character.is_ascii_digit())
            && number.chars().all(|character| character.is_ascii_alphanumeric() || ".-+_".contains(character))
    };
    is_constraint(text) || is_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_and_moving_versions_are_refused() {
        let strict = Policy::STRICT;
        let lenient = Policy { downgrades: Downgrades::Allowed, mutable_tags: MutableTags::Warned };
        let judge = |policy: Policy, before: &str, after: &str| {
            policy.judge(&ImageVersion::tag(before), &ImageVersion::tag(after))
        };
        assert_eq!(judge(strict, "v1", "v2").unwrap().direction, Direction::Upgrade);
        assert!(judge(strict, "v2", "v1").unwrap_err().remedy().advice.contains("--allow-downgrade"));
        assert_eq!(judge(lenient, "v2", "v1").unwrap().direction, Direction::Downgrade);
        for (before, after) in [("main-186", "develop-187"), ("0.14.3", "staging-284"), ("1.2.3-approved", "1.2.4")] {
            assert!(matches!(judge(strict, before, after), Err(VersionRefusal::OtherWords { .. })), "{before} {after}");
            assert!(judge(lenient, before, after).is_ok(), "{before} {after}");
        }
        for (before, after) in [
            ("v1.2.3", "v1.3.0-rc.1"),
            ("main-6f73dad6-20260708", "main-cc4fb501-20260721"),
            ("latest", "v1.0.0"),
            ("1.25-alpine3.18", "1.26-alpine3.19"),
            ("", "v1.0.0"),
        ] {
            assert!(judge(strict, before, after).is_ok(), "{before} {after}");
        }
        assert!(judge(strict, "v1", "latest").unwrap_err().remedy().advice.contains("digest"));
        assert!(judge(lenient, "v1", "latest").unwrap().warning.is_some());
        assert!(judge(lenient, "v1", "a b").is_err());
        assert!(lenient.judge(&ImageVersion::tag("v1"), &ImageVersion::default()).is_err());
    }

    #[test]
    fn a_digest_needs_its_algorithm() {
        let before = ImageVersion::parse(&format!("main@sha256:{}", "0a".repeat(32)));
        let bare = "1b".repeat(32);
        let judge = |after: &str| Policy::STRICT.judge(&before, &ImageVersion::parse(after));
        assert!(matches!(judge(&bare), Err(VersionRefusal::Faulty(_))));
        assert!(judge(&format!("sha256:{bare}")).is_ok());
        assert!(Policy::STRICT.judge(&ImageVersion::tag("0a".repeat(32)), &ImageVersion::tag(bare)).is_ok());
    }
}
