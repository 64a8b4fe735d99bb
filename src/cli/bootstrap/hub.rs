//! Asks before anything is written to the hub of another repository, or to a cluster with undeclared objects.

use super::Args;
use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::cli::missing::interaction_mode;
use crate::render::rehearsal::ownership_note;
use crate::ui::Interaction;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::text::one_line;

/// Warns of the reasons against writing, if there are any.
pub(super) fn warn_of_blockers(context: &Context, look: &BootstrapComparison) -> Outcome {
    look.completion.blocked.iter().for_each(|reason| context.ui.warn(reason));
    if !look.completion.blocked.is_empty() {
        return warn_of_owner(context, look).max(Outcome::Findings);
    }
    warn_of_owner(context, look)
}

fn warn_of_owner(context: &Context, look: &BootstrapComparison) -> Outcome {
    match look.hub.as_ref().filter(|hub| !hub.ownership.is_free()) {
        Some(hub) => {
            context.ui.warn(&ownership_note(&hub.name, &hub.ownership));
            Outcome::Findings
        }
        None => Outcome::Clean,
    }
}

/// Asks for the name of the hub if there are reasons against writing.
///
/// # Errors
/// Returns a refusal if the name is missing or different.
pub(super) fn confirm_hub(context: &Context, args: &Args, look: &BootstrapComparison) -> Result<()> {
    let Some(hub) = &look.hub else {
        return Err(Error::refused(
            "it could not be determined which repository manages this cluster; nothing was written",
        ));
    };
    if let Some(first) = look.completion.blocked.first() {
        look.completion.blocked.iter().skip(1).for_each(|reason| context.ui.warn(reason));
        return Err(Error::refused(format!("{first}; nothing was written")).hint(
            "declare an object that provides it, such as an Application or HelmRelease of its chart, or apply it first",
        ));
    }
    let name = one_line(&hub.name).to_string();
    if let Some(given) = args.hub.as_ref().filter(|given| **given != hub.name) {
        return Err(Error::refused(format!("the hub is {name}, not {}", one_line(given)))
            .hint("choose the cluster with --context, or pass the name of this one"));
    }
    if hub.ownership.is_free() {
        return Ok(());
    }
    let reason = ownership_note(&hub.name, &hub.ownership);
    if args.hub.is_some() {
        context.ui.warn(&reason);
        return Ok(());
    }
    if interaction_mode(context, args.yes) == Interaction::Unattended {
        return Err(Error::refused(format!("{reason}; nothing was written"))
            .hint(format!("choose another cluster with --context, or pass --hub '{name}' to write to this one")));
    }
    context.ui.warn(&reason);
    let wanted = hub.name.clone();
    let is_wrong =
        move |word: &str| (word != wanted).then(|| "the name does not match; press Esc to cancel".to_owned());
    context.ui.ask(&format!("To write to it anyway, type the name of the hub, {name}:"), is_wrong)?;
    Ok(())
}
