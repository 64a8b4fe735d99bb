//! Compares the rights of the current credentials with the documented roles. Nothing is stored: the server reviews
//! rules.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::rights::{self, RoleCluster, RoleRule};
use ucp_client::source::live::api::Api;
use ucp_client::source::{ConnectionArgs, kubeconfig, live};
use ucp_core::error::Result;
use ucp_core::model::state::ClusterState;
use ucp_features::doctor::{MissingRights, ReportedRights};

/// Number of concurrent reviews.
const AT_ONCE: usize = 8;

/// One verb on one resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RequiredRight {
    verb: String,
    group: String,
    resource: String,
}

impl RequiredRight {
    fn words(&self) -> String {
        match (self.resource.as_str(), self.group.as_str()) {
            ("*", "*") => format!("{} everything", self.verb),
            ("*", group) => format!("{} all of {group}", self.verb),
            (resource, "") => format!("{} {resource}", self.verb),
            (resource, group) => format!("{} {resource}.{group}", self.verb),
        }
    }
}

/// Returns false for roles of other clusters, which are checked there, and for the bootstrap, which is over.
fn is_checked_here(role: &str) -> bool {
    RoleCluster::of_role(role) == RoleCluster::Core && role != "kubectl-ucp-bootstrap"
}

/// Returns the missing rights. An error is part of the result, so that the report is shown in any case.
pub(super) fn missing_rights(connection: &ConnectionArgs, state: &ClusterState) -> ReportedRights {
    review_rights(connection, state)
        .unwrap_or_else(|error| ReportedRights { missing: Vec::new(), unknown: Some(error.message()) })
}

fn review_rights(connection: &ConnectionArgs, state: &ClusterState) -> Result<ReportedRights> {
    let loaded = kubeconfig::load(connection)?;
    let needed = required_rights(state);
    live::runtime()?.block_on(async {
        let api = Api::connect(&loaded, connection.request_timeout)?;
        let all: BTreeSet<&RequiredRight> = needed.values().flatten().collect();
        let denied = denied_rights(&api, all).await?;
        let missing = needed.into_iter().filter_map(|((command, role), rights)| {
            let rights: Vec<_> =
                rights.iter().filter(|right| denied.contains(*right)).map(RequiredRight::words).collect();
            let (command, role) = (command.to_owned(), role.to_owned());
            (!rights.is_empty()).then_some(MissingRights { command, role, rights })
        });
        Ok(ReportedRights { missing: missing.collect(), unknown: None })
    })
}

/// Returns the rights of each role, in the API groups that the cluster has. Rights in single namespaces are left out.
fn required_rights(state: &ClusterState) -> BTreeMap<(&'static str, &'static str), BTreeSet<RequiredRight>> {
    #[derive(Deserialize)]
    struct RoleManifest {
        kind: String,
        #[serde(default)]
        rules: Vec<RoleRule>,
    }
    const BUILT_IN: [&str; 4] = ["", "apps", "*", "rbac.authorization.k8s.io"];
    let is_there = |group: &str| BUILT_IN.contains(&group) || state.kinds.iter().any(|kind| kind.group == group);
    let mut needed: BTreeMap<_, BTreeSet<RequiredRight>> = BTreeMap::new();
    for (command, name, documents) in rights::roles().filter(|(_, name, _)| is_checked_here(name)) {
        let roles = documents.iter().filter_map(|text| serde_saphyr::from_str::<RoleManifest>(text).ok());
        for rule in roles.filter(|role| role.kind == "ClusterRole").flat_map(|role| role.rules) {
            if !rule.resource_names.is_empty() {
                continue;
            }
            for group in rule.api_groups.iter().filter(|group| is_there(group)) {
                for resource in &rule.resources {
                    let rights = rule.verbs.iter().map(|verb| RequiredRight {
                        verb: verb.clone(),
                        group: group.clone(),
                        resource: resource.clone(),
                    });
                    needed.entry((command, name)).or_default().extend(rights);
                }
            }
        }
    }
    needed
}

/// Returns the rights that are not granted. One review returns all rules of RBAC. Other authorizers may not list their
/// rules, so the remaining rights are reviewed one by one.
async fn denied_rights(api: &Api, needed: BTreeSet<&RequiredRight>) -> Result<BTreeSet<RequiredRight>> {
    // In a namespace that does not exist, only rights in all namespaces apply.
    let question = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": "kubectl-ucp-in-no-namespace"},
    });
    let answer = api.review("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", &question).await?;
    let rules: Vec<RoleRule> =
        answer.pointer("/status/resourceRules").map(Vec::deserialize).transpose()?.unwrap_or_default();
    let is_complete = answer.pointer("/status/incomplete").and_then(Value::as_bool) == Some(false);
    let missing: Vec<&RequiredRight> = needed
        .into_iter()
        .filter(|right| !rules.iter().any(|rule| rule.allows(&right.verb, &right.group, &right.resource)))
        .collect();
    if is_complete {
        return Ok(missing.into_iter().cloned().collect());
    }
    let reviews = missing.into_iter().map(|right| async move {
        let (resource, subresource) = right.resource.split_once('/').unwrap_or((&right.resource, ""));
        let attributes = json!({
            "verb": right.verb, "group": right.group, "resource": resource, "subresource": subresource,
        });
        Ok((!api.is_allowed(&attributes).await?).then(|| right.clone()))
    });
    let answers: Vec<Result<Option<RequiredRight>>> =
        futures::stream::iter(reviews).buffer_unordered(AT_ONCE).collect().await;
    answers.into_iter().filter_map(Result::transpose).collect()
}
