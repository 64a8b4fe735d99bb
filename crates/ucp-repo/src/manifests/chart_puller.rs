//! Pulls charts that are not in the checkout, with the user's own configuration of helm.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::process::Command;
use tokio::sync::Mutex;

use crate::manifests::reach::{RenderError, RendererPermissions, set_pull_environment};
use crate::manifests::remote_chart::ChartAddress;
use crate::manifests::renderer::{ManifestRenderer, private_directory};
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::scrub;
use ucp_core::scratch::Scratch;

/// Maximum size of the archive of a chart, and of the index of a repository.
const MOST_CHART: u64 = 256 << 20;

/// Pulls each chart once per run, into a private directory.
pub struct ChartPuller {
    renderer: ManifestRenderer,
    home: Scratch,
    pulled: Mutex<BTreeMap<(ChartAddress, String), Result<PathBuf, RenderError>>>,
}

impl ChartPuller {
    /// Returns one, if renderers may request other servers: the authors of a checkout choose the addresses.
    ///
    /// # Errors
    /// Fails when there is no private directory.
    pub fn new(renderer: ManifestRenderer) -> Result<Option<Self>, Failure> {
        if renderer.reach == RendererPermissions::Checkout {
            return Ok(None);
        }
        let home = Scratch::new().map_err(|error| Failure::from(error.to_string()))?;
        Ok(Some(Self { renderer, home, pulled: Mutex::default() }))
    }

    /// Pulls a chart, and returns its archive.
    pub(super) async fn pull(&self, address: &ChartAddress, version: &str) -> Result<PathBuf, RenderError> {
        let mut pulled = self.pulled.lock().await;
        let key = (address.clone(), version.to_owned());
        if let Some(known) = pulled.get(&key) {
            return known.clone();
        }
        let found = self.run_helm(address, version, pulled.len()).await;
        pulled.insert(key, found.clone());
        found
    }

    async fn run_helm(&self, address: &ChartAddress, version: &str, number: usize) -> Result<PathBuf, RenderError> {
        let refused = |why: &str| {
            Err(RenderError::Unsupported(format!(
                "its chart {} {version} was not pulled: {why}",
                address.shell_arguments()
            )))
        };
        // Other schemes run plugins of helm.
        let url = address.repository.as_ref().unwrap_or(&address.reference);
        if !url.starts_with("https://") && !url.starts_with("oci://") {
            return refused("only https:// and oci:// are pulled");
        }
        let directory = self.home.path().join(number.to_string());
        let broken = |error: std::io::Error| RenderError::Broken(error.to_string());
        std::fs::create_dir(&directory).map_err(broken)?;
        let mut command = Command::new("helm");
        command.arg("pull").arg(format!("--version={version}")).arg("--destination").arg(&directory);
        if let Some(url) = &address.repository {
            command.arg(format!("--repo={url}"));
        }
        let home = private_directory()?;
        command.arg("--").arg(&address.reference);
        set_pull_environment(&mut command, home.path());
        match self.renderer.run_prepared(&mut command, Some(MOST_CHART)).await {
            Ok(_) => {}
            Err(RenderError::Broken(text)) => return refused(&scrub(&text)),
            Err(unsupported) => return Err(unsupported),
        }
        let mut files = std::fs::read_dir(&directory).map_err(broken)?.flatten();
        match (files.next(), files.next()) {
            (Some(only), None) => std::fs::canonicalize(only.path()).map_err(broken),
            _ => refused("helm wrote no archive"),
        }
    }
}
