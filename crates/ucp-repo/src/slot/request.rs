//! `NAME=VERSION` for one file, resolved to its slots.

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

use crate::slot::archive::{self, ARCHIVES};
use crate::slot::artifact::{ArtifactKind, normalized_name, short_name};
use crate::slot::file::VersionFile;
use crate::slot::kinds::{CHART_FILE, METADATA};
use crate::slot::layer::ScalarLocation;
use crate::slot::marker::Marker;
use crate::slot::path::ValuePath;
use crate::slot::siblings::is_digest;
use crate::slot::slots::FileSlot;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::nearest::did_you_mean;

/// Argument of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionAssignment {
    /// Target of the version.
    pub target: SlotTarget,
    /// The new version.
    pub version: String,
}

/// Target of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotTarget {
    /// Value at a path.
    Path(ValuePath),
    /// The only slot of this name: an artifact as written, a marker's policy, a release, an object.
    Name(String),
}

/// Reason why no slot is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingSlot {
    /// Nothing has this name or path, with the message.
    None(String),
    /// Several slots; each of them has its own path.
    Several(Vec<FileSlot>),
}

impl FromStr for VersionAssignment {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let equals = split(text).ok_or_else(|| format!("{text:?} contains no version; expected NAME=VERSION"))?;
        let (name, version) = (&text[..equals], &text[equals + 1..]);
        if name.is_empty() || version.is_empty() || version.trim() != version || version.chars().any(char::is_control) {
            return fail!("{text:?} is invalid; expected NAME=VERSION");
        }
        let target = match name.starts_with('.') {
            true => SlotTarget::Path(ValuePath::parse(name)?),
            false => SlotTarget::Name(name.to_owned()),
        };
        Ok(Self { target, version: version.to_owned() })
    }
}

/// Returns the position of the `=`, ignoring those inside of `["…"]`.
fn split(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    let path = text.starts_with('.');
    text.bytes().position(|byte| {
        let ends = byte == b'=' && !quoted;
        if path {
            quoted ^= byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
        }
        ends
    })
}

impl VersionAssignment {
    /// Returns the path of its target, if it is one, without the index of a document.
    pub fn path(&self) -> Option<String> {
        match &self.target {
            SlotTarget::Path(path) => Some(path.clone().without_numbers().to_string()),
            SlotTarget::Name(_) => None,
        }
    }
}

impl std::fmt::Display for SlotTarget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => write!(formatter, ".{path}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

/// Slots that a target refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundSlot {
    /// One value.
    One(Box<FileSlot>),
    /// A tag, and the digest beside it that pins it.
    Pinned {
        /// Slot of the tag.
        tag: Box<FileSlot>,
        /// Slot of the digest, which has precedence over the tag.
        digest: Box<FileSlot>,
    },
    /// Several places of one artifact in one document, with the same version.
    Repeated(Vec<FileSlot>),
}

/// The first tier of names that only locate a slot: those before it are of artifacts.
const LOCATED: usize = 3;

/// The tier of the last parts of artifacts, which is searched last.
const SHORT: usize = 5;

/// Slots of a file by all of their names.
#[derive(Debug)]
pub struct SlotNames<'a> {
    file: &'a VersionFile,
    slots: &'a [FileSlot],
    places: HashMap<&'a ScalarLocation, usize>,
    /// Most specific names first: a name in an earlier tier is not searched in later ones.
    tiers: [HashMap<&'a str, Vec<usize>>; SHORT + 1],
}

