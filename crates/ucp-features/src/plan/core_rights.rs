//! The rights of Crossplane's core to write composed objects, about which a dry run with the rights of the user says nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::plan::examine::ExaminedChange;
use crate::plan::outcome::{DeployerRemark, PlanAction, ServerCheck};
use crate::plan::rights::{ImpersonatedRights, ServiceAccountName};
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;

/// The label that Crossplane's chart sets on the workload of its core.
const CORE: &str = "app=crossplane";

/// Marks the composed objects as rejected that Crossplane's core may not write. Each comes with its composite. Returns remarks about
/// rights that are not known.
pub(super) async fn check_core_rights<'a>(
    core: &ConnectedCluster,
    composed: impl Iterator<Item = (&'a ObjectName, &'a mut ExaminedChange)>,
) -> Vec<DeployerRemark> {
    let mut composed = composed.filter(|(_, examined)| examined.check != ServerCheck::Rejected).peekable();
    let Some((first, _)) = composed.peek() else { return Vec::new() };
    let account = match core_account(core).await {
        Ok(Some(account)) => account,
        Ok(None) => return Vec::new(),
        Err(reason) => {
            let remark = format!("the rights of Crossplane's core are not checked: {reason}");
            return vec![DeployerRemark { object: (*first).clone(), remark }];
        }
    };
    let (mut rights, mut remarks) = (ImpersonatedRights::default(), BTreeSet::new());
    for (composite, examined) in composed {
        // Core watches every kind that it composes, and creates with `patch`.
        let verbs: &[&str] = match examined.action {
            PlanAction::Add => &["list", "watch", "create", "patch"],
            PlanAction::Change => &["list", "watch", "patch"],
            PlanAction::Remove => &["delete"],
            PlanAction::Abandon => &[],
        };
        match rights.check(core, (verbs, &account), examined).await {
            Ok(()) if examined.check == ServerCheck::Rejected => examined.planned.notes.push(STOPS.to_owned()),
            Ok(()) => {}
            Err(unknown) => {
                let remark = format!("the rights of {account} are not checked: {}", unknown.reason);
                remarks.insert(DeployerRemark { object: composite.clone(), remark });
            }
        }
    }
    remarks.into_iter().collect()
}

/// The note on an object that Crossplane's core cannot write.
pub(super) const STOPS: &str = "Crossplane stops at this error, and may not apply the other composed resources";

/// Returns the ServiceAccount of Crossplane's core; `None` if it does not run here.
async fn core_account(core: &ConnectedCluster) -> Result<Option<ServiceAccountName>, Failure> {
    let Some(kind) = core.find_preferred("apps", "Deployment").await? else { return Ok(None) };
    let listed = core.list_objects(&kind.path(None).with_query("labelSelector", CORE)).await?;
    let name = |workload: &Value| {
        let account = text_at(workload, "/spec/template/spec/serviceAccountName");
        let account = if account.is_empty() { "default" } else { account };
        (text_at(workload, "/metadata/namespace").to_owned(), account.to_owned())
    };
    let accounts: BTreeSet<_> = listed.iter().map(name).collect();
    if accounts.len() > 1 {
        return fail!("several workloads have the label {CORE}");
    }
    Ok(accounts.into_iter().next().map(|(namespace, name)| ServiceAccountName { namespace, name }))
}
