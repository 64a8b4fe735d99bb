//! `kubectl ucp mcp`

mod arguments;
mod pages;
mod server;
mod tools;
mod untrusted;

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use crate::cli::Context;
use crate::cli::spec::FlagGroup::{Cluster, Rights, Several, Snapshot};
use crate::cli::spec::{CommandSpec, IMAGE_ROLES, always, with_flag};
use crate::ui::Interaction;
use server::McpServer;
use ucp_core::error::{Error, Outcome, Result};

/// Run a read-only Model Context Protocol server for assistants
///
/// Serves the reading commands to programs that speak the protocol, on standard input and output until its input ends. The
/// tools are status, resources, tree, history, drift, conflicts, doctor, teardown, clusters, explain, and with -C images;
/// each returns the same document as its command with -o json. None of them writes. The clusters or snapshots are set by
/// the flags of this command: a tool call cannot choose others. Long results are split into pages.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp mcp --context core
  kubectl ucp mcp --contexts core-eu,core-us --as platform-viewer
  kubectl ucp mcp --from last-night.tar.gz
  kubectl ucp mcp --context core -C ~/gitops

In the configuration of a client, the command is kubectl, and its arguments are
ucp, mcp, --context and core. docs/mcp.md has it for common clients.")]
pub(super) struct Args {
    /// Offer the tool images too, for the repository of this directory
    #[arg(short = 'C', long, value_name = "PATH", hide_short_help = true)]
    directory: Option<PathBuf>,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[
        always(&[
            "kubectl-ucp-status",
            "kubectl-ucp-resources",
            "kubectl-ucp-tree",
            "kubectl-ucp-history",
            "kubectl-ucp-history-object",
            "kubectl-ucp-history-mentioned",
            "kubectl-ucp-drift",
            "kubectl-ucp-drift-orphans",
            "kubectl-ucp-conflicts",
            "kubectl-ucp-doctor",
            "kubectl-ucp-teardown",
            "kubectl-ucp-clusters",
            "kubectl-ucp-clusters-secrets",
        ]),
        with_flag("directory", IMAGE_ROLES),
    ],
    reads_crossplane: true,
    ..CommandSpec::new("mcp", &[Cluster, Snapshot, Several, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let sources = context.fixed_sources()?;
    let directory = match &args.directory {
        Some(path) => Some(path.canonicalize().with_context(|| format!("directory {}", path.display()))?),
        None => None,
    };
    let program = std::env::current_exe().context("the path of this program")?;
    let tools = tools::offered_tools(context, &sources, directory.as_deref())?;
    let server = McpServer::new(program, tools, &sources);
    if context.ui.interaction() == Interaction::Person {
        context
            .ui
            .message("serving the Model Context Protocol: standard input is read from a program, and Ctrl-D ends it");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        match server.serve(stdio()).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(anyhow::Error::from),
            // The client closed the connection before it sent a message.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(anyhow!("the client does not speak the Model Context Protocol: {error}")),
        }
    });
    // A thread may still be blocked on standard input.
    runtime.shutdown_background();
    served.map(|()| Outcome::Clean).map_err(Error::from)
}
