//! Flags for rendering a checkout.

use std::time::Duration;

use ucp_core::model::time::parse_duration;
use ucp_repo::manifests::renderer::{ManifestRenderer, RendererPermissions};

/// The default of `--render-timeout`.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// How a checkout is rendered.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RenderArgs {
    /// Time limit for each renderer
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "2m", hide_short_help = true)]
    render_timeout: Duration,
    /// Fetch bases, files and charts from other servers, with your configuration of Git, SSH and helm
    #[arg(long, hide_short_help = true)]
    allow_remote_bases: bool,
    /// Let kustomize and helm run plugins, and programs of the checkout, with your environment: only for a checkout that
    /// you trust
    #[arg(long, hide_short_help = true)]
    allow_plugins: bool,
}

impl RenderArgs {
    /// Returns the arguments of a command line without any of them.
    pub(super) fn standard() -> Self {
        Self { render_timeout: DEFAULT_TIMEOUT, allow_remote_bases: false, allow_plugins: false }
    }

    /// Returns the renderer that the flags select.
    pub(super) fn renderer(&self) -> ManifestRenderer {
        let reach = match (self.allow_plugins, self.allow_remote_bases) {
            (true, _) => RendererPermissions::Plugins,
            (false, true) => RendererPermissions::RemoteBases,
            (false, false) => RendererPermissions::Checkout,
        };
        ManifestRenderer { timeout: self.render_timeout, reach }
    }
}
