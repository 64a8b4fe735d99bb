//! From Git to objects: finds the Applications and Kustomizations that deploy from a checkout, and renders their
//! manifests.

pub mod checkout;
pub mod deployment;
pub mod kustomization;
pub mod reach;
pub mod references;
pub mod renderer;
pub mod selection;
pub mod side;
pub mod substitution;
pub mod unrendered;
