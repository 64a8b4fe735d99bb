//! Carries out a prepared adoption: first the changes in the app cluster, then a test of the new credential, and the
//! registration last. On earlier failures the changes are rolled back.

use serde_json::Value;

use crate::adopt::access::AppClusterAccess;
use crate::adopt::credential::Credential;
use crate::adopt::live::account::{self, CreatedObject, ObjectChange, Proof};
use crate::adopt::live::interrupt::interrupted;
use crate::adopt::live::prepare::PreparedAdoption;
use crate::adopt::live::prepare_account::{AccountWork, AdoptionContext};
use crate::adopt::manifest::{ContentLogin, keep_applied_metadata};
use crate::adopt::plan::{ClusterAdoptionPlan, LoginPlan};
use crate::adopt::record::Account;
use ucp_client::source::live::api::ReadError;
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::grounds::Grounded;
use ucp_core::model::object::ObjectName;

/// The reason why an adoption failed, and the objects that remain of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptionFailure {
    /// The failed operation and its cause.
    pub reason: String,
    /// Objects in the app cluster that were created and could not be removed.
    pub left: Vec<ObjectName>,
}

impl AdoptionFailure {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), left: Vec::new() }
    }
}

/// Carries out an adoption. Created objects are removed if it fails or is interrupted.
///
/// # Errors
/// Returns the reason, and the objects that remain in the app cluster.
pub async fn carry_out(
    prepared: Grounded<PreparedAdoption>,
    tools: &AdoptionContext<'_>,
    conflicts: ConflictPolicy,
) -> Result<(), AdoptionFailure> {
    let PreparedAdoption { mut plan, account, live, registration, save } = prepared.into_value();
    let mut done = Vec::new();
    if let Some(save) = save.filter(|save| save.change != ObjectChange::None) {
        let saved = match account::path(&save.object) {
            Ok(path) => tools.core.apply(&path, &save.manifest, conflicts).await,
            Err(error) => Err(error),
        };
        saved.map_err(|error| AdoptionFailure::new(format!("{} could not be written: {error}", save.object)))?;
    }
    if let Some(work) = &account {
        let outcome = tokio::select! {
            outcome = set_up_account(work, &mut plan, tools, conflicts, &mut done) => outcome,
            () = interrupted() => Err(AdoptionFailure::new("it was interrupted")),
        };
        if let Err(mut failure) = outcome {
            failure.left = take_back(work, &plan, live.as_ref(), tools, &done).await;
            return Err(failure);
        }
    }
    if registration == ObjectChange::None && account.is_none() {
        return Ok(());
    }
    if let Err(error) = register(&plan, live.as_ref(), tools, conflicts).await {
        let object = &plan.content.object;
        let mut failure = AdoptionFailure::new(format!("{object} could not be written to the core cluster: {error}"));
        // Without a definite error it may have been written, and then the engine needs the created objects.
        let is_certain = matches!(
            error,
            ReadError::Denied { .. }
                | ReadError::Server { .. }
                | ReadError::Rejected { .. }
                | ReadError::NotFound
                | ReadError::NotServed
        );
        if let (Some(work), true) = (&account, is_certain) {
            failure.left = take_back(work, &plan, live.as_ref(), tools, &done).await;
        }
        return Err(failure);
    }
    match account {
        Some(work) => revoke(&work, plan, live.as_ref(), tools, conflicts).await,
        None => Ok(()),
    }
}

/// Deletes the created objects, unless the registration was written since it was read: another run may have registered the
/// cluster with them. Returns those that remain.
async fn take_back(
    work: &AccountWork,
    plan: &ClusterAdoptionPlan,
    live: Option<&Value>,
    tools: &AdoptionContext<'_>,
    done: &[CreatedObject],
) -> Vec<ObjectName> {
    let now = match account::path(&plan.content.object) {
        Ok(path) => tools.core.find(&path).await,
        Err(error) => Err(error),
    };
    let version = |object: Option<&Value>| object.map(|object| object["metadata"]["resourceVersion"].clone());
    match now {
        Ok(now) if version(now.as_ref()) == version(live) => account::roll_back(&work.admin, done).await,
        _ => account::names(done),
    }
}

/// Creates the ServiceAccount and its rights, gets a token and tests it.
async fn set_up_account(
    work: &AccountWork,
    plan: &mut ClusterAdoptionPlan,
    tools: &AdoptionContext<'_>,
    conflicts: ConflictPolicy,
    done: &mut Vec<CreatedObject>,
) -> Result<(), AdoptionFailure> {
    let LoginPlan::ServiceAccount(wanted) = &plan.login else { return Ok(()) };
    account::apply_steps(&work.admin, &work.steps, conflicts, done)
        .await
        .map_err(|error| AdoptionFailure::new(format!("the ServiceAccount could not be created: {error}")))?;
    let access = match &work.kept {
        Some(kept) => kept.clone(),
        None => {
            let token = account::token(&work.admin, &work.account, wanted.lifetime)
                .await
                .map_err(|error| AdoptionFailure::new(format!("its token could not be created: {error}")))?;
            // `settle` made sure that the administrator's connection and the endpoint are the same cluster.
            let issued = AppClusterAccess::from_document(plan.content.endpoint.clone(), Credential::token(token));
            let checked = issued.check(&plan.allowed, jiff::Timestamp::now());
            checked
                .map_err(|obstacle| AdoptionFailure::new(format!("the new credential cannot be used: {obstacle}")))?
        }
    };
    let grant = &work.account.grant;
    match account::test_new_credential(&access, grant, tools.timeout).await {
        Proof::Good => {}
        Proof::Denied(error) => return Err(AdoptionFailure::new(format!("the new credential does not work: {error}"))),
        Proof::Unknown(reason) => {
            return Err(AdoptionFailure::new(format!("the new credential could not be tested: {reason}")));
        }
    }
    for obsolete in &work.obsolete {
        let object = &obsolete.object;
        obsolete.delete(&work.admin).await.map_err(|error| {
            AdoptionFailure::new(format!("{object} of the earlier grant could not be removed: {error}"))
        })?;
    }
    plan.content.login = ContentLogin::Credential(access.access().clone());
    Ok(())
}

async fn register(
    plan: &ClusterAdoptionPlan,
    live: Option<&Value>,
    tools: &AdoptionContext<'_>,
    conflicts: ConflictPolicy,
) -> Result<(), ReadError> {
    let mut manifest = plan.content.manifest();
    if let Some(live) = live {
        keep_applied_metadata(&mut manifest, live);
    }
    tools.core.apply(&account::path(&plan.content.object)?, &manifest, conflicts).await.map(|_| ())
}

/// Removes the Secret of an earlier token, and then the annotation that marks it for removal.
async fn revoke(
    work: &AccountWork,
    mut plan: ClusterAdoptionPlan,
    live: Option<&Value>,
    tools: &AdoptionContext<'_>,
    conflicts: ConflictPolicy,
) -> Result<(), AdoptionFailure> {
    let Some(secret) = &work.revoked else { return Ok(()) };
    if let Err(error) = secret.delete(&work.admin).await {
        return Err(AdoptionFailure {
            reason: format!("the new credential is in use, and the old one could not be revoked: {error}"),
            left: vec![secret.object.clone()],
        });
    }
    plan.content.record.account = Some(Account { revoke: None, ..work.account.clone() });
    register(&plan, live, tools, conflicts)
        .await
        .map_err(|error| AdoptionFailure::new(format!("{} could not be written again: {error}", plan.content.object)))
}
