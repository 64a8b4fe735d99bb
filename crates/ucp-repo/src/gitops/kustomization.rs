//! Model of one kustomization, limited to fields that affect images.

use regex::Regex;

use crate::gitops::path;
use crate::slot::images_key;
use crate::yaml::YamlError;
use crate::yaml::tree::{self, YamlNode};
use ucp_core::model::image::{ImageReference, ImageVersion};

/// Kustomization file.
#[derive(Debug)]
pub struct Kustomization {
    /// Directory, relative to the root of the repository.
    pub directory: String,
    /// Path of the file.
    pub file: String,
    /// Kustomization or component.
    pub kind: KustomizationKind,
    /// `resources` and `bases`.
    pub resources: Vec<KustomizationTarget>,
    /// `components`.
    pub components: Vec<KustomizationTarget>,
    /// `images`, or the old `imageTags`.
    pub images: Vec<ImageEntry>,
    /// `patches`, `patchesStrategicMerge`, and `patchesJson6902`, in kustomize's order.
    pub patches: Vec<KustomizationPatch>,
    /// `namePrefix` and `nameSuffix`.
    pub affixes: (String, String),
    /// True if resources are generated: by generators, charts, or plugins. Their images are not visible.
    pub generates: bool,
    /// True if a replacement splits an image at its colons.
    pub splits_images: bool,
    /// Replacements that write images.
    pub replacements: Vec<Replacement>,
    /// Files with further replacements.
    pub replacement_files: Vec<String>,
    /// `transformers`.
    pub transformers: Vec<KustomizationTarget>,
}

/// Replacement that writes images from a source that is not an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Selectors, as pairs of field and name, for each target that is an image.
    pub images: Vec<Vec<(String, String)>>,
}

impl Replacement {
    /// Parses the replacements of a file: one, or a list.
    pub fn from_document(document: &YamlNode) -> Vec<Self> {
        let items = document.items();
        let nodes = if items.is_empty() { std::slice::from_ref(document) } else { items };
        nodes.iter().filter_map(Self::parse).collect()
    }

    fn parse(node: &YamlNode) -> Option<Self> {
        let is_image = |path: &str| path.ends_with("image");
        let is_workload = |path: &str| is_image(path) && path.contains("ontainers");
        // An image that is copied from another one follows it.
        if node.get("source").and_then(|source| source.text_at("fieldPath")).is_some_and(is_workload) {
            return None;
        }
        let targets = node.get("targets").map(YamlNode::items).unwrap_or_default().iter();
        let targets = targets.filter(|target| {
            let paths = target.get("fieldPaths").map(YamlNode::items).unwrap_or_default();
            paths.iter().filter_map(YamlNode::text).any(is_image)
        });
        let images: Vec<Vec<(String, String)>> = targets
            .map(|target| {
                let select = target.get("select").map(YamlNode::entries).unwrap_or_default().iter();
                select.filter_map(|(key, value)| Some((key.text()?.to_owned(), value.text()?.to_owned()))).collect()
            })
            .collect();
        (!images.is_empty()).then_some(Self { images })
    }
}

/// Kind of a kustomization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KustomizationKind {
    /// A complete kustomization.
    Kustomization,
    /// A component, which changes the resources of another kustomization.
    Component,
}

/// Path or URL in `resources` or `components`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KustomizationTarget {
    /// File or directory of this repository.
    Local(String),
    /// Remote directory: the URL without its query.
    Remote(String),
    /// Path outside of the repository.
    Outside(String),
}

/// Entry of `images`.
#[derive(Debug)]
pub struct ImageEntry {
    /// Name as written, which kustomize treats as a pattern.
    pub name: String,
    /// `newName`.
    pub new_name: Option<String>,
    /// `newTag` and `digest`, or the version inside of `newName`.
    pub version: ImageVersion,
    /// Index in the list.
    pub position: usize,
    /// `tagSuffix`.
    pub tag_suffix: Option<String>,
    pattern: NamePattern,
}

