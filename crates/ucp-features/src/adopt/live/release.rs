//! Releases a cluster: the account's objects in the app cluster are removed first, the registration last.

use std::sync::Arc;

use futures::future::try_join_all;

use crate::adopt::access::AppClusterAccess;
use crate::adopt::cluster::AppCluster;
use crate::adopt::holder::AccountHolder;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::live::account::{self, SeenObject};
use crate::adopt::live::prepare_account::AdoptionContext;
use crate::adopt::live::{remote, rights};
use crate::adopt::manifest::account_manifests;
use crate::adopt::names::NamespacedName;
use crate::adopt::owner::{self, DefaultOwnership};
use crate::adopt::plan::AdoptionRefusal;
use crate::adopt::record::Account;
use crate::adopt::registration::Registration;
use crate::adopt::request::Lifetime;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::delete::Precondition;
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListResult, ListScope, list};
use ucp_client::source::live::write::ApiWriter;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::grounds::Grounded;
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectName;

/// Handling of a registration that is still in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// It is refused.
    No,
    /// It is released: `--force`.
    Yes,
}

/// The changes that a release will make.
pub struct ClusterRelease {
    /// The registration to remove.
    pub registration: Registration,
    /// Objects in the app cluster to remove first, in this order.
    pub objects: Vec<SeenObject>,
    /// The live registration, as it was read.
    seen: Option<Precondition>,
    /// The connection that removes the objects.
    cleanup: CleanupAccess,
    /// Objects that will remain, and why.
    pub left: Option<(Vec<ObjectName>, String)>,
}

/// The connection that removes the objects in the app cluster.
enum CleanupAccess {
    /// None, since nothing has to be removed.
    Unneeded,
    /// A connection with another credential.
    Other(ApiWriter),
    /// The engine's own credential, which is deleted with the first object, the owner of all others.
    Itself(ApiWriter),
}

/// Prepares to release a cluster from one engine.
///
/// # Errors
/// Fails, unless forced, if it is in use or not from kubectl ucp, or if no credential may remove its objects in the app
/// cluster.
pub async fn prepare(
    inventory: &AppClusterInventory,
    cluster: &AppCluster,
    registration: &Registration,
    force: Force,
    allowed: &crate::adopt::access::AllowedHazards,
    tools: &AdoptionContext<'_>,
) -> Result<Grounded<ClusterRelease>, AdoptionRefusal> {
    let mut evidence = inventory.grounds.require_registrations()?;
    if force == Force::No {
        evidence.join(&inventory.grounds.require_deployers()?);
        check_use(inventory, cluster, registration)?;
    }
    let seen = read_precondition(registration, tools).await?;
    if let Some(seen) = &seen {
        evidence.add_object(&registration.object, seen.uid());
    }
    let release = plan_release((inventory, cluster, registration), seen, force, allowed, tools).await?;
    for object in &release.objects {
        evidence.add_object_in(&cluster.name, &object.object, object.seen.uid());
    }
    Ok(evidence.establish(release)?)
}

/// Plans the removal of a registration, and of the objects of its account.
async fn plan_release(
    (inventory, cluster, registration): (&AppClusterInventory, &AppCluster, &Registration),
    seen: Option<Precondition>,
    force: Force,
    allowed: &crate::adopt::access::AllowedHazards,
    tools: &AdoptionContext<'_>,
) -> Result<ClusterRelease, AdoptionRefusal> {
    let Some(record) = &registration.record else {
        if force == Force::No {
            return Err(AdoptionRefusal::new(
                format!(
                    "{} was not created by kubectl ucp, so it is unknown which objects belong to it",
                    registration.object
                ),
                "remove it with the tool that created it (argocd cluster rm), or remove only the registration with --force",
            ));
        }
        return Ok(ClusterRelease {
            registration: registration.clone(),
            objects: Vec::new(),
            seen,
            cleanup: CleanupAccess::Unneeded,
            left: None,
        });
    };
    let Some(account) = &record.account else {
        let (objects, cleanup) = (Vec::new(), CleanupAccess::Unneeded);
        return Ok(ClusterRelease { registration: registration.clone(), objects, seen, cleanup, left: None });
    };
    if let Some(stays) =
        registration.access().and_then(|access| reason_to_keep(inventory, registration, account, access))
    {
        let (objects, cleanup, left) = (Vec::new(), CleanupAccess::Unneeded, Some((Vec::new(), stays)));
        return Ok(ClusterRelease { registration: registration.clone(), objects, seen, cleanup, left });
    }
    let all = objects_of(account);
    match find_cleanup_access(cluster, registration, account, &all, allowed, tools).await {
        Ok((cleanup, AccountObjects { mine: objects, others })) => {
            let left =
                others.first().map(|(object, owner)| (Vec::new(), format!("{object} is kept: it belongs to {owner}")));
            Ok(ClusterRelease { registration: registration.clone(), objects, seen, cleanup, left })
        }
        Err(Hindrance::Unreachable(reason)) if force == Force::No && is_claimed_to_exist(cluster) => {
            Err(AdoptionRefusal::new(
                format!("the app cluster does not answer: {reason}; it may still exist, and its account with it"),
                "try again when it answers, or release it with --force, which leaves its account in the app cluster",
            ))
        }
        Err(Hindrance::Unreachable(reason)) => Ok(ClusterRelease {
            registration: registration.clone(),
            objects: Vec::new(),
            seen,
            cleanup: CleanupAccess::Unneeded,
            left: Some((all, format!("the app cluster does not answer: {reason}"))),
        }),
        Err(Hindrance::Denied(reason)) if force == Force::Yes => Ok(ClusterRelease {
            registration: registration.clone(),
            objects: Vec::new(),
            seen,
            cleanup: CleanupAccess::Unneeded,
            left: Some((all, reason)),
        }),
        Err(Hindrance::Denied(reason)) => Err(AdoptionRefusal::new(
            reason,
            "pass a credential with these rights with --bootstrap-context, or skip this step with --force",
        )),
    }
}

