//! Error messages for calls to functions.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;
use tonic::{Code, Status};

use crate::composition::answer::sanitize_message;

/// Describes why a connection cannot be opened.
pub(super) fn describe_connect_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there (connection refused)".to_owned(),
        _ => error.to_string(),
    }
}

/// Describes why a TLS handshake fails.
pub(super) fn describe_tls_error(error: &io::Error, server: &str) -> String {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(why)) => match why {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("its certificate is not for {server}")
            }
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "its certificate is not signed by Crossplane's own authority (ca.crt)".to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired".to_owned()
            }
            why => format!("its certificate is not accepted: {why}"),
        },
        Some(rustls::Error::AlertReceived(alert)) => {
            format!("it does not accept core's own certificate ({alert:?})")
        }
        Some(other) => format!("it does not use TLS in the same way as functions: {other}"),
        None => format!("the connection ended during the TLS handshake: {error}"),
    }
}

/// The message for a connection that the server closes before it sends data. In TLS 1.3, a client certificate is
/// refused only after the handshake, and the alert may be lost with the connection.
pub(super) const ENDED_AT_ONCE: &str =
    "the server closed it after the TLS handshake; it may not accept core's own certificate";

/// Describes why a connection fails right after its handshake.
pub(super) fn describe_early_end(error: &io::Error, server: &str) -> String {
    match error.get_ref().is_some_and(|cause| cause.is::<rustls::Error>()) {
        true => describe_tls_error(error, server),
        false => ENDED_AT_ONCE.to_owned(),
    }
}

/// Returns true if a call failed, or may have failed, with its connection: functions can also return these codes.
pub(super) fn may_be_connection_error(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal)
        && status.source().is_some()
}

/// Describes why a call failed.
pub(super) fn describe_status(status: &Status) -> String {
    let message = sanitize_message(status.message());
    match status.code() {
        Code::OutOfRange | Code::ResourceExhausted if message.contains("larg") => {
            format!("the message is too large: {message}")
        }
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal => {
            let cause = status.source().map(innermost_cause).filter(|cause| !message.contains(cause.as_str()));
            match cause {
                Some(cause) if message.is_empty() => cause,
                Some(cause) => format!("{message}: {cause}"),
                None => message,
            }
        }
        code => format!("{message} ({})", code.description()),
    }
}

/// Returns the innermost cause of an error, or the TLS alert if there is one.
pub(super) fn innermost_cause(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut at: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = at {
        let tls = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let tls = tls.and_then(|inner| inner.downcast_ref::<rustls::Error>()).or_else(|| cause.downcast_ref());
        if let Some(rustls::Error::AlertReceived(alert)) = tls {
            return format!("it does not accept core's own certificate ({alert:?})");
        }
        text = cause.to_string();
        at = cause.source();
    }
    sanitize_message(&text)
}
