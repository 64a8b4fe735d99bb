//! The roles of docs/permissions.md, and the output of a command without a single entry of them.

#![allow(unreachable_pub, reason = "the helpers of other test modules")]

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support;
use crate::support::Cluster;
use crate::support::command::{Ran, run};

const PAGE: &str = include_str!("../../docs/permissions.md");
const GROUP: &str = "rbac.authorization.k8s.io";
/// Runs at the same time: the API server has two cores.
const CONCURRENT: usize = 3;

/// One verb of one resource: the smallest thing that a role can leave out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub namespace: Option<String>,
    pub group: String,
    pub resource: String,
    pub name: Option<String>,
    pub verb: String,
}

impl Entry {
    fn rule(&self) -> Value {
        json!({
            "apiGroups": [self.group], "resources": [self.resource], "verbs": [self.verb],
            "resourceNames": self.name.iter().collect::<Vec<_>>(),
        })
    }

    /// Returns whether a text reports this as missing: in the words of the API server's denial, or of a refusal.
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = text.replace('\\', "");
        let Self { group, resource, verb, .. } = self;
        let any = |name: &str| name == "*";
        let denial = match (any(group), any(resource)) {
            (true, _) => format!("cannot {verb} resource"),
            (false, true) => format!("in API group \"{group}\""),
            (false, false) => format!("cannot {verb} resource \"{resource}\" in API group \"{group}\""),
        };
        let dotted = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        // A refusal is a list of verbs and resources.
        let refused = text.contains(" may not ") && text.contains(&format!("{verb} {dotted}"));
        // RBAC has words of its own for who grants more than they have.
        let escalation = matches!(verb.as_str(), "escalate" | "bind") && text.contains(&format!("{verb} {dotted}"));
        text.contains(&denial) || refused || escalation
    }
}

/// The roles in some YAML, each with its kind, namespace and name.
fn roles(text: &str) -> Vec<(String, Option<String>, Vec<Entry>)> {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|entry| entry.as_str().unwrap().to_owned()).collect()
    };
    let documents = text.split("---\n").filter(|document| !document.trim().is_empty());
    let parsed = documents.map(|document| serde_saphyr::from_str::<Value>(document).unwrap());
    let is_role = |object: &Value| matches!(object["kind"].as_str(), Some("ClusterRole" | "Role"));
    parsed
        .filter(is_role)
        .map(|role| {
            let namespace = role["metadata"]["namespace"].as_str().map(str::to_owned);
            assert_eq!(role["kind"] == "Role", namespace.is_some(), "{role}");
            let mut entries = Vec::new();
            for rule in role["rules"].as_array().unwrap() {
                let names = strings(&rule["resourceNames"]);
                let names = if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
                for group in strings(&rule["apiGroups"]) {
                    for resource in strings(&rule["resources"]) {
                        for verb in strings(&rule["verbs"]) {
                            entries.extend(names.iter().map(|name| Entry {
                                namespace: namespace.clone(),
                                group: group.clone(),
                                resource: resource.clone(),
                                name: name.clone(),
                                verb: verb.clone(),
                            }));
                        }
                    }
                }
            }
            (role["metadata"]["name"].as_str().unwrap().to_owned(), namespace, entries)
        })
        .collect()
}

/// The entries of all roles in some YAML.
pub fn entries(text: &str) -> Vec<Entry> {
    roles(text).into_iter().flat_map(|(_, _, entries)| entries).collect()
}

/// Blocks of code of the page.
pub fn blocks(language: &str) -> Vec<&'static str> {
    PAGE.split(&format!("```{language}\n")).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The entries of the page's roles of a name: of the ClusterRole, or of the Roles in these namespaces.
pub fn page(name: &str, namespaces: &[Option<&str>]) -> Vec<Entry> {
    let all = blocks("yaml").into_iter().flat_map(roles);
    let is_meant = |namespace: &Option<String>| namespaces.contains(&namespace.as_deref());
    let found: Vec<Entry> =
        all.filter(|(role, at, _)| role == name && is_meant(at)).flat_map(|(_, _, entries)| entries).collect();
    assert!(!found.is_empty(), "the page has no {name}");
    found
}

/// A ClusterRole of the page.
pub fn cluster_role(name: &str) -> Vec<Entry> {
    page(name, &[None])
}

/// The names of all roles of the page.
pub fn names() -> BTreeSet<String> {
    blocks("yaml").into_iter().flat_map(roles).map(|(name, ..)| name).collect()
}

/// The role, and its binding to a user, that grants some entries.
fn grant(user: &str, entries: &[&Entry]) -> Vec<Value> {
    let namespaces: BTreeSet<Option<&String>> = entries.iter().map(|entry| entry.namespace.as_ref()).collect();
    let mut objects = Vec::new();
    for namespace in namespaces {
        let kind = if namespace.is_some() { "Role" } else { "ClusterRole" };
        let metadata = json!({"name": user, "namespace": namespace});
        let there = entries.iter().filter(|entry| entry.namespace.as_ref() == namespace);
        objects.push(json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": metadata,
            "rules": there.map(|entry| entry.rule()).collect::<Vec<_>>(),
        }));
        objects.push(json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": format!("{kind}Binding"), "metadata": metadata,
            "roleRef": {"apiGroup": GROUP, "kind": kind, "name": user},
            "subjects": [{"apiGroup": GROUP, "kind": "User", "name": user}],
        }));
    }
    objects
}

