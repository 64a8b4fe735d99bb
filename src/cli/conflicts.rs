//! `kubectl ucp conflicts`

use std::sync::Arc;

use crate::cli::Context;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Several, Snapshot};
use crate::cli::spec::{CommandSpec, ToolSpec, always};
use crate::report::conflicts::ConflictList;
use crate::report::sources::{self, SourceResult};
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::error::{Outcome, Result};
use ucp_features::conflict;

/// Find external resources that several objects claim
///
/// Two managed resources, of one engine or of two, in one core cluster or in several, that manage the same external
/// resource: each overwrites what the other writes, and deleting one may delete it for both. A match by the cloud's own
/// ID is certain. A match by name and settings, or tags that name another owner, is suspected. Objects that only observe
/// are not conflicts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp conflicts
  kubectl ucp conflicts --contexts core-blue,core-green
  kubectl ucp conflicts --from blue.tar.gz --from green.tar.gz

Exit codes: 0 none; 1 conflicts, suspected ones too; 2 usage; 3 failed; 4 none in what could be read.")]
pub(super) struct Args {
    /// Hide suspected conflicts
    #[arg(long)]
    certain: bool,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(&["kubectl-ucp-conflicts"])],
    reads_crossplane: true,
    tool: Some(ToolSpec::new::<ConflictList>(6, &["certain", "namespace"])),
    ..CommandSpec::new("conflicts", &[Cluster, Snapshot, Several, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let answers = context.read_each_source(|context| {
        let namespace = context.globals.scope.namespace.as_deref();
        let mut state = context.read_established(namespace, &conflict::want, DeniedDefinition::Unknown)?;
        state.unreadable.extend(context.nothing_to_check(&state));
        Ok(state)
    })?;
    let sources = answers.iter().map(|answer| Arc::clone(&answer.source)).collect();
    let (mut states, mut failed) = (Vec::new(), Vec::new());
    for SourceResult { source, result } in answers {
        match result {
            Ok(state) => states.push(state),
            Err(error) if !context.has_several_sources() => return Err(error),
            Err(error) => failed.push((source, error)),
        }
    }
    if states.is_empty() {
        return Err(sources::no_result_error(None, &failed));
    }
    let unread = failed.iter().map(|(source, error)| SourceResult::<()>::unreadable_entry(source, error)).collect();
    let mut conflicts = conflict::find_conflicts(&states);
    if args.certain {
        conflicts.retain(|conflict| conflict.certainty == ucp_core::model::comparison::Certainty::Certain);
    }
    let list = ConflictList::from_conflicts(sources, &states, unread, conflicts);
    context.print(&list)?;
    context.hint_at_rights(&list.unreadable);
    Ok(Outcome::from_evidence(!list.items.is_empty(), list.evidence()))
}
