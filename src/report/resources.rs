//! The document `ResourceList`: every managed resource, composite and claim, as `kubectl get managed` should have been.

use jiff::Timestamp;
use serde::Serialize;

use crate::engine::crossplane::{EXTERNAL_NAME, Role, provider_of_kinds, reference_of, role};
use crate::engine::ownership::Owners;
use crate::engine::{Assessment, Judged};
use crate::model::condition::{Conditions as _, Truth};
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::time::age;
use crate::model::verdict::Verdict;
use crate::report::Header;

/// The document `ResourceList`.
#[derive(Debug, Clone, Serialize)]
pub struct ResourceList {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The resources.
    pub items: Vec<ResourceItem>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// One resource.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceItem {
    /// Its name.
    pub object: ObjectName,
    /// How it is doing.
    pub verdict: Verdict,
    /// Condition Ready.
    pub ready: &'static str,
    /// Condition Synced.
    pub synced: &'static str,
    /// Since when it has been doing so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Its name in the outside world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<String>,
    /// The provider config that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_config: Option<String>,
    /// The package that reconciles it, where its revisions tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The claim or composite that it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<ObjectName>,
    /// The Argo CD Application or Flux object that applied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<ObjectName>,
    /// How long it has existed, as kubectl prints it.
    pub age: String,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The engine's words, where it is not well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Codes of what is wrong.
    pub findings: Vec<String>,
}

/// Whether something is one of the resources that this list is about.
pub fn is_listed(entry: &Judged<'_>) -> bool {
    matches!(role(&entry.resource.kind), Some(Role::Managed | Role::Composite | Role::Claim))
}

impl ResourceList {
    /// Gathers the facts of every resource that passes the filter, problems first.
    pub fn of(
        state: &ClusterState,
        assessment: &Assessment<'_>,
        filter: impl Fn(&ResourceItem, &Judged<'_>) -> bool,
    ) -> Self {
        let owners = Owners::of(state);
        let providers = provider_of_kinds(state);
        let mut items: Vec<ResourceItem> = assessment
            .judged
            .iter()
            .filter(|entry| is_listed(entry))
            .map(|entry| {
                let provider =
                    providers.get(entry.resource.kind.qualified_plural().as_str()).map(|name| (*name).to_owned());
                (item(entry, &owners, provider, state.moment), entry)
            })
            .filter(|(item, entry)| filter(item, entry))
            .map(|(item, _)| item)
            .collect();
        items.sort_by(|left, right| (left.verdict, &left.object).cmp(&(right.verdict, &right.object)));
        Self { header: Header::new("ResourceList", state.origin.clone()), items, unreadable: state.unreadable.clone() }
    }
}

fn item(entry: &Judged<'_>, owners: &Owners<'_>, provider: Option<String>, now: Timestamp) -> ResourceItem {
    let (resource, judgement) = (entry.resource, &entry.judgement);
    let status =
        |kind: &str| resource.conditions.of(kind).map_or(Truth::Unknown, |condition| condition.status).as_str();
    ResourceItem {
        object: resource.name(),
        verdict: judgement.verdict,
        ready: status("Ready"),
        synced: status("Synced"),
        since: judgement.since,
        external_name: resource.metadata.annotation(EXTERNAL_NAME).map(str::to_owned),
        provider_config: reference_of(resource).map(|(_, name)| name),
        provider,
        owner: owners.composed_for(resource),
        managed_by: owners.applied_by(resource),
        age: resource.metadata.creation_timestamp.map_or_else(|| "<unknown>".to_owned(), |created| age(created, now)),
        created: resource.metadata.creation_timestamp,
        message: judgement.message.clone(),
        findings: judgement.problems.iter().map(|problem| problem.code.info().code.to_owned()).collect(),
    }
}
