//! `ucp-snapshot.yaml`, the index of a snapshot. It contains the facts that are not in the objects: kinds without
//! objects, failed requests with their reasons, and the time.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ucp_core::model::kind::{ResourceKind, ResourceScope, StatusReporting, StatusSubresource};
use ucp_core::model::state::Unreadable;

/// Name of the index file in the top directory of a snapshot.
pub const FILE: &str = "ucp-snapshot.yaml";
/// The directory for the snapshots of app clusters, with one snapshot each.
pub const APP_CLUSTERS: &str = "app-clusters";
const API_VERSION: &str = "ucp/v1";
const KIND: &str = "Snapshot";

/// The index of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotIndex {
    /// Always `ucp/v1`.
    pub api_version: String,
    /// Always `Snapshot`.
    pub kind: String,
    /// Program and version that wrote the snapshot.
    pub tool: String,
    /// Name of the kubeconfig context that was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// URL of the API server.
    pub server: String,
    /// Version of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// Time at which reading began.
    pub taken_at: Timestamp,
    /// The namespace that was read; absent for all namespaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The requests that were denied or failed, with the reasons.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// The requested app clusters, each with its own snapshot in a directory below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app_clusters: Vec<AppClusterEntry>,
    /// Description of the redaction.
    #[serde(default)]
    pub redaction: String,
    /// Number of hidden values, by location.
    #[serde(default)]
    pub hidden: HiddenValues,
    /// Every kind that the server has and can list.
    pub kinds: Vec<KindEntry>,
}

/// Number of hidden values, by location.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HiddenValues {
    /// Values of Secrets, and of objects that create Secrets.
    #[serde(skip_serializing_if = "is_zero")]
    pub secrets: usize,
    /// Values of ConfigMaps.
    #[serde(skip_serializing_if = "is_zero")]
    pub config_maps: usize,
    /// Literal environment variables, arguments and annotations.
    #[serde(skip_serializing_if = "is_zero")]
    pub literals: usize,
    /// Configurations that tools store of the last apply.
    #[serde(skip_serializing_if = "is_zero")]
    pub applied: usize,
    /// Variables and outputs of Terraform and Ansible runs.
    #[serde(skip_serializing_if = "is_zero")]
    pub runs: usize,
    /// Fields with names of secrets, and secrets found in texts.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: usize,
}

impl HiddenValues {
    /// The sum of all counts.
    pub fn total(&self) -> usize {
        self.secrets + self.config_maps + self.literals + self.applied + self.runs + self.texts
    }
}

impl std::ops::AddAssign for HiddenValues {
    fn add_assign(&mut self, more: Self) {
        self.secrets += more.secrets;
        self.config_maps += more.config_maps;
        self.literals += more.literals;
        self.applied += more.applied;
        self.runs += more.runs;
        self.texts += more.texts;
    }
}

/// An app cluster in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppClusterEntry {
    /// Name of the app cluster.
    pub name: String,
    /// URL of its API server.
    pub server: String,
    /// Directory of its snapshot.
    pub directory: String,
    /// The reason why its snapshot could not be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of requests that were denied or failed; the reasons are in its own index.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: usize,
}

impl AppClusterEntry {
    /// Returns the last part of the directory, which distinguishes it from the others.
    pub fn directory_name(&self) -> &str {
        self.directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

/// A kind of the server, with the number of objects in the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindEntry {
    /// API group; empty for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version.
    pub version: String,
    /// Name of the kind.
    pub kind: String,
    /// Plural of the kind, as in URLs.
    pub plural: String,
    /// Singular and short names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// True for namespaced kinds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
    /// Categories of the kind.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub categories: BTreeSet<String>,
    /// True if the server has a status subresource for the kind; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<bool>,
    /// Number of objects in the snapshot; absent if the kind was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<usize>,
    /// Number of hidden values in its objects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl KindEntry {
    /// Creates the entry of a kind without objects.
    pub fn from_kind(kind: &ResourceKind) -> Self {
        Self {
            group: kind.group.clone(),
            version: kind.version.clone(),
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
            aliases: kind.aliases.clone(),
            namespaced: kind.scope == ResourceScope::Namespaced,
            categories: kind.categories.clone(),
            status: match kind.reporting.status {
                StatusSubresource::Served => Some(true),
                StatusSubresource::Absent => Some(false),
                StatusSubresource::Unsaid => None,
            },
            objects: None,
            hidden: 0,
        }
    }

    /// Converts the entry to a kind.
    pub(super) fn resource_kind(&self) -> Arc<ResourceKind> {
        Arc::new(ResourceKind {
            group: self.group.clone(),
            version: self.version.clone(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            aliases: self.aliases.clone(),
            scope: if self.namespaced { ResourceScope::Namespaced } else { ResourceScope::Cluster },
            categories: self.categories.clone(),
            reporting: StatusReporting {
                status: match self.status {
                    Some(true) => StatusSubresource::Served,
                    Some(false) => StatusSubresource::Absent,
                    None => StatusSubresource::Unsaid,
                },
                columns: Vec::new(),
            },
        })
    }
}

impl SnapshotIndex {
    /// Creates an empty index with the current time.
    pub fn new(context: String, server: String, server_version: Option<String>) -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            tool: concat!("kubectl-ucp v", env!("CARGO_PKG_VERSION")).to_owned(),
            context,
            server,
            server_version,
            taken_at: Timestamp::now(),
            namespace: None,
            unreadable: Vec::new(),
            app_clusters: Vec::new(),
            redaction: REDACTION.to_owned(),
            hidden: HiddenValues::default(),
            kinds: Vec::new(),
        }
    }

