//! The newest documents of each source, from threads that follow them.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::cli::ui::follow::read_and_follow;
use crate::cli::ui::{SourcePart, quiet};
use crate::report::resources::{ResourceList, is_listed};
use crate::report::sources::{CombineSources, SourceResult, combine, no_result_error};
use crate::report::status::StatusReport;
use crate::web::ChangeFeed;
use ucp_client::source::live::watch::Occasion;
use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::state::{ClusterState, Origin};

/// The first and the longest pause before a source is read again that could not be followed.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));

/// The sources, and their newest documents.
pub(super) struct WebHubs {
    pub(super) parts: Vec<SourcePart>,
    pub(super) feed: ChangeFeed,
    pub(super) patience: PatienceArgs,
    selector: LabelSelector,
    newest: Mutex<Vec<HubReading>>,
}

/// The result of reading a source so far.
#[derive(Clone, Default)]
struct HubReading {
    documents: Option<Arc<HubDocuments>>,
    /// The reason why the source cannot be followed any more, and since when.
    trouble: Option<(Timestamp, String)>,
}

/// The result of a read.
pub(super) struct SourceRead {
    position: usize,
    result: Result<()>,
}

/// The documents of one state of a source.
struct HubDocuments {
    moment: Timestamp,
    status: StatusReport,
    resources: ResourceList,
    notices: Vec<String>,
}

/// A document for all sources, and the messages about its reading.
pub(super) struct CombinedDocument<R> {
    /// The document, or the reason why there is none.
    pub(super) document: Result<R>,
    /// The time of the newest state in it.
    pub(super) moment: Option<Timestamp>,
    pub(super) notices: Vec<String>,
}

impl WebHubs {
    /// Names the sources on the command line.
    ///
    /// # Errors
    /// Fails when one does not exist.
    pub(super) fn new(context: &Context, patience: PatienceArgs) -> Result<Self> {
        let parts = quiet(context).named_parts()?;
        let newest = Mutex::new(vec![HubReading::default(); parts.len()]);
        Ok(Self { parts, feed: ChangeFeed::default(), patience, selector: context.selector()?, newest })
    }

    /// Returns all sources.
    pub(super) fn origins(&self) -> Vec<Arc<Origin>> {
        self.parts.iter().map(|(origin, _)| Arc::clone(origin)).collect()
    }

