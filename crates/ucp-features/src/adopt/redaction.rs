//! Redacted kubeconfigs and registrations for snapshots: they contain the server, the type of the credential, and its
//! validity. They are read with the same result as the originals, but give no access. Everything is written from parsed
//! values, so unknown content is left out.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};

use crate::adopt::access::{AppClusterAccess, ClusterEndpoint};
use crate::adopt::argocd;
use crate::adopt::credential::{Credential, CredentialValidity};
use ucp_core::model::secrecy::Placeholders;

/// Prefix and suffix of the reason in place of an unusable kubeconfig.
const UNUSABLE: (&str, &str) = ("<unusable: ", ">");

/// The reason why a redacted kubeconfig is unusable.
pub(super) fn reason(text: &str) -> Option<&str> {
    text.strip_prefix(UNUSABLE.0)?.strip_suffix(UNUSABLE.1)
}

/// Returns a redacted kubeconfig that is read with the same result.
pub fn kubeconfig(text: &str, placeholders: &Placeholders) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    match AppClusterAccess::from_kubeconfig(text, None) {
        Ok(access) => {
            let user = user(access.credential(), placeholders);
            let endpoint = endpoint(access.endpoint(), placeholders);
            let access = AppClusterAccess::without_credential(endpoint);
            access.to_kubeconfig_with_user("snapshot", &user).expose_secret().to_owned()
        }
        Err(reason) => format!("{}{reason}{}", UNUSABLE.0, UNUSABLE.1),
    }
}

fn endpoint(endpoint: &ClusterEndpoint, placeholders: &Placeholders) -> ClusterEndpoint {
    ClusterEndpoint {
        server: placeholders.hide_in(&endpoint.server),
        authority: endpoint.authority.as_deref().map(|pem| authority(pem, placeholders)),
        server_name: endpoint.server_name.as_deref().map(|name| placeholders.hide_in(name)),
        verification: endpoint.verification,
        proxy: endpoint.proxy.as_deref().map(|proxy| placeholders.hide_in(proxy)),
    }
}

/// Certificates are public; other content of the file may not be.
fn authority(pem: &str, placeholders: &Placeholders) -> String {
    if is_certificates(pem) { pem.to_owned() } else { stub(pem, placeholders) }
}

/// Returns true if a text consists of certificates only.
fn is_certificates(pem: &str) -> bool {
    let mut rest = pem.trim();
    while let Some(inner) = rest.strip_prefix("-----BEGIN CERTIFICATE-----") {
        let Some((body, behind)) = inner.split_once("-----END CERTIFICATE-----") else { return false };
        let body: String = body.split_whitespace().collect();
        let is_one = BASE64
            .decode(body)
            .is_ok_and(|der| x509_parser::parse_x509_certificate(&der).is_ok_and(|(behind, _)| behind.is_empty()));
        if !is_one {
            return false;
        }
        rest = behind.trim_start();
    }
    rest.is_empty()
}

/// A placeholder that is accepted as PEM.
fn stub(secret: &str, placeholders: &Placeholders) -> String {
    format!("-----BEGIN HIDDEN-----\n{}\n-----END HIDDEN-----\n", placeholders.placeholder(secret))
}

/// The first certificate, which contains the user's name and the validity.
fn certificate(pem: &str, placeholders: &Placeholders) -> String {
    let first = CertificateDer::pem_slice_iter(pem.as_bytes()).next().and_then(Result::ok);
    match first.filter(|der| x509_parser::parse_x509_certificate(der).is_ok_and(|(rest, _)| rest.is_empty())) {
        Some(der) => format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", BASE64.encode(&der)),
        None => stub(pem, placeholders),
    }
}

/// A redacted token with the same validity, if known, and no other claim.
fn token(token: &str, life: Option<CredentialValidity>, placeholders: &Placeholders) -> String {
    let Some(life) = life else { return placeholders.placeholder(token) };
    let mut claims = Map::from_iter([
        ("exp".to_owned(), json!(life.ends.as_second())),
        ("hidden".to_owned(), json!(placeholders.placeholder(token))),
    ]);
    claims.extend(life.begins.map(|begins| ("iat".to_owned(), json!(begins.as_second()))));
    format!("hidden.{}.hidden", URL_SAFE_NO_PAD.encode(Value::Object(claims).to_string()))
}

