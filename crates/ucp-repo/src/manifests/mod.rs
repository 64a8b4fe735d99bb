//! From Git to objects: finds the Applications and Kustomizations that deploy from a checkout, and renders their
//! manifests.

pub mod application_set;
pub mod argo_environment;
pub mod capabilities;
mod chart_content;
pub mod chart_puller;
mod chart_schemas;
pub mod chart_traits;
pub mod checkout;
pub mod deployer_set;
pub mod deployment;
pub mod generator;
mod generator_budget;
pub mod go_template;
mod helm_assignment;
pub mod kustomization;
mod kustomization_deployment;
mod merge;
mod plain_directory;
pub mod reach;
mod reference_texts;
pub mod references;
pub mod release;
pub mod release_recipe;
pub mod release_renderer;
pub mod release_values;
pub mod renderer;
mod renderer_output;
pub mod selection;
mod set_deployment;
pub mod side;
pub mod substitution;
pub mod unrendered;
pub mod variables;
