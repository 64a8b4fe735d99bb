//! Versions of images in kustomize overlays: which are declared, and how they move.

pub mod config;
pub mod discover;
pub mod edit;
pub mod effective;
pub mod environment;
pub mod files;
pub mod image;
pub mod kustomization;
pub mod order;
pub mod path;
pub mod pattern;
pub mod policy;
pub mod repository;
pub mod single;
pub mod workload;
