//! Kinds of slots, and their claims.

use std::ops::Range;

use super::conventions;
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use ucp_core::model::image::ImageVersion;

/// Kind of slot.
#[derive(Debug)]
pub struct SlotKind {
    /// Name of the kind in listings.
    pub name: &'static str,
    /// Returns the claim if a value is of this kind.
    pub(super) claim: fn(&ScalarContext<'_, '_>) -> Option<SlotClaim>,
}

/// Claim of a kind that a value is a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotClaim {
    /// Kind of the artifact.
    pub what: ArtifactKind,
    /// Image, chart, package, or repository, if it is written in the file.
    pub artifact: Option<String>,
    /// Name of the user of the version in the file.
    pub name: Option<String>,
    /// Byte range of the version in the value's text.
    pub range: Range<usize>,
    pub(crate) typing: ValueTyping,
    /// Version of the entry that contains the value, from all of its keys.
    pub(crate) entry: Option<ImageVersion>,
}

/// Type of a version in its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueTyping {
    /// The field is a string: a number without quotes is invalid.
    Text,
    /// A number or boolean remains one.
    Free,
}

impl SlotClaim {
    /// Claims the whole text as a version.
    pub(super) fn whole(site: &ScalarContext<'_, '_>, what: ArtifactKind, artifact: Option<&str>) -> Self {
        Self {
            what,
            artifact: artifact.map(str::to_owned),
            name: None,
            range: conventions::trimmed(site.text()),
            typing: ValueTyping::Free,
            entry: None,
        }
    }

    /// Claims a part of the text as a version.
    pub(super) fn part(site: &ScalarContext<'_, '_>, part: crate::slot::version::VersionPart) -> Self {
        Self { range: part.range, ..Self::whole(site, part.what, part.artifact.as_deref()) }
    }

    /// Declares the field as a string, so that a number in it is invalid.
    pub(super) fn text(mut self) -> Self {
        self.typing = ValueTyping::Text;
        self
    }

    pub(super) fn named(mut self, name: Option<&str>) -> Self {
        self.name = name.map(str::to_owned);
        self
    }
}
