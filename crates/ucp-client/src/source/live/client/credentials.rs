//! Checks for credentials that are invalid in HTTP. Some layers of kube and tower-http panic on them, so the checks are
//! made before a client is built.

use std::borrow::Cow;

use http::HeaderValue;
use kube::Config;
use secrecy::{ExposeSecret as _, SecretString};
use tower::BoxError;

use super::exec_plugin::{self, ExecStatus};
use ucp_core::failure::{Failure, fail};

/// Length limit for the server's URL. With a request's path, longer ones could exceed the limit of a URI.
const LONGEST_SERVER: usize = 2048;

/// Checks the fields of a configuration that become a header or a URI. A token from a file is trimmed, as in client-go.
/// A token within the kubeconfig is not: client-go sends it unchanged, and fails.
///
/// # Errors
/// Names the field and the problem. No value is quoted.
pub(super) fn check(config: &Config) -> Result<Cow<'_, Config>, kube::Error> {
    let checked = check_fields(config).map_err(|reason| kube::Error::Service(BoxError::from(reason)))?;
    let user = &checked.auth_info;
    let replaced = user.token.is_some()
        || user.token_file.is_some()
        || user.auth_provider.is_some()
        || user.username.is_some() && user.password.is_some();
    match user.exec.as_ref().filter(|_| !replaced) {
        Some(plugin) => {
            let Some(status) = exec_plugin::run(plugin).map_err(kube::Error::Auth)? else { return Ok(checked) };
            if let Some(token) = &status.token {
                check_token("token of the exec plugin", token)
                    .map_err(|reason| kube::Error::Service(BoxError::from(reason)))?;
            }
            Ok(with_credential(checked, &status))
        }
        None => Ok(checked),
    }
}

/// Puts the credential of an exec plugin in place of the plugin. One that expires is left to kube, which renews it.
fn with_credential<'a>(config: Cow<'a, Config>, status: &ExecStatus) -> Cow<'a, Config> {
    let certificate = status.certificate();
    if certificate.is_none() && (status.token.is_none() || status.expiration_timestamp.is_some()) {
        return config;
    }
    let mut config = config.into_owned();
    let user = &mut config.auth_info;
    user.exec = None;
    match certificate {
        Some((certificate, key)) => {
            user.client_certificate = None;
            user.client_key = None;
            user.client_certificate_data = Some(certificate);
            user.client_key_data = Some(SecretString::from(key));
        }
        None => user.token = status.token.clone().map(SecretString::from),
    }
    Cow::Owned(config)
}

fn check_fields(config: &Config) -> Result<Cow<'_, Config>, Failure> {
    if config.cluster_url.to_string().len() > LONGEST_SERVER {
        return fail!("the URL of the server is longer than {LONGEST_SERVER} characters");
    }
    let user = &config.auth_info;
    if let Some(token) = &user.token {
        check_token("token", token.expose_secret())?;
    }
    for field in ["id-token", "access-token"] {
        if let Some(token) = user.auth_provider.as_ref().and_then(|provider| provider.config.get(field)) {
            check_token(field, token)?;
        }
    }
    let replaced = user.token.is_some() || user.username.is_some() && user.password.is_some();
    if let (Some(path), false) = (&user.token_file, replaced) {
        // A read error is reported by kube.
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(Cow::Borrowed(config)) };
        let trimmed = text.trim();
        check_token("tokenFile", trimmed)?;
        if trimmed != text {
            let mut trimmed_config = config.clone();
            trimmed_config.auth_info.token = Some(SecretString::from(trimmed));
            return Ok(Cow::Owned(trimmed_config));
        }
    }
    Ok(Cow::Borrowed(config))
}

fn check_token(field: &str, token: &str) -> Result<(), Failure> {
    if HeaderValue::try_from(format!("Bearer {token}")).is_ok() {
        return Ok(());
    }
    let what = match token.trim_end_matches(['\r', '\n']) {
        kept if kept.len() < token.len() && HeaderValue::from_str(kept).is_ok() => {
            "ends with a line break, as 'echo TOKEN | base64' writes it: remove it, for instance with 'echo -n'"
        }
        _ => "contains a line break or another control character: replace it",
    };
    fail!("the {field} of its credential {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(token: &str) -> Config {
        let mut config = Config::new(http::Uri::from_static("https://prod.example"));
        config.auth_info.token = Some(SecretString::from(token));
        config
    }

    #[test]
    fn tokens_that_are_invalid_headers_are_an_error_that_does_not_quote_them() {
        for (token, expected) in [
            ("s3cr3t\n", "ends with a line break"),
            ("s3cr3t\r\n", "ends with a line break"),
            ("s3c\nr3t", "control character"),
            ("s3c\u{1b}[31mr3t\n", "control character"),
            ("s3cr3t\0", "control character"),
        ] {
            let error = check(&with(token)).unwrap_err().to_string();
            assert!(error.contains("the token of its credential") && error.contains(expected), "{error}");
            assert!(!error.contains("s3c"), "{error}");
        }
        assert!(check(&with("s3cr3t")).is_ok());
    }

    #[test]
    fn a_token_from_a_file_is_trimmed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3cr3t\n").unwrap();
        let mut config = Config::new(http::Uri::from_static("https://prod.example"));
        config.auth_info.token_file = Some(file.path().display().to_string());
        let checked = check(&config).unwrap();
        assert_eq!(checked.auth_info.token.as_ref().unwrap().expose_secret(), "s3cr3t");
        std::fs::write(file.path(), "s3c\nr3t").unwrap();
        assert!(check(&config).unwrap_err().to_string().contains("tokenFile"));
    }

    #[test]
    fn a_server_url_that_is_too_long_is_an_error() {
        let mut config = with("s3cr3t");
        config.cluster_url = format!("https://prod.example/{}", "a".repeat(LONGEST_SERVER)).parse().unwrap();
        assert!(check(&config).unwrap_err().to_string().contains("longer than"));
    }
}
