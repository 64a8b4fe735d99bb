//! App clusters and how they join the control plane: from the kubeconfig that a provisioner left in a Secret to a
//! registration with Argo CD or Flux, and back.

pub mod access;
pub mod account;
pub mod argocd;
pub mod candidate;
pub mod carry_out;
pub mod credential;
pub mod deployment;
pub mod engine;
pub mod flux;
pub mod gather;
pub mod grant;
pub mod inventory;
pub mod manifest;
pub mod plan;
pub mod prepare;
pub mod provisioner;
pub mod record;
pub mod registration;
pub mod release;
pub mod remote;
pub mod request;
pub mod rights;
pub mod state;
