//! `kubectl ucp bootstrap`: real repositories on disk, real API servers.

mod asks;
mod failing;
mod hubs;
mod plan;
mod platform;
mod rehearse;
mod rehearse_origins;
mod rights;
mod run;
