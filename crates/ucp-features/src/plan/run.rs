//! Plans a merge from two sides of a repository: connects to the destinations, prepares and compares the objects, sends
//! them through a dry run, and examines the result.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use serde_json::Value;

use crate::adopt::homes::EngineNamespaces;
use crate::composition::view::PlannedChanges;
use crate::plan::change::{ApplyExtent, DeploymentPair, PlannedChange, PlannedStep, planned_changes, unversioned_name};
use crate::plan::compositions::CompositionPreview;
use crate::plan::destinations::{DestinationConnector, Destinations};
use crate::plan::engine_facts::EngineConfiguration;
use crate::plan::examine::{AddedObjects, Examination, ExaminedChange, Examiner, StoredObjects};
use crate::plan::item::plan_item;
use crate::plan::order;
use crate::plan::outcome::{DeployerRemark, DeploymentSummary, PlanAction, PlanOutcome};
use crate::plan::prepare::{ApplyTime, PlannedScopes, Preparation, PreparedObject, planned_scopes};
use crate::plan::schemas::SchemaCache;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination, ReconcileMode, SourceFetch};
use ucp_repo::manifests::renderer::RenderError;
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
    let wanted = deployments.values().map(|deployment| deployment.destination.clone());
    let wanted = wanted.chain([DeploymentDestination::Here]).collect();
    let destinations = ways.open_all(wanted).await;
    let facts = EngineConfiguration::gather(&ways.core, &ways.registry, &deployments).await;
    outcome.unreadable.extend(facts.unreadable.iter().cloned());
    let mut pairs = pair_up(&deployments, base, head, (&destinations, &ways.homes), &facts, &mut outcome);
    keep_elsewhere(&mut pairs, base, head, &deployments);
    let planned = planned_changes(&mut pairs);
    outcome.unreadable.extend(releases_out_of_reach(&planned, &pairs, &destinations));
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
    outcome.unreadable.extend(releases_of_other_clusters(base, head, &touched));
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
        let key = ObjectKey::from(object);
        let is_known = head.rendered.contains_key(&key) || head.elsewhere.contains_key(&key);
        if is_unrendered_kind(object.group(), &object.kind) && !is_known {
            let reason =
                "only the change of the object itself is predicted, not that of the objects that it deploys".to_owned();
            found.insert(object.to_string(), reason);
        }
    }
    for (_, examined) in touched {
        let object = &examined.planned.object;
        let is_application = (object.group(), object.kind.as_str()) == ("argoproj.io", "Application");
        let spec = |object: &Option<Value>| object.as_ref().and_then(|object| object.get("spec").cloned());
        let is_same = spec(&examined.before) == spec(&examined.after);
        let is_gone = matches!(examined.planned.step, PlannedStep::Remove);
        let rendered = head.rendered.get(&ObjectKey::from(object));
        if is_application && !is_same && !is_gone && rendered.is_none_or(|one| !one.deployment.elsewhere.is_empty()) {
            let elsewhere = rendered.map(|one| one.deployment.elsewhere.join(", ")).unwrap_or_default();
            let place = if elsewhere.is_empty() { "other repositories".to_owned() } else { elsewhere };
            found.insert(object.to_string(), format!("what it deploys from {place} is not rendered"));
        }
    }
    for (key, inputs) in &head.unrendered {
        let before = base.and_then(|base| base.unrendered.get(key));
        if before.is_none_or(|before| !before.is_same(inputs)) {
            let reads = inputs.reads.iter().map(|path| if path.is_empty() { "its top" } else { path });
            let reads = reads.collect::<Vec<_>>().join(", ");
            let why = inputs.reason.as_deref().unwrap_or("its Applications are not known");
            let reason = format!("it deploys from this checkout ({reads}), and is not rendered: {why}");
            found.insert(inputs.object.to_string(), reason);
        }
    }
    found.into_iter().map(|(what, reason)| Unreadable { what, reason }).collect()
}

