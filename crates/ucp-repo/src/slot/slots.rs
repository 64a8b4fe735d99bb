//! Slots of one file, and edits of them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::slot::archive;
use crate::slot::artifact::{ArtifactKind, without_credentials};
use crate::slot::file::VersionFile;
use crate::slot::kinds::{self, SlotClaim, ValueTyping};
use crate::slot::layer::{ScalarLocation, scalar_text};
use crate::slot::marker::Marker;
use crate::slot::path::{PathStep, ValuePath};
use crate::slot::sealed;
use crate::slot::siblings;
use crate::slot::site::{ObjectIdentity, ScalarContext};
use crate::slot::version::{self, VersionPart};
use crate::yaml::YamlError;
use crate::yaml::tree::NodeContent;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::ImageVersion;

/// Slot: a value, or part of it, that is a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSlot {
    /// Path of the value.
    pub path: ValuePath,
    /// Kind of the artifact.
    pub what: ArtifactKind,
    /// Image, chart, package, or repository, if the file names it.
    pub artifact: Option<String>,
    /// Name of the user of the version in the file: a release, an object, a container.
    pub name: Option<String>,
    /// The version, as written.
    pub version: String,
    /// The whole value that contains the version.
    pub value: String,
    /// Line, counted from one.
    pub line: usize,
    /// Name of the kind that recognized the slot.
    pub by: &'static str,
    /// Marker comment with the artifact, or with the program that updates the version.
    pub marker: Option<Marker>,
    /// Names beside the version: charts, repositories, releases.
    pub beside: Vec<String>,
    /// Names of the list items that contain the value, outermost first; `None` for an item without a name.
    pub items: Vec<Option<String>>,
    /// The object that contains the value, if the document is one.
    pub object: Option<ObjectIdentity>,
    /// Version of the containing entry from all of its keys, if it may have several: tag and digest.
    pub entry: Option<ImageVersion>,
    /// Path of the digest beside a tag, which has precedence over the tag.
    pub digest_beside: Option<String>,
    /// Registries and repositories beside the version, by key.
    pub origins: Vec<(&'static str, String)>,
    /// Location of the value in the parsed file.
    pub place: ScalarLocation,
    pub(crate) range: Range<usize>,
    pub(crate) typing: ValueTyping,
}

/// Keys of names beside a version.
const NAMES: [&str; 13] = [
    "name",
    "newName",
    "chart",
    "repository",
    "repo",
    "repoURL",
    "url",
    "image",
    "package",
    "source",
    "releaseName",
    "alias",
    "git",
];

/// Precision with which a version determines the deployed artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionPrecision {
    /// A single version.
    Exact,
    /// A range, from which an engine selects.
    Constraint,
    /// A branch or a moving tag.
    Moving,
}

impl FileSlot {
    /// Returns true if no version or name has a control character. None can be deployed with one, and a line break could
    /// pass for a line of our output.
    pub fn is_on_one_line(&self) -> bool {
        let names = [&self.artifact, &self.name].into_iter().flatten().chain(self.items.iter().flatten());
        let object = self.object.iter().map(|object| &object.name);
        !names.chain(object).chain([&self.version]).any(|text| text.contains(char::is_control))
    }

    /// Returns the artifact that Renovate looks up for the version, by a comment.
    pub fn looked_up(&self) -> Option<&str> {
        match &self.marker {
            Some(Marker::Renovate { artifact, .. }) => artifact.as_deref(),
            _ => None,
        }
    }

    /// Returns the precision of the version.
    pub fn precision(&self) -> VersionPrecision {
        if version::is_constraint(&self.version) {
            VersionPrecision::Constraint
        } else if version::is_moving(&self.version) || self.path.key() == Some("branch") {
            VersionPrecision::Moving
        } else {
            VersionPrecision::Exact
        }
    }
}

/// Returns the slots of a file, in the order of its text; empty if the format is not known.
///
/// # Errors
/// Fails when the content does not match the format of the file name.
pub fn slots_in(name: &str, text: &str) -> Result<Vec<FileSlot>, YamlError> {
    Ok(VersionFile::read(name, text)?.map(|file| file.slots()).unwrap_or_default())
}

