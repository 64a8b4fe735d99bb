//! The plan of a bootstrap: all objects, with the action for each and its actor.

use std::collections::BTreeSet;

use serde::Serialize;

use super::compare::{ObjectPresence, PresenceReading, SecretPresence};
use super::demand::RequiredSecret;
use super::desire::{DesiredObject, DesiredState};
use super::hub::RevisionChange;
use super::provider::PossibleProviders;
use super::wave::Wave;
use ucp_core::model::grounds::{Grounds, GroundsEvidence};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_core::model::variant_words::variant_words;

/// The action for an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BootstrapAction {
    /// The object is created.
    Create,
    /// The object is updated to match the repository.
    Update,
    /// The user is prompted for the values, and the object is created.
    Ask,
    /// The object is created by its engine from Git or by an external controller, and `bootstrap` waits for it; or
    /// `bootstrap` waits for its kind, and then creates it.
    Wait,
    /// The app cluster is registered once it is ready.
    Adopt,
    /// The object exists.
    Keep,
    /// The action is unknown, because the object could not be read.
    Unknown,
}

variant_words!(BootstrapAction {
    Create = "create", Update = "update", Ask = "ask", Wait = "wait", Adopt = "adopt", Keep = "keep",
    Unknown = "unknown",
});

/// The actor of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StepActor {
    /// This command.
    Bootstrap,
    /// Argo CD or Flux, from Git.
    Engine,
}

/// One object of a bootstrap, with its action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootstrapStep {
    /// The wave in which it is created.
    pub wave: Wave,
    /// The action for the object.
    pub action: BootstrapAction,
    /// The object.
    pub object: ObjectName,
    /// The app cluster, if the step is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The actor of the step.
    pub by: StepActor,
    /// A path of the repository, or the deployment that applies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The reason for the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The keys of a Secret that the user is prompted for; empty if they are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// What was read of the object. The action of a step without grounds is unknown, except for app clusters, whose grounds
    /// are in their own plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
}

impl BootstrapStep {
    /// Returns true if `bootstrap` writes the object immediately.
    pub fn writes(&self) -> bool {
        matches!(self.action, BootstrapAction::Create | BootstrapAction::Update | BootstrapAction::Ask)
    }

    /// Returns true if `bootstrap` writes the object once the cluster has its kind.
    pub fn is_deferred(&self) -> bool {
        self.action == BootstrapAction::Wait && self.by == StepActor::Bootstrap
    }

    /// Returns true if `bootstrap` writes the object, immediately or later.
    pub fn is_written_by_bootstrap(&self) -> bool {
        self.writes() || self.is_deferred()
    }
}

/// The state of the cluster, with each field in the order of the desired objects.
pub struct ClusterPresence {
    /// Presence of [`DesiredState::applied`].
    pub applied: Vec<PresenceReading<ObjectPresence>>,
    /// Presence of [`DesiredState::followed`].
    pub followed: Vec<PresenceReading<ObjectPresence>>,
    /// Presence of [`DesiredState::demands`].
    pub secrets: Vec<PresenceReading<SecretPresence>>,
    /// Presence of [`DesiredState::namespaces`].
    pub namespaces: Vec<PresenceReading<ObjectPresence>>,
    /// App clusters that are registered.
    pub registered: BTreeSet<String>,
}

impl ClusterPresence {
    /// Returns the state of an empty cluster.
    pub fn empty_cluster(desire: &DesiredState) -> Self {
        let missing = |count: usize| vec![assume_empty(ObjectPresence::Missing); count];
        Self {
            applied: missing(desire.applied.len()),
            followed: missing(desire.followed.len()),
            secrets: vec![assume_empty(SecretPresence::Missing); desire.demands.len()],
            namespaces: missing(desire.namespaces().len()),
            registered: BTreeSet::new(),
        }
    }
}

/// Binds the presence in an empty cluster to the assumption that it is empty.
fn assume_empty<P>(presence: P) -> PresenceReading<P> {
    let mut evidence = GroundsEvidence::new();
    evidence.add_list("an empty cluster, as assumed".to_owned());
    evidence.establish(presence).map_err(|ungrounded| ungrounded.reason().into())
}

/// Returns the objects that could not be read.
pub fn unreadable(steps: &[BootstrapStep]) -> Vec<Unreadable> {
    let unknown = steps.iter().filter(|step| step.action == BootstrapAction::Unknown);
    unknown
        .map(|step| Unreadable { what: step.object.to_string(), reason: step.reason.clone().unwrap_or_default() })
        .collect()
}

/// Returns all steps, in order.
pub fn steps(desire: &DesiredState, found: &ClusterPresence) -> Vec<BootstrapStep> {
    let mut steps = Vec::new();
    for (object, presence) in desire.namespaces().into_iter().zip(&found.namespaces) {
        let is_for_secrets = desire.demands.iter().any(|demand| demand.secret.namespace == object.name);
        let step = step(Wave::Foundations, object, StepActor::Bootstrap, presence);
        let reason = if is_for_secrets {
            "Secrets are created there before anything creates it"
        } else {
            "objects are created there"
        };
        steps.push(BootstrapStep { reason: step.reason.or_else(|| Some(reason.to_owned())), ..step });
    }
    for (wanted, presence) in desire.applied.iter().zip(&found.applied) {
        steps.push(step_for_object(wanted, StepActor::Bootstrap, presence));
    }
    for (demand, presence) in desire.demands.iter().zip(&found.secrets) {
        steps.push(step_for_demand(demand, presence));
    }
    for (wanted, presence) in desire.followed.iter().zip(&found.followed) {
        steps.push(step_for_object(wanted, StepActor::Engine, presence));
    }
    for cluster in &desire.clusters {
        let is_registered = found.registered.contains(&cluster.name);
        steps.push(BootstrapStep {
            wave: Wave::AppClusters,
            action: if is_registered { BootstrapAction::Keep } else { BootstrapAction::Adopt },
            object: cluster.object.clone(),
            cluster: Some(cluster.name.clone()),
            by: StepActor::Bootstrap,
            from: None,
            reason: Some(cluster.reason.clone()),
            keys: Vec::new(),
            grounds: None,
        });
    }
    steps.sort_by_key(|step| step.wave);
    steps
}

