//! The targets of a wait: objects by name, or by selection.

use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::selector::LabelSelector;

/// The selected objects.
#[derive(Debug, Clone, Default)]
pub struct WaitTargets {
    /// Objects by name. If there are any, no other option selects.
    pub named: Vec<NamedTarget>,
    /// Only objects of these kinds or categories; those of all engines if empty.
    pub kinds: Vec<String>,
    /// Only this object, and those that it owns or applied.
    pub owner: Option<String>,
    /// Only objects with these labels.
    pub selector: LabelSelector,
    /// Only objects of this namespace, and cluster-scoped ones.
    pub namespace: Option<String>,
}

/// An object that the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTarget {
    /// Its kind, by any name that kubectl accepts.
    pub kind: String,
    /// Its namespace, if it differs from that of all targets.
    pub namespace: Option<String>,
    /// Name of the object.
    pub name: String,
}

impl NamedTarget {
    /// Converts a full name of an object.
    pub fn from_object_name(object: &ObjectName) -> Self {
        Self { kind: object.full_kind(), namespace: object.namespace.clone(), name: object.name.clone() }
    }

    /// Returns the full name; the kind is guessed if it is unknown.
    pub fn object_name(&self, kinds: &[impl AsRef<ResourceKind>], namespace: Option<&str>) -> ObjectName {
        let known = kinds.iter().map(AsRef::as_ref).find(|kind| kind.is_called(&self.kind));
        let guessed = || {
            let (kind, group) = self.kind.split_once('.').unwrap_or((&self.kind, ""));
            ResourceKind::guess(group, kind)
        };
        let kind = known.cloned().unwrap_or_else(guessed);
        let namespace = self.namespace.as_deref().or(namespace);
        let has_place = self.namespace.is_some() || kind.scope == ResourceScope::Namespaced;
        ObjectName::in_kind(&kind, namespace.filter(|_| has_place), &self.name)
    }
}

impl WaitTargets {
    /// Parses the words of the command line: `KIND/NAME…`, `KIND NAME…`, or `KIND[,KIND]` alone.
    ///
    /// # Errors
    /// Fails when the words are invalid.
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut targets = Self::default();
        let named = |kind: &str, name: &str| match kind.is_empty() || name.is_empty() || name.contains('/') {
            true => Err(Error::usage(format!("'{kind}/{name}' is not an object: use KIND/NAME or KIND NAME"))),
            false => Ok(NamedTarget { kind: kind.to_owned(), namespace: None, name: name.to_owned() }),
        };
        let (with_slash, plain): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.contains('/'));
        for word in &with_slash {
            let (kind, name) = word.split_once('/').unwrap_or_default();
            targets.named.push(named(kind, name)?);
        }
        match plain.as_slice() {
            [] => {}
            _ if !with_slash.is_empty() => {
                let message = format!("'{}' cannot be combined with KIND/NAME", plain[0]);
                return Err(Error::usage(message).hint("name every object as KIND/NAME, or all as KIND NAME NAME"));
            }
            [kinds] => targets.kinds = kinds.split(',').map(str::to_owned).collect(),
            [kind, names @ ..] => {
                for name in names {
                    targets.named.push(named(kind, name)?);
                }
            }
        }
        Ok(targets)
    }

    /// Returns true if objects of a kind may be targets.
    pub fn may_select_kind(&self, kind: &ResourceKind) -> bool {
        match self.named.as_slice() {
            [] => self.kinds.is_empty() || self.kinds.iter().any(|word| engine::is_selected_by(kind, word)),
            named => named.iter().any(|named| engine::is_selected_by(kind, &named.kind)),
        }
    }

    /// Returns the words that match no kind.
    pub fn unknown_words<'a>(&'a self, kinds: &[impl AsRef<ResourceKind>]) -> Vec<&'a str> {
        let words = self.named.iter().map(|named| &named.kind).chain(&self.kinds);
        let is_known = |word: &str| kinds.iter().any(|kind| engine::is_selected_by(kind.as_ref(), word));
        let mut unknown: Vec<&str> = words.map(String::as_str).filter(|word| !is_known(word)).collect();
        unknown.dedup();
        unknown
    }

    /// Returns true if an object is selected, regardless of its owner.
    pub fn select(&self, resource: &Resource) -> bool {
        if !self.is_in_namespace(resource) || !self.may_select_kind(&resource.kind) {
            return false;
        }
        match self.named.as_slice() {
            [] => self.selector.matches(&resource.metadata),
            named => named.iter().any(|named| named.refers_to(resource)),
        }
    }

    /// Returns true if `--owner` names the object: `NAME`, `KIND/NAME` or `NAMESPACE/NAME`.
    pub fn is_owner(&self, resource: &Resource) -> bool {
        let Some(owner) = self.owner.as_deref() else { return false };
        let metadata = &resource.metadata;
        let (place, name) = owner.rsplit_once('/').unwrap_or(("", owner));
        let is_there =
            place.is_empty() || metadata.namespace.as_deref() == Some(place) || resource.kind.is_called(place);
        metadata.name == name && is_there && engine::may_own(&resource.kind) && self.is_in_namespace(resource)
    }

    fn is_in_namespace(&self, resource: &Resource) -> bool {
        match (&self.namespace, &resource.metadata.namespace) {
            (Some(wanted), Some(actual)) => wanted == actual,
            _ => true,
        }
    }
}

impl NamedTarget {
    /// Returns true if it refers to an object, in any namespace if it has none.
    pub fn refers_to(&self, resource: &Resource) -> bool {
        self.name == resource.metadata.name
            && self.is_in(resource.metadata.namespace.as_deref())
            && engine::is_selected_by(&resource.kind, &self.kind)
    }

    /// Returns true if it refers to a namespace. A cluster-scoped object matches any namespace: kustomize writes one
    /// into kinds that it does not know.
    fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none() || self.namespace.is_none() || self.namespace.as_deref() == namespace
    }

    /// Returns true if it refers to an object of which only the key is known.
    pub fn refers_to_key(&self, key: &ObjectKey, kinds: &[impl AsRef<ResourceKind>]) -> bool {
        let mut kinds = kinds.iter().map(AsRef::as_ref);
        self.name == key.name
            && self.is_in(key.namespace.as_deref())
            && kinds.any(|kind| kind.group == key.group && kind.kind == key.kind && kind.is_called(&self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_core::failure::Failure;

    fn parsed(words: &str) -> Result<(String, String), Failure> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let targets = WaitTargets::parse(&words)?;
        let named: Vec<String> = targets.named.iter().map(|named| format!("{}/{}", named.kind, named.name)).collect();
        Ok((named.join(" "), targets.kinds.join(" ")))
    }

    #[test]
    fn arguments_are_the_same_as_for_kubectl_wait() {
        for (words, named, kinds) in [
            ("", "", ""),
            ("bucket/a", "bucket/a", ""),
            ("bucket/a queue/b", "bucket/a queue/b", ""),
            ("bucket a b", "bucket/a bucket/b", ""),
            ("bucket,queue", "", "bucket queue"),
        ] {
            assert_eq!(parsed(words), Ok((named.to_owned(), kinds.to_owned())), "{words}");
        }
        for words in ["bucket/", "/a", "a/b/c", "bucket/a b"] {
            assert!(parsed(words).is_err(), "{words}");
        }
    }
}
