//! Locations of a text in an object, such as a name, namespace, or kind.

use serde_json::Value;

use crate::model::body::any::GenericObject;
use crate::model::resource::Resource;

/// The location of a text in an object.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) enum TextLocation {
    /// No text.
    Nowhere,
    /// A constant text.
    Is(&'static str),
    /// The object's own name.
    Name,
    /// The object's own name with a suffix.
    NameWith(&'static str),
    /// The object's own namespace.
    Namespace,
    /// A dotted path in `spec`.
    Spec(&'static str),
    /// A dotted path in `spec`, with a default.
    SpecOr(&'static str, &'static str),
    /// A dotted path in `spec`; the object's own name by default.
    SpecOrName(&'static str),
    /// A dotted path in `status`.
    Status(&'static str),
    /// A label.
    Label(&'static str),
    /// An annotation.
    Annotation(&'static str),
    /// A field of the referring item, such as `name` of an item of `spec.dependsOn`.
    Item(&'static str),
    /// A field of the referring item, with a default.
    ItemOr(&'static str, &'static str),
}

impl TextLocation {
    /// Returns the text if it is present and not empty.
    pub(in crate::engine) fn read(
        self,
        resource: &Resource,
        any: Option<&GenericObject>,
        item: Option<&Value>,
    ) -> Option<String> {
        let metadata = &resource.metadata;
        let spec = |path: &str| any.and_then(|any| text(&any.spec, path));
        let of_item = |path: &str| item.and_then(|item| text(item, path));
        let found = match self {
            Self::Nowhere => None,
            Self::Is(text) => Some(text.to_owned()),
            Self::Name => Some(metadata.name.clone()),
            Self::NameWith(ending) => Some(format!("{}{ending}", metadata.name)),
            Self::Namespace => metadata.namespace.clone(),
            Self::Spec(path) => spec(path),
            Self::SpecOr(path, otherwise) => Some(spec(path).unwrap_or_else(|| otherwise.to_owned())),
            Self::SpecOrName(path) => Some(spec(path).unwrap_or_else(|| metadata.name.clone())),
            Self::Status(path) => any.and_then(|any| text(&any.status, path)),
            Self::Label(key) => metadata.label(key).map(str::to_owned),
            Self::Annotation(key) => metadata.annotation(key).map(str::to_owned),
            Self::Item(path) => of_item(path),
            Self::ItemOr(path, otherwise) => Some(of_item(path).unwrap_or_else(|| otherwise.to_owned())),
        };
        // The core group is an empty text.
        found.filter(|found| !found.is_empty() || matches!(self, Self::Is(_)))
    }
}

/// Returns the value at a dotted path.
pub(super) fn at<'value>(value: &'value Value, path: &str) -> Option<&'value Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// Returns the group of an API version, or of a group. A version without a group belongs to the core group.
pub(super) fn group(text: &str) -> &str {
    let is_version =
        |text: &str| text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|one: char| one.is_ascii_digit()));
    match text.split_once('/') {
        Some((group, _)) => group,
        None if is_version(text) => "",
        None => text,
    }
}

fn text(value: &Value, path: &str) -> Option<String> {
    at(value, path)?.as_str().map(str::to_owned)
}

/// Returns the items of the list at a dotted path, or the single object at that path.
pub(super) fn items<'value>(value: &'value Value, path: &str) -> Vec<&'value Value> {
    match at(value, path) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => Vec::new(),
    }
}
