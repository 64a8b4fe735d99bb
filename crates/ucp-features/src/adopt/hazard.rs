//! Hazards in a kubeconfig or registration that flags have to allow, and other reasons not to connect.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;

use crate::adopt::credential::CredentialType;

/// A hazard in a kubeconfig from a Secret, which is refused unless a flag allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// It runs a program on the local machine.
    Exec,
    /// It sends traffic through a proxy that the kubeconfig's author chose.
    Proxy,
    /// It accepts any server certificate.
    InsecureTls,
    /// Its server is `localhost`, which is another machine here than for the kubeconfig's author.
    Localhost,
    /// It sends everything in clear text, to a server that proves no identity.
    Http,
    /// Its server is a link-local address or a metadata service, in the network of the local machine.
    LinkLocal,
}

/// The hazards that flags allow.
pub type AllowedHazards = BTreeSet<Hazard>;

impl Hazard {
    /// Hazards of endpoints. A decision about them can be stored in the registration of that endpoint. An exec plugin
    /// is allowed for one run only.
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

    /// The hazard as it is stored in the annotation of a registration.
    pub fn annotation_value(self) -> &'static str {
        self.flag().trim_start_matches("--allow-")
    }

    /// Parses a hazard of an endpoint from its annotation.
    pub fn from_annotation_value(word: &str) -> Option<Self> {
        Self::OF_ENDPOINTS.into_iter().find(|hazard| hazard.annotation_value() == word)
    }
}

/// The reason why an access cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The kubeconfig contains no credential.
    Empty,
    /// The credential needs something that is not available.
    Impossible(&'static str),
    /// A hazard that no flag allowed.
    NotAllowed(Hazard),
    /// The credential expired.
    Expired(CredentialType, Timestamp),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("its kubeconfig contains no credential (empty user)"),
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
    /// A hint on how to solve it.
    pub const fn hint(&self) -> &'static str {
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
                "find out who wrote this URL; allow it with --allow-http only in a closed test network"
            }
            Self::NotAllowed(Hazard::LinkLocal) => "find out who wrote this URL, or allow it with --allow-link-local",
            Self::Expired(..) => {
                "find out why its controller does not refresh it (kubectl ucp status), or pass a credential with --bootstrap-context"
            }
        }
    }
}
