//! Bootstrap of a core cluster: the desired state in a repository, the missing objects, and their order.
//!
//! A checkout is searched for the installation of Argo CD or Flux and for their root objects. `bootstrap` applies only
//! these. The engines apply everything else, and `bootstrap` waits for it.

pub mod compare;
pub mod controller;
pub mod demand;
pub mod desire;
pub mod family;
pub mod gather;
pub mod hub;
pub mod missing;
pub mod plan;
pub mod provider;
pub mod rehearsal;
pub mod scan;
mod sealed;
pub mod secret;
pub mod wave;
pub mod write;

pub use plan::{BootstrapAction, BootstrapStep, StepActor};
pub use wave::Wave;
