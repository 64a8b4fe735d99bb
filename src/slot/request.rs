//! `NAME=VERSION` for one file: which of its slots is meant.

use std::str::FromStr;

use crate::slot::artifact::{normalized, short};
use crate::slot::file::File;
use crate::slot::marker::Marker;
use crate::slot::path::Path;
use crate::slot::slots::FileSlot;
use crate::slot::version::ARCHIVES;

/// One argument of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// What gets the version.
    pub target: Target,
    /// The version that it shall have.
    pub version: String,
}

/// What gets a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The value at a path.
    Path(Path),
    /// The one slot of this name: an artifact as written, a marker's policy, a release, an object.
    Name(String),
}

/// Why no slot is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Nothing of that name, or nothing at that path.
    None(String),
    /// Several places; each of them has a path of its own.
    Several(Vec<FileSlot>),
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let equals = split(text).ok_or_else(|| format!("{text:?} names no version; expected NAME=VERSION"))?;
        let (name, version) = (&text[..equals], &text[equals + 1..]);
        if name.is_empty() || version.is_empty() || version.trim() != version || version.chars().any(char::is_control) {
            return Err(format!("{text:?} makes no sense; expected NAME=VERSION"));
        }
        let target = match name.starts_with('.') {
            true => Target::Path(Path::parse(name)?),
            false => Target::Name(name.to_owned()),
        };
        Ok(Self { target, version: version.to_owned() })
    }
}

/// The place of the `=`, which is not one inside of `["…"]`.
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

impl std::fmt::Display for Target {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => write!(formatter, ".{path}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

impl Target {
    /// The slot that is meant.
    ///
    /// # Errors
    /// Where there is none, or more than one.
    pub fn find(&self, file: &File, slots: &[FileSlot]) -> Result<FileSlot, Missing> {
        let name = match self {
            Self::Path(path) => return file.at(path, slots).map_err(Missing::None),
            Self::Name(name) => name,
        };
        let tests: [&dyn Fn(&FileSlot) -> bool; 6] = [
            &|slot| slot.artifact.as_deref() == Some(name),
            &|slot| matches!(&slot.marker, Some(Marker::Flux { policy, .. }) if policy == name),
            &|slot| slot.beside.contains(name),
            &|slot| slot.artifact.as_deref().map(normalized) == Some(normalized(name)),
            &|slot| slot.name.as_ref() == Some(name) || slot.path.key() == Some(name),
            &|slot| slot.artifact.as_deref().map(short) == Some(name),
        ];
        for test in tests {
            let found: Vec<&FileSlot> = slots.iter().filter(|slot| test(slot)).collect();
            match found.as_slice() {
                [] => {}
                [slot] => return Ok((*slot).clone()),
                several => return Err(Missing::Several(several.iter().map(|slot| (*slot).clone()).collect())),
            }
        }
        let written: Vec<FileSlot> = file.written_before(name);
        match written.as_slice() {
            [slot] => Ok(slot.clone()),
            [] => Err(Missing::None(format!("{} has no version of {name}", file.name))),
            _ => Err(Missing::Several(written)),
        }
    }
}

/// The version as it is to be written into a slot: what stands around the version in a URL's segment, a name in front or an
/// archive's ending, is not written twice.
pub fn fitted<'a>(slot: &FileSlot, version: &'a str) -> &'a str {
    let (before, after) = (&slot.value[..slot.range.start], &slot.value[slot.range.end..]);
    let ending = ARCHIVES.iter().find(|ending| after.starts_with(*ending));
    let version = ending.and_then(|ending| version.strip_suffix(ending)).unwrap_or(version);
    let name = before.rsplit('/').next().filter(|name| !name.is_empty() && before.contains("://"));
    name.and_then(|name| version.strip_prefix(name)).unwrap_or(version)
}

impl Missing {
    /// The reason, as a phrase.
    pub fn reason(&self, target: &Target) -> String {
        match self {
            Self::None(reason) => reason.clone(),
            Self::Several(slots) => {
                let places: Vec<String> =
                    slots.iter().map(|slot| format!(".{} (line {})", slot.path, slot.line)).collect();
                format!("{target} stands at several places: {}", places.join(", "))
            }
        }
    }
}
