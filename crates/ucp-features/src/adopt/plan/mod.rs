//! The plan of an adoption, as far as it can be made without requests to the app cluster.

mod login;
mod origin;
mod refusal;

pub use login::{AccountPlan, LoginPlan};
pub use origin::{AccessOrigin, ServerChange, ServerIdentity};
pub use refusal::{AdoptionRefusal, RefusalSort};

use std::collections::BTreeSet;

use login::{Sharing, account_plan, identity, passthrough};

use crate::adopt::access::{AllowedHazards, AppClusterAccess, ClusterEndpoint, same_server};
use crate::adopt::argocd;
use crate::adopt::cluster::AppCluster;
use crate::adopt::credential::Credential;
use crate::adopt::grant::GrantScope;
use crate::adopt::grant_rules::{GroupsAuthor, needed_groups};
use crate::adopt::holder::AccountHolder;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::manifest::{ContentLogin, RegistrationContent};
use crate::adopt::names::{NamespacedName, object_name};
use crate::adopt::owner;
use crate::adopt::record::{AdoptionRecord, Auth};
use crate::adopt::registration::{ArgoCdClusterSettings, Cloud, Registration};
use crate::adopt::request::AdoptionRequest;
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::grounds::Grounded;
use ucp_core::model::object::ObjectName;
use ucp_core::model::shell::quote_word;
use ucp_core::model::uid::Uid;

/// The plan of an adoption.
#[derive(Debug, Clone)]
pub struct ClusterAdoptionPlan {
    /// The content of the registration. Its login is only determined after requests to the app cluster.
    pub content: RegistrationContent,
    /// The source of the engine's credential.
    pub login: LoginPlan,
    /// The existing registration.
    pub existing: Option<ObjectName>,
    /// A connection Secret to write back, with the access to write.
    pub save: Option<(ObjectName, AppClusterAccess)>,
    /// The change from the registered server, if it changed.
    pub change: Option<ServerChange>,
    /// The hazards of the endpoint that are allowed, by flags or by the registration.
    pub allowed: AllowedHazards,
    access: AppClusterAccess,
}

impl ClusterAdoptionPlan {
    /// Adds a connection Secret to write the access back to.
    ///
    /// # Errors
    /// Fails when there is no credential that could be written.
    pub(in crate::adopt) fn saving(mut self, secret: Option<&NamespacedName>) -> Result<Self, AdoptionRefusal> {
        let Some(NamespacedName { namespace, name }) = secret else { return Ok(self) };
        match self.access.credential() {
            Credential::ClientCertificate { .. } | Credential::Token { .. } | Credential::Basic { .. } => {
                let object = ObjectName::secret(namespace, name);
                self.save = Some((object, self.access.clone()));
                Ok(self)
            }
            _ => Err(AdoptionRefusal::new(
                "the kubeconfig contains no certificate, token or password to save",
                "omit --save-secret",
            )),
        }
    }
}

