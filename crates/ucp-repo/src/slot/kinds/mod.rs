//! Kinds of slots: rules that recognize values as versions. A new kind is a file in this directory and a line in
//! [`KINDS`].

mod argo_application;
mod argument;
mod chart_yaml;
mod conventions;
mod crossplane_package;
mod flux_source;
mod flux_substitute;
mod helm_release;
mod helmfile_release;
mod image_reference;
mod image_stream;
mod kustomize_bases;
mod kustomize_charts;
mod kustomize_images;
mod marked;
mod metadata;
mod revision_key;
mod table;
mod tag_key;
mod url_version;
mod version_key;

use std::ops::Range;

use crate::slot::artifact::ArtifactKind;
use crate::slot::marker::{Marker, SetterField};
use crate::slot::site::ScalarContext;
use ucp_core::model::image::ImageVersion;

/// Kind of slot.
#[derive(Debug)]
pub struct SlotKind {
    /// Name of the kind in listings.
    pub name: &'static str,
    /// Returns the claim if a value is of this kind.
    claim: fn(&ScalarContext<'_, '_>) -> Option<SlotClaim>,
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

/// Name of the kind of labels and annotations.
pub const METADATA: &str = "metadata";

/// Name of the kind of versions in `Chart.yaml`.
pub const CHART_FILE: &str = "Chart.yaml";

/// All kinds; the first that claims a value applies, so the most specific ones are first.
pub const KINDS: &[SlotKind] = &[
    kustomize_images::KIND,
    kustomize_charts::KIND,
    kustomize_bases::KIND,
    helm_release::KIND,
    flux_source::KIND,
    argo_application::KIND,
    chart_yaml::KIND,
    crossplane_package::KIND,
    helmfile_release::KIND,
    metadata::KIND,
    image_stream::KIND,
    image_reference::KIND,
    url_version::KIND,
    argument::KIND,
    tag_key::KIND,
    revision_key::KIND,
    flux_substitute::KIND,
    version_key::KIND,
    marked::KIND,
    table::KIND,
];

/// Returns the kind of a value with its claim and marker.
pub(crate) fn claim(site: &ScalarContext<'_, '_>) -> Option<(&'static str, SlotClaim, Option<Marker>)> {
    let text = site.text();
    if text.is_empty() || text.len() > 2048 || !text.chars().any(|character| character.is_ascii_alphanumeric()) {
        return None;
    }
    if crate::slot::sealed::holds_no_versions(site) {
        return None;
    }
    let (kind, mut claim) = KINDS.iter().find_map(|kind| Some((kind, (kind.claim)(site)?)))?;
    let version = &text[claim.range.clone()];
    // A version from a template or a variable is declared elsewhere.
    let filled_in = site.raw().contains("{{") || ["${", "$("].iter().any(|sign| version.contains(sign));
    let marker = site.marker();
    let names_only = matches!(marker, Some(Marker::Flux { field: SetterField::Name, .. }));
    if filled_in || version.is_empty() || names_only {
        return None;
    }
    if let (None, Some(Marker::Renovate { artifact, .. })) = (&claim.artifact, &marker) {
        claim.artifact.clone_from(artifact);
    }
    Some((kind.name, claim, marker))
}

impl SlotClaim {
    /// Claims the whole text as a version.
    fn whole(site: &ScalarContext<'_, '_>, what: ArtifactKind, artifact: Option<&str>) -> Self {
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
    fn part(site: &ScalarContext<'_, '_>, part: crate::slot::version::VersionPart) -> Self {
        Self { range: part.range, ..Self::whole(site, part.what, part.artifact.as_deref()) }
    }

    /// Declares the field as a string, so that a number in it is invalid.
    fn text(mut self) -> Self {
        self.typing = ValueTyping::Text;
        self
    }

    fn named(mut self, name: Option<&str>) -> Self {
        self.name = name.map(str::to_owned);
        self
    }
}
