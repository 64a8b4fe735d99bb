//! Prepares a plan: reads the app cluster's objects and rights. Nothing is written.

use serde_json::Value;

use super::prepare_account::{AccountWork, AdoptionContext, prepare_account, unreachable};
use crate::adopt::live::account::{self, ObjectChange, Proof};
use crate::adopt::manifest::{
    ContentLogin, connection_secret, has_all_fields, is_registration_current, keep_applied_metadata,
};
use crate::adopt::names::NamespacedName;
use crate::adopt::owner::is_ours;
use crate::adopt::plan::{AdoptionRefusal, ClusterAdoptionPlan, LoginPlan};
use crate::adopt::record::Account;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::delete::uid_of;
use ucp_core::model::grounds::Grounded;
use ucp_core::model::object::ObjectName;

/// A plan, and everything needed to carry it out.
pub struct PreparedAdoption {
    /// The plan, with the login as far as it is known.
    pub plan: ClusterAdoptionPlan,
    /// The changes to make in the app cluster.
    pub account: Option<AccountWork>,
    /// The change to make to the registration.
    pub registration: ObjectChange,
    /// The live registration.
    pub(crate) live: Option<Value>,
    /// The connection Secret to write back.
    pub(crate) save: Option<SecretWriteBack>,
}

/// A connection Secret to write back.
pub(crate) struct SecretWriteBack {
    pub(crate) object: ObjectName,
    /// UID of the Secret that exists.
    seen: Option<String>,
    pub(crate) manifest: Value,
    pub(crate) change: ObjectChange,
}

impl PreparedAdoption {
    /// Returns true if no change is needed.
    pub fn is_done(&self) -> bool {
        let is_saved = self.save.as_ref().is_none_or(|save| save.change == ObjectChange::None);
        self.account.is_none() && self.registration == ObjectChange::None && is_saved
    }

    /// The connection Secret to write back, and the change to make to it.
    pub fn saved(&self) -> Option<(ObjectName, ObjectChange)> {
        self.save.as_ref().map(|save| (save.object.clone(), save.change))
    }
}

/// Prepares a plan. `save` names a connection Secret to write the access back to.
///
/// # Errors
/// Returns a refusal when the state of the clusters prevents the adoption.
pub async fn prepare(
    plan: Grounded<ClusterAdoptionPlan>,
    save: Option<&NamespacedName>,
    tools: &AdoptionContext<'_>,
) -> Result<Grounded<PreparedAdoption>, AdoptionRefusal> {
    let (plan, mut evidence) = plan.reopen();
    let mut plan = plan.saving(save)?;
    let live = find_registration(&plan, tools.core).await?;
    let save = prepare_save(&plan, tools.core).await?;
    let account = match plan.login.clone() {
        LoginPlan::Identity(identity) => {
            plan.content.login = ContentLogin::Identity(identity);
            None
        }
        LoginPlan::Passthrough(checked) => {
            plan.content.login = ContentLogin::Credential(checked.access().clone());
            None
        }
        LoginPlan::ServiceAccount(wanted) => prepare_account(&mut plan, &wanted, tools).await?,
    };
    let registration = compare(&plan, live.as_ref(), account.as_ref());
    if let (LoginPlan::Passthrough(access), true) = (&plan.login, registration != ObjectChange::None) {
        match account::test_credential(access, None, tools.timeout).await {
            Proof::Good => {}
            Proof::Denied(error) => {
                return Err(AdoptionRefusal::new(
                    format!("the app cluster rejects the credential: {error}"),
                    "pass another one with --bootstrap-context and --auth service-account",
                ));
            }
            Proof::Unknown(reason) => return Err(unreachable(&plan, &reason)),
        }
    }
    if let Some(live) = &live {
        evidence.add_object(&plan.content.object, uid_of(live));
    }
    if let Some(SecretWriteBack { object, seen: Some(uid), .. }) = &save {
        evidence.add_object(object, uid);
    }
    if let Some(account) = &account {
        account.add_grounds(&mut evidence, &plan.content.name);
    }
    Ok(evidence.establish(PreparedAdoption { plan, account, registration, live, save })?)
}

/// Finds the live object of the registration. If it exists, it must be that of this cluster.
async fn find_registration(plan: &ClusterAdoptionPlan, core: &Api) -> Result<Option<Value>, AdoptionRefusal> {
    let object = &plan.content.object;
    let found = match account::path(object) {
        Ok(path) => core.find(&path).await,
        Err(error) => Err(error),
    };
    let live = found.map_err(|error| {
        AdoptionRefusal::new(
            format!("{object} of the core cluster cannot be read: {error}"),
            "see adopt-cluster --print-rbac",
        )
    })?;
    if live.is_some() && plan.existing.is_none() {
        return Err(AdoptionRefusal::new(
            format!("{object} already exists, and is not the registration of this cluster"),
            "choose another name with --name",
        ));
    }
    Ok(live)
}

/// Compares the connection Secret to write back with the live one. A Secret of another tool is not overwritten.
async fn prepare_save(plan: &ClusterAdoptionPlan, core: &Api) -> Result<Option<SecretWriteBack>, AdoptionRefusal> {
    let Some((object, access)) = &plan.save else { return Ok(None) };
    let manifest = connection_secret(object, &plan.content.name, access);
    let found = match account::path(object) {
        Ok(path) => core.find(&path).await,
        Err(error) => Err(error),
    };
    let live = found
        .map_err(|error| AdoptionRefusal::new(format!("{object} cannot be read: {error}"), "check your rights"))?;
    let change = match &live {
        None => ObjectChange::Create,
        Some(live) if !is_ours(live) => {
            return Err(AdoptionRefusal::new(
                format!("{object} already exists, and was not created by kubectl ucp"),
                "choose another with --save-secret",
            ));
        }
        Some(live) if has_all_fields(live, &manifest) => ObjectChange::None,
        Some(_) => ObjectChange::Update,
    };
    let seen = live.as_ref().map(|live| uid_of(live).to_owned());
    Ok(Some(SecretWriteBack { object: object.clone(), seen, manifest, change }))
}

fn compare(plan: &ClusterAdoptionPlan, live: Option<&Value>, account: Option<&AccountWork>) -> ObjectChange {
    let Some(live) = live else { return ObjectChange::Create };
    // A token that is not issued yet is in no manifest, so the registration has to be updated.
    if account.is_some_and(|work| work.kept.is_none()) {
        return ObjectChange::Update;
    }
    let mut content = plan.content.clone();
    if let Some(work) = account {
        content.record.account = Some(Account { revoke: None, ..work.account.clone() });
    }
    let mut manifest = content.manifest();
    keep_applied_metadata(&mut manifest, live);
    if is_registration_current(live, &manifest) { ObjectChange::None } else { ObjectChange::Update }
}