/// Plans one adoption.
///
/// # Errors
/// Returns a refusal when facts in the core cluster prevent the adoption.
pub fn plan(
    inventory: &AppClusterInventory,
    cluster: &AppCluster,
    origin: &AccessOrigin,
    request: &AdoptionRequest,
) -> Result<Grounded<ClusterAdoptionPlan>, AdoptionRefusal> {
    let mut evidence = inventory.grounds.require_registrations()?;
    evidence.join(&inventory.grounds.require_deployers()?);
    let existing = cluster.registration(request.holder);
    let record = existing.and_then(|registration| registration.record.as_ref());
    if let (Some(existing), None, ConflictPolicy::Respect) = (existing, record, request.conflicts) {
        return Err(AdoptionRefusal {
            reason: format!(
                "it is already registered as '{}' ({}), not by kubectl ucp",
                existing.name, existing.object
            ),
            hint: Some("take it over with --force-conflicts".to_owned()),
            sort: RefusalSort::Taken,
        });
    }
    let endpoint = origin.access.endpoint();
    let allowed = cluster.allowed_at(endpoint, &request.allowed);
    if let Some(existing) = existing.filter(|existing| !inventory.homes.keeps(existing)) {
        return Err(AdoptionRefusal::new(
            format!(
                "{} is not in the engine's namespace, and others may be able to write registrations there",
                existing.object
            ),
            "if it is yours, pass its namespace with --argocd-namespace or --flux-namespace",
        ));
    }
    if let Some(obstacle) = endpoint.obstacle(&allowed) {
        return Err(obstacle.into());
    }
    check_change(origin, request)?;
    let name = request
        .name
        .clone()
        .or_else(|| existing.map(|registration| registration.name.clone()))
        .unwrap_or_else(|| cluster.name.clone());
    if name == argocd::RESERVED_NAME && request.holder == GitOps::ArgoCd {
        return Err(AdoptionRefusal::new(
            format!("Argo CD reserves the name '{name}' for the cluster that it runs in"),
            "choose another with --name",
        ));
    }
    check_collisions(inventory, cluster, &name, endpoint, request)?;
    let auth = request.auth.or(record.map(|record| record.auth)).unwrap_or(Auth::ServiceAccount);
    let account = record.and_then(|record| record.account.clone());
    let object =
        existing.map_or_else(|| new_object(inventory, &name, auth, request.holder), |known| known.object.clone());
    let home = object.namespace.as_deref().unwrap_or_default();
    if let Some(doubt) = inventory.homes.doubt_at(home).filter(|_| existing.is_none()) {
        return Err(AdoptionRefusal::new(
            format!("the namespace of {} is unknown: {}", doubt.engine.title(), doubt.reason),
            format!("pass it with {}", doubt.flag),
        ));
    }
    if auth != Auth::ServiceAccount && account.is_some() {
        return Err(AdoptionRefusal::new(
            format!("it was adopted with a ServiceAccount, which would remain with --auth {}", auth.as_str()),
            format!("'kubectl ucp release-cluster {}' first", quote_word(&cluster.name)),
        ));
    }
    let login = match auth {
        Auth::ServiceAccount => {
            let owner = account
                .as_ref()
                .and_then(|account| account.owner.clone())
                .unwrap_or_else(|| owner::owner_name(&object, &identity_of_core(inventory, cluster, origin)));
            let sharing = Sharing::from_inventory(inventory, &object, account.as_ref(), origin);
            let plan = account_plan(
                existing,
                account,
                (owner, sharing),
                &name,
                origin,
                request,
                (&allowed, deployed_groups(inventory, cluster, request.holder), inventory.moment),
            )?;
            let engine = || cluster.engine_with_all_rights(endpoint);
            let engine = (request.holder == AccountHolder::Secrets).then(engine).flatten();
            let checked = |(engine, access): (GitOps, AppClusterAccess)| {
                Some((engine, access.check(&allowed, inventory.moment).ok()?))
            };
            let engine = engine.and_then(checked);
            LoginPlan::ServiceAccount(Box::new(AccountPlan { engine, ..plan }))
        }
        Auth::Passthrough => LoginPlan::Passthrough(passthrough(origin, &allowed, inventory.moment)?),
        Auth::Aws => LoginPlan::Identity(identity(cluster, origin, Cloud::Aws, request)?),
        Auth::Gcp => LoginPlan::Identity(identity(cluster, origin, Cloud::Gcp, request)?),
        Auth::Azure => LoginPlan::Identity(identity(cluster, origin, Cloud::Azure, request)?),
    };
    let settings = settings(existing, &login, request);
    let record = AdoptionRecord {
        cluster: name.clone(),
        source: origin.source.clone(),
        version: origin.version.clone(),
        allowed: endpoint.hazards().collect(),
        auth,
        account: None,
    };
    let content = RegistrationContent {
        holder: request.holder,
        object,
        name,
        endpoint: endpoint.clone(),
        login: ContentLogin::LeftOut,
        settings,
        record,
        labels: request.labels.clone(),
        annotations: request.annotations.clone(),
    };
    let plan = ClusterAdoptionPlan {
        content,
        login,
        existing: existing.map(|registration| registration.object.clone()),
        save: None,
        change: origin.change.clone(),
        allowed,
        access: origin.access.clone(),
    };
    Ok(evidence.establish(plan)?)
}

