//! Setting versions in the `images` of one kustomization, byte for byte.

#[cfg(test)]
mod properties;

use std::collections::HashMap;

use granit_parser::ScalarStyle;
use yaml_serde::{Mapping, Value};

use crate::gitops::kustomization::{images_key, new_name_version};
use crate::model::image::{Reference, Version};
use crate::slot::version::base_ref;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Content, Node};
use crate::yaml::{YamlError, guard, insert, scalar};

/// A version for the entry with this `name`; the entry is added where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetVersion {
    /// The entry's `name`, as written.
    pub name: String,
    /// The version that it shall declare.
    pub version: Version,
}

/// A remote base whose `?ref=` follows the version of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRef {
    /// The ref so far: the tag that the image had.
    pub before: String,
    /// The ref to be.
    pub after: String,
}

/// What changes in one kustomization.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    /// Versions of images.
    pub versions: Vec<SetVersion>,
    /// Refs of remote bases.
    pub refs: Vec<MoveRef>,
}

/// Who else writes a value, as a comment beside it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// `# {"$imagepolicy": …}`
    Flux,
    /// `# renovate: …`
    Renovate,
}

impl std::fmt::Display for Marker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Flux => "Flux image automation",
            Self::Renovate => "Renovate",
        })
    }
}

/// Who else writes the version of an entry.
pub fn marker(source: &str, entry: &Node) -> Option<Marker> {
    let values = ["newTag", "digest", "newName"].into_iter().filter_map(|key| entry.entry(key));
    values.into_iter().find_map(|(key, value)| {
        let start = source[..key.span.start].rfind('\n').unwrap_or(0);
        let line_before = source[..start].lines().next_back().unwrap_or_default().trim_start();
        let behind = source[value.span.end.max(key.span.end)..].lines().next().unwrap_or_default();
        if behind.contains("\"$imagepolicy\"") {
            Some(Marker::Flux)
        } else if behind.contains("renovate:") || (line_before.starts_with('#') && line_before.contains("renovate:")) {
            Some(Marker::Renovate)
        } else {
            None
        }
    })
}

/// Sets versions and refs, and answers with the new text, which is the old one where all of them stand there already.
///
/// # Errors
/// Where the file cannot be read, where an entry stands twice or takes part in an alias, or where the result would differ
/// in anything else than the versions.
pub fn apply(source: &str, edits: &Edits) -> Result<String, YamlError> {
    let root = tree::parse_one(source)?;
    let key = images_key(&root);
    if root.entries().iter().filter(|(name, _)| matches!(name.text(), Some("images" | "imageTags"))).count() > 1 {
        return Err(YamlError::new(root.line, "images is given twice, and kustomize reads only the last one"));
    }
    let mut entries: HashMap<&str, Vec<&Node>> = HashMap::new();
    for entry in root.get(key).map(Node::items).unwrap_or_default() {
        entries.entry(entry.text_at("name").unwrap_or_default()).or_default().push(entry);
    }
    let mut splices = Vec::new();
    let mut missing = Vec::new();
    for change in &edits.versions {
        match entries.get(change.name.as_str()).map(Vec::as_slice) {
            None | Some([]) => missing.push(change),
            Some([entry]) => splices.extend(set_entry(source, entry, &change.version)?),
            Some([_, second, ..]) => {
                return Err(YamlError::new(second.line, format!("{} has more than one entry", change.name)));
            }
        }
    }
    for node in base_nodes(&root) {
        if let Some(moved) = moved_ref(node.text().unwrap_or_default(), &edits.refs) {
            splices.push(splice::set_scalar(source, node, &moved)?);
        }
    }
    let mut text = splice::apply(source, &splices)?;
    if !missing.is_empty() {
        let root = tree::parse_one(&text)?;
        let added: Vec<_> = missing.into_iter().map(pairs).collect();
        let splice = insert::append(&text, &root, key, &added)?;
        text = splice::apply(&text, &[splice])?;
    }
    if text != source {
        guard::verify(source, &text, |root| intend(root, key, edits))?;
    }
    Ok(text)
}

/// The lists of a kustomization that may name remote bases.
const BASE_KEYS: [&str; 3] = ["resources", "bases", "components"];

/// What a kustomization builds on, as nodes.
pub fn base_nodes(root: &Node) -> impl Iterator<Item = &Node> {
    BASE_KEYS.iter().filter_map(|key| root.get(key)).flat_map(Node::items)
}

fn moved_ref(url: &str, moves: &[MoveRef]) -> Option<String> {
    let place = base_ref(url)?;
    let moved = moves.iter().find(|moved| moved.before == url[place.clone()])?;
    Some(format!("{}{}{}", &url[..place.start], moved.after, &url[place.end..]))
}

fn pairs(change: &SetVersion) -> Vec<insert::Pair<'_>> {
    let mut pairs = vec![("name", change.name.as_str())];
    pairs.extend(change.version.tag.as_deref().map(|tag| ("newTag", tag)));
    pairs.extend(change.version.digest.as_deref().map(|digest| ("digest", digest)));
    pairs
}

