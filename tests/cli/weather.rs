//! Network faults between the plugin and a real API server. Readable data is shown, the rest is reported as
//! unknown, and nothing hangs.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::certificates::Authority;
use crate::support::command::{CANARY, Ran, interruptible, run, signal, ucp, ucp_on};
use crate::support::hub::{self, BAD_DAY};
use crate::support::kubeconfig::Credential;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, load};

/// One kind of the hub, as the path of its LIST has it.
const NETWORKS: &str = "compute.gcp.crossplane.io/v1beta1/networks";

pub(crate) fn through(proxy: &Proxy, arguments: &[&str]) -> Command {
    let mut command = ucp(arguments);
    command.env("KUBECONFIG", proxy.kubeconfig());
    command
}

/// A run through a proxy with these rules, and the proxy.
fn in_weather(rules: impl IntoIterator<Item = Rule>, arguments: &[&str]) -> Option<(Ran, Proxy)> {
    let proxy = Proxy::start(hub::quotes()?).unwrap();
    rules.into_iter().for_each(|rule| proxy.add(rule));
    Some((run(through(&proxy, arguments)), proxy))
}

#[test]
fn an_unreachable_server_is_an_error_with_its_address() {
    let ran = run(ucp(["status", "--server", "https://127.0.0.1:1"])).expect(3);
    assert!(ran.stderr.starts_with("error: cannot reach https://127.0.0.1:1: "), "{ran:?}");
    assert!(ran.stderr.contains("refused") && ran.stderr.contains("\nhint: "), "{ran:?}");
    let ran = run(ucp(["status", "--server", "https://no-such-host.invalid"])).expect(3);
    assert!(ran.stderr.contains("no-such-host.invalid"), "{ran:?}");
}

#[test]
fn a_server_of_another_authority_is_refused() {
    let Some(cluster) = hub::quotes() else { return };
    let mut kubeconfig = cluster.kubeconfig_with(&cluster.server(), &Credential::Token(CANARY.to_owned()));
    let other = Authority::create("other").unwrap();
    kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"] =
        json!(k8s_openapi::ByteString(other.pem().as_bytes().to_vec()));
    let mut command = ucp(["status"]);
    command.env("KUBECONFIG", cluster.save(&kubeconfig));
    let ran = run(command).expect(3);
    assert!(ran.stderr.contains("certificate"), "{ran:?}");
}

#[test]
fn expired_and_wrong_credentials_are_reported_as_such() {
    let Some(cluster) = hub::quotes() else { return };
    let wrong = cluster.save(&cluster.kubeconfig_with(&cluster.server(), &Credential::Token(CANARY.to_owned())));
    for kubeconfig in [cluster.expired_kubeconfig(), wrong] {
        let mut command = ucp(["status"]);
        command.env("KUBECONFIG", kubeconfig);
        let ran = run(command).expect(3);
        assert!(ran.stderr.contains("it rejects the credentials (401)"), "{ran:?}");
        assert!(ran.stderr.contains("\nhint: they are expired or wrong: log in again"), "{ran:?}");
    }
}

#[test]
fn the_retry_after_of_a_busy_server_is_respected() {
    let begin = Instant::now();
    let busy = Rule::on(NETWORKS, Fault::too_many_requests(1)).times(1);
    let Some((ran, proxy)) = in_weather([busy], &["status", "--exit-code"]) else { return };
    assert!(ran.expect(0).stdout.contains("No problems.") && begin.elapsed() >= Duration::from_secs(1));
    assert_eq!(proxy.count(NETWORKS), 2);
}

#[test]
fn a_server_that_stays_busy_is_unknown() {
    let busy = Rule::on(NETWORKS, Fault::too_many_requests(0));
    let Some((ran, proxy)) = in_weather([busy], &["status", "-o", "json"]) else { return };
    assert_eq!(ran.expect(4).unknown(), ["networks.compute.gcp.crossplane.io"]);
    assert!((2..10).contains(&proxy.count(NETWORKS)), "{}", proxy.count(NETWORKS));
}

#[test]
fn temporary_errors_are_retried() {
    let rules = [
        Rule::on("/apis", Fault::internal_error()).times(1),
        Rule::on(NETWORKS, Fault::internal_error()).times(2),
        Rule::on("subnetworks", Fault::unavailable()).times(1),
        Rule::on("applications", Fault::Reset).times(1),
        Rule::on("nodepools", Fault::CutBody).times(1),
    ];
    let Some((ran, proxy)) = in_weather(rules, &["status", "--exit-code", "-o", "json"]) else { return };
    assert_eq!(ran.expect(0).json()["counts"], json!({"OK": 43}));
    for (part, requests) in [(NETWORKS, 3), ("/subnetworks", 2), ("/applications?", 2), ("/nodepools", 2)] {
        assert_eq!(proxy.count(part), requests, "{part}");
    }
}

