//! Incidents, and the report of `history --cause` about each when no Event of them is left.

mod by_argocd;
mod by_crossplane;
mod by_engine;
mod by_hand;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use crate::argocd;
use crate::crossplane::{self, functions};
use crate::flux;
use crate::scenario::{row, ucp};
use crate::support::Controller;
use crate::world::{World, get, namespace};

/// The repository from which everything is deployed.
const REPOSITORY: &str = "incidents";
/// How long the API server keeps Events.
const EVENT_TTL: &str = "--event-ttl=2m";
/// The age of the oldest Event that is left: that time, and the one that the server takes to remove it.
const OLDEST_EVENT: i64 = 120 + 30;
/// How long after the last incident the question is asked.
const LATER: Duration = Duration::from_secs(5 * 60);
/// Two incidents are this far apart, so that their times differ.
const APART: Duration = Duration::from_secs(5);
/// An incident shows in this time.
const PATIENCE: Duration = Duration::from_secs(90);
/// The largest difference between a reported time and the real one.
const CLOSE: i64 = 60;

/// One thing that someone breaks.
pub struct Incident {
    pub name: &'static str,
    /// The object of which a person asks: `KIND/NAME` with `-n NAMESPACE`.
    pub about: &'static str,
    /// The cause: an object as `KIND/NAME`, and words of its line. `@commit` stands for the pushed commit. Without
    /// one, no candidate may be likely.
    pub culprits: &'static [(&'static str, &'static str)],
    pub strike: fn(&mut World, &mut Files),
    pub is_broken: fn(&World) -> bool,
}

/// The files of the repository.
#[derive(Default)]
pub struct Files {
    files: BTreeMap<String, String>,
    /// The last commit.
    commit: String,
}

impl Files {
    pub fn set(&mut self, path: &str, content: impl Into<String>) {
        self.files.insert(path.to_owned(), content.into());
    }

    /// Replaces a text in a file, and pushes it as a commit.
    pub fn edit(&mut self, world: &World, path: &str, from: &str, to: &str) {
        let file = self.files.get_mut(path).unwrap();
        assert!(file.contains(from), "{from} is not in {path}");
        *file = file.replace(from, to);
        self.push(world);
    }

    pub fn push(&mut self, world: &World) {
        let files: Vec<(&String, &String)> = self.files.iter().collect();
        self.commit = world.forge.commit(REPOSITORY, &files);
    }
}

/// An incident that was carried out.
struct Struck {
    incident: &'static Incident,
    at: Timestamp,
    commit: String,
}

/// The answer to one question.
struct Answer {
    is_first: bool,
    is_on_time: bool,
    /// Another candidate is called likely.
    misleads: bool,
    /// A gap covers the time whose Events have expired.
    has_gap: bool,
    text: String,
    /// The remaining output of the commands of Kubernetes and of the engine.
    still_known: String,
}

#[test]
fn the_cause_is_the_first_candidate_after_its_events_expired() {
    let mut world =
        World::with_flags("history", &[&Controller::ALL[..], &Controller::WORKLOADS].concat(), &[EVENT_TTL]);
    flux::install(&mut world);
    crossplane::install(&mut world);
    functions::start_templates(&mut world);
    argocd::install(&mut world);
    let mut files = Files::default();
    let incidents: Vec<&'static Incident> = by_hand::INCIDENTS
        .iter()
        .chain(&by_engine::INCIDENTS)
        .chain(&by_argocd::INCIDENTS)
        .chain(&by_crossplane::INCIDENTS)
        .collect();
    set_up(&mut world, &mut files, &incidents);
    let (mut struck, mut unobserved) = (Vec::new(), Vec::new());
    for incident in incidents {
        std::thread::sleep(APART);
        let at = Timestamp::now();
        (incident.strike)(&mut world, &mut files);
        match observe(&world, incident) {
            true => struck.push(Struck { incident, at, commit: files.commit.clone() }),
            false => unobserved.push(incident.name),
        }
    }
    std::thread::sleep(LATER);
    let answers: Vec<(&Struck, Answer)> = struck.iter().map(|struck| (struck, ask(&world, struck))).collect();
    for (struck, answer) in &answers {
        let (first, time) =
            (if answer.is_first { "first" } else { "NOT FIRST" }, if answer.is_on_time { "" } else { ", LATE" });
        let misleads = if answer.misleads { ", MISLEADS" } else { "" };
        let engine = &answer.still_known;
        let line = format!("{first}{time}{misleads}: {}", answer.text);
        eprintln!("{}: {engine}: {line}", struck.incident.name);
        row(&format!("history: {}", struck.incident.name), engine, &line);
    }
    assert!(unobserved.is_empty(), "no failure followed: {unobserved:?}");
    let count = |holds: fn(&Answer) -> bool| answers.iter().filter(|(_, answer)| holds(answer)).count();
    let (all, first) = (answers.len(), count(|answer| answer.is_first));
    assert_eq!(count(|answer| answer.misleads), 0, "a wrong candidate is called likely");
    assert_eq!(count(|answer| !answer.has_gap), 0, "a time whose Events have expired is not reported as a gap");
    assert!(first * 20 >= all * 17, "the culprit is first in {first} of {all}");
    assert_eq!(count(|answer| answer.is_first && !answer.is_on_time), 0, "a time is wrong");
}

