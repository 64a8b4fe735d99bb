//! What is waited for: objects by name, or all that fit.

use crate::engine;
use crate::error::{Error, Result};
use crate::model::kind::ResourceKind;
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::selector::LabelSelector;

/// Which objects.
#[derive(Debug, Clone, Default)]
pub struct Targets {
    /// Objects by name. Where there are any, nothing else selects.
    pub named: Vec<Named>,
    /// Only objects of these kinds or categories; of all engines where empty.
    pub kinds: Vec<String>,
    /// Only this object and what it is made of, or applied.
    pub owner: Option<String>,
    /// Only objects with these labels.
    pub selector: LabelSelector,
    /// Only objects of this namespace, and those that have none.
    pub namespace: Option<String>,
}

/// An object that is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its kind, under any name that kubectl takes.
    pub kind: String,
    /// Its namespace, where it is another than that of all targets.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Named {
    /// An object by its full name.
    pub fn of(object: &ObjectName) -> Self {
        Self { kind: object.full_kind(), namespace: object.namespace.clone(), name: object.name.clone() }
    }

    /// What is shown of it where nobody knows its kind.
    pub fn object(&self, kinds: &[impl AsRef<ResourceKind>], namespace: Option<&str>) -> ObjectName {
        let known = kinds.iter().map(AsRef::as_ref).find(|kind| kind.is_called(&self.kind));
        let guessed = || {
            let (kind, group) = self.kind.split_once('.').unwrap_or((&self.kind, ""));
            ResourceKind::guess(group, kind)
        };
        let kind = known.cloned().unwrap_or_else(guessed);
        ObjectName {
            api_version: kind.api_version(),
            kind: kind.kind.clone(),
            namespace: self
                .namespace
                .as_deref()
                .or(namespace)
                .map(str::to_owned)
                .filter(|_| self.namespace.is_some() || kind.scope == crate::model::kind::Scope::Namespaced),
            name: self.name.clone(),
        }
    }
}

impl Targets {
    /// Reads the words of the command line: `KIND/NAME…`, `KIND NAME…`, or `KIND[,KIND]` alone.
    ///
    /// # Errors
    /// Where they make no sense.
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut targets = Self::default();
        let named = |kind: &str, name: &str| match kind.is_empty() || name.is_empty() || name.contains('/') {
            true => Err(Error::usage(format!("'{kind}/{name}' names no object: KIND/NAME or KIND NAME"))),
            false => Ok(Named { kind: kind.to_owned(), namespace: None, name: name.to_owned() }),
        };
        let (with_slash, plain): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.contains('/'));
        for word in &with_slash {
            let (kind, name) = word.split_once('/').unwrap_or_default();
            targets.named.push(named(kind, name)?);
        }
        match plain.as_slice() {
            [] => {}
            _ if !with_slash.is_empty() => {
                let message = format!("'{}' stands beside KIND/NAME", plain[0]);
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

    /// Whether objects of a kind may be among them.
    pub fn may_mean(&self, kind: &ResourceKind) -> bool {
        match self.named.as_slice() {
            [] => self.kinds.is_empty() || self.kinds.iter().any(|word| engine::is_meant(kind, word)),
            named => named.iter().any(|named| engine::is_meant(kind, &named.kind)),
        }
    }

    /// Words for kinds that none of these is called.
    pub fn unknown<'a>(&'a self, kinds: &[impl AsRef<ResourceKind>]) -> Vec<&'a str> {
        let words = self.named.iter().map(|named| &named.kind).chain(&self.kinds);
        let is_known = |word: &str| kinds.iter().any(|kind| engine::is_meant(kind.as_ref(), word));
        let mut unknown: Vec<&str> = words.map(String::as_str).filter(|word| !is_known(word)).collect();
        unknown.dedup();
        unknown
    }

    /// Whether an object is one of them, whatever owns it.
    pub fn select(&self, resource: &Resource) -> bool {
        if !self.is_in_namespace(resource) || !self.may_mean(&resource.kind) {
            return false;
        }
        match self.named.as_slice() {
            [] => self.selector.matches(&resource.metadata),
            named => named.iter().any(|named| named.is(resource)),
        }
    }

    /// Whether an object is what `--owner` names: `NAME`, `KIND/NAME` or `NAMESPACE/NAME`.
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

impl Named {
    /// Whether it means an object, whatever its namespace where it names none.
    pub fn is(&self, resource: &Resource) -> bool {
        self.name == resource.metadata.name
            && self.is_in(resource.metadata.namespace.as_deref())
            && engine::is_meant(&resource.kind, &self.kind)
    }

    /// Whether it means what is in a namespace. What is in none is meant whatever namespace is written: kustomize writes one
    /// into kinds that it does not know.
    fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none() || self.namespace.is_none() || self.namespace.as_deref() == namespace
    }

    /// Whether it means an object of which only the name is known.
    pub fn is_key(&self, key: &ObjectKey, kinds: &[impl AsRef<ResourceKind>]) -> bool {
        let mut kinds = kinds.iter().map(AsRef::as_ref);
        self.name == key.name
            && self.is_in(key.namespace.as_deref())
            && kinds.any(|kind| kind.group == key.group && kind.kind == key.kind && kind.is_called(&self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> std::result::Result<(String, String), String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let targets = Targets::parse(&words).map_err(|error| error.message())?;
        let named: Vec<String> = targets.named.iter().map(|named| format!("{}/{}", named.kind, named.name)).collect();
        Ok((named.join(" "), targets.kinds.join(" ")))
    }

    #[test]
    fn words_are_those_of_kubectl_wait() {
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
