//! Files and parts of files with the names of the copy.

use std::ops::Range;

use super::image;
use super::terms::{CopyTerms, FILES};
use ucp_core::failure::{Failure, fail};
use ucp_repo::gitops::files;
use ucp_repo::gitops::membership;
use ucp_repo::gitops::path;
use ucp_repo::yaml::splice::{self, Splice};
use ucp_repo::yaml::tree::{self, YamlNode};

/// Returns a part of a file for the copy: with the new names, the new image, and adjusted relative paths.
///
/// # Errors
/// Fails when the old image is written in a way that cannot be changed separately.
pub fn renamed(
    (file, new_file): (&str, &str),
    text: &str,
    part: Range<usize>,
    terms: &CopyTerms<'_>,
) -> Result<String, Failure> {
    let documents = tree::parse(text).unwrap_or_default();
    let mut said = match terms.image {
        Some(image) => image::changes(text, &part, image)?,
        None => Vec::new(),
    };
    if files::is_kustomization(file) {
        let paths = documents.iter().flat_map(paths);
        said.extend(paths.filter_map(|node| relocated((file, new_file), text, node, terms)));
    }
    let left = terms.names.left_in(text, &part, &said).into_iter().map(|left| format!("{left} in {file}"));
    terms.left.borrow_mut().extend(left);
    let copy = terms.names.in_part(text, part, &said);
    match terms.image.and_then(|image| image::remaining_image(new_file, &copy, image)) {
        Some(left) => fail!("{left}, which --image does not change; omit it and use 'kubectl ucp set-image'"),
        None => Ok(copy),
    }
}

/// Returns the paths in a kustomization.
fn paths(root: &YamlNode) -> Vec<&YamlNode> {
    let listed = FILES.iter().chain(&["replacements"]).filter_map(|key| root.get(key)).flat_map(YamlNode::items);
    let mut paths: Vec<&YamlNode> =
        listed.filter_map(|item| item.text().map_or(item.get("path"), |_| Some(item))).collect();
    for item in root.get("configMapGenerator").map(YamlNode::items).unwrap_or_default() {
        paths.extend(["files", "envs"].iter().filter_map(|key| item.get(key)).flat_map(YamlNode::items));
        paths.extend(item.get("env"));
    }
    paths
}

/// Returns the change of a path to one relative to the copy; `None` if its target does not exist.
fn relocated((file, new_file): (&str, &str), text: &str, node: &YamlNode, terms: &CopyTerms<'_>) -> Option<Splice> {
    let (key, written) = match node.text()?.split_once('=') {
        Some((key, written)) => (Some(key), written),
        None => (None, node.text()?),
    };
    let place = (terms.place)(&path::join(path::parent(file), written)?)?;
    let directory = path::parent(new_file);
    let new = if path::join(directory, written).as_deref() == Some(place.as_str()) {
        written.to_owned()
    } else {
        let dot = if written.starts_with("./") { "./" } else { "" };
        let new = membership::relative_path(directory, &place);
        if new.starts_with("../") { new } else { format!("{dot}{new}") }
    };
    let new = key.map_or_else(|| new.clone(), |key| format!("{}={new}", terms.names.in_text(key, &[])));
    match node.text() == Some(new.as_str()) {
        true => Some(Splice { range: node.span.clone(), text: text.get(node.span.clone())?.to_owned() }),
        false => splice::set_scalar(text, node, &new).ok(),
    }
}
