//! Clusters that are far away: HTTP/2 over few connections, HTTP/1.1 where there is no other, by whatever way leads there.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use ucp_client::source::ConnectionArgs;
use ucp_client::source::kubeconfig;
use ucp_client::source::live::api::{Api, JSON, ReadError};

use crate::support::command::{CANARY, Ran, run, ucp};
use crate::support::proxy::Proxy;
use crate::support::wire::{Door, Wire};
use crate::support::{self, Cluster, Options, hub, load};

/// A latency at which sequential requests would be measurable.
const FAR: Duration = Duration::from_millis(40);
const NEAR: Duration = Duration::ZERO;

fn resources(kubeconfig: &Path) -> Ran {
    let mut command = ucp(["resources", "-o", "json"]);
    command.env("KUBECONFIG", kubeconfig);
    run(command)
}

fn names(ran: &Ran) -> Vec<Value> {
    ran.json()["items"].as_array().unwrap().iter().map(|item| item["object"].clone()).collect()
}

/// The objects that are read without anything in between.
fn straight(cluster: &Cluster) -> Vec<Value> {
    names(&resources(cluster.kubeconfig()).expect(0))
}

#[test]
fn a_single_connection_is_used_for_all_requests_to_a_small_hub() {
    let Some(cluster) = hub::quotes() else { return };
    let wire = Wire::start(cluster, Door::Open, FAR);
    let mut command = ucp(["resources", "-o", "json", "-v", "6"]);
    command.env("KUBECONFIG", wire.kubeconfig(cluster));
    let ran = run(command).expect(0);
    let requests = ran.stderr.lines().filter(|line| line.contains("GET https://")).count();
    assert!(requests > 8, "{requests}");
    assert_eq!(names(&ran), straight(cluster));
    assert_eq!(wire.opened(), 1);
}

#[test]
fn a_server_with_http1_only_can_be_read() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    let ran = resources(proxy.kubeconfig()).expect(0);
    assert_eq!(names(&ran), straight(cluster));
}

#[test]
fn http2_is_used_through_proxies_of_every_kind() {
    let Some(cluster) = hub::quotes() else { return };
    for door in [Door::Connect, Door::ConnectOverTls, Door::Socks5] {
        let wire = Wire::start(cluster, door, NEAR);
        let ran = resources(&wire.kubeconfig(cluster)).expect(0);
        assert_eq!(names(&ran), straight(cluster), "{door:?}");
        assert_eq!((wire.opened(), wire.asked().len()), (1, 1), "{door:?}");
    }
}

#[test]
fn a_proxy_gets_its_own_password_and_no_other_credential() {
    let Some(cluster) = hub::quotes() else { return };
    let wire = Wire::start(cluster, Door::Connect, NEAR);
    let mut kubeconfig = cluster.admin_kubeconfig().unwrap();
    let url = format!("http://user%40home:{CANARY}@{}", wire.address());
    kubeconfig["clusters"][0]["cluster"]["proxy-url"] = json!(url);
    let mut command = ucp(["resources", "-v", "9"]);
    command.env("KUBECONFIG", cluster.save(&kubeconfig));
    run(command).expect(0);
    let head = wire.asked().pop().unwrap().to_ascii_lowercase();
    let expected = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, format!("user@home:{CANARY}"));
    assert!(head.contains(&format!("proxy-authorization: basic {}", expected.to_ascii_lowercase())), "{head}");
    assert!(!head.contains("\r\nauthorization:"), "{head}");
}

#[test]
fn proxies_are_read_from_the_environment_and_from_flags() {
    let Some(cluster) = hub::quotes() else { return };
    let wire = Wire::start(cluster, Door::Connect, NEAR);
    let mut command = ucp(["resources"]);
    command.env("KUBECONFIG", cluster.kubeconfig()).env("HTTPS_PROXY", format!("http://{}", wire.address()));
    // Loopback is never reached by way of a proxy of the environment, as in Go.
    run(command).expect(0);
    assert_eq!(wire.opened(), 0);

    let wire = Wire::start(cluster, Door::Open, NEAR);
    let server = format!("https://{}", wire.address());
    for flags in [
        &["--tls-server-name", "localhost"][..],
        &["--insecure-skip-tls-verify"],
        &["--as", "somebody", "--as-group", "system:masters", "--as-uid", "7", "--as-user-extra", "reason=test"],
        &["--disable-compression"],
    ] {
        let mut command = ucp(["resources", "--server", &server]);
        command.args(flags).env("KUBECONFIG", cluster.kubeconfig());
        let before = wire.opened();
        run(command).expect(0);
        assert_eq!(wire.opened(), before + 1, "{flags:?}");
    }
}

