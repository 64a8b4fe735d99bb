//! What functions are told, and what is shown of secrets.

use std::sync::{Arc, Mutex};

use prost::Message as _;
use serde_json::json;

use super::super::{create, stderr, stdout};
use super::scene::{bucket, composition};
use super::{Scene, step};
use crate::support::function::{Function, Reply, templates};

const CANARIES: [&str; 4] = ["canary-composed", "canary-wrapped", "canary-connection", "canary-credential"];

#[test]
fn functions_are_told_no_secrets_unless_asked_and_none_is_shown() {
    let secret = |key: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "quotes"}, "stringData": {"password": key},
        })
    };
    let wrapped = |key: &str| {
        let manifest =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "w"}, "stringData": {"password": key}});
        json!({"apiVersion": "shop.example.org/v1", "kind": "Disk", "spec": {"forProvider": {"manifest": manifest}}})
    };
    let connected = |size: &str| {
        let mut one = bucket(json!({"location": size}));
        one["apiVersion"] = json!("shop.example.org/v1");
        one["kind"] = json!("Disk");
        one["spec"]["writeConnectionSecretToRef"] = json!({"namespace": "quotes", "name": "connection"});
        one
    };
    let made = |suffix: &str| {
        composition(
            "store",
            "XStore",
            json!([step(json!([
                {"name": "secret", "base": secret(&format!("canary-composed{suffix}"))},
                {"name": "wrapped", "base": wrapped(&format!("canary-wrapped{suffix}"))},
                {"name": "connected", "base": connected("x")},
            ]))]),
        )
    };
    let Some(scene) = Scene::start("plan-discreet", &[made("")]) else { return };
    let encoded = k8s_openapi::ByteString(b"canary-connection".to_vec());
    let credential = k8s_openapi::ByteString(b"canary-credential".to_vec());
    create(
        &scene.cluster,
        vec![
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "quotes", "name": "connection"}, "data": {"endpoint": encoded}}),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "quotes", "name": "credential"}, "data": {"token": credential}}),
        ],
    );
    let shop = json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}, "spec": {"size": "a"}});
    scene.compose(
        &shop,
        &[("secret", secret("canary-composed")), ("wrapped", wrapped("canary-wrapped")), ("connected", connected("x"))],
        None,
    );
    scene.change(&[made("-new")]);

    let heard: Arc<Mutex<String>> = Arc::default();
    let ear = Arc::clone(&heard);
    let function = Function::start(move |_, request| {
        // The Composition's own text is the pull request's; what the cluster holds is not.
        let mut told = request.clone();
        (told.input, told.desired) = (None, None);
        ear.lock().unwrap().push_str(&String::from_utf8_lossy(&told.encode_to_vec()));
        Reply::Answer(Box::new(templates(request)))
    });
    let local = function.named("templates");
    for format in ["table", "wide", "json", "yaml", "markdown"] {
        let output = scene.plan(&["--function", &local, "-o", format, "-v", "9"]);
        let text = stdout(&output) + &stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("hidden value"), "{text}");
        // The Composition is a file of the repository, and its diff is shown as such.
        let of_composites = text.lines().filter(|line| !line.contains("input") && !line.contains("base"));
        let of_composites: String = of_composites.collect();
        assert!(!of_composites.contains("canary-connection") && !of_composites.contains("canary-credential"), "{text}");
    }
    let (plan, _) = scene.document(&["--function", &local]);
    let composites = plan["composites"].to_string();
    assert!(composites.contains("hidden value"), "{composites}");
    for canary in CANARIES {
        assert!(!composites.contains(canary), "{canary} in {composites}");
        assert!(!heard.lock().unwrap().contains(canary), "{canary} was sent");
    }
    heard.lock().unwrap().clear();
    scene.document(&["--function", &local, "--send", "connection-details,secrets"]);
    let heard = heard.lock().unwrap();
    assert!(heard.contains("canary-connection"), "what is asked for is sent");
}
