//! Kubeconfigs as kubectl reads them, with everything embedded.

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use super::certificates::Identity;

/// How a kubeconfig's user proves who it is.
#[derive(Debug, Clone)]
pub enum Credential {
    Certificate(Identity),
    Token(String),
}

/// One cluster and one user under one context, all of the same name.
pub fn kubeconfig(name: &str, server: &str, authority: &str, credential: &Credential) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {
            "server": server,
            "certificate-authority-data": base64(authority),
        }}],
        "users": [{"name": name, "user": user(credential)}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    })
}

/// One kubeconfig with the entries of all; the first one's context is the current one.
pub fn merged(kubeconfigs: &[Value]) -> Value {
    let mut merged = kubeconfigs.first().cloned().unwrap_or_default();
    for list in ["clusters", "users", "contexts"] {
        merged[list] = kubeconfigs
            .iter()
            .flat_map(|kubeconfig| kubeconfig[list].as_array().into_iter().flatten())
            .cloned()
            .collect();
    }
    merged
}

/// The `user` of a kubeconfig.
pub fn user(credential: &Credential) -> Value {
    match credential {
        Credential::Certificate(identity) => json!({
            "client-certificate-data": base64(&identity.certificate),
            "client-key-data": base64(&identity.key),
        }),
        Credential::Token(token) => json!({ "token": token }),
    }
}

/// Base64, which is how the Kubernetes API writes bytes in JSON.
fn base64(text: &str) -> ByteString {
    ByteString(text.as_bytes().to_vec())
}
