//! What would come of a manifest: asked of the server where there is one, and else of the schema.

use serde_json::{Value, json};

use super::facts::{Facts, Live};
use crate::import::own::differences;
use crate::import::schema::Schema;
use crate::import::takeover::Takeover;
use crate::model::comparison::Difference;
use crate::model::git_ops::GitOps;
use crate::model::kind::ResourceKind;
use crate::model::secrecy::scrub_about;
use crate::prediction::dry_run::{Outcome, predict};
use crate::source::live::dry_run::Change;

/// Why a thing does not come further.
#[derive(Debug)]
pub(super) enum Stop {
    /// It must not, like this.
    Refused(String),
    /// Nobody could be asked.
    Unknown(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}

/// Whether the server would take a manifest; a snapshot takes all.
///
/// # Errors
/// Its words, where it would not.
pub(super) fn is_taken(facts: &Facts, kind: &ResourceKind, manifest: &Value) -> Result<(), Stop> {
    match &facts.live {
        Some(live) => stored(live, kind, manifest).map(drop),
        None => Ok(()),
    }
}

/// What would change outside if an object became this one.
///
/// # Errors
/// The server's words, where it would not take it.
pub(super) fn would_change(
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
        Some(connected) => stored(connected, kind, &whole)?,
        None => {
            schema.fill_in(&mut whole);
            whole
        }
    };
    Ok(differences(takeover, kind, &after, live, schema))
}

/// What the server would store.
fn stored(live: &Live, kind: &ResourceKind, manifest: &Value) -> Result<Value, Stop> {
    let asked = predict(&live.cluster, kind, manifest, GitOps::Flux, Change::Apply);
    match live.runtime.block_on(asked).outcome {
        Outcome::Accepted(object) => Ok(object),
        Outcome::Rejected { message, .. } => {
            Err(Stop::Refused(format!("the server would not take it: {}", scrub_about(&message, [manifest]))))
        }
        Outcome::NotAsked(reason) => {
            Err(Stop::Unknown(format!("the server could not be asked: {}", scrub_about(&reason, [manifest]))))
        }
    }
}
