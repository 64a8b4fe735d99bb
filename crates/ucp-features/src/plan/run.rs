//! Plans a merge from two sides of a repository: connects to the destinations, prepares and compares the objects, sends
//! them through a dry run, and examines the result.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use serde_json::Value;

use crate::composition::view::PlannedChanges;
use crate::plan::blocked::{reject_blocked, suspended_by_merge};
use crate::plan::change::{DeploymentPair, PlannedChange, PlannedStep, planned_changes};
use crate::plan::compositions::CompositionPreview;
use crate::plan::destinations::{DestinationConnector, OpenedDestinations};
use crate::plan::engine_facts::EngineConfiguration;
use crate::plan::examine::{AddedObjects, ComparisonPurpose, Examination, ExaminedChange, Examiner, StoredObjects};
use crate::plan::external::FUNCTION_EFFECTS;
use crate::plan::item::plan_item;
use crate::plan::order;
use crate::plan::outcome::{PlanAction, PlanOutcome};
use crate::plan::pairs::{keep_elsewhere, pair_up};
use crate::plan::permissions::check_permissions;
use crate::plan::policies::add_policy_effects;
use crate::plan::releases::{releases_of_other_clusters, releases_out_of_reach};
use crate::plan::schemas::SchemaCache;
use crate::plan::variables::{SideVariables, side_variables};
use ucp_core::failure::Failure;
use ucp_core::model::admission::GROUP as ADMISSION;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination};
use ucp_repo::manifests::reach::RenderError;
use ucp_repo::manifests::remote_chart::chart_advice;
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
    (purpose, preview): (ComparisonPurpose, Option<&CompositionPreview<'_>>),
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<PlanOutcome, Failure> {
    let mut outcome = PlanOutcome::default();
    let deployments = all_deployments(base, head);
    let wanted = deployments.values().map(|deployment| deployment.destination.clone());
    let wanted = wanted.chain([DeploymentDestination::Here]).collect();
    let OpenedDestinations { clusters: destinations, servers } = ways.open_all(wanted).await;
    let facts = EngineConfiguration::gather(&ways.core, &ways.registry, &deployments).await;
    outcome.unreadable.extend(facts.unreadable.iter().cloned());
    let deployments = deployments.into_iter().map(|(key, deployment)| (key, facts.carried_out(deployment))).collect();
    let variables_before = match base {
        Some(base) => side_variables(&ways.core, base, None).await,
        None => SideVariables::new(),
    };
    let variables_after = side_variables(&ways.core, head, base).await;
    let variables = (&variables_before, &variables_after);
    let mut pairs = pair_up(&deployments, base, head, (&destinations, &ways.homes), &facts, variables, &mut outcome);
    keep_elsewhere(&mut pairs, base, head, &deployments);
    let planned = planned_changes(&mut pairs);
    outcome.unreadable.extend(releases_out_of_reach(&planned, &pairs, &destinations));
    let companies = added_objects_by_destination(&planned, &pairs);
    let mut declared: BTreeMap<&DeploymentDestination, Vec<&Value>> = BTreeMap::new();
    for pair in pairs.values() {
        let manifests = pair.after.values().map(|prepared| &prepared.manifest);
        declared.entry(&pair.deployment.destination).or_default().extend(manifests);
    }
    let schemas = SchemaCache::default();
    let total = planned.len();
    let mut done = 0;
    let (pairs, destinations, schemas, companies, facts) = (&pairs, &destinations, &schemas, &companies, &facts);
    let declared = &declared;
    let is_previewed = preview.is_some();
    let has_policies = planned.iter().any(|change| change.object.group() == ADMISSION);
    let examined = planned.into_iter().filter_map(|planned| {
        let pair = pairs.get(&planned.by)?;
        let cluster = destinations.get(&pair.deployment.destination)?.as_ref().ok()?;
        Some((planned, pair, cluster, companies.get(&pair.deployment.destination)?))
    });
    let mut examinations = futures::stream::iter(examined)
        .map(|(planned, pair, cluster, company)| async move {
            // Compositions are run on the stored objects of the core cluster, and policies applied to those of all.
            let is_needed = is_previewed && cluster.name.is_none() || has_policies;
            let stored = if is_needed { StoredObjects::Kept } else { StoredObjects::Dropped };
            let declared = declared.get(&pair.deployment.destination).map_or(&[][..], Vec::as_slice);
            let examiner = Examiner { cluster, company, schemas, stored, declared, purpose };
            let ignored = facts.ignored(&pair.deployment);
            (cluster.name.clone(), examiner.examine(planned, &pair.deployment, &ignored).await)
        })
        .buffer_unordered(CONCURRENT);
    let (mut touched, mut by_sync) = (Vec::new(), Vec::new());
    while let Some((cluster, examination)) = examinations.next().await {
        done += 1;
        progress(done, total);
        match examination {
            Examination::Touched(examined) => touched.push((cluster, *examined)),
            Examination::TouchedBySync(examined) => by_sync.push((cluster, *examined)),
            Examination::Unchanged => outcome.unchanged += 1,
            Examination::Unreadable(entry) => outcome.unreadable.push(entry),
        }
    }
    drop(examinations);
    let out_of_sync: BTreeSet<_> = touched
        .iter()
        .filter(|(_, examined): &&(_, ExaminedChange)| examined.action != PlanAction::Abandon)
        .map(|(_, examined)| examined.planned.by.clone())
        .collect();
    let (synced, others): (Vec<_>, Vec<_>) =
        by_sync.into_iter().partition(|(_, examined)| out_of_sync.contains(&examined.planned.by));
    touched.extend(synced);
    outcome.unchanged += others.len();
    check_permissions(ways, (head, pairs, destinations, &servers), facts, &mut touched, &mut outcome).await;
    if purpose == ComparisonPurpose::Merge {
        reject_blocked(&mut touched, pairs, &failing_deployers(head));
        outcome.unreadable.extend(suspended_by_merge(&touched, pairs));
        add_policy_effects(destinations, &mut touched).await;
    }
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
        let composed = outcome.composites.iter_mut().flat_map(|composite| &mut composite.items);
        // Composites that could not be run are unreadable. Those of app clusters are not run.
        for item in outcome.items.iter_mut().chain(composed).filter(|item| item.cluster.is_none()) {
            item.unevaluated = item.unevaluated.filter(|effects| !FUNCTION_EFFECTS.contains(effects));
        }
    }
    Ok(outcome)
}