/// Matching of a name. kustomize compiles `^<name>(:tag)?(@digest)?$` without escaping the name.
#[derive(Debug)]
enum NamePattern {
    /// Literal characters, except for dots.
    Literal,
    /// Any other pattern; `None` if it is not a valid regular expression.
    Expression(Option<Regex>),
}

/// Patch that may change images.
#[derive(Debug)]
pub struct KustomizationPatch {
    /// Location of the patch.
    pub body: PatchBody,
    /// `target`, as pairs of field and pattern; empty if the patch itself names its resource.
    pub target: Vec<(String, String)>,
}

/// Location of a patch.
#[derive(Debug)]
pub enum PatchBody {
    /// File of this repository.
    File(String),
    /// Text in the kustomization.
    Inline(String),
}

impl ImageEntry {
    /// Returns true if kustomize applies this entry to an image.
    pub fn matches(&self, image: &ImageReference) -> bool {
        match &self.pattern {
            NamePattern::Literal if image.name == self.name => true,
            NamePattern::Literal if !self.name.contains(['.', ':']) => false,
            NamePattern::Literal => {
                let image = image.to_string();
                let name = self.name.as_bytes();
                let equal = |(left, right): (&u8, &u8)| left == right || *left == b'.';
                image.len() >= name.len()
                    && name.iter().zip(image.as_bytes()).all(equal)
                    && image.get(name.len()..).is_some_and(is_version_suffix)
            }
            NamePattern::Expression(expression) => {
                expression.as_ref().is_some_and(|regex| regex.is_match(&image.to_string()))
            }
        }
    }

    /// Returns true if the name matches an image other than literally: as a regular expression, or by dots that match
    /// other characters.
    pub fn is_pattern_for(&self, image: &ImageReference) -> bool {
        let with_tag = image.version.tag.as_ref().map(|tag| format!("{}:{tag}", image.name));
        matches!(self.pattern, NamePattern::Expression(_))
            || (self.name != image.name && Some(&self.name) != with_tag.as_ref())
    }

    /// Returns true if the name contains pattern characters other than dots.
    pub(crate) fn is_expression(&self) -> bool {
        matches!(self.pattern, NamePattern::Expression(_))
    }

    /// Returns the image after kustomize applies this entry to it.
    pub fn apply(&self, image: &ImageReference) -> ImageReference {
        let mut result = image.clone();
        if let Some(name) = &self.new_name {
            let named = ImageReference::split(name);
            result.name = named.name;
            if !named.version.is_empty() {
                result.version = named.version;
                return result;
            }
        }
        if !self.version.is_empty() {
            result.version = self.version.clone();
        } else if let Some(suffix) = &self.tag_suffix {
            result.version = ImageVersion::tag(format!("{}{suffix}", result.version.tag.unwrap_or_default()));
        }
        result
    }

    /// Returns true if the entry sets the version.
    pub fn sets_version(&self) -> bool {
        !self.version.is_empty() || self.tag_suffix.is_some()
    }
}

fn is_version_suffix(rest: &str) -> bool {
    let (tag, digest) = rest.split_once('@').map_or((rest, None), |(tag, digest)| (tag, Some(digest)));
    let word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_.{}-".contains(c));
    let tag = tag.is_empty() || tag.strip_prefix(':').is_some_and(word);
    tag && digest
        .is_none_or(|digest| digest.split_once(':').is_some_and(|(algorithm, hex)| word(algorithm) && word(hex)))
}

