//! Entries in the `images` of a kustomization: versions under several keys, which may be added and removed.

#[cfg(test)]
mod properties;

use std::collections::HashMap;

use crate::slot::file::VersionFile;
use crate::slot::layer::ScalarLocation;
use crate::yaml::YamlError;
use crate::yaml::insert;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};
use ucp_core::model::image::{ImageReference, ImageVersion};

/// Edit that sets the version of an entry.
#[derive(Debug)]
pub(crate) enum EntryEdit {
    /// New values under the existing keys.
    Values(Vec<(ScalarLocation, String)>),
    /// Added and removed keys.
    Keys {
        entry: ScalarLocation,
        splices: Vec<Splice>,
        /// Each key with its value, or `None` if it is removed.
        keys: Vec<(&'static str, Option<String>)>,
    },
}

/// Returns the key of the images of a kustomization; `imageTags` is the old one, and still supported.
pub fn images_key(root: &YamlNode) -> &'static str {
    if root.get("images").is_none() && root.get("imageTags").is_some() { "imageTags" } else { "images" }
}

/// Returns the keys of a new entry.
pub(crate) fn pairs<'a>(name: &'a str, version: &'a ImageVersion) -> Vec<insert::KeyValue<'a>> {
    let mut pairs = vec![("name", name)];
    pairs.extend(version.tag.as_deref().map(|tag| ("newTag", tag)));
    pairs.extend(version.digest.as_deref().map(|digest| ("digest", digest)));
    pairs
}

/// Entries of the list at the root of a kustomization, by name.
#[derive(Debug)]
pub(crate) struct ImageEntries<'a> {
    pub(crate) list: &'static str,
    by_name: HashMap<&'a str, Vec<(ScalarLocation, usize)>>,
}

impl<'a> ImageEntries<'a> {
    /// Indexes the entries of a kustomization.
    ///
    /// # Errors
    /// Fails when the file has several documents, or the list is given twice.
    pub(crate) fn from_file(file: &'a VersionFile) -> Result<Self, YamlError> {
        let [root] = file.layers[0].documents.as_slice() else {
            let count = file.layers[0].documents.len();
            return Err(YamlError::new(0, format!("expected one document, found {count}")));
        };
        let is_list = |(key, _): &&(YamlNode, YamlNode)| matches!(key.text(), Some("images" | "imageTags"));
        if root.entries().iter().filter(is_list).count() > 1 {
            return Err(YamlError::new(root.line, "images occurs twice, and kustomize reads only the last one"));
        }
        let list = images_key(root);
        let mut by_name: HashMap<&str, Vec<(ScalarLocation, usize)>> = HashMap::new();
        if let Some(position) = root.entries().iter().position(|(key, _)| key.text() == Some(list)) {
            for (index, entry) in root.entries()[position].1.items().iter().enumerate() {
                let place = ScalarLocation { layer: 0, document: 0, route: vec![position, index] };
                by_name.entry(entry.text_at("name").unwrap_or_default()).or_default().push((place, entry.line));
            }
        }
        Ok(Self { list, by_name })
    }

    /// Returns the entry with a name, if it exists.
    ///
    /// # Errors
    /// Fails when several entries have the name.
    pub(crate) fn place(&self, name: &str) -> Result<Option<&ScalarLocation>, YamlError> {
        match self.by_name.get(name).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([(place, _)]) => Ok(Some(place)),
            Some([_, (_, line), ..]) => Err(YamlError::new(*line, format!("{name} has more than one entry"))),
        }
    }
}

impl VersionFile {
    /// Returns the most relevant line of each entry of a kustomization: that of the tag, else of the digest, else its
    /// first.
    pub fn entry_lines(&self) -> HashMap<&str, usize> {
        let entries = self.roots().next().and_then(|root| root.get(images_key(root))).map(YamlNode::items);
        let line = |entry: &YamlNode| {
            let version = ["newTag", "digest"].into_iter().find_map(|key| entry.entry(key));
            version.map_or(entry.line, |(key, _)| key.line)
        };
        let named = entries.unwrap_or_default().iter();
        named.filter_map(|entry| Some((entry.text_at("name")?, line(entry)))).collect()
    }

