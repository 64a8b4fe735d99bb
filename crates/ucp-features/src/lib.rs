//! Subjects of the commands: facts, plans, and changes, without arguments and output.
//!
//! `src/lib.rs` of the repository has the map of all modules.

pub mod adopt;
pub mod bootstrap;
pub mod capture;
pub mod composition;
pub mod conflict;
pub mod distribution;
pub mod doctor;
pub mod drift;
pub mod forge;
pub mod history;
pub mod import;
pub mod plan;
pub mod registry;
pub mod scaffold;
pub mod schema;
pub mod teardown;
pub mod upgrade;
pub mod wait;