impl Kustomization {
    /// Parses the text of a kustomization file.
    ///
    /// # Errors
    /// Fails when the text is not YAML, or has several documents.
    pub fn parse(file: &str, source: &str) -> Result<Self, YamlError> {
        let root = tree::read_one(source)?;
        let directory = path::parent(file).to_owned();
        let targets = |keys: &[&str]| -> Vec<KustomizationTarget> {
            let lists = keys.iter().filter_map(|key| root.get(key));
            lists
                .flat_map(YamlNode::items)
                .filter_map(YamlNode::text)
                .map(|text| KustomizationTarget::parse(&directory, text))
                .collect()
        };
        let text = |key: &str| root.text_at(key).unwrap_or_default().to_owned();
        // `configurations` may configure further image fields.
        const MADE: [&str; 5] =
            ["generators", "helmCharts", "helmChartInflationGenerator", "transformers", "configurations"];
        let entries = root.get(images_key(&root)).map(YamlNode::items).unwrap_or_default();
        for (key, value) in entries.iter().flat_map(YamlNode::entries) {
            if value.text().is_some_and(|text| text.contains(char::is_control)) {
                let key = key.text().unwrap_or_default();
                return Err(YamlError::new(
                    value.line,
                    format!("{key:?} of an image has a line break or another control character"),
                ));
            }
        }
        Ok(Self {
            kind: if root.text_at("kind") == Some("Component") {
                KustomizationKind::Component
            } else {
                KustomizationKind::Kustomization
            },
            resources: targets(&["resources", "bases"]),
            components: targets(&["components"]),
            images: entries
                .iter()
                .enumerate()
                .filter_map(|(position, node)| ImageEntry::parse(node, position))
                .collect(),
            patches: patches(&root, &directory),
            affixes: (text("namePrefix"), text("nameSuffix")),
            generates: MADE.iter().any(|key| root.get(key).is_some_and(|value| !value.items().is_empty())),
            splits_images: root.get("replacements").map(YamlNode::items).unwrap_or_default().iter().any(splits_image),
            replacements: root
                .get("replacements")
                .map(YamlNode::items)
                .unwrap_or_default()
                .iter()
                .filter_map(Replacement::parse)
                .collect(),
            replacement_files: root
                .get("replacements")
                .map(YamlNode::items)
                .unwrap_or_default()
                .iter()
                .filter_map(|node| path::join(&directory, node.text_at("path")?))
                .collect(),
            transformers: targets(&["transformers"]),
            directory,
            file: file.to_owned(),
        })
    }

    /// Returns the files with patches.
    pub fn patch_files(&self) -> impl Iterator<Item = &str> {
        self.patches.iter().filter_map(|patch| match &patch.body {
            PatchBody::File(file) => Some(file.as_str()),
            PatchBody::Inline(_) => None,
        })
    }
}

impl ImageEntry {
    fn parse(node: &YamlNode, position: usize) -> Option<Self> {
        let name = node.text_at("name")?.to_owned();
        let special = |c: char| "*+?()[]{}|^$\\".contains(c);
        let pattern = if name.contains(special) {
            let expression = format!("^{name}(:[a-zA-Z0-9_.{{}}-]*)?(@[a-zA-Z][a-zA-Z0-9]*:[a-zA-Z0-9_.{{}}-]*)?$");
            NamePattern::Expression(Regex::new(&expression).ok())
        } else {
            NamePattern::Literal
        };
        let filled = |key: &str| node.text_at(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let version = entry_version(node);
        Some(Self { name, position, new_name: filled("newName"), version, tag_suffix: filled("tagSuffix"), pattern })
    }
}

impl KustomizationTarget {
    /// Returns the path if it is inside of this repository.
    pub fn local(&self) -> Option<&str> {
        match self {
            Self::Local(path) => Some(path),
            Self::Remote(_) | Self::Outside(_) => None,
        }
    }

