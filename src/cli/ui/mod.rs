//! `kubectl ucp ui`

mod follow;
mod read;
#[cfg(test)]
mod tests;
mod web;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ratatui::crossterm::event::Event;

use crate::browse::{Browser, BrowserStart, Effect, HubState, Palette, ReadAnswer};
use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Rights, Selector, Several, Snapshot};
use crate::cli::spec::{CommandSpec, always, only_with};
use crate::ui::Volume;
use crate::ui::screen::{MouseMode, Screen, send_events};
use ucp_client::source::kubeconfig;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::failure::Failure;
use ucp_core::model::state::Origin;

use follow::HubFollower;

/// Browse the core cluster in a terminal or browser, read-only
///
/// A full screen that follows the cluster. Enter opens the tree of the selected object, and Enter again opens the
/// object; Esc returns; '?' shows all keys. It only reads; commands that change something can be copied.
///
/// With --web, prints the address of the same documents for a browser on this machine. The address works once, for one
/// browser, until the command ends with Ctrl-C.
///
/// Secrets are hidden as in every other command. Without a terminal and --web, use 'kubectl ucp status'.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp ui
  kubectl ucp ui -n team-a
  kubectl ucp ui --contexts core-eu,core-us
  kubectl ucp ui --from snapshot.tar.gz
  kubectl ucp ui --web")]
pub(super) struct Args {
    /// Serve the documents to one browser on this machine, live: print an address that works once
    #[arg(long)]
    web: bool,
    /// The loopback port for --web; 0, the default, selects a free port
    #[arg(long, value_name = "PORT", hide_short_help = true)]
    port: Option<u16>,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[only_with(&["port"], &["web"])],
    roles: &[always(&[
        "kubectl-ucp-status",
        "kubectl-ucp-resources",
        "kubectl-ucp-tree",
        "kubectl-ucp-drift",
        "kubectl-ucp-clusters",
        "kubectl-ucp-clusters-secrets",
        "kubectl-ucp-ui",
    ])],
    followed: &["kubectl-ucp-status", "kubectl-ucp-resources"],
    reads_crossplane: true,
    ..CommandSpec::new("ui", &[Cluster, Snapshot, Several, Namespace, Selector, Rights])
};

/// Something that the screen reacts to.
enum ScreenMessage {
    Input(Event),
    /// A state of the source with this position, for the connection with this number.
    Hub(u64, usize, Box<HubState>),
    /// The reason why a source cannot be read.
    Trouble(u64, usize, String),
    /// The answer to a request.
    Answer(u64, Result<ReadAnswer, Failure>),
}

/// The longest time between two frames, for the clock.
const CLOCK: Duration = Duration::from_secs(1);

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.web {
        return web::serve(context, args.patience, args.port.unwrap_or_default());
    }
    if !context.ui.has_full_screen() {
        return Err(Error::usage("'ui' needs a terminal")
            .hint("'kubectl ucp status' prints the same without a terminal, and --web serves it to a browser"));
    }
    context.needs_rereadable_source("'ui'")?;
    let selector = context.selector()?;
    let parts = quiet(context).named_parts()?;
    let contexts = match context.globals.connection.from {
        None if !context.has_several_sources() => context_names(context),
        _ => Vec::new(),
    };
    let start = BrowserStart {
        sources: origins(&parts),
        contexts,
        namespace: context.globals.scope.namespace.clone(),
        selector: context.globals.scope.selector.clone(),
        directory: std::env::current_dir().map_or_else(|_| ".".to_owned(), |path| path.display().to_string()),
    };
    let (sender, receiver) = channel();
    let mut follower = HubFollower::new(parts, args.patience, selector, sender.clone());
    follower.start();
    let palette = if context.ui.shows_color() { Palette::Colors } else { Palette::Monochrome };
    let mut screen = Screen::open(MouseMode::Captured)?;
    send_events(sender.clone(), ScreenMessage::Input);
    let mut session = UiSession { browser: Browser::new(start), context: quiet(context), follower, sender, palette };
    session.run(&mut screen, &receiver)?;
    Ok(Outcome::Clean)
}

