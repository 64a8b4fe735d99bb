//! Plans a merge from two sides of a repository: connects to the destinations, prepares and compares the objects, sends
//! them through a dry run, and examines the result.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use serde_json::Value;

use crate::adopt::homes::EngineNamespaces;
use crate::composition::view::PlannedChanges;
use crate::plan::change::{DeploymentPair, PlannedChange, PlannedStep, planned_changes};
use crate::plan::compositions::CompositionPreview;
use crate::plan::destinations::{DestinationConnector, Destinations};
use crate::plan::engine_facts::EngineConfiguration;
use crate::plan::examine::{AddedObjects, Examination, ExaminedChange, Examiner, StoredObjects};
use crate::plan::item::plan_item;
use crate::plan::order;
use crate::plan::outcome::{DeploymentSummary, PlanAction, PlanOutcome};
use crate::plan::prepare::{PlannedScopes, Preparation, PreparedObject, planned_scopes};
use crate::plan::schemas::SchemaCache;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination, SourceFetch};
use ucp_repo::manifests::side::{RenderedDeployment, RenderedSide};
use ucp_repo::manifests::unrendered::is_unrendered_kind;

/// Number of objects that are sent to the servers concurrently. Their queues are fair; more requests would only wait
/// there.
const CONCURRENT: usize = 16;

