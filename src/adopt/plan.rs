//! What an adoption would do, as far as that can be told without asking the app cluster.

use jiff::Timestamp;

use crate::adopt::access::{Access, Endpoint, Obstacle, Verification, same_server};
use crate::adopt::cluster::AppCluster;
use crate::adopt::credential::Credential;
use crate::adopt::grant::{Grant, Reach, Rights};
use crate::adopt::inventory::Inventory;
use crate::adopt::manifest::{Content, ContentLogin};
use crate::adopt::names::{Namespaced, SecretKey};
use crate::adopt::owner;
use crate::adopt::record::{Account, Auth, Record};
use crate::adopt::registration::{Cloud, CloudIdentity, Login, Registration, Settings};
use crate::adopt::request::{Lifetime, Request, Rotation, SHORTEST_LIFE};
use crate::model::apply::Conflicts;
use crate::model::git_ops::GitOps;
use crate::model::object::ObjectName;

/// What an adoption would do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What the registration will say. Its login is settled only when the app cluster was asked.
    pub content: Content,
    /// How the engine gets its credential.
    pub login: LoginPlan,
    /// The registration that is there.
    pub existing: Option<ObjectName>,
    /// A connection Secret to write back, with the way in.
    pub save: Option<(ObjectName, Access)>,
    /// The way in.
    access: Access,
}

impl Plan {
    /// The same, writing the way in back into a connection Secret.
    ///
    /// # Errors
    /// When there is no credential that could be written.
    pub fn saving(mut self, secret: Option<&Namespaced>) -> Result<Self, Refusal> {
        let Some(Namespaced { namespace, name }) = secret else { return Ok(self) };
        match &self.access.credential {
            Credential::ClientCertificate { .. } | Credential::Token { .. } | Credential::Basic { .. } => {
                let object = ObjectName {
                    api_version: "v1".to_owned(),
                    kind: "Secret".to_owned(),
                    namespace: Some(namespace.clone()),
                    name: name.clone(),
                };
                self.save = Some((object, self.access.clone()));
                Ok(self)
            }
            _ => Err(Refusal::new(
                "the kubeconfig holds no certificate, token or password that could be saved",
                "leave out --save-secret",
            )),
        }
    }
}

/// How an engine gets its credential.
#[derive(Debug, Clone)]
pub enum LoginPlan {
    /// The provisioner's own, as it is.
    Passthrough(Credential),
    /// None: the engine's pods are known to the cloud.
    Identity(CloudIdentity),
    /// A ServiceAccount's token.
    ServiceAccount(Box<AccountPlan>),
}

/// What becomes of a ServiceAccount and its token.
#[derive(Debug, Clone)]
pub struct AccountPlan {
    /// The token that the engine has, if it can still be good.
    pub current: Option<Credential>,
    /// Whether that token stays, where it is good.
    pub rotation: Rotation,
    /// What was made in the app cluster before.
    pub before: Option<Account>,
    /// What the ServiceAccount may do from now on.
    pub grant: Grant,
    /// Where it lives.
    pub service_account: Namespaced,
    /// For which registration it is.
    pub owner: String,
    /// Other registrations that use it as well: until they have accounts of their own, nothing of it is removed.
    pub shared_with: Vec<ObjectName>,
    /// How long its tokens count.
    pub lifetime: Lifetime,
    /// The provisioner's credential, or why it is of no use.
    pub provided: Result<Access, Obstacle>,
}

impl AccountPlan {
    /// Name of the Secret of its first token.
    pub fn first_token(&self) -> String {
        format!("{}-token-1", self.service_account.name)
    }
}

/// Why a cluster will not be adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether somebody else looks after it, so that nothing is amiss.
    pub sort: RefusalSort,
}

/// What sort of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalSort {
    /// Something is in the way.
    Obstacle,
    /// Somebody else has registered it.
    Taken,
}

impl Refusal {
    /// Something is in the way.
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: Some(hint.into()), sort: RefusalSort::Obstacle }
    }
}

impl From<Obstacle> for Refusal {
    fn from(obstacle: Obstacle) -> Self {
        Self::new(obstacle.to_string(), obstacle.way_out())
    }
}

/// Where a cluster's way in comes from, for this run.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The way in.
    pub access: Access,
    /// The Secret that it is kept in, if it is kept in one.
    pub source: Option<SecretKey>,
}