/// Returns the deployers that the engine cannot render after the merge either.
fn failing_deployers(head: &RenderedSide) -> BTreeSet<ObjectKey> {
    let fails = |rendered: &RenderedDeployment| matches!(rendered.objects, Err(RenderError::Broken(_)));
    head.rendered.iter().filter(|(_, rendered)| fails(rendered)).map(|(key, _)| key.clone()).collect()
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
        if let Some(reason) = head.failed.get(&key) {
            found.insert(object.to_string(), format!("what it deploys is not predicted: {reason}"));
        }
        let is_known = head.rendered.contains_key(&key) || head.elsewhere.contains_key(&key);
        if is_unrendered_kind(object.group(), &object.kind) && !is_known {
            let reason =
                "only the change of the object itself is predicted, not that of the objects that it deploys".to_owned();
            found.insert(object.to_string(), reason);
        }
    }
    for (_, examined) in touched {
        let object = &examined.planned.object;
        let is_deployer = matches!(
            (object.group(), object.kind.as_str()),
            ("argoproj.io", "Application") | ("kustomize.toolkit.fluxcd.io", "Kustomization")
        );
        let spec = |object: &Option<Value>| object.as_ref().and_then(|object| object.get("spec").cloned());
        let is_same = spec(&examined.before) == spec(&examined.after);
        let is_gone = matches!(examined.planned.step, PlannedStep::Remove);
        let rendered = head.rendered.get(&ObjectKey::from(object));
        if is_deployer && !is_same && !is_gone && rendered.is_none_or(|one| !one.deployment.elsewhere.is_empty()) {
            let elsewhere = rendered.map(|one| one.deployment.elsewhere.join(", ")).unwrap_or_default();
            let place = if elsewhere.is_empty() { "other repositories".to_owned() } else { elsewhere };
            let after = spec(&examined.after).and_then(|spec| serde_json::from_value(spec).ok());
            let advice = after.as_ref().map(chart_advice).unwrap_or_default();
            found.insert(object.to_string(), format!("what it deploys from {place} is not rendered{advice}"));
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
