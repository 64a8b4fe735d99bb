//! `wait secret/NAME --for current`: waits until the copies of a Secret in app clusters equal their source.

use super::aim::WaitAim;
use super::progress::WaitDisplay;
use super::timeout::Deadline;
use super::{Args, conclude};
use crate::cli::Context;
use crate::cli::secrets::follow::SecretWatches;
use crate::cli::secrets::look::{LookArgs, SecretsLook, look_again};
use crate::report::wait::{WaitItem, WaitOutcome, WaitResult};
use ucp_core::error::{Error, ErrorKind, Outcome, Result};
use ucp_core::model::state::Unreadable;
use ucp_features::distribution::{CopyRow, CopyState};
use ucp_features::wait::{WaitOutlook, WaitTargets};

pub(super) fn run(context: &Context, args: &Args, targets: &WaitTargets) -> Result<Outcome> {
    let look_args = LookArgs::for_secrets(context, &names(args, targets)?, &args.app_clusters, &args.reach)?;
    let deadline = Deadline::after(args.timeout);
    let waiting = WaitDisplay::start(context, WaitAim::Current);
    let mut followed = SecretWatches::default();
    let mut last: Option<WaitResult> = None;
    loop {
        let seen = match (look_again(context, &look_args), &last) {
            // A server may respond again within the timeout, but a mistyped name remains wrong.
            (Err(error), None) => return Err(error),
            (Err(error), _) if error.kind() == ErrorKind::Usage => return Err(error),
            (Err(error), Some(last)) if deadline.is_over() => {
                drop(waiting);
                let lost = Unreadable { what: "the core cluster".to_owned(), reason: error.message() };
                let unreadable = last.unreadable.iter().cloned().chain([lost]).collect();
                return conclude(context, args, &WaitResult { unreadable, ..last.clone() }, &[]);
            }
            (Err(_), Some(_)) => {
                followed.wait(deadline.remaining(), &|| false);
                continue;
            }
            (Ok(seen), _) => seen,
        };
        let result = result(&seen, &look_args.names);
        let end = match outlook(&result) {
            WaitOutlook::Reached => Some(WaitOutcome::Reached),
            WaitOutlook::Hopeless if !args.keep_waiting => Some(WaitOutcome::Failed),
            _ if deadline.is_over() => Some(WaitOutcome::Timeout),
            _ => None,
        };
        if let Some(outcome) = end {
            drop(waiting);
            return conclude(context, args, &WaitResult { outcome, ..result }, &[]);
        }
        waiting.show_items(&result.items, deadline);
        followed.follow(context, &look_args, &seen)?;
        followed.wait(deadline.remaining(), &|| false);
        last = Some(result);
    }
}

/// Returns the names of the Secrets on the command line.
fn names(args: &Args, targets: &WaitTargets) -> Result<Vec<String>> {
    let is_secret = |kind: &str| matches!(kind.to_ascii_lowercase().as_str(), "secret" | "secrets");
    let is_wide = args.all || args.owner.is_some() || !targets.selector.is_empty();
    if is_wide || targets.named.is_empty() || !targets.named.iter().all(|named| is_secret(&named.kind)) {
        return Err(Error::usage("--for current applies to the copies of Secrets: name them as secret/NAME")
            .hint("select the namespace of the core cluster with -n"));
    }
    Ok(targets.named.iter().map(|named| named.name.clone()).collect())
}

fn result(seen: &SecretsLook, names: &[String]) -> WaitResult {
    let mut items: Vec<WaitItem> = seen.rows.iter().map(item).collect();
    let is_met = |name: &&String| seen.rows.iter().any(|row| row.is_called(name));
    items.extend(names.iter().filter(|name| !is_met(name)).map(|name| WaitItem {
        object: seen.source_name(name).secret(),
        cluster: None,
        wanted: WaitAim::Current.to_string(),
        revision: None,
        verdict: None,
        reached: false,
        hopeless: false,
        message: Some("nothing declares it for an app cluster, and nothing there refers to it".to_owned()),
    }));
    items.sort_by_key(|item| (item.reached, !item.hopeless));
    WaitResult::from_copies(&seen.report(), items)
}

fn item(row: &CopyRow) -> WaitItem {
    let outlook = outlook_of(row);
    WaitItem {
        object: row.target.secret(),
        cluster: Some(row.cluster.clone()),
        wanted: WaitAim::Current.to_string(),
        revision: None,
        verdict: Some(row.verdict()),
        reached: outlook == WaitOutlook::Reached,
        hopeless: outlook == WaitOutlook::Hopeless,
        message: Some(format!("cluster {}: {}", row.cluster, row.description())),
    }
}

/// Returns the prospect that a copy becomes current without intervention.
fn outlook_of(row: &CopyRow) -> WaitOutlook {
    match row.judgement.state {
        _ if row.credentials_of.is_some() => WaitOutlook::Hopeless,
        CopyState::Current | CopyState::Undeclared | CopyState::UsedOld => WaitOutlook::Reached,
        CopyState::Collision | CopyState::Poorer | CopyState::Foreign | CopyState::Orphaned => WaitOutlook::Hopeless,
        // Crossplane may be about to write it, and a cluster may respond again.
        CopyState::SourceMissing | CopyState::Unknown => WaitOutlook::Open,
        // A declared copy may be about to be written; an undeclared one never is.
        CopyState::Missing | CopyState::Stale | CopyState::Different if row.declared_by.is_empty() => {
            WaitOutlook::Hopeless
        }
        CopyState::Missing | CopyState::Stale | CopyState::Different => WaitOutlook::Open,
    }
}

/// Returns the combined outlook of all items.
fn outlook(result: &WaitResult) -> WaitOutlook {
    match () {
        () if result.items.iter().any(|item| item.hopeless) => WaitOutlook::Hopeless,
        () if result.items.iter().all(|item| item.reached) => WaitOutlook::Reached,
        () => WaitOutlook::Open,
    }
}