impl Origin {
    /// Of a cluster in the inventory: its provisioner's Secret, else the registration itself.
    ///
    /// # Errors
    /// When neither tells where the cluster is.
    pub fn of(cluster: &AppCluster) -> Result<Self, Refusal> {
        match cluster.candidate() {
            Some(candidate) => match &candidate.access {
                Ok(access) => Ok(Self { access: access.clone(), source: Some(candidate.source.clone()) }),
                Err(reason) => Err(Refusal::new(
                    format!("Secret {}/{}: {reason}", candidate.source.namespace, candidate.source.name),
                    "pass a complete kubeconfig with --from-kubeconfig",
                )),
            },
            None => {
                let mut known = cluster.registrations.iter().filter(|registration| registration.record.is_some());
                let endpoint = known.find_map(|registration| match &registration.login {
                    Login::Static(access) => Some(&access.endpoint),
                    Login::Identity(identity) => identity.endpoint.as_ref(),
                    Login::Unreadable(_) => None,
                });
                let provisioned = || provisioned_endpoint(cluster);
                match endpoint.cloned().or_else(provisioned) {
                    Some(endpoint) => {
                        Ok(Self { access: Access { endpoint, credential: Credential::None }, source: None })
                    }
                    None => Err(Refusal::new(
                        cluster.reason.clone().unwrap_or_else(|| "no Secret has a kubeconfig for it".to_owned()),
                        "set spec.writeConnectionSecretToRef on its resource, or pass --from-kubeconfig",
                    )),
                }
            }
        }
    }
}

/// What the cloud itself tells; good enough for a cloud's own identity.
fn provisioned_endpoint(cluster: &AppCluster) -> Option<Endpoint> {
    let provisioner = cluster.provisioner.as_ref()?;
    provisioner.endpoint.as_ref()?;
    Some(Endpoint {
        server: cluster.server()?,
        // Without it nobody could tell the server from another.
        authority: Some(provisioner.authority.clone()?),
        server_name: None,
        verification: Verification::Full,
        proxy: None,
    })
}

/// Plans one adoption.
///
/// # Errors
/// When something that the core cluster knows is in the way.
pub fn plan(inventory: &Inventory, cluster: &AppCluster, origin: &Origin, request: &Request) -> Result<Plan, Refusal> {
    let existing = cluster.registration(request.engine);
    let record = existing.and_then(|registration| registration.record.as_ref());
    if let (Some(existing), None, Conflicts::Respect) = (existing, record, request.conflicts) {
        return Err(Refusal {
            reason: format!(
                "it is already registered as '{}' ({}), not by kubectl ucp",
                existing.name, existing.object
            ),
            hint: Some("take it over with --force-conflicts".to_owned()),
            sort: RefusalSort::Taken,
        });
    }
    if let Some(obstacle) = origin.access.endpoint.obstacle(&request.allowed) {
        return Err(obstacle.into());
    }
    let name = request
        .name
        .clone()
        .or_else(|| existing.map(|registration| registration.name.clone()))
        .unwrap_or_else(|| cluster.name.clone());
    check_collisions(inventory, cluster, &name, &origin.access.endpoint, request)?;
    let auth = request.auth.or(record.map(|record| record.auth)).unwrap_or(Auth::ServiceAccount);
    let account = record.and_then(|record| record.account.clone());
    let object =
        existing.map_or_else(|| new_object(inventory, &name, auth, request.engine), |known| known.object.clone());
    if auth != Auth::ServiceAccount && account.is_some() {
        return Err(Refusal::new(
            format!("it was adopted with a ServiceAccount, and --auth {} would leave that behind", auth.as_str()),
            format!("'kubectl ucp release-cluster {}' first", cluster.name),
        ));
    }
    let login = match auth {
        Auth::ServiceAccount => {
            let owner = account
                .as_ref()
                .and_then(|account| account.owner.clone())
                .unwrap_or_else(|| owner::of(&object, identity_of_core(inventory, cluster, origin)));
            let sharing = Sharing::of(inventory, &object, account.as_ref(), origin);
            let plan = account_plan(existing, account, (owner, sharing), &name, origin, request, inventory.moment)?;
            LoginPlan::ServiceAccount(Box::new(plan))
        }
        Auth::Passthrough => LoginPlan::Passthrough(passthrough(origin, request, inventory.moment)?),
        Auth::Aws => LoginPlan::Identity(identity(cluster, origin, Cloud::Aws, request)?),
        Auth::Gcp => LoginPlan::Identity(identity(cluster, origin, Cloud::Gcp, request)?),
        Auth::Azure => LoginPlan::Identity(identity(cluster, origin, Cloud::Azure, request)?),
    };
    let settings = settings(existing, &login, request);
    let record = Record {
        cluster: name.clone(),
        source: origin.source.clone(),
        version: origin.access.endpoint.version(),
        auth,
        account: None,
    };
    let content = Content {
        engine: request.engine,
        object,
        name,
        endpoint: origin.access.endpoint.clone(),
        login: ContentLogin::LeftOut,
        settings,
        record,
        labels: request.labels.clone(),
        annotations: request.annotations.clone(),
    };
    Ok(Plan {
        content,
        login,
        existing: existing.map(|registration| registration.object.clone()),
        save: None,
        access: origin.access.clone(),
    })
}

