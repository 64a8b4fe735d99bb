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

/// Why a connection does not come about, or ended.
pub(super) fn of_transport(error: &tonic::transport::Error) -> String {
    innermost(error)
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
            match (message.is_empty(), cause) {
                (_, Some(cause)) if message.is_empty() || message == "transport error" => {
                    format!("the connection broke: {cause}")
                }
                (_, Some(cause)) => format!("{message}: {cause}"),
                _ => message,
            }
        }
        code => format!("{message} ({})", code.description()),
    }
}

/// The cause behind all others, and what TLS says where it is that: a client's certificate is only refused at the first
/// call.
fn innermost(error: &(dyn StdError + 'static)) -> String {
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
    match text.strip_prefix("received fatal alert: ") {
        Some(alert) => format!("it does not accept core's own certificate ({})", said(alert)),
        // The alert may be lost with the connection.
        None if text.contains("close_notify") => {
            "the other side ended it, and may not accept core's own certificate".to_owned()
        }
        None => said(&text),
    }
}
