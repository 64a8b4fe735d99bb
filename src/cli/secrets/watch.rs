//! `secrets sync --watch`: copies what is declared, and again whenever something of it changes.
//!
//! It goes by what it finds and by nothing that it remembers, so that it may be stopped at any time.

use std::collections::BTreeMap;

use super::follow::Followed;
use super::look::{LookArgs, Seen, look_again};
use super::sync::{Args, identified, write};
use crate::adopt::live::interrupt::Interruption;
use crate::cli::Context;
use crate::distribution::sync::{self, Action};
use crate::error::{Outcome, Result};
use crate::report::distribution::{Course, SecretDistribution, SecretItem};
use crate::source::live;

/// What was said last of a Secret of a cluster.
type Said = BTreeMap<(String, String, String), String>;

/// Runs until it is interrupted. A cluster that does not answer is waited for.
pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let runtime = live::runtime()?;
    let interruption = Interruption::listen(&runtime);
    let look_args = args.look.declared_only();
    let (mut followed, mut said, mut complaint) = (Followed::default(), Said::new(), String::new());
    while !interruption.is_wanted() {
        let passed =
            pass(context, args, &look_args, &mut said).and_then(|seen| followed.follow(context, &look_args, &seen));
        match passed {
            Ok(()) => complaint.clear(),
            Err(error) if error.is_broken_pipe() => return Err(error),
            Err(error) if complaint != error.message() => {
                complaint = error.message();
                context.ui.warn(&complaint);
            }
            Err(_) => {}
        }
        followed.wait(None, &|| interruption.is_wanted());
    }
    Ok(Outcome::Clean)
}

/// Looks once, and writes what is to be written.
fn pass(context: &Context, args: &Args, look_args: &LookArgs, said: &mut Said) -> Result<Seen> {
    let seen = look_again(context, look_args)?;
    let steps = sync::plan(&seen.core, &seen.apps, &seen.rows, args.consent());
    let mut report = seen.report();
    report.plan(&steps);
    if steps.iter().any(|step| step.action.writes()) {
        identified(&seen, "secrets sync --watch")?;
        let written = write(context, args, &seen, &steps)?;
        report.done(&super::sync::by_secret(&seen, &steps, written));
    }
    let mut unreadable: Vec<String> =
        report.unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect();
    unreadable.retain(|entry| is_new(said, (String::new(), String::new(), entry.clone()), entry));
    unreadable.iter().for_each(|entry| context.ui.warn(&format!("could not be read (unknown): {entry}")));
    report.items.retain(|item| is_news(item, said));
    if !report.items.is_empty() {
        context.print_and_go_on(&SecretDistribution { findings: Vec::new(), unreadable: Vec::new(), ..report })?;
    }
    Ok(seen)
}

/// Whether there is something to say of a Secret that was not said before.
fn is_news(item: &SecretItem, said: &mut Said) -> bool {
    let now = format!("{:?} {:?} {} {}", item.state, item.action, item.reason, item.action_reason);
    let key = (item.cluster.clone(), item.namespace.clone(), item.name.clone());
    match (item.course, item.action) {
        (Some(Course::Done), _) => {
            said.remove(&key);
            true
        }
        (None, Some(Action::Keep) | None) if item.is_well() => {
            said.remove(&key);
            false
        }
        _ => is_new(said, key, &now),
    }
}

fn is_new(said: &mut Said, key: (String, String, String), now: &str) -> bool {
    said.insert(key, now.to_owned()).as_deref() != Some(now)
}