impl<'a> SlotNames<'a> {
    /// Indexes the slots of a file.
    pub fn new(file: &'a VersionFile, slots: &'a [FileSlot]) -> Self {
        let mut tiers: [HashMap<&'a str, Vec<usize>>; SHORT + 1] = Default::default();
        // A label repeats a version, and is set by its path.
        for (index, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.by != METADATA) {
            let artifact = slot.artifact.as_deref();
            let policy = match &slot.marker {
                Some(Marker::Flux { policy, .. }) => Some(policy.as_str()),
                _ => None,
            };
            let singles = [artifact, policy, artifact.map(normalized_name), None, None, artifact.map(short_name)];
            for (tier, name) in singles.into_iter().enumerate() {
                tiers[tier].entry(name.unwrap_or_default()).or_default().push(index);
            }
            let beside = slot.beside.iter().map(|name| (3, name.as_str()));
            let own = [slot.name.as_deref(), slot.path.key()].into_iter().flatten().map(|name| (4, name));
            for (tier, name) in beside.chain(own) {
                let places = tiers[tier].entry(name).or_default();
                if places.last() != Some(&index) {
                    places.push(index);
                }
            }
        }
        let places = slots.iter().enumerate().map(|(index, slot)| (&slot.place, index)).collect();
        Self { file, slots, places, tiers }
    }

    /// Finds the slots of a target. `likeness` returns the number of leading numbers that the version of a slot has in common
    /// with the new one, and `None` for slots that cannot have it: a chart and an image with one name are told apart by
    /// the form of their versions.
    ///
    /// # Errors
    /// Fails when there are none, or several.
    pub fn find(
        &self,
        target: &SlotTarget,
        likeness: &dyn Fn(&FileSlot) -> Option<usize>,
    ) -> Result<FoundSlot, MissingSlot> {
        let fits = |slot: &FileSlot| likeness(slot).is_some();
        let name = match target {
            SlotTarget::Path(path) => {
                let known = |place: &ScalarLocation| self.places.get(place).map(|index| self.slots[*index].clone());
                let slot = self.file.slot_at(path, known).map_err(|failure| MissingSlot::None(failure.into()))?;
                return Ok(FoundSlot::One(Box::new(slot)));
            }
            SlotTarget::Name(name) => name,
        };
        let tiers: Vec<Vec<&FileSlot>> = self
            .tiers
            .iter()
            .enumerate()
            .map(|(tier, names)| {
                let name = if tier == 2 { normalized_name(name) } else { name };
                names.get(name).into_iter().flatten().map(|index| &self.slots[*index]).collect()
            })
            .collect();
        let first = tiers.iter().position(|found| !found.is_empty());
        let fitting =
            tiers.iter().position(|found| found.iter().any(|slot| fits(slot))).filter(|tier| Some(*tier) != first);
        let found: Vec<&FileSlot> = match (first, fitting) {
            (None, _) => Vec::new(),
            (Some(first), None) => {
                let named = &tiers[first];
                // An image whose name ends with that of a chart may be meant if its version is nearer; with that of a
                // release, if it is as near.
                let nearest = named.iter().filter_map(|slot| likeness(slot)).max();
                let may_be_meant = |near: usize| Some(near) > nearest || first >= LOCATED && Some(near) == nearest;
                let is_rival = |slot: &&FileSlot| {
                    likeness(slot).is_some_and(may_be_meant) && named.iter().all(|one| one.what != slot.what)
                };
                named.iter().copied().chain(tiers[SHORT].iter().copied().filter(is_rival)).collect()
            }
            (Some(_), Some(SHORT)) => tiers[SHORT].iter().copied().filter(|slot| fits(slot)).collect(),
            (Some(first), Some(other)) => tiers[first].iter().chain(&tiers[other]).copied().collect(),
        };
        match found.as_slice() {
            [] => {}
            [slot] => return Ok(self.with_digest(slot)),
            several => {
                if let Some(slot) = application(several, likeness) {
                    return Ok(FoundSlot::One(Box::new(slot.clone())));
                }
                let all = || several.iter().map(|slot| (*slot).clone()).collect();
                let found = pinned(several).or_else(|| is_repeated(several).then(|| FoundSlot::Repeated(all())));
                return found.ok_or_else(|| MissingSlot::Several(all()));
            }
        }
        let mut written = self.file.values_with_prefix(name);
        match (written.pop(), written.is_empty()) {
            (Some(slot), true) => Ok(FoundSlot::One(Box::new(slot))),
            (None, _) => Err(MissingSlot::None(self.not_found_reason(name))),
            (Some(last), false) => {
                written.push(last);
                Err(MissingSlot::Several(written))
            }
        }
    }

    /// Returns a slot with the digest that has precedence over it.
    pub fn with_digest(&self, tag: &FileSlot) -> FoundSlot {
        let is_its_digest = |slot: &&FileSlot| {
            slot.mapping() == tag.mapping()
                && match &tag.digest_beside {
                    Some(path) => slot.path.clone().without_numbers().to_string() == *path,
                    // The entry of a kustomization.
                    None => tag.entry.is_some() && is_digest(&slot.version) && !is_digest(&tag.version),
                }
        };
        let tag_alone = FoundSlot::One(Box::new(tag.clone()));
        self.slots.iter().find(is_its_digest).map_or(tag_alone, |digest| FoundSlot::Pinned {
            tag: Box::new(tag.clone()),
            digest: Box::new(digest.clone()),
        })
    }

    fn not_found_reason(&self, name: &str) -> String {
        let known = self.tiers.iter().flat_map(HashMap::keys).copied().filter(|known| !known.is_empty());
        let known: BTreeSet<&str> = known.collect();
        format!("{} has no version of {name}{}", self.file.name, did_you_mean(name, known))
    }
}

/// Returns the version of the application of a chart, if the new version continues it rather than the chart's own version.
fn application<'s>(found: &[&'s FileSlot], likeness: &dyn Fn(&FileSlot) -> Option<usize>) -> Option<&'s FileSlot> {
    let own = |key: &str| {
        let is_own =
            |slot: &&&FileSlot| slot.by == CHART_FILE && slot.path.steps.len() == 1 && slot.path.key() == Some(key);
        found.iter().find(is_own).copied()
    };
    let (application, chart) = (own("appVersion")?, own("version")?);
    (found.len() == 2 && likeness(application) > likeness(chart)).then_some(application)
}

