//! Names of objects.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::kind::ResourceKind;
use crate::model::shell::quote_word;

/// An object's name, as in every document of `ucp/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectName {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace, for namespaced kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
}

/// Returns the group of an `apiVersion`; empty for the core group.
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

impl ObjectName {
    /// Returns the name of an object. Absent parts are empty.
    pub fn from_manifest(object: &Value) -> Self {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            api_version: text("/apiVersion"),
            kind: text("/kind"),
            namespace: Some(text("/metadata/namespace")).filter(|namespace| !namespace.is_empty()),
            name: text("/metadata/name"),
        }
    }

    /// Returns the name of an object of a kind.
    pub fn in_kind(kind: &ResourceKind, namespace: Option<&str>, name: &str) -> Self {
        Self {
            api_version: kind.api_version(),
            kind: kind.kind.clone(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Returns the name of a Secret.
    pub fn secret(namespace: &str, name: &str) -> Self {
        Self::in_core_group("Secret", Some(namespace), name)
    }

    /// Returns the name of an object of the core group.
    pub fn in_core_group(kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self {
            api_version: "v1".to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Returns the API group; empty for the core group.
    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }

    /// Returns `kind.group`, in the form that kubectl accepts.
    pub fn full_kind(&self) -> String {
        let kind = self.kind.to_ascii_lowercase();
        match self.group() {
            "" => kind,
            group => format!("{kind}.{group}"),
        }
    }

    /// Returns `kind.group/name`, as printed by `kubectl get -o name`.
    pub fn kind_and_name(&self) -> String {
        format!("{}/{}", self.full_kind(), self.name)
    }
}

/// Formats the name as arguments of a command, quoted for the shell if necessary.
impl fmt::Display for ObjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&quote_word(&self.kind_and_name()))?;
        if let Some(namespace) = &self.namespace {
            write!(formatter, " -n {}", quote_word(namespace))?;
        }
        Ok(())
    }
}

/// An object's name without its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace, for namespaced kinds.
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
}

/// Parses the id of an inventory entry: `<namespace>_<name>_<group>_<kind>`, with colons of RBAC names as `__`
/// (cli-utils `ObjMetadata`).
pub fn inventory_key(id: &str) -> Option<ObjectKey> {
    let (rest, kind) = id.rsplit_once('_')?;
    let (rest, group) = rest.rsplit_once('_')?;
    let (namespace, name) = rest.split_once('_')?;
    Some(ObjectKey {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty()),
        name: name.replace("__", ":"),
    })
}

/// A borrowed [`ObjectKey`], for lookups without copying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKeyRef<'a> {
    /// API group; empty for the core group.
    pub group: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Namespace, for namespaced kinds.
    pub namespace: Option<&'a str>,
    /// Name.
    pub name: &'a str,
}

impl ObjectName {
    /// Returns the key of the object: its name without the version.
    pub fn key_ref(&self) -> ObjectKeyRef<'_> {
        ObjectKeyRef { group: self.group(), kind: &self.kind, namespace: self.namespace.as_deref(), name: &self.name }
    }
}

impl ObjectKey {
    /// Returns a borrowed key.
    pub fn key_ref(&self) -> ObjectKeyRef<'_> {
        ObjectKeyRef { group: &self.group, kind: &self.kind, namespace: self.namespace.as_deref(), name: &self.name }
    }
}

impl From<ObjectKeyRef<'_>> for ObjectKey {
    fn from(key: ObjectKeyRef<'_>) -> Self {
        Self {
            group: key.group.to_owned(),
            kind: key.kind.to_owned(),
            namespace: key.namespace.map(str::to_owned),
            name: key.name.to_owned(),
        }
    }
}

impl From<&ObjectName> for ObjectKey {
    fn from(object: &ObjectName) -> Self {
        object.key_ref().into()
    }
}

impl fmt::Display for ObjectKey {
    /// Formats as `kind.group/name`, or `kind.group/namespace/name`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.kind.to_ascii_lowercase())?;
        if !self.group.is_empty() {
            write!(formatter, ".{}", self.group)?;
        }
        if let Some(namespace) = &self.namespace {
            write!(formatter, "/{namespace}")?;
        }
        write!(formatter, "/{}", self.name)
    }
}
