//! Predictions for manifests: from concurrent requests to the server if there is one, else from the schema.

use futures::StreamExt as _;
use serde_json::{Value, json};

use super::draft::{Draft, Stop};
use super::facts::Facts;
use crate::import::difference::differences;
use crate::import::schema::Schema;
use crate::import::takeover::Takeover;
use crate::model::comparison::Difference;
use crate::model::git_ops::GitOps;
use crate::model::kind::ResourceKind;
use crate::model::secrecy::scrub_about;
use crate::prediction::cluster::Cluster;
use crate::prediction::dry_run::{Outcome, predict};
use crate::source::live::dry_run::Change;
use crate::yaml::ordered::Ordered;

/// Number of concurrent requests.
const CONCURRENT: usize = 16;

/// The prediction for a draft.
pub(super) enum Answer {
    /// The server was not asked.
    None,
    /// The server accepts this manifest; a snapshot accepts every one.
    Taken(Ordered),
    /// The differences that would change the external resource.
    Differences(Vec<Difference>),
    /// The draft cannot proceed.
    Stop(Stop),
}

/// Returns the answers to drafts, in their order.
pub(super) fn answers(facts: &Facts, drafts: &[Draft<'_>]) -> Vec<Answer> {
    let asked = drafts.iter().map(|draft| answer(facts, draft));
    facts.runtime.block_on(futures::stream::iter(asked).buffered(CONCURRENT).collect())
}

async fn answer(facts: &Facts, draft: &Draft<'_>) -> Answer {
    let answer = match draft {
        Draft::Done(_) => Ok(Answer::None),
        Draft::Begin { kind, takeover, manifest, .. } => {
            begin(facts, (kind, *takeover), manifest).await.map(Answer::Taken)
        }
        Draft::Own { kind, takeover, value, live, schema, .. } => {
            would_change(facts, (kind, *takeover), value, live, *schema).await.map(Answer::Differences)
        }
    };
    answer.unwrap_or_else(Answer::Stop)
}

/// Returns the manifest that only observes, in the form that the server accepts.
async fn begin(
    facts: &Facts,
    (kind, takeover): (&ResourceKind, Takeover),
    manifest: &Ordered,
) -> Result<Ordered, Stop> {
    const STATE_INTO_SPEC: &str = "state-into-spec";
    let Some(cluster) = &facts.live else { return Ok(manifest.clone()) };
    match stored(cluster, kind, &manifest.to_value()).await {
        Ok(_) => Ok(manifest.clone()),
        // Config Connector's newer kinds leave the spec unchanged, and their webhook rejects the annotation.
        Err(Stop::Refused(reason)) if takeover == Takeover::ConfigConnector && reason.contains(STATE_INTO_SPEC) => {
            let mut plain = manifest.clone();
            if let Some(annotations) = plain.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations")) {
                annotations.remove(&format!("cnrm.cloud.google.com/{STATE_INTO_SPEC}"));
            }
            stored(cluster, kind, &plain.to_value()).await.map(|_| plain)
        }
        Err(stop) => Err(stop),
    }
}

/// Returns the differences that would change the external resource if the object became this manifest.
async fn would_change(
    facts: &Facts,
    (kind, takeover): (&ResourceKind, Takeover),
    manifest: &Value,
    live: &Value,
    schema: Schema<'_>,
) -> Result<Vec<Difference>, Stop> {
    let mut whole = manifest.clone();
    if takeover == Takeover::Crossplane {
        // Sets the default that applies if nothing else sets it, so that the fields required for it are checked now.
        whole["spec"]["managementPolicies"] = json!(["*"]);
    }
    // The object may have another name in Git than in the cluster.
    whole["metadata"]["name"] = live.pointer("/metadata/name").cloned().unwrap_or_default();
    if let Some(namespace) = live.pointer("/metadata/namespace") {
        whole["metadata"]["namespace"] = namespace.clone();
    }
    let after = match &facts.live {
        Some(cluster) => stored(cluster, kind, &whole).await?,
        None => {
            schema.fill_in(&mut whole);
            whole
        }
    };
    Ok(differences(takeover, kind, &after, live, schema))
}

/// Returns the object that the server would store.
async fn stored(cluster: &Cluster, kind: &ResourceKind, manifest: &Value) -> Result<Value, Stop> {
    match predict(cluster, kind, manifest, GitOps::Flux, Change::Apply).await.outcome {
        Outcome::Accepted(object) => Ok(object),
        Outcome::Rejected { message, .. } => {
            Err(Stop::Refused(format!("the server would not take it: {}", scrub_about(&message, [manifest]))))
        }
        Outcome::NotAsked(reason) => {
            Err(Stop::Unknown(format!("the server could not be asked: {}", scrub_about(&reason, [manifest]))))
        }
    }
}