/// Adds the HelmReleases that only the cluster knows, or that the merge no longer declares, so that their objects are
/// removed if their deployer deletes them. Until then, nothing of them changes.
fn keep_elsewhere(
    pairs: &mut BTreeMap<ObjectKey, DeploymentPair>,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    deployments: &BTreeMap<ObjectKey, Deployment>,
) {
    for (key, deployment) in &head.elsewhere {
        if pairs.contains_key(key) || deployments.contains_key(key) && base.is_none() {
            continue;
        }
        let placeholder = |key: &ObjectKey| PreparedObject {
            object: unversioned_name(key),
            manifest: Value::Null,
            when: ApplyTime::Always,
        };
        let objects: BTreeMap<_, _> = deployment.deployed.iter().map(|key| (key.clone(), placeholder(key))).collect();
        let pair = DeploymentPair {
            deployment: deployment.clone(),
            before: Some(objects.clone()),
            after: objects,
            extent: ApplyExtent::Nothing,
        };
        pairs.insert(key.clone(), pair);
    }
}

/// Returns the HelmReleases whose objects are deleted in clusters that are not connected.
fn releases_out_of_reach(
    planned: &[PlannedChange],
    pairs: &BTreeMap<ObjectKey, DeploymentPair>,
    destinations: &Destinations,
) -> Vec<Unreadable> {
    let pairs = planned.iter().filter_map(|change| pairs.get(&change.by));
    let open = pairs.filter(|pair| !destinations.contains_key(&pair.deployment.destination));
    let names: BTreeSet<_> =
        open.map(|pair| (pair.deployment.object.to_string(), destination_name(&pair.deployment.destination))).collect();
    names
        .into_iter()
        .map(|(what, cluster)| Unreadable {
            what,
            reason: format!("its objects in cluster {cluster} are deleted with it"),
        })
        .collect()
}