    fn parse(directory: &str, text: &str) -> Self {
        let remote = text.contains("://")
            || text.contains("?ref=")
            || text.starts_with("git@")
            || text.starts_with("github.com/");
        if remote {
            return Self::Remote(text.split('?').next().unwrap_or(text).to_owned());
        }
        path::join(directory, text).map_or_else(|| Self::Outside(text.to_owned()), Self::Local)
    }
}

fn patches(root: &YamlNode, directory: &str) -> Vec<KustomizationPatch> {
    let mut patches = Vec::new();
    let file = |text: &str| path::join(directory, text).map(PatchBody::File);
    for node in root.get("patchesStrategicMerge").map(YamlNode::items).unwrap_or_default() {
        let Some(text) = node.text() else { continue };
        let body = if text.contains('\n') { Some(PatchBody::Inline(text.to_owned())) } else { file(text) };
        patches.extend(body.map(|body| KustomizationPatch { body, target: Vec::new() }));
    }
    for node in ["patches", "patchesJson6902"].into_iter().filter_map(|key| root.get(key)).flat_map(YamlNode::items) {
        let inline = node.text_at("patch").filter(|patch| !patch.is_empty());
        let inline = inline.map(|patch| PatchBody::Inline(patch.to_owned()));
        let body = inline.or_else(|| node.text_at("path").and_then(file));
        let target = node.get("target").map(YamlNode::entries).unwrap_or_default();
        let target = target.iter().filter_map(|(key, value)| Some((key.text()?.to_owned(), value.text()?.to_owned())));
        patches.extend(body.map(|body| KustomizationPatch { body, target: target.collect() }));
    }
    patches
}

/// Returns true if a replacement copies a part of an image, split at a colon.
fn splits_image(replacement: &YamlNode) -> bool {
    let source = replacement.get("source");
    let path = source.and_then(|source| source.text_at("fieldPath")).unwrap_or_default();
    let delimiter = source.and_then(|source| source.get("options")).and_then(|options| options.text_at("delimiter"));
    path.ends_with("image") && delimiter == Some(":")
}

/// Returns the version that an entry sets, from `newTag`, `digest`, or a tag inside of `newName`.
fn entry_version(entry: &YamlNode) -> ImageVersion {
    let filled = |key: &str| entry.text_at(key).filter(|text| !text.is_empty()).map(str::to_owned);
    let version = ImageVersion { tag: filled("newTag"), digest: filled("digest") };
    if version.is_empty() { new_name_version(entry) } else { version }
}

/// Returns the version inside of an entry's `newName`.
fn new_name_version(entry: &YamlNode) -> ImageVersion {
    entry.text_at("newName").map(|name| ImageReference::split(name).version).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> ImageEntry {
        let root = tree::parse_one(text).unwrap();
        ImageEntry::parse(&root, 0).unwrap()
    }

    #[test]
    fn names_match_as_in_kustomize() {
        let matches =
            |name: &str, image: &str| entry(&format!("name: '{name}'")).matches(&ImageReference::split(image));
        assert!(matches("nginx", "nginx:1.2"));
        assert!(!matches("nginx", "docker.io/library/nginx"));
        assert!(matches("a.b/c", "axb/c:1"), "a dot is any letter");
        assert!(!matches("a.b/c", "a.b/cd:1"));
        assert!(matches("alpine:latest", "alpine:latest") && !matches("alpine:latest", "alpine:3"));
        assert!(matches(".*/app", "registry/app:1") && matches("x|y.*", "y-1"));
        assert!(!matches("(", "("));
        assert!(entry("name: .*/app").is_pattern_for(&ImageReference::split("registry/app")));
        assert!(!entry("name: a.b/c").is_pattern_for(&ImageReference::split("a.b/c:1")));
        assert!(entry("name: a.b/c").is_pattern_for(&ImageReference::split("axb/c:1")));
    }

    #[test]
    fn entries_apply_as_in_kustomize() {
        let apply = |text: &str, image: &str| entry(text).apply(&ImageReference::split(image)).to_string();
        assert_eq!(apply("{name: a, newTag: v2}", "a:v1@sha256:0a"), "a:v2");
        assert_eq!(apply("{name: a, digest: 'sha256:0b'}", "a:v1"), "a@sha256:0b");
        assert_eq!(apply("{name: a, newTag: v2, digest: 'sha256:0b'}", "a:v1"), "a:v2@sha256:0b");
        assert_eq!(apply("{name: a, newName: 'b:5000/c'}", "a:v1"), "b:5000/c:v1");
        assert_eq!(apply("{name: a, tagSuffix: -x}", "a:v1"), "a:v1-x");
        assert_eq!(apply("{name: a, newTag: v2, tagSuffix: -x}", "a:v1"), "a:v2");
    }
}