/// Plans the change from the base to the head; without a base, from the state of the clusters.
///
/// # Errors
/// Fails when the system has no random numbers for hiding secrets.
pub async fn run_plan(
    ways: &DestinationConnector<'_>,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    preview: Option<&CompositionPreview<'_>>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<PlanOutcome, String> {
    let mut outcome = PlanOutcome::default();
    let deployments = all_deployments(base, head);
    let wanted = deployments.values().map(|deployment| deployment.destination.clone()).collect();
    let destinations = ways.open_all(wanted).await;
    let facts = EngineConfiguration::gather(&ways.core, &ways.registry, &deployments).await;
    outcome.unreadable.extend(facts.unreadable.iter().cloned());
    let mut pairs = pair_up(&deployments, base, head, (&destinations, &ways.homes), &facts, &mut outcome);
    let planned = planned_changes(&mut pairs);
    let companies = added_objects_by_destination(&planned, &pairs);
    let schemas = SchemaCache::default();
    let total = planned.len();
    let mut done = 0;
    let (pairs, destinations, schemas, companies, facts) = (&pairs, &destinations, &schemas, &companies, &facts);
    let is_previewed = preview.is_some();
    let examined = planned.into_iter().filter_map(|planned| {
        let pair = pairs.get(&planned.by)?;
        let cluster = destinations.get(&pair.deployment.destination)?.as_ref().ok()?;
        Some((planned, pair, cluster, companies.get(&pair.deployment.destination)?))
    });
    let mut examinations = futures::stream::iter(examined)
        .map(|(planned, pair, cluster, company)| async move {
            // Compositions are run on the stored objects of the core cluster.
            let stored =
                if is_previewed && cluster.name.is_none() { StoredObjects::Kept } else { StoredObjects::Dropped };
            let examiner = Examiner { cluster, company, schemas, stored };
            let ignored = facts.ignored(&pair.deployment);
            (cluster.name.clone(), examiner.examine(planned, &pair.deployment, &ignored).await)
        })
        .buffer_unordered(CONCURRENT);
    let mut touched = Vec::new();
    while let Some((cluster, examination)) = examinations.next().await {
        done += 1;
        progress(done, total);
        match examination {
            Examination::Touched(examined) => touched.push((cluster, *examined)),
            Examination::Unchanged => outcome.unchanged += 1,
            Examination::Unreadable(entry) => outcome.unreadable.push(entry),
        }
    }
    drop(examinations);
    touched.sort_by_cached_key(|(cluster, examined)| {
        let manifest = examined.after.as_ref();
        let is_last = matches!(examined.planned.step, PlannedStep::Remove);
        let object = &examined.planned.object;
        (
            cluster.clone(),
            is_last,
            order::apply_rank(&object.kind, manifest),
            object.clone(),
            examined.planned.by.clone(),
        )
    });
    outcome.unreadable.extend(unrendered_deployers(base, head, &touched));
    let mut hider = SecretHider::new()?;
    let changes = preview.map(|_| core_cluster_changes(&touched)).unwrap_or_default();
    for (cluster, examined) in touched {
        outcome.unreadable.extend(examined.unreadable.iter().cloned());
        if let Some(pair) = pairs.get(&examined.planned.by) {
            outcome.items.push(plan_item(examined, cluster, pair.deployment.object.clone(), &mut hider));
        }
    }
    if let Some(preview) = preview {
        preview.add_composites(&ways.core, changes, &mut hider, &mut outcome).await;
    }
    Ok(outcome)
}

/// Returns the deployers that are not rendered and may deploy something else after the merge: their own object
/// changes, or a file of the checkout that they read. Without a base, their files may have changed.
fn unrendered_deployers(
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    touched: &[(Option<String>, ExaminedChange)],
) -> Vec<Unreadable> {
    let mut found = BTreeMap::new();
    for (_, examined) in touched {
        let object = &examined.planned.object;
        if is_unrendered_kind(object.group(), &object.kind) {
            let reason =
                "only the change of the object itself is predicted, not that of the objects that it deploys".to_owned();
            found.insert(object.to_string(), reason);
        }
    }
    for (key, inputs) in &head.unrendered {
        let before = base.and_then(|base| base.unrendered.get(key));
        if before.is_none_or(|before| !before.is_same(inputs)) {
            let reads = inputs.reads.iter().map(|path| if path.is_empty() { "its top" } else { path });
            let reads = reads.collect::<Vec<_>>().join(", ");
            let reason = format!("it deploys from this checkout ({reads}), which is not rendered for its kind");
            found.insert(inputs.object.to_string(), reason);
        }
    }
    found.into_iter().map(|(what, reason)| Unreadable { what, reason }).collect()
}

/// Returns the changes of a merge to objects of the core cluster. Rejected changes are left out.
fn core_cluster_changes(touched: &[(Option<String>, ExaminedChange)]) -> PlannedChanges {
    let here = touched.iter().filter(|(cluster, _)| cluster.is_none()).map(|(_, examined)| examined);
    here.filter_map(|examined| {
        let after = match (examined.action, &examined.stored) {
            (PlanAction::Remove, _) => None,
            (_, Some(stored)) => Some(stored.clone()),
            _ => return None,
        };
        Some((ObjectKey::from(&examined.planned.object), after))
    })
    .collect()
}

/// Returns every deployment of either side, with its state after the merge.
fn all_deployments(base: Option<&RenderedSide>, head: &RenderedSide) -> BTreeMap<ObjectKey, Deployment> {
    let sides = base.into_iter().chain([head]);
    let all = sides.flat_map(|side| &side.rendered);
    all.map(|(key, rendered)| (key.clone(), rendered.deployment.clone())).collect()
}

fn pair_up(
    deployments: &BTreeMap<ObjectKey, Deployment>,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    (destinations, homes): (&Destinations, &EngineNamespaces),
    facts: &EngineConfiguration,
    outcome: &mut PlanOutcome,
) -> BTreeMap<ObjectKey, DeploymentPair> {
    let mut pairs = BTreeMap::new();
    let scopes_of = |side: &RenderedSide| planned_scopes(side.rendered.values().flat_map(manifests_of));
    let (base_scopes, head_scopes) = (base.map(scopes_of).unwrap_or_default(), scopes_of(head));
    for (key, deployment) in deployments {
        let name = &deployment.object;
        let mut lost = |reason: String| outcome.unreadable.push(Unreadable { what: name.to_string(), reason });
        if let Some(reason) = withholding_reason(deployment, homes) {
            lost(reason);
            continue;
        }
        let cluster = match destinations.get(&deployment.destination) {
            Some(Ok(cluster)) => cluster,
            Some(Err(reason)) => {
                lost(format!("its cluster {} cannot be reached: {reason}", destination_name(&deployment.destination)));
                continue;
            }
            None => continue,
        };
        let variables = match facts.variables.get(key) {
            Some(Err(reason)) => {
                lost(reason.clone());
                continue;
            }
            Some(Ok(variables)) => variables.clone(),
            None => BTreeMap::new(),
        };
        let mut prepare = |side: &RenderedSide, scopes: &PlannedScopes, title: &str| match side
            .rendered
            .get(key)
            .map(|rendered| &rendered.objects)
        {
            None => Some(BTreeMap::new()),
            Some(Err(error)) => {
                let reason = format!("{title}{error}");
                outcome.unreadable.push(Unreadable { what: name.to_string(), reason });
                None
            }
            Some(Ok(manifests)) => {
                let deployment = &side.rendered[key].deployment;
                let preparation =
                    Preparation { deployment, cluster, scopes, settings: facts.settings(), variables: &variables };
                let (prepared, failed) = preparation.prepare(manifests);
                outcome.unreadable.extend(
                    failed
                        .into_iter()
                        .map(|(object, reason)| Unreadable { what: format!("{object} of {name}"), reason }),
                );
                Some(prepared)
            }
        };
        let before = base.map(|side| prepare(side, &base_scopes, "before the merge: "));
        let Some(after) = prepare(head, &head_scopes, "") else { continue };
        let before = match before {
            Some(None) => continue,
            Some(Some(before)) => Some(before),
            None => None,
        };
        outcome.checked += 1;
        outcome.deployments.push(summary(deployment, cluster, &after));
        pairs.insert(key.clone(), DeploymentPair { deployment: deployment.clone(), before, after });
    }
    pairs
}

/// Returns the reason why the files of the checkout are not sent to the cluster of a deployment. Whoever may write a
/// Kustomization names a server in its kubeconfig, and would otherwise receive the files of any repository by its URL.
fn withholding_reason(deployment: &Deployment, homes: &EngineNamespaces) -> Option<String> {
    let DeploymentDestination::KubeConfig { namespace, secret, .. } = &deployment.destination else { return None };
    let is_withheld = deployment.fetch == SourceFetch::Never && !homes.contain(namespace);
    is_withheld.then(|| {
        format!(
            "nothing is sent to the server of Secret {namespace}/{secret}: Flux has never fetched its source, so that nothing \
             shows that its author may read this repository"
        )
    })
}

fn manifests_of(rendered: &RenderedDeployment) -> impl Iterator<Item = &Value> {
    rendered.objects.iter().flatten()
}

fn summary(
    deployment: &Deployment,
    cluster: &ConnectedCluster,
    after: &BTreeMap<ObjectKey, PreparedObject>,
) -> DeploymentSummary {
    DeploymentSummary {
        object: deployment.object.clone(),
        engine: deployment.engine,
        cluster: cluster.name.clone(),
        paths: deployment.parts.iter().map(|part| part.path.clone()).collect(),
        objects: after.len(),
    }
}

fn destination_name(destination: &DeploymentDestination) -> &str {
    match destination {
        DeploymentDestination::Here => "the core cluster",
        DeploymentDestination::Named(name)
        | DeploymentDestination::Server(name)
        | DeploymentDestination::Identity(name) => name,
        DeploymentDestination::KubeConfig { secret, .. } => secret,
    }
}

/// Collects, by cluster, the objects that the change adds.
fn added_objects_by_destination(
    planned: &[PlannedChange],
    pairs: &BTreeMap<ObjectKey, DeploymentPair>,
) -> BTreeMap<DeploymentDestination, AddedObjects> {
    let mut companies: BTreeMap<DeploymentDestination, AddedObjects> = BTreeMap::new();
    for entry in planned {
        let Some(pair) = pairs.get(&entry.by) else { continue };
        let company = companies.entry(pair.deployment.destination.clone()).or_default();
        if let PlannedStep::Apply { manifest, .. } = &entry.step {
            company.record(&entry.object.kind, &entry.object.name, manifest);
        }
    }
    companies
}

/// Returns the namespaces of the Applications of some sides.
pub fn application_namespaces(sides: &[&RenderedSide]) -> BTreeSet<String> {
    let deployments = sides.iter().flat_map(|side| side.rendered.values()).map(|rendered| &rendered.deployment);
    let own = deployments.filter(|deployment| deployment.engine == GitOps::ArgoCd);
    own.filter_map(|deployment| deployment.object.namespace.clone()).collect()
}
