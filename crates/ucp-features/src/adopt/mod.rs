//! App clusters and their adoption: from the kubeconfig in a provisioner's Secret to a registration with Argo CD or
//! Flux, and back.
//!
//! ```text
//! Secrets ── candidate ──► access, credential ─┐
//! managed resources ──── provisioner ──────────┼─► inventory, state        (pure)
//! registrations ── argocd, flux ── record ─────┘        │
//!                                                       ▼
//!                        request ──► plan ──► manifest, grant, git         (pure)
//!                                     │
//!                        live: ask the app cluster, carry out, release
//! ```

pub mod access;
pub mod argocd;
pub mod candidate;
pub mod cluster;
pub mod credential;
pub mod deployment;
pub mod distributor;
pub mod endpoint;
pub mod flux;
pub mod git;
pub mod grant;
pub mod grant_rules;
pub mod grounds;
pub mod hazard;
pub mod holder;
pub mod homes;
pub mod inventory;
pub mod kubeconfig;
pub mod links;
pub mod live;
pub mod manifest;
pub mod names;
pub mod owner;
pub mod plan;
pub mod provisioner;
pub mod record;
pub mod redaction;
pub mod registration;
pub mod request;
pub mod secrets;
pub mod state;
pub mod watch_role;
