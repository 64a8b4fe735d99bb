//! Plans a merge: renders everything that deploys from a checkout before and after the merge, and predicts the effect
//! of the differences on clusters and external resources. Never writes anything.

mod accounts;
mod admission;
mod application_update;
pub mod argo_settings;
mod blocked;
pub mod change;
pub mod compositions;
mod definitions;
pub mod destinations;
mod encrypted;
pub mod engine_facts;
pub mod examine;
pub mod external;
pub mod fan_out;
mod going;
mod ignored_paths;
pub mod immutable;
pub mod item;
mod kind_list;
pub mod order;
pub mod outcome;
mod pairs;
mod permissions;
pub mod prepare;
mod projects;
mod policies;
mod policy_effects;
pub mod reach;
mod recreation;
mod releases;
mod removal;
mod rights;
pub mod run;
pub mod schemas;
mod sops;
mod variables;