/// Returns true if an object of the core cluster says that an app cluster exists.
fn is_claimed_to_exist(cluster: &AppCluster) -> bool {
    cluster.provisioner.is_some() || !cluster.candidates.is_empty()
}

/// The precondition to delete the registration; `None` if it does not exist any more.
async fn read_precondition(
    registration: &Registration,
    tools: &AdoptionContext<'_>,
) -> Result<Option<Precondition>, AdoptionRefusal> {
    let object = &registration.object;
    let found = match account::path(object) {
        Ok(path) => tools.core.find(&path).await,
        Err(error) => Err(error),
    };
    match found {
        Ok(live) => Ok(live.map(|live| Precondition::on_content(&live))),
        // The list contained its UID, which identifies it.
        Err(ReadError::Denied { .. }) if !registration.metadata.uid.is_empty() => {
            Ok(Some(Precondition::on_uid(&registration.metadata.uid.to_string())))
        }
        Err(error) => {
            Err(AdoptionRefusal::new(format!("{object} cannot be read: {error}"), "see adopt-cluster --print-rbac"))
        }
    }
}

/// The reason to keep an account, if other registrations use it.
fn reason_to_keep(
    inventory: &AppClusterInventory,
    registration: &Registration,
    account: &Account,
    access: &AppClusterAccess,
) -> Option<String> {
    let others = owner::other_users(inventory, &registration.object, account, access.endpoint());
    let names: Vec<String> = others.iter().map(|other| other.object.to_string()).collect();
    let account = &account.service_account;
    (!names.is_empty())
        .then(|| format!("ServiceAccount {account} and its rights are kept: {} uses them", names.join(", ")))
}

fn check_use(
    inventory: &AppClusterInventory,
    cluster: &AppCluster,
    registration: &Registration,
) -> Result<(), AdoptionRefusal> {
    let users: Vec<String> = inventory
        .deployments
        .iter()
        .filter(|deployment| deployment.cluster == cluster.name && deployment.registration == registration.object)
        .map(|deployment| deployment.object.to_string())
        .collect();
    if users.is_empty() {
        return Ok(());
    }
    let (first, more) = (users.iter().take(3).cloned().collect::<Vec<_>>().join(", "), users.len().saturating_sub(3));
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(AdoptionRefusal::new(
        format!("{first}{rest} still {} there", if users.len() == 1 { "deploys" } else { "deploy" }),
        "remove them or change their destination first, or pass --force",
    ))
}

/// All objects of an account: first the rights, then the tokens, the ServiceAccount last.
fn objects_of(account: &Account) -> Vec<ObjectName> {
    let mut objects: Vec<_> =
        account_manifests(account, Lifetime::Lasting).iter().map(ObjectName::from_manifest).collect();
    if let Some(revoke) = &account.revoke {
        let token = objects.iter().find(|object| object.name == account.token).cloned();
        objects.extend(token.map(|token| ObjectName { name: revoke.clone(), ..token }));
    }
    // Bindings before roles, and rights before the account that has them.
    objects.sort_by_key(|object| match object.kind.as_str() {
        "ClusterRoleBinding" | "RoleBinding" => 0,
        "ClusterRole" | "Role" => 1,
        "Secret" => 2,
        _ => 3,
    });
    objects
}

