//! `kubectl ucp bootstrap`: real repositories on disk, real API servers.

mod asks;
mod completion;
mod failing;
mod hubs;
mod plan;
mod platform;
mod races;
mod rehearse;
mod rehearse_origins;
mod rights;
mod run;
