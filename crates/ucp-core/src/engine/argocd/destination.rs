//! Destination clusters that Argo CD cannot reach. Their connection state is not in the Kubernetes API; it is derived
//! from Applications that could not be compared, synced, or deleted for this reason. The state of all other
//! Applications of such a cluster is then unknown, independent of their last health.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::engine::code::Code;
use crate::engine::judgement::{Cause, JudgedObject, Judgement, Problem};
use crate::model::body::Body;
use crate::model::body::argocd::{Application, ApplicationDestination};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Messages of the controller when it cannot create a client or a cache for a cluster.
const NO_CLUSTER: [&str; 4] = [
    "failed to get cluster info",
    "failed to get cluster version",
    "error getting cluster:",
    "error synchronizing cache state",
];

/// Matches a request to a Kubernetes API without a response. Requests to Git or to a chart repository have no such
/// path.
static NO_ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let request = r#""https?://[^"/]+(/k8s/[^"]*)?/(api|apis|version|openapi)[/?"]"#;
    let failure = "connection refused|i/o timeout|no route to host|no such host|handshake timeout|connection reset|\
                   network is unreachable|context deadline exceeded|x509|: EOF";
    Regex::new(&format!("{request}.*({failure})")).ok()
});

/// Returns true if an error is about the connection to a destination cluster.
pub(super) fn is_unreachable(message: &str) -> bool {
    NO_CLUSTER.iter().any(|words| message.contains(words))
        || NO_ANSWER.as_ref().is_some_and(|pattern| pattern.is_match(message))
}

/// Returns the message with the name of the cluster.
pub(super) fn describe_unreachable(application: &Application, error: &str) -> String {
    format!("Argo CD cannot reach {}: {error}", name(&application.spec.destination))
}

fn name(destination: &ApplicationDestination) -> String {
    destination.cluster().map_or_else(|| "its cluster".to_owned(), |name| format!("cluster {name}"))
}

/// The name and the URL of a destination, as in `spec.destination`.
pub(crate) type DestinationKey = (Option<String>, Option<String>);

/// Returns the server and name of the cluster that an Application deploys to.
pub fn key(application: &Application) -> DestinationKey {
    let destination = &application.spec.destination;
    (destination.name.clone(), destination.server.clone())
}

/// Returns the clusters that at least one Application reports as unreachable.
pub fn unreachable_clusters(resources: &[Resource]) -> BTreeSet<DestinationKey> {
    let errors = resources.iter().filter_map(|resource| {
        let Body::Application(application) = &resource.body else { return None };
        let says_so = resource.conditions.iter().any(|condition| is_unreachable(&condition.message));
        says_so.then(|| key(application))
    });
    errors.collect()
}

/// Returns the evidence for each unreachable cluster: the position of an Application, and its problem.
fn evidence(judged: &[JudgedObject<'_>]) -> BTreeMap<DestinationKey, (usize, Problem)> {
    let mut down: BTreeMap<DestinationKey, (usize, Problem)> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate() {
        let Body::Application(application) = &entry.resource.body else { continue };
        let problem = entry.judgement.problems.iter().find(|problem| is_about_the_cluster(problem));
        if let Some(problem) = problem {
            let is_earlier = |known: &Problem| problem.since.is_some() && problem.since < known.since;
            match down.get(&key(application)) {
                Some((_, known)) if !is_earlier(known) => {}
                _ => drop(down.insert(key(application), (index, problem.clone()))),
            }
        }
    }
    down
}

fn is_about_the_cluster(problem: &Problem) -> bool {
    match problem.code {
        Code::DestinationDown => true,
        Code::ApplicationDeletionStuck => is_unreachable(&problem.message),
        _ => false,
    }
}

/// Sets Applications of unreachable clusters to Unknown, unless they have problems or were synced since then.
pub(super) fn mark_unreachable_as_unknown(judged: &mut [JudgedObject<'_>]) {
    let down = evidence(judged);
    if down.is_empty() {
        return;
    }
    for entry in judged {
        let Body::Application(application) = &entry.resource.body else { continue };
        let Some((_, problem)) = down.get(&key(application)) else { continue };
        let is_quiet = entry.judgement.problems.is_empty()
            && matches!(entry.judgement.verdict, Verdict::Ok | Verdict::Progressing);
        let operation = application.status.operation_state.as_ref();
        let was_synced_since = operation.is_some_and(|operation| {
            operation.phase == "Succeeded" && operation.finished_at.is_some() && operation.finished_at > problem.since
        });
        if is_quiet && !was_synced_since {
            let message =
                format!("Argo CD cannot reach {}: this status may be out of date", name(&application.spec.destination));
            entry.judgement = Judgement::quiet(Verdict::Unknown, problem.since, message);
        }
    }
}

/// Returns one cause for each unreachable cluster, with the Applications whose state is unknown because of it.
pub(super) fn unreachable_cluster_causes(judged: &[JudgedObject<'_>]) -> Vec<Cause> {
    let mut causes: BTreeMap<DestinationKey, Cause> = evidence(judged)
        .into_iter()
        .map(|(key, (index, problem))| {
            (key, Cause { object: judged[index].resource.name(), problem, holds_up: Vec::new() })
        })
        .collect();
    if causes.is_empty() {
        return Vec::new();
    }
    for (index, entry) in judged.iter().enumerate() {
        let Body::Application(application) = &entry.resource.body else { continue };
        let Some(cause) = causes.get_mut(&key(application)) else { continue };
        let judgement = &entry.judgement;
        let is_in_doubt = judgement.problems.is_empty() && judgement.verdict == Verdict::Unknown;
        let says_the_same = !judgement.problems.is_empty()
            && judgement.problems.iter().all(|problem| problem.code == Code::DestinationDown);
        if (is_in_doubt || says_the_same) && entry.resource.name() != cause.object {
            cause.holds_up.push(index);
        }
    }
    causes.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_cluster_is_distinguished_from_a_repository() {
        for cluster in [
            r#"failed to discover server resources for group version apps/v1: Get "https://10.0.0.1:6443/apis/apps/v1?timeout=32s": dial tcp 10.0.0.1:6443: connect: connection refused"#,
            r#"Get "https://rancher.example.org/k8s/clusters/c-1/version": net/http: TLS handshake timeout"#,
            r#"failed to get cluster info for "https://10.0.0.1": the server has asked for the client to provide credentials"#,
        ] {
            assert!(is_unreachable(cluster), "{cluster}");
        }
        for other in [
            r#"rpc error: Get "https://git.example.org/fleet.git/info/refs?service=git-upload-pack": dial tcp: lookup git.example.org: no such host"#,
            r#"Get "https://charts.example.org/api-docs/index.yaml": dial tcp 10.0.0.1:443: connect: connection refused"#,
            "there are no clusters with this name: app",
            r#"failed to discover server resources for group version example.org/v1: the server could not find the requested resource"#,
        ] {
            assert!(!is_unreachable(other), "{other}");
        }
    }
}
