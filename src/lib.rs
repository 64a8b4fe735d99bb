//! `kubectl ucp`: one command line for core clusters, where Kubernetes is a universal control plane.
//!
//! The map, from the top down. A module imports what stands on lower lines, and nothing else; `tests/cli/house.rs` reads
//! this list and every import, and fails on one that points upwards, sideways or in a circle.
//!
//! ```text
//! cli           one file a command: gathers facts into a report, then has it rendered
//! complete      what TAB offers: words of the definition, names out of clusters and files
//! render        from a report to text: table, JSON, YAML, markdown, templates               (pure)
//! promote       what is asked, against what is declared and runs: a plan of edits
//! report        the documents of ucp/v1: Status, ResourceList, Plan, …                      (pure)
//! wait          whether objects are as somebody wants them, or never will be                (pure)
//! drift         where declared, live and external state differ                              (pure)
//! conflict      objects that stand for one and the same thing outside                        (pure)
//! doctor        whether it will still work tomorrow, and through the next upgrade           (pure)
//! bootstrap     the first day: what a repository wants of a core cluster, and what of it lacks
//! distribution  Secrets of the core cluster that app clusters need, and whether they have them
//! scaffold      a new service: a copy of one that there is, and whether its names join       (pure)
//! import        what exists outside: manifests that observe it, and then own it           (pure)
//! plan          what a merge would do, in the clusters and outside
//! teardown      what goes, stays or blocks when something is deleted                      (pure)
//! composition   what core would make of a composite: its pipeline, run by the functions themselves
//! manifests     from a checkout to objects: Git, kustomize, Helm
//! prediction    from an object to what a server would hold: dry runs only
//! capture       what `snapshot` writes: every kind as a stream, with its secrets hidden
//! adopt         app clusters: which there are, what their credentials are worth, how each is registered
//! gitops        kustomizations of a repository: services, environments, versions
//! slot          one file of any kind: the places in it where versions stand, and their edits (pure)
//! yaml          edits of bytes, and the guard that reads them again                         (pure)
//! engine        Crossplane, Argo CD, Flux: from a ClusterState to facts                     (pure)
//! graph         objects and what they have to do with each other: from Git to what is outside (pure)
//! source        live clusters and snapshots: from either to the same ClusterState
//! git           private trees, commits, pushes that outlive races
//! ui            the terminal: data, messages, progress, questions
//! program       other programs: the environment that they get
//! error         how a command ends
//! scratch       private directories, which go away however the process ends
//! regular_file  regular files, opened without following links or blocking
//! model         resource, condition, verdict, finding, text: what all of the above speak of (pure)
//! ```
//!
//! Engines see a [`model::state::ClusterState`] and never a client, so a live cluster and a snapshot of it give the same
//! answer. `render` takes reports and never asks a cluster.

pub mod adopt;
pub mod bootstrap;
pub mod capture;
pub mod cli;
pub mod complete;
pub mod composition;
pub mod conflict;
pub mod distribution;
pub mod doctor;
pub mod drift;
pub mod engine;
pub mod error;
pub mod git;
pub mod gitops;
pub mod graph;
pub mod import;
pub mod manifests;
pub mod model;
pub mod plan;
pub mod prediction;
pub mod program;
pub mod promote;
pub mod regular_file;
pub mod render;
pub mod report;
pub mod scaffold;
pub mod scratch;
pub mod slot;
pub mod source;
pub mod teardown;
pub mod ui;
pub mod wait;
pub mod yaml;
