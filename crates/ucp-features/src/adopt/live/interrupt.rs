//! Requests to stop: Ctrl-C at a terminal, SIGTERM in a cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Completes on a request to stop. From the first call on, the signal no longer ends the process.
pub async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Remembers that a request to stop was received.
#[derive(Debug, Clone, Default)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Starts to listen for signals in the background of a runtime.
    pub fn listen(runtime: &tokio::runtime::Runtime) -> Self {
        let interruption = Self::default();
        let heard = interruption.clone();
        runtime.spawn(async move {
            interrupted().await;
            heard.0.store(true, Ordering::Relaxed);
        });
        interruption
    }

    /// Returns true after a request to stop.
    pub fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
