//! x
pub mod cli;
