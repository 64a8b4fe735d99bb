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
mod kind_names;
mod kustomize_bases;
mod kustomize_charts;
mod kustomize_images;
mod marked;
mod metadata;
mod revision_key;
mod slot_claim;
mod table;
mod tag_key;
mod url_version;
mod version_key;

pub use kind_names::{CHART_FILE, HELMFILE_RELEASE, METADATA};
pub use slot_claim::SlotClaim;
pub(crate) use slot_claim::ValueTyping;

use crate::slot::marker::{Marker, SetterField};
use crate::slot::site::ScalarContext;
use slot_claim::SlotKind;

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