/// A running browser, with what it reads from.
struct UiSession {
    browser: Browser,
    context: Context,
    follower: HubFollower,
    sender: Sender<ScreenMessage>,
    palette: Palette,
}

impl UiSession {
    fn run(&mut self, screen: &mut Screen, receiver: &Receiver<ScreenMessage>) -> Result<()> {
        loop {
            let (browser, palette) = (&mut self.browser, self.palette);
            screen.draw(|frame| browser.draw(frame, palette, Timestamp::now(), Instant::now()))?;
            let first = match receiver.recv_timeout(CLOCK) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            // Everything that has arrived by now is one frame.
            for message in first.into_iter().chain(receiver.try_iter()) {
                for effect in self.take(message) {
                    if self.act(effect, screen)? == ScreenState::Ended {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn take(&mut self, message: ScreenMessage) -> Vec<Effect> {
        match message {
            ScreenMessage::Input(event) => return self.browser.handle(&event),
            ScreenMessage::Hub(connection, source, hub) if self.follower.is_current(connection) => {
                self.browser.update(source, *hub, Instant::now());
            }
            ScreenMessage::Trouble(connection, source, reason) if self.follower.is_current(connection) => {
                self.browser.fail(source, reason);
            }
            ScreenMessage::Answer(number, answer) => self.browser.answer(number, answer, Timestamp::now()),
            // Of a connection that ended.
            ScreenMessage::Hub(..) | ScreenMessage::Trouble(..) => {}
        }
        Vec::new()
    }

    fn act(&mut self, effect: Effect, screen: &mut Screen) -> Result<ScreenState> {
        match effect {
            Effect::Quit => return Ok(ScreenState::Ended),
            Effect::Suspend => screen.suspend()?,
            Effect::Copy(text) => screen.copy(&text)?,
            Effect::Read(number, request) => {
                let (context, parts) = (self.context.clone(), self.follower.parts.clone());
                let patience = self.follower.patience;
                let sender = self.sender.clone();
                std::thread::spawn(move || {
                    let answer =
                        read::answer(&context, &parts, patience, request).map_err(|error| error.report().into());
                    // The screen may have ended.
                    let _ = sender.send(ScreenMessage::Answer(number, answer));
                });
            }
            Effect::Connect { context, namespace } => {
                let mut changed = self.context.clone();
                changed.globals.scope.namespace.clone_from(&namespace);
                if let Some(context) = context {
                    changed.globals.connection.context = Some(context);
                }
                match changed.named_parts() {
                    Ok(parts) => {
                        self.browser.connect(&origins(&parts), namespace);
                        self.follower.parts = parts;
                        self.context = changed;
                        self.follower.start();
                    }
                    Err(error) => self.browser.fail(0, error.message()),
                }
            }
        }
        Ok(ScreenState::Open)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScreenState {
    Open,
    Ended,
}

/// A source with its context, as every reading thread gets it.
type SourcePart = (Arc<Origin>, Context);

/// Returns the context without messages and progress, which would be drawn over the screen.
fn quiet(context: &Context) -> Context {
    let mut quiet = context.clone();
    quiet.ui = quiet.ui.with_volume(Volume::Quiet);
    quiet
}

impl Context {
    /// Returns a context for each source. The current context of the kubeconfig has its name, so that commands to copy
    /// name it, too.
    fn named_parts(&self) -> Result<Vec<SourcePart>> {
        let mut parts = self.source_contexts()?;
        for (origin, part) in &mut parts {
            if let Origin::Cluster { context, .. } = origin.as_ref()
                && context.is_empty()
            {
                let known = kubeconfig::load(&part.globals.connection)?;
                *origin = Arc::new(Origin::Cluster { context: known.context, server: known.server });
            }
        }
        Ok(parts)
    }
}

fn origins(parts: &[SourcePart]) -> Vec<Arc<Origin>> {
    parts.iter().map(|(origin, _)| Arc::clone(origin)).collect()
}

fn context_names(context: &Context) -> Vec<String> {
    let known = kubeconfig::contexts(&context.globals.connection).unwrap_or_default();
    known.into_iter().map(|context| context.name).collect()
}