impl VersionFile {
    /// Returns the slots of the file, in the order of its text.
    pub fn slots(&self) -> Vec<FileSlot> {
        let mut slots = Vec::new();
        // A path has no document index if no other document has the same path.
        let mut paths: HashMap<ValuePath, usize> = HashMap::new();
        let numbered = self.layers.iter().any(|layer| layer.documents.len() > 1);
        self.each_value(|site| {
            if numbered {
                *paths.entry(site.path().without_numbers()).or_default() += 1;
            }
            if let Some((by, claim, marker)) = kinds::claim(site) {
                slots.push(slot(site, by, claim, marker));
            }
        });
        for slot in &mut slots {
            let short = slot.path.clone().without_numbers();
            if !numbered || paths.get(&short) == Some(&1) {
                slot.path = short;
            }
        }
        slots.sort_by_key(|slot| slot.line);
        slots
    }

    /// Returns the slot at a path: the one that `known` returns, or else any value.
    ///
    /// # Errors
    /// Fails when the path has no value or several, or a value that contains no recognizable version.
    pub(crate) fn slot_at(
        &self,
        path: &ValuePath,
        known: impl Fn(&ScalarLocation) -> Option<FileSlot>,
    ) -> Result<FileSlot, Failure> {
        let places = self.find(path);
        let place = match places.as_slice() {
            [] => return fail!("{} has no value at .{path}", self.name),
            [place] => place,
            several => {
                let documents: Vec<String> = several
                    .iter()
                    .map(|place| format!(".#{}.{}", place.document, path.clone().without_numbers()))
                    .collect();
                return fail!("several documents have that path: {}", documents.join(", "));
            }
        };
        known(place).map_or_else(|| self.any_value(path.clone(), place), Ok)
    }

    /// Returns values that start with this name and continue with a possible version, and that no kind recognizes.
    pub(crate) fn values_with_prefix(&self, name: &str) -> Vec<FileSlot> {
        let mut found = Vec::new();
        self.each_value(|site| {
            let Some(rest) = site.text().strip_prefix(name).filter(|rest| rest.len() > 1) else { return };
            let start = match rest.as_bytes()[0] {
                b':' | b'=' | b'@' if !rest.starts_with("://") => 1,
                b'/' => rest.len() - rest.trim_start_matches('/').len(),
                _ => return,
            };
            let segment = rest[start..].split('/').next().unwrap_or_default();
            let numbered = archive::is_numbered(segment);
            if segment.is_empty() || segment.contains(char::is_whitespace) || (rest.starts_with('/') && !numbered) {
                return;
            }
            let Ok(slot) = self.any_value(site.path(), &site.place()) else { return };
            let start = name.len() + start;
            let range = start..start + segment.len();
            found.push(FileSlot { version: segment.to_owned(), artifact: Some(name.to_owned()), range, ..slot });
        });
        found
    }