/// One name for two servers, or one server under two names, and what gets where is chance.
fn check_collisions(
    inventory: &Inventory,
    cluster: &AppCluster,
    name: &str,
    endpoint: &Endpoint,
    request: &Request,
) -> Result<(), Refusal> {
    let others = inventory.clusters.iter().filter(|other| !std::ptr::eq(*other, cluster));
    for known in others.flat_map(|other| &other.registrations).filter(|known| known.engine == request.engine) {
        if known.name == name {
            return Err(Refusal::new(
                format!(
                    "the name '{name}' is taken by {} for {}",
                    known.object,
                    known.server.as_deref().unwrap_or("another cluster")
                ),
                "choose another with --name",
            ));
        }
        let is_same = known.server.as_deref().is_some_and(|server| same_server(server, &endpoint.server));
        if is_same && request.engine == GitOps::ArgoCd {
            return Err(Refusal {
                reason: format!("its server is already registered as '{}' ({})", known.name, known.object),
                hint: Some(format!("release that one first: kubectl ucp release-cluster {}", known.name)),
                sort: RefusalSort::Taken,
            });
        }
    }
    Ok(())
}

/// What tells this core cluster from another.
fn identity_of_core<'a>(inventory: &'a Inventory, cluster: &'a AppCluster, origin: &Origin) -> &'a str {
    let source = cluster.candidates.iter().find(|candidate| Some(&candidate.source) == origin.source.as_ref());
    let uid = source.map(|candidate| candidate.metadata.uid.as_str()).filter(|uid| !uid.is_empty());
    uid.unwrap_or(&inventory.core)
}

/// Whether other registrations use the account of this one.
enum Sharing {
    /// None does.
    Alone,
    /// These do, and this one keeps it.
    Keeps(Vec<ObjectName>),
    /// Others do, and this one gets one of its own.
    Moves,
}

impl Sharing {
    fn of(inventory: &Inventory, object: &ObjectName, account: Option<&Account>, origin: &Origin) -> Self {
        let Some(account) = account else { return Self::Alone };
        let others = owner::sharers(inventory, object, account, &origin.access.endpoint);
        let others: Vec<ObjectName> = others.into_iter().map(|other| other.object.clone()).collect();
        match others.iter().any(|other| other < object) {
            _ if others.is_empty() => Self::Alone,
            true => Self::Moves,
            false => Self::Keeps(others),
        }
    }
}

fn account_plan(
    existing: Option<&Registration>,
    before: Option<Account>,
    (owner, sharing): (String, Sharing),
    name: &str,
    origin: &Origin,
    request: &Request,
    now: Timestamp,
) -> Result<AccountPlan, Refusal> {
    let (before, shared_with) = match sharing {
        Sharing::Alone => (before, Vec::new()),
        Sharing::Keeps(others) => (before, others),
        Sharing::Moves => (None, Vec::new()),
    };
    let default = || owner::service_account(request.engine, &object_name(name), &owner);
    let service_account = request
        .service_account
        .clone()
        .or_else(|| before.as_ref().map(|account| account.service_account.clone()))
        .unwrap_or_else(default);
    if let Some(before) = before.as_ref().filter(|account| account.service_account != service_account) {
        return Err(Refusal::new(
            format!("it was adopted with ServiceAccount {}, which would be left behind", before.service_account),
            "release it first, or leave out --service-account",
        ));
    }
    let grant = request
        .grant
        .clone()
        .or_else(|| before.as_ref().map(|account| account.grant.clone()))
        .unwrap_or(Grant { rights: Rights::Everything, reach: Reach::Cluster });
    // Without a record, whatever credential is there is somebody else's.
    let registered = existing.filter(|_| before.is_some()).and_then(|known| known.access());
    // What counts for one cluster is not shown to another.
    let used = registered
        .filter(|access| access.endpoint.vouches_for(&origin.access.endpoint))
        .map(|access| &access.credential);
    let lifetime = request.lifetime.unwrap_or_else(|| match registered.and_then(|access| access.credential.life()) {
        Some(life) => Lifetime::Bound(life.begins.map_or(SHORTEST_LIFE, |begins| {
            std::time::Duration::try_from(life.ends.duration_since(begins)).unwrap_or_default()
        })),
        None => Lifetime::Lasting,
    });
    let has_to_go = |credential: &Credential| match (lifetime, credential.life()) {
        (Lifetime::Lasting, None) => false,
        (Lifetime::Bound(_), Some(life)) => life.is_nearly_over(now),
        (Lifetime::Lasting, Some(_)) | (Lifetime::Bound(_), None) => true,
    };
    let rotation = if used.is_some_and(has_to_go) { Rotation::Now } else { request.rotation };
    let is_alive = |credential: &&Credential| credential.life().is_none_or(|life| life.ends > now);
    let provided = match origin.access.obstacle(&request.allowed, now) {
        Some(obstacle) => Err(obstacle),
        None => Ok(origin.access.clone()),
    };
    Ok(AccountPlan {
        current: used.filter(is_alive).cloned(),
        rotation,
        before,
        grant,
        service_account,
        owner,
        shared_with,
        lifetime,
        provided,
    })
}

