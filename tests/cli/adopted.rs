//! Results of an adoption, seen by others: engines, kubectl, the audit log.

#![allow(unreachable_pub, reason = "the helpers of other test modules")]

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use kube::api::{Api, ListParams};
use kube::{Client, Config};
use serde_json::{Value, json};

use crate::fleet::{Corner, document, text};
use crate::support;
use crate::support::audit::Request;
use crate::support::kubeconfig::Credential;

/// A client made of nothing but the `config` and `server` of a cluster Secret, as Argo CD makes one.
pub fn client_of(secret: &Secret) -> Client {
    let text = |key: &str| String::from_utf8(secret.data.as_ref().unwrap()[key].0.clone()).unwrap();
    let config: Value = serde_json::from_str(&text("config")).unwrap();
    let tls = &config["tlsClientConfig"];
    let user = json!({
        "token": config["bearerToken"],
        "client-certificate-data": tls["certData"],
        "client-key-data": tls["keyData"],
    });
    let mut made = Config::new(text("server").parse().unwrap());
    let authority: k8s_openapi::ByteString = serde_json::from_value(tls["caData"].clone()).unwrap();
    let pem = pem_blocks(&authority.0);
    made.root_cert = Some(pem);
    made.auth_info = serde_json::from_value(user).unwrap();
    Client::try_from(made).unwrap()
}

pub fn pem_blocks(pem: &[u8]) -> Vec<Vec<u8>> {
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    CertificateDer::pem_slice_iter(pem).map(|certificate| certificate.unwrap().to_vec()).collect()
}

pub fn secrets(corner: &Corner) -> BTreeMap<String, Secret> {
    support::run(async || {
        let api = Api::<Secret>::namespaced(corner.fleet.core.client(), &corner.namespace);
        let list = api.list(&ListParams::default()).await.unwrap();
        list.items.into_iter().map(|secret| (secret.metadata.name.clone().unwrap(), secret)).collect()
    })
}

pub fn adopt(corner: &Corner, arguments: &[&str]) -> (Value, Option<i32>, String) {
    let account = format!("kube-system/{}", corner.namespace);
    let mut all = vec!["adopt-cluster", "--yes", "-o", "json"];
    // A way to log in that has no account of its own refuses to be given one.
    if !arguments.contains(&"--auth") || arguments.contains(&"service-account") {
        all.extend(["--service-account", &account]);
    }
    let arguments = [&all, arguments].concat();
    let output = corner.output(&arguments);
    assert!(!output.stdout.is_empty(), "{}", text(&output));
    (document(&output)["items"].take(), output.status.code(), text(&output))
}

/// Everything that is not merely asked: an access review is a `create` that stores nothing.
pub fn writes(requests: Vec<Request>) -> Vec<String> {
    let is_read = |request: &Request| {
        matches!(request.verb.as_str(), "get" | "list" | "watch")
            || request.object.as_ref().is_some_and(|object| object.resource.starts_with("selfsubject"))
    };
    requests
        .into_iter()
        .filter(|request| !is_read(request))
        .map(|request| format!("{} {}", request.verb, request.uri))
        .collect()
}

/// Names of everything in the app cluster that belongs to a ServiceAccount, as `Kind/name`.
pub fn belongings(corner: &Corner) -> Vec<String> {
    support::run(async || {
        let client = corner.fleet.app.client();
        let all = ListParams::default();
        let mut names = Vec::new();
        macro_rules! collect {
            ($($kind:ty => $title:literal),*) => {$(
                for item in Api::<$kind>::all(client.clone()).list(&all).await.unwrap().items {
                    names.push(format!("{}/{}", $title, item.metadata.name.unwrap()));
                }
            )*};
        }
        collect!(
            ServiceAccount => "ServiceAccount", ClusterRole => "ClusterRole", Secret => "Secret", Role => "Role",
            ClusterRoleBinding => "ClusterRoleBinding", RoleBinding => "RoleBinding"
        );
        names.retain(|name| name.contains(&corner.namespace));
        names.sort();
        names
    })
}

pub fn token_of(secret: &Secret) -> String {
    let config: Value = serde_json::from_slice(&secret.data.as_ref().unwrap()["config"].0).unwrap();
    config["bearerToken"].as_str().unwrap().to_owned()
}

/// Whether the app cluster still takes a token.
pub fn counts(corner: &Corner, token: &str) -> bool {
    let user = Credential::Token(token.to_owned());
    let kubeconfig = corner.fleet.app.save(&corner.fleet.app.kubeconfig_with(&corner.fleet.app.server(), &user));
    let output =
        std::process::Command::new("kubectl").args(["auth", "whoami", "--kubeconfig"]).arg(kubeconfig).output();
    output.unwrap().status.success()
}
