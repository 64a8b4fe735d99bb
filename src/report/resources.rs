//! The document `ResourceList`: all managed resources, composites and claims, an improved `kubectl get managed`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::report::Header;
use crate::report::sources::{CombineSources, DocumentSource, DocumentSources, Sourced, set_sources, without_sources};
use ucp_core::engine::{self, Assessment, JudgedObject};
use ucp_core::graph::Graph;
use ucp_core::graph::link::Relation;
use ucp_core::model::body::Body;
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::time::age;
use ucp_core::model::verdict::Verdict;
use ucp_core::model::word::{SharedText, SharedTextMap};

/// The document `ResourceList`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ResourceList {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The resources, boxed so that moving and sorting tens of thousands of them does not copy them.
    pub items: Vec<Sourced<Box<ResourceItem>>>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The labels that a table shows.
    #[serde(skip)]
    pub label_columns: LabelColumns,
    /// The naming of resources in a table.
    #[serde(skip)]
    pub naming: ResourceNaming,
    /// The time of the cluster state.
    #[serde(skip)]
    pub moment: Timestamp,
}

/// The naming of objects in a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResourceNaming {
    /// `kind.group/name`.
    #[default]
    KindAndName,
    /// The name alone, if only one kind was requested.
    Name,
}

/// The labels that a table shows, as `kubectl get` does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelColumns {
    /// Labels with a separate column: `--label-columns`.
    pub keys: Vec<String>,
    /// The visibility of the column with all labels.
    pub all: AllLabels,
}

/// The visibility of the column with all labels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AllLabels {
    /// No such column.
    #[default]
    Hidden,
    /// The column is shown: `--show-labels`.
    Shown,
}

impl LabelColumns {
    /// Returns the names of the columns.
    pub fn names(&self) -> Vec<String> {
        let last_part = |key: &String| key.rsplit('/').next().unwrap_or_default().to_uppercase();
        let all = (self.all == AllLabels::Shown).then(|| "LABELS".to_owned());
        self.keys.iter().map(last_part).chain(all).collect()
    }

    /// Returns the values of the columns for these labels.
    pub fn values(&self, labels: &SharedTextMap) -> Vec<String> {
        let pairs: Vec<_> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let all = if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") };
        let all = (self.all == AllLabels::Shown).then_some(all);
        self.keys.iter().map(|key| labels.get(key).unwrap_or_default().to_owned()).chain(all).collect()
    }
}

/// One resource.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceItem {
    /// The name of the resource.
    pub object: ObjectName,
    /// The health of the resource.
    pub verdict: Verdict,
    /// The condition Ready, or its equivalent: the health of an Application, the condition Healthy of a package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<&'static str>,
    /// The condition Synced, or the sync status of an Application; absent if the kind has no equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced: Option<&'static str>,
    /// The time since which it has the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The external name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<String>,
    /// The provider config that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_config: Option<String>,
    /// The package that reconciles it, if known from its revisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The claim or composite that it was created for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Box<ObjectName>>,
    /// The Argo CD Application or Flux object that applied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<Box<ObjectName>>,
    /// The age in kubectl's format.
    pub age: String,
    /// The creation time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The engine's message, if it is not OK.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub message: Option<SharedText>,
    /// `metadata.labels`.
    #[serde(skip_serializing_if = "SharedTextMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub labels: SharedTextMap,
    /// The codes of its findings.
    pub findings: Vec<String>,
    /// All its owners: composites and claims, and the deployers that applied each of them.
    #[serde(skip)]
    pub owners: Vec<ObjectName>,
    /// The complete object, if it was requested.
    #[serde(skip)]
    pub whole: Option<Arc<Value>>,
}

/// Returns true if objects of the kind are listed by default.
pub fn is_listed(kind: &ResourceKind) -> bool {
    engine::is_listed(kind)
}

impl ResourceList {
    /// Builds the document from all resources that pass the filter, problems first.
    pub fn from_assessment(
        state: &ClusterState,
        assessment: &Assessment<'_>,
        filter: impl Fn(&ResourceItem, &JudgedObject<'_>) -> bool,
    ) -> Self {
        let items = assessment
            .judged
            .iter()
            .map(|entry| (Box::new(resource_item(entry, &assessment.graph, state.moment)), entry))
            .filter(|(item, entry)| filter(item, entry))
            .map(|(item, _)| item);
        let mut list = Self {
            header: Header::new("ResourceList", state.origin.clone()),
            items: without_sources(items),
            unreadable: without_sources(state.unreadable.iter().cloned()),
            label_columns: LabelColumns::default(),
            naming: ResourceNaming::default(),
            moment: state.moment,
        };
        list.sort();
        list
    }
}

impl CombineSources for ResourceList {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.items, source);
    }

    fn add(&mut self, other: Self) {
        if other.naming == ResourceNaming::KindAndName {
            self.naming = ResourceNaming::KindAndName;
        }
        self.items.extend(other.items);
    }

    fn sort(&mut self) {
        self.items.sort_by(|left, right| (left.verdict, &left.object).cmp(&(right.verdict, &right.object)));
    }
}

fn resource_item(entry: &JudgedObject<'_>, graph: &Graph<'_>, now: Timestamp) -> ResourceItem {
    let (resource, judgement) = (entry.resource, &entry.judgement);
    let named = |node: Option<usize>| node.and_then(|node| graph.name(node));
    let needed = |relation: Relation| {
        let edge = graph.down(entry.node).iter().find(|edge| edge.relation == relation);
        named(edge.map(|edge| edge.node)).map(|object| object.name)
    };
    let (ready, synced) = ready_and_synced(resource);
    ResourceItem {
        object: resource.name(),
        verdict: judgement.verdict,
        ready,
        synced,
        since: judgement.since,
        external_name: engine::engine_of(&resource.kind).and_then(|engine| engine.external_name(resource)),
        provider_config: needed(Relation::ConfiguredBy),
        provider: needed(Relation::ReconciledBy),
        owner: named(graph.root_composite(entry.node)).map(Box::new),
        managed_by: named(graph.applied_by(entry.node)).map(Box::new),
        age: resource.metadata.creation_timestamp.map_or_else(|| "<unknown>".to_owned(), |created| age(created, now)),
        created: resource.metadata.creation_timestamp,
        message: judgement.message.clone(),
        labels: resource.metadata.labels.clone(),
        findings: judgement.problems.iter().map(|problem| problem.code.info().code.to_owned()).collect(),
        owners: graph.origins(entry.node).into_iter().filter_map(|node| graph.name(node)).collect(),
        whole: resource.whole.clone(),
    }
}

/// Returns the condition statuses that correspond to Ready and Synced.
fn ready_and_synced(resource: &Resource) -> (Option<&'static str>, Option<&'static str>) {
    let condition = |kind: &str| resource.conditions.of_type(kind).map(|condition| condition.status.as_str());
    let unknown = ConditionStatus::Unknown.as_str();
    match &resource.body {
        Body::Application(application) => {
            let truth = |status: &str, good: &str| match status {
                status if status == good => ConditionStatus::True,
                "" | "Unknown" => ConditionStatus::Unknown,
                _ => ConditionStatus::False,
            };
            let health = truth(&application.status.health.status, "Healthy");
            (Some(health.as_str()), Some(truth(&application.status.sync.status, "Synced").as_str()))
        }
        Body::Crossplane(_) => {
            (Some(condition("Ready").unwrap_or(unknown)), Some(condition("Synced").unwrap_or(unknown)))
        }
        _ => (Some(condition("Ready").or_else(|| condition("Healthy")).unwrap_or(unknown)), condition("Synced")),
    }
}
