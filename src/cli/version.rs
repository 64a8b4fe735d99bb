//! `kubectl ucp version`

use crate::cli::Context;
use crate::cli::reading::outcome;
use crate::cli::spec::FlagGroup::{Cluster, Output, Rights};
use crate::cli::spec::{CommandSpec, DependentFlags, FlagCondition, always};
use crate::report::version::{ClientVersion, ServerVersion, VersionReport};
use ucp_client::source::live::look_up::LookUp;
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::engine;
use ucp_core::error::{Outcome, Result};

/// Show the versions of this plugin and of the API server
///
/// Also shows the versions of the engines in the cluster. If no cluster is configured, shows the plugin's own version
/// only.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp version
  kubectl ucp version --client -o json")]
pub(super) struct Args {
    /// Show the plugin's own version only
    #[arg(long)]
    client: bool,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[DependentFlags { groups: &[Cluster], flags: &[], condition: FlagCondition::Without("client") }],
    roles: &[always(&["kubectl-ucp-version"])],
    ..CommandSpec::new("version", &[Cluster, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let connection = &context.globals.connection;
    let mut version = VersionReport::from_client(ClientVersion::current());
    let is_asked = !args.client && connection.from.is_none() && kubeconfig::is_configured(connection);
    let mut unreadable = Vec::new();
    let asked = if is_asked {
        let _waiting = context.ui.progress("").show_pending_server(context.server_name());
        let asked = ask(connection, &mut version);
        if asked.is_ok() {
            // The workloads of the engines show their versions.
            let state = context.read_in(None, &|kind| engine::controller::want(kind))?;
            version = version.with_engines(&state);
            unreadable = state.unreadable;
        }
        asked
    } else {
        Ok(())
    };
    context.print(&version)?;
    context.warn_of_unreadable(&unreadable);
    asked.map(|()| outcome(&unreadable))
}

fn ask(connection: &ConnectionArgs, version: &mut VersionReport) -> Result<()> {
    let cluster = LookUp::connect(connection)?;
    version.source = Some(cluster.origin());
    version.server = Some(ServerVersion { git_version: cluster.version()? });
    Ok(())
}
