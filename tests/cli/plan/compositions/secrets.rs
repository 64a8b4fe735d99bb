//! The secrets that functions receive, and that none is shown.

use std::sync::{Arc, Mutex};

use prost::Message as _;
use serde_json::json;

use ucp_features::composition::protocol::{FunctionResource, FunctionResult};
use ucp_features::composition::value::to_struct;

use super::super::{create, stderr, stdout};
use super::scene::{bucket, composition};
use super::{Scene, step};
use crate::support::function::{Function, Reply, templates};

const CANARIES: [&str; 4] = ["canary-composed", "canary-wrapped", "canary-connection", "canary-credential"];

#[test]
fn functions_get_no_secrets_without_the_flag_and_none_is_shown() {
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
    let made = |prefix: &str| {
        let resources = json!([
            {"name": "secret", "base": secret(&format!("{prefix}-composed"))},
            {"name": "wrapped", "base": wrapped(&format!("{prefix}-wrapped"))},
            {"name": "connected", "base": connected("x")},
        ]);
        composition("store", "XStore", json!([step(resources)]))
    };
    // A Composition whose step is given credentials.
    let given = |place: &str| {
        let mut given = step(json!([{"name": "bucket", "base": bucket(json!({"place": place}))}]));
        given["credentials"] =
            json!([{"name": "login", "source": "Secret", "secretRef": {"namespace": "quotes", "name": "credential"}}]);
        composition("given", "XStore", json!([given]))
    };
    let Some(scene) = Scene::start("plan-discreet", &[made("canary"), given("here")]) else { return };
    let encoded = k8s_openapi::ByteString(b"canary-connection".to_vec());
    let credential = k8s_openapi::ByteString(b"canary-credential".to_vec());
    create(
        &scene.cluster,
        vec![
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "quotes", "name": "connection"}, "data": {"endpoint": encoded}}),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "quotes", "name": "credential"}, "data": {"token": credential}}),
        ],
    );
    let shop = json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}, "spec": {"compositionRef": {"name": "store"}}});
    let kiosk = json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "kiosk"}, "spec": {"compositionRef": {"name": "given"}}});
    scene.compose(&kiosk, &[("bucket", bucket(json!({"place": "here"})))], None);
    scene.compose(
        &shop,
        &[("secret", secret("canary-composed")), ("wrapped", wrapped("canary-wrapped")), ("connected", connected("x"))],
        None,
    );
    scene.change(&[made("changed"), given("there")]);

    let all_received: Arc<Mutex<String>> = Arc::default();
    let ear = Arc::clone(&all_received);
    // It repeats every canary that it receives: in a warning, and in its resources.
    let function = Function::start(move |_, request| {
        // The Composition's own text is that of the pull request; the cluster's contents are not.
        let mut received = request.clone();
        (received.input, received.desired) = (None, None);
        let received = String::from_utf8_lossy(&received.encode_to_vec()).into_owned();
        let repeated: Vec<&str> = CANARIES.into_iter().filter(|canary| received.contains(canary)).collect();
        let message = format!("heard {} of them: {}", repeated.len(), repeated.join(", "));
        ear.lock().unwrap().push_str(&received);
        let mut answer = templates(request);
        answer.results = vec![FunctionResult { severity: 2, message: message.clone() }];
        let copy =
            json!({"apiVersion": "shop.example.org/v1", "kind": "Disk", "spec": {"forProvider": {"note": message}}});
        let copy = FunctionResource { resource: Some(to_struct(&copy)), ..FunctionResource::default() };
        answer.desired.get_or_insert_default().resources.insert("copy".to_owned(), copy);
        Reply::Answer(Box::new(answer))
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
        assert!(!was_sent(&all_received, canary), "{canary} was sent");
    }
    // Credentials are not sent either, which is reported.
    let refused = &plan["unreadable"][0];
    assert!(refused["reason"].as_str().unwrap().contains("'--send credentials'"), "{plan:#}");

    let everything = "credentials,connection-details,secrets";
    for format in ["table", "wide", "json", "yaml", "markdown", "html"] {
        all_received.lock().unwrap().clear();
        let output = scene.plan(&["--function", &local, "--send", everything, "-o", format, "-v", "9"]);
        let text = stdout(&output) + &stderr(&output);
        assert!(text.contains(" of them: "), "{format}: {text}");
        for canary in CANARIES {
            assert!(was_sent(&all_received, canary), "{canary} is asked for and was not sent");
            assert!(!text.contains(canary), "{canary} in {format}: {text}");
        }
    }
}

/// Returns whether a function received a canary, in plain text or as the data of a Secret.
fn was_sent(all_received: &Mutex<String>, canary: &str) -> bool {
    let all_received = all_received.lock().unwrap();
    let encoded = serde_json::to_value(k8s_openapi::ByteString(canary.as_bytes().to_vec())).unwrap();
    all_received.contains(canary) || all_received.contains(encoded.as_str().unwrap())
}