/// The API groups of the objects that an engine deploys to a cluster.
fn deployed_groups(inventory: &AppClusterInventory, cluster: &AppCluster, holder: AccountHolder) -> BTreeSet<String> {
    let here = inventory.deployments.iter().filter(|one| one.cluster == cluster.name && holder == one.engine);
    needed_groups(here.flat_map(|deployment| {
        let is_of_engine = deployment.object.namespace.as_deref().is_some_and(|name| inventory.homes.contain(name));
        let author = if is_of_engine { GroupsAuthor::Platform } else { GroupsAuthor::Tenant };
        match deployment.groups.is_empty() {
            true => vec![None],
            false => deployment.groups.iter().map(|group| Some((group.as_str(), author))).collect(),
        }
    }))
}

/// Refuses a server that does not prove the registered identity, unless the user confirmed it.
fn check_change(origin: &AccessOrigin, request: &AdoptionRequest) -> Result<(), AdoptionRefusal> {
    let Some(ServerChange { from, to, identity: ServerIdentity::Unproven(reason) }) = &origin.change else {
        return Ok(());
    };
    if request.new_servers.accept(to) {
        return Ok(());
    }
    let source = origin.source.as_ref().map(|source| format!(" Secret {}/{}", source.namespace, source.name));
    Err(AdoptionRefusal::new(
        format!("server: {from} → {to}, and the identity of the new server is not proven: {reason}"),
        format!(
            "find out who changed{}; if it is the same cluster or was created again, confirm the change at a \
             terminal, or pass --accept-server {to}",
            source.unwrap_or_else(|| " it".to_owned())
        ),
    ))
}

/// Refuses one name for two servers, and one server under two names, as it would be undefined which one is used.
fn check_collisions(
    inventory: &AppClusterInventory,
    cluster: &AppCluster,
    name: &str,
    endpoint: &ClusterEndpoint,
    request: &AdoptionRequest,
) -> Result<(), AdoptionRefusal> {
    let others = inventory.clusters.iter().filter(|other| !std::ptr::eq(*other, cluster));
    for known in others.flat_map(AppCluster::all_registrations).filter(|known| known.holder == request.holder) {
        if known.name == name {
            return Err(AdoptionRefusal::new(
                format!(
                    "the name '{name}' is taken by {} for {}",
                    known.object,
                    known.server.as_deref().unwrap_or("another cluster")
                ),
                "choose another with --name",
            ));
        }
        let is_same = known.server.as_deref().is_some_and(|server| same_server(server, &endpoint.server));
        if is_same && request.holder == GitOps::ArgoCd {
            return Err(AdoptionRefusal {
                reason: format!("its server is already registered as '{}' ({})", known.name, known.object),
                hint: Some(format!("release that one first: kubectl ucp release-cluster {}", quote_word(&known.name))),
                sort: RefusalSort::Taken,
            });
        }
    }
    Ok(())
}

/// An identifier of this core cluster.
fn identity_of_core(inventory: &AppClusterInventory, cluster: &AppCluster, origin: &AccessOrigin) -> String {
    let source = cluster.candidates.iter().find(|candidate| Some(&candidate.source) == origin.source.as_ref());
    let uid = source.map(|candidate| &candidate.metadata.uid).filter(|uid| !uid.is_empty());
    uid.map_or_else(|| inventory.core.clone(), Uid::to_string)
}

