//! What a merge would do: everything that deploys from a checkout, rendered before and after, and what the clusters,
//! and the world outside of them, would make of the difference. Nothing is ever written.

pub mod argo_settings;
pub mod change;
pub mod compositions;
pub mod destinations;
pub mod engine_facts;
pub mod examine;
pub mod external;
pub mod fan_out;
mod going;
pub mod immutable;
pub mod item;
pub mod order;
pub mod outcome;
pub mod prepare;
pub mod reach;
pub mod run;
pub mod schemas;
