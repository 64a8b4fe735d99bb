//! What Crossplane's core would make of composites: their Compositions' pipelines, run by the functions themselves, until
//! nothing changes any more. Facts are from core's `internal/controller/apiextensions` (v2.3.4). Left out, and said so:
//! `mode: Resources`, native patch-and-transform, connection details that a pipeline makes, schemas that it requires.

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
