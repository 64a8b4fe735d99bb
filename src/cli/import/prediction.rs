//! What would come of manifests: asked of the server where there is one, many at a time, and else of the schema.

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

/// Requests at a time.
const CONCURRENT: usize = 16;

/// What is known of a draft.
pub(super) enum Answer {
    /// Nothing was asked.
    None,
    /// The server takes this manifest; a snapshot takes all.
    Taken(Ordered),
    /// What would change outside.
    Differences(Vec<Difference>),
    /// It comes no further.
    Stop(Stop),
}

/// The answers to drafts, in their order.
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

/// Whether the server would take a manifest that only observes.
async fn begin(
    facts: &Facts,
    (kind, takeover): (&ResourceKind, Takeover),
    manifest: &Ordered,
) -> Result<Ordered, Stop> {
    const STATE_INTO_SPEC: &str = "state-into-spec";
    let Some(cluster) = &facts.live else { return Ok(manifest.clone()) };
    match stored(cluster, kind, &manifest.to_value()).await {
        Ok(_) => Ok(manifest.clone()),
        // Config Connector's newer kinds leave the spec as it is, and their webhook takes no word against it.
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

/// What would change outside if an object became this one.
async fn would_change(
    facts: &Facts,
    (kind, takeover): (&ResourceKind, Takeover),
    manifest: &Value,
    live: &Value,
    schema: Schema<'_>,
) -> Result<Vec<Difference>, Stop> {
    let mut whole = manifest.clone();
    if takeover == Takeover::Crossplane {
        // As the default would be filled in where nobody else had set it: what is required for that is checked now.
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

/// What the server would store.
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