#[test]
fn a_plugin_that_hands_out_a_certificate_logs_in() {
    let Some(cluster) = hub::quotes() else { return };
    let mut kubeconfig = cluster.admin_kubeconfig().unwrap();
    let user = &kubeconfig["users"][0]["user"];
    let pem = |field: &str| {
        let bytes = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, user[field].as_str().unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {
            "clientCertificateData": pem("client-certificate-data"), "clientKeyData": pem("client-key-data"),
        },
    });
    let file = cluster.directory().join("exec-credential.json");
    std::fs::write(&file, credential.to_string()).unwrap();
    kubeconfig["users"][0]["user"] = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "cat", "args": [file], "interactiveMode": "Never",
    }});
    let ran = resources(&cluster.save(&kubeconfig)).expect(0);
    assert_eq!(names(&ran), straight(cluster));
}

/// A hub with every kind of the fixtures' providers, on a server with flags of its own.
fn hub_with(name: &str, flags: &[&str]) -> Option<Cluster> {
    let cluster = support::start(Options::named(name).with_flags(flags))?;
    load::load(&cluster, Path::new(hub::QUOTES)).unwrap();
    load::install_all_crds(&cluster).unwrap();
    Some(cluster)
}

#[test]
fn several_connections_are_used_if_the_server_limits_streams() {
    let Some(cluster) = hub_with("streams", &["--http2-max-streams-per-connection=5"]) else { return };
    let wire = Wire::start(&cluster, Door::Open, FAR);
    let expected = straight(&cluster);
    // The server's limit arrives after the first connection is open. Where the machine is busy, all requests of a run may be
    // queued before that.
    let opened: Vec<usize> = (0..5)
        .map(|_| {
            let before = wire.opened();
            assert_eq!(names(&resources(&wire.kubeconfig(&cluster)).expect(0)), expected);
            wire.opened() - before
        })
        .collect();
    assert!(opened.iter().any(|count| *count >= 2) && opened.iter().all(|count| *count <= 8), "{opened:?}");
}

#[test]
fn requests_are_repeated_if_the_server_ends_connections() {
    // One request in fifty is answered with GOAWAY, the most that the server offers.
    let Some(cluster) = hub_with("goaway", &["--goaway-chance=0.02"]) else { return };
    let expected = straight(&cluster);
    let wire = Wire::start(&cluster, Door::Open, FAR);
    let kubeconfig = wire.kubeconfig(&cluster);
    for _ in 0..4 {
        assert_eq!(names(&resources(&kubeconfig).expect(0)), expected);
    }
    // The same with enough requests for the server to end many a connection. This way none of them is tried again because
    // it failed, but requests that the server did not process are sent over another connection.
    let connection = kubeconfig::load(&ConnectionArgs { kubeconfig: Some(kubeconfig), ..ConnectionArgs::default() });
    let (connection, before) = (connection.unwrap(), wire.opened());
    let failed: Vec<ReadError> = support::run(async || {
        let api = Api::connect(&connection, Duration::from_secs(60)).unwrap();
        let requests = (0..2000).map(|_| async { api.open("/version".into(), JSON).await.map(drop).err() });
        stream::iter(requests).buffer_unordered(128).filter_map(async |error| error).collect().await
    });
    assert_eq!(failed, []);
    assert!(wire.opened() > before + 10, "no connection was ended: the test saw nothing");
}

#[test]
fn a_connection_that_is_lost_during_a_run_is_reopened() {
    let Some(cluster) = hub::quotes() else { return };
    let expected = straight(cluster);
    let wire = Wire::start(cluster, Door::Open, Duration::from_millis(200));
    let mut command = Command::new(crate::support::command::program());
    command.args(["resources", "-o", "json", "--kubeconfig"]).arg(wire.kubeconfig(cluster));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Discovery is under way when the first bytes were carried; some lists are a little later.
    support::run(async || support::eventually(async || (wire.open() > 0).then_some(())).await);
    for _ in 0..2 {
        std::thread::sleep(Duration::from_millis(700));
        wire.cut();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    let items: Vec<_> = read["items"].as_array().unwrap().iter().map(|item| item["object"].clone()).collect();
    assert_eq!(items, expected);
    assert!(wire.opened() > 1, "the wire was cut when nothing was left to carry");
}
