//! Changes that follow from others by their sort and time: the write of a deployer from its sync, a revision or a Pod from a change of
//! the workload, the write of a controller from that of a user.

use jiff::SignedDuration;

use super::actor::ActorKind;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};

/// Clocks differ, and controllers report failures late.
pub(super) const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// The group of Crossplane's packages.
const PACKAGES: &str = "pkg.crossplane.io";
/// Deployers write, and controllers create revisions and Pods, this soon.
const SOON: SignedDuration = SignedDuration::from_mins(1);
/// Engines write this soon after a change by a person, such as the definitions of an installed package.
pub(super) const SLOWLY: SignedDuration = SignedDuration::from_mins(5);
/// The first attempt of a deployment may have waited this long for its health checks.
pub(super) const WAITED: SignedDuration = SignedDuration::from_mins(10);

/// The kind of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EffectKind {
    /// A deployer wrote what it deployed.
    DeployedWrite,
    /// A controller wrote an object.
    ControllerWrite,
    /// A controller created a revision of a changed object.
    Revision,
    /// A controller created a Pod.
    Pod,
}

impl EffectKind {
    /// Returns the kind of a change that may be an effect of another change.
    pub(super) fn from_change(change: &Occurrence) -> Option<Self> {
        let by = change.by.as_ref();
        match change.change {
            ChangeSort::Written => match by {
                Some(by) if by.applies_from_git() => Some(Self::DeployedWrite),
                Some(by) if by.kind == ActorKind::User => None,
                _ => Some(Self::ControllerWrite),
            },
            ChangeSort::Deployed if is_revision(change) => Some(Self::Revision),
            ChangeSort::Created if change.object.kind == "Pod" => Some(Self::Pod),
            _ => None,
        }
    }

    /// Returns true if the time and the sort of two changes fit.
    pub(super) fn is_effect(self, effect: &Occurrence, cause: &Occurrence) -> bool {
        let is_user = cause.by.as_ref().is_some_and(|by| by.kind == ActorKind::User);
        let is_change = matches!(cause.change, ChangeSort::Written | ChangeSort::Deployed);
        let lead = effect.time.duration_since(cause.time);
        let before = match cause.certainty {
            OccurrenceCertainty::AtLatest => WAITED,
            // The time of a sync is that of its end.
            _ if cause.change == ChangeSort::Deployed => SOON,
            _ => TOLERANCE,
        };
        let after = if self == Self::ControllerWrite { SLOWLY } else { SOON };
        let is_in_time = lead <= after && lead >= -before;
        is_in_time
            && rank(cause) < rank(effect)
            && match self {
                Self::DeployedWrite => cause.change == ChangeSort::Deployed,
                Self::ControllerWrite => {
                    cause.change == ChangeSort::Written && is_user && cause.object != effect.object
                }
                Self::Revision | Self::Pod => is_change,
            }
    }

    /// Returns true for the write of a definition after a change of a package: packages have no links to what they install.
    pub(super) fn is_of_package(self, effect: &Occurrence, cause: &Occurrence) -> bool {
        self == Self::ControllerWrite
            && effect.object.kind == "CustomResourceDefinition"
            && cause.object.group() == PACKAGES
    }
}

/// Returns true if a change may follow from one of its own object, or of an object above it.
pub(super) fn follows_from(effect: &Occurrence, cause: &Occurrence) -> bool {
    EffectKind::from_change(effect).is_some_and(|kind| kind.is_effect(effect, cause))
}

/// Returns the place of a change among those that follow from each other.
pub(super) fn rank(change: &Occurrence) -> u8 {
    match EffectKind::from_change(change) {
        None if change.change == ChangeSort::Written => 0,
        None => 1,
        Some(EffectKind::DeployedWrite) => 2,
        Some(EffectKind::ControllerWrite) => 3,
        Some(EffectKind::Revision) => 4,
        Some(EffectKind::Pod) => 5,
    }
}

/// Returns true for the revision of an object.
pub(super) fn is_revision(change: &Occurrence) -> bool {
    change.what.starts_with("got revision")
}