/// Returns the HelmReleases that change in another cluster, whose own Flux deploys them.
fn releases_of_other_clusters(
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    touched: &[(Option<String>, ExaminedChange)],
) -> Vec<Unreadable> {
    let is_known = |object: &ObjectName| {
        let key = ObjectKey::from(object);
        [base, Some(head)]
            .into_iter()
            .flatten()
            .any(|side| side.rendered.contains_key(&key) || side.elsewhere.contains_key(&key))
    };
    let releases = touched.iter().filter(|(cluster, examined)| {
        let object = &examined.planned.object;
        object.group() == "helm.toolkit.fluxcd.io"
            && object.kind == "HelmRelease"
            && (cluster.is_some() || !is_known(object))
    });
    let reason = "only the change of the HelmRelease itself is predicted, not that of its objects";
    releases
        .map(|(cluster, examined)| {
            let place = cluster.as_ref().map(|cluster| format!(" in {cluster}")).unwrap_or_default();
            Unreadable { what: format!("{}{place}", examined.planned.object), reason: reason.to_owned() }
        })
        .collect()
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
        if base.is_some_and(|base| is_same_release(base, head, key)) {
            continue;
        }
        if head.elsewhere.contains_key(key) && base.is_none() {
            continue;
        }
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
                // The head has its own entry.
                let is_same = head.rendered.get(key).is_some_and(|after| after.objects.as_ref() == Err(error));
                if title.is_empty() || !is_same {
                    let reason = format!("{title}{error}");
                    outcome.unreadable.push(Unreadable { what: name.to_string(), reason });
                }
                None
            }
            Some(Ok(manifests)) => {
                let deployment = &side.rendered[key].deployment;
                let preparation =
                    Preparation { deployment, cluster, scopes, settings: facts.settings(), variables: &variables };
                let (mut prepared, failed) = preparation.prepare(manifests);
                preparation.add_remarks(&side.rendered[key].remarks, &mut prepared);
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
        // A release that the merge no longer declares remains until its deployer deletes it.
        let is_undeclared = !head.rendered.contains_key(key) && head.elsewhere.contains_key(key);
        let after = match &before {
            Some(before) if is_undeclared => before.clone(),
            _ => after,
        };
        let has_same_recipe = base.is_some_and(|base| is_same_recipe(base, head, key));
        let extent = match is_undeclared {
            true => ApplyExtent::Nothing,
            false => extent(deployment, before.as_ref(), &after, has_same_recipe),
        };
        if deployment.application_set.is_none() || before.as_ref() != Some(&after) {
            report_remarks(deployment, base, head, extent, outcome);
        }
        pairs.insert(key.clone(), DeploymentPair { deployment: deployment.clone(), before, after, extent });
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

/// Returns the objects that the engine applies.
fn extent(
    deployment: &Deployment,
    before: Option<&BTreeMap<ObjectKey, PreparedObject>>,
    after: &BTreeMap<ObjectKey, PreparedObject>,
    has_same_recipe: bool,
) -> ApplyExtent {
    if deployment.mode == ReconcileMode::Suspended {
        return ApplyExtent::Nothing;
    }
    if deployment.release.is_none() {
        return ApplyExtent::Changed;
    }
    let known = |objects: &BTreeMap<ObjectKey, PreparedObject>| -> BTreeMap<ObjectKey, Option<Value>> {
        let content = |object: &PreparedObject| (object.when != ApplyTime::Unknown).then(|| object.manifest.clone());
        objects.iter().map(|(key, object)| (key.clone(), content(object))).collect()
    };
    match before {
        Some(before) if has_same_recipe && known(before) == known(after) => ApplyExtent::Nothing,
        _ => ApplyExtent::All,
    }
}

/// Returns true if both sides have the same chart, values and options of a release.
fn is_same_recipe(base: &RenderedSide, head: &RenderedSide, key: &ObjectKey) -> bool {
    match (base.rendered.get(key), head.rendered.get(key)) {
        (Some(before), Some(after)) => {
            before.deployment == after.deployment
                && before.remarks.values == after.remarks.values
                && before.remarks.chart_version == after.remarks.chart_version
                && (after.remarks.chart_version.is_some() || after.objects.is_err())
        }
        _ => false,
    }
}

/// Returns true if a release cannot be rendered, and the merge changes nothing that decides it.
fn is_same_release(base: &RenderedSide, head: &RenderedSide, key: &ObjectKey) -> bool {
    let is_unsupported = |side: &RenderedSide| {
        side.rendered.get(key).is_some_and(|one| {
            one.deployment.release.is_some()
                && one.remarks.values.is_some()
                && matches!(one.objects, Err(RenderError::Unsupported(_)))
        })
    };
    is_unsupported(base) && is_unsupported(head) && is_same_recipe(base, head, key)
}

fn report_remarks(
    deployment: &Deployment,
    base: Option<&RenderedSide>,
    head: &RenderedSide,
    extent: ApplyExtent,
    outcome: &mut PlanOutcome,
) {
    let object = deployment.object.clone();
    let mut remark = |text: String| outcome.remarks.push(DeployerRemark { object: object.clone(), remark: text });
    if deployment.mode == ReconcileMode::Suspended {
        remark("it is suspended: nothing changes until it is resumed".to_owned());
        return;
    }
    let Some(rendered) = head.rendered.get(&ObjectKey::from(&object)) else { return };
    let about_chart = rendered.remarks.facts.iter();
    if extent == ApplyExtent::Nothing {
        about_chart.filter(|fact| fact.contains("keeps its version")).cloned().for_each(remark);
        return;
    }
    about_chart.cloned().for_each(remark);
    let unknown = rendered.remarks.unknown.iter();
    outcome.unreadable.extend(unknown.map(|reason| Unreadable { what: object.to_string(), reason: reason.clone() }));
    let has_no_inventory = deployment.release.as_ref().is_some_and(|release| !release.has_inventory);
    let is_upgrade = deployment.release_recipe().is_some_and(|recipe| recipe.is_upgrade);
    if base.is_none() && has_no_inventory && is_upgrade {
        outcome.unreadable.push(Unreadable {
            what: object.to_string(),
            reason: "its status does not list the objects of its release, so those that are deleted are not known; compare with --base"
                .to_owned(),
        });
    }
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
        paths: deployment.parts.iter().filter(|part| !part.is_elsewhere()).map(|part| part.path.clone()).collect(),
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
