//! `kubectl ucp ui --web`: the documents of `-o html`, live, for one browser on this machine.

mod hubs;
mod pages;
mod query;

use std::sync::Arc;

use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::web::{Admission, LoginGate, LoopbackServer};
use ucp_core::error::{Outcome, Result};

use hubs::WebHubs;
use pages::WebPages;

/// Serves the documents until the command is interrupted.
///
/// # Errors
/// Fails when the port is in use, or no source can be read.
pub(super) fn serve(context: &Context, patience: PatienceArgs, port: u16) -> Result<Outcome> {
    context.needs_rereadable_source("'ui'")?;
    let hubs = Arc::new(WebHubs::new(context, patience)?);
    let gate = Arc::new(LoginGate::draw()?);
    let pages = WebPages::new(context, Arc::clone(&hubs));
    let server = LoopbackServer::open(port, {
        let gate = Arc::clone(&gate);
        move |request| match gate.admit(request) {
            Admission::Inside(path) => pages.answer(path, request.uri.query().unwrap_or_default()),
            Admission::Outside(response) => *response,
        }
    })?;
    let reads = hubs.follow(context);
    let flags = &context.globals.connection;
    let is_of_snapshots = flags.from.is_some() || !flags.sources.from.is_empty();
    // A snapshot that cannot be read ends the command before it prints an address. A cluster may take long to answer.
    if is_of_snapshots {
        hubs.wait_for_first_read(&reads)?;
    }
    context.ui.data(&format!("{}\n", gate.address(&server.url())))?;
    context.ui.message("Open the address in a browser on this machine. It works once. Ctrl-C ends the session.");
    if !is_of_snapshots {
        hubs.wait_for_first_read(&reads)?;
    }
    drop(reads);
    loop {
        // The server and the threads that follow the sources run until the process ends.
        std::thread::park();
    }
}
