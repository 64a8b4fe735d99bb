//! Holders of accounts in app clusters.

use ucp_core::model::git_ops::GitOps;

/// The program that a registration or account is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccountHolder {
    /// An engine that deploys to the app cluster.
    Engine(GitOps),
    /// `kubectl ucp secrets`, which copies Secrets to the app cluster.
    Secrets,
}

impl AccountHolder {
    /// The holder as part of object names and in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Engine(engine) => engine.as_str(),
            Self::Secrets => "secrets",
        }
    }

    /// The holder's name in messages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Engine(engine) => engine.title(),
            Self::Secrets => "'kubectl ucp secrets'",
        }
    }

    /// The engine, if the holder is one.
    pub const fn engine(self) -> Option<GitOps> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Secrets => None,
        }
    }
}

impl PartialEq<GitOps> for AccountHolder {
    fn eq(&self, engine: &GitOps) -> bool {
        self.engine() == Some(*engine)
    }
}
