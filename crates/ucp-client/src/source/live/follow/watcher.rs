//! Watches interests, each in its own task, and sends the changes to a channel.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::value::RawValue;
use tokio::sync::mpsc::UnboundedSender;

use super::news::{CollectionChange, key};
use crate::source::live::api::{Api, ReadError};
use crate::source::live::freshness::Freshness;
use crate::source::live::read_error::error_from_watch;
use crate::source::live::watch_lines::WatchLines;
use crate::source::live::{Interest, list};
use ucp_core::model::seed::ResourceSeed;
use ucp_core::model::trace::ObjectTrace;
use ucp_core::model::weight::{Overweight, from_json};

/// Pauses between attempts to reconnect.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5)];

/// A watch that ends within this time counts as failed.
const AT_ONCE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Watcher {
    pub(super) api: Api,
    pub(super) sender: UnboundedSender<CollectionChange>,
}

impl Watcher {
    /// Starts a task that watches a collection from a resource version on. Requires a runtime.
    pub(super) fn watch(&self, index: usize, interest: &Interest, version: &str) {
        let (watcher, interest, version) = (self.clone(), interest.clone(), version.to_owned());
        tokio::spawn(async move { watcher.run(index, &interest, version).await });
    }

    /// Watches until the receiver is closed.
    async fn run(self, index: usize, interest: &Interest, mut version: String) {
        let mut failures = 0;
        // Watches in a row that ended at once, without an event.
        let mut fruitless = 0;
        // The error of a user who may list but not watch. The last list is shown, together with this error.
        let mut denied: Option<ReadError> = None;
        while !self.sender.is_closed() {
            if version.is_empty() {
                let part = interest.part();
                let mut listed = list::list(&self.api, &interest.kind, interest.want, part, &Freshness::newest()).await;
                version.clone_from(&listed.resource_version);
                // A kind that is not served any more has no objects and no version.
                let failed = listed.error.is_some() || version.is_empty();
                listed.error = listed.error.or_else(|| denied.clone());
                let _ = self.sender.send(CollectionChange::All(index, listed));
                if failed {
                    version.clear();
                    pause(&mut failures).await;
                    continue;
                }
            }
            let (begun, before) = (Instant::now(), version.clone());
            let ended = self.stream(index, interest, &mut version).await;
            match version == before && begun.elapsed() < AT_ONCE {
                true => fruitless += 1,
                false => (failures, fruitless) = (0, 0),
            }
            match ended {
                // The server ends watches from time to time; the next one continues from the last version.
                Ok(()) => {
                    if denied.take().is_some() {
                        version.clear();
                    }
                    pause_after(fruitless, &mut failures).await;
                }
                Err(ReadError::Expired | ReadError::NotFound | ReadError::NotServed) => {
                    version.clear();
                    pause_after(fruitless, &mut failures).await;
                }
                Err(error) => {
                    denied = matches!(error, ReadError::Denied { .. }).then(|| error.clone());
                    let _ = self.sender.send(CollectionChange::Lost(index, error));
                    version.clear();
                    pause(&mut failures).await;
                }
            }
        }
    }

    async fn stream(&self, index: usize, interest: &Interest, version: &mut String) -> Result<(), ReadError> {
        let Interest { kind, want, .. } = interest;
        let path = list::watch_path(kind, *want, interest.part(), version);
        let mut lines = WatchLines::new(self.api.open(path, list::watch_accept(want.shape)).await?);
        while let Some(line) = lines.next().await? {
            let event: WatchEvent<'_> =
                serde_json::from_str(line).map_err(|error| ReadError::Malformed(error.to_string()))?;
            if event.kind == "ERROR" {
                return Err(error_from_watch(event.object.get()));
            }
            let versioned: Versioned = serde_json::from_str(event.object.get()).unwrap_or_default();
            *version = versioned.metadata.resource_version;
            if event.kind == "BOOKMARK" {
                continue;
            }
            let seed = ResourceSeed { kind, shape: want.shape };
            // From bytes, as lists are: decoders of all kinds for a second type of input take almost a megabyte.
            let mut text = serde_json::Deserializer::from_slice(event.object.get().as_bytes());
            let resource = match seed.deserialize(&mut text) {
                Ok(resource) => resource,
                Err(error) if Overweight::from_error(&error) == Some(Overweight::Run) => {
                    return Err(Overweight::Run.into());
                }
                // Objects that cannot be decoded were reported by the LIST.
                Err(_) => continue,
            };
            let resource = resource.with_trace(want.traces.and_then(|traces| {
                ObjectTrace::from_object(&from_json(event.object.get().as_bytes()).ok()?, traces).map(Arc::new)
            }));
            let news = match event.kind {
                "DELETED" => CollectionChange::Gone(index, key(&resource)),
                _ => CollectionChange::One(index, Box::new(resource)),
            };
            let _ = self.sender.send(news);
        }
        Ok(())
    }
}

/// Pauses only after the second watch in a row that ended at once, which is a sign of trouble. A single end is normal.
async fn pause_after(fruitless: usize, failures: &mut usize) {
    if fruitless > 1 {
        pause(failures).await;
    }
}

async fn pause(failures: &mut usize) {
    tokio::time::sleep(PAUSES[(*failures).min(PAUSES.len() - 1)]).await;
    *failures += 1;
}

/// `metav1.WatchEvent`.
#[derive(Deserialize)]
struct WatchEvent<'line> {
    #[serde(rename = "type")]
    kind: &'line str,
    #[serde(borrow)]
    object: &'line RawValue,
}

#[derive(Default, Deserialize)]
struct Versioned {
    metadata: VersionedMetadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionedMetadata {
    resource_version: String,
}