/// Users with all entries but one, for each of some entries, and one who has them all. Returns when the API server has
/// heard of them.
pub struct Users {
    /// A user with all entries.
    pub full: String,
    /// Users without one entry, and that entry.
    pub restricted: Vec<(Entry, String)>,
}

impl Users {
    /// `given` are entries that all users have.
    pub fn of(cluster: &Cluster, tried: &[Entry], given: &[Entry]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let full = format!("granted-{number}");
        let restricted: Vec<(Entry, String)> =
            tried.iter().enumerate().map(|(index, entry)| (entry.clone(), format!("{full}-but-{index}"))).collect();
        let mut objects = grant(&full, &tried.iter().chain(given).collect::<Vec<_>>());
        for (missing, user) in &restricted {
            let rest: Vec<&Entry> = tried.iter().filter(|entry| *entry != missing).chain(given).collect();
            objects.extend(grant(user, &rest));
        }
        // The server hears of each kind in the order of writing.
        let last = |namespace: Option<&str>| Entry {
            namespace: namespace.map(str::to_owned),
            group: "coordination.k8s.io".to_owned(),
            resource: "leases".to_owned(),
            name: None,
            verb: "get".to_owned(),
        };
        let (sentinel, whole, part) = (format!("{full}-last"), last(None), last(Some("default")));
        objects.extend(grant(&sentinel, &[&part]));
        objects.extend(grant(&format!("{sentinel}-of-all"), &[&whole]));
        cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": objects}));
        for (user, flags) in [(&sentinel, &["-n", "default"][..]), (&format!("{sentinel}-of-all"), &["-A"])] {
            let asked = || {
                let question = ["auth", "can-i", "get", "leases.coordination.k8s.io", "--as", user];
                cluster.kubectl(question).args(flags).output().unwrap().status.success()
            };
            support::run(async || support::eventually(async || asked().then_some(())).await);
        }
        Self { full, restricted }
    }
}

/// A document without fields that change with time.
fn timeless(ran: &Ran) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                ["age", "moment", "takenAt", "bytes", "objects", "hidden", "hiddenByPlace"]
                    .iter()
                    .for_each(|key| drop(fields.remove(*key)));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut document = ran.json();
    strip(&mut document);
    document
}

/// A command for a user, who is none for the admin.
pub type Make<'a> = &'a (dyn Fn(Option<&str>) -> Command + Sync);

/// Fails unless a command prints the same JSON with some entries as for an admin, and without any single one of them
/// reports that entry. `excused` are entries without which it has to report it, but may have the same result.
pub fn check(cluster: &Cluster, title: &str, tried: &[Entry], given: &[Entry], excused: &str, make: Make<'_>) {
    let users = Users::of(cluster, tried, given);
    let admin = run(make(None));
    let code = admin.code.unwrap_or(3);
    // Objects in other namespaces are unknown to an admin, too.
    assert!(matches!(code, 0 | 1 | 4), "{title}: {admin:#?}");
    let full = run(make(Some(&users.full))).expect(code);
    let [left, right] = [&full, &admin].map(|ran| serde_json::to_string_pretty(&timeless(ran)).unwrap());
    let different: Vec<_> = left.lines().zip(right.lines()).filter(|(left, right)| left != right).take(5).collect();
    assert!(left == right, "{title}: {different:#?}\n{}", full.stderr);
    assert_eq!(full.stderr, admin.stderr, "{title}");
    let unreported = unreported(&users, make, |entry, ran| {
        let is_reported = entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr));
        // Findings count for more than gaps.
        let ends_so = matches!(ran.code, Some(3 | 4)) || code == 1 && ran.code == Some(1);
        is_reported && (ends_so || excused.split(' ').any(|one| entry.resource == one))
    });
    assert!(unreported.is_empty(), "{title}: the absence of these is not reported:\n{}", unreported.join("\n"));
}

/// The entries whose absence is not reported, with the output.
pub fn unreported(users: &Users, make: Make<'_>, is_reported: impl Fn(&Entry, &Ran) -> bool + Sync) -> Vec<String> {
    let (next, unreported) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENT {
            scope.spawn(|| {
                while let Some((entry, user)) = users.restricted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = run(make(Some(user)));
                    if !is_reported(entry, &ran) {
                        let end: String = ran.stdout.chars().rev().take(600).collect::<Vec<_>>().iter().rev().collect();
                        let printed = format!("{entry:?}: {:?}\n{}\n{end}", ran.code, ran.stderr);
                        unreported.lock().unwrap().push(printed);
                    }
                }
            });
        }
    });
    unreported.into_inner().unwrap()
}
