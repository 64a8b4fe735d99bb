//! The adoption of one cluster for one engine or for `kubectl ucp secrets`, from plan to result.

use futures::StreamExt as _;

use super::targets::AdoptionTarget;
use crate::report::adoption::{AdoptionAction, AdoptionItem, AdoptionState, AdoptionVerb, CORE};
use crate::ui::progress::Progress;
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::grounds::Grounded;
use ucp_core::model::object::ObjectName;
use ucp_features::adopt::access::ClusterEndpoint;
use ucp_features::adopt::holder::AccountHolder;
use ucp_features::adopt::inventory::AppClusterInventory;
use ucp_features::adopt::live::account::ObjectChange;
use ucp_features::adopt::live::carry_out::{self, AdoptionFailure};
use ucp_features::adopt::live::prepare::{self, PreparedAdoption};
use ucp_features::adopt::live::prepare_account::AdoptionContext;
use ucp_features::adopt::live::settle::resolve_origin;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::adopt::plan::{self, AdoptionRefusal, RefusalSort};
use ucp_features::adopt::request::AdoptionRequest;

/// Number of clusters that are read or written concurrently.
const CONCURRENT_CLUSTERS: usize = 16;

/// The adoption of one cluster for one holder.
pub(super) struct AdoptionWork {
    cluster: String,
    holder: AccountHolder,
    prepared: Result<Grounded<PreparedAdoption>, AdoptionRefusal>,
}

