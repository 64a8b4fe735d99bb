//! Records of Flux: attempts of a Kustomization, releases of a HelmRelease, and charts.

use serde_json::Value;

use super::{Record, short, text, time};
use crate::history::actor::Actor;
use crate::history::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty, OccurrenceWeight};

impl Record<'_> {
    /// Attempts of a Kustomization, releases of a HelmRelease, and requests to reconcile.
    pub(super) fn flux(&self) -> Vec<Occurrence> {
        let mut found = Vec::new();
        // The newest entry is the first.
        let entries = self.list("/status/history");
        for (index, entry) in entries.iter().enumerate() {
            let older = entries.get(index + 1);
            let entry_occurrences = self.release(entry, older).or_else(|| self.attempt(entry, older));
            found.extend(entry_occurrences.into_iter().flatten());
        }
        found.extend(self.fetched_chart());
        let requested = self.text("/status/lastHandledReconcileAt").parse().ok();
        found.extend(requested.map(|time| {
            self.occurrence(time, ChangeSort::Noted, "was asked to reconcile").by(Some(Actor::user("annotation")))
        }));
        found
    }

    fn release(&self, entry: &Value, older: Option<&Value>) -> Option<Vec<Occurrence>> {
        let chart = |entry: &Value| {
            let version = text(entry, "/chartVersion");
            (!version.is_empty()).then(|| format!("{} {version}", text(entry, "/chartName")))
        };
        let after = chart(entry)?;
        let status = text(entry, "/status");
        let number = entry.get("version").map(ToString::to_string).unwrap_or_default();
        let what = format!("released {after}, revision {number}: {status}");
        let time = time(entry, "/lastDeployed")?;
        let released = self.occurrence(time, ChangeSort::Deployed, what);
        let before = older.and_then(chart).filter(|before| *before != after);
        let released = released.with_values(before, Some(after)).by(Actor::from_manager("helm-controller"));
        // The line of the revision has its status.
        let failed = (status == "failed").then(|| Occurrence {
            weight: OccurrenceWeight::Routine,
            ..self.occurrence(time, ChangeSort::TurnedBad, format!("release revision {number} failed"))
        });
        Some(std::iter::once(released).chain(failed).collect())
    }

    fn attempt(&self, entry: &Value, older: Option<&Value>) -> Option<Vec<Occurrence>> {
        let revision = |entry: &Value| Some(text(entry, "/metadata/revision")).filter(|it| !it.is_empty()).map(short);
        let status = text(entry, "/lastReconciledStatus");
        let after = revision(entry);
        let what = format!("reconciled {}: {status}", after.as_deref().unwrap_or("a new set of objects"));
        let (first, last) = (time(entry, "/firstReconciled")?, time(entry, "/lastReconciled"));
        let mut applied = self.occurrence(first, ChangeSort::Deployed, what);
        if status.ends_with("Failed") {
            // The end of the first attempt, which may have waited for health checks.
            applied.certainty = OccurrenceCertainty::AtLatest;
        }
        let before = older.and_then(revision).filter(|before| Some(before) != after.as_ref());
        let applied = applied.with_values(before, after).by(Actor::from_manager("kustomize-controller"));
        // Only the status of the last attempt is kept, and the first one may have ended in another way.
        let failed = status.ends_with("Failed").then(|| {
            let time = last.unwrap_or(first);
            self.occurrence(time, ChangeSort::TurnedBad, format!("failed to reconcile: {status}"))
        });
        Some(std::iter::once(applied).chain(failed).collect())
    }

    /// The last version of a chart that was fetched. A new revision of a repository deploys nothing by itself.
    fn fetched_chart(&self) -> Option<Occurrence> {
        let artifact = self.value.pointer("/status/artifact").filter(|_| self.resource.kind.kind == "HelmChart")?;
        let version = short(text(artifact, "/revision"));
        let fetched =
            self.occurrence(time(artifact, "/lastUpdateTime")?, ChangeSort::Deployed, format!("fetched {version}"));
        Some(fetched.with_values(None, Some(version)).by(Actor::from_manager("source-controller")))
    }
}
