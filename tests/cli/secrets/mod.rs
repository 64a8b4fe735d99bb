//! `kubectl ucp secrets`: every seeded state is reported, none is invented, from files, live, and from snapshots.

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
