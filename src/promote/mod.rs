//! Versions of images in kustomize overlays: which are declared, and how they move.

pub mod assign;
pub mod config;
pub mod copy;
pub mod discover;
pub mod edit;
pub mod effective;
pub mod environment;
pub mod files;
pub mod image;
pub mod kustomization;
pub mod matrix;
pub mod order;
pub mod path;
pub mod pattern;
pub mod placement;
pub mod plan;
pub mod policy;
pub mod reconcile;
pub mod repository;
pub mod rule;
pub mod running;
pub mod single;
pub mod workload;