#[test]
fn a_permanent_failure_only_affects_its_own_kind() {
    for fault in [Fault::internal_error(), Fault::unavailable(), Fault::CutBody, Fault::Reset, Fault::Hang] {
        let rule = Rule::on(NETWORKS, fault.clone());
        let arguments = ["resources", "--request-timeout", "2s", "-o", "json"];
        let Some((ran, _proxy)) = in_weather([rule], &arguments) else { return };
        let ran = ran.expect(4);
        assert_eq!(ran.unknown(), ["networks.compute.gcp.crossplane.io"], "{fault:?}");
        assert_eq!(ran.json()["items"].as_array().unwrap().len(), 14, "{fault:?}");
    }
}

#[test]
fn a_server_that_hangs_is_waited_for_only_once() {
    let silent = Rule::on("limit=", Fault::Hang);
    let Some((ran, proxy)) = in_weather([silent], &["status", "--request-timeout", "1s"]) else { return };
    assert!(ran.expect(4).stdout.contains("No engine was found in what could be read."));
    // No attempt that took its full time is made again.
    assert!(proxy.count("limit=") < 24);
}

#[test]
fn without_discovery_the_command_fails() {
    for (fault, expected) in [
        (Fault::internal_error(), "the server failed (500): etcdserver: request timed out"),
        (Fault::CutBody, "it closed the connection"),
        (Fault::Hang, "did not answer within 1s"),
        (Fault::Answer { status: 200, headers: vec![], body: b"<html>log in</html>".to_vec() }, "is invalid"),
        (Fault::Answer { status: 302, headers: vec![], body: Vec::new() }, "error: cannot "),
    ] {
        let rules = [Rule::on("/api", fault)];
        let Some((ran, _proxy)) = in_weather(rules, &["status", "--request-timeout", "1s"]) else { return };
        let ran = ran.expect(3);
        assert!(ran.stderr.contains(expected) && ran.stdout.is_empty(), "{expected}: {ran:?}");
    }
}

#[test]
fn an_old_server_is_discovered_group_by_group() {
    let Some(cluster) = hub::quotes() else { return };
    let groups = cluster.kubectl(["get", "--raw", "/apis"]).output().unwrap();
    let headers = vec![("content-type", "application/json".to_owned())];
    let plain = Fault::Answer { status: 200, headers, body: groups.stdout };
    let rules = || {
        [
            Rule::on("/apis", plain.clone()).times(1),
            // A group whose server is down costs itself.
            Rule::on("/apis/dns.gcp.crossplane.io/v1alpha1", Fault::unavailable()),
        ]
    };
    let Some((ran, _proxy)) = in_weather(rules(), &["status", "-o", "json"]) else { return };
    let ran = ran.expect(4);
    // Its kind is defined.
    assert_eq!(ran.unknown(), ["dns.gcp.crossplane.io/v1alpha1", "resourcerecordsets.dns.gcp.crossplane.io"]);
    assert_eq!(ran.json()["counts"], json!({"OK": 36}));
    // An unknown kind may be of that group: it failed, so the command cannot be called wrong.
    let Some((ran, _proxy)) = in_weather(rules(), &["tree", "recordset/www"]) else { return };
    let ran = ran.expect(3);
    let reported = "no kind is called 'recordset'; dns.gcp.crossplane.io/v1alpha1: ";
    assert!(ran.stderr.contains(reported) && ran.stdout.is_empty(), "{ran:?}");
    // Where all groups are listed, the name is wrong.
    let Some((ran, _proxy)) = in_weather([], &["tree", "recordset/www"]) else { return };
    assert!(!ran.expect(2).stderr.contains("dns.gcp"));
}

#[test]
fn discovery_may_be_denied() {
    let denied = Fault::failure(403, "Forbidden", r#"forbidden: User "a" cannot get path "/apis""#);
    let Some((ran, _proxy)) = in_weather([Rule::on("/apis", denied)], &["status"]) else { return };
    let ran = ran.expect(3);
    assert!(ran.stderr.contains(r#"User "a" cannot get path "/apis""#), "{ran:?}");
    assert!(ran.stderr.contains("\nhint: you need the ClusterRole 'system:discovery'"), "{ran:?}");
}

#[test]
fn an_expired_list_is_started_again() {
    let Some(cluster) = support::core_cluster() else { return };
    let names: Vec<_> = (0..501).map(|number| format!("paged-{number:03}")).collect();
    let network = |name: &String| {
        json!({
            "apiVersion": "compute.gcp.crossplane.io/v1beta1", "kind": "Network", "metadata": {"name": name},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "default"}},
        })
    };
    let objects = names.iter().map(network).collect();
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();

    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::on("continue=", Fault::expired()).times(1));
    let list = ["resources", "network", "-o", "jsonpath={range .items[*]}{.object.name}{\"\\n\"}{end}"];
    let ran = run(through(&proxy, &list)).expect(0);
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), names);
    // First page, expired, first page again, second page.
    assert_eq!(proxy.count(NETWORKS), 4);

    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::on("continue=", Fault::expired()));
    let ran = run(through(&proxy, &["resources", "network", "-o", "json"])).expect(4);
    assert_eq!(ran.unknown(), ["networks.compute.gcp.crossplane.io"]);
}