/// The changes of one entry: the pair is written, what became stale goes, all else stays.
fn set_entry(source: &str, entry: &Node, version: &Version) -> Result<Vec<Splice>, YamlError> {
    if entry.get("<<").is_some() {
        return Err(YamlError::new(entry.line, "the entry merges (<<) values from elsewhere in the file"));
    }
    let inside_name = new_name_version(entry);
    if !inside_name.is_empty() {
        if inside_name == *version {
            return Ok(Vec::new());
        }
        if entry.get("newTag").or(entry.get("digest")).is_some() {
            return Err(YamlError::new(entry.line, "newName holds a version too, which kustomize does not replace"));
        }
        return set_new_name(source, entry, version);
    }
    if version.digest.is_none() && version.tag.is_none() {
        return Err(YamlError::new(entry.line, "an entry never loses its version"));
    }
    let present = |key: &'static str| entry.get(key).map(|_| key);
    let (tag, digest) = (version.tag.as_deref(), version.digest.as_deref());
    match (tag, digest, present("newTag"), present("digest")) {
        // From tag to digest and back: the value changes its key and keeps its place.
        (None, Some(digest), Some(_), None) => {
            Ok(insert::rename_key(source, entry, "newTag", ("digest", digest))?.into())
        }
        (Some(tag), None, None, Some(_)) => Ok(insert::rename_key(source, entry, "digest", ("newTag", tag))?.into()),
        _ => {
            let mut splices = Vec::new();
            let anchor = present("newTag").or(present("digest")).or(present("newName")).unwrap_or("name");
            for (key, value) in [("newTag", tag), ("digest", digest)] {
                match (value, entry.get(key)) {
                    (Some(value), Some(node)) if node.text() != Some(value) || is_misread(node) => {
                        splices.push(splice::set_scalar(source, node, value)?);
                    }
                    (Some(value), None) => splices.push(insert::add_key(source, entry, anchor, (key, value))?),
                    (None, Some(_)) => splices.push(insert::remove_key(source, entry, key)?),
                    (Some(_), Some(_)) | (None, None) => {}
                }
            }
            Ok(splices)
        }
    }
}

/// Whether Go's YAML takes the value for something else than the string that it looks like.
fn is_misread(node: &Node) -> bool {
    matches!(&node.content, Content::Scalar(text, ScalarStyle::Plain) if !scalar::is_plain_safe(text))
}

fn set_new_name(source: &str, entry: &Node, version: &Version) -> Result<Vec<Splice>, YamlError> {
    let Some(node) = entry.get("newName") else { return Ok(Vec::new()) };
    let name = Reference::split(node.text().unwrap_or_default()).name;
    let reference = Reference { name, version: version.clone() };
    Ok(vec![splice::set_scalar(source, node, &reference.to_string())?])
}

