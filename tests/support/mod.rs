//! The base of the command tests, the sandbox and the bench: real API servers.
//!
//! Tests that can share a cluster (they keep to custom resource groups and
//! namespaces of their own) take [`core_cluster`]; others [`start`] their own:
//!
//! ```ignore
//! let Some(cluster) = support::core_cluster() else { return };
//! ```
#![allow(dead_code, reason = "each target uses its own part")]
#![allow(unreachable_pub, reason = "a module of each target, not a crate of its own")]

pub mod address;
pub mod arguments;
pub mod audit;
pub mod binaries;
pub mod cache;
pub mod certificates;
pub mod cluster;
pub mod command;
pub mod directory;
pub mod function;
pub mod helm;
pub mod hub;
pub mod initial;
pub mod kubeconfig;
pub mod kubelet;
pub mod load;
pub mod objects;
pub mod pool;
pub mod process;
pub mod proxy;
pub mod pythonic;
pub mod recorder;
pub mod sandbox;
pub mod servers;
pub mod store;
pub mod wire;

use std::io::Write as _;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

pub use arguments::Controller;
pub use cluster::{Cluster, Options};

/// The cluster that tests share, started when the first of them asks.
///
/// `None` where no server binaries can be had; see [`start`].
pub fn core_cluster() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    SHARED.get_or_init(|| start(Options::named("core"))).as_ref()
}

/// Starts a cluster for the caller alone.
///
/// `None` if no server binaries are available, which is reported once on standard
/// error, past the test runner's capture. Panics instead where `CI` is `true`,
/// and wherever there are binaries but no cluster comes up.
pub fn start(options: Options) -> Option<Cluster> {
    let binaries = match binaries::Binaries::find(options.needs_controller_manager()) {
        Ok(binaries) => binaries,
        Err(missing) => {
            let line = format!("API SERVER TESTS DID NOT RUN: {missing}");
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{line}");
            static PRINTED: Once = Once::new();
            PRINTED.call_once(|| print_notice(&line));
            return None;
        }
    };
    match Cluster::start(&binaries, options) {
        Ok(cluster) => Some(cluster),
        Err(error) => panic!("{error:#}"),
    }
}

/// Runs async code to its end from anywhere, inside another runtime too.
///
/// Its result (a client, say) is bound to a runtime that ends with it.
pub fn run<T: Send>(code: impl AsyncFnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime starts")
                .block_on(code())
        });
        match thread.join() {
            Ok(output) => output,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Tries until something comes of it; panics after a minute.
pub async fn eventually<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(value) = attempt().await {
            return value;
        }
        assert!(Instant::now() < deadline, "it did not happen in a minute");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Prints a line on standard error where the test runner can not swallow it.
pub fn print_notice(line: &str) {
    // If standard error itself is closed, nothing can be reported.
    let _ = writeln!(std::io::stderr(), "\n{line}");
}
