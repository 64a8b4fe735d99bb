//! The age of the data that a run shows: as new as its beginning, though the API server answers from its cache.

use serde_json::{Value, json};

use crate::support::command::{run, ucp_on};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, load};
use crate::weather::{crd, through};

/// More than are read at a time, so that the last ones know of the first.
const KINDS: usize = 40;
const RESOURCES: [&str; 3] = ["resources", "-o", "name"];
const FLOOR: &str = "resourceVersionMatch=NotOlderThan";

fn group(number: usize) -> String {
    format!("g{number:02}.fresh.example.org")
}

fn create(cluster: &Cluster, number: usize, name: &str) -> String {
    let api_version = format!("{}/v1", group(number));
    cluster.apply(&json!({"apiVersion": api_version, "kind": "Thing", "metadata": {"name": name}}));
    format!("thing.{}/{name}", group(number))
}

fn version_of(cluster: &Cluster, path: &str) -> u64 {
    let output = cluster.kubectl(["get", "--raw", path]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

/// The minimum resource versions of LISTs.
fn floors(uris: impl IntoIterator<Item = String>) -> Vec<u64> {
    let floor = |uri: String| uri.split("resourceVersion=").nth(1)?.split('&').next()?.parse().ok();
    uris.into_iter().filter(|uri| uri.contains(FLOOR)).filter_map(floor).collect()
}

#[test]
fn objects_that_exist_when_a_run_begins_are_always_listed() {
    let Some(cluster) = support::start(Options::named("fresh")) else { return };
    let crds = (0..KINDS).map(|number| crd(&group(number), None)).collect();
    support::run(async || load::load_objects(&cluster.client(), crds).await).unwrap();

    let (mut expected, mut with_floors) = (Vec::new(), 0);
    // On a busy machine, all lists of a round may be under way before the newest version is known.
    for round in 0..25 {
        if round >= 5 && with_floors > 0 {
            break;
        }
        let (number, name) = (KINDS - 1 - round, format!("thing-{round}"));
        expected.push(create(&cluster, number, &name));
        expected.sort();
        let mark = cluster.audit_mark();
        let ran = run(ucp_on(&cluster, RESOURCES)).expect(0);
        assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);

        let created = version_of(&cluster, &format!("/apis/{}/v1/things/{name}", group(number)));
        let requests = cluster.requests_since(mark);
        let floors = floors(requests.into_iter().map(|request| request.uri));
        assert!(floors.len() < KINDS, "{floors:?}");
        assert!(floors.iter().all(|floor| *floor >= created), "{created}: {floors:?}");
        with_floors += usize::from(!floors.is_empty());
    }
    assert_ne!(with_floors, 0, "no list has a lowest version");

    a_server_that_lags_is_asked_for_the_newest(&cluster, &expected);
}

fn a_server_that_lags_is_asked_for_the_newest(cluster: &Cluster, expected: &[String]) {
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::on(FLOOR, Fault::failure(504, "Timeout", "Too large resource version: 9, current: 8")));
    let ran = run(through(&proxy, &RESOURCES)).expect(0);
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    // Those that were under way when the first was refused, and none a second time. A busy machine has more under way.
    let refused = proxy.count(FLOOR);
    assert!((1..=24).contains(&refused), "{refused}");
}
