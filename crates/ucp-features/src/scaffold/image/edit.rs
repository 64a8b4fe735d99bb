//! Replaces the image of the old service with that of the new one.

use std::ops::Range;

use super::image_fields::{entries, in_parts};
use super::new_image::NewImage;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_repo::gitops::files::is_kustomization;
use ucp_repo::slot::artifact::{ArtifactKind, normalized_name};
use ucp_repo::slot::slots_in;
use ucp_repo::yaml::insert;
use ucp_repo::yaml::splice::{self, Splice};
use ucp_repo::yaml::tree::{self, YamlNode};

/// Returns the changes that replace the old image with the new one in a part of a text.
///
/// # Errors
/// Fails when the old image is written in a way that cannot be changed separately.
pub fn changes(text: &str, part: &Range<usize>, image: &NewImage) -> Result<Vec<Splice>, Failure> {
    let documents = tree::parse(text).unwrap_or_default();
    let mut edit = ImageEditor { text, image, splices: Vec::new() };
    let nodes = documents.iter().flat_map(YamlNode::walk);
    for node in nodes.filter(|node| part.start <= node.span.start && node.span.start < part.end) {
        edit.node(node).map_err(|reason| format!("line {}: {reason}", node.line))?;
    }
    Ok(edit.splices)
}

struct ImageEditor<'a> {
    text: &'a str,
    image: &'a NewImage,
    splices: Vec<Splice>,
}

impl ImageEditor<'_> {
    fn node(&mut self, node: &YamlNode) -> Result<(), Failure> {
        let image = self.image;
        if let Some(value) = node.get("image") {
            if let Some(written) = value.text().map(ImageReference::split).filter(|written| image.is_old(&written.name))
            {
                let is_set_elsewhere = written.version.is_empty() && image.written.entries.contains(&written.name);
                let new = if is_set_elsewhere { image.name.clone() } else { image.reference().to_string() };
                self.set(value, &new)?;
            }
            if value.get("tag").is_some() && value.get("repository").is_none() {
                self.tag_apart(value)?;
            }
        }
        if in_parts(node).is_some_and(|name| image.is_old(&name)) {
            self.values(node)?;
        }
        for item in node.get("images").map(YamlNode::items).unwrap_or_default() {
            // The images of an Argo CD Application: `[NAME=]IMAGE`.
            let Some(written) = item.text() else { continue };
            let (name, old) = written.split_once('=').map_or((None, written), |(name, old)| (Some(name), old));
            if image.is_old(&ImageReference::split(old).name) {
                let new = image.reference();
                self.set(item, &name.map_or_else(|| new.to_string(), |name| format!("{name}={new}")))?;
            }
        }
        entries(node).try_for_each(|entry| self.entry(entry))
    }

    fn set(&mut self, node: &YamlNode, value: &str) -> Result<(), Failure> {
        self.splices.push(splice::set_scalar(self.text, node, value)?);
        Ok(())
    }

    /// Adds a key after another one of the same mapping.
    fn add(&mut self, mapping: &YamlNode, behind: &str, pair: insert::KeyValue<'_>) -> Result<(), Failure> {
        let splice = insert::add_key(self.text, mapping, behind, pair);
        self.splices.push(splice?);
        Ok(())
    }

    /// Changes the key of a value.
    fn rename(&mut self, mapping: &YamlNode, old: &str, pair: insert::KeyValue<'_>) -> Result<(), Failure> {
        let splices = insert::rename_key(self.text, mapping, old, pair);
        self.splices.extend(splices?);
        Ok(())
    }

    /// Edits an entry of a kustomization.
    fn entry(&mut self, entry: &YamlNode) -> Result<(), Failure> {
        let (image, name, new_name) = (self.image, entry.get("name"), entry.get("newName"));
        let is_old = |node: Option<&YamlNode>| node.and_then(YamlNode::text).is_some_and(|name| image.is_old(name));
        if !is_old(new_name.or(name)) {
            return Ok(());
        }
        // The entry refers to the name in the workloads, which is changed as well.
        let is_written = |node: &&YamlNode| node.text().is_some_and(|name| image.written.workloads.contains(name));
        let follows = name.filter(|name| is_old(Some(name))).filter(is_written);
        if let Some(name) = follows {
            self.set(name, &image.name)?;
        }
        match new_name {
            Some(node) => self.set(node, &image.name)?,
            None if follows.is_none() => self.add(entry, "name", ("newName", &image.name))?,
            None => {}
        }
        let ImageVersion { tag, digest } = &image.version;
        match (entry.get("newTag"), entry.get("digest"), tag, digest) {
            (Some(_), Some(_), None, _) | (Some(_), Some(_), _, None) => {
                fail!("the entry has a tag and a digest, and the new image only one of them")
            }
            (Some(old_tag), Some(old_digest), Some(tag), Some(digest)) => {
                self.set(old_tag, tag)?;
                self.set(old_digest, digest)
            }
            (_, Some(old), _, Some(digest)) => self.set(old, digest),
            (Some(_), None, _, Some(digest)) => self.rename(entry, "newTag", ("digest", digest)),
            (Some(old), None, Some(tag), None) => self.set(old, tag),
            (None, Some(_), Some(tag), None) => self.rename(entry, "digest", ("newTag", tag)),
            (None, None, _, Some(digest)) => self.add(entry, "name", ("digest", digest)),
            (None, None, Some(tag), None) => self.add(entry, "name", ("newTag", tag)),
            (_, _, None, None) => Ok(()),
        }
    }

    /// Edits values that name the image in parts.
    fn values(&mut self, node: &YamlNode) -> Result<(), Failure> {
        let image = self.image;
        if let Some(repository) = node.get("repository") {
            let registry = node.get("registry").filter(|registry| registry.text().is_some());
            match registry {
                None => self.set(repository, &image.name)?,
                Some(registry) => match image.name.split_once('/').filter(|(host, _)| host.contains(['.', ':'])) {
                    Some((host, rest)) => {
                        self.set(registry, host)?;
                        self.set(repository, rest)?;
                    }
                    None => return fail!("the registry is a separate value, and --image contains no registry"),
                },
            }
        }
        match node.get("tag") {
            Some(_) => self.tag(node),
            None if image.written.has_tags_apart => Ok(()),
            None => {
                let version = self.text_of_version(node)?;
                self.add(node, "repository", ("tag", &version))
            }
        }
    }

    /// Edits a tag in a values file that does not name its image.
    fn tag_apart(&mut self, node: &YamlNode) -> Result<(), Failure> {
        match self.image.written.workloads.iter().all(|name| self.image.is_old(name)) {
            true => self.tag(node),
            false => fail!("the image of this tag is not declared"),
        }
    }

    fn tag(&mut self, node: &YamlNode) -> Result<(), Failure> {
        let version = self.text_of_version(node)?;
        if let Some(digest) = node.get("digest").filter(|digest| digest.text().is_some_and(|text| !text.is_empty())) {
            self.set(digest, self.image.version.digest.as_deref().unwrap_or_default())?;
        }
        node.get("tag").map_or(Ok(()), |tag| self.set(tag, &version))
    }

    /// Returns the version in the format of the values: the tag, with the digest if that has no separate key.
    fn text_of_version(&self, node: &YamlNode) -> Result<String, Failure> {
        let has_digest = node.text_at("digest").is_some_and(|text| !text.is_empty());
        match (&self.image.version.tag, &self.image.version.digest) {
            (Some(tag), Some(_)) if has_digest => Ok(tag.clone()),
            (Some(_), None) if has_digest => fail!("the old image is pinned by a digest, and the new one has none"),
            (Some(_), _) => Ok(self.image.version.to_string()),
            (None, _) => fail!("these values have a field for a tag, but --image has only a digest; pass both"),
        }
    }
}