    /// Plans the edit of an entry: the pair of tag and digest is written, stale keys are removed, and all else is
    /// preserved.
    ///
    /// # Errors
    /// Fails when the entry has a form that cannot be changed separately.
    pub(crate) fn entry_at(&self, place: &ScalarLocation, version: &ImageVersion) -> Result<EntryEdit, YamlError> {
        let entry = self.node(place).ok_or_else(|| YamlError::new(0, "the entry no longer exists"))?;
        let source = &self.layers[place.layer].text;
        let refused = |reason: &str| Err(YamlError::new(self.line(place.layer, entry.span.start, entry.line), reason));
        if entry.get("<<").is_some() {
            return refused("the entry merges (<<) values from elsewhere in the file");
        }
        if version.is_empty() {
            return refused("the version of an entry is never removed");
        }
        let present = |key: &'static str| entry.get(key).map(|_| key);
        let named = entry.text_at("newName").map(ImageReference::split).filter(|named| !named.version.is_empty());
        if let Some(named) = named {
            if present("newTag").or(present("digest")).is_some() {
                return refused("newName also contains a version, which kustomize does not replace");
            }
            let reference = ImageReference { name: named.name, version: version.clone() };
            return Ok(EntryEdit::Values(value(entry, place, "newName", reference.to_string())));
        }
        // `newTag: tag@sha256:…` remains one value.
        if present("digest").is_none() && entry.text_at("newTag").is_some_and(|tag| tag.contains('@')) {
            let text = version.to_string();
            return Ok(EntryEdit::Values(value(entry, place, "newTag", text.trim_start_matches('@').to_owned())));
        }
        let wanted = [("newTag", version.tag.as_deref()), ("digest", version.digest.as_deref())];
        let same_keys = wanted.iter().all(|(key, value)| value.is_some() == present(key).is_some());
        if same_keys {
            let values = wanted.iter().filter_map(|(key, wanted)| Some((*key, (*wanted)?)));
            return Ok(EntryEdit::Values(
                values.flat_map(|(key, wanted)| value(entry, place, key, wanted.to_owned())).collect(),
            ));
        }
        if place.layer != 0 {
            return refused("the entry is inside of a text, where its keys cannot change");
        }
        let anchored = matches!(entry.decoration, NodeDecoration::Anchor(_));
        if anchored || wanted.iter().any(|(key, _)| entry.get(key).is_some_and(is_shared)) {
            return refused(
                "the entry contains an anchor (&) or alias (*), which other values of the file may refer to",
            );
        }
        let splices = match (wanted[0].1, wanted[1].1, present("newTag"), present("digest")) {
            // Between tag and digest, the value changes its key and keeps its position.
            (None, Some(digest), Some(_), None) => {
                insert::rename_key(source, entry, "newTag", ("digest", digest))?.into()
            }
            (Some(tag), None, None, Some(_)) => insert::rename_key(source, entry, "digest", ("newTag", tag))?.into(),
            _ => {
                let mut splices = Vec::new();
                let anchor = present("newTag").or(present("digest")).or(present("newName")).unwrap_or("name");
                for (key, value) in wanted {
                    match (value, entry.get(key)) {
                        (Some(value), Some(node)) => splices.push(splice::set_scalar(source, node, value)?),
                        (Some(value), None) => splices.push(insert::add_key(source, entry, anchor, (key, value))?),
                        (None, Some(_)) => splices.push(insert::remove_key(source, entry, key)?),
                        (None, None) => {}
                    }
                }
                splices
            }
        };
        let keys = wanted.map(|(key, value)| (key, value.map(str::to_owned))).into();
        Ok(EntryEdit::Keys { entry: place.clone(), splices, keys })
    }
}

fn is_shared(node: &YamlNode) -> bool {
    matches!(node.content, NodeContent::Alias(_)) || matches!(node.decoration, NodeDecoration::Anchor(_))
}

