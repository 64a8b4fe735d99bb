//! Something real to try every command against: `cargo run --example sandbox`.

#[path = "support/mod.rs"]
mod support;

use std::io::Write as _;

use anyhow::{Result, bail};
use support::sandbox::Sandbox;
use tokio::signal;

fn main() -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "Starting a core cluster and the app clusters prod and stage ...")?;
    let Some(sandbox) = Sandbox::start() else {
        bail!("the sandbox needs Kubernetes' servers");
    };
    // target/debug/examples/sandbox
    let executable = std::env::current_exe()?;
    let binaries = executable.ancestors().nth(2).unwrap_or(&executable);
    writeln!(
        out,
        "
    export KUBECONFIG={}
    export PATH={}:$PATH   # after `cargo build`

    kubectl ucp status              # the control plane on one page
    kubectl ucp resources -o wide   # what it manages
    kubectl get managed             # the same, as kubectl shows it
    kubectl --context prod get all  # the contexts are core, prod and stage
    kubectl ucp clusters            # prod and stage are not registered yet
    kubectl ucp adopt-cluster --all --engine argocd --allow-localhost

    cd {}
    kubectl ucp images --running    # what the repository declares, and what runs
    kubectl ucp plan .              # what a merge would change

One thing of each engine is broken: 'kubectl ucp status' says which, and what to do.

Ctrl-C ends the clusters and removes their files.",
        sandbox.kubeconfig().display(),
        binaries.display(),
        sandbox.checkout().display(),
    )?;
    support::run(async || interrupted().await)?;
    writeln!(out, "Ending ...")?;
    drop(sandbox);
    Ok(())
}

/// Returns at Ctrl-C, and where there is one at a request to terminate.
async fn interrupted() -> Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = signal::unix::signal(signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupt = signal::ctrl_c() => interrupt?,
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    signal::ctrl_c().await?;
    Ok(())
}