fn passthrough(origin: &Origin, request: &Request, now: Timestamp) -> Result<Credential, Refusal> {
    if let Some(obstacle) = origin.access.obstacle(&request.allowed, now) {
        return Err(obstacle.into());
    }
    let credential = &origin.access.credential;
    if matches!(credential, Credential::Exec(_)) {
        return Err(Refusal::new("an exec plugin cannot be passed on as a credential", "use --auth service-account"));
    }
    match credential.life() {
        Some(life) if life.ends.duration_since(now) < jiff::SignedDuration::from_hours(24) => Err(Refusal::new(
            format!(
                "its {} expires at {}, too soon to pass it on",
                credential.credential_type().as_str(),
                life.ends.strftime("%Y-%m-%d %H:%M:%SZ")
            ),
            "use --auth service-account",
        )),
        _ => Ok(credential.clone()),
    }
}

fn identity(cluster: &AppCluster, origin: &Origin, cloud: Cloud, request: &Request) -> Result<CloudIdentity, Refusal> {
    let known = cluster.provisioner.as_ref().and_then(|provisioner| provisioner.identity(cloud));
    let before = cluster.registration(request.engine).and_then(|registration| match &registration.login {
        Login::Identity(identity) if identity.cloud == cloud => Some(identity.clone()),
        _ => None,
    });
    let endpoint = Some(origin.access.endpoint.clone());
    let role = request.role.clone().or_else(|| before.as_ref().and_then(|identity| identity.role.clone()));
    let identified = known.or_else(|| before.filter(|identity| !identity.cluster.is_empty()));
    let cluster_id = match (request.engine, cloud, identified) {
        // Argo CD only needs the name, and that on AWS alone.
        (GitOps::ArgoCd, Cloud::Gcp | Cloud::Azure, _) => String::new(),
        (GitOps::ArgoCd, Cloud::Aws, Some(known)) => {
            let name = known.cluster.rsplit('/').next().unwrap_or_default();
            name.to_owned()
        }
        (GitOps::Flux, _, Some(known)) => known.cluster,
        (_, _, None) => {
            return Err(Refusal::new(
                format!(
                    "the name of the cluster in {} is unknown: no resource in the core cluster has it",
                    cloud.as_str()
                ),
                "adopt it from the cluster that has its managed resource, or use --auth service-account",
            ));
        }
    };
    Ok(CloudIdentity { cloud, cluster: cluster_id, role, endpoint })
}

fn settings(existing: Option<&Registration>, login: &LoginPlan, request: &Request) -> Settings {
    let before = existing.map(|registration| registration.settings.clone()).unwrap_or_default();
    let namespaces = match login {
        LoginPlan::ServiceAccount(account) => match &account.grant.reach {
            Reach::Namespaces(names) => names.iter().cloned().collect(),
            Reach::Cluster => Vec::new(),
        },
        _ => before.namespaces,
    };
    Settings { namespaces, project: request.project.clone().or(before.project), shard: request.shard.or(before.shard) }
}

fn new_object(inventory: &Inventory, name: &str, auth: Auth, engine: GitOps) -> ObjectName {
    let stem = object_name(name);
    let (kind, namespace, name) = match (engine, auth) {
        (GitOps::ArgoCd, _) => ("Secret", &inventory.argocd_namespace, format!("cluster-{stem}")),
        (GitOps::Flux, Auth::Aws | Auth::Gcp | Auth::Azure) => {
            ("ConfigMap", &inventory.flux_namespace, format!("{stem}-kubeconfig"))
        }
        (GitOps::Flux, _) => ("Secret", &inventory.flux_namespace, format!("{stem}-kubeconfig")),
    };
    ObjectName { api_version: "v1".to_owned(), kind: kind.to_owned(), namespace: Some(namespace.clone()), name }
}

/// A name that Kubernetes takes for an object.
fn object_name(name: &str) -> String {
    let allowed = |character: char| match character.to_ascii_lowercase() {
        character @ ('a'..='z' | '0'..='9' | '-' | '.') => character,
        _ => '-',
    };
    let name: String = name.chars().map(allowed).take(200).collect();
    name.trim_matches(['-', '.']).to_owned()
}
