//! Somebody wants it to stop: Ctrl-C at a terminal, SIGTERM in a cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends when somebody wants it to stop. From its first call on, the signal does not end the process by itself.
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

/// Remembers that somebody wanted it to stop.
#[derive(Debug, Clone, Default)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Begins to listen, in the background of a runtime.
    pub fn listen(runtime: &tokio::runtime::Runtime) -> Self {
        let interruption = Self::default();
        let heard = interruption.clone();
        runtime.spawn(async move {
            interrupted().await;
            heard.0.store(true, Ordering::Relaxed);
        });
        interruption
    }

    /// Whether it should stop.
    pub fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
