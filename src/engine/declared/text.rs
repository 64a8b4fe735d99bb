//! Where an object keeps a text: a name, a namespace, a kind.

use serde_json::Value;

use crate::model::body::any::Any;
use crate::model::resource::Resource;

/// Where an object keeps a text.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) enum Text {
    /// Nowhere.
    Nowhere,
    /// It is always this.
    Is(&'static str),
    /// The object's own name.
    Name,
    /// The object's own name with an ending.
    NameWith(&'static str),
    /// The object's own namespace.
    Namespace,
    /// A dotted path in `spec`.
    Spec(&'static str),
    /// A dotted path in `spec`, or else this.
    SpecOr(&'static str, &'static str),
    /// A dotted path in `spec`, or else the object's own name.
    SpecOrName(&'static str),
    /// A dotted path in `status`.
    Status(&'static str),
    /// A label.
    Label(&'static str),
    /// An annotation.
    Annotation(&'static str),
    /// A field of what refers, such as `name` of an item of `spec.dependsOn`.
    Item(&'static str),
    /// A field of what refers, or else this.
    ItemOr(&'static str, &'static str),
}

impl Text {
    /// The text, where it is there and not empty.
    pub(in crate::engine) fn read(
        self,
        resource: &Resource,
        any: Option<&Any>,
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

/// A value at a dotted path.
pub(super) fn at<'value>(value: &'value Value, path: &str) -> Option<&'value Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// The group of a group or an API version: a bare version is one of the core group.
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

/// The items of a list at a dotted path, or the one object that stands there.
pub(super) fn items<'value>(value: &'value Value, path: &str) -> Vec<&'value Value> {
    match at(value, path) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => Vec::new(),
    }
}
