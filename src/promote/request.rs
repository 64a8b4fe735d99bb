//! What is promoted, and where to.

use std::collections::BTreeSet;

use crate::slot::artifact::{normalized, short};

/// Which versions go where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The environment that versions come from.
    pub from: String,
    /// The environment that they go to.
    pub to: String,
    /// The services that were named, or all.
    pub services: Selection,
    /// Only what is called one of these, where there are any: an artifact, or its last part.
    pub only: Vec<String>,
}

/// Which services take part.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Every service that both environments have.
    All,
    /// These, and it is an error where one cannot.
    Named(BTreeSet<String>),
}

impl Request {
    /// Whether an artifact is one of those that were asked for.
    pub(crate) fn wants(&self, artifact: &str) -> bool {
        let wanted =
            |only: &String| only == artifact || normalized(only) == normalized(artifact) || only == short(artifact);
        self.only.is_empty() || self.only.iter().any(wanted)
    }

    /// Whether an artifact was asked for by its name.
    pub(crate) fn names(&self, artifact: &str) -> bool {
        !self.only.is_empty() && self.wants(artifact)
    }
}