    /// Follows every source in a thread, and returns a receiver of the results of its reads.
    pub(super) fn follow(self: &Arc<Self>, context: &Context) -> Receiver<SourceRead> {
        let (sender, receiver) = channel();
        for position in 0..self.parts.len() {
            let (hubs, ui, sender) = (Arc::clone(self), context.ui.clone(), sender.clone());
            std::thread::spawn(move || {
                let context = &hubs.parts[position].1;
                let mut pause = PAUSES.0;
                loop {
                    let show = |occasion: Occasion, state: &ClusterState| {
                        hubs.show(position, occasion, state);
                        // Only the first results are received.
                        let _ = sender.send(SourceRead { position, result: Ok(()) });
                        Ok(())
                    };
                    let Err(error) = read_and_follow(context, show) else { return };
                    if hubs.fail(position, &error) {
                        pause = PAUSES.0;
                        if hubs.parts.len() > 1 || hubs.lock()[position].documents.is_some() {
                            ui.warn(&format!("{}: {}", hubs.parts[position].0.label(), error.message()));
                        }
                    }
                    let _ = sender.send(SourceRead { position, result: Err(error) });
                    if context.globals.connection.from.is_some() {
                        return;
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(PAUSES.1);
                }
            });
        }
        receiver
    }

    /// Waits until one of the sources was read.
    ///
    /// # Errors
    /// Fails when none of them can be read.
    pub(super) fn wait_for_first_read(&self, reads: &Receiver<SourceRead>) -> Result<()> {
        let mut failed: Vec<Option<Error>> = self.parts.iter().map(|_| None).collect();
        while failed.iter().any(Option::is_none) {
            match reads.recv() {
                Ok(SourceRead { position, result: Err(error) }) => failed[position] = Some(error),
                // Without a sender, nothing is followed any more.
                Ok(SourceRead { result: Ok(()), .. }) | Err(_) => return Ok(()),
            }
        }
        let mut failed: Vec<_> =
            self.origins().into_iter().zip(failed).filter_map(|(origin, error)| Some((origin, error?))).collect();
        Err(match failed.len() {
            1 => failed.remove(0).1,
            _ => no_result_error(None, &failed),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<HubReading>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, position: usize, occasion: Occasion, state: &ClusterState) {
        let documents = self.documents(&self.parts[position].1, state);
        self.lock()[position] = HubReading { documents: Some(Arc::new(documents)), trouble: None };
        match occasion {
            Occasion::Change => self.feed.announce_change(),
            Occasion::Time => self.feed.announce_report(),
        }
    }

    /// Returns true if the reason is new.
    fn fail(&self, position: usize, error: &Error) -> bool {
        let reason = error.message();
        let mut newest = self.lock();
        let trouble = &mut newest[position].trouble;
        let is_new = trouble.as_ref().is_none_or(|(_, known)| *known != reason);
        let since = trouble.as_ref().map_or_else(Timestamp::now, |(since, _)| *since);
        *trouble = Some((since, reason));
        drop(newest);
        self.feed.announce_change();
        is_new
    }

    fn documents(&self, context: &Context, state: &ClusterState) -> HubDocuments {
        let clock = self.patience.clock(state);
        let mut assessment = engine::assess(state, &clock);
        let resources = ResourceList::from_assessment(state, &assessment, |_, entry| {
            is_listed(&entry.resource.kind) && self.selector.matches(&entry.resource.metadata)
        });
        let status = if self.selector.is_empty() {
            StatusReport::from_assessment(state, &assessment)
        } else {
            assessment.select(|resource| self.selector.matches(&resource.metadata));
            let typed = context.globals.scope.selector.as_deref().unwrap_or_default();
            StatusReport::from_assessment(state, &assessment).with_selector(typed)
        };
        let nothing = context.nothing_to_check(state).map(|entry| entry.reason);
        let notices = state.notes.iter().cloned().chain(nothing).collect();
        HubDocuments { moment: state.moment, status, resources, notices }
    }

    /// Returns the newest status.
    pub(super) fn status(&self) -> CombinedDocument<StatusReport> {
        self.combined(|documents| documents.status.clone())
    }

    /// Returns the newest list of resources.
    pub(super) fn resources(&self) -> CombinedDocument<ResourceList> {
        self.combined(|documents| documents.resources.clone())
    }

    /// Returns the time of the newest state of a source.
    pub(super) fn moment(&self, position: usize) -> Option<Timestamp> {
        self.lock()[position].documents.as_ref().map(|documents| documents.moment)
    }

    fn combined<R: CombineSources>(&self, take: impl Fn(&HubDocuments) -> R) -> CombinedDocument<R> {
        let newest = self.lock().clone();
        let results = self.parts.iter().zip(&newest).map(|((source, _), reading)| {
            let result = match (&reading.documents, &reading.trouble) {
                (Some(documents), _) => Ok(take(documents)),
                (None, Some((_, reason))) => Err(Error::failed(reason.as_str())),
                (None, None) => Err(Error::failed("it is being read for the first time")),
            };
            SourceResult { source: Arc::clone(source), result }
        });
        let mut results: Vec<_> = results.collect();
        let document = match results.len() {
            1 => results.remove(0).result,
            _ => combine(results),
        };
        let moment = newest.iter().filter_map(|reading| Some(reading.documents.as_ref()?.moment)).max();
        CombinedDocument { document, moment, notices: self.notices() }
    }

    /// Returns messages about sources: those that cannot be followed, and those without an engine.
    pub(super) fn notices(&self) -> Vec<String> {
        let newest = self.lock().clone();
        let of_part = |((source, _), reading): (&SourcePart, &HubReading)| {
            let documents = reading.documents.as_deref();
            let old = match (&reading.trouble, documents) {
                (Some((since, reason)), Some(documents)) => Some(format!(
                    "not followed since {}: {reason}. What is shown is of {}.",
                    since.strftime("%H:%M:%S UTC"),
                    documents.moment.strftime("%Y-%m-%d %H:%M:%S UTC")
                )),
                _ => None,
            };
            let notices = documents.map(|documents| documents.notices.clone()).unwrap_or_default();
            let label = if self.parts.len() > 1 { format!("{}: ", source.label()) } else { String::new() };
            old.into_iter().chain(notices).map(|notice| format!("{label}{notice}")).collect::<Vec<_>>()
        };
        self.parts.iter().zip(&newest).flat_map(of_part).collect()
    }
}
