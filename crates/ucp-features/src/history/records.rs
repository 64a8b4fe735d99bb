//! Records that controllers keep in their objects: deployments, operations, restarts, leaders.

use jiff::Timestamp;
use serde_json::Value;

use super::{Actor, ChangeSort, Occurrence};
use ucp_core::model::resource::Resource;

/// Returns the recorded past of an object.
pub(super) fn occurrences(resource: &Resource) -> Vec<Occurrence> {
    let mut found = helm_release(resource).into_iter().collect::<Vec<_>>();
    let Some(trace) = &resource.trace else { return found };
    let record = Record { resource, value: &trace.record };
    match resource.kind.kind.as_str() {
        "Application" if resource.kind.group == "argoproj.io" => {
            found.extend(record.syncs());
            found.extend(record.operation());
            found.extend(record.health());
        }
        "ApplicationSet" => found.extend(record.generated()),
        "Pod" => found.extend(record.restarts()),
        "Lease" => found.extend(record.leader()),
        "CronJob" => found.extend(record.at("/status/lastScheduleTime", ChangeSort::Noted, "started a Job")),
        "Job" => found.extend(record.at("/status/startTime", ChangeSort::Noted, "was started")),
        "Promotion" => found.extend(record.promotion()),
        "Rollout" => found.extend(record.at("/status/abortedAt", ChangeSort::TurnedBad, "was aborted")),
        _ => {}
    }
    if resource.kind.group.ends_with("fluxcd.io") {
        found.extend(record.flux());
    }
    found
}

/// A Helm release, from the labels of its Secret; the content of the Secret is never read.
fn helm_release(resource: &Resource) -> Option<Occurrence> {
    let metadata = &resource.metadata;
    let is_release = resource.kind.kind == "Secret" && metadata.label("owner") == Some("helm");
    let time = metadata.label("modifiedAt").and_then(|time| Timestamp::from_second(time.parse().ok()?).ok());
    let time = time.or(metadata.creation_timestamp).filter(|_| is_release)?;
    let (name, version) = (metadata.label("name")?, metadata.label("version")?);
    let status = metadata.label("status").unwrap_or("unknown");
    let change = if status.starts_with("failed") { ChangeSort::TurnedBad } else { ChangeSort::Deployed };
    let what = format!("holds release {name}, revision {version}: {status}");
    Some(Occurrence::at(time, resource.name(), change, what).by(Actor::from_manager("helm")))
}

struct Record<'a> {
    resource: &'a Resource,
    value: &'a Value,
}

