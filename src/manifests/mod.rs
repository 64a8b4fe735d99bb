//! From Git to objects: which Applications and Kustomizations take their manifests from a checkout, and what those
//! manifests come to.

pub mod checkout;
pub mod deployment;
pub mod kustomization;
pub mod reach;
pub mod references;
pub mod renderer;
pub mod selection;
pub mod side;
pub mod substitution;
