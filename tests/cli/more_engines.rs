//! Engines that are described as data: of each a healthy and a broken object, right in every command. Expected
//! results are in annotations of the objects: `ucp.test/expect` (verdict), `ucp.test/code` (finding), `ucp.test/cause`
//! (the object whose finding blocks it), `ucp.test/quiet` (its container has the finding, or none is due) and
//! `ucp.test/external` (name outside).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::command::{run, ucp, ucp_from};

const FIXTURES: [&str; 2] = ["tests/fixtures/hub-and-spoke", "tests/fixtures/mixed-clouds"];

/// An object with an expectation.
struct Expected {
    object: Value,
}

impl Expected {
    fn text(&self, pointer: &str) -> Option<&str> {
        self.object.pointer(pointer).and_then(Value::as_str)
    }

    fn annotation(&self, name: &str) -> Option<&str> {
        self.text(&format!("/metadata/annotations/ucp.test~1{name}"))
    }

    fn group(&self) -> &str {
        self.text("/apiVersion").unwrap().split_once('/').map_or("", |(group, _)| group)
    }

    /// `kind.group/name`.
    fn name(&self) -> String {
        let kind = self.text("/kind").unwrap().to_lowercase();
        format!("{kind}.{}/{}", self.group(), self.text("/metadata/name").unwrap())
    }

    fn namespace(&self) -> Option<&str> {
        self.text("/metadata/namespace")
    }

    fn is(&self, object: &Value) -> bool {
        ["/apiVersion", "/kind"].iter().all(|pointer| object.pointer(pointer) == self.object.pointer(pointer))
            && object["name"] == self.object["metadata"]["name"]
            && object.get("namespace") == self.object["metadata"].get("namespace")
    }
}

fn expected(fixture: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(fixture).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let list: Value = serde_saphyr::from_str(&text).unwrap();
        let items = list["items"].as_array().unwrap().iter().cloned();
        found.extend(items.map(|object| Expected { object }).filter(|one| one.annotation("expect").is_some()));
    }
    found
}

/// Every object of the engines, of listed kinds or not.
fn resources(fixture: &str) -> Vec<Value> {
    let list = run(ucp_from(fixture, ["resources", "--any", "-o", "json"])).expect(0).json();
    list["items"].as_array().unwrap().clone()
}

