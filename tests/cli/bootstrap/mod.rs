//! `kubectl ucp bootstrap`: real repositories on disk, real API servers.

mod plan;
mod platform;
mod rights;
mod run;
