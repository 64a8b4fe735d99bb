//! Prepares the ServiceAccount of an engine in an app cluster: the changes to make, and the credential to make them
//! with.

use std::time::Duration;

use crate::adopt::access::CheckedAccess;
use crate::adopt::live::account::{self, AccountStep, ObjectChange, Proof, SeenObject};
use crate::adopt::live::remote::{self, Bootstrap};
use crate::adopt::live::rights;
use crate::adopt::manifest::ContentLogin;
use crate::adopt::owner::{DefaultOwnership, is_made_for};
use crate::adopt::plan::{AccountPlan, AdoptionRefusal, ClusterAdoptionPlan};
use crate::adopt::record::Account;
use crate::adopt::request::Rotation;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::write::ApiWriter;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::object::ObjectName;

/// The changes to make in an app cluster.
pub struct AccountWork {
    /// The connection that makes the changes.
    pub(crate) admin: ApiWriter,
    /// The engine's account after the changes.
    pub account: Account,
    /// The changes, in order.
    pub steps: Vec<AccountStep>,
    /// Objects of an earlier grant to remove.
    pub obsolete: Vec<SeenObject>,
    /// The Secret of the token to revoke.
    pub revoked: Option<SeenObject>,
    /// The access with the existing token, if it is kept.
    pub(crate) kept: Option<CheckedAccess>,
}

impl AccountWork {
    /// Adds the objects of the account that were read in the app cluster.
    pub(super) fn add_grounds(&self, evidence: &mut GroundsEvidence, cluster: &str) {
        let steps = self.steps.iter().filter_map(|step| Some((&step.object, step.seen.as_ref()?)));
        let removed = self.obsolete.iter().chain(&self.revoked).map(|seen| (&seen.object, &seen.seen));
        for (object, seen) in steps.chain(removed) {
            evidence.add_object_in(cluster, object, seen.uid());
        }
    }
}

/// The connections and settings that a preparation uses.
pub struct AdoptionContext<'a> {
    /// The core cluster.
    pub core: &'a ApiWriter,
    /// Access to the app cluster with a credential from a flag.
    pub bootstrap: Option<&'a Bootstrap>,
    /// Timeout of one request.
    pub timeout: Duration,
}

pub(super) async fn prepare_account(
    plan: &mut ClusterAdoptionPlan,
    wanted: &AccountPlan,
    tools: &AdoptionContext<'_>,
) -> Result<Option<AccountWork>, AdoptionRefusal> {
    let (mut kept, mut unused) = (None, None);
    if let (Some(current), Some(before), Rotation::AsNeeded) = (&wanted.current, &wanted.before, wanted.rotation) {
        match account::test_credential(current, Some(&before.grant), tools.timeout).await {
            Proof::Good => {
                unused = find_unused(wanted, before, current, tools).await;
                if before.grant == wanted.grant && before.revoke.is_none() && unused.is_none() {
                    plan.content.login = ContentLogin::Credential(current.access().clone());
                    plan.content.record.account = Some(before.clone());
                    return Ok(None);
                }
                kept = Some(current.clone());
            }
            // 403: the token is valid, but its rights are missing.
            Proof::Denied(ReadError::Denied { code: 403, .. }) => kept = Some(current.clone()),
            Proof::Denied(_) => {}
            Proof::Unknown(reason) => return Err(unreachable(plan, &reason)),
        }
    }
    let mut account = new_account(wanted, kept.is_some());
    let mut obsolete = obsolete(wanted, &account);
    obsolete.extend(unused);
    check_sharing(wanted, &account, &obsolete)?;
    let (admin, steps) = find_admin(plan, wanted, (&account, &obsolete), kept.as_ref(), tools).await?;
    // An object in the record may belong to another registration now, which keeps it.
    let mine = |objects| account::find_owned(&admin, objects, &account, DefaultOwnership::Mine);
    let obsolete = mine(obsolete).await.map_err(|error| unreachable(plan, &error.to_string()))?;
    let home = &account.service_account.namespace;
    let revoked = account.revoke.as_deref().map(|name| ObjectName::secret(home, name));
    let revoked = mine(revoked.into_iter().collect()).await.map_err(|error| unreachable(plan, &error.to_string()))?;
    let revoked = revoked.into_iter().next();
    account.revoke = revoked.as_ref().map(|secret| secret.object.name.clone());
    if let Some(kept) = &kept {
        plan.content.login = ContentLogin::Credential(kept.access().clone());
    }
    plan.content.record.account = Some(account.clone());
    Ok(Some(AccountWork { admin, account, steps, obsolete, revoked, kept }))
}

