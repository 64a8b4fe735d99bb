//! Versions of images in kustomize overlays: which are declared, and how they move.

pub mod edit;
pub mod image;
pub mod order;
