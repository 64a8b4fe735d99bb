//! What in a kubeconfig or registration is not followed unless a flag allows it, and other reasons not to connect.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;

use crate::adopt::credential::CredentialType;

/// What in a kubeconfig from a Secret is not followed unless a flag allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// It starts a program here.
    Exec,
    /// Traffic goes where the kubeconfig's author likes.
    Proxy,
    /// Anybody may answer for the server.
    InsecureTls,
    /// `localhost` here is not `localhost` there.
    Localhost,
    /// Everything is sent in clear text, to a server that proves nothing.
    Http,
    /// Link-local addresses and those of metadata services: the network of the machine that asks.
    LinkLocal,
}

/// What the flags allow.
pub type Allowed = BTreeSet<Hazard>;

impl Hazard {
    /// Hazards of an endpoint. A decision about them can be kept with the registration of that endpoint. A program is
    /// allowed for one run only.
    pub const OF_ENDPOINTS: [Self; 5] = [Self::Proxy, Self::InsecureTls, Self::Localhost, Self::Http, Self::LinkLocal];

    /// The flag that allows it.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Exec => "--allow-exec",
            Self::Proxy => "--allow-proxy",
            Self::InsecureTls => "--allow-insecure",
            Self::Localhost => "--allow-localhost",
            Self::Http => "--allow-http",
            Self::LinkLocal => "--allow-link-local",
        }
    }

    /// The word for it in the annotation of a registration.
    pub fn word(self) -> &'static str {
        self.flag().trim_start_matches("--allow-")
    }

    /// The hazard of an endpoint with this word.
    pub fn of_endpoint(word: &str) -> Option<Self> {
        Self::OF_ENDPOINTS.into_iter().find(|hazard| hazard.word() == word)
    }
}

/// Why a way into a cluster can not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It holds no credential.
    Empty,
    /// It needs something that is not there.
    Impossible(&'static str),
    /// It does what no flag allowed.
    NotAllowed(Hazard),
    /// Its credential ended.
    Expired(CredentialType, Timestamp),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("its kubeconfig holds no credential (empty user)"),
            Self::Impossible(reason) => formatter.write_str(reason),
            Self::NotAllowed(Hazard::Exec) => formatter.write_str("its kubeconfig uses an exec credential plugin"),
            Self::NotAllowed(Hazard::Proxy) => formatter.write_str("its kubeconfig uses a proxy"),
            Self::NotAllowed(Hazard::InsecureTls) => formatter.write_str("its kubeconfig skips TLS verification"),
            Self::NotAllowed(Hazard::Localhost) => {
                formatter.write_str("its server is localhost, which is not reachable from other machines")
            }
            Self::NotAllowed(Hazard::Http) => {
                formatter.write_str("its server is an http:// URL: credentials would be sent in clear text")
            }
            Self::NotAllowed(Hazard::LinkLocal) => formatter
                .write_str("its server is a link-local address or a metadata service of the machine that connects"),
            Self::Expired(kind, moment) => {
                write!(formatter, "its {} expired at {}", kind.as_str(), moment.strftime("%Y-%m-%d %H:%M:%SZ"))
            }
        }
    }
}

impl Obstacle {
    /// What to do about it.
    pub const fn way_out(&self) -> &'static str {
        match self {
            Self::Empty => {
                "pass a credential with --bootstrap-context, or use a cloud identity with --auth gcp|aws|azure"
            }
            Self::Impossible(_) => "pass a credential with --bootstrap-context",
            Self::NotAllowed(Hazard::Localhost) => {
                "configure the provisioner to write an external address (vcluster: exportKubeConfig.server), or pass --allow-localhost in a test setup"
            }
            Self::NotAllowed(Hazard::Exec) => {
                "allow it with --allow-exec, or pass a credential with --bootstrap-context"
            }
            Self::NotAllowed(Hazard::Proxy) => "allow it with --allow-proxy",
            Self::NotAllowed(Hazard::InsecureTls) => "allow it with --allow-insecure",
            Self::NotAllowed(Hazard::Http) => {
                "find out who wrote that URL; only in a closed test network, allow it with --allow-http"
            }
            Self::NotAllowed(Hazard::LinkLocal) => "find out who wrote that URL, or allow it with --allow-link-local",
            Self::Expired(..) => {
                "find out why its controller does not refresh it (kubectl ucp status), or pass a credential with --bootstrap-context"
            }
        }
    }
}
