//! The reason of a condition: whether it is known to be good, and whether it says that a part is not in use.

use super::sentences::says_otherwise;
use super::vocabulary::RESTRICTIONS;
use super::words::{WordMeaning, meaning, tokens};

/// Last words of reasons for parts that the declaration turns off.
const TURNED_OFF: [&str; 5] = ["disabled", "unused", "optional", "inapplicable", "deactivated"];
/// Last words of reasons for parts that are not there; whether that was declared, they do not say.
const NOT_THERE: [&str; 3] = ["removed", "skipped", "unmanaged"];
/// Last words of reasons, after `not`, for parts that the declaration does not ask for.
const UNWANTED: [&str; 10] = [
    "applicable",
    "configured",
    "defined",
    "enabled",
    "needed",
    "required",
    "requested",
    "specified",
    "used",
    "wanted",
];
/// Parts that every object with them needs.
const ESSENTIAL: [&str; 5] = ["leader", "majority", "master", "primary", "quorum"];

/// Reasons that say that there is none, as Cluster API writes them.
const WITHOUT_MEANING: [&str; 5] = ["InfoReported", "NoReason", "NoReasonReported", "None", "Unspecified"];

/// Returns true if the reason of a condition that is True is not known to be good. One that only repeats the type says
/// nothing, and one that is bad is ranked by the caller.
pub(super) fn is_open(reason: &str, kind: &str) -> bool {
    let (words, of_type) = (tokens(reason), tokens(kind));
    if words.iter().all(|word| of_type.contains(word)) || WITHOUT_MEANING.contains(&reason) {
        return false;
    }
    match meaning(reason) {
        Some(WordMeaning::Bad) => false,
        // `NotPaused`.
        Some(WordMeaning::Paused) if words.first().is_some_and(|first| first == "not") => false,
        Some(WordMeaning::Human | WordMeaning::Paused | WordMeaning::Progress) => !is_turned_off(reason),
        None => true,
        Some(WordMeaning::Good | WordMeaning::Done) => words.iter().any(|word| RESTRICTIONS.contains(&word.as_str())),
    }
}

/// Returns true for reasons that say that something is not in use: `Disabled`, `BackupNotConfigured`, `Removed`.
pub(super) fn is_not_in_use(reason: &str) -> bool {
    is_turned_off(reason) || tokens(reason).last().is_some_and(|last| NOT_THERE.contains(&last.as_str()))
}

/// Returns true if the declaration turns a part off, or does not ask for it, and the message does not say otherwise.
pub(super) fn is_declared_unused(kind: &str, reason: &str, message: &str) -> bool {
    let is_essential = || tokens(kind).iter().any(|word| ESSENTIAL.contains(&word.as_str()));
    is_turned_off(reason) && !says_otherwise(message) && !is_essential()
}

fn is_turned_off(reason: &str) -> bool {
    let words = tokens(reason);
    match words.as_slice() {
        [.., before, last] if before == "not" => UNWANTED.contains(&last.as_str()),
        // `NoBackupsConfigured`.
        [first, .., last] if first == "no" => UNWANTED.contains(&last.as_str()),
        [.., last] => TURNED_OFF.contains(&last.as_str()),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_known_to_be_good_or_open() {
        for reason in ["", "Ready", "AsExpected", "PyTorchJobCreated", "ReconcileSuccess", "MinimumReplicasAvailable"] {
            assert!(!is_open(reason, "Ready"), "{reason}");
        }
        assert!(!is_open("Consolidatable", "Consolidatable") && !is_open("NoReasonReported", "Ready"));
        for reason in [
            "Zorp",
            "UsingFallback",
            "StaleCache",
            "QuorumLoss",
            "ReadOnly",
            "KeptPreviousVersion",
            "PreviousVersionServed",
            "PendingRestart",
            "LegacyMode",
            "ReadyExceptBackup",
        ] {
            assert!(is_open(reason, "Ready"), "{reason}");
        }
    }

    /// Reasons of good conditions of many controllers.
    #[test]
    fn reasons_of_well_known_controllers_are_good() {
        let reasons = "ACMEAccountRegistered AddonInstalled AllCatalogSourcesHealthy AllGood AllObjectsAvailable AsExpected \
                       ClusterIsReady CompletionsReached ComponentsAvailable Deployed GatewayConfigured \
                       HubClusterAdminAccepted InitialNamesAccepted InstallSucceeded IsReady KeyPairVerified KubeletReady \
                       ManifestsApplied NewReplicaSetAvailable NoConflicts NonZeroServeEndpoints NotPaused Passed \
                       QuotaReserved ReconcileCompleted RepoBackupComplete RolloutHealthy RouterReady ScalerActive \
                       SecretSynced ServiceAccountIsReady StanzaCreated Success UpToDate ValidMetricFound \
                       WatchingCompositeResource WatchingCompositeResourceClaim";
        let open: Vec<&str> = reasons.split_whitespace().filter(|reason| is_open(reason, "Frobnicated")).collect();
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn a_disabled_part_is_ignored_only_if_it_is_declared() {
        for (kind, reason, message, expected) in [
            ("BackupReady", "Disabled", "", true),
            ("BackupReady", "BackupNotConfigured", "spec.backup is not set", true),
            ("BackupReady", "Disabled", "backups are disabled", true),
            ("BackupReady", "Disabled", "after 3 attempts", false),
            ("BackupReady", "Disabled", "disabled by the circuit breaker", false),
            ("DatabaseReady", "Skipped", "", false),
            ("PrimaryReady", "Removed", "", false),
            ("NodeReady", "Unmanaged", "", false),
            ("QuorumReached", "QuorumNotNeeded", "", false),
        ] {
            assert_eq!(is_declared_unused(kind, reason, message), expected, "{kind} {reason} {message}");
        }
    }
}
