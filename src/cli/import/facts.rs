//! The kinds, objects, and schemas of the cluster or snapshot that an import needs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::Args;
use crate::cli::Context;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::kubeconfig;
use ucp_client::source::live::definition::{self, DeniedDefinition};
use ucp_client::source::live::{self, api::Api};
use ucp_client::source::snapshot::kinds::defined;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::import::address::ImportAddress;
use ucp_features::import::identity::{are_same_kind_in_any_scope, plain_group, twin_groups};
use ucp_features::import::takeover::ImportMethod;
use ucp_features::import::terraform::{self, matching_kinds};
use ucp_features::plan::schemas::SchemaCache;
use ucp_features::schema::schema_in;

/// Every kind that can take over an external resource, by its full name.
type ServedKinds = BTreeMap<String, Arc<ResourceKind>>;

/// The import targets, and the state that was read for them.
pub(super) struct ImportFacts {
    /// The cluster state.
    pub(super) state: ClusterState,
    /// The targets, each with its kind or the reason why it has none.
    pub(super) targets: Vec<ImportTarget>,
    /// The kinds that represent external resources.
    pub(super) managed: BTreeSet<(String, String)>,
    /// The namespace for new objects, if `-n` is given.
    namespace: Option<String>,
    /// The runtime for requests to the server.
    pub(super) runtime: Runtime,
    /// The live cluster; `None` for a snapshot.
    pub(super) live: Option<ConnectedCluster>,
    /// The schemas of the kinds by their full names, or the reasons why they are unknown.
    schemas: BTreeMap<String, Result<Arc<Value>, Failure>>,
}

/// One resource to take over.
pub(super) struct ImportTarget {
    /// The kind or Terraform type, as given.
    pub(super) asked: String,
    /// The name for the object, if given.
    pub(super) name: Option<String>,
    /// The external ID or name; `None` if it must not be shown.
    pub(super) external: Option<String>,
    /// The kind, and its method of taking over existing resources.
    pub(super) kind: Result<(Arc<ResourceKind>, ImportMethod), Failure>,
}