    /// Returns the kind with this group and name; the first one if there are several.
    pub(super) fn kind(&self, group: &str, kind: &str) -> Option<Arc<ResourceKind>> {
        let found = self.kinds.iter().find(|entry| entry.group == group && entry.kind == kind);
        found.map(KindEntry::resource_kind)
    }

    /// Returns true if a kind was requested, or denied.
    pub(super) fn was_requested(&self, kind: &ResourceKind) -> bool {
        let name = kind.qualified_plural();
        let entry_of =
            |group: &str| self.kinds.iter().find(|entry| entry.group == group && entry.plural == kind.plural);
        let was_listed = |entry: Option<&KindEntry>| entry.is_some_and(|entry| entry.objects.is_some());
        let entry = entry_of(&kind.group);
        // The Events of both groups are the same objects.
        let is_copy = kind.is_event() && was_listed(entry_of(""));
        entry.is_none() || was_listed(entry) || is_copy || self.unreadable.iter().any(|entry| entry.what == name)
    }

    /// Returns true if a document is an index.
    pub(super) fn is_index(document: &Value) -> bool {
        let text = |field: &str| document.get(field).and_then(Value::as_str);
        text("apiVersion") == Some(API_VERSION) && text("kind") == Some(KIND)
    }

    /// Returns the content of the file: YAML with one line per kind.
    ///
    /// # Errors
    /// Fails when serialization to JSON fails, which does not happen.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = String::new();
        let Value::Object(fields) = serde_json::to_value(self)? else { return Ok(text) };
        for (name, value) in fields {
            match value {
                // JSON is valid YAML, and each entry fits in one line.
                Value::Array(items) if !items.is_empty() => {
                    text.push_str(&format!("{name}:\n"));
                    items.iter().for_each(|item| text.push_str(&format!("- {item}\n")));
                }
                value => text.push_str(&format!("{name}: {value}\n")),
            }
        }
        Ok(text)
    }
}

/// The maximum length of the directory name of an app cluster, without its number.
const LONGEST_NAME: usize = 100;

/// Returns a directory name for each app cluster. No two of them are equal on a file system that ignores case.
pub fn distinct_directories<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let choose = |name: &str| {
        let mut number = 0;
        loop {
            let directory = directory(name, number);
            if taken.insert(directory.to_ascii_lowercase()) {
                return directory;
            }
            number += 1;
        }
    };
    names.map(choose).collect()
}

/// Returns the directory name of an app cluster, with a number if the name is already used. It is never empty, hidden, or longer
/// than a file system allows.
pub(super) fn directory(name: &str, number: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    let name = match name.trim_start_matches(['.', '-']) {
        "" => "cluster",
        name => &name[..name.len().min(LONGEST_NAME)],
    };
    if number == 0 { name.to_owned() } else { format!("{name}-{number}") }
}

/// The description of the redaction, the same in every index.
const REDACTION: &str = "Secret values are replaced by <hidden-HASH-SIZE>: a keyed hash, with a key that is \
    generated for each snapshot and not kept, and the size in bytes. Hidden are: all values of Secrets; values of ConfigMaps other than settings of \
    engines; literal environment variables, arguments and annotations that are not a switch or number; last-applied configurations; outputs and variables of Terraform; fields and \
    variables with names of secrets; and in every text, parts that look like a secret. Of kubeconfigs and registrations \
    the server, the kind of credential and its dates are kept. CustomResourceDefinitions have no schemas.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_distinct_without_case() {
        let names = ["Prod", "prod", "prod-1", "../x", "", "PROD"];
        assert_eq!(distinct_directories(names.into_iter()), ["Prod", "prod-1", "prod-1-1", "x", "cluster", "PROD-2"]);
    }
}
