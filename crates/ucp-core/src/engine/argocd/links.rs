//! Links of Argo CD's objects: sources, ApplicationSets, applied resources, and the destination cluster.

use super::settings::GROUP;
use crate::graph::link::{ClusterName, External, ExternalHealth, GitSource, Link, LinkEnd, Relation};
use crate::model::body::Body;
use crate::model::body::argocd::{Application, ApplicationDestination, ApplicationSource, DeployedResource};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;
use crate::model::server::canonical_url;

/// Tracking annotation of Argo CD, the default since 3.0: `<app>:<group>/<kind>:<namespace>/<name>`.
const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";

pub(super) fn list_links(resource: &Resource) -> Vec<Link> {
    let mut links = Vec::new();
    if let Body::Application(application) = &resource.body {
        of_application(resource, application, &mut links);
    }
    let tracked = resource.metadata.annotation(TRACKING_ID).and_then(|id| tracked_by(id, resource));
    links.extend(tracked.map(|application| Link::to_declaring_object(named(application), Relation::Applies)));
    links
}

fn of_application(resource: &Resource, application: &Application, links: &mut Vec<Link>) {
    let (spec, status) = (&application.spec, &application.status);
    let sources: Vec<&ApplicationSource> = spec.all_sources().collect();
    for source in &sources {
        // With several sources, the commit of each source is unknown.
        let revision = status.sync.revision.clone().filter(|_| sources.len() == 1);
        links.push(Link::to_declaring_object(LinkEnd::Git(git(source, revision)), Relation::Declares));
    }
    for owner in resource.metadata.owner_references.iter().filter(|owner| owner.kind == "ApplicationSet") {
        let set = LinkEnd::object(&owner.api_version, &owner.kind, None, &owner.name);
        links.push(Link::to_declaring_object(set, Relation::Generates));
    }
    let destination = &spec.destination;
    let target = if destination.is_this_cluster() { LinkEnd::Core } else { LinkEnd::Cluster(cluster(destination)) };
    links.push(Link::to_declaring_object(target, Relation::Hosts));
    for child in &status.resources {
        let object = child.object();
        let is_here = destination.is_this_cluster();
        // A hook only exists while it runs, but Argo CD continues to list it. Applications are in the cluster of Argo
        // CD, which may use another name for this cluster.
        if child.hook && is_here || child.group == GROUP && !is_here {
            links.push(Link::from_declaring_object(Relation::Applies, LinkEnd::IfRead(object.clone())));
        }
        match (child.hook, is_here) {
            (true, _) => {}
            (false, true) => links.push(Link::from_declaring_object(Relation::Applies, LinkEnd::Object(object))),
            (false, false) => {
                links.push(Link::from_declaring_object(
                    Relation::Applies,
                    LinkEnd::External(elsewhere(child, destination)),
                ));
            }
        }
    }
}

fn git(source: &ApplicationSource, revision: Option<String>) -> GitSource {
    GitSource {
        repository: scrub(&source.repo_url).into_owned(),
        path: source.path.clone().filter(|path| !path.is_empty()),
        chart: source.chart.clone(),
        target: source.target_revision.clone().filter(|target| !target.is_empty()),
        revision: revision.filter(|revision| !revision.is_empty()),
    }
}

fn cluster(destination: &ApplicationDestination) -> ClusterName {
    let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    ClusterName {
        name: named(&destination.name),
        server: named(&destination.server).map(|server| canonical_url(&server)),
    }
}

fn elsewhere(child: &DeployedResource, destination: &ApplicationDestination) -> External {
    let ClusterName { name, server } = cluster(destination);
    let health = child.health.as_ref().map(|health| health.status.clone()).filter(|health| !health.is_empty());
    External {
        kind: child.kind.clone(),
        namespace: child.namespace.clone().filter(|namespace| !namespace.is_empty()),
        name: child.name.clone(),
        cluster: name.or(server),
        health: ExternalHealth::Argo { health, sync: child.status.clone() },
    }
}

/// Returns the Application in a tracking ID. An ID that does not match its own object was copied, and is ignored.
fn tracked_by<'id>(id: &'id str, resource: &Resource) -> Option<&'id str> {
    let mut parts = id.splitn(3, ':');
    let (application, kind, object) = (parts.next()?, parts.next()?, parts.next()?);
    let (group, kind) = kind.split_once('/')?;
    let (_, name) = object.split_once('/')?;
    let own = group == resource.kind.group && kind == resource.kind.kind && name == resource.metadata.name;
    own.then_some(application)
}

/// An Application outside of Argo CD's own namespace is written as `<namespace>_<name>`.
fn named(application: &str) -> LinkEnd {
    let object = |namespace: Option<&str>, name: &str| ObjectName {
        api_version: format!("{GROUP}/v1alpha1"),
        kind: "Application".to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
    };
    match application.split_once('_') {
        Some((namespace, name)) => LinkEnd::Object(object(Some(namespace), name)),
        None => LinkEnd::Anywhere(object(None, application)),
    }
}
