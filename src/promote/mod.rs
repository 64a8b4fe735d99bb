//! Versions of images in kustomize overlays: which are declared, and how they move.

pub mod edit;
pub mod files;
pub mod image;
pub mod order;
pub mod policy;
pub mod single;