/// Returns the location where a copy still names the old image, or a version other than the new one. In files that are
/// not rendered, this is the only check.
pub fn remaining_image(file: &str, copy: &str, image: &NewImage) -> Option<String> {
    if is_kustomization(file) {
        return None;
    }
    let slots = slots_in(file, copy).unwrap_or_default();
    let left = slots.into_iter().filter(|slot| slot.what == ArtifactKind::Image).find(|slot| {
        let version = slot.entry.clone().unwrap_or_else(|| ImageVersion::parse(&slot.version));
        match &slot.artifact {
            // The new image may have the name of the old one, with another version.
            Some(artifact) if normalized_name(artifact) == normalized_name(&image.name) => !image.is_version(&version),
            Some(artifact) => image.is_old(artifact),
            None => !image.is_version(&version),
        }
    })?;
    Some(format!("{} stays at {}", left.path, left.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(typed: &str, texts: &[&str]) -> NewImage {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        NewImage::resolve(typed, "quotes", &texts, &[]).unwrap()
    }

    fn with(text: &str, image: &NewImage) -> Result<String, Failure> {
        splice::apply(text, &changes(text, &(0..text.len()), image)?).map_err(Failure::from)
    }

    #[test]
    fn the_new_image_replaces_the_old_image_in_place() {
        for (before, after) in [
            (
                "containers:\n- image: r/quotes:v1 # a\n- image: r/proxy:v1\n",
                "containers:\n- image: r/orders:v9 # a\n- image: r/proxy:v1\n",
            ),
            ("image: r/quotes\n", "image: r/orders:v9\n"),
            ("image: r/quotes@sha256:00112233445566778899aabbccddeeff\n", "image: r/orders:v9\n"),
            (
                "images:\n- name: r/quotes\n  newTag: 'v1'\n",
                "images:\n- name: r/quotes\n  newName: 'r/orders'\n  newTag: 'v9'\n",
            ),
            ("images: [{name: r/quotes, newTag: v1}]\n", "images: [{name: r/quotes, newName: r/orders, newTag: v9}]\n"),
            (
                "images:\n- name: app # which\n  newName: r/quotes\n  newTag: v1\n",
                "images:\n- name: app # which\n  newName: r/orders\n  newTag: v9\n",
            ),
            (
                "images:\n- digest: sha256:00\n  name: app\n  newName: r/quotes\n",
                "images:\n- newTag: v9\n  name: app\n  newName: r/orders\n",
            ),
            (
                "images:\n- name: app\n  newName: r/quotes\n",
                "images:\n- name: app\n  newTag: v9\n  newName: r/orders\n",
            ),
            (
                "a: r/quotes:v1\nimage: r/quotes:v1\nimages: [r/quotes, 'app=r/quotes:v1']\n",
                "a: r/quotes:v1\nimage: r/orders:v9\nimages: [r/orders:v9, 'app=r/orders:v9']\n",
            ),
            ("image: {repository: r/quotes, tag: v1}\n", "image: {repository: r/orders, tag: v9}\n"),
            ("image:\n  repository: r/quotes\n", "image:\n  repository: r/orders\n  tag: v9\n"),
        ] {
            assert_eq!(with(before, &image("r/orders:v9", &[before])).as_deref(), Ok(after));
        }
        // The workload and its entry are both copied.
        let (workload, entry) = ("image: r/quotes\n", "images: [{name: r/quotes, newTag: v1}]\n");
        let both = image("r/orders:v9", &[workload, entry]);
        assert_eq!(with(workload, &both).as_deref(), Ok("image: r/orders\n"));
        assert_eq!(with(entry, &both).as_deref(), Ok("images: [{name: r/orders, newTag: v9}]\n"));
    }

    #[test]
    fn an_image_is_replaced_in_separate_values_and_in_several_files() {
        let (name, tag) = ("image:\n  registry: r.io\n  repository: a/quotes\n", "image: {tag: v1}\n");
        let new = image("r2.io/b/orders:v9", &[name, tag]);
        assert_eq!(with(name, &new).as_deref(), Ok("image:\n  registry: r2.io\n  repository: b/orders\n"));
        assert_eq!(with(tag, &new).as_deref(), Ok("image: {tag: v9}\n"));
        let two = image("r/orders:v9", &["image: r/quotes:v1\nsidecar: {image: r/proxy:v1}\n", tag]);
        assert!(with(tag, &two).is_err(), "of which image?");
        assert!(with(name, &image("b/orders:v9", &[name])).is_err(), "in which registry?");
    }

    #[test]
    fn digests_are_set_in_their_own_field() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        let typed = format!("r/orders@{digest}");
        let entry = "images:\n- name: app\n  newName: r/quotes\n  newTag: v1\n";
        let after = format!("images:\n- name: app\n  newName: r/orders\n  digest: {digest}\n");
        assert_eq!(with(entry, &image(&typed, &[entry])), Ok(after));
        let workload = "image: r/quotes:v1\n";
        assert_eq!(with(workload, &image(&typed, &[workload])), Ok(format!("image: {typed}\n")));
        let values = "image: {repository: r/quotes, tag: v1}\n";
        assert!(with(values, &image(&typed, &[values])).is_err());
        let both = format!("r/orders:v9@{digest}");
        assert_eq!(with(workload, &image(&both, &[workload])), Ok(format!("image: {both}\n")));
        for typed in
            ["r/orders", "r/orders:", "r/orders:a b", "r/orders@sha256:12", "r//orders:v1", "r/Orders:v1", ":v1"]
        {
            assert!(NewImage::resolve(typed, "quotes", &[workload.to_owned()], &[]).is_err(), "{typed}");
        }
    }

    #[test]
    fn remaining_uses_of_the_old_image_are_found() {
        let new = image("r/orders:v9", &["image: r/quotes:v1\n"]);
        let embedded = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    helm:\n      values: |\n        image: {repository: r/quotes, tag: v1}\n";
        for text in [embedded, "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: r/quotes:v9}]}\n"] {
            assert!(remaining_image("a.yaml", text, &new).is_some(), "{text}");
        }
        let changed = "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: r/orders:v9}, {image: r/proxy:v1}]}\n";
        assert_eq!(remaining_image("a.yaml", changed, &new), None);
    }
}
