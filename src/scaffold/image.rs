//! The image of a new service, in the places where the old one stands.

use crate::model::image::Reference;
use crate::slot::artifact::normalized;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Node};

/// An image in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImage {
    /// The name of the old one, without a version.
    pub old: String,
    /// The name of the new one.
    pub name: String,
    /// Its tag.
    pub tag: String,
}

/// Names of images in a text, where workloads, kustomizations and Helm values have them.
pub fn names(text: &str) -> Vec<String> {
    let documents = tree::parse(text).unwrap_or_default();
    let mut found = Vec::new();
    for node in documents.iter().flat_map(Node::walk) {
        let of_image = node.text_at("image").map(|image| Reference::split(image).name);
        let of_values = node.get("image").and_then(|image| image.text_at("repository")).map(str::to_owned);
        found.extend(of_image.into_iter().chain(of_values).filter(|name| !name.is_empty()));
        found.extend(entries(node).filter_map(|entry| entry.text_at("name")).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

/// Entries of a kustomization's images.
fn entries(node: &Node) -> impl Iterator<Item = &Node> {
    let items = node.get("images").map(Node::items).unwrap_or_default();
    items
        .iter()
        .filter(|item| item.get("newTag").is_some() || item.get("newName").is_some() || item.get("digest").is_some())
}

/// A text with the new image.
///
/// # Errors
/// Where the old one is written in a way that cannot be changed alone, or pinned by a digest.
pub fn with(text: &str, image: &NewImage) -> Result<String, String> {
    let Ok(documents) = tree::parse(text) else { return Ok(text.to_owned()) };
    let mut splices: Vec<Splice> = Vec::new();
    let is_old = |name: &str| normalized(name) == normalized(&image.old);
    let mut set = |node: &Node, value: &str| -> Result<(), String> {
        splices.push(splice::set_scalar(text, node, value).map_err(|error| error.to_string())?);
        Ok(())
    };
    let pinned =
        || Err(format!("{} is pinned by a digest; set it with 'kubectl ucp set-image' once it is there", image.old));
    for node in documents.iter().flat_map(Node::walk) {
        if let Some(value) = node.get("image") {
            if let Some(written) = value.text().map(Reference::split).filter(|written| is_old(&written.name)) {
                if written.version.digest.is_some() {
                    return pinned();
                }
                let tag = written.version.tag.map(|_| format!(":{}", image.tag)).unwrap_or_default();
                set(value, &format!("{}{tag}", image.name))?;
            }
            if let Some(repository) = value.get("repository").filter(|node| node.text().is_some_and(is_old)) {
                set(repository, &image.name)?;
                if let Some(tag) = value.get("tag").filter(|tag| tag.text().is_some()) {
                    set(tag, &image.tag)?;
                }
            }
        }
        for entry in entries(node).filter(|entry| entry.text_at("name").is_some_and(is_old)) {
            if entry.get("digest").is_some() {
                return pinned();
            }
            for (key, value) in [("name", image.name.as_str()), ("newName", &image.name), ("newTag", &image.tag)] {
                if let Some(node) = entry.get(key) {
                    set(node, value)?;
                }
            }
        }
    }
    splice::apply(text, &splices).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> NewImage {
        NewImage { old: "r/quotes".into(), name: "r/orders".into(), tag: "v9".into() }
    }

    #[test]
    fn the_new_image_stands_where_the_old_one_did() {
        for (before, after) in [
            (
                "containers:\n- image: r/quotes:v1 # a\n- image: r/proxy:v1\n",
                "containers:\n- image: r/orders:v9 # a\n- image: r/proxy:v1\n",
            ),
            ("image: r/quotes\n", "image: r/orders\n"),
            ("images:\n- name: r/quotes\n  newTag: 'v1'\n", "images:\n- name: r/orders\n  newTag: 'v9'\n"),
            ("image: {repository: r/quotes, tag: v1}\n", "image: {repository: r/orders, tag: v9}\n"),
        ] {
            assert_eq!(with(before, &image()).unwrap(), after);
        }
        assert_eq!(names("image: r/quotes:v1\nimages: [{name: x, newTag: v}]"), ["r/quotes", "x"]);
    }
}
