//! Predicts the result of reconciling composites in Crossplane's core: calls the functions of their Compositions'
//! pipelines until the result is stable. Sources: core's `internal/controller/apiextensions` (v2.3.4). Not supported,
//! and reported as such: `mode: Resources`, native patch-and-transform, connection details that a pipeline makes,
//! schemas that it requires.

pub mod answer;
pub mod blueprint;
pub mod claim;
pub mod definition;
pub mod desired;
pub mod function;
pub mod identity;
pub mod pipeline;
pub mod protocol;
pub mod reconcile;
mod run;
pub mod selection;
pub mod sent;
pub mod settled;
pub mod value;
pub mod view;
