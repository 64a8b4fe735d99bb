//! Permissions of renderers, and their errors.

use std::fmt;
use std::path::Path;

use tokio::process::Command;

use ucp_core::failure::Failure;
use ucp_core::program::{inherited, minimal_environment};

/// Permissions of renderers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RendererPermissions {
    /// Only the files of the checkout.
    Checkout,
    /// Also bases and files of other servers.
    RemoteBases,
    /// Also plugins, and programs of the checkout.
    Plugins,
}

/// A proxy that does not exist.
const NO_SERVER: &str = "http://127.0.0.1:9";
/// Where helm finds the user's logins.
const HELM_SETTINGS: [&str; 5] =
    ["HELM_CONFIG_HOME", "HELM_REGISTRY_CONFIG", "HELM_REPOSITORY_CONFIG", "XDG_CONFIG_HOME", "DOCKER_CONFIG"];

impl RendererPermissions {
    /// Sets the minimal environment that a renderer needs.
    pub(super) fn set_environment(self, command: &mut Command, home: &Path) {
        command.current_dir(home);
        if self != Self::Plugins {
            // Remote bases are fetched with the user's keys.
            let users = std::env::home_dir().filter(|_| self == Self::RemoteBases);
            command.env_clear().envs(minimal_environment(users.as_deref().unwrap_or(home))).env("TMPDIR", home);
        }
        match self {
            Self::Checkout => {
                // Blocks requests to other servers, in case a reference was missed.
                for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
                    command.env(proxy, NO_SERVER);
                }
                command.env_remove("NO_PROXY").env_remove("no_proxy").env("GIT_ALLOW_PROTOCOL", "none");
            }
            Self::RemoteBases => {
                command.envs(inherited("SSH_AUTH_SOCK")).env("GIT_ALLOW_PROTOCOL", "https:ssh");
            }
            Self::Plugins => {}
        }
        // Password prompts cannot be answered.
        command.env("GIT_TERMINAL_PROMPT", "0");
    }
}

/// Sets the environment of a helm that pulls a chart with the user's logins: nothing else of the user's is passed on or written,
/// and no plugin runs.
pub(super) fn set_pull_environment(command: &mut Command, home: &Path) {
    let users = std::env::home_dir();
    command
        .current_dir(home)
        .env_clear()
        .envs(minimal_environment(users.as_deref().unwrap_or(home)))
        .env("TMPDIR", home);
    command.envs(HELM_SETTINGS.iter().filter_map(|name| inherited(name)));
    command.env("HELM_CACHE_HOME", home).env("HELM_PLUGINS", home.join("plugins"));
    // The index of a repository may name a server without encryption, such as the metadata service of a cloud.
    command.env("HTTP_PROXY", NO_SERVER).env("http_proxy", NO_SERVER);
}

/// The reason why a directory could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// The directory is broken: the renderer's complete message.
    Broken(String),
    /// It requires something that is not available here.
    Unsupported(String),
}

impl From<Failure> for RenderError {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure.into())
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(text) => formatter.write_str(text),
            Self::Unsupported(reason) => write!(formatter, "it cannot be rendered here: {reason}"),
        }
    }
}
