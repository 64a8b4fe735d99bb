//! The kinds of slots: by what a value is known to be a version. A new kind is a file here and a line in [`KINDS`].

mod conventions;
mod image_reference;
mod kustomize_images;
mod tag_key;
mod url_version;
mod version_key;

use std::ops::Range;

use crate::slot::artifact::What;
use crate::slot::edit::Typing;
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
}

/// Every kind; the first that claims a value has it, so that those that know most stand first.
pub const KINDS: &[Kind] =
    &[kustomize_images::KIND, image_reference::KIND, url_version::KIND, tag_key::KIND, version_key::KIND];

/// The kind that a value is of, and what it says.
pub(crate) fn claim(site: &Site<'_, '_>) -> Option<(&'static str, Claim)> {
    let text = site.text();
    if text.is_empty() || text.len() > 2048 || !text.chars().any(|character| character.is_ascii_alphanumeric()) {
        return None;
    }
    let (kind, claim) = KINDS.iter().find_map(|kind| Some((kind, (kind.claim)(site)?)))?;
    let version = &text[claim.range.clone()];
    // What a template or a variable fills in is declared somewhere else.
    let filled_in = site.raw().contains("{{") || ["${", "$("].iter().any(|sign| version.contains(sign));
    (!filled_in && !version.is_empty()).then_some((kind.name, claim))
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
        }
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
