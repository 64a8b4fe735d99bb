//! Credentials of kubeconfig users, and their validity.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use kube::config::ExecConfig;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use ucp_core::model::variant_words::variant_words;

/// A credential. Its `Debug` output contains only what is public.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A client certificate and its key, in PEM.
    ClientCertificate {
        /// The certificate in PEM.
        certificate: String,
        /// The private key in PEM.
        key: SecretString,
        /// Common name of the certificate, which is the user's name in Kubernetes.
        subject: Option<String>,
        /// Validity: `notBefore` and `notAfter`.
        life: Option<CredentialValidity>,
    },
    /// A bearer token.
    Token {
        /// The bearer token.
        token: SecretString,
        /// Validity, if the token contains it: `iat` and `exp` of a JWT, the signature date of an AWS token.
        life: Option<CredentialValidity>,
    },
    /// User name and password, which Kubernetes itself has not accepted since 1.19.
    Basic {
        /// User name.
        username: String,
        /// Password.
        password: SecretString,
    },
    /// An exec plugin that prints a token.
    Exec(Program),
    /// A certificate, key, or token in a file, which is not available here.
    File {
        /// The kubeconfig field that names the file.
        field: &'static str,
    },
    /// The old `auth-provider`, which kubectl removed in 1.26.
    AuthProvider,
    /// No credential: `user: {}`.
    None,
}

/// The period in which a credential is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialValidity {
    /// Start of the validity, if known.
    pub begins: Option<Timestamp>,
    /// End of the validity.
    pub ends: Timestamp,
}

impl CredentialValidity {
    /// Returns true if less than a fifth of the period is left, or less than a day, whichever is shorter.
    pub fn is_expiring_soon(&self, now: Timestamp) -> bool {
        let margin = self.begins.map_or(A_DAY, |begins| (self.ends.duration_since(begins) / 5).min(A_DAY));
        self.ends.duration_since(now) < margin
    }
}

const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The call of an exec plugin. Its arguments and environment may be secret, so `Debug` does not print them.
#[derive(Clone)]
pub struct Program(pub Box<ExecConfig>);

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Program(…)")
    }
}

/// Types of credentials, as named in `ClusterList`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialType {
    /// A client certificate.
    ClientCertificate,
    /// A bearer token.
    Token,
    /// User name and password.
    Basic,
    /// An exec plugin.
    Exec,
    /// A file that is not available here.
    File,
    /// An `auth-provider`.
    AuthProvider,
    /// A cloud identity, without a secret.
    WorkloadIdentity,
    /// No credential.
    None,
    /// It could not be read, as in a redacted snapshot.
    Unknown,
}

variant_words!(CredentialType {
    ClientCertificate = "client certificate", Token = "token", Basic = "basic", Exec = "exec", File = "file",
    AuthProvider = "auth-provider", WorkloadIdentity = "workload identity", None = "none", Unknown = "unknown",
});

/// Tokens of EKS are valid for 15 minutes from their signature. STS ignores `X-Amz-Expires`: `presignedURLExpiration`
/// in aws-iam-authenticator's `pkg/token`.
const AWS_TOKEN_VALIDITY: SignedDuration = SignedDuration::from_mins(15);

impl Credential {
    /// Creates a credential from a certificate and a key in PEM, and reads the certificate's subject and validity.
    pub fn client_certificate(certificate: String, key: SecretString) -> Self {
        let (subject, life) = subject_and_life(certificate.as_bytes());
        Self::ClientCertificate { certificate, key, subject, life }
    }

    /// Creates a credential from a bearer token, and reads the token's validity if it contains one.
    pub fn token(token: SecretString) -> Self {
        let life = token_life(token.expose_secret());
        Self::Token { token, life }
    }

    /// The type of the credential.
    pub fn credential_type(&self) -> CredentialType {
        match self {
            Self::ClientCertificate { .. } => CredentialType::ClientCertificate,
            Self::Token { .. } => CredentialType::Token,
            Self::Basic { .. } => CredentialType::Basic,
            Self::Exec(_) => CredentialType::Exec,
            Self::File { .. } => CredentialType::File,
            Self::AuthProvider => CredentialType::AuthProvider,
            Self::None => CredentialType::None,
        }
    }

    /// End of the validity, if known.
    pub fn expires(&self) -> Option<Timestamp> {
        self.life().map(|life| life.ends)
    }

    /// The validity, if known.
    pub fn life(&self) -> Option<CredentialValidity> {
        match self {
            Self::ClientCertificate { life, .. } | Self::Token { life, .. } => *life,
            _ => None,
        }
    }

    /// The user's name in Kubernetes, if the credential contains it.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::ClientCertificate { subject, .. } => subject.as_deref(),
            Self::Basic { username, .. } => Some(username),
            _ => None,
        }
    }

    /// Returns true if both are the same credential.
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::ClientCertificate { certificate, key, .. },
                Self::ClientCertificate { certificate: c, key: k, .. },
            ) => certificate.trim() == c.trim() && key.expose_secret().trim() == k.expose_secret().trim(),
            (Self::Token { token, .. }, Self::Token { token: other, .. }) => {
                token.expose_secret() == other.expose_secret()
            }
            (Self::Basic { username, password }, Self::Basic { username: name, password: word }) => {
                username == name && password.expose_secret() == word.expose_secret()
            }
            _ => false,
        }
    }
}

/// The validity of the first certificate in a PEM file.
pub fn certificate_life(pem: &str) -> Option<CredentialValidity> {
    subject_and_life(pem.as_bytes()).1
}

