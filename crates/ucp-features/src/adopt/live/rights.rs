//! Rights that an adoption needs in an app cluster, checked with a SelfSubjectAccessReview each before anything is
//! written.

use futures::future::try_join_all;
use serde_json::{Value, json};

use crate::adopt::grant::{Grant, GrantScope, GrantedRights, resource_rules};
use crate::adopt::grant_rules::{RBAC, ResourceRule};
use crate::adopt::live::account::{AccountStep, ObjectChange};
use crate::adopt::record::Account;
use crate::adopt::request::Lifetime;
use crate::adopt::secrets;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_core::model::object::ObjectName;

/// One right in RBAC.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ResourceRight {
    verb: &'static str,
    group: String,
    resource: String,
    namespace: Option<String>,
    name: Option<String>,
}

impl ResourceRight {
    fn new(verb: &'static str, group: &str, resource: &str, namespace: Option<&str>) -> Self {
        let group = group.to_owned();
        Self { verb, group, resource: resource.to_owned(), namespace: namespace.map(str::to_owned), name: None }
    }

    /// The right as it is shown in a denial.
    fn describe(&self) -> String {
        let place = self.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
        if self.group == "*" {
            let verb = if self.verb == "*" { "do" } else { self.verb };
            return format!("{verb} everything{place}");
        }
        let group = if self.group.is_empty() { String::new() } else { format!(".{}", self.group) };
        format!("{} {}{group}{place}", self.verb, self.resource)
    }

    fn attributes(&self) -> Value {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((&self.resource, ""));
        json!({
            "verb": self.verb,
            "group": self.group,
            "resource": resource,
            "subresource": subresource,
            "namespace": self.namespace,
            "name": self.name,
        })
    }
}

fn resource_of(object: &ObjectName) -> (&'static str, &'static str) {
    match object.kind.as_str() {
        "ServiceAccount" => ("", "serviceaccounts"),
        "Secret" => ("", "secrets"),
        "ClusterRole" => (RBAC, "clusterroles"),
        "ClusterRoleBinding" => (RBAC, "clusterrolebindings"),
        "Role" => (RBAC, "roles"),
        _ => (RBAC, "rolebindings"),
    }
}

/// Returns the rights for the steps that change an object. Each entry is a list of alternatives, one of which is
/// enough.
fn needed(steps: &[AccountStep], account: &Account, lifetime: Lifetime) -> Vec<Vec<Vec<ResourceRight>>> {
    let mut needed = Vec::new();
    let mut must = |right: ResourceRight| needed.push(vec![vec![right]]);
    for step in steps.iter().filter(|step| step.change != ObjectChange::None) {
        let (group, resource) = resource_of(&step.object);
        let namespace = step.object.namespace.as_deref();
        must(ResourceRight::new("patch", group, resource, namespace));
        // Server-side apply needs the right to create if the object does not exist.
        must(ResourceRight::new("create", group, resource, namespace));
        if step.change == ObjectChange::Replace {
            must(ResourceRight::new("delete", group, resource, namespace));
        }
    }
    let own = Some(account.service_account.namespace.as_str());
    must(ResourceRight::new("get", "", "secrets", own));
    if let Lifetime::Bound(_) = lifetime {
        must(ResourceRight::new("create", "", "serviceaccounts/token", own));
    }
    let writes = |kinds: [&str; 2]| {
        steps.iter().any(|step| step.change != ObjectChange::None && kinds.contains(&step.object.kind.as_str()))
    };
    if writes(["ClusterRole", "Role"]) {
        needed.extend(to_grant(&account.grant));
    }
    needed
}

