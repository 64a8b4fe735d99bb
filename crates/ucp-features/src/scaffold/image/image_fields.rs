//! Fields of values and kustomizations that name images.

use ucp_repo::yaml::tree::YamlNode;

/// Returns the image that values name in parts: its repository, and the registry if that is separate.
pub(super) fn in_parts(node: &YamlNode) -> Option<String> {
    let repository = node.text_at("repository").filter(|text| !text.contains("://"))?;
    Some(node.text_at("registry").map_or_else(|| repository.to_owned(), |registry| format!("{registry}/{repository}")))
}

/// Returns the image entries of a kustomization.
pub(super) fn entries(node: &YamlNode) -> impl Iterator<Item = &YamlNode> {
    let items = node.get("images").map(YamlNode::items).unwrap_or_default();
    items
        .iter()
        .filter(|item| item.get("newTag").is_some() || item.get("newName").is_some() || item.get("digest").is_some())
}
