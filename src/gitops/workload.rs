//! Images in manifests and patches: where kustomize looks for them.

use crate::model::image::Reference;
use crate::yaml::tree::Node;

/// A container's image in a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The kind of the resource.
    pub kind: String,
    /// The name of the resource.
    pub name: String,
    /// The JSON pointer of the image in it.
    pub pointer: String,
    /// The pointer of the list that the container is in, and the container's name.
    pub container: (String, String),
    /// The image.
    pub image: Reference,
}

/// The images of every resource in these documents: any `containers` and `initContainers` at any depth, and image volumes;
/// custom resource definitions are left alone, as kustomize does.
pub fn images(documents: &[Node]) -> Vec<Found> {
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

fn resource(root: &Node, found: &mut Vec<Found>) {
    let kind = root.text_at("kind").unwrap_or_default();
    if kind == "CustomResourceDefinition" {
        return;
    }
    let name = root.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
    let mut open = vec![(String::new(), root)];
    while let Some((pointer, node)) = open.pop() {
        for (key, value) in node.entries() {
            let Some(key) = key.text() else { continue };
            let below = format!("{pointer}/{key}");
            for (index, item) in value.items().iter().enumerate() {
                let (field, text) = match key {
                    "containers" | "initContainers" => ("image", item.text_at("image")),
                    "volumes" => ("image/reference", item.get("image").and_then(|image| image.text_at("reference"))),
                    _ => ("", None),
                };
                if let Some(text) = text {
                    found.push(Found {
                        kind: kind.to_owned(),
                        name: name.to_owned(),
                        pointer: format!("{below}/{index}/{field}"),
                        container: (below.clone(), item.text_at("name").unwrap_or_default().to_owned()),
                        image: Reference::split(text),
                    });
                }
                open.push((format!("{below}/{index}"), item));
            }
            open.push((below, value));
        }
    }
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