impl ImportFacts {
    /// Reads the cluster or the snapshot once.
    pub(super) fn gather(context: &Context, args: &Args) -> Result<Self> {
        let state_resources = match &args.terraform_state {
            Some(path) => read_terraform(path)?,
            None => Vec::new(),
        };
        let types: BTreeSet<&str> = state_resources.iter().map(|resource| resource.kind.as_str()).collect();
        let words: Vec<&str> = args
            .wanted
            .iter()
            .map(|wanted| wanted.kind.as_str())
            .chain(args.map.iter().map(|(_, kind)| kind.as_str()))
            .collect();
        let scope =
            if context.globals.scope.namespace.is_some() { ResourceScope::Namespaced } else { ResourceScope::Cluster };
        let is_snapshot = context.globals.connection.from.is_some();
        let seen: Mutex<ServedKinds> = Mutex::default();
        let want = |kind: &ResourceKind| -> Option<KindRequest> {
            if kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition" {
                return is_snapshot.then(|| KindRequest::whole(BodyShape::Definition));
            }
            if role(kind) == Some(CrossplaneRole::ProviderConfig) {
                return Some(KindRequest::all(BodyShape::ProviderConfig));
            }
            ImportMethod::for_kind(kind)?;
            let arc = Arc::new(kind.clone());
            let alone = BTreeMap::from([(kind.qualified_plural(), Arc::clone(&arc))]);
            seen.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.qualified_plural(), arc);
            let is_meant = words.iter().any(|word| is_called_or_twin(kind, word))
                || types.iter().any(|name| !matching_kinds(name, &alone, kind.scope).is_empty());
            is_meant.then(|| KindRequest::whole(BodyShape::Conditions))
        };
        let state = context.read_in(None, &want)?;
        let mut served = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A snapshot may contain kinds without objects, too.
        for resource in state.resources.iter().filter(|resource| resource.kind.kind == "CustomResourceDefinition") {
            let kind =
                resource.whole.as_deref().and_then(defined).filter(|kind| ImportMethod::for_kind(kind).is_some());
            if let Some(kind) = kind {
                served.entry(kind.qualified_plural()).or_insert_with(|| Arc::new(kind));
            }
        }
        let mut targets: Vec<ImportTarget> =
            args.wanted.iter().map(|wanted| target_from_argument(wanted, &served, scope)).collect();
        targets
            .extend(state_resources.into_iter().map(|resource| target_from_terraform(resource, args, &served, scope)));
        let targets = deduplicate(targets);
        let managed = served.values().map(|kind| (kind.group.clone(), kind.kind.clone())).collect();
        let namespace = context.globals.scope.namespace.clone();
        let runtime = live::runtime()?;
        let mut facts = Self { state, targets, managed, namespace, runtime, live: None, schemas: BTreeMap::new() };
        facts.read_schemas(context)?;
        Ok(facts)
    }

    fn read_schemas(&mut self, context: &Context) -> Result<()> {
        let kinds: BTreeMap<String, Arc<ResourceKind>> = self
            .targets
            .iter()
            .filter_map(|target| target.kind.as_ref().ok())
            .map(|(kind, _)| (kind.qualified_plural(), Arc::clone(kind)))
            .collect();
        let flags = &context.globals.connection;
        if flags.from.is_some() {
            self.schemas =
                kinds.values().map(|kind| (kind.qualified_plural(), snapshot_schema(&self.state, kind))).collect();
            return Ok(());
        }
        let (cluster, schemas) = self.runtime.block_on(async {
            let api = Api::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
            let cluster = ConnectedCluster::open(None, api).await?;
            let known = SchemaCache::default();
            let asked = kinds.iter().map(|(name, kind)| {
                let (known, cluster) = (&known, &cluster);
                async move { (name.clone(), known.get(cluster, kind).await) }
            });
            let schemas = futures::future::join_all(asked).await.into_iter().collect();
            Ok::<_, Error>((cluster, schemas))
        })?;
        self.schemas = schemas;
        let is_listed = |name: &String| self.state.kinds.iter().any(|kind| kind.qualified_plural() == *name);
        let twins = kinds.values().flat_map(|kind| twins_of(kind));
        let twins: Vec<String> = twins.map(|twin| twin.qualified_plural()).filter(|name| !is_listed(name)).collect();
        let hidden = self.runtime.block_on(definition::hidden_kinds(&cluster.api, &twins, DeniedDefinition::Unknown));
        self.state.unreadable.extend(hidden);
        self.live = Some(cluster);
        Ok(())
    }

    /// Returns the namespace for new objects.
    ///
    /// # Errors
    /// Fails when `-n` is not given.
    pub(super) fn namespace(&self) -> Result<String, Failure> {
        self.namespace.clone().ok_or_else(|| "its objects are namespaced: pass -n NAMESPACE".into())
    }

    /// Returns the schema of a kind.
    ///
    /// # Errors
    /// Returns the reason why the schema is unknown.
    pub(super) fn schema(&self, kind: &ResourceKind) -> Result<&Value, Failure> {
        let unknown = || format!("the CRD {} was not read", kind.qualified_plural());
        let schema = self.schemas.get(&kind.qualified_plural()).ok_or_else(unknown)?;
        schema.as_ref().map(AsRef::as_ref).map_err(|reason| format!("{}: {reason}", unknown()).into())
    }

    /// Returns the objects of a kind and of its twin.
    pub(super) fn of_kind(&self, kind: &ResourceKind) -> impl Iterator<Item = &Resource> {
        let is = move |resource: &&Resource| is_same_or_twin(kind, (&resource.kind.group, &resource.kind.kind));
        self.state.resources.iter().filter(is)
    }

    /// Returns the reason why the objects of a kind, or of its twin, are not known.
    pub(super) fn unread_reason(&self, kind: &ResourceKind) -> Option<String> {
        let mut alike = self.state.kinds.iter().filter(|found| is_same_or_twin(kind, (&found.group, &found.kind)));
        let entry = alike.find_map(|found| self.state.unreadable.iter().find(|entry| entry.is_of(found)));
        let is_lost = |entry: &&Unreadable| {
            let is_of_twin = |twin: ResourceKind| entry.is_of(&twin) || entry.what == twin.group;
            entry.is_of(kind) || twins_of(kind).any(is_of_twin)
        };
        let entry = entry.or_else(|| self.state.unreadable.iter().find(is_lost))?;
        Some(format!("it is unknown whether an object manages it: {}: {}", entry.what, entry.reason))
    }
}

/// Returns the kinds that may be the twin of a kind.
fn twins_of(kind: &ResourceKind) -> impl Iterator<Item = ResourceKind> {
    let groups = twin_groups(&kind.group).into_iter();
    groups.map(|group| ResourceKind { group, ..kind.clone() })
}

/// Returns true if a group and a kind are those of `kind` or of its twin.
pub(super) fn is_same_or_twin(kind: &ResourceKind, found: (&str, &str)) -> bool {
    are_same_kind_in_any_scope((&kind.group, &kind.kind), found)
}

/// Returns true if a word names a kind or its twin, the same kind in the other scope.
fn is_called_or_twin(kind: &ResourceKind, word: &str) -> bool {
    if kind.is_called(word) {
        return true;
    }
    let (name, group) = word.split_once('.').unwrap_or((word, ""));
    !group.is_empty() && plain_group(group) == plain_group(&kind.group) && kind.is_called(name)
}

