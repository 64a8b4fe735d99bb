//! Exec plugins of kubeconfigs, which print a credential. The plugin runs here, and not in kube, where its credential can
//! be checked before it becomes a header: kube panics on a token with a line break. A credential that does not expire is
//! then passed on, and the plugin does not run again.

use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::client::AuthError;
use kube::config::{ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::json;

/// The part of an `ExecCredential` that holds the credential.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExecStatus {
    pub(super) expiration_timestamp: Option<String>,
    pub(super) token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

impl ExecStatus {
    /// Returns the client certificate and its key in base64, as fields of a kubeconfig.
    pub(super) fn certificate(&self) -> Option<(String, String)> {
        let encoded = |text: &Option<String>| text.as_ref().map(|text| BASE64.encode(text));
        encoded(&self.client_certificate_data).zip(encoded(&self.client_key_data))
    }
}

/// Runs an exec plugin. Returns `None` if its output has another form, which kube reports.
///
/// # Errors
/// Fails when the plugin does not start, or ends with an error.
pub(super) fn run(plugin: &ExecConfig) -> Result<Option<ExecStatus>, AuthError> {
    #[derive(Deserialize)]
    struct ExecCredential {
        status: Option<ExecStatus>,
    }
    if plugin.provide_cluster_info && plugin.cluster.is_none() {
        return Err(AuthError::ExecMissingClusterInfo);
    }
    let mut command = Command::new(plugin.command.as_ref().ok_or(AuthError::MissingCommand)?);
    command.args(plugin.args.iter().flatten());
    let variables = plugin.env.iter().flatten();
    command.envs(variables.filter_map(|variable| variable.get("name").zip(variable.get("value"))));
    let is_interactive = plugin.interactive_mode != Some(ExecInteractiveMode::Never);
    match is_interactive {
        true => command.stdin(Stdio::inherit()).stderr(Stdio::inherit()),
        false => command.stdin(Stdio::null()),
    };
    let cluster = plugin.cluster.as_ref().filter(|_| plugin.provide_cluster_info);
    let request = json!({
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": {"interactive": is_interactive, "cluster": cluster},
    });
    command.env("KUBERNETES_EXEC_INFO", request.to_string());
    plugin.drop_env.iter().flatten().for_each(|name| {
        command.env_remove(name);
    });
    let output = command.output().map_err(AuthError::AuthExecStart)?;
    if !output.status.success() {
        return Err(AuthError::AuthExecRun { cmd: format!("{command:?}"), out: Box::new(output) });
    }
    Ok(serde_json::from_slice::<ExecCredential>(&output.stdout).ok().and_then(|credential| credential.status))
}