fn settings(existing: Option<&Registration>, login: &LoginPlan, request: &AdoptionRequest) -> ArgoCdClusterSettings {
    let before = existing.map(|registration| registration.settings.clone()).unwrap_or_default();
    let namespaces = match login {
        LoginPlan::ServiceAccount(account) => match &account.grant.reach {
            GrantScope::Namespaces(names) => names.iter().cloned().collect(),
            GrantScope::Cluster => Vec::new(),
        },
        _ => before.namespaces,
    };
    ArgoCdClusterSettings {
        namespaces,
        project: request.project.clone().or(before.project),
        shard: request.shard.or(before.shard),
    }
}

fn new_object(inventory: &AppClusterInventory, name: &str, auth: Auth, holder: AccountHolder) -> ObjectName {
    let stem = object_name(name);
    let (kind, namespace, name) = match (holder, auth) {
        (AccountHolder::Secrets, _) => ("Secret", &inventory.homes.distribution, format!("kubectl-ucp-secrets-{stem}")),
        (AccountHolder::Engine(GitOps::ArgoCd), _) => ("Secret", &inventory.homes.argocd, format!("cluster-{stem}")),
        (AccountHolder::Engine(GitOps::Flux), Auth::Aws | Auth::Gcp | Auth::Azure) => {
            ("ConfigMap", &inventory.homes.flux, format!("{stem}-kubeconfig"))
        }
        (AccountHolder::Engine(GitOps::Flux), _) => ("Secret", &inventory.homes.flux, format!("{stem}-kubeconfig")),
    };
    ObjectName::in_core_group(kind, Some(namespace), &name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::access::Verification;
    use crate::adopt::homes::EngineNamespaces;
    use crate::adopt::registration::EngineLogin;
    use crate::adopt::request::{NewServers, Rotation};
    use ucp_core::model::metadata::Metadata;

    #[test]
    fn a_name_is_used_by_any_registration_of_the_same_holder() {
        let registration = Registration {
            holder: AccountHolder::Secrets,
            object: ObjectName::secret("argocd", "kubectl-ucp-secrets-prod"),
            metadata: Metadata::default(),
            name: "prod".to_owned(),
            server: Some("https://prod".to_owned()),
            login: EngineLogin::Unreadable("".into()),
            settings: ArgoCdClusterSettings::default(),
            record: None,
        };
        let other = AppCluster { distributor: Some(registration), ..AppCluster::unknown("prod") };
        let inventory = AppClusterInventory {
            clusters: vec![other],
            deployments: Vec::new(),
            installed: std::collections::BTreeSet::new(),
            homes: EngineNamespaces {
                argocd: "argocd".to_owned(),
                flux: "flux-system".to_owned(),
                distribution: "argocd".to_owned(),
                in_use: std::collections::BTreeSet::new(),
                instances: std::collections::BTreeSet::new(),
                doubts: Vec::new(),
            },
            core: String::new(),
            moment: jiff::Timestamp::UNIX_EPOCH,
            unreadable: Vec::new(),
            grounds: crate::adopt::grounds::InventoryGrounds::default(),
        };
        let endpoint = ClusterEndpoint {
            server: "https://new".to_owned(),
            authority: None,
            server_name: None,
            verification: Verification::Full,
            proxy: None,
        };
        let check = |holder| {
            let request = AdoptionRequest {
                holder,
                auth: None,
                grant: None,
                lifetime: None,
                service_account: None,
                rotation: Rotation::AsNeeded,
                name: None,
                labels: std::collections::BTreeMap::new(),
                annotations: std::collections::BTreeMap::new(),
                project: None,
                shard: None,
                role: None,
                allowed: std::collections::BTreeSet::new(),
                new_servers: NewServers::Refuse,
                conflicts: ConflictPolicy::Respect,
            };
            check_collisions(&inventory, &AppCluster::unknown("new"), "prod", &endpoint, &request)
        };
        let refused = check(AccountHolder::Secrets).unwrap_err().reason;
        assert!(refused.contains("secret/kubectl-ucp-secrets-prod -n argocd for https://prod"), "{refused}");
        assert!(check(AccountHolder::Engine(GitOps::ArgoCd)).is_ok());
    }
}