/// The same changes, made to what the document means.
fn intend(root: &mut Value, key: &str, edits: &Edits) {
    let Some(root) = root.as_mapping_mut() else { return };
    for bases in BASE_KEYS {
        let bases = root.get_mut(bases).and_then(Value::as_sequence_mut);
        for base in bases.into_iter().flatten() {
            if let Some(moved) = base.as_str().and_then(|url| moved_ref(url, &edits.refs)) {
                *base = moved.into();
            }
        }
    }
    if edits.versions.is_empty() {
        return;
    }
    let list = root.entry(key.into()).or_insert(Value::Null);
    if list.is_null() {
        *list = Value::Sequence(Vec::new());
    }
    let Some(list) = list.as_sequence_mut() else { return };
    let places: HashMap<String, usize> = list
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| Some((entry.get("name")?.as_str()?.to_owned(), index)))
        .collect();
    for change in &edits.versions {
        let Some(entry) = places.get(&change.name).and_then(|index| list[*index].as_mapping_mut()) else {
            list.push(
                pairs(change).into_iter().map(|(key, value)| (key.into(), value.into())).collect::<Mapping>().into(),
            );
            continue;
        };
        let new_name = entry.get("newName").and_then(Value::as_str).map(Reference::split);
        if let Some(mut reference) = new_name.filter(|reference| !reference.version.is_empty()) {
            reference.version = change.version.clone();
            entry.insert("newName".into(), reference.to_string().into());
            continue;
        }
        for (key, value) in [("newTag", &change.version.tag), ("digest", &change.version.digest)] {
            match value {
                Some(value) => entry.insert(key.into(), value.as_str().into()),
                None => entry.remove(key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(source: &str, name: &str, version: Version) -> Result<String, YamlError> {
        let versions = vec![SetVersion { name: name.into(), version }];
        apply(source, &Edits { versions, refs: Vec::new() })
    }

    fn both(tag: &str, digest: &str) -> Version {
        Version { tag: Some(tag.into()), digest: Some(digest.into()) }
    }

    #[test]
    fn every_pair_of_tag_and_digest_can_become_every_other() {
        let forms = [
            (Version::tag("v1"), "images:\n- name: a\n  newTag: v1 # c\n"),
            (Version { tag: None, digest: Some("sha256:0a".into()) }, "images:\n- name: a\n  digest: sha256:0a # c\n"),
        ];
        for (version, text) in &forms {
            for (_, other) in &forms {
                assert_eq!(set(other, "a", version.clone()).unwrap(), *text);
            }
        }
        let pair = "images:\n- name: a\n  newTag: v1 # c\n  digest: sha256:0a\n";
        assert_eq!(set(forms[0].1, "a", both("v1", "sha256:0a")).unwrap(), pair);
        assert_eq!(set(pair, "a", Version::tag("v1")).unwrap(), forms[0].1);
        assert_eq!(set(pair, "a", both("v2", "sha256:0b")).unwrap(), pair.replace("v1", "v2").replace("0a", "0b"));
    }

    #[test]
    fn names_suffixes_and_tags_inside_of_names_stay() {
        let source = "images:\n- name: a\n  newName: b/c:v1\n- name: d\n  newName: e\n- name: f\n  newTag: v1\n  tagSuffix: -x\n";
        let text = set(source, "a", Version::tag("v2")).unwrap();
        assert_eq!(text, source.replace("b/c:v1", "b/c:v2"));
        let text = set(source, "d", Version::tag("v2")).unwrap();
        assert_eq!(text, source.replace("newName: e\n", "newName: e\n  newTag: v2\n"));
        let text = set(source, "f", Version::tag("v2")).unwrap();
        assert_eq!(text, source.replace("newTag: v1", "newTag: v2"));
    }

    #[test]
    fn what_go_misreads_is_quoted() {
        assert_eq!(
            set("images: [{name: a, newTag: v1}]", "a", Version::tag("1e5")).unwrap(),
            "images: [{name: a, newTag: \"1e5\"}]"
        );
        assert_eq!(
            set("images:\n- name: a\n  newTag: 1.10\n", "a", Version::tag("1.10")).unwrap(),
            "images:\n- name: a\n  newTag: \"1.10\"\n"
        );
        assert_eq!(
            set("images:\n- name: a\n  newTag: 'v1'\n", "a", Version::tag("on")).unwrap(),
            "images:\n- name: a\n  newTag: 'on'\n"
        );
    }

    #[test]
    fn the_old_name_of_the_list_is_kept() {
        let source = "imageTags:\n- name: a\n  newTag: v1\n";
        assert_eq!(set(source, "b", Version::tag("v2")).unwrap(), format!("{source}- name: b\n  newTag: v2\n"));
    }

    #[test]
    fn ambiguous_and_shared_values_are_refused() {
        let refused = [
            "images:\n- name: a\n  newTag: v1\n- name: a\n  newTag: v2\n",
            "images:\n- name: a\n  newTag: v1\nimages:\n- name: a\n  newTag: v1\n",
            "images:\n- &x {name: a, newTag: v1}\n- *x\n",
            "images:\n- name: a\n  newTag: &t v1\ncommonLabels: {version: *t}\n",
            "x: &t v1\nimages:\n- name: a\n  newTag: *t\n",
            "x: &d {newTag: v1}\nimages:\n- <<: *d\n  name: a\n",
            "images:\n- name: a\n  newName: b:v1\n  newTag: v1\n",
            "images:\n- name: a\n  newTag: |\n    v1\n",
            "images: a\n",
            "images: {}\n",
            "a: 1\na: 2\nimages:\n- name: a\n  newTag: v1\n",
        ];
        for source in refused {
            assert!(set(source, "a", Version::tag("v9")).is_err(), "{source}");
        }
    }

    #[test]
    fn refs_of_remote_bases_move_in_lockstep() {
        let source = "resources:\n- https://github.com/a/b//deploy?ref=v1&timeout=90s # pinned\n- 'git@github.com:a/c?ref=v3'\nimages: [{name: a, newTag: v1}]\n";
        let edits = Edits {
            versions: vec![SetVersion { name: "a".into(), version: Version::tag("v2") }],
            refs: vec![MoveRef { before: "v1".into(), after: "v2".into() }],
        };
        assert_eq!(apply(source, &edits).unwrap(), source.replace("v1", "v2"));
        assert_eq!(base_ref("https://x/y?timeout=1&ref=v1").map(|place| place.len()), Some(2));
        assert_eq!(base_ref("../base"), None);
    }

    #[test]
    fn controllers_that_own_a_value_are_seen() {
        let mark = |source: &str| marker(source, &tree::parse_one(source).unwrap().get("images").unwrap().items()[0]);
        assert_eq!(
            mark("images:\n- name: a\n  newTag: v1 # {\"$imagepolicy\": \"flux-system:a:tag\"}\n"),
            Some(Marker::Flux)
        );
        assert_eq!(mark("images:\n- name: a\n  # renovate: image=a\n  newTag: v1\n"), Some(Marker::Renovate));
        assert_eq!(mark("images:\n- name: a # renovate\n  newTag: v1\n"), None);
    }
}
