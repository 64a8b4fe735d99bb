//! Why a function does not answer, in a person's words.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;
use tonic::{Code, Status};

use crate::composition::answer::said;

/// Why nothing can be connected to.
pub(super) fn of_connecting(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there (connection refused)".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a handshake fails.
pub(super) fn of_tls(error: &io::Error, server: &str) -> String {
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
        Some(other) => format!("it does not speak TLS as functions do: {other}"),
        None => format!("the connection ended during the TLS handshake: {error}"),
    }
}

/// What a server means that ends a connection before it has said anything. A certificate is only refused after the
/// handshake (TLS 1.3), and the alert that says so may be lost with the connection.
pub(super) const ENDED_AT_ONCE: &str =
    "the other side ended it after the TLS handshake, and may not accept core's own certificate";

/// Why a connection fails right after its handshake.
pub(super) fn after_handshake(error: &io::Error, server: &str) -> String {
    match error.get_ref().is_some_and(|cause| cause.is::<rustls::Error>()) {
        true => of_tls(error, server),
        false => ENDED_AT_ONCE.to_owned(),
    }
}

/// Whether a call failed with its connection, or may have: functions themselves answer with such codes, too.
pub(super) fn may_be_the_connections(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal)
        && status.source().is_some()
}

/// Why a call failed.
pub(super) fn of_answer(status: &Status) -> String {
    let message = said(status.message());
    match status.code() {
        Code::OutOfRange | Code::ResourceExhausted if message.contains("larg") => {
            format!("the message is too large: {message}")
        }
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal => {
            let cause = status.source().map(innermost).filter(|cause| !message.contains(cause.as_str()));
            match cause {
                Some(cause) if message.is_empty() => cause,
                Some(cause) => format!("{message}: {cause}"),
                None => message,
            }
        }
        code => format!("{message} ({})", code.description()),
    }
}

/// The cause behind all others, and what TLS says where it is that.
pub(super) fn innermost(error: &(dyn StdError + 'static)) -> String {
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
    said(&text)
}