/// Waits until the incident shows. The other ones are asked for even if this one does not.
fn observe(world: &World, incident: &Incident) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if (incident.is_broken)(world) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    false
}

fn set_up(world: &mut World, files: &mut Files, incidents: &[&Incident]) {
    by_hand::set_up(world, files);
    by_engine::set_up(world, files);
    by_crossplane::set_up(world, files);
    by_argocd::set_up(world, files);
    files.push(world);
    by_argocd::deploy(world);
    world.hub.apply(&flux::repository(REPOSITORY, &world.forge.url(REPOSITORY)));
    for incident in incidents {
        assert!(get(&world.hub, incident.about).is_some() || incident.about.contains("-n"), "{}", incident.name);
    }
    for incident in incidents {
        world.until(&format!("{} is healthy", incident.name), |world| is_healthy(world, incident.about).then_some(()));
    }
    // The history of an object that was just created is its creation.
    std::thread::sleep(Duration::from_secs(30));
}

fn is_healthy(world: &World, object: &str) -> bool {
    let Some(found) = get(&world.hub, object) else { return false };
    let conditions = found["status"]["conditions"].as_array();
    let is_true =
        |kind: &str| conditions.is_some_and(|all| all.iter().any(|one| one["type"] == kind && one["status"] == "True"));
    object.starts_with("namespace/")
        || found["status"]["health"]["status"] == "Healthy"
        || ["Ready", "Available", "Healthy"].into_iter().any(is_true)
}

/// Asks for the cause, and compares the first candidate with the culprit.
fn ask(world: &World, struck: &Struck) -> Answer {
    let Struck { incident, at, commit } = struck;
    let checkout = world.hub.directory().join("trees").join(REPOSITORY).display().to_string();
    let words = ["history", "--cause"].into_iter().chain(incident.about.split_whitespace());
    let asked = Timestamp::now();
    let ran = ucp(&world.hub, words.chain(["--repo", &checkout, "--utc", "-o", "json"])).expect(0);
    let document = ran.json();
    let items = document["items"].as_array().unwrap();
    let occurrence = |candidate: &Value| items.iter().find(|item| item["id"] == candidate["id"]).cloned().unwrap();
    let is_culprit = |candidate: &Value| {
        let (item, text) = (occurrence(candidate), candidate.to_string() + &occurrence(candidate).to_string());
        let name = named(&item["object"]);
        let short = &commit[..10];
        incident
            .culprits
            .iter()
            .any(|(object, words)| name == *object && text.contains(&words.replace("@commit", short)))
    };
    let end_of = |gap: &Value| gap["to"].as_str().unwrap().parse::<Timestamp>().unwrap();
    let gaps = document["gaps"].as_array().into_iter().flatten();
    let has_gap = gaps.map(end_of).any(|end| asked.duration_since(end).as_secs() <= OLDEST_EVENT);
    let candidates = document["candidates"].as_array().unwrap();
    let first = candidates.first();
    let misleads = candidates.iter().any(|one| one["confidence"] == "likely" && !is_culprit(one));
    let is_unknown = incident.culprits.is_empty() && !misleads;
    let is_on_time = is_unknown
        || first.is_some_and(|first| {
            let time: Timestamp = occurrence(first)["time"].as_str().unwrap().parse().unwrap();
            let late = time.duration_since(*at).as_secs();
            late.abs() <= CLOSE || late > 0 && occurrence(first)["certainty"] == "atLatest"
        });
    let text = match first {
        Some(first) => {
            let item = occurrence(first);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}: {} ({})",
                text(&item["time"]),
                named(&item["object"]),
                text(&item["what"]),
                text(&first["confidence"])
            )
        }
        None => document["cause"]["conclusion"].as_str().unwrap_or_default().to_owned(),
    };
    if std::env::var_os("SHOW_DOCUMENTS").is_some() {
        let rest = ["--repo", &checkout, "--utc", "--all", "-o", "wide"];
        let words = ["history", "--cause"].into_iter().chain(incident.about.split_whitespace()).chain(rest);
        eprintln!("=== {} at {at}\n{}", incident.name, ucp(&world.hub, words).stdout);
    }
    Answer {
        is_first: is_unknown || first.is_some_and(is_culprit),
        is_on_time,
        misleads,
        has_gap,
        text,
        still_known: still_known(world, struck),
    }
}