#[test]
fn each_object_has_the_verdict_and_the_code_of_its_engine() {
    let mut wrong = Vec::new();
    for fixture in FIXTURES {
        let items = resources(fixture);
        for one in expected(fixture) {
            let Some(item) = items.iter().find(|item| one.is(&item["object"])) else {
                wrong.push(format!("{} is not listed", one.name()));
                continue;
            };
            let verdict = item["verdict"].as_str().unwrap();
            if Some(verdict) != one.annotation("expect") {
                wrong.push(format!("{} is {verdict}: {}", one.name(), item["message"]));
            }
            let codes: Vec<&str> = item["findings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            if let Some(code) = one.annotation("code").filter(|code| !codes.contains(code)) {
                wrong.push(format!("{} has {codes:?}, not {code}", one.name()));
            }
            // No object of an engine is judged as one of no engine's.
            if one.annotation("quiet").is_none() && codes.iter().any(|code| code.starts_with("UCP6")) {
                wrong.push(format!("{} has {codes:?}", one.name()));
            }
            if one.annotation("external").is_some_and(|name| item["externalName"] != name) {
                wrong.push(format!("{} is called {} outside", one.name(), item["externalName"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn status_reports_each_finding_once_and_at_its_cause() {
    let mut wrong = Vec::new();
    for fixture in FIXTURES {
        let status = run(ucp_from(fixture, ["status", "-o", "json"])).expect(0).json();
        let findings = status["findings"].as_array().unwrap();
        let named = |finding: &Value, field: &str, one: &Expected| {
            finding[field].as_array().into_iter().flatten().any(|object| one.is(object))
        };
        for one in expected(fixture) {
            let own: Vec<&Value> =
                findings.iter().filter(|finding| one.is(&finding["object"]) || named(finding, "also", &one)).collect();
            match (one.annotation("code"), one.annotation("cause")) {
                (Some(code), _) => {
                    let number = own.iter().filter(|finding| finding["code"] == code).count();
                    if number != 1 {
                        wrong.push(format!("{}: {number} findings {code}", one.name()));
                    }
                }
                (None, Some(cause)) => {
                    let held = findings.iter().find(|finding| named(finding, "holdsUp", &one));
                    let kind = |object: &Value| {
                        let group =
                            object["apiVersion"].as_str().unwrap().split_once('/').map_or("", |(group, _)| group);
                        let kind = object["kind"].as_str().unwrap().to_lowercase();
                        format!("{kind}.{group}/{}", object["name"].as_str().unwrap())
                    };
                    if held.map(|finding| kind(&finding["object"])).as_deref() != Some(cause) || !own.is_empty() {
                        wrong.push(format!("{} is held up by {held:?}, and has {own:?}", one.name()));
                    }
                }
                (None, None) if one.annotation("expect") == Some("OK") && !own.is_empty() => {
                    wrong.push(format!("{} is well and has {own:?}", one.name()));
                }
                (None, None) if one.annotation("quiet").is_some() && !own.is_empty() => {
                    wrong.push(format!("{} has {own:?}, and what it is a part of tells", one.name()));
                }
                _ => {}
            }
        }
        for finding in findings {
            run(ucp(["explain", finding["code"].as_str().unwrap()])).expect(0);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_tree_begins_at_any_of_them() {
    let mut wrong = Vec::new();
    for fixture in FIXTURES {
        for one in expected(fixture) {
            let name = one.name();
            let mut arguments = vec!["tree", name.as_str(), "-o", "json"];
            arguments.extend(one.namespace().into_iter().flat_map(|namespace| ["-n", namespace]));
            let ran = run(ucp_from(fixture, arguments));
            if ran.code != Some(0) {
                wrong.push(format!("{name}: {}", ran.stderr));
                continue;
            }
            let tree = ran.json();
            let root = tree["nodes"].as_array().unwrap().iter().find(|node| node["id"] == tree["root"]).unwrap();
            if root["verdict"].as_str() != one.annotation("expect") {
                wrong.push(format!("{name} is {} in its tree", root["verdict"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_engine_has_a_row_with_its_version_and_something_healthy_and_broken() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for fixture in FIXTURES {
        let status = run(ucp_from(fixture, ["status", "-o", "json"])).expect(0).json();
        for row in status["engines"].as_array().unwrap() {
            let name = row["name"].as_str().unwrap().to_owned();
            assert!(row.get("reason").is_none(), "{row}");
            let verdicts = row["counts"].as_object().unwrap().keys().cloned();
            seen.entry(name).or_default().extend(verdicts);
        }
    }
    for engine in
        ucp_core::engine::ENGINES.iter().map(|engine| engine.name()).filter(|name| !["Flux", "Toys"].contains(name))
    {
        let verdicts = seen.get(engine).unwrap_or_else(|| panic!("{engine} has no row"));
        assert!(verdicts.contains("OK") && verdicts.len() > 1, "{engine}: {verdicts:?}");
    }
}

#[test]
fn links_connect_a_schema_with_its_database_and_a_cluster_with_its_secret() {
    let edges = |name: &str| {
        let tree = run(ucp_from(FIXTURES[1], ["tree", name, "-o", "json"])).expect(0).json();
        tree["edges"].as_array().unwrap().clone()
    };
    let has = |edges: &[Value], to: &str, relation: &str| {
        edges.iter().any(|edge| edge["to"].as_str().unwrap().contains(to) && edge["relation"] == relation)
    };
    assert!(has(&edges("atlasschema.db.atlasgo.io/orders"), "secret/shop/orders-db", "reads"));
    assert!(has(&edges("cluster.cluster.x-k8s.io/edge"), "secret/clusters/edge-kubeconfig", "writes"));
    let instance = edges("dbinstance.rds.services.k8s.aws/shop");
    assert!(has(&instance, "dbsubnetgroup.rds.services.k8s.aws/shop/shop", "dependsOn"));
    assert!(has(&edges("computesubnetwork.compute.cnrm.cloud.google.com/shop"), "computenetwork", "dependsOn"));
    assert!(has(&edges("certificate.cert-manager.io/internal"), "issuer.cert-manager.io/shop/vault", "configuredBy"));
}

#[test]
fn a_policy_violation_is_reported_once_with_the_policys_message() {
    let status = run(ucp_from(FIXTURES[0], ["status", "-o", "json"])).expect(0).json();
    let findings = status["findings"].as_array().unwrap();
    let denied = findings.iter().find(|finding| finding["object"]["name"] == "platform-prod").unwrap();
    assert!(denied["message"].as_str().unwrap().contains("a production database has backups"), "{denied}");
    // Two APIs report one result.
    let broken: Vec<&Value> = findings.iter().filter(|finding| finding["code"] == "UCP785").collect();
    let of = |name: &str| broken.iter().filter(|finding| finding["object"]["name"] == name).count();
    assert_eq!(of("spoke-prod"), 1, "{broken:?}");
    // Objects without a verdict are grouped by the rule that they break.
    assert_eq!(broken.len(), 2, "{broken:?}");
    let services = broken.iter().find(|finding| finding["object"]["kind"] == "Service").unwrap();
    assert!(services["message"].as_str().unwrap().contains("1 more: service/front -n shop"), "{services}");
}

/// An unused definition is healthy; one of a kind that Git declares is the cause of a failed sync.
#[test]
fn a_kind_that_is_not_activated_is_reported_once_at_its_definition() {
    let status = run(ucp_from(FIXTURES[0], ["status", "-o", "json"])).expect(0).json();
    let findings = status["findings"].as_array().unwrap();
    let withheld = findings.iter().find(|finding| finding["code"] == "UCP131").unwrap();
    assert_eq!(withheld["object"]["name"], "queues.sqs.aws.m.upbound.io");
    assert_eq!(withheld["holdsUp"][0]["name"], "queues");
    assert!(!findings.iter().any(|finding| finding["object"]["name"] == "queues"), "{findings:?}");
}

#[test]
fn every_code_of_these_engines_is_found_in_a_fixture() {
    let mut found = BTreeSet::new();
    for fixture in FIXTURES {
        let codes = run(ucp_from(fixture, ["status", "-o", "jsonpath={.findings[*].code}"])).expect(0).stdout;
        found.extend(codes.split_whitespace().map(str::to_owned));
    }
    // Here no engine reports drift without its own message; and `drift --repo` reports objects that are marked in Git.
    let is_here =
        |code: &str| (code.starts_with("UCP13") || code.starts_with("UCP7")) && !["UCP703", "UCP742"].contains(&code);
    let missing: Vec<&str> = ucp_core::engine::codes()
        .iter()
        .map(|code| code.info().code)
        .filter(|code| is_here(code) && !found.contains(*code))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