enum Hindrance {
    Unreachable(String),
    Denied(String),
}

/// Description of a credential, its connection, and the constructor of the access for it.
type CleanupCandidate = (String, ApiWriter, fn(ApiWriter) -> CleanupAccess);

async fn find_cleanup_access(
    cluster: &AppCluster,
    registration: &Registration,
    account: &Account,
    all: &[ObjectName],
    allowed: &crate::adopt::access::AllowedHazards,
    tools: &AdoptionContext<'_>,
) -> Result<(CleanupAccess, AccountObjects), Hindrance> {
    let mut denials = Vec::new();
    let now = jiff::Timestamp::now();
    let endpoint = registration.access().map(AppClusterAccess::endpoint);
    let checked = |access: &AppClusterAccess| cluster.check(access, allowed, now).ok();
    // A Secret that now points to another server is not used for this cluster.
    let leads_here =
        |access: &&AppClusterAccess| endpoint.is_none_or(|registered| access.for_endpoint(registered).is_some());
    let provided = cluster.access().filter(leads_here);
    let elsewhere = cluster.access().filter(|access| !leads_here(access)).map(|access| &access.endpoint().server);
    denials.extend(elsewhere.map(|server| {
        format!("the connection Secret now names another server ({server}): adopt the cluster again first")
    }));
    let mut ways: Vec<CleanupCandidate> = Vec::new();
    let mut leads = Vec::new();
    match (tools.bootstrap, provided.and_then(checked)) {
        (Some(bootstrap), _) => {
            // The bootstrap context is independent of the registered endpoint, so it may be for another cluster.
            if endpoint.is_some_and(|endpoint| !endpoint.may_be_same_cluster(bootstrap.endpoint())) {
                return Err(Hindrance::Denied("the bootstrap credential is for another cluster".to_owned()));
            }
            ways.push(("the bootstrap credential".to_owned(), bootstrap.api.clone(), CleanupAccess::Other));
        }
        (None, Some(access)) => leads.push(("its credential".to_owned(), access, CleanupAccess::Other as fn(_) -> _)),
        (None, None) => {}
    }
    let engine = endpoint.filter(|_| registration.holder == AccountHolder::Secrets);
    let engine = engine.and_then(|endpoint| cluster.engine_with_all_rights(endpoint));
    let engine = engine.and_then(|(engine, access)| Some((engine, checked(&access)?)));
    leads
        .extend(engine.map(|(engine, access)| (engine.title().to_owned(), access, CleanupAccess::Other as fn(_) -> _)));
    match registration.access() {
        Some(own) if account.grant.is_everything() => match cluster.check(own, allowed, now) {
            Ok(own) => leads.push(("the engine's own credential".to_owned(), own, CleanupAccess::Itself)),
            Err(obstacle) => denials.push(format!("the engine's own credential: {obstacle}")),
        },
        Some(_) => denials.push("the engine's own credential is not allowed to remove its own objects".to_owned()),
        None => denials.push("the registration contains no readable credential".to_owned()),
    }
    for (who, access, cleanup) in leads {
        match remote::connect_to_write(&access, tools.timeout) {
            Ok(api) => ways.push((who, api, cleanup)),
            Err(error) => denials.push(format!("{who}: {}", error.message())),
        }
    }
    let mut unreachable = None;
    for (who, api, cleanup) in ways {
        match check(&api, all, account).await {
            Ok((objects, missing)) if missing.is_empty() => return Ok((cleanup(api), objects)),
            Ok((_, missing)) => denials.push(format!("{who} may not {}", missing.join(", "))),
            Err(error @ ReadError::Denied { .. }) => denials.push(format!("{who}: {error}")),
            Err(error) => unreachable = Some(error.to_string()),
        }
    }
    match unreachable {
        Some(reason) if elsewhere.is_none() => Err(Hindrance::Unreachable(reason)),
        reason => {
            denials.extend(reason);
            Err(Hindrance::Denied(denials.join("; ")))
        }
    }
}

/// The live objects of an account.
#[derive(Default)]
struct AccountObjects {
    /// The objects that were made for this registration.
    mine: Vec<SeenObject>,
    /// The objects that were made for others, with their owners.
    others: Vec<(ObjectName, String)>,
}

