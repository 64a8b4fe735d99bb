//! Links of Crossplane's objects: claim, composite, and composed resources; for a managed resource, its provider,
//! provider config, connection Secret, and external resource.

use super::kind_role::{COMPOSITE_LABEL, CrossplaneRole, EXTERNAL_NAME, role};
use super::package::installed_by;
use super::provider_config::reference_of;
use crate::graph::link::{External, ExternalHealth, Link, LinkEnd, Relation};
use crate::model::body::Body;
use crate::model::body::crossplane::{CrossplaneObject, CrossplaneReference, Package, ProviderConfig};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;

pub(super) fn list_links(resource: &Resource) -> Vec<Link> {
    let mut links = match &resource.body {
        Body::Crossplane(body) => of_composed(resource, body),
        Body::Package(package) => package_links(resource, package),
        Body::ProviderConfig(config) => provider_config_links(resource, config),
        _ => Vec::new(),
    };
    links.extend(composite_of(resource).map(|composite| Link::to_declaring_object(composite, Relation::Composes)));
    links
}

/// Returns the composite of an object. The label names the topmost composite, the controller reference the next one. On
/// a composite, the label contains its own name.
fn composite_of(resource: &Resource) -> Option<LinkEnd> {
    let name = resource.metadata.label(COMPOSITE_LABEL)?;
    if let Some(owner) = resource.metadata.controller() {
        return Some(LinkEnd::object(&owner.api_version, &owner.kind, None, &owner.name));
    }
    let is_part = role(&resource.kind) != Some(CrossplaneRole::Composite);
    is_part.then(|| LinkEnd::InCategory { category: "composite", name: name.to_owned() })
}

fn of_composed(resource: &Resource, body: &CrossplaneObject) -> Vec<Link> {
    let mut links: Vec<Link> = body
        .composed
        .iter()
        .map(|reference| Link::from_declaring_object(Relation::Composes, object(reference)))
        .collect();
    links.extend(body.claim.iter().map(|claim| Link::to_declaring_object(object(claim), Relation::Composes)));
    if let Some(secret) = &body.connection_secret {
        let namespace = secret.namespace.as_deref().or(resource.metadata.namespace.as_deref());
        links.push(Link::from_declaring_object(
            Relation::Writes,
            LinkEnd::object("v1", "Secret", namespace, &secret.name),
        ));
    }
    if role(&resource.kind) != Some(CrossplaneRole::Managed) {
        return links;
    }
    if let Some((kind, name)) = reference_of(resource) {
        // A namespaced provider config is in the namespace of its managed resources.
        let config = ObjectName { api_version: resource.kind.api_version(), kind, namespace: None, name };
        links.push(Link::from_declaring_object(Relation::ConfiguredBy, LinkEnd::InFamily(config)));
    }
    if let Some(name) = resource.metadata.annotation(EXTERNAL_NAME).filter(|name| !name.is_empty()) {
        let external = External {
            kind: resource.kind.kind.clone(),
            namespace: None,
            name: name.to_owned(),
            cluster: None,
            health: ExternalHealth::Inherited,
        };
        links.push(Link::from_declaring_object(Relation::Represents, LinkEnd::External(external)));
    }
    links
}

fn object(reference: &CrossplaneReference) -> LinkEnd {
    LinkEnd::object(
        reference.api_version.as_deref().unwrap_or_default(),
        reference.kind.as_deref().unwrap_or_default(),
        reference.namespace.as_deref(),
        &reference.name,
    )
}

/// Links the kinds that an active revision installed to its package.
fn package_links(resource: &Resource, package: &Package) -> Vec<Link> {
    let Some(name) = installed_by(resource, package) else { return Vec::new() };
    let kind = resource.kind.kind.trim_end_matches("Revision");
    let provider = || LinkEnd::object(&resource.kind.api_version(), kind, None, name);
    let kinds = package.definitions.iter().map(|kind| LinkEnd::Kind(kind.clone()));
    kinds.map(|kind| Link::new(kind, Relation::ReconciledBy, provider())).collect()
}

/// A config without a namespace specifies the namespace of its Secret.
fn provider_config_links(resource: &Resource, config: &ProviderConfig) -> Vec<Link> {
    let secrets = config.secrets.iter().map(|secret| {
        let namespace = secret.namespace.as_deref().or(resource.metadata.namespace.as_deref());
        LinkEnd::object("v1", "Secret", namespace, &secret.name)
    });
    secrets.map(|secret| Link::from_declaring_object(Relation::Reads, secret)).collect()
}
