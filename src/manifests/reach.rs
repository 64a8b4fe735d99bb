//! What renderers may use, and why they come to nothing.

use std::fmt;
use std::path::Path;

use tokio::process::Command;

use crate::program::{inherited, minimal_environment};

/// What renderers may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The files of the checkout.
    Checkout,
    /// Bases and files of other servers as well.
    RemoteBases,
    /// Plugins as well, and programs of the checkout.
    Plugins,
}

impl Reach {
    /// Gives a renderer no more of our environment than it needs.
    pub(super) fn set_environment(self, command: &mut Command, home: &Path) {
        command.current_dir(home);
        if self != Self::Plugins {
            // Remote bases are fetched with the user's keys.
            let users = std::env::home_dir().filter(|_| self == Self::RemoteBases);
            command.env_clear().envs(minimal_environment(users.as_deref().unwrap_or(home))).env("TMPDIR", home);
        }
        match self {
            Self::Checkout => {
                // Should a reference to another server have been overlooked, it is not reached.
                for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
                    command.env(proxy, "http://127.0.0.1:9");
                }
                command.env_remove("NO_PROXY").env_remove("no_proxy").env("GIT_ALLOW_PROTOCOL", "none");
            }
            Self::RemoteBases => {
                command.envs(inherited("SSH_AUTH_SOCK")).env("GIT_ALLOW_PROTOCOL", "https:ssh");
            }
            Self::Plugins => {}
        }
        // Nobody answers a question about a password.
        command.env("GIT_TERMINAL_PROMPT", "0");
    }
}

/// Why a directory came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// It is broken: the renderer's words, whole.
    Broken(String),
    /// It takes something that is not here.
    Unsupported(String),
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(text) => formatter.write_str(text),
            Self::Unsupported(reason) => write!(formatter, "it cannot be rendered here: {reason}"),
        }
    }
}
