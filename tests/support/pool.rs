//! Servers of clusters that tests no longer need, for the next ones. To empty them costs a tenth of a start.

use std::sync::{Mutex, PoisonError};

use super::servers::Servers;

/// Servers that are kept. Each of them costs memory, and some time of a core.
const KEPT: usize = 6;

static IDLE: Mutex<Vec<Servers>> = Mutex::new(Vec::new());

/// Servers on which nothing is left of the tests before.
pub fn take() -> Option<Servers> {
    loop {
        let mut servers = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        match servers.reset() {
            Ok(()) => return Some(servers),
            Err(why) => super::print_notice(&format!("an API server is not used again: {why:#}")),
        }
    }
}

/// Keeps servers for the next test, or ends them.
pub fn give_back(servers: Servers) {
    if servers.are_reusable() && !std::thread::panicking() {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(servers);
        }
    }
}
