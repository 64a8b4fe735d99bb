//! Names of objects on the command line: `NAME`, `KIND/NAME` and `KIND NAME…`, as every command takes them. Commands that list
//! objects also take kinds: see [`crate::cli::asked`].

use std::collections::BTreeSet;

use crate::cli::Context;
use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;

/// The hint for a name that no object has.
pub(super) const PASS_KIND: &str = "without KIND, only objects of the engines are searched; pass KIND/NAME";

/// An object on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedObject {
    pub(super) kind: Option<String>,
    pub(super) name: String,
}

impl NamedObject {
    /// Reads the name of one object.
    pub(super) fn parse(words: &[String]) -> Result<Self> {
        match <[Self; 1]>::try_from(Self::parse_all(words)?) {
            Ok([one]) => Ok(one),
            Err(_) => Err(Error::usage("name one object: KIND/NAME, KIND NAME or NAME")),
        }
    }

    /// Reads the names of objects. A single word without a slash is a name; of several, the first one is the kind.
    pub(super) fn parse_all(words: &[String]) -> Result<Vec<Self>> {
        let (with_slash, plain): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.contains('/'));
        let (kind, names) = match plain.as_slice() {
            [kind, names @ ..] if !names.is_empty() => (Some(*kind), names),
            names => (None, names),
        };
        let of_kind = names.iter().map(|name| (kind.map(String::as_str), name.as_str()));
        let slashed = with_slash.iter().filter_map(|word| word.split_once('/')).map(|(kind, name)| (Some(kind), name));
        let named = |(kind, name): (Option<&str>, &str)| match name.is_empty() || kind.is_some_and(str::is_empty) {
            true => Err(Error::usage("the object has no name: KIND/NAME, KIND NAME or NAME")),
            false => Ok(Self { kind: kind.map(str::to_owned), name: name.to_owned() }),
        };
        slashed.chain(of_kind).map(named).collect()
    }

    pub(super) fn is_kind(&self, kind: &ResourceKind) -> bool {
        self.kind.as_ref().is_none_or(|word| engine::is_selected_by(kind, word))
    }

    pub(super) fn shown(&self) -> String {
        self.kind.as_ref().map_or_else(|| self.name.clone(), |kind| format!("{kind}/{}", self.name))
    }
}

/// Adds the namespaces of such objects to an error for a wrong `-n`.
pub(super) fn with_other_namespaces<'r>(error: Error, alike: impl Iterator<Item = &'r Resource>) -> Error {
    let namespaces: BTreeSet<&str> = alike.filter_map(|resource| resource.metadata.namespace.as_deref()).collect();
    match Vec::from_iter(namespaces).as_slice() {
        [] => error,
        [one] => error.hint(format!("it is in {one}: use -n {}", quote_word(one))),
        many => error.hint(format!("it is in {}: choose one with -n", many.join(", "))),
    }
}

impl Context {
    /// Adds the namespaces of such objects to an error, for a command that read only the namespace of `-n`.
    pub(super) fn with_namespaces_elsewhere(
        &self,
        error: Error,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        is_alike: impl Fn(&Resource) -> bool,
    ) -> Error {
        if self.globals.scope.namespace.is_none() || self.has_several_sources() {
            return error;
        }
        match self.read_in(None, want) {
            Ok(state) => with_other_namespaces(error, state.resources.iter().filter(|resource| is_alike(resource))),
            Err(_) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_with_or_without_a_kind() {
        let named = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let all = NamedObject::parse_all(&words).unwrap();
            all.iter().map(NamedObject::shown).collect::<Vec<_>>().join(" ")
        };
        for (words, expected) in [
            ("web", "web"),
            ("application web", "application/web"),
            ("application web api", "application/web application/api"),
            ("application/web bucket/logs", "application/web bucket/logs"),
            ("application/web logs", "application/web logs"),
        ] {
            assert_eq!(named(words), expected, "{words}");
        }
        for words in ["", "/web", "application/"] {
            assert!(NamedObject::parse_all(&[words.to_owned()]).is_err(), "{words}");
        }
        assert!(NamedObject::parse(&["a/b".to_owned(), "c/d".to_owned()]).is_err());
    }
}
