//! `kubectl ucp`: one command line for core clusters, where Kubernetes is a universal control plane.
//!
//! Map of the crates and their modules, from top to bottom. A module imports only modules on lower lines. This crate is
//! in `src`, the others are in `crates`. `tests/cli/house.rs` reads this list and every import, and fails on an import
//! that points upwards, sideways, or in a circle.
//!
//! ```text
//! kubectl-ucp     the command line: arguments, documents, output
//!   cli           one file per command: gathers facts into a report and renders it
//!   browse        state and views of `ui`: keys and answers in, frames and effects out  (pure)
//!   complete      shell completion: words of the command line, names from clusters and files
//!   serve         the Kubernetes API, answered from a snapshot  (pure)
//!   render        reports to text: table, JSON, YAML, markdown, templates  (pure)
//!   promote       promotions: from a request and the declared and running versions to a plan of edits
//!   report        the documents of ucp/v1: Status, ResourceList, Plan, …  (pure)
//!   ui            the terminal: data, messages, progress, prompts
//!   web           web servers on loopback, which only read
//! ucp-features    subjects of the commands: facts, plans, and changes, without arguments and output
//!   wait          conditions of `wait`: met, pending, or never to be met  (pure)
//!   drift         differences between declared, live, and external state  (pure)
//!   conflict      objects that represent the same external resource  (pure)
//!   history       occurrences of the past: changes, failures, their causes, and gaps  (pure)
//!   doctor        checks for problems to come, and for the next upgrade  (pure)
//!   bootstrap     setup of a core cluster: a repository's requirements, and those not met
//!   distribution  Secrets of the core cluster that app clusters need, and the state of the copies
//!   scaffold      new services: copies of existing ones, and checks of their names  (pure)
//!   import        external resources: manifests that observe them, and then manage them  (pure)
//!   plan          effects of a merge, in the clusters and outside
//!   teardown      effects of a deletion: objects deleted, kept, or blocking  (pure)
//!   composition   objects that a composite gets: its pipeline, run by the functions themselves
//!   capture       contents of a snapshot: every kind as a stream, with secrets hidden
//!   forge         pull requests: APIs of forges, tokens, the one open pull request of a change
//!   adopt         app clusters: discovery, validity of credentials, registration
//!   registry      packages in registries, with the user's credentials
//!   upgrade       new versions of definitions, and their effects on live objects  (pure)
//!   schema        schemas of CRDs: fields, defaults, pruning, validation  (pure)
//! ucp-repo        Git repositories: YAML edits, versions, kustomizations, manifests
//!   manifests     checkouts to objects: Git, kustomize, Helm
//!   gitops        kustomizations of a repository: services, environments, versions
//!   slot          one file of any kind: the places of versions in it, and their edits  (pure)
//!   yaml          edits of bytes, and the check that parses the result  (pure)
//!   git           private checkouts, commits, pushes with retries
//! ucp-client      clusters and snapshots: connections, lists, watches, dry runs
//!   prediction    objects to their state after apply: dry runs only
//!   source        live clusters and snapshots: from either to the same ClusterState
//! ucp-core        types and pure rules that all other crates use: objects, secrecy, engines, links
//!   engine        Crossplane, Argo CD, Flux: from a ClusterState to facts  (pure)
//!   graph         objects and their links: from Git to external resources  (pure)
//!   program       environments of other programs
//!   error         outcomes, errors, and exit codes
//!   scratch       private directories, removed when the process ends
//!   regular_file  regular files, opened without following links or blocking
//!   model         resource, condition, verdict, finding, text: shared types of all modules  (pure)
//!   failure       reasons why one piece of work could not be done  (pure)
//! ```
//!
//! Engines read a [`ucp_core::model::state::ClusterState`] and never use a client, so a live cluster and a snapshot of
//! it give the same result. `render` takes reports and never sends requests to a cluster.

pub mod browse;
pub mod cli;
pub mod complete;
pub mod promote;
pub mod render;
pub mod report;
pub mod serve;
pub mod ui;
pub mod web;