fn user(credential: &Credential, placeholders: &Placeholders) -> Value {
    match credential {
        Credential::ClientCertificate { certificate: pem, key, .. } => json!({
            "client-certificate-data": BASE64.encode(certificate(pem, placeholders)),
            "client-key-data": BASE64.encode(stub(key.expose_secret(), placeholders)),
        }),
        Credential::Token { token: secret, life } => {
            json!({"token": token(secret.expose_secret(), *life, placeholders)})
        }
        Credential::Basic { username, password } => {
            json!({"username": placeholders.hide_in(username), "password": placeholders.placeholder(password.expose_secret())})
        }
        Credential::Exec(_) => json!({"exec": {"command": "hidden"}}),
        Credential::File { field } => Value::Object(Map::from_iter([((*field).to_owned(), json!("hidden"))])),
        Credential::AuthProvider => json!({"auth-provider": {"name": "hidden"}}),
        Credential::None => json!({}),
    }
}

/// Returns a redacted `config` of Argo CD's cluster Secret that is read with the same result; `None` if it is invalid.
pub fn argocd_config(text: &str, placeholders: &Placeholders) -> Option<String> {
    let config: Value = ucp_core::model::weight::from_json(text.as_bytes()).ok()?;
    let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let pem =
        |pointer: &str| text(pointer).and_then(|encoded| String::from_utf8(BASE64.decode(encoded.trim()).ok()?).ok());
    let shown = |pointer: &str| text(pointer).map(|text| json!(placeholders.hide_in(text)));
    let mut kept = Map::new();
    let mut tls = Map::new();
    let set = |map: &mut Map<String, Value>, key: &str, value: Option<Value>| {
        map.extend(value.map(|value| (key.to_owned(), value)))
    };
    set(&mut tls, "insecure", config.pointer("/tlsClientConfig/insecure").filter(|value| value.is_boolean()).cloned());
    set(&mut tls, "serverName", shown("/tlsClientConfig/serverName"));
    set(
        &mut tls,
        "caData",
        pem("/tlsClientConfig/caData").map(|pem| json!(BASE64.encode(authority(&pem, placeholders)))),
    );
    set(
        &mut tls,
        "certData",
        pem("/tlsClientConfig/certData").map(|pem| json!(BASE64.encode(certificate(&pem, placeholders)))),
    );
    set(&mut tls, "keyData", pem("/tlsClientConfig/keyData").map(|pem| json!(BASE64.encode(stub(&pem, placeholders)))));
    set(&mut kept, "tlsClientConfig", config.get("tlsClientConfig").map(|_| Value::Object(tls)));
    set(&mut kept, "username", shown("/username"));
    set(&mut kept, "password", text("/password").map(|secret| json!(placeholders.placeholder(secret))));
    let bearer = text("/bearerToken").map(|secret| (secret, Credential::token(secret.to_owned().into()).life()));
    set(&mut kept, "bearerToken", bearer.map(|(secret, life)| json!(token(secret, life, placeholders))));
    set(&mut kept, "proxyUrl", shown("/proxyUrl"));
    let aws = config.get("awsAuthConfig").filter(|aws| aws.is_object()).map(|_| {
        let mut aws = Map::new();
        set(&mut aws, "clusterName", shown("/awsAuthConfig/clusterName"));
        set(&mut aws, "roleARN", shown("/awsAuthConfig/roleARN"));
        Value::Object(aws)
    });
    set(&mut kept, "awsAuthConfig", aws);
    let program = text("/execProviderConfig/command");
    let exec = program.map(|program| match program == argocd::LOGIN_PROGRAM {
        // Its first argument is the cloud.
        true => {
            json!({"command": program, "args": shown("/execProviderConfig/args/0").into_iter().collect::<Vec<_>>()})
        }
        false => json!({"command": "hidden"}),
    });
    set(&mut kept, "execProviderConfig", exec);
    Some(Value::Object(kept).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::kubeconfig::tests::kubeconfig as written;

    fn jwt(claims: &str) -> String {
        format!("eyJhbGciOiJSUzI1NiJ9.{}.canary", URL_SAFE_NO_PAD.encode(claims))
    }

    fn certificate_and_key() -> (String, String) {
        let mut parameters = rcgen::CertificateParams::default();
        parameters.distinguished_name.push(rcgen::DnType::CommonName, "client");
        parameters.not_after = rcgen::date_time_ymd(2031, 5, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        (parameters.self_signed(&key).unwrap().pem(), key.serialize_pem())
    }

    /// All facts that are read from an access.
    fn facts(text: &str) -> String {
        match AppClusterAccess::from_kubeconfig(text, None) {
            Ok(access) => {
                let credential = access.credential();
                let obstacle = access.obstacle(&Default::default(), "2026-11-21T12:00:00Z".parse().unwrap());
                format!(
                    "{:?} {:?} {:?} {:?} {obstacle:?}",
                    access.endpoint().version(),
                    credential.credential_type(),
                    credential.life(),
                    credential.subject()
                )
            }
            Err(reason) => reason.into(),
        }
    }

    #[test]
    fn redacted_kubeconfigs_keep_their_facts_and_no_credential() {
        let placeholders = Placeholders::new().unwrap();
        let (pem, key) = certificate_and_key();
        let aws = format!(
            "k8s-aws-v1.{}",
            URL_SAFE_NO_PAD.encode("https://sts/?X-Amz-Date=20261120T100000Z&X-Amz-Signature=canary")
        );
        let with = |user: Value| {
            written("https://a.example.org", json!({"certificate-authority-data": BASE64.encode(&pem)}), user)
        };
        let both = format!("{pem}canary\n{key}");
        for text in [
            with(json!({"token": "canary-0123456789"})),
            with(json!({"token": jwt(r#"{"iat": 1763200000, "exp": 1893456000, "sub": "canary"}"#)})),
            with(json!({"token": aws})),
            with(json!({"client-certificate-data": BASE64.encode(&both), "client-key-data": BASE64.encode(&key)})),
            with(json!({"username": "admin", "password": "canary"})),
            with(
                json!({"exec": {"command": "aws", "args": ["--secret", "canary"], "env": [{"name": "A", "value": "canary"}]}}),
            ),
            with(json!({"tokenFile": "/var/canary"})),
            with(json!({"auth-provider": {"name": "gcp", "config": {"access-token": "canary"}}})),
            with(json!({})),
            written(
                "https://a",
                json!({"insecure-skip-tls-verify": true, "proxy-url": "http://p"}),
                json!({"token": "canary"}),
            ),
            "users: [canary".to_owned(),
            "canary".to_owned(),
            r#"{"clusters":[{"name":"a","cluster":{"server":"https://canary:canary@host"}}]}"#.to_owned(),
        ] {
            let kept = kubeconfig(&text, &placeholders);
            let decoded: String = kept
                .split(['"', '.', '\n'])
                .filter_map(|word| BASE64.decode(word).ok().or_else(|| URL_SAFE_NO_PAD.decode(word).ok()))
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .collect();
            for secret in ["canary", &key[40..80]] {
                assert!(!kept.contains(secret) && !decoded.contains(secret), "{kept}\n{decoded}");
            }
            assert_eq!(facts(&kept), facts(&text));
            assert_eq!(facts(&kubeconfig(&kept, &placeholders)), facts(&text), "twice");
        }
    }

    #[test]
    fn equal_credentials_stay_equal_after_redaction() {
        let placeholders = Placeholders::new().unwrap();
        let of = |token: &str| {
            let kept = kubeconfig(&written("https://a", json!({}), json!({"token": token})), &placeholders);
            AppClusterAccess::from_kubeconfig(&kept, None).unwrap().credential().clone()
        };
        assert!(of("one").is_same_as(&of("one")) && !of("one").is_same_as(&of("two")));
    }

    #[test]
    fn registrations_with_argo_cd_keep_their_public_fields() {
        let placeholders = Placeholders::new().unwrap();
        let config = json!({
            "bearerToken": "canary", "tlsClientConfig": {"insecure": true, "keyData": BASE64.encode("canary")},
            "execProviderConfig": {"command": "argocd-k8s-auth", "args": ["gcp"], "env": {"A": "canary"}},
            "awsAuthConfig": {"clusterName": "prod", "profile": "canary"},
        });
        let kept = argocd_config(&config.to_string(), &placeholders).unwrap();
        let kept_key = serde_json::from_str::<Value>(&kept).unwrap()["tlsClientConfig"]["keyData"]
            .as_str()
            .map(|key| BASE64.decode(key).unwrap())
            .unwrap();
        assert!(!kept.contains("canary") && !String::from_utf8(kept_key).unwrap().contains("canary"), "{kept}");
        assert!(kept.contains("gcp") && kept.contains("prod"), "{kept}");
        assert_eq!(argocd_config("canary", &placeholders), None);
    }
}
