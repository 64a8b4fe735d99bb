//! `kubectl ucp snapshot diff`

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::cli::spec::CommandSpec;
use crate::cli::spec::FlagGroup::Output;
use crate::report::drift::DriftReport;
use crate::report::snapshot_diff::{EvaluatedSnapshot, SnapshotDiff};
use ucp_client::source::{self, ConnectionArgs, Query};
use ucp_core::engine;
use ucp_core::engine::outage::Controllers;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::ClusterState;
use ucp_features::drift::{DriftLayer, external, gitops};

/// Show what changed between two snapshots
///
/// Versions, verdicts, findings and drift: for example, of last night and this morning. Accepts all formats that --from accepts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp snapshot diff last-night.tar.gz this-morning.tar.gz
  kubectl ucp snapshot diff before.tar.gz after.tar.gz -o json")]
pub(super) struct Args {
    /// The snapshot before
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    before: PathBuf,
    /// The snapshot after
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    after: PathBuf,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec::new("snapshot diff", &[Output]);

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let read = |path: &Path, want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync)| {
        let flags = ConnectionArgs { from: Some(path.to_owned()), ..context.globals.connection.clone() };
        let state = source::read(&flags, &Query::all(want))?;
        Ok::<ClusterState, Error>(state)
    };
    if [&args.before, &args.after].contains(&&PathBuf::from("-")) {
        return Err(Error::usage(
            "each snapshot is read more than once, but standard input can be read only once: save it to a file",
        ));
    }
    // A managed resource is kept with its conditions or with its external state, not both.
    let drift = |path: &Path| drift_of(&read(path, &want_for_drift)?);
    let (before, after) = (read(&args.before, &engine::want)?, read(&args.after, &engine::want)?);
    before.notes.iter().chain(&after.notes).for_each(|note| context.ui.warn(note));
    let taken = |state, drift| EvaluatedSnapshot {
        state,
        assessment: engine::assess(state, &args.patience.clock(state)),
        drift,
    };
    let diff = SnapshotDiff::between(&taken(&before, drift(&args.before)?), &taken(&after, drift(&args.after)?));
    context.print(&diff)?;
    Ok(match (diff.has_changes(), diff.is_incomplete()) {
        (true, _) => Outcome::Findings,
        (false, true) => Outcome::Incomplete,
        (false, false) => Outcome::Clean,
    })
}

fn want_for_drift(kind: &ResourceKind) -> Option<KindRequest> {
    external::want(kind).or_else(|| engine::want(kind))
}

fn drift_of(state: &ClusterState) -> Result<DriftReport> {
    let controllers = Controllers::from_state(state);
    let all = |_: &ObjectName, _: Option<&ObjectName>| true;
    let layers = vec![
        (DriftLayer::External, external::findings(state, &controllers, &all)),
        (DriftLayer::Gitops, gitops::gitops_findings(state, &controllers, &all)),
    ];
    let hider = SecretHider::new()?;
    Ok(DriftReport::from_layers(state, layers, hider))
}
