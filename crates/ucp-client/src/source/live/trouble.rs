//! Messages for connection errors in common terms, instead of those of libraries.

use std::error::Error as StdError;
use std::io;

use kube::client::AuthError;
use rustls::CertificateError;

const NOT_TRUSTED: &str = "its certificate is signed by an authority that is not trusted here";
const NOT_TLS: &str = "the server does not use TLS";
const NO_SUCH_HOST: &str = "its host name cannot be resolved";
const REFUSED: &str = "nothing listens there (connection refused)";

/// Returns a hint for a message of [`explain`].
pub(super) fn advice(reason: &str) -> &'static str {
    if reason.starts_with(NOT_TRUSTED) {
        "set the certificate authority of the cluster in the kubeconfig, or pass --certificate-authority"
    } else if reason.contains("certificate") {
        "ask the server's administrator to renew it, or pass --tls-server-name with the name in the certificate"
    } else if reason == NOT_TLS {
        "check the server's URL: http:// or https://, and the port"
    } else if reason == NO_SUCH_HOST {
        "check the server's name with 'kubectl config view', and whether a VPN is needed"
    } else {
        "check the server with 'kubectl version', or choose another with --context"
    }
}

/// Returns a message for the cause of an error: a known one in common terms, or else all causes in the libraries'
/// terms, without repetition.
pub(super) fn explain(error: &kube::Error) -> String {
    let causes = || causes(error);
    // Checked first, since other errors have it in their causes.
    let credential = causes().find_map(|cause| match cause.downcast_ref() {
        Some(kube::Error::Auth(error)) => Some(error),
        _ => cause.downcast_ref::<AuthError>(),
    });
    if let Some(reason) = credential.and_then(explain_plugin) {
        return reason;
    }
    if let Some(known) = causes().find_map(known_cause) {
        return known;
    }
    let mut text = String::new();
    for cause in causes() {
        let said = cause.to_string();
        // The names of layers are of no use in a message.
        let said = said.strip_prefix("ServiceError: ").unwrap_or(&said);
        if !text.contains(said) && !said.starts_with("client error (") {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(said);
        }
    }
    if text.is_empty() { error.to_string() } else { text }
}

fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |cause: &&'e (dyn StdError + 'static)| {
        let cause: &'e (dyn StdError + 'static) = *cause;
        cause.source()
    })
}

/// The message for a common cause.
fn known_cause(cause: &(dyn StdError + 'static)) -> Option<String> {
    if cause.to_string().starts_with("dns error") {
        return Some(NO_SUCH_HOST.to_owned());
    }
    if let Some(error) = cause.downcast_ref::<rustls::Error>() {
        return tls(error);
    }
    io(cause.downcast_ref::<io::Error>()?)
}

/// I/O errors contain other errors that are not in the chain of sources.
fn io(error: &io::Error) -> Option<String> {
    let within = error.get_ref().and_then(|inner| {
        let tls = inner.downcast_ref::<rustls::Error>().and_then(tls);
        tls.or_else(|| inner.downcast_ref::<io::Error>().and_then(io))
    });
    within.or_else(|| {
        let words = match error.kind() {
            io::ErrorKind::ConnectionRefused => REFUSED,
            io::ErrorKind::TimedOut => "the connection timed out",
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "the network is unreachable",
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => "it closed the connection",
            _ => return None,
        };
        Some(words.to_owned())
    })
}

fn tls(error: &rustls::Error) -> Option<String> {
    Some(match error {
        rustls::Error::InvalidCertificate(reason) => match reason {
            CertificateError::UnknownIssuer => NOT_TRUSTED.to_owned(),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate is expired".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet".to_owned()
            }
            CertificateError::NotValidForName => "its certificate is for another name".to_owned(),
            CertificateError::NotValidForNameContext { presented, .. } => {
                format!("its certificate is for another name: {}", presented.join(", "))
            }
            CertificateError::Revoked => "its certificate was revoked".to_owned(),
            other => format!("its certificate is not accepted: {other}"),
        },
        rustls::Error::InvalidMessage(_) => NOT_TLS.to_owned(),
        rustls::Error::AlertReceived(alert) => format!("it ended the TLS handshake: {alert:?}"),
        _ => return None,
    })
}

/// The standard output of a credential plugin is a credential, and its arguments and environment may contain one, so
/// only its standard error is shown.
fn explain_plugin(error: &AuthError) -> Option<String> {
    match error {
        AuthError::AuthExecRun { out, .. } => {
            let complaint = String::from_utf8_lossy(&out.stderr);
            Some(format!("the credential plugin failed with {}: {}", out.status, complaint.trim()))
        }
        AuthError::AuthExecParse(_) | AuthError::ParseTokenKey(_) | AuthError::MalformedTokenExpirationDate(_) => {
            Some("the credential plugin did not print a valid credential".to_owned())
        }
        _ => None,
    }
}
