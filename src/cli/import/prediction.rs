//! Predictions for manifests: from concurrent requests to the server if there is one, else from the schema.

use futures::StreamExt as _;
use serde_json::{Value, json};

use super::draft::{ImportBlocker, ImportDraft};
use super::facts::ImportFacts;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::prediction::dry_run::{ApplyingController, DryRunOutcome, predict_apply};
use ucp_client::source::live::dry_run::DryRunWrite;
use ucp_core::model::comparison::ObservedDifference;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::scrub_about;
use ucp_features::import::difference::external_changes;
use ucp_features::import::takeover::ImportMethod;
use ucp_features::schema::SchemaNode;
use ucp_repo::yaml::ordered::OrderedValue;

/// Number of concurrent requests.
const CONCURRENT: usize = 16;

/// The prediction for a draft.
pub(super) enum ImportPrediction {
    /// The server was not asked.
    None,
    /// The server accepts this manifest; a snapshot accepts every one.
    Taken(OrderedValue),
    /// The differences that would change the external resource.
    Differences(Vec<ObservedDifference>),
    /// The draft cannot proceed.
    Stop(ImportBlocker),
}

/// Returns the answers to drafts, in their order.
pub(super) fn answers(facts: &ImportFacts, drafts: &[ImportDraft<'_>]) -> Vec<ImportPrediction> {
    let asked = drafts.iter().map(|draft| answer(facts, draft));
    facts.runtime.block_on(futures::stream::iter(asked).buffered(CONCURRENT).collect())
}

async fn answer(facts: &ImportFacts, draft: &ImportDraft<'_>) -> ImportPrediction {
    let answer = match draft {
        ImportDraft::Done(_) => Ok(ImportPrediction::None),
        ImportDraft::Begin { kind, takeover, manifest, .. } => {
            predict_observing(facts, (kind, *takeover), manifest).await.map(ImportPrediction::Taken)
        }
        ImportDraft::Own { kind, takeover, value, live, schema, .. } => {
            external_differences(facts, (kind, *takeover), value, live, *schema)
                .await
                .map(ImportPrediction::Differences)
        }
    };
    answer.unwrap_or_else(ImportPrediction::Stop)
}

/// Returns the manifest that only observes, in the form that the server accepts.
async fn predict_observing(
    facts: &ImportFacts,
    (kind, takeover): (&ResourceKind, ImportMethod),
    manifest: &OrderedValue,
) -> Result<OrderedValue, ImportBlocker> {
    const STATE_INTO_SPEC: &str = "state-into-spec";
    let Some(cluster) = &facts.live else { return Ok(manifest.clone()) };
    match predict_stored(cluster, kind, &manifest.to_value()).await {
        Ok(_) => Ok(manifest.clone()),
        // Config Connector's newer kinds leave the spec unchanged, and their webhook rejects the annotation.
        Err(ImportBlocker::Refused(reason))
            if takeover == ImportMethod::ConfigConnector && reason.contains(STATE_INTO_SPEC) =>
        {
            let mut plain = manifest.clone();
            if let Some(annotations) = plain.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations")) {
                annotations.remove(&format!("cnrm.cloud.google.com/{STATE_INTO_SPEC}"));
            }
            predict_stored(cluster, kind, &plain.to_value()).await.map(|_| plain)
        }
        Err(stop) => Err(stop),
    }
}

/// Returns the differences that would change the external resource if the object became this manifest.
async fn external_differences(
    facts: &ImportFacts,
    (kind, takeover): (&ResourceKind, ImportMethod),
    manifest: &Value,
    live: &Value,
    schema: SchemaNode<'_>,
) -> Result<Vec<ObservedDifference>, ImportBlocker> {
    let mut whole = manifest.clone();
    if takeover == ImportMethod::Crossplane {
        // Sets the default that applies if nothing else sets it, so that the fields required for it are checked now.
        whole["spec"]["managementPolicies"] = json!(["*"]);
    }
    // The object may have another name in Git than in the cluster.
    whole["metadata"]["name"] = live.pointer("/metadata/name").cloned().unwrap_or_default();
    if let Some(namespace) = live.pointer("/metadata/namespace") {
        whole["metadata"]["namespace"] = namespace.clone();
    }
    let after = match &facts.live {
        Some(cluster) => predict_stored(cluster, kind, &whole).await?,
        None => {
            schema.fill_in_defaults(&mut whole);
            whole
        }
    };
    Ok(external_changes(takeover, kind, &after, live, schema))
}

/// Returns the object that the server would store.
async fn predict_stored(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    manifest: &Value,
) -> Result<Value, ImportBlocker> {
    match predict_apply(cluster, kind, manifest, ApplyingController::KustomizeController, DryRunWrite::Apply)
        .await
        .outcome
    {
        DryRunOutcome::Accepted(object) => Ok(object),
        DryRunOutcome::Rejected { reason, .. } => {
            let reason = scrub_about(reason.as_str(), [manifest]);
            Err(ImportBlocker::Refused(format!("the server would reject it: {reason}")))
        }
        DryRunOutcome::NotAsked(reason) => {
            let reason = scrub_about(reason.as_str(), [manifest]);
            Err(ImportBlocker::Unknown(format!("the server did not respond: {reason}")))
        }
    }
}
