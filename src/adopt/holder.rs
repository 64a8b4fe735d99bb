//! Who gets into an app cluster by an adoption.

use crate::model::git_ops::GitOps;

/// Whose account it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    /// An engine that deploys there.
    Engine(GitOps),
    /// `kubectl ucp secrets`, which copies Secrets there.
    Secrets,
}

impl Holder {
    /// The word for it in names and output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Engine(engine) => engine.as_str(),
            Self::Secrets => "secrets",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Engine(engine) => engine.title(),
            Self::Secrets => "'kubectl ucp secrets'",
        }
    }

    /// The engine, where it is one.
    pub const fn engine(self) -> Option<GitOps> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Secrets => None,
        }
    }
}

impl PartialEq<GitOps> for Holder {
    fn eq(&self, engine: &GitOps) -> bool {
        self.engine() == Some(*engine)
    }
}