/// Prepares every target for every request. A refusal of one does not affect the others.
pub(super) async fn prepare_all(
    inventory: &AppClusterInventory,
    targets: &[AdoptionTarget<'_>],
    requests: &[AdoptionRequest],
    tools: &AdoptionContext<'_>,
    progress: &Progress,
) -> Vec<AdoptionWork> {
    let pairs: Vec<_> = targets
        .iter()
        .flat_map(|target| requests.iter().map(move |request| (target, request)))
        .filter(|(target, request)| request.is_for(&target.cluster))
        .collect();
    progress.set_total(pairs.len());
    let works = futures::stream::iter(pairs)
        .map(|(target, request)| async move {
            let prepared = prepare_one(inventory, target, request, tools).await;
            progress.add_step();
            AdoptionWork { cluster: target.cluster.name.clone(), holder: request.holder, prepared }
        })
        .buffered(CONCURRENT_CLUSTERS)
        .collect()
        .await;
    refuse_shared_accounts(works)
}

async fn prepare_one(
    inventory: &AppClusterInventory,
    AdoptionTarget { cluster, origin, save }: &AdoptionTarget<'_>,
    request: &AdoptionRequest,
    tools: &AdoptionContext<'_>,
) -> Result<Grounded<PreparedAdoption>, AdoptionRefusal> {
    let origin = resolve_origin(cluster, request.holder, origin.clone()?, &request.allowed, tools).await?;
    let plan = plan::plan(inventory, cluster, &origin, request)?;
    prepare::prepare(plan, save.as_ref(), tools).await
}

/// Refuses one `--service-account` for two registrations of a cluster: the app cluster does not record the first one
/// yet.
fn refuse_shared_accounts(mut works: Vec<AdoptionWork>) -> Vec<AdoptionWork> {
    let mut taken: Vec<(ClusterEndpoint, NamespacedName, ObjectName)> = Vec::new();
    for work in &mut works {
        let prepared = work.prepared.as_ref().map(Grounded::value);
        let Ok(PreparedAdoption { plan, account: Some(account), .. }) = prepared else { continue };
        let (endpoint, account) = (&plan.content.endpoint, &account.account.service_account);
        let first = taken.iter().find(|(known, name, _)| name == account && known.may_be_same_cluster(endpoint));
        match first {
            Some((.., first)) => {
                let reason = format!("ServiceAccount {account} of the same cluster is for {first}");
                work.prepared = Err(AdoptionRefusal::new(
                    reason,
                    "omit --service-account, so that each registration gets its own ServiceAccount",
                ));
            }
            None => taken.push((endpoint.clone(), account.clone(), plan.content.object.clone())),
        }
    }
    works
}

/// Carries out the prepared adoptions.
pub(super) async fn carry_out_all(
    works: Vec<AdoptionWork>,
    tools: &AdoptionContext<'_>,
    conflicts: ConflictPolicy,
    progress: &Progress,
) -> Vec<AdoptionItem> {
    progress.set_total(works.len());
    futures::stream::iter(works)
        .map(|work| async move {
            let mut item = work.item();
            if let (AdoptionState::Planned, Ok(prepared)) = (item.state, work.prepared) {
                item.state = AdoptionState::Adopted;
                if let Err(AdoptionFailure { reason, left }) = carry_out::carry_out(prepared, tools, conflicts).await {
                    item.state = AdoptionState::Failed;
                    item.reason = Some(reason);
                    item.left = left;
                }
            }
            progress.add_step();
            item
        })
        .buffered(CONCURRENT_CLUSTERS)
        .collect()
        .await
}

impl AdoptionWork {
    /// Returns the item of the report, with the planned actions.
    pub(super) fn item(&self) -> AdoptionItem {
        let (prepared, grounds) = match &self.prepared {
            Ok(prepared) => (prepared.value(), prepared.grounds()),
            Err(AdoptionRefusal { reason, hint, sort }) => {
                let mut item = AdoptionItem::refused(&self.cluster, self.holder, reason.clone(), hint.clone());
                if *sort == RefusalSort::Taken {
                    item.state = AdoptionState::Unchanged;
                }
                return item;
            }
        };
        let grants = prepared.account.as_ref().map(|work| {
            let account = &work.account.service_account;
            format!("{} to ServiceAccount {account}", work.account.grant.describe())
        });
        AdoptionItem {
            cluster: self.cluster.clone(),
            engine: self.holder.engine(),
            purpose: AdoptionItem::purpose(self.holder),
            actions: self.actions(prepared),
            grants,
            server_change: prepared.plan.change.as_ref().map(Into::into),
            grounds: (!prepared.is_done()).then(|| grounds.clone()),
            state: if prepared.is_done() { AdoptionState::Unchanged } else { AdoptionState::Planned },
            reason: None,
            hint: None,
            left: Vec::new(),
        }
    }

    fn actions(&self, prepared: &PreparedAdoption) -> Vec<AdoptionAction> {
        let there =
            |verb, object: &ObjectName| AdoptionAction { verb, object: object.clone(), cluster: self.cluster.clone() };
        let here =
            |verb, object: &ObjectName| AdoptionAction { verb, object: object.clone(), cluster: CORE.to_owned() };
        let mut actions = Vec::new();
        if let Some((secret, change)) = prepared.saved() {
            actions.extend(verb(change).map(|verb| here(verb, &secret)));
        }
        if let Some(work) = &prepared.account {
            for step in &work.steps {
                actions.extend(verb(step.change).map(|verb| there(verb, &step.object)));
            }
            actions.extend(work.obsolete.iter().map(|obsolete| there(AdoptionVerb::Delete, &obsolete.object)));
        }
        actions.extend(verb(prepared.registration).map(|verb| here(verb, &prepared.plan.content.object)));
        let revoked = prepared.account.as_ref().and_then(|work| work.revoked.as_ref());
        actions.extend(revoked.map(|secret| there(AdoptionVerb::Delete, &secret.object)));
        actions
    }
}

fn verb(change: ObjectChange) -> Option<AdoptionVerb> {
    match change {
        ObjectChange::None | ObjectChange::Foreign => None,
        ObjectChange::Create => Some(AdoptionVerb::Create),
        ObjectChange::Update => Some(AdoptionVerb::Update),
        ObjectChange::Replace => Some(AdoptionVerb::Replace),
    }
}