/// Returns true if all slots are places of one artifact in one document, with the same version and no digest beside it.
fn is_repeated(found: &[&FileSlot]) -> bool {
    // A chart that is used twice is two releases.
    let is_plain = |slot: &FileSlot| {
        let is_alone = slot.entry.is_none() && slot.digest_beside.is_none();
        slot.artifact.is_some() && slot.what != ArtifactKind::Chart && is_alone
    };
    let thing = |slot: &FileSlot| {
        (slot.what, slot.artifact.clone(), slot.version.clone(), slot.place.layer, slot.place.document)
    };
    found.iter().all(|slot| is_plain(slot)) && found.windows(2).all(|pair| thing(pair[0]) == thing(pair[1]))
}

/// Pairs a tag and a digest of one mapping.
fn pinned(found: &[&FileSlot]) -> Option<FoundSlot> {
    let [first, second] = found else { return None };
    let around = |slot: &FileSlot| {
        let route = &slot.place.route;
        (slot.place.layer, slot.place.document, route[..route.len().saturating_sub(1)].to_vec())
    };
    if around(first) != around(second) {
        return None;
    }
    let is_digest = |slot: &FileSlot| is_digest(&slot.version);
    let (tag, digest) = match (is_digest(first), is_digest(second)) {
        (false, true) => (first, second),
        (true, false) => (second, first),
        _ => return None,
    };
    Some(FoundSlot::Pinned { tag: Box::new((*tag).clone()), digest: Box::new((*digest).clone()) })
}

/// Returns the version in the form that a slot requires: a prefix or archive extension around the version in a URL's
/// segment is not repeated, nor is the image of a reference that is given completely.
pub fn fit_version<'a>(slot: &FileSlot, version: &'a str) -> &'a str {
    let own = slot.artifact.as_deref().filter(|_| slot.what == ArtifactKind::Image);
    if let Some(rest) = own.and_then(|own| version.strip_prefix(own)).and_then(|rest| rest.strip_prefix([':', '@'])) {
        return rest;
    }
    if version.contains('/') {
        return version;
    }
    let (before, after) = (&slot.value[..slot.range.start], &slot.value[slot.range.end..]);
    let ending = ARCHIVES.iter().find(|ending| after.starts_with(*ending));
    let version = ending.and_then(|ending| version.strip_suffix(ending)).unwrap_or(version);
    let is_path = before.contains("://") || archive::is_path_with_version(&slot.value);
    let name = before.rsplit('/').next().filter(|name| !name.is_empty() && is_path);
    name.and_then(|name| version.strip_prefix(name)).unwrap_or(version)
}

impl MissingSlot {
    /// Returns the reason as a phrase.
    pub fn reason(&self, target: &SlotTarget) -> String {
        match self {
            Self::None(reason) => reason.clone(),
            Self::Several(slots) => {
                let places: Vec<String> =
                    slots.iter().map(|slot| format!(".{} (line {})", slot.path, slot.line)).collect();
                format!("{target} is found in several places: {}", places.join(", "))
            }
        }
    }
}
