//! The provider configs of managed resources, and the Secrets of these: a provider deletes nothing without them.

use std::collections::BTreeSet;

use super::deletion_item::DeletionBlock;
use super::holds::Holds;
use super::look::DeletionContext;
use super::nature::is_registration;
use super::removal;
use ucp_core::engine::Assessment;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::build::group_and_parents;
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId, NodeIdentity, NodePresence};
use ucp_core::model::body::Body;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::{ClusterState, KindIndex};

/// Something that a provider needs for a deletion, and that was not found.
pub(super) enum MissingNeed {
    /// It does not exist.
    Absent(DeletionBlock),
    /// Whether it exists is unknown, for this reason.
    Unread(String),
}

/// Returns the Secrets that the provider configs of deleted managed resources name and that were not read.
pub(super) fn unread_credentials(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    roots: Option<&[NodeId]>,
) -> BTreeSet<ObjectName> {
    let going = super::cascade_of(state, assessment, roots, &Holds::new()).going;
    let clusters = going.keys().map(|node| &state.resources[*node]).filter(|one| is_registration(one));
    let registrations: Vec<ObjectName> = clusters.map(Resource::name).collect();
    let held = going.into_keys().filter(|node| depends_on_config(&state.resources[*node]));
    let configs: BTreeSet<NodeId> = held.flat_map(|node| configs_of(&assessment.graph, node)).collect();
    let secrets = configs.into_iter().flat_map(|config| secrets_of(state, config)).map(|(secret, _)| secret);
    secrets.chain(registrations).filter(|secret| found_in(state, secret).is_none()).collect()
}

/// Returns what the provider of a managed resource needs to delete it and was not found.
pub(super) fn missing_needs(look: &DeletionContext<'_, '_>, node: NodeId) -> Vec<MissingNeed> {
    let resource = &look.state.resources[node];
    if !depends_on_config(resource) {
        return Vec::new();
    }
    let configs = configs_of(&look.assessment.graph, node).flat_map(|config| {
        let secrets = secrets_of(look.state, config).into_iter();
        let secrets = secrets.filter_map(move |secret| missing_secret(look, config, &secret));
        missing_config(look, resource, config).into_iter().chain(secrets)
    });
    configs.collect()
}

/// Returns true for managed resources whose deletion waits for their provider. Provider-nop has no configs.
fn depends_on_config(resource: &Resource) -> bool {
    role(&resource.kind) == Some(CrossplaneRole::Managed)
        && !resource.metadata.finalizers.is_empty()
        && !resource.kind.group.starts_with("nop.")
        && removal::deletes_outside(resource)
}

/// Returns the provider configs of a managed resource.
pub(super) fn configs_of<'a>(graph: &'a Graph<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    graph.down(node).iter().filter(|edge| edge.relation == Relation::ConfiguredBy).map(|edge| edge.node)
}

/// Returns the Secrets that a provider config names, with their keys; none if the config was not read.
fn secrets_of(state: &ClusterState, config: NodeId) -> Vec<(ObjectName, Option<&str>)> {
    let Some(config) = state.resources.get(config) else { return Vec::new() };
    let Body::ProviderConfig(body) = &config.body else { return Vec::new() };
    let secrets = body.secrets.iter().filter_map(|secret| {
        let namespace = secret.namespace.as_deref().or(config.metadata.namespace.as_deref())?;
        Some((ObjectName::secret(namespace, &secret.name), secret.key.as_deref()))
    });
    secrets.collect()
}

/// Returns a Secret, or that it does not exist, if it is among the objects that were read with their keys.
fn found_in<'a>(state: &'a ClusterState, secret: &ObjectName) -> Option<Option<&'a Secret>> {
    let key = ObjectKey::from(secret);
    match state.find(&key).map(|found| &found.body) {
        Some(Body::Secret(found)) => return Some(Some(found)),
        Some(_) => return None,
        None => {}
    }
    let is_listed = state.namespace.is_none() || state.namespace == secret.namespace;
    (is_listed && state.has_read("", "Secret")).then_some(None)
}

/// Returns a Secret that was read or requested; `None` if it does not exist. Fails when that is unknown.
pub(super) fn find_secret<'a>(
    look: &DeletionContext<'a, '_>,
    secret: &ObjectName,
) -> Result<Option<&'a Secret>, &'a str> {
    match (found_in(look.state, secret), look.credentials.0.get(secret)) {
        (Some(found), _) => Ok(found),
        (None, Some(Ok(found))) => Ok(found.as_ref()),
        (None, Some(Err(reason))) => Err(reason.as_str()),
        (None, None) => Err("it was not read"),
    }
}

fn missing_config(look: &DeletionContext<'_, '_>, user: &Resource, config: NodeId) -> Option<MissingNeed> {
    let graph = &look.assessment.graph;
    let name = graph.name(config)?;
    let absent = |name: &ObjectName, what: &str| {
        MissingNeed::Absent(DeletionBlock {
            code: Code::FinalizerUnserved,
            reason: format!("{name} {what}, and without it the provider deletes nothing"),
            command: format!("kubectl get {} -A", quote_word(&name.full_kind())),
        })
    };
    match (graph.node(config).presence, &graph.node(config).thing) {
        (NodePresence::Here(_), _) => None,
        (NodePresence::Missing, _) => Some(absent(&name, "does not exist")),
        (NodePresence::Unread, NodeIdentity::Object(key)) if is_unserved(look.state, user, key) => {
            Some(if names_config(user) {
                absent(&name, "is of a kind that the server does not serve")
            } else {
                let why = "it names no provider config, and the server serves no kind of them for its provider";
                MissingNeed::Unread(format!("{why}, so whether its provider deletes it is unknown"))
            })
        }
        (NodePresence::Unread, _) => {
            Some(MissingNeed::Unread(format!("its provider config {name} could not be read, so it may not exist")))
        }
    }
}

fn names_config(user: &Resource) -> bool {
    matches!(&user.body, Body::Crossplane(body) if body.provider_config.is_some())
}

/// Returns true if no kind of the name is served in the groups of the provider's family, and every kind is known.
fn is_unserved(state: &ClusterState, user: &Resource, config: &ObjectKey) -> bool {
    let mut groups = group_and_parents(&user.kind.group).filter(|group| group.contains('.'));
    let is_known = |group: &str| state.kinds.iter().any(|kind| kind.group == group && kind.kind == config.kind);
    let is_unread = |group: &str| {
        let plural = ResourceKind::guess(group, &config.kind).qualified_plural();
        state.unreadable.iter().any(|entry| [plural.as_str(), group].contains(&entry.what.as_str()))
    };
    state.kind_index == KindIndex::Complete && !groups.any(|group| is_known(group) || is_unread(group))
}

fn missing_secret(
    look: &DeletionContext<'_, '_>,
    config: NodeId,
    (secret, key): &(ObjectName, Option<&str>),
) -> Option<MissingNeed> {
    let config = look.state.resources[config].name();
    let what = match find_secret(look, secret) {
        Ok(None) => "does not exist".to_owned(),
        Ok(Some(found)) => found.missing_key(*key)?,
        Err(reason) => {
            let why = format!("whether {secret} with the credentials of {config} exists is unknown: {reason}");
            return Some(MissingNeed::Unread(why));
        }
    };
    Some(MissingNeed::Absent(DeletionBlock {
        code: Code::FinalizerUnserved,
        reason: format!("{secret} {what}: {config} takes the credentials of its provider from it"),
        command: format!("kubectl get {secret}"),
    }))
}
