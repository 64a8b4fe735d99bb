//! Functions of the core cluster: through the API server to their pod, with certificates at both ends.

use std::process::Command;

use k8s_openapi::ByteString;
use serde_json::json;

use super::scene::{bucket, claim, fates};
use super::{Scene, store};
use crate::granted::{check, page};
use crate::support::certificates::{Authority, Validity};
use crate::support::command::ucp_on;
use crate::support::function::{Function, Reply, templates};
use crate::support::kubelet::Kubelet;

const ENDPOINT: &str = "templates.crossplane-system";

/// A function that runs in the cluster: its revision, its pod, and the node with the pod on it.
fn install(scene: &Scene, kubelet: &Kubelet, ready: &str) {
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet.port()}},
        },
    });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "templates-1-abc", "namespace": "crossplane-system",
            "labels": {"pkg.crossplane.io/function": "templates", "pkg.crossplane.io/revision": "templates-1"},
        },
        "spec": {
            "nodeName": "node", "automountServiceAccountToken": false,
            "containers": [{"name": "package-runtime", "image": "x", "ports": [{"name": "grpc", "containerPort": 9443}]}],
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]},
    });
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "crossplane-system"}});
    let revision = json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "FunctionRevision",
        "metadata": {"name": "templates-1", "labels": {"pkg.crossplane.io/package": "templates"}},
        "spec": {"image": "xpkg.crossplane.io/crossplane-contrib/function-go-templating:v1", "desiredState": "Active"},
        "status": {"endpoint": format!("dns:///{ENDPOINT}:9443")},
    });
    scene.apply("crossplane", &account, &[]);
    for object in [node, pod, revision] {
        scene.apply("crossplane", &object, &[]);
        scene.apply("crossplane", &object, &["--subresource=status"]);
    }
}

/// Core's own certificate, of an authority, and the authority that it believes.
fn certify(scene: &Scene, own: &Authority, believed: &Authority) {
    let client = own.client("crossplane", None, Validity::Valid).unwrap();
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "crossplane-tls-client", "namespace": "crossplane-system"},
        "data": {
            "tls.crt": ByteString(client.certificate.into_bytes()), "tls.key": ByteString(client.key.into_bytes()),
            "ca.crt": ByteString(believed.pem().as_bytes().to_vec()),
        },
    });
    scene.apply("crossplane", &secret, &[]);
}

fn scene(name: &'static str) -> Option<Scene> {
    let before = [store(bucket(json!({"size": "$(spec.size)"}))), claim("shop", "small")];
    let scene = Scene::start(name, &before)?;
    scene.bind(&before[1], &[("bucket", bucket(json!({"size": "small"})))]);
    scene.change(&[before[0].clone(), claim("shop", "large")]);
    Some(scene)
}

fn running(authority: &Authority, name: &str) -> Function {
    let identity = authority.server_called(name).unwrap();
    Function::secured(&identity, authority, |_, request| Reply::Answer(Box::new(templates(request))))
}

#[test]
fn functions_of_the_cluster_are_called_as_core_calls_them() {
    let Some(scene) = scene("plan-forwarded") else { return };
    let authority = Authority::create("crossplane").unwrap();
    let function = running(&authority, ENDPOINT);
    let kubelet = Kubelet::start(&scene.cluster, function.address());
    install(&scene, &kubelet, "True");
    certify(&scene, &authority, &authority);
    let (plan, code) = scene.document(&["--functions", "cluster"]);
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
    assert_eq!((code, fates(&plan, "shop-x")), (1, vec!["change Bucket/bucket".to_owned()]));
    assert!(function.calls() > 0);

    // A local one, with the same certificates.
    let local = format!("templates=grpcs://{}", function.address());
    let (plan, _) = scene.document(&["--function", &local]);
    assert_eq!(fates(&plan, "shop-x"), ["change Bucket/bucket"], "{plan:#}");

    let reason = |patience: &str| -> String {
        let (plan, code) = scene.document(&["--functions", "cluster", "--function-timeout", patience]);
        assert_eq!(code, 1, "{plan:#}");
        plan["unreadable"][0]["reason"].as_str().unwrap_or_else(|| panic!("{plan:#}")).to_owned()
    };
    let reported_within = |patience: &str, words: &str| {
        let found_reason = reason(patience);
        assert!(found_reason.contains(words), "{words:?} is not in {found_reason:?}");
    };
    let reported = |words: &str| reported_within("20s", words);
    let stranger = Authority::create("stranger").unwrap();
    certify(&scene, &authority, &stranger);
    reported("is not signed by Crossplane's own authority");
    certify(&scene, &stranger, &authority);
    reported("not accept core's own certificate");
    certify(&scene, &authority, &authority);
    let misnamed = running(&authority, "elsewhere.crossplane-system");
    let kubelet = Kubelet::start(&scene.cluster, misnamed.address());
    install(&scene, &kubelet, "True");
    reported("its certificate is not for templates.crossplane-system");
    let kubelet = Kubelet::start(&scene.cluster, "127.0.0.1:1");
    install(&scene, &kubelet, "True");
    reported("error forwarding port");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let kubelet = Kubelet::start(&scene.cluster, &silent.local_addr().unwrap().to_string());
    install(&scene, &kubelet, "True");
    reported_within("2s", "no answer within 2s");
    install(&scene, &kubelet, "False");
    reported("none of its 1 pods in namespace crossplane-system is ready");
}

#[test]
fn plan_needs_every_entry_of_its_role_for_compositions() {
    let Some(scene) = scene("plan-functions-governed") else { return };
    let authority = Authority::create("crossplane").unwrap();
    let function = running(&authority, ENDPOINT);
    let kubelet = Kubelet::start(&scene.cluster, function.address());
    install(&scene, &kubelet, "True");
    certify(&scene, &authority, &authority);
    let make = |user: Option<&str>| -> Command {
        let mut command = ucp_on(
            &scene.cluster,
            ["plan", "--base", "main", "--head", "feature", "--functions", "cluster", "-o", "json"],
        );
        command.arg(scene.repository.path()).args(user.iter().flat_map(|user| ["--as", user]));
        command
    };
    let tried = page("kubectl-ucp-plan-functions", &[None, Some("crossplane-system")]);
    let given =
        [page("kubectl-ucp-plan", &[None, Some("argocd")]), page("kubectl-ucp-plan-accounts", &[Some("argocd")])]
            .concat();
    check(&scene.cluster, "plan --functions", &tried, &given, "", &make);
}