/// Refuses to remove anything from an account that other registrations use.
fn check_sharing(wanted: &AccountPlan, account: &Account, obsolete: &[ObjectName]) -> Result<(), AdoptionRefusal> {
    match wanted.shared_with.first() {
        Some(other) if account.revoke.is_some() || !obsolete.is_empty() => Err(AdoptionRefusal::new(
            format!("{other} uses its ServiceAccount {} as well, and would lose access", account.service_account),
            "adopt the other cluster again first, so that it gets its own ServiceAccount",
        )),
        _ => Ok(()),
    }
}

/// The account after the changes. A new token gets its own Secret, so that the old one can be revoked separately.
fn new_account(wanted: &AccountPlan, is_kept: bool) -> Account {
    let before = wanted.before.as_ref();
    let (token, revoke) = match before {
        Some(before) if is_kept => (before.token.clone(), before.revoke.clone()),
        Some(before) => (next_token(&before.token), Some(before.token.clone())),
        None => (wanted.first_token(), None),
    };
    let owner = Some(wanted.owner.clone());
    Account { service_account: wanted.service_account.clone(), grant: wanted.grant.clone(), token, revoke, owner }
}

/// The name after `x-token-1` is `x-token-2`, and so on: a run after an interrupted one finds the objects that it
/// created.
fn next_token(token: &str) -> String {
    match token.rsplit_once('-').and_then(|(stem, number)| Some((stem, number.parse::<u64>().ok()?))) {
        Some((stem, number)) => format!("{stem}-{}", number + 1),
        None => format!("{token}-2"),
    }
}

/// The Secret of an unused token, left by a rotation that was interrupted before it was registered. `None` if it cannot
/// be looked up.
async fn find_unused(
    wanted: &AccountPlan,
    before: &Account,
    current: &CheckedAccess,
    tools: &AdoptionContext<'_>,
) -> Option<ObjectName> {
    let own = before.grant.is_everything().then(|| current.clone());
    let access = own.or_else(|| wanted.provided.clone().ok())?;
    let api = remote::connect(&access, tools.timeout).ok()?;
    let secret = ObjectName::secret(&before.service_account.namespace, &next_token(&before.token));
    let live = api.find(&account::path(&secret).ok()?).await.ok()??;
    is_made_for(&live, before, DefaultOwnership::Mine).then_some(secret)
}

/// Objects of the earlier grant that this one does not need.
fn obsolete(wanted: &AccountPlan, account: &Account) -> Vec<ObjectName> {
    let Some(before) = &wanted.before else { return Vec::new() };
    let names = |account: &Account| -> Vec<ObjectName> {
        account.grant.manifests(&account.service_account).iter().map(ObjectName::from_manifest).collect()
    };
    let needed = names(account);
    names(before).into_iter().filter(|name| !needed.contains(name)).collect()
}

