//! `secrets sync --watch`: copies declared Secrets, and again whenever one of them changes.
//!
//! Each pass depends only on the state that it reads, so the command can be stopped at any time.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::SecretWatches;
use super::look::{LookArgs, SecretsLook, look_again};
use super::sync::{Args, check_core_id, results_by_secret, write};
use crate::cli::Context;
use crate::report::distribution::{SecretDistribution, SecretItem, WriteProgress};
use ucp_client::source::live;
use ucp_core::error::{Outcome, Result};
use ucp_features::adopt::live::interrupt::Interruption;
use ucp_features::distribution::live::changes::UNHEARD;
use ucp_features::distribution::sync::{self, SyncAction};

/// The last reports.
#[derive(Default)]
struct ReportedSecrets {
    /// Results other than success, by cluster, namespace, and name of the Secret.
    of_secrets: BTreeMap<(String, String, String), String>,
    /// The objects that could not be read.
    unreadable: BTreeSet<String>,
}

/// Runs until it is interrupted. Waits for a cluster that does not respond.
pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let runtime = live::runtime()?;
    let interruption = Interruption::listen(&runtime);
    args.check()?;
    let look_args = args.watch_args();
    let (mut followed, mut said, mut complaint) = (SecretWatches::default(), ReportedSecrets::default(), String::new());
    while !interruption.is_wanted() {
        let passed = pass(context, args, &look_args, &mut said)
            .and_then(|(seen, failed)| followed.follow(context, &look_args, &seen).map(|()| failed));
        // No watch event follows a failure, so it is retried after a while.
        let limit = if matches!(passed, Ok(0)) { None } else { Some(UNHEARD) };
        match passed {
            Ok(_) => complaint.clear(),
            Err(error) if error.is_broken_pipe() => return Err(error),
            Err(error) if complaint != error.message() => {
                complaint = error.message();
                context.ui.warn(&complaint);
            }
            Err(_) => {}
        }
        followed.wait(limit, &|| interruption.is_wanted());
    }
    Ok(Outcome::Clean)
}

/// Runs one pass, and writes the planned copies. Also returns the number of those that could not be written.
fn pass(
    context: &Context,
    args: &Args,
    look_args: &LookArgs,
    said: &mut ReportedSecrets,
) -> Result<(SecretsLook, usize)> {
    let seen = look_again(context, look_args)?;
    let steps = sync::plan(&seen.core, &seen.apps, &seen.rows, args.consent());
    let mut report = seen.report();
    report.add_plan(&steps);
    let mut failed = 0;
    if steps.iter().any(|step| step.action.writes()) {
        check_core_id(&seen, "secrets sync --watch")?;
        let written = write(context, args, &seen, &steps)?;
        failed = report.add_results(&results_by_secret(&seen, &steps, written));
    }
    let unreadable: BTreeSet<String> =
        report.unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect();
    for entry in unreadable.difference(&said.unreadable) {
        context.ui.warn(&format!("could not be read (unknown): {entry}"));
    }
    said.unreadable = unreadable;
    report.items.retain(|item| is_news(item, &mut said.of_secrets));
    if !report.items.is_empty() {
        context.print_and_go_on(&SecretDistribution { findings: Vec::new(), unreadable: Vec::new(), ..report })?;
    }
    Ok((seen, failed))
}

/// Returns true if a Secret has to be reported: it was written, or it is not OK and its state changed.
fn is_news(item: &SecretItem, said: &mut BTreeMap<(String, String, String), String>) -> bool {
    let now = format!("{:?} {:?} {} {}", item.state, item.action, item.reason, item.action_reason);
    let key = (item.cluster.clone(), item.namespace.clone(), item.name.clone());
    match (item.course, item.action) {
        (Some(WriteProgress::Done), _) => {
            said.remove(&key);
            true
        }
        (None, Some(SyncAction::Keep) | None) if item.is_well() => {
            said.remove(&key);
            false
        }
        _ => said.insert(key, now.clone()).is_none_or(|before| before != now),
    }
}