/// The output of `kubectl events`, `flux events` and `argocd app history`: the last two read the same Events, and
/// the revisions of an Application.
fn still_known(world: &World, struck: &Struck) -> String {
    let about = struck.incident.about;
    let events = events(world, about);
    let mut known = format!("kubectl events: {events}");
    let is_of = |kinds: &[&str]| kinds.iter().any(|kind| about.starts_with(kind));
    if is_of(&["kustomization/", "helmrelease/", "gitrepository/"]) {
        known += &format!("; flux events: {events}");
    }
    if is_of(&["application/"]) {
        let application = get(&world.hub, about).unwrap_or_default();
        let revisions = application["status"]["history"].as_array().cloned().unwrap_or_default();
        let has_commit = revisions.iter().any(|one| one["revision"] == *struck.commit);
        let of = if has_commit { "with the commit" } else { "without the culprit" };
        known += &format!("; argocd app history: {} revisions, {of}", revisions.len());
    }
    known
}

/// The number of Events that are left of an object.
fn events(world: &World, about: &str) -> usize {
    let name = about.split_whitespace().next().and_then(|object| object.split_once('/')).map_or("", |(_, name)| name);
    let selector = format!("involvedObject.name={name}");
    let output =
        world.hub.kubectl(["get", "events", "-A", "-o", "json", "--field-selector", &selector]).output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["items"].as_array().map_or(0, Vec::len)
}

fn named(object: &Value) -> String {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    format!("{}/{}", text("kind").to_lowercase(), text("name"))
}

/// A Deployment of one Pod, which fails after a few seconds without progress.
pub fn web(space: &str, more: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": space, "name": "web"},
        "spec": {
            "replicas": 1, "progressDeadlineSeconds": 5,
            "selector": {"matchLabels": {"run": "web"}},
            "template": {
                "metadata": {"labels": {"run": "web"}},
                "spec": {"containers": [{"name": "web", "image": "example.org/web:1"}]},
            },
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"]["template"]["spec"][field] = value.clone();
    }
    object
}

/// A ConfigMap as a file.
pub fn config(space: &str, name: &str) -> String {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": space, "name": name}, "data": {"greeting": "hello"}})
        .to_string()
}

/// Creates a namespace, and a Kustomization of the same name that deploys the directory of that name.
pub fn deploy(world: &World, name: &str, more: Value) {
    world.hub.apply(&namespace(name));
    world.hub.apply(&flux::kustomization(name, REPOSITORY, &format!("./{name}"), more));
}

/// Returns true if the object's condition is this: `False` for Ready.
pub fn is(world: &World, object: &str, kind: &str, status: &str) -> bool {
    let condition = get(&world.hub, object).and_then(|object| crate::world::condition(&object, kind));
    condition.is_some_and(|text| text.starts_with(status))
}

/// Returns true if a Deployment reports that it cannot create Pods, or makes no progress.
pub fn is_stalled(world: &World, object: &str) -> bool {
    is(world, object, "ReplicaFailure", "True")
        || is(world, object, "Progressing", "False")
        || is(world, object, "Available", "False")
}