/// The rights to create a role: those that it grants, or `escalate` and `bind`.
fn to_grant(grant: &Grant) -> Vec<Vec<Vec<ResourceRight>>> {
    match grant.rights {
        GrantedRights::Secrets => return to_grant_secrets(grant),
        // The role exists already, and `bind` is only needed for its binding.
        GrantedRights::ClusterRole(_) => return Vec::new(),
        GrantedRights::Everything | GrantedRights::ReadOnly | GrantedRights::Deploy(_) => {}
    }
    let places: Vec<Option<&str>> = match &grant.reach {
        GrantScope::Cluster => vec![None],
        GrantScope::Namespaces(names) => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    let role = match grant.reach {
        GrantScope::Cluster => "clusterroles",
        GrantScope::Namespaces(_) => "roles",
    };
    let rules = resource_rules(&grant.rights);
    places
        .into_iter()
        .map(|place| {
            let each = |(groups, resources, verbs): &ResourceRule| -> Vec<ResourceRight> {
                let resources = groups.iter().flat_map(|group| resources.iter().map(move |resource| (group, resource)));
                let pairs = resources.flat_map(|named| verbs.iter().map(move |verb| (verb, named)));
                pairs.map(|(verb, (group, resource))| ResourceRight::new(verb, group, resource, place)).collect()
            };
            let has = rules.iter().flat_map(each).collect();
            let escalates =
                vec![ResourceRight::new("escalate", RBAC, role, place), ResourceRight::new("bind", RBAC, role, place)];
            vec![has, escalates]
        })
        .collect()
}

/// The rights to create the role of `kubectl ucp secrets`: each verb on Secrets, and each list beside it, or `escalate`
/// and `bind`.
fn to_grant_secrets(grant: &Grant) -> Vec<Vec<Vec<ResourceRight>>> {
    let GrantScope::Namespaces(names) = &grant.reach else { return Vec::new() };
    let of_secrets = secrets::VERBS.map(|verb| (verb, "", "secrets"));
    let all = of_secrets.into_iter().chain(secrets::listed().map(|(group, plural)| ("list", group, plural)));
    let all: Vec<_> = all.collect();
    let one = |name: &String| {
        let place = Some(name.as_str());
        let has = all.iter().map(|(verb, group, plural)| ResourceRight::new(verb, group, plural, place)).collect();
        vec![
            has,
            vec![
                ResourceRight::new("escalate", RBAC, "roles", place),
                ResourceRight::new("bind", RBAC, "roles", place),
            ],
        ]
    };
    names.iter().map(one).collect()
}

/// Returns the rights that are missing for the steps, in words.
///
/// # Errors
/// Fails when the server cannot be reached.
pub(crate) async fn missing(
    api: &Api,
    steps: &[AccountStep],
    account: &Account,
    lifetime: Lifetime,
) -> Result<Vec<String>, ReadError> {
    missing_of(api, needed(steps, account, lifetime)).await
}

/// Returns the rights that are missing to read and delete some objects, in words.
///
/// # Errors
/// Fails when the server cannot be reached.
pub(crate) async fn missing_to_delete(api: &Api, objects: &[ObjectName]) -> Result<Vec<String>, ReadError> {
    let rights = objects.iter().flat_map(|object| {
        let (group, resource) = resource_of(object);
        ["get", "delete"].map(|verb| vec![vec![ResourceRight::new(verb, group, resource, object.namespace.as_deref())]])
    });
    missing_of(api, rights.collect()).await
}

/// The first three rights, and the number of further ones.
fn summarize(words: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = words[..words.len().min(SHOWN)].join(" and ");
    match words.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more of the granted rights"),
    }
}

async fn missing_of(api: &Api, needed: Vec<Vec<Vec<ResourceRight>>>) -> Result<Vec<String>, ReadError> {
    let mut rights: Vec<ResourceRight> = Vec::new();
    for right in needed.iter().flatten().flatten() {
        if !rights.contains(right) {
            rights.push(right.clone());
        }
    }
    let allowed = try_join_all(rights.iter().map(async |right| api.is_allowed(&right.attributes()).await)).await?;
    let has = |right: &ResourceRight| rights.iter().zip(&allowed).any(|(known, allowed)| known == right && *allowed);
    let mut missing = Vec::new();
    for alternatives in needed {
        let lacking = |all: &Vec<ResourceRight>| -> Vec<String> {
            all.iter().filter(|right| !has(right)).map(ResourceRight::describe).collect()
        };
        let lacking: Vec<Vec<String>> = alternatives.iter().map(lacking).collect();
        if lacking.iter().all(|words| !words.is_empty()) {
            missing.push(lacking.iter().map(|words| summarize(words)).collect::<Vec<_>>().join(" or "));
        }
    }
    missing.dedup();
    Ok(missing)
}