/// Sets another value under a key of an entry.
fn value(entry: &YamlNode, place: &ScalarLocation, key: &str, value: String) -> Vec<(ScalarLocation, String)> {
    let position = entry.entries().iter().rposition(|(name, _)| name.text() == Some(key));
    let place =
        position.map(|position| ScalarLocation { route: [&place.route[..], &[position]].concat(), ..place.clone() });
    place.map(|place| (place, value)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::SlotEdit;

    pub(super) fn set(source: &str, name: &str, version: ImageVersion) -> Result<String, YamlError> {
        let file = VersionFile::read("kustomization.yaml", source)?.ok_or_else(|| YamlError::new(0, "no format"))?;
        file.apply_edits(&[SlotEdit::Entry { name: name.into(), version }]).map(|written| written.text)
    }

    fn both(tag: &str, digest: &str) -> ImageVersion {
        ImageVersion { tag: Some(tag.into()), digest: Some(digest.into()) }
    }

    #[test]
    fn every_pair_of_tag_and_digest_can_become_every_other() {
        let forms = [
            (ImageVersion::tag("v1"), "images:\n- name: a\n  newTag: v1 # c\n"),
            (
                ImageVersion { tag: None, digest: Some("sha256:0a".into()) },
                "images:\n- name: a\n  digest: sha256:0a # c\n",
            ),
        ];
        for (version, text) in &forms {
            for (_, other) in &forms {
                assert_eq!(set(other, "a", version.clone()).unwrap(), *text);
            }
        }
        let pair = "images:\n- name: a\n  newTag: v1 # c\n  digest: sha256:0a\n";
        assert_eq!(set(forms[0].1, "a", both("v1", "sha256:0a")).unwrap(), pair);
        assert_eq!(set(pair, "a", ImageVersion::tag("v1")).unwrap(), forms[0].1);
        assert_eq!(set(pair, "a", both("v2", "sha256:0b")).unwrap(), pair.replace("v1", "v2").replace("0a", "0b"));
    }

    #[test]
    fn names_suffixes_and_tags_inside_of_names_are_kept() {
        let source = "images:\n- name: a\n  newName: b/c:v1\n- name: d\n  newName: e\n- name: f\n  newTag: v1\n  tagSuffix: -x\n";
        let text = set(source, "a", ImageVersion::tag("v2")).unwrap();
        assert_eq!(text, source.replace("b/c:v1", "b/c:v2"));
        let text = set(source, "d", ImageVersion::tag("v2")).unwrap();
        assert_eq!(text, source.replace("newName: e\n", "newName: e\n  newTag: v2\n"));
        let text = set(source, "f", ImageVersion::tag("v2")).unwrap();
        assert_eq!(text, source.replace("newTag: v1", "newTag: v2"));
    }

    #[test]
    fn tags_that_go_would_misread_are_quoted() {
        assert_eq!(
            set("images: [{name: a, newTag: v1}]", "a", ImageVersion::tag("1e5")).unwrap(),
            "images: [{name: a, newTag: \"1e5\"}]"
        );
        assert_eq!(
            set("images:\n- name: a\n  newTag: 1.10\n", "a", ImageVersion::tag("1.10")).unwrap(),
            "images:\n- name: a\n  newTag: \"1.10\"\n"
        );
        assert_eq!(
            set("images:\n- name: a\n  newTag: 'v1'\n", "a", ImageVersion::tag("on")).unwrap(),
            "images:\n- name: a\n  newTag: 'on'\n"
        );
    }

    #[test]
    fn the_old_name_of_the_list_is_kept() {
        let source = "imageTags:\n- name: a\n  newTag: v1\n";
        assert_eq!(set(source, "b", ImageVersion::tag("v2")).unwrap(), format!("{source}- name: b\n  newTag: v2\n"));
    }

    #[test]
    fn ambiguous_and_shared_values_are_refused() {
        let refused = [
            "images:\n- name: a\n  newTag: v1\n- name: a\n  newTag: v2\n",
            "images:\n- name: a\n  newTag: v1\nimages:\n- name: a\n  newTag: v1\n",
            "images:\n- name: a\n  newTag: &t v1\ncommonLabels: {version: *t}\n",
            "x: &t v1\nimages:\n- name: a\n  newTag: *t\n",
            "x: &d {newTag: v1}\nimages:\n- <<: *d\n  name: a\n",
            "images:\n- name: a\n  newName: b:v1\n  newTag: v1\n",
            "images: a\n",
            "images: {}\n",
        ];
        for source in refused {
            assert!(set(source, "a", ImageVersion::tag("v9")).is_err(), "{source}");
        }
    }

    #[test]
    fn a_tag_and_a_digest_in_a_single_value_stay_together() {
        let source = "images:\n- name: a\n  newTag: v1@sha256:0a # c\n";
        assert_eq!(set(source, "a", both("v2", "sha256:0b")).unwrap(), source.replace("v1@sha256:0a", "v2@sha256:0b"));
        assert_eq!(set(source, "a", ImageVersion::tag("v2")).unwrap(), source.replace("v1@sha256:0a", "v2"));
    }
}
