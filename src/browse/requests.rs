//! Types of requests and answers of the browser, and its start.

use std::sync::Arc;

use super::RenderText;
use crate::report::clusters::ClusterList;
use crate::report::drift::DriftReport;
use crate::report::history::History;
use crate::report::tree::Tree;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;

/// Something to read for the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadRequest {
    /// The tree of an object.
    Tree(ObjectPlace),
    /// An object as YAML, with secrets hidden.
    Yaml(ObjectPlace),
    /// The differences of an object.
    ObjectDrift(ObjectPlace),
    /// The events about an object, and the history of its tree.
    Events(ObjectPlace),
    /// The probable causes of the last failure of an object.
    Causes(ObjectPlace),
    /// The explanation of a code.
    Explanation(String),
    /// All app clusters.
    AppClusters,
    /// All differences.
    Drift,
    /// Versions of services in environments.
    Versions,
    /// What happened in one source; `None` for snapshots, which are read together as nights of one core cluster.
    History(Option<Arc<Origin>>),
}

/// An object in one of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPlace {
    /// The source; `None` for the only one.
    pub source: Option<Arc<Origin>>,
    /// The object.
    pub object: ObjectName,
}

/// The answer to a [`ReadRequest`].
pub enum ReadAnswer {
    /// A tree.
    Tree(Box<Tree>),
    /// A text that is laid out for a width.
    Text(RenderText),
    /// App clusters.
    AppClusters(ClusterList),
    /// Differences.
    Drift(DriftReport),
    /// What happened.
    History(Box<History>),
}

/// Something that the browser needs done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// End.
    Quit,
    /// Stop until the shell continues this process.
    Suspend,
    /// Read something, and pass the answer with this number to `Browser::answer`.
    Read(u64, ReadRequest),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Follow this context instead, or the same one again, in a namespace or in all.
    Connect {
        /// The context; `None` for the same sources as before.
        context: Option<String>,
        /// The namespace.
        namespace: Option<String>,
    },
}

/// What the browser starts with.
#[derive(Debug, Clone, Default)]
pub struct BrowserStart {
    /// The sources, in the order of the command line.
    pub sources: Vec<Arc<Origin>>,
    /// The contexts to switch to.
    pub contexts: Vec<String>,
    /// The namespace of `-n`, which restricts what is read.
    pub namespace: Option<String>,
    /// The label selector of `-l`.
    pub selector: Option<String>,
    /// The current directory, whose repository declares the versions.
    pub directory: String,
}
