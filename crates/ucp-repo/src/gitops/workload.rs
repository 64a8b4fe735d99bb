//! Images in manifests and patches, in the fields that kustomize inspects.

use crate::yaml::tree::YamlNode;
use ucp_core::model::image::ImageReference;

/// Image of a container in a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerImage {
    /// Kind of the resource.
    pub kind: String,
    /// Name of the resource.
    pub name: String,
    /// JSON pointer of the image in the resource.
    pub pointer: String,
    /// JSON pointer of the list that contains the container, and the name of the container.
    pub container: (String, String),
    /// Reference of the image.
    pub image: ImageReference,
}

/// Returns the images of all resources in these documents: in `containers` and `initContainers` at any depth, and in
/// image volumes. CustomResourceDefinitions are skipped, as in kustomize.
pub fn images(documents: &[YamlNode]) -> Vec<ContainerImage> {
    let mut found = Vec::new();
    for document in documents {
        let is_list = document.text_at("kind").is_some_and(|kind| kind.ends_with("List"));
        match document.get("items").filter(|_| is_list) {
            Some(items) => items.items().iter().for_each(|item| resource(item, &mut found)),
            None => resource(document, &mut found),
        }
    }
    found
}

fn resource(root: &YamlNode, found: &mut Vec<ContainerImage>) {
    let kind = root.text_at("kind").unwrap_or_default();
    if kind == "CustomResourceDefinition" {
        return;
    }
    let name = root.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
    let images = images_below("", root);
    found.extend(images.into_iter().map(|image| ContainerImage {
        kind: kind.to_owned(),
        name: name.to_owned(),
        ..image
    }));
}

/// Returns the images in a part of a resource at this JSON pointer, without kind and name.
pub fn images_below(pointer: &str, node: &YamlNode) -> Vec<ContainerImage> {
    let mut found = Vec::new();
    let mut open = vec![(pointer.to_owned(), node)];
    while let Some((pointer, node)) = open.pop() {
        let (list, index) = pointer.rsplit_once('/').unwrap_or_default();
        let (field, text) = match list.rsplit('/').next() {
            Some("containers" | "initContainers") => ("image", node.text_at("image")),
            Some("volumes") => ("image/reference", node.get("image").and_then(|image| image.text_at("reference"))),
            _ => ("", None),
        };
        // No image has a control character, and a line break could pass for a line of our output.
        let text = text.filter(|text| !text.contains(char::is_control));
        if let Some(text) = text.filter(|_| index == "-" || index.parse::<usize>().is_ok()) {
            found.push(ContainerImage {
                kind: String::new(),
                name: String::new(),
                pointer: format!("{pointer}/{field}"),
                container: (list.to_owned(), node.text_at("name").unwrap_or_default().to_owned()),
                image: ImageReference::split(text),
            });
        }
        let named =
            node.entries().iter().filter_map(|(key, value)| Some((format!("{pointer}/{}", key.text()?), value)));
        open.extend(named);
        open.extend(node.items().iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_found_at_any_depth_and_not_in_definitions() {
        let text = "kind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: {template: {spec: {initContainers: [{name: i, image: x:1}], containers: [{name: c, image: y}]}}}}}\n---\nkind: CustomResourceDefinition\nspec: {containers: [{image: z}]}\n---\nkind: List\nitems: [{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: w}]}}]\n";
        let mut found = images(&crate::yaml::tree::parse(text).unwrap());
        found.sort_by_key(|found| found.image.to_string());
        let seen: Vec<_> = found.iter().map(|f| (f.kind.as_str(), f.image.to_string(), f.pointer.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("Pod", "w".into(), "/spec/containers/0/image"),
                ("CronJob", "x:1".into(), "/spec/jobTemplate/spec/template/spec/initContainers/0/image"),
                ("CronJob", "y".into(), "/spec/jobTemplate/spec/template/spec/containers/0/image"),
            ]
        );
    }
}
