//! `kubectl ucp bootstrap`: real repositories on disk, real API servers.

mod asks;
mod plan;
mod platform;
mod rehearse;
mod rights;
mod run;