/// The first certificate in a PEM file, without anything else in the file.
pub fn first_certificate(pem: &str) -> Option<String> {
    let der = CertificateDer::pem_slice_iter(pem.as_bytes()).next()?.ok()?;
    x509_parser::parse_x509_certificate(&der).ok()?;
    let encoded = base64::engine::general_purpose::STANDARD.encode(&der);
    let lines: Vec<String> =
        encoded.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    Some(format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n")))
}

/// Common name and validity of the first certificate in a PEM file.
fn subject_and_life(pem: &[u8]) -> (Option<String>, Option<CredentialValidity>) {
    let Some(Ok(der)) = CertificateDer::pem_slice_iter(pem).next() else { return (None, None) };
    let Ok((_, certificate)) = x509_parser::parse_x509_certificate(&der) else { return (None, None) };
    let subject = certificate.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
    let validity = certificate.validity();
    let life = Timestamp::from_second(validity.not_after.timestamp())
        .map(|ends| CredentialValidity { begins: Timestamp::from_second(validity.not_before.timestamp()).ok(), ends });
    (subject.map(str::to_owned), life.ok())
}

/// The validity of a token, if the token contains it.
fn token_life(token: &str) -> Option<CredentialValidity> {
    match token.strip_prefix("k8s-aws-v1.") {
        Some(url) => aws_life(url),
        None => jwt_life(token),
    }
}

/// `iat` and `exp` of a JWT. The signature is not verified, which only the server can do.
fn jwt_life(token: &str) -> Option<CredentialValidity> {
    #[derive(Deserialize)]
    struct Claims {
        iat: Option<f64>,
        exp: f64,
    }
    #[allow(clippy::cast_possible_truncation, reason = "out of range saturates, and is then no timestamp")]
    let moment = |seconds: f64| Timestamp::from_second(seconds as i64).ok();
    let mut parts = token.split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let Claims { iat, exp } = serde_json::from_slice(&claims).ok()?;
    Some(CredentialValidity { begins: iat.and_then(moment), ends: moment(exp)? })
}

/// The validity of an EKS token, which is a presigned STS URL in base64.
fn aws_life(encoded: &str) -> Option<CredentialValidity> {
    let url = String::from_utf8(URL_SAFE_NO_PAD.decode(encoded.trim_end_matches('=')).ok()?).ok()?;
    let (_, query) = url.split_once('?')?;
    let date = query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        key.eq_ignore_ascii_case("X-Amz-Date").then_some(value)
    })?;
    let signed = DateTime::strptime("%Y%m%dT%H%M%SZ", date).ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(CredentialValidity { begins: Some(signed), ends: signed.checked_add(AWS_TOKEN_VALIDITY).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn token_end(token: &str) -> Option<Timestamp> {
        token_life(token).map(|life| life.ends)
    }

    fn jwt(claims: &str) -> String {
        format!("eyJhbGciOiJSUzI1NiJ9.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn the_expiry_of_tokens_is_read() {
        let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        assert_eq!(token_end(&jwt(r#"{"exp": 1893456000, "sub": "x"}"#)), at("2030-01-01T00:00:00Z"));
        let url = "https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15\
                   &X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261120T100000Z&X-Amz-Expires=60";
        let token = format!("k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode(url));
        assert_eq!(token_end(&token), at("2026-11-20T10:15:00Z"));
        // The JWT of a token Secret has no expiry, and other tokens are opaque.
        assert_eq!(token_end(&jwt(r#"{"sub": "x"}"#)), None);
        assert_eq!(token_end("dop_v1_0123456789"), None);
    }

    #[test]
    fn the_expiry_and_the_user_of_certificates_are_read() {
        let mut params = rcgen::CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(rcgen::DnType::CommonName, "client");
        params.not_after = rcgen::date_time_ymd(2031, 5, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().pem();
        let credential = Credential::client_certificate(certificate, key.serialize_pem().into());
        assert_eq!(credential.subject(), Some("client"));
        assert_eq!(credential.expires(), Some("2031-05-01T00:00:00Z".parse().unwrap()));
        assert!(!format!("{credential:?}").contains("PRIVATE KEY"));
    }

    #[test]
    fn short_lived_credentials_are_renewed_later_than_long_lived_ones() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (begins, ends) = (Some(at("2026-11-21T12:00:00Z")), at("2026-11-21T13:00:00Z"));
        let hour = CredentialValidity { begins, ends };
        assert!(
            !hour.is_expiring_soon(at("2026-11-21T12:30:00Z")) && hour.is_expiring_soon(at("2026-11-21T12:49:00Z"))
        );
        let unknown = CredentialValidity { begins: None, ends };
        assert!(
            unknown.is_expiring_soon(at("2026-11-20T14:00:00Z"))
                && !unknown.is_expiring_soon(at("2026-11-20T12:00:00Z"))
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_decoders(text in "\\PC{0,80}", claims in "[{}\":.0-9a-z]{0,60}") {
            token_life(&text);
            token_life(&jwt(&claims));
            token_life(&format!("k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode(&text)));
            subject_and_life(text.as_bytes());
        }

        #[test]
        fn the_expiry_of_any_token_is_found(seconds in 0_i64..4_102_444_800) {
            let expected = Timestamp::from_second(seconds).unwrap();
            prop_assert_eq!(token_end(&jwt(&format!("{{\"exp\":{seconds}}}"))), Some(expected));
        }
    }
}