/// A CRD of a managed kind, with a version that is converted by a webhook if `conversion` requires it.
pub(crate) fn crd(group: &str, conversion: Option<Value>) -> Value {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    let versions = match conversion {
        Some(_) => vec![version("v1", false), version("v1beta1", true)],
        None => vec![version("v1", true)],
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {
            "group": group, "scope": "Cluster", "versions": versions,
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "categories": ["managed"]},
            "conversion": conversion.unwrap_or(json!({"strategy": "None"})),
        },
    })
}

fn wait_for(cluster: &Cluster, condition: &str, object: &str) {
    let wait = ["wait", condition, object, "--timeout=60s"];
    assert!(cluster.kubectl(wait).stdout(Stdio::null()).status().unwrap().success());
}

#[test]
fn failures_of_webhooks_and_api_services_only_affect_their_kinds() {
    let Some(cluster) = support::start(Options::named("stormy")) else { return };
    let webhook = json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/convert"},
    }});
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.down.example.org"},
        "spec": {
            "group": "down.example.org", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10,
            "insecureSkipTLSVerify": true, "service": {"namespace": "default", "name": "nobody"},
        },
    });
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
            crd("webhook.example.org", Some(webhook)), crd("fine.example.org", None), crd("gone.example.org", None), service,
        ]}),
    );
    for group in ["webhook", "fine", "gone"] {
        wait_for(&cluster, "--for=condition=Established", &format!("crd/things.{group}.example.org"));
    }
    wait_for(&cluster, "--for=condition=Available=False", "apiservice/v1.down.example.org");
    let thing = |api_version: &str| json!({"apiVersion": api_version, "kind": "Thing", "metadata": {"name": "thing"}});
    let things = ["webhook.example.org/v1beta1", "fine.example.org/v1", "gone.example.org/v1"].map(thing);
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": things}));

    let mark = cluster.audit_mark();
    let ran = run(ucp_on(&cluster, ["resources", "-o", "json"])).expect(4);
    let list = ran.json();
    assert_eq!(list["items"].as_array().unwrap().len(), 2, "{list}");
    assert_eq!(ran.unknown(), ["down.example.org/v1", "things.webhook.example.org"]);
    let reasons = list["unreadable"].to_string();
    assert!(reasons.contains("conversion webhook for webhook.example.org") && reasons.contains("stale"), "{reasons}");
    // The API server has tried its webhook more than once, and is not asked to try again.
    let requests = cluster.requests_since(mark);
    assert_eq!(requests.iter().filter(|request| request.uri.contains("/webhook.example.org/")).count(), 1);

    // A CRD that is deleted after discovery has no objects.
    let proxy = Proxy::start(&cluster).unwrap();
    let list_path = "gone.example.org/v1/things";
    proxy.add(Rule::on(list_path, Fault::Delay(Duration::from_secs(2))).times(1));
    let command = through(&proxy, &["resources", "-o", "name"]);
    let listing = std::thread::spawn(move || run(command));
    support::run(async || support::eventually(async || (proxy.count(list_path) > 0).then_some(())).await);
    let delete = cluster.kubectl(["delete", "crd", "things.gone.example.org"]).stdout(Stdio::null()).status().unwrap();
    assert!(delete.success());
    let ran = listing.join().unwrap().expect(4);
    assert_eq!(ran.stdout, "thing.fine.example.org/thing\n");
    assert!(!ran.stderr.contains("gone.example.org"), "{}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for arguments in
        [&["status", "--from", BAD_DAY][..], &["resources", "-o", "yaml", "--from", BAD_DAY], &["explain"], &["--help"]]
    {
        let mut command = ucp(arguments.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let others: Vec<&str> = text.lines().filter(|line| !line.starts_with("hint: ")).collect();
        assert_eq!((output.status.code(), others), (Some(0), vec![]), "{arguments:?}");
    }
}

// Only GNU's env gives a signal its default back.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_command_at_once() {
    use std::os::unix::process::ExitStatusExt as _;

    let Some(cluster) = hub::quotes() else { return };
    for path in ["/apis", NETWORKS] {
        let proxy = Proxy::start(cluster).unwrap();
        proxy.add(Rule::on(path, Fault::Hang));
        let mut command = interruptible(&through(&proxy, &["status", "--request-timeout", "0"]));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        support::run(async || support::eventually(async || (proxy.count(path) > 0).then_some(())).await);
        signal(&child, "INT");
        support::run(async || support::eventually(async || child.try_wait().unwrap()).await);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(2));
        assert_eq!((output.stdout, output.stderr), (vec![], vec![]));
    }
}
