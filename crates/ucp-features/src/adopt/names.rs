//! Names of objects, and the label of the objects that kubectl ucp manages.

use std::fmt;
use std::str::FromStr;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;

/// The label of all objects that kubectl ucp writes.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "kubectl-ucp");

/// A key of a Secret in the core cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretKeyName {
    /// Namespace of the Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
    /// Key in `data`.
    pub key: String,
}

impl fmt::Display for SecretKeyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.namespace, self.name, self.key)
    }
}

impl FromStr for SecretKeyName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '/').map(str::to_owned);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(namespace), Some(name), Some(key)) => Ok(Self { namespace, name, key }),
            _ => Err(()),
        }
    }
}

/// A namespaced name, `namespace/name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamespacedName {
    /// Namespace of the object.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
}

impl NamespacedName {
    /// The Secret with this name.
    pub fn secret(&self) -> ObjectName {
        ObjectName::secret(&self.namespace, &self.name)
    }

    /// The name of an object; `None` if it is cluster-scoped.
    pub fn from_metadata(metadata: &Metadata) -> Option<Self> {
        Some(Self { namespace: metadata.namespace.clone()?, name: metadata.name.clone() })
    }
}

impl fmt::Display for NamespacedName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl FromStr for NamespacedName {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => fail!("'{text}' is not NAMESPACE/NAME"),
        }
    }
}

/// Converts a name to one that Kubernetes accepts for an object.
pub(crate) fn object_name(name: &str) -> String {
    let allowed = |character: char| match character.to_ascii_lowercase() {
        character @ ('a'..='z' | '0'..='9' | '-' | '.') => character,
        _ => '-',
    };
    let name: String = name.chars().map(allowed).take(200).collect();
    name.trim_matches(['-', '.']).to_owned()
}