/// Returns the live objects, and the rights that are missing to remove them.
async fn check(api: &Api, all: &[ObjectName], account: &Account) -> Result<(AccountObjects, Vec<String>), ReadError> {
    let missing = rights::missing_to_delete(api, all).await?;
    if !missing.is_empty() {
        return Ok((AccountObjects::default(), missing));
    }
    let live = try_join_all(all.iter().map(|object| async { api.find(&account::path(object)?).await })).await?;
    if live.iter().all(Option::is_none) {
        confirm_absence(api, account).await?;
    }
    let mut found = AccountObjects::default();
    for (object, live) in all.iter().zip(live) {
        let Some(live) = live else { continue };
        if owner::is_made_for(&live, account, DefaultOwnership::Mine) {
            found.mine.push(SeenObject::from_live(object.clone(), &live));
        } else if let Some(owner) = owner::owner_of(&live) {
            found.others.push((object.clone(), owner.to_owned()));
        }
    }
    Ok((found, Vec::new()))
}

/// Confirms with a list that the ServiceAccount of an account does not exist: a gateway may find no object at all.
async fn confirm_absence(api: &Api, account: &Account) -> Result<(), ReadError> {
    let guess = ResourceKind::guess("", "ServiceAccount");
    let kind = ResourceKind { version: "v1".to_owned(), scope: ResourceScope::Namespaced, ..guess };
    let NamespacedName { namespace, name } = &account.service_account;
    let scope = ListScope { namespace: Some(namespace), name: Some(name) };
    let (kind, want) = (Arc::new(kind), KindRequest::all(BodyShape::Metadata));
    match list(api, &kind, want, scope, &Freshness::newest()).await {
        ListResult { error: Some(ReadError::Denied { .. }), .. } => Ok(()),
        ListResult { error: Some(error), .. } => Err(error),
        ListResult { resources, .. } if resources.is_empty() => Ok(()),
        ListResult { .. } => {
            Err(ReadError::Malformed("the server lists an object that it does not find by its name".to_owned()))
        }
    }
}

/// Carries out a release. Returns the objects that remain in the app cluster, and why.
///
/// # Errors
/// Fails when the registration was not removed.
pub async fn carry_out(
    release: Grounded<ClusterRelease>,
    tools: &AdoptionContext<'_>,
) -> Result<Option<(Vec<ObjectName>, String)>, Failure> {
    let release = release.into_value();
    let mut left = release.left.clone();
    match &release.cleanup {
        CleanupAccess::Unneeded => {}
        CleanupAccess::Other(api) => {
            for (index, object) in release.objects.iter().enumerate() {
                if let Err(error) = object.delete(api).await {
                    // The registration is kept, since it records the remaining objects.
                    let rest: Vec<_> = release.objects[index..].iter().map(|seen| seen.object.to_string()).collect();
                    let object = &object.object;
                    return fail!("{object} could not be removed: {error}; still there: {}", rest.join(", "));
                }
            }
        }
        CleanupAccess::Itself(api) => left = remove_itself(api, &release).await?,
    }
    let object = &release.registration.object;
    let deleted = match (account::path(object), &release.seen) {
        (Ok(path), Some(seen)) => tools.core.delete_seen(&path, seen).await,
        (Ok(_), None) => Ok(()),
        (Err(error), _) => Err(error),
    };
    deleted.map_err(|error| format!("{object} of the core cluster could not be removed: {error}"))?;
    Ok(left)
}

/// Deletes the object that owns all others, as that is all that an engine can do with its own credential. The garbage
/// collector of the app cluster deletes the others, after which the credential is rejected.
async fn remove_itself(
    api: &ApiWriter,
    release: &ClusterRelease,
) -> Result<Option<(Vec<ObjectName>, String)>, Failure> {
    let owner = release
        .objects
        .iter()
        .find(|seen| seen.object.kind == "ClusterRole")
        .or_else(|| release.objects.iter().find(|seen| seen.object.kind == "ClusterRoleBinding"));
    let Some(owner) = owner else { return Ok(None) };
    owner.delete(api).await.map_err(|error| format!("{} could not be removed: {error}", owner.object))?;
    let deadline = tokio::time::Instant::now() + GARBAGE_COLLECTION;
    loop {
        match api.version().await {
            Err(ReadError::Denied { code: 401, .. }) => return Ok(None),
            _ if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            _ => {
                let others = release.objects.iter().filter(|seen| *seen != owner);
                let rest = others.map(|seen| seen.object.clone()).collect();
                let reason = "its rights were removed; the garbage collector of the app cluster has not removed the other objects yet";
                return Ok(Some((rest, reason.to_owned())));
            }
        }
    }
}

/// Timeout for the app cluster's garbage collector.
const GARBAGE_COLLECTION: std::time::Duration = std::time::Duration::from_secs(30);
