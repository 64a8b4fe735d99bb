//! `kubectl ucp`: one command line for core clusters, where Kubernetes is a universal control plane.
//!
//! ```text
//! plugins/kubectl-ucp.rs
//!        │
//!       cli ── one file a command: gather facts into a report, then render it
//!        │
//!        ├── complete ── what TAB offers: words of the definition, names out of clusters and files
//!        ├── source ── live cluster or snapshot  ─┐
//!        │                                        ▼
//!        ├── engine ── crossplane, argocd, flux: ClusterState → facts   (pure)
//!        ├── drift  ── declared, live and external state compared         (pure)
//!        ├── plan   ── what a merge would do, of:
//!        │     manifests ── from a checkout to objects: Git, kustomize, Helm
//!        │     prediction ── from an object to what a server would hold: dry runs only
//!        ├── report ── the documents of ucp/v1: Status, ResourceList, … (pure)
//!        └── render ── table, JSON, YAML, markdown, jsonpath            (pure)
//!
//!       adopt ── app clusters: which there are, what their credentials are worth, how each is registered
//!
//!       model ── resource, condition, verdict, finding: what all of the above speak of
//!
//!       cli ── images, promote, set-image
//!        │
//!        ├── gitops ─── kustomizations of a repository → services, environments, versions
//!        ├── promote ── what is asked, against what is declared and runs → a plan of edits   (pure)
//!        ├── yaml ───── edits of bytes, and the guard that reads them again                  (pure)
//!        └── git ────── private trees, commits, pushes that outlive races
//! ```
//!
//! Imports point downwards only. Engines see a [`model::state::ClusterState`] and never a client, so a live
//! cluster and a snapshot of it give the same answer. `render` takes reports and never asks a cluster.

pub mod adopt;
pub mod cli;
pub mod complete;
pub mod drift;
pub mod engine;
pub mod error;
pub mod git;
pub mod gitops;
pub mod manifests;
pub mod model;
pub mod plan;
pub mod prediction;
pub mod promote;
pub mod render;
pub mod report;
pub mod source;
pub mod ui;
pub mod yaml;