/// Shows the changes of revision in the steps that make them.
pub fn add_revision_changes(steps: &mut [BootstrapStep], changes: &[RevisionChange]) {
    for change in changes {
        for step in steps.iter_mut().filter(|step| step.writes() && step.object == change.object) {
            let reason = step.reason.take().map(|reason| format!("{reason}; ")).unwrap_or_default();
            step.reason = Some(format!("{reason}{change}"));
        }
    }
}

/// Shows in the steps that nothing in the repository certainly provides the kinds or controllers that objects need.
pub fn add_uncertainty(steps: &mut [BootstrapStep], objects: &[ObjectName], what: &str, possible: &PossibleProviders) {
    let possible = possible.iter().cloned().collect::<Vec<_>>().join(", ");
    for step in steps.iter_mut().filter(|step| step.action == BootstrapAction::Wait && objects.contains(&step.object)) {
        let reason = step.reason.take().map(|reason| format!("{reason}; ")).unwrap_or_default();
        step.reason = Some(format!("{reason}nothing in this repository provides {what}; {possible} may"));
    }
}

fn step(wave: Wave, object: ObjectName, by: StepActor, reading: &PresenceReading<ObjectPresence>) -> BootstrapStep {
    let step = |action, reason, grounds| BootstrapStep {
        wave,
        action,
        object,
        cluster: None,
        by,
        from: None,
        reason,
        keys: Vec::new(),
        grounds,
    };
    let grounded = match reading {
        Ok(grounded) => grounded,
        Err(error) => return step(BootstrapAction::Unknown, Some(error.to_string()), None),
    };
    let (action, reason) = match (grounded.value(), by) {
        (ObjectPresence::Missing, StepActor::Bootstrap) => (BootstrapAction::Create, None),
        (ObjectPresence::Missing, StepActor::Engine) => (BootstrapAction::Wait, None),
        (ObjectPresence::Early, _) => (BootstrapAction::Wait, Some("its kind is added later".to_owned())),
        (ObjectPresence::Differs(_), _) => (BootstrapAction::Update, Some("it differs from the repository".to_owned())),
        (ObjectPresence::There, _) => (BootstrapAction::Keep, None),
        (ObjectPresence::Held(by), _) => (
            BootstrapAction::Keep,
            Some(format!("it differs, and the difference belongs to another field manager: {by}")),
        ),
    };
    step(action, reason, Some(grounded.grounds().clone()))
}

fn step_for_object(wanted: &DesiredObject, by: StepActor, presence: &PresenceReading<ObjectPresence>) -> BootstrapStep {
    let step = step(wanted.wave, wanted.object.clone(), by, presence);
    BootstrapStep { from: Some(wanted.from.clone()), ..step }
}

fn step_for_demand(demand: &RequiredSecret, reading: &PresenceReading<SecretPresence>) -> BootstrapStep {
    let grounds = reading.as_ref().ok().map(|grounded| grounded.grounds().clone());
    let step = |action, keys, reason| BootstrapStep {
        wave: Wave::Secrets,
        action,
        object: demand.secret.secret(),
        cluster: None,
        by: StepActor::Bootstrap,
        from: None,
        reason,
        keys,
        grounds,
    };
    let presence = match reading {
        Ok(grounded) => grounded.value(),
        Err(error) => return step(BootstrapAction::Unknown, Vec::new(), Some(error.to_string())),
    };
    let lacking =
        |there: &[String]| demand.prompted_keys().filter(|key| !there.contains(key)).cloned().collect::<Vec<_>>();
    let says_more = |there: &[String]| demand.configured_keys().any(|key| !there.contains(key));
    let why = || {
        let own = demand.settings.as_ref().and_then(|settings| settings.why.clone());
        let by = demand.by.iter().map(|by| by.kind_and_name()).collect::<Vec<_>>();
        own.or_else(|| (!by.is_empty()).then(|| format!("{} log in with it", by.join(", "))))
            .map(|text| if by.len() == 1 { text.replace(" log in", " logs in") } else { text })
    };
    let (action, keys, reason) = match presence {
        SecretPresence::Missing if demand.is_fully_configured() => (BootstrapAction::Create, Vec::new(), why()),
        SecretPresence::Missing => (BootstrapAction::Ask, lacking(&[]), why()),
        SecretPresence::There(there) => match lacking(there) {
            none if none.is_empty() && says_more(there) => (
                BootstrapAction::Update,
                none,
                Some("it exists, but values that .ucp.yaml declares are missing".to_owned()),
            ),
            none if none.is_empty() => (BootstrapAction::Keep, none, why()),
            keys => {
                (BootstrapAction::Ask, keys, Some(format!("it exists without them; {}", why().unwrap_or_default())))
            }
        },
    };
    step(action, keys, reason)
}
