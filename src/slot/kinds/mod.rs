//! The kinds of slots: by what a value is known to be a version. A new kind is a file here and a line in [`KINDS`].

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

use crate::model::image::Version;
use crate::slot::artifact::What;
use crate::slot::marker::{Marker, SetterField};
use crate::slot::site::Site;

/// One kind of slot.
#[derive(Debug)]
pub struct Kind {
    /// What the kind is called in listings.
    pub name: &'static str,
    /// Says whether a value is of this kind.
    claim: fn(&Site<'_, '_>) -> Option<Claim>,
}

/// What a kind says of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What sort of thing the version is of.
    pub what: What,
    /// The image, chart, package or repository, where it is written.
    pub artifact: Option<String>,
    /// What the file calls that which uses the version.
    pub name: Option<String>,
    /// The bytes of the version in the value's text.
    pub range: Range<usize>,
    pub(crate) typing: Typing,
    /// The version of the entry that the value is a part of, under all of its keys.
    pub(crate) entry: Option<Version>,
}

/// Whether a number may stand where a version is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Typing {
    /// The field is text: a number without quotes is a mistake there.
    Text,
    /// What was a number or a truth value stays one.
    Free,
}

/// Every kind; the first that claims a value has it, so that those that know most stand first.
pub const KINDS: &[Kind] = &[
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

/// The kind that a value is of, and what it says.
pub(crate) fn claim(site: &Site<'_, '_>) -> Option<(&'static str, Claim, Option<Marker>)> {
    let text = site.text();
    if text.is_empty() || text.len() > 2048 || !text.chars().any(|character| character.is_ascii_alphanumeric()) {
        return None;
    }
    if crate::slot::sealed::holds_no_versions(site) {
        return None;
    }
    let (kind, mut claim) = KINDS.iter().find_map(|kind| Some((kind, (kind.claim)(site)?)))?;
    let version = &text[claim.range.clone()];
    // What a template or a variable fills in is declared somewhere else.
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

impl Claim {
    /// The whole text is a version of this.
    fn whole(site: &Site<'_, '_>, what: What, artifact: Option<&str>) -> Self {
        Self {
            what,
            artifact: artifact.map(str::to_owned),
            name: None,
            range: conventions::trimmed(site.text()),
            typing: Typing::Free,
            entry: None,
        }
    }

    /// A part of the text is the version.
    fn part(site: &Site<'_, '_>, part: crate::slot::version::Part) -> Self {
        Self { range: part.range, ..Self::whole(site, part.what, part.artifact.as_deref()) }
    }

    /// The field is text, so that a number in it is a mistake.
    fn text(mut self) -> Self {
        self.typing = Typing::Text;
        self
    }

    fn named(mut self, name: Option<&str>) -> Self {
        self.name = name.map(str::to_owned);
        self
    }
}