    /// Creates a slot for a value of which only the path is known.
    fn any_value(&self, path: ValuePath, place: &ScalarLocation) -> Result<FileSlot, Failure> {
        let node = self.node(place).ok_or("the value no longer exists")?;
        let Some(text) = scalar_text(node) else {
            return fail!("line {}: .{path} is an alias (*) of a value elsewhere in the file", node.line);
        };
        let first = path.steps.iter().find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) | PathStep::Embedded(_) => None,
        });
        if sealed::is_metadata(first) {
            return fail!("line {}: .{path} is metadata of SOPS, which only SOPS writes", node.line);
        }
        let layer = &self.layers[place.layer];
        if layer.text[node.span.clone()].contains("{{") {
            return fail!("line {}: .{path} is an expression of a template", node.line);
        }
        let in_path = || archive::version_in_path(text).filter(|_| !archive::names_revision(path.key()));
        let part = version::embedded_version(text)
            .or_else(|| Some(VersionPart { artifact: None, what: ArtifactKind::Package, range: in_path()? }));
        let whole = text.len() - text.trim_start().len()..text.trim_end().len();
        let range = part.as_ref().map_or(whole, |part| part.range.clone());
        Ok(FileSlot {
            path,
            what: part.as_ref().map_or(ArtifactKind::Package, |part| part.what),
            artifact: part.and_then(|part| part.artifact).map(without_credentials),
            name: None,
            version: text[range.clone()].to_owned(),
            value: text.to_owned(),
            line: self.line(place.layer, node.span.start, node.line),
            by: "path",
            marker: layer.marker(&node.span),
            beside: Vec::new(),
            items: Vec::new(),
            object: None,
            entry: None,
            digest_beside: None,
            origins: Vec::new(),
            place: place.clone(),
            range,
            typing: ValueTyping::Free,
        })
    }

    /// Returns the lines at which these routes end.
    pub(crate) fn lines<'w>(
        &self,
        place: &ScalarLocation,
        ways: impl Iterator<Item = &'w Vec<usize>>,
    ) -> BTreeSet<usize> {
        let ScalarLocation { layer, document, .. } = place;
        let Some(root) = self.layers.get(*layer).and_then(|layer| layer.documents.get(*document)) else {
            return BTreeSet::new();
        };
        // An alias has no children; it is the last node of the route.
        let line = |way: &Vec<usize>| {
            let mut node = root;
            for index in way {
                node = match &node.content {
                    NodeContent::Mapping(entries, _) => entries.get(*index).map_or(node, |(_, value)| value),
                    NodeContent::Sequence(items, _) => items.get(*index).unwrap_or(node),
                    NodeContent::Scalar(..) | NodeContent::Alias(_) => break,
                };
            }
            self.line(*layer, node.span.start, node.line)
        };
        ways.map(line).collect()
    }
}

fn slot(site: &ScalarContext<'_, '_>, by: &'static str, claim: SlotClaim, marker: Option<Marker>) -> FileSlot {
    let text = site.text();
    let beside = NAMES.iter().filter_map(|key| site.sibling(key)).map(str::to_owned);
    let path = site.path();
    FileSlot {
        what: claim.what,
        artifact: claim.artifact.map(without_credentials),
        name: claim.name,
        version: text[claim.range.clone()].to_owned(),
        value: text.to_owned(),
        line: site.line(),
        by,
        marker,
        beside: beside.collect(),
        items: site.items(),
        object: site.object(),
        digest_beside: if claim.entry.is_none() { siblings::digest_beside(site, &path) } else { None },
        origins: siblings::origins(site),
        path,
        entry: claim.entry,
        place: site.place(),
        range: claim.range,
        typing: claim.typing,
    }
}

#[cfg(test)]
mod tests {
    use crate::slot::VersionFile;
    use crate::yaml::pairs::steps;

    /// Linear complexity: four times as many keys take about four times as many steps; quadratic would be sixteen
    /// times.
    #[test]
    fn steps_grow_with_the_number_of_keys() {
        for name in ["versions.yaml", "versions.json", "versions.env", "versions.toml"] {
            let steps = |keys: usize| {
                let line = |key: usize| match name.rsplit('.').next() {
                    Some("yaml") => format!("svc{key}Version: 1.{key}.0\n"),
                    Some("json") => format!("\"svc{key}Version\": \"1.{key}.0\",\n"),
                    _ => format!("svc{key}Version = \"1.{key}.0\"\n"),
                };
                let lines: String = (0..keys).map(line).collect();
                let json = format!("{{{}}}", lines.trim_end().trim_end_matches(','));
                let text = if name.ends_with(".json") { &json } else { &lines };
                steps::count_comparisons(|| {
                    let file = VersionFile::read(name, text).unwrap().unwrap();
                    let slots = file.slots();
                    assert_eq!(slots.len(), keys, "{name}");
                    assert!(slots.iter().all(|slot| file.find(&slot.path).len() == 1), "{name}");
                })
            };
            let (few, many) = (steps(250), steps(1000));
            assert!(many < few * 8, "{name}: {few} steps for 250 keys, {many} for 1000");
        }
    }
}