/// Returns the first access with all the rights that are needed: that of a flag, of the provisioner, of the engine
/// itself, or for the account of `kubectl ucp secrets`, of an engine.
async fn find_admin(
    plan: &ClusterAdoptionPlan,
    wanted: &AccountPlan,
    objects: (&Account, &[ObjectName]),
    kept: Option<&CheckedAccess>,
    tools: &AdoptionContext<'_>,
) -> Result<(ApiWriter, Vec<AccountStep>), AdoptionRefusal> {
    let mut denials = Vec::new();
    let mut ways: Vec<(String, ApiWriter)> = Vec::new();
    if let Some(bootstrap) = tools.bootstrap {
        ways.push(("the bootstrap credential".to_owned(), bootstrap.api.clone()));
    } else {
        match &wanted.provided {
            Ok(access) => match remote::connect_to_write(access, tools.timeout) {
                Ok(api) => {
                    let who = access
                        .access()
                        .credential()
                        .subject()
                        .map(|user| format!(" (user {user})"))
                        .unwrap_or_default();
                    ways.push((format!("the connection Secret's credential{who}"), api));
                }
                Err(error) => denials.push(error.message()),
            },
            Err(obstacle) => denials.push(obstacle.to_string()),
        }
        let is_ruler = wanted.before.as_ref().is_some_and(|account| account.grant.is_everything());
        let own = kept.or(wanted.current.as_ref()).filter(|_| is_ruler);
        let own = own.map(|access| ("the engine's own credential".to_owned(), access));
        let of_engine = wanted.engine.as_ref().map(|(engine, one)| (format!("{}'s credential", engine.title()), one));
        for (who, access) in own.into_iter().chain(of_engine) {
            if let Ok(api) = remote::connect_to_write(access, tools.timeout) {
                ways.push((who, api));
            }
        }
    }
    for (who, api) in ways {
        match check(&api, objects, wanted).await {
            Ok((steps, missing)) if missing.is_empty() => return no_foreign(steps, wanted).map(|steps| (api, steps)),
            Ok((_, missing)) => denials.push(format!("{who} may not {}", missing.join(", "))),
            Err(error @ ReadError::Denied { .. }) => denials.push(format!("{who}: {error}")),
            Err(error) => return Err(unreachable(plan, &error.to_string())),
        }
    }
    let hint = match &wanted.provided {
        Err(obstacle) if tools.bootstrap.is_none() => obstacle.hint(),
        _ => "pass a credential with these rights with --bootstrap-context",
    };
    Err(AdoptionRefusal::new(denials.join("; "), hint))
}

/// Refuses to change objects of other tools and registrations: a release could not remove them either.
fn no_foreign(steps: Vec<AccountStep>, wanted: &AccountPlan) -> Result<Vec<AccountStep>, AdoptionRefusal> {
    let Some(step) = steps.iter().find(|step| step.change == ObjectChange::Foreign) else { return Ok(steps) };
    let (object, whose) = (
        &step.object,
        match &step.owner {
            Some(owner) => format!("was created for another registration: {owner}"),
            None => "was not created by kubectl ucp".to_owned(),
        },
    );
    Err(AdoptionRefusal::new(
        format!("{object} already exists in the app cluster, and {whose}"),
        match &wanted.before {
            Some(_) => "release this cluster and adopt it again; this does not change the object",
            None => "choose another with --service-account NAMESPACE/NAME",
        },
    ))
}

/// Returns the steps to make, and the rights that are missing for them.
async fn check(
    api: &Api,
    (account, obsolete): (&Account, &[ObjectName]),
    wanted: &AccountPlan,
) -> Result<(Vec<AccountStep>, Vec<String>), ReadError> {
    let unsaid = if wanted.before.is_some() { DefaultOwnership::Mine } else { DefaultOwnership::Foreign };
    let steps = match account::inspect(api, account, wanted.lifetime, unsaid).await {
        Ok(steps) => steps,
        // A user without the right to read has no right to write either; the list of missing rights is more useful than
        // the first denial.
        Err(ReadError::Denied { code: 403, .. }) => account::all_missing(account, wanted.lifetime),
        Err(error) => return Err(error),
    };
    let mut missing = rights::missing(api, &steps, account, wanted.lifetime).await?;
    missing.extend(rights::missing_to_delete(api, obsolete).await?);
    if missing.is_empty() {
        // All rights are there, but reading failed: repeated for the reason.
        let steps = account::inspect(api, account, wanted.lifetime, unsaid).await?;
        return Ok((steps, missing));
    }
    missing.truncate(6);
    Ok((steps, missing))
}

pub(super) fn unreachable(plan: &ClusterAdoptionPlan, reason: &str) -> AdoptionRefusal {
    AdoptionRefusal::new(
        format!("{} does not answer: {reason}", plan.content.endpoint.server),
        "'kubectl ucp clusters --probe' shows which clusters answer",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_numbered() {
        assert_eq!(next_token("kubectl-ucp-argocd-token-1"), "kubectl-ucp-argocd-token-2");
        assert_eq!(next_token("x-token-9"), "x-token-10");
        assert_eq!(next_token("x"), "x-2");
    }
}
