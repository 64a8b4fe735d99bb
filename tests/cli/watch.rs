//! `status --watch`: redrawn from watches, and continued after a restart of the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::granted::{self, Entry, Users};
use crate::support::command::ucp;
use crate::support::{self, Cluster, Options};

/// A running `status --watch -o json`, and its documents as they come.
struct Watching {
    process: Child,
    documents: Receiver<Value>,
}

impl Watching {
    fn start(cluster: &Cluster) -> Self {
        Self::start_as(cluster.kubeconfig_for("watcher", Some("system:masters")))
    }

    fn start_as(kubeconfig: PathBuf) -> Self {
        let mut process = Command::new(crate::support::command::program())
            .args(["status", "--watch", "-o", "jsonpath={@}{\"\\n\"}", "--kubeconfig"])
            .arg(kubeconfig)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, documents) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // One compact document a line, by the template.
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { process, documents }
    }

    /// Waits for a document that fits.
    fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut last = Value::Null;
        while let Ok(document) = self.documents.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if fits(&document) {
                return document;
            }
            last = document;
        }
        panic!("no document came in which {what}; the last was {last}");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `status --watch -o prometheus`, until dropped.
struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn start(cluster: &Cluster) -> Self {
        let mut process = ucp(["status", "--watch", "-o", "prometheus", "--port", "0"])
            .env("KUBECONFIG", cluster.kubeconfig())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = BufReader::new(process.stderr.take().unwrap()).lines().next().unwrap().unwrap();
        let url = printed.strip_prefix("serving metrics at http://").unwrap_or_else(|| panic!("{printed}"));
        let address = url.strip_suffix("/metrics").unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Self { process, address }
    }

    /// The served metrics.
    fn metrics(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Waits for an answer that fits.
    fn until(&self, what: &str, fits: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut answer = self.metrics();
        while !fits(&answer) {
            assert!(Instant::now() < deadline, "{what}: {answer}");
            std::thread::sleep(Duration::from_millis(100));
            answer = self.metrics();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn has_finding(document: &Value, code: &str) -> bool {
    document["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code)
}

fn managed_resources(document: &Value) -> u64 {
    document["engines"][0]["kinds"]["managed resources"].as_u64().unwrap_or_default()
}

fn annotate(cluster: &Cluster, annotation: &str) {
    let object = ["annotate", "network.compute.gcp.crossplane.io/crossplane-network-prod", annotation, "--overwrite"];
    let output = cluster.kubectl(object).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn shows_changes_from_watches_and_survives_a_restart() {
    let Some(mut cluster) = support::start(Options::named("watched")) else { return };
    support::load::load(&cluster, Path::new("tests/fixtures/quotes")).unwrap();
    let watching = Watching::start(&cluster);
    let serving = Serving::start(&cluster);
    watching.until("all is read", |document| managed_resources(document) == 16);
    let is_paused = |answer: &str| answer.contains("\nucp_findings{") && answer.contains("code=\"UCP114\"");
    serving.until("all is read", |answer| answer.starts_with("HTTP/1.1 200 ") && !is_paused(answer));

    let mark = cluster.audit_mark();
    annotate(&cluster, "crossplane.io/paused=true");
    watching.until("a network is paused", |document| has_finding(document, "UCP114"));
    let by_watcher = |request: &&support::audit::Request| request.user == "watcher";
    let lists = cluster.requests_since(mark).iter().filter(by_watcher).filter(|request| request.verb == "list").count();
    assert_eq!(lists, 0, "a change is learnt from a watch, not from a LIST");
    serving.until("a network is paused", is_paused);

    cluster.stop();
    watching.until("the server is gone", |document| !document["unreadable"].as_array().unwrap().is_empty());
    cluster.restart().unwrap();
    annotate(&cluster, "crossplane.io/paused-");
    watching.until("all is read again", |document| {
        !has_finding(document, "UCP114") && document["unreadable"].as_array().unwrap().is_empty()
    });
    serving.until("the network continues", |answer| answer.starts_with("HTTP/1.1 200 ") && !is_paused(answer));
}

#[test]
fn a_provider_config_usage_starts_the_watch_of_an_empty_kind() {
    let Some(cluster) = support::start(Options::named("waking")) else { return };
    support::load::load(&cluster, Path::new("tests/fixtures/quotes")).unwrap();
    support::load::install_all_crds(&cluster).unwrap();
    let watching = Watching::start(&cluster);
    watching.until("all is read", |document| managed_resources(document) == 16);

    let created = json!({
        "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster",
        "metadata": {"name": "new"}, "spec": {"forProvider": {}},
    });
    let usage = json!({
        "apiVersion": "gcp.upbound.io/v1beta1", "kind": "ProviderConfigUsage",
        "metadata": {"name": "first", "ownerReferences": [{
            "apiVersion": "container.gcp.upbound.io/v1beta1", "kind": "Cluster", "name": "new", "uid": "1",
        }]},
        "providerConfigRef": {"name": "default"},
    });
    support::run(async || support::load::load_objects(&cluster.client(), vec![created, usage]).await).unwrap();
    watching.until("the first cluster of its kind is seen", |document| managed_resources(document) == 17);
}

#[test]
fn a_snapshot_cannot_be_watched() {
    let output = Command::new(crate::support::command::program())
        .args(["status", "--watch", "--from", "tests/fixtures/quotes"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a cluster"));
}

/// The role of `status`, and that of the providers of the fixture, with a verb.
fn role(verb: &str) -> Vec<Entry> {
    let mut role = granted::cluster_role("kubectl-ucp-status");
    for family in ["compute.gcp", "container.gcp", "dns.gcp", "gcp", "database.aws", "aws"] {
        let (group, resource) = (format!("{family}.crossplane.io"), "*".to_owned());
        role.push(Entry { group, resource, ..role[0].clone() });
    }
    role.iter_mut().for_each(|entry| entry.verb = verb.to_owned());
    role
}

#[test]
fn a_kind_that_may_not_be_watched_stays_unknown() {
    let Some(cluster) = support::start(Options::named("unwatched")) else { return };
    support::load::load(&cluster, Path::new("tests/fixtures/quotes")).unwrap();
    let served = cluster.kubectl(["api-resources", "-o", "name"]).output().unwrap();
    let served = String::from_utf8(served.stdout).unwrap();
    let (mut watched, list) = (role("watch"), role("list"));
    // Absent kinds cannot be required.
    watched.retain(|entry| {
        served.lines().any(|line| entry.resource == "*" || line == format!("{}.{}", entry.resource, entry.group))
    });
    // AppProjects are listed to find the settings among several, definitions to find kinds that discovery omits. They are not
    // watched.
    let is_listed_once =
        |entry: &Entry| ["appprojects", "customresourcedefinitions"].contains(&entry.resource.as_str());
    watched.retain(|entry| !entry.group.ends_with("fluxcd.io") && !is_listed_once(entry));

    let users = Users::of(&cluster, &watched, &list);
    let full = Watching::start_as(cluster.kubeconfig_for(&users.full, None));
    let restricted: Vec<(&Entry, Watching)> = users
        .restricted
        .iter()
        .map(|(entry, user)| (entry, Watching::start_as(cluster.kubeconfig_for(user, None))))
        .collect();
    full.until("all is read", |document| managed_resources(document) == 16);
    for (missing, watching) in &restricted {
        let is_reported = |document: &Value| missing.is_named_in(&document["unreadable"].to_string());
        watching.until("the missing right is named", is_reported);
    }
    annotate(&cluster, "crossplane.io/paused=true");
    let paused = full.until("a network is paused", |document| has_finding(document, "UCP114"));
    assert_eq!(paused["unreadable"], json!([]));
    for (missing, watching) in &restricted {
        // An object that was listed again meanwhile is shown, and is still not watched.
        let next = watching.until("it is paused", |document| has_finding(document, "UCP114"));
        assert!(missing.is_named_in(&next["unreadable"].to_string()), "{missing:?}: {next}");
    }
}
