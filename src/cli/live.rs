//! `--watch` on a terminal: the document of a command on a page that scrolls, with a clock.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use jiff::Timestamp;
use ratatui::crossterm::event::Event;

use crate::browse::{LiveAction, LivePage, Palette, RenderText};
use crate::cli::Context;
use crate::render::{self, Report, TableStyle};
use crate::ui::screen::{MouseMode, Screen, send_events};
use ucp_core::error::Result;
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::ClusterState;

/// The longest time between two frames, for the clock.
const CLOCK: Duration = Duration::from_secs(1);

/// Something that the page reacts to.
enum LiveMessage {
    Input(Event),
    Document(RenderText),
    Ended(Result<()>),
}

/// Shows a report on a page that follows the cluster, until `q`. Only returns with an error: the watch has no end.
///
/// # Errors
/// Fails when the first read fails, or the terminal cannot be written.
pub(super) fn show_live<R: Report + Send + Sync + 'static>(
    context: &Context,
    want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    report: impl Fn(&ClusterState) -> R + Sync,
) -> Result<()> {
    show_live_text(context, want, |state| rendered(context, Arc::new(report(state))))
}

/// Shows a text in the same way.
///
/// # Errors
/// Fails when the first read fails, or the terminal cannot be written.
#[allow(clippy::exit, reason = "the watch cannot be interrupted while it waits for the server")]
pub(super) fn show_live_text(
    context: &Context,
    want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    text: impl Fn(&ClusterState) -> RenderText + Sync,
) -> Result<()> {
    let (sender, receiver) = channel();
    let palette = if context.ui.shows_color() { Palette::Colors } else { Palette::Monochrome };
    let mut screen = Screen::open(MouseMode::Free)?;
    send_events(sender.clone(), LiveMessage::Input);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let sender = sender;
            let ended = context.follow_state(want, |_, state| {
                // The screen ends with the process.
                let _ = sender.send(LiveMessage::Document(text(state)));
                Ok(())
            });
            let _ = sender.send(LiveMessage::Ended(ended));
        });
        let page = LivePage::new(format!("kubectl ucp {}", context.command));
        let ended = follow_messages(&mut screen, &receiver, page, palette);
        drop(screen);
        match ended {
            Ok(LiveEnd::Watch(ended)) => ended,
            // The watch waits for the server, and ends with the process.
            Ok(LiveEnd::Person) => std::process::exit(0),
            Err(error) => {
                context.ui.error(&error.report());
                std::process::exit(3)
            }
        }
    })
}

/// The reason why the page ends.
enum LiveEnd {
    Person,
    Watch(Result<()>),
}

fn follow_messages(
    screen: &mut Screen,
    receiver: &Receiver<LiveMessage>,
    mut page: LivePage,
    palette: Palette,
) -> Result<LiveEnd> {
    loop {
        screen.draw(|frame| page.draw(frame, palette, Timestamp::now()))?;
        let first = match receiver.recv_timeout(CLOCK) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(LiveEnd::Person),
        };
        for message in first.into_iter().chain(receiver.try_iter()) {
            match message {
                LiveMessage::Document(render) => page.fill(render, Timestamp::now()),
                LiveMessage::Ended(ended) => return Ok(LiveEnd::Watch(ended)),
                LiveMessage::Input(event) => match page.handle(&event) {
                    LiveAction::None => {}
                    LiveAction::Suspend => screen.suspend()?,
                    LiveAction::Quit => return Ok(LiveEnd::Person),
                },
            }
        }
    }
}

/// Returns the text of a report for any width.
pub(super) fn rendered<R: Report + Send + Sync + 'static>(context: &Context, report: Arc<R>) -> RenderText {
    let (format, style) = (context.globals.output.output.clone(), context.style());
    Arc::new(move |width| {
        let style = TableStyle { width: Some(width), ..style };
        render::render(report.as_ref(), &format, &style).unwrap_or_else(|error| error.report())
    })
}
