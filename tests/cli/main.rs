//! The command line as users see it, one file a command.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod templates;
