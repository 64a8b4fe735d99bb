//! `kubectl ucp secrets`: every seeded state is told, none is invented, from files, live, and from snapshots of what is live.

#![allow(unreachable_pub, reason = "modules of one test")]

mod adopted;
mod declare;
mod errors;
mod faults;
mod guarded;
mod many;
mod meant;
mod permissions;
mod seeds;
pub mod stage;
mod states;
mod stopped;
mod surfaces;
mod sync;
mod unread;
mod watch;