impl Record<'_> {
    fn text(&self, path: &str) -> &str {
        text(self.value, path)
    }

    fn list(&self, path: &str) -> &[Value] {
        self.value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn occurrence(&self, time: Timestamp, change: ChangeSort, what: impl Into<String>) -> Occurrence {
        Occurrence::at(time, self.resource.name(), change, what)
    }

    fn at(&self, path: &str, change: ChangeSort, what: &str) -> Option<Occurrence> {
        Some(self.occurrence(time(self.value, path)?, change, what))
    }

    /// Syncs of an Application: `status.history`.
    fn syncs(&self) -> Vec<Occurrence> {
        let mut before = None;
        let sync = |entry: &Value| {
            let revision = revision(entry)?;
            let previous = before.replace(revision.clone()).filter(|previous| *previous != revision);
            let time = time(entry, "/deployedAt")?;
            let synced = self.occurrence(time, ChangeSort::Deployed, format!("synced {}", short(&revision)));
            Some(
                synced
                    .with_values(previous.map(|previous| short(&previous)), Some(short(&revision)))
                    .by(initiator(entry)),
            )
        };
        self.list("/status/history").iter().filter_map(sync).collect()
    }

    /// The last operation of an Application, unless it is a sync in the history.
    fn operation(&self) -> Option<Occurrence> {
        let operation = self.value.pointer("/status/operationState")?;
        let synced = operation.pointer("/syncResult").and_then(revision);
        let requested = || operation.pointer("/operation/sync").and_then(revision);
        let revision =
            synced.or_else(requested).map(|revision| format!(" of {}", short(&revision))).unwrap_or_default();
        let message = text(operation, "/message");
        let started = time(operation, "/startedAt");
        let finished = time(operation, "/finishedAt");
        let (time, change, what) = match text(operation, "/phase") {
            "Failed" | "Error" => {
                (finished.or(started)?, ChangeSort::TurnedBad, format!("sync{revision} failed: {message}"))
            }
            "Running" => (started?, ChangeSort::Noted, format!("sync{revision} is running: {message}")),
            _ => return None,
        };
        Some(self.occurrence(time, change, what).by(operation.get("operation").and_then(initiator)))
    }

    /// The last change of an Application's health.
    fn health(&self) -> Option<Occurrence> {
        let time = time(self.value, "/status/health/lastTransitionTime")?;
        let status = self.text("/status/health/status");
        let message = self.text("/status/health/message");
        let colon = if message.is_empty() { "" } else { ": " };
        let change = match status {
            "Healthy" => ChangeSort::TurnedGood,
            "Degraded" | "Missing" => ChangeSort::TurnedBad,
            _ => ChangeSort::Noted,
        };
        Some(
            self.occurrence(time, change, format!("turned {status}{colon}{message}"))
                .by(Some(Actor::engine("Argo CD"))),
        )
    }

    /// Steps of an ApplicationSet's progressive sync.
    fn generated(&self) -> Vec<Occurrence> {
        let step = |entry: &Value| {
            let (name, status) = (text(entry, "/application"), text(entry, "/status"));
            let what = format!("its Application {name} turned {status}: {}", text(entry, "/message"));
            Some(self.occurrence(time(entry, "/lastTransitionTime")?, ChangeSort::Noted, what))
        };
        self.list("/status/applicationStatus").iter().filter_map(step).collect()
    }

    /// Attempts of a Kustomization, releases of a HelmRelease, and requests to reconcile.
    fn flux(&self) -> Vec<Occurrence> {
        let mut found = Vec::new();
        // The newest entry is the first.
        let entries = self.list("/status/history");
        for (index, entry) in entries.iter().enumerate() {
            let older = entries.get(index + 1);
            found.extend(self.release(entry, older).or_else(|| self.attempt(entry, older)));
        }
        let requested = self.text("/status/lastHandledReconcileAt").parse().ok();
        found.extend(requested.map(|time| {
            self.occurrence(time, ChangeSort::Noted, "was asked to reconcile").by(Some(Actor::user("annotation")))
        }));
        found
    }

    fn release(&self, entry: &Value, older: Option<&Value>) -> Option<Occurrence> {
        let chart = |entry: &Value| {
            let version = text(entry, "/chartVersion");
            (!version.is_empty()).then(|| format!("{} {version}", text(entry, "/chartName")))
        };
        let after = chart(entry)?;
        let status = text(entry, "/status");
        let number = entry.get("version").map(ToString::to_string).unwrap_or_default();
        let change = if status == "failed" { ChangeSort::TurnedBad } else { ChangeSort::Deployed };
        let what = format!("released {after}, revision {number}: {status}");
        let released = self.occurrence(time(entry, "/lastDeployed")?, change, what);
        let before = older.and_then(chart).filter(|before| *before != after);
        Some(released.with_values(before, Some(after)).by(Actor::from_manager("helm-controller")))
    }

    fn attempt(&self, entry: &Value, older: Option<&Value>) -> Option<Occurrence> {
        let revision = |entry: &Value| Some(text(entry, "/metadata/revision")).filter(|it| !it.is_empty()).map(short);
        let status = text(entry, "/lastReconciledStatus");
        let after = revision(entry);
        let what = format!("reconciled {}: {status}", after.as_deref().unwrap_or("a new set of objects"));
        let applied = self.occurrence(time(entry, "/firstReconciled")?, ChangeSort::Deployed, what);
        let before = older.and_then(revision).filter(|before| Some(before) != after.as_ref());
        Some(applied.with_values(before, after).by(Actor::from_manager("kustomize-controller")))
    }

    /// Restarts of containers, with the exit code of the last one.
    fn restarts(&self) -> Vec<Occurrence> {
        let containers = ["/status/containerStatuses", "/status/initContainerStatuses"];
        let restart = |container: &Value| {
            let ended = container.pointer("/lastState/terminated")?;
            let code = ended.get("exitCode").map(ToString::to_string).unwrap_or_else(|| "unknown".to_owned());
            let (name, reason) = (text(container, "/name"), text(ended, "/reason"));
            let restarts = container.get("restartCount").and_then(Value::as_u64).unwrap_or(1);
            let what = format!("container {name} ended with exit code {code} ({reason}), restart {restarts}");
            Some(self.occurrence(time(ended, "/finishedAt")?, ChangeSort::Restarted, what))
        };
        containers.iter().flat_map(|path| self.list(path)).filter_map(restart).collect()
    }

    /// The holder of a Lease. Leases of nodes are heartbeats.
    fn leader(&self) -> Option<Occurrence> {
        let is_heartbeat = self.resource.metadata.namespace.as_deref() == Some("kube-node-lease");
        let holder = Some(self.text("/spec/holderIdentity")).filter(|holder| !holder.is_empty() && !is_heartbeat)?;
        let elected = self.at("/spec/acquireTime", ChangeSort::Restarted, "")?;
        Some(Occurrence { what: format!("is held by {holder}"), ..elected })
    }

    /// A promotion of Kargo.
    fn promotion(&self) -> Vec<Occurrence> {
        let (stage, phase) = (self.text("/spec/stage"), self.text("/status/phase"));
        let started = self.at("/status/startedAt", ChangeSort::Deployed, &format!("promotion to {stage} was started"));
        let (change, message) = match phase {
            "Failed" | "Errored" | "Aborted" => (ChangeSort::TurnedBad, self.text("/status/message")),
            _ => (ChangeSort::Noted, ""),
        };
        let colon = if message.is_empty() { "" } else { ": " };
        let what = format!("promotion to {stage} {phase}{colon}{message}");
        started.into_iter().chain(self.at("/status/finishedAt", change, &what)).collect()
    }
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

fn time(value: &Value, path: &str) -> Option<Timestamp> {
    text(value, path).parse().ok()
}

/// Returns `revision`, or `revisions` of an Application with several sources.
fn revision(entry: &Value) -> Option<String> {
    let several = entry.get("revisions").and_then(Value::as_array);
    let several = several.map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    let one = Some(text(entry, "/revision").to_owned());
    one.filter(|one| !one.is_empty()).or(several).filter(|all| !all.is_empty())
}

/// Shortens full commit hashes, as Git does; other revisions are versions.
fn short(revision: impl AsRef<str>) -> String {
    let is_hash = |word: &str| word.len() >= 40 && word.chars().all(|character| character.is_ascii_hexdigit());
    let shorten = |word: &str| if is_hash(word) { word[..10].to_owned() } else { word.to_owned() };
    // Flux writes `main@sha1:…`.
    let shorten = |word: &str| match word.rsplit_once(':') {
        Some((before, hash)) if is_hash(hash) => format!("{}:{}", before, shorten(hash)),
        _ => shorten(word),
    };
    revision.as_ref().split(", ").map(shorten).collect::<Vec<_>>().join(", ")
}

/// Returns the initiator of a sync: a user of Argo CD, or its automation.
fn initiator(entry: &Value) -> Option<Actor> {
    let by = entry.get("initiatedBy")?;
    let user = text(by, "/username");
    match by.get("automated").and_then(Value::as_bool) {
        Some(true) => Some(Actor::engine("Argo CD, automated")),
        _ if user.is_empty() => None,
        _ => Some(Actor::user(user)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_shortened_and_versions_are_not() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(short(hash), "0123456789");
        assert_eq!(short(format!("main@sha1:{hash}")), "main@sha1:0123456789");
        assert_eq!(short("1.2.3"), "1.2.3");
        assert_eq!(short(format!("{hash}, v2")), "0123456789, v2");
    }
}
