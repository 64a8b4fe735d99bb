//! `ucp-snapshot.yaml`: what a snapshot says of itself. It holds what the objects alone cannot tell: the kinds that were
//! empty, what was refused and why, and the moment.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::kind::{Reporting, ResourceKind, Scope, StatusSubresource};
use crate::model::state::Unreadable;

/// The index's name at the top of a snapshot.
pub const FILE: &str = "ucp-snapshot.yaml";
/// The directory with the snapshots of app clusters; each is one of its own.
pub const APP_CLUSTERS: &str = "app-clusters";
const API_VERSION: &str = "ucp/v1";
const KIND: &str = "Snapshot";

/// What a snapshot says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Always `ucp/v1`.
    pub api_version: String,
    /// Always `Snapshot`.
    pub kind: String,
    /// The program and version that wrote it.
    pub tool: String,
    /// The kubeconfig context that was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// URL of the API server.
    pub server: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// When the reading began.
    pub taken_at: Timestamp,
    /// The one namespace that was read, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What was refused or failed, and why.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// The app clusters that were asked for, each with a snapshot of its own in a directory below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app_clusters: Vec<AppClusterEntry>,
    /// How secrets were hidden.
    #[serde(default)]
    pub redaction: String,
    /// How many values were hidden, by where they stood.
    #[serde(default)]
    pub hidden: HiddenValues,
    /// Every kind that the server has and can list.
    pub kinds: Vec<KindEntry>,
}

/// How many values were hidden, by where they stood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HiddenValues {
    /// Values of Secrets, and of what makes them.
    #[serde(skip_serializing_if = "is_zero")]
    pub secrets: usize,
    /// Values of ConfigMaps.
    #[serde(skip_serializing_if = "is_zero")]
    pub config_maps: usize,
    /// Literal environment variables, arguments and annotations.
    #[serde(skip_serializing_if = "is_zero")]
    pub literals: usize,
    /// What tools note of what they applied last.
    #[serde(skip_serializing_if = "is_zero")]
    pub applied: usize,
    /// Variables and outputs of Terraform and Ansible runs.
    #[serde(skip_serializing_if = "is_zero")]
    pub runs: usize,
    /// Fields that are called like a secret, and what looks like one in texts.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: usize,
}

impl HiddenValues {
    /// All of them.
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

/// An app cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppClusterEntry {
    /// Its name.
    pub name: String,
    /// URL of its API server.
    pub server: String,
    /// Where its snapshot is.
    pub directory: String,
    /// Why it could not be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How much of it was refused or failed; its own index says what and why.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: usize,
}

/// A kind, and what was taken of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindEntry {
    /// API group; empty for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Plural.
    pub plural: String,
    /// Singular and short names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Whether its objects are in namespaces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
    /// Categories.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub categories: BTreeSet<String>,
    /// Whether the server has a status subresource for it; absent where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<bool>,
    /// How many objects are here; absent where the kind was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<usize>,
    /// How many values of them were hidden.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl KindEntry {
    /// Describes a kind of which nothing was taken.
    pub fn of(kind: &ResourceKind) -> Self {
        Self {
            group: kind.group.clone(),
            version: kind.version.clone(),
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
            aliases: kind.aliases.clone(),
            namespaced: kind.scope == Scope::Namespaced,
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

    /// The kind.
    pub(super) fn resource_kind(&self) -> Arc<ResourceKind> {
        Arc::new(ResourceKind {
            group: self.group.clone(),
            version: self.version.clone(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            aliases: self.aliases.clone(),
            scope: if self.namespaced { Scope::Namespaced } else { Scope::Cluster },
            categories: self.categories.clone(),
            reporting: Reporting {
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

impl Index {
    /// An index of nothing, read now.
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

    /// The kind of that group and name; of two resources of one kind the first.
    pub(super) fn kind(&self, group: &str, kind: &str) -> Option<Arc<ResourceKind>> {
        let found = self.kinds.iter().find(|entry| entry.group == group && entry.kind == kind);
        found.map(KindEntry::resource_kind)
    }

    /// Whether a kind was asked for, or refused.
    pub(super) fn has_taken(&self, kind: &ResourceKind) -> bool {
        let name = kind.qualified_plural();
        let entry = self.kinds.iter().find(|entry| entry.group == kind.group && entry.plural == kind.plural);
        entry.is_none_or(|entry| entry.objects.is_some()) || self.unreadable.iter().any(|entry| entry.what == name)
    }

    /// Whether a document is an index.
    pub(super) fn is_one(document: &Value) -> bool {
        let text = |field: &str| document.get(field).and_then(Value::as_str);
        text("apiVersion") == Some(API_VERSION) && text("kind") == Some(KIND)
    }

    /// The text of the file: YAML, a line a kind.
    ///
    /// # Errors
    /// When it has no form in JSON, which cannot be.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = String::new();
        let Value::Object(fields) = serde_json::to_value(self)? else { return Ok(text) };
        for (name, value) in fields {
            match value {
                // JSON is YAML, and one line is one thing.
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

/// The directory of an app cluster: its name, and a number where another one has it already.
pub fn directory(name: &str, number: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    let name = name.trim_start_matches('.');
    if number == 0 { name.to_owned() } else { format!("{name}-{number}") }
}

/// What every index says of what was hidden.
const REDACTION: &str = "Secret values are <hidden-HASH-SIZE>: a hash that is keyed once per snapshot, whose key was \
    not kept, and the size in bytes. Hidden are: all values of Secrets; values of ConfigMaps but those that say how an \
    engine is set up; literal environment variables, arguments and annotations that are no switch or number; what tools note of what they applied last; outputs and variables of Terraform; fields and \
    variables that are called like a secret; and in every text what looks like one. Of kubeconfigs and registrations \
    the server, the kind of credential and its dates are kept. CustomResourceDefinitions have no schemas.";
