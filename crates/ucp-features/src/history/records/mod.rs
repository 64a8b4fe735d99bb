//! Records that controllers keep in their objects: deployments, operations, restarts, leaders.

mod flux;
mod kargo;

use jiff::Timestamp;
use serde_json::Value;

use super::actor::Actor;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::engine::any::is_bad_word;
use ucp_core::model::condition::{Condition, ConditionStatus};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::text::join_limited;

/// The states of the containers of a Pod.
const CONTAINERS: [&str; 2] = ["/status/containerStatuses", "/status/initContainerStatuses"];

/// The number of objects that one line lists.
const LISTED: usize = 3;

/// Returns the recorded past of an object.
pub(super) fn occurrences(resource: &Resource) -> Vec<Occurrence> {
    let mut found = helm_release(resource).into_iter().collect::<Vec<_>>();
    let Some(trace) = &resource.trace else { return found };
    let record = Record { resource, value: &trace.record };
    match resource.kind.kind.as_str() {
        "Application" if resource.kind.group == "argoproj.io" => {
            found.extend(record.syncs());
            found.extend(record.operation());
            found.extend(record.failed_sync());
            found.extend(record.health());
        }
        "ApplicationSet" => found.extend(record.generated()),
        "Pod" => {
            found.extend(record.restarts());
            found.extend(record.waiting_containers());
        }
        "Lease" => found.extend(record.leader()),
        "CronJob" => found.extend(record.at("/status/lastScheduleTime", ChangeSort::Noted, "started a Job")),
        "Job" => found.extend(record.at("/status/startTime", ChangeSort::Noted, "was started")),
        "Promotion" => found.extend(record.promotion()),
        "Stage" => found.extend(record.last_promotion()),
        "Operation" => found.extend(record.result()),
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
        let revision =
            operated_revision(operation).map(|revision| format!(" of {}", short(&revision))).unwrap_or_default();
        let message = format!("{}{}", text(operation, "/message"), self.failed_results());
        let started = time(operation, "/startedAt");
        let finished = time(operation, "/finishedAt");
        let (time, change, what) = match text(operation, "/phase") {
            "Failed" | "Error" => {
                (finished.or(started)?, ChangeSort::TurnedBad, format!("sync{revision} failed: {message}"))
            }
            _ if is_retried(operation) => {
                (started?, ChangeSort::TurnedBad, format!("sync{revision} fails and is retried: {message}"))
            }
            "Running" => (started?, ChangeSort::Noted, format!("sync{revision} is running: {message}")),
            _ => return None,
        };
        let mut operated = self.occurrence(time, change, what).by(operation.get("operation").and_then(initiator));
        if finished != Some(time) {
            operated.certainty = start_certainty(operation);
        }
        Some(operated)
    }

    /// The beginning of a sync that failed, of a revision that is not in the history.
    fn failed_sync(&self) -> Option<Occurrence> {
        let operation = self.value.pointer("/status/operationState")?;
        if !matches!(text(operation, "/phase"), "Failed" | "Error") && !is_retried(operation) {
            return None;
        }
        let attempted = operated_revision(operation)?;
        let before = self.list("/status/history").last().and_then(revision).filter(|before| *before != attempted)?;
        let what = format!("began to sync {}", short(&attempted));
        let mut began = self.occurrence(time(operation, "/startedAt")?, ChangeSort::Deployed, what);
        began.certainty = start_certainty(operation);
        let by = operation.get("operation").and_then(initiator);
        Some(began.with_values(Some(short(&before)), Some(short(&attempted))).by(by))
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

    /// Restarts of containers, with the exit code of the last one.
    fn restarts(&self) -> Vec<Occurrence> {
        let restart = |container: &Value| {
            let ended = container.pointer("/lastState/terminated")?;
            let code = ended.get("exitCode").map(ToString::to_string).unwrap_or_else(|| "unknown".to_owned());
            let (name, reason) = (text(container, "/name"), text(ended, "/reason"));
            let restarts = container.get("restartCount").and_then(Value::as_u64).unwrap_or(1);
            let what = format!("container {name} ended with exit code {code} ({reason}), restart {restarts}");
            Some(self.occurrence(time(ended, "/finishedAt")?, ChangeSort::Restarted, what))
        };
        CONTAINERS.iter().flat_map(|path| self.list(path)).filter_map(restart).collect()
    }

    /// Containers that cannot be started, since the Pod is not ready.
    fn waiting_containers(&self) -> Vec<Occurrence> {
        let is_unready = |condition: &&Condition| {
            matches!(condition.kind.as_str(), "ContainersReady" | "Initialized")
                && condition.status == ConditionStatus::False
        };
        let since = self.resource.conditions.iter().filter(is_unready).filter_map(|it| it.last_transition_time).min();
        let Some(since) = since else { return Vec::new() };
        let waiting = |container: &Value| {
            let state = container.pointer("/state/waiting")?;
            let reason = Some(text(state, "/reason")).filter(|reason| is_bad_word(reason))?;
            let message = Some(text(state, "/message")).filter(|message| !message.is_empty());
            let message = message.map(|message| format!(": {message}")).unwrap_or_default();
            let what = format!("container {} waits: {reason}{message}", text(container, "/name"));
            Some(self.occurrence(since, ChangeSort::TurnedBad, what))
        };
        CONTAINERS.iter().flat_map(|path| self.list(path)).filter_map(waiting).collect()
    }

    /// The holder of a Lease. Leases of nodes are heartbeats.
    fn leader(&self) -> Option<Occurrence> {
        let is_heartbeat = self.resource.metadata.namespace.as_deref() == Some("kube-node-lease");
        let holder = Some(self.text("/spec/holderIdentity")).filter(|holder| !holder.is_empty() && !is_heartbeat)?;
        let elected = self.at("/spec/acquireTime", ChangeSort::Restarted, "")?;
        Some(Occurrence { what: format!("is held by {holder}"), ..elected })
    }

    /// The result of an Operation of Crossplane, which succeeded once.
    fn result(&self) -> Option<Occurrence> {
        let applied: Vec<String> = self.list("/status/appliedResourceRefs").iter().map(object_words).collect();
        let succeeded = self.resource.conditions.iter().find(|condition| condition.kind == "Succeeded")?;
        let time = succeeded.last_transition_time.filter(|_| succeeded.status == ConditionStatus::True)?;
        let what = format!("applied {}", join_limited(&applied, LISTED));
        (!applied.is_empty()).then(|| self.occurrence(time, ChangeSort::Deployed, what))
    }

    /// The objects that the last sync of an Application could not apply, as the end of a sentence.
    fn failed_results(&self) -> String {
        let result = |one: &Value| format!("{}: {}", object_words(one), text(one, "/message"));
        let failed: Vec<String> = self.list("/failedResults").iter().map(result).collect();
        if failed.is_empty() { String::new() } else { format!("; {}", join_limited(&failed, LISTED)) }
    }
}

/// Returns the name of an object from the fields of a reference.
fn object_words(reference: &Value) -> String {
    let field = |path: &str| Some(text(reference, path).to_owned()).filter(|text| !text.is_empty());
    let group = field("/group").map(|group| format!("{group}/v1"));
    let name = ObjectName {
        api_version: field("/apiVersion").or(group).unwrap_or_else(|| "v1".to_owned()),
        kind: text(reference, "/kind").to_owned(),
        namespace: field("/namespace"),
        name: text(reference, "/name").to_owned(),
    };
    name.to_string()
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

/// Returns true if an attempt of an operation failed, and another one follows.
fn is_retried(operation: &Value) -> bool {
    text(operation, "/phase") == "Running" && has_retries(operation)
}

fn has_retries(operation: &Value) -> bool {
    operation.get("retryCount").and_then(Value::as_u64).unwrap_or_default() > 0
}

/// Returns the certainty of `startedAt`: Argo CD writes it again at each retry.
fn start_certainty(operation: &Value) -> OccurrenceCertainty {
    if has_retries(operation) { OccurrenceCertainty::AtLatest } else { OccurrenceCertainty::Exact }
}

/// Returns the revision of an operation: the one that was synced, or the requested one.
fn operated_revision(operation: &Value) -> Option<String> {
    ["/syncResult", "/operation/sync"].iter().find_map(|path| operation.pointer(path).and_then(revision))
}

/// Shortens full commit hashes, as Git does; other revisions are versions.
pub(super) fn short(revision: impl AsRef<str>) -> String {
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
mod tests;