/// Removes duplicate targets, and keeps the name that one of them has.
fn deduplicate(targets: Vec<ImportTarget>) -> Vec<ImportTarget> {
    let mut kept: Vec<ImportTarget> = Vec::new();
    let mut known: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for target in targets {
        // Resources of one type may be refused for several reasons.
        let refused = |reason: &Failure| format!("{} {reason}", target.asked);
        let kind = target.kind.as_ref().map_or_else(refused, |(kind, _)| kind.qualified_plural());
        match known.get(&(kind.clone(), target.external.clone())).map(|position| &mut kept[*position]) {
            Some(first) if target.name.is_none() || target.name == first.name => {}
            Some(first) if first.name.is_none() => first.name = target.name,
            // Two names for one resource: the second is refused later.
            _ => {
                known.entry((kind, target.external.clone())).or_insert(kept.len());
                kept.push(target);
            }
        }
    }
    kept
}

/// Returns the schema of a kind's version from the CRDs of a snapshot.
fn snapshot_schema(state: &ClusterState, kind: &ResourceKind) -> Result<Arc<Value>, Failure> {
    let name = kind.qualified_plural();
    let definition = state.resources.iter().find(|resource| {
        resource.kind.kind == "CustomResourceDefinition" && resource.metadata.name == name && resource.whole.is_some()
    });
    let whole = definition.and_then(|found| found.whole.as_deref()).ok_or("it is not in the snapshot")?;
    let schema = schema_in(whole, &kind.version);
    schema
        .cloned()
        .map(Arc::new)
        .ok_or_else(|| "the snapshot has it without its schema: add the file of the CRD to the files of --from".into())
}

fn read_terraform(path: &Path) -> Result<Vec<terraform::TerraformResource>> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        bytes
    } else {
        std::fs::read(path).with_context(|| path.display().to_string())?
    };
    let resources = terraform::read_state(&bytes).map_err(|reason| {
        Error::failed(format!("{}: {reason}", path.display()))
            .hint("use the output of 'terraform state pull' or 'terraform show -json'")
    })?;
    match resources.is_empty() {
        true => Err(Error::failed(format!("{}: it has no managed resources", path.display()))),
        false => Ok(resources),
    }
}

fn target_from_argument(wanted: &ImportAddress, served: &ServedKinds, scope: ResourceScope) -> ImportTarget {
    ImportTarget {
        asked: wanted.kind.clone(),
        name: wanted.name.clone(),
        external: Some(wanted.external.clone()),
        kind: kind_called(&wanted.kind, served, scope).and_then(with_takeover),
    }
}

fn target_from_terraform(
    resource: terraform::TerraformResource,
    args: &Args,
    served: &ServedKinds,
    scope: ResourceScope,
) -> ImportTarget {
    let terraform::TerraformResource { kind: asked, id } = resource;
    let mapped = args.map.iter().find(|(name, _)| *name == asked);
    let kind = match mapped {
        Some((_, word)) => kind_called(word, served, scope),
        None => match matching_kinds(&asked, served, scope).as_slice() {
            [one] => Ok(Arc::clone(one)),
            [] => fail!("no kind of this cluster matches it; if a kind exists, pass --map {asked}=KIND"),
            several => {
                let names: Vec<_> = several.iter().map(|kind| kind.qualified_plural()).collect();
                fail!("it matches several kinds ({}): select one with --map {asked}=KIND", names.join(", "))
            }
        },
    };
    match (kind, id) {
        (Ok(kind), Ok(id)) => ImportTarget { asked, name: None, external: Some(id), kind: with_takeover(kind) },
        // The ID of a resource without a kind may be a secret itself, such as that of a random string.
        (kind, id) => {
            let reason = kind.err().or_else(|| id.err().map(Failure::from));
            let reason = reason.unwrap_or_else(|| Failure::from("it has no id"));
            ImportTarget { asked, name: None, external: None, kind: Err(reason) }
        }
    }
}

fn with_takeover(kind: Arc<ResourceKind>) -> Result<(Arc<ResourceKind>, ImportMethod), Failure> {
    let takeover = ImportMethod::for_kind(&kind).ok_or("objects of this kind cannot take over external resources")?;
    Ok((kind, takeover))
}

/// Returns the kind that a word names. If it exists in both scopes, returns the namespaced kind with `-n`, else the
/// cluster-scoped one.
fn kind_called(word: &str, served: &ServedKinds, scope: ResourceScope) -> Result<Arc<ResourceKind>, Failure> {
    let called: Vec<&Arc<ResourceKind>> = served.values().filter(|kind| kind.is_called(word)).collect();
    let in_scope: Vec<&Arc<ResourceKind>> = called.iter().copied().filter(|kind| kind.scope == scope).collect();
    match (called.as_slice(), in_scope.as_slice()) {
        ([one], _) | (_, [one]) => Ok(Arc::clone(one)),
        ([], _) => {
            let names: Vec<&str> = served.keys().map(String::as_str).collect();
            let kinds = served.values().map(|kind| kind.kind.as_str());
            let near = did_you_mean(word, names.iter().copied().chain(kinds));
            fail!("this cluster has no kind {word:?} for external resources{near}")
        }
        (several, _) => {
            let names: Vec<_> = several.iter().map(|kind| kind.qualified_plural()).collect();
            fail!("{word:?} matches several kinds: {}", names.join(", "))
        }
    }
}
