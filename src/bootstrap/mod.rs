//! The first day of a core cluster: what a repository wants of it, what of that lacks, and in which order it comes.
//!
//! A checkout is searched for what installs Argo CD or Flux and for what these deploy from. That much is applied from
//! here; everything else the engines bring by themselves, and is only waited for.

pub mod compare;
pub mod demand;
pub mod desire;
pub mod gather;
pub mod hub;
pub mod plan;
pub mod provider;
pub mod rehearsal;
pub mod scan;
pub mod secret;
pub mod wave;
pub mod write;

pub use plan::{Action, By, Step};
pub use wave::Wave;
