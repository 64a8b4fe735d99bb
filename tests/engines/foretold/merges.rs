//! Predictions of `plan` for deployers, compared with the real Argo CD and Flux after the merge.
//!
//! `merges/*.yaml` hold one merge per document: a deployer, its files before, and those that the merge changes. The merges of an
//! engine share a repository and are pushed as one commit; each has a namespace of its own.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::comparison::{Objects, number, unpredicted};
use super::{directory, list};
use crate::scenario::row;
use crate::support::command::{run, ucp_on};
use crate::support::helm;
use crate::world::{World, apply_all, get, namespace, patch};

/// How often the clusters are read until they are as predicted.
const LOOKS: usize = 60;
/// Time in which nothing may change any more.
const STILL: Duration = Duration::from_secs(20);
/// The repository of all merges, and the deployer of its deployers.
const ESTATE: &str = "estate";
const ROOT: &str = "root";
const KINDS: &str = "configmaps,secrets,services,serviceaccounts,deployments.apps,namespaces,clusterroles,roles,\
    rolebindings,persistentvolumeclaims,poddisruptionbudgets,customresourcedefinitions,validatingadmissionpolicies";

/// A merge.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Merge {
    /// Its namespace, its directory, and the name of its deployer.
    name: String,
    /// Kind of the deployer, if it is not the usual one.
    kind: Option<String>,
    /// Fields of the deployer's spec besides the usual ones; without `kind`.
    #[serde(default)]
    spec: Value,
    /// Those after the merge; the same if absent.
    spec_after: Option<Value>,
    /// Further fields of the deployer's metadata.
    #[serde(default)]
    metadata: Value,
    /// True if the merge deletes the deployer.
    #[serde(default)]
    is_deleted: bool,
    /// Objects that an administrator has applied.
    #[serde(default)]
    setup: Vec<Value>,
    /// Changes that someone makes by hand before the merge: object, merge patch.
    #[serde(default)]
    by_hand: BTreeMap<String, Value>,
    /// Files by path below its directory: text, or objects.
    before: BTreeMap<String, Value>,
    /// Files that the merge changes; `null` deletes one.
    #[serde(default)]
    after: BTreeMap<String, Value>,
    /// True if the merge also corrects a manual change, which `--base` leaves out.
    #[serde(default)]
    corrects_drift: bool,
    /// Parts of the entries that `plan` lists as unknown.
    #[serde(default)]
    unknown: Vec<String>,
    /// Parts of the remarks and messages that it must show.
    #[serde(default)]
    says: Vec<String>,
}

/// An engine and its merges.
pub(super) struct Merges<'a> {
    pub engine: &'a str,
    pub kinds: &'a str,
    /// Namespace of deployers.
    pub home: &'a str,
    pub files: &'a [&'a str],
    /// A deployer with more in its spec: kind, name, URL of the repository, spec.
    pub deployer: fn(&str, &str, &str, &Value) -> Value,
    /// The deployers that have not reconciled a commit.
    pub behind: fn(&World, &str) -> Vec<String>,
    /// Asks the engine to fetch a commit.
    pub announce: fn(&World, &str),
}

impl Merges<'_> {
    fn read(&self) -> Vec<Merge> {
        let texts = self.files.iter().map(|file| fs::read_to_string(directory("merges").join(file)).expect("a file"));
        let merges: Vec<Merge> = texts.flat_map(|text| serde_saphyr::from_multiple(&text).expect("merges")).collect();
        match std::env::var("MERGES") {
            Ok(only) => merges.into_iter().filter(|one| only.split(',').any(|name| name == one.name)).collect(),
            Err(_) => merges,
        }
    }

    /// The files of the repository on one side of the merge.
    fn repository(&self, merges: &[Merge], url: &str, is_after: bool) -> Vec<(String, String)> {
        let mut files = BTreeMap::new();
        for merge in merges {
            let changed = merge.after.iter().filter(|_| is_after);
            for (path, content) in merge.before.iter().chain(changed) {
                files.insert(format!("{}/{path}", merge.name), content);
            }
        }
        let text = |path: &str, content: &Value| match content {
            Value::Null => None,
            Value::String(text) => Some(text.replace("$URL", url)),
            // Argo CD's `kustomize edit` adds lines.
            Value::Object(_) if path.ends_with("kustomization.yaml") => serde_saphyr::to_string(content).ok(),
            Value::Array(objects) => Some(objects.iter().map(|object| format!("---\n{object}\n")).collect()),
            other => Some(other.to_string()),
        };
        let mut texts: Vec<_> =
            files.into_iter().filter_map(|(path, content)| text(&path, content).map(|text| (path, text))).collect();
        for merge in merges.iter().filter(|merge| !is_after || !merge.is_deleted) {
            let spec = merge.spec_after.as_ref().filter(|_| is_after).unwrap_or(&merge.spec);
            let kind = merge.kind.as_deref().unwrap_or_default();
            let mut object = (self.deployer)(kind, &merge.name, url, spec);
            for (field, value) in merge.metadata.as_object().into_iter().flatten() {
                object["metadata"][field] = value.clone();
            }
            texts.push((format!("deployers/{}.yaml", merge.name), object.to_string().replace("$URL", url)));
        }
        texts.push(("deployers/none.yaml".to_owned(), config_map(self.home, "none").to_string()));
        texts
    }

    fn objects(&self, world: &World, merges: &[Merge]) -> Objects {
        let is_of_a_merge = |object: &Value| {
            let metadata = &object["metadata"];
            let (namespace, name) = (metadata["namespace"].as_str(), metadata["name"].as_str().unwrap_or_default());
            let is_own = |merge: &Merge| match namespace {
                Some(namespace) if namespace == merge.name => true,
                Some(namespace) if namespace != self.home => false,
                _ => name.starts_with(&merge.name) || name.contains(&format!(".{}.", merge.name)),
            };
            let is_of_cluster = ["kube-root-ca.crt", "default"].contains(&name)
                || object["type"].as_str().is_some_and(|kind| kind.starts_with("helm.sh/"));
            !is_of_cluster && merges.iter().any(is_own)
        };
        let all = list(world, &format!("{KINDS},{}", self.kinds));
        Objects::of_all(all.into_iter().filter(is_of_a_merge).collect())
    }

    /// Waits until the deployers are those of one side of the merge, and have reconciled its commit.
    fn reconciled(&self, world: &mut World, commit: &str, merges: &[Merge], is_after: bool) {
        let mut looks = 0;
        let behind = world.until("the deployers have reconciled the commit", |world| {
            (self.announce)(world, commit);
            looks += 1;
            let known: Vec<String> = list(world, self.kinds).iter().map(name_of).collect();
            let is_wrong = |merge: &&Merge| {
                let is_gone = is_after && merge.is_deleted;
                known.contains(&json!(merge.name).to_string()) == is_gone
            };
            let wrong = merges.iter().filter(is_wrong).map(|merge| format!("{} is there or not", merge.name));
            let mut behind: Vec<String> = wrong.collect();
            behind.extend((self.behind)(world, commit));
            (behind.is_empty() || looks == if is_after { LOOKS / 2 } else { 2 * LOOKS }).then_some(behind)
        });
        // A deployer may fail or wait after the merge, in ways that its status does not show.
        assert!(is_after || behind.is_empty(), "{}: {behind:#?}", self.engine);
    }

    /// With `KEEP` set to a directory, copies the plans there, for a developer.
    fn keep(&self, world: &World) {
        let Some(directory) = std::env::var_os("KEEP") else { return };
        for name in ["plan.json", "plan-base.json"] {
            let into = std::path::Path::new(&directory).join(format!("{}-{name}", self.engine));
            fs::copy(world.hub.directory().join(name), into).expect("a copy of the plan");
        }
    }

    pub(super) fn run(&self, world: &mut World) {
        let merges = self.read();
        if merges.is_empty() {
            return;
        }
        let url = world.forge.url(ESTATE);
        let mut setup: Vec<Value> = merges.iter().map(|merge| namespace(&merge.name)).collect();
        setup.extend(merges.iter().flat_map(|merge| merge.setup.iter().cloned()));
        apply_all(&world.hub, &setup);
        let commit = world.forge.commit(ESTATE, &self.repository(&merges, &url, false));
        world.hub.apply(&(self.deployer)("", ROOT, &url, &json!({})));
        self.reconciled(world, &commit, &merges, false);
        for (object, change) in merges.iter().flat_map(|merge| &merge.by_hand) {
            patch(&world.hub, object, change);
        }
        // Flux corrects its objects.
        std::thread::sleep(STILL);
        let before = self.objects(world, &merges);

        let checkout = world.forge.write(ESTATE, &self.repository(&merges, &url, true)).display().to_string();
        let words = ["plan", &checkout, "--repo-url", &url, "-o", "json"];
        let plans = [words.to_vec(), [&words[..], &["--base", "HEAD"]].concat()].map(|words| {
            let mut command = ucp_on(&world.hub, words);
            command.env("PATH", helm::path());
            let ran = run(command);
            assert!(matches!(ran.code, Some(1 | 4)), "{ran:#?}");
            ran.json()
        });
        for (name, plan) in ["plan.json", "plan-base.json"].iter().zip(&plans) {
            fs::write(world.hub.directory().join(name), format!("{plan:#}")).expect("the plan is written");
        }
        assert!(self.objects(world, &merges) == before, "plan writes nothing");

        let commit = world.forge.push(ESTATE);
        self.reconciled(world, &commit, &merges, true);
        let mut looks = 0;
        let wrong = |world: &World| -> Vec<String> {
            let after = self.objects(world, &merges);
            let found = plans.iter().zip(["from the cluster", "from the base"]).flat_map(|(plan, way)| {
                let is_drift = |line: &str| {
                    let names = merges.iter().filter(|merge| merge.corrects_drift).map(|merge| &merge.name);
                    way == "from the base"
                        && names.into_iter().any(|name| line.contains(&format!("\"{name}\", \"same\"")))
                };
                let exempt = |line: &String| !is_listed(line, plan, &merges) && !is_drift(line);
                let found = unpredicted(&before, &after, plan).into_iter().filter(exempt);
                found.map(|line| format!("{way}: {line}")).collect::<Vec<_>>()
            });
            found.collect()
        };
        world.until("the clusters are as predicted", |world| {
            looks += 1;
            std::thread::sleep(Duration::from_secs(1));
            (wrong(world).is_empty() || looks == LOOKS).then_some(())
        });
        std::thread::sleep(STILL);
        self.keep(world);
        let mut found = wrong(world);
        for plan in &plans {
            found.extend(wrong_lists(plan, &merges));
        }
        assert!(found.is_empty(), "{} wrong:\n{}", found.len(), found.join("\n"));
        row(
            &format!("{}: {} merges", self.engine, merges.len()),
            &format!("{} of their objects are as predicted, and no other has changed", number(&plans[0])),
            &format!("{}", plans[0]["counts"]),
        );
    }
}

/// Returns true if a difference is about an object that the plan lists as unknown, in a merge which expects that.
fn is_listed(line: &str, plan: &Value, merges: &[Merge]) -> bool {
    let expected = merges.iter().filter(|merge| !merge.unknown.is_empty());
    let names = expected.filter(|merge| line.contains(&format!("\"{}\"", merge.name)));
    let mut unreadable = plan["unreadable"].as_array().into_iter().flatten();
    let names: Vec<&str> = names.map(|merge| merge.name.as_str()).collect();
    !names.is_empty()
        && unreadable.any(|entry| {
            let what = entry["what"].as_str().unwrap_or_default();
            names.iter().any(|name| what.ends_with(&format!("/{name}")) || what.ends_with(&format!(" {name}")))
                || what.split_whitespace().any(|word| {
                    let name = word.rsplit('/').next().unwrap_or_default();
                    line.contains(&format!("\"{name}\""))
                })
        })
}

/// Returns the entries of the lists of a plan that no merge expects, and those that are expected and missing.
fn wrong_lists(plan: &Value, merges: &[Merge]) -> Vec<String> {
    let mut wrong = Vec::new();
    let texts = |field: &str| -> Vec<String> {
        plan[field].as_array().into_iter().flatten().map(ToString::to_string).collect()
    };
    let unreadable = texts("unreadable");
    let unknown: Vec<&String> = merges.iter().flat_map(|merge| &merge.unknown).collect();
    for entry in &unreadable {
        if !unknown.iter().any(|part| entry.contains(*part)) {
            wrong.push(format!("unknown without reason: {entry}"));
        }
    }
    let all = plan.to_string();
    for part in unknown {
        if !unreadable.iter().any(|entry| entry.contains(part)) {
            wrong.push(format!("not listed as unknown: {part}"));
        }
    }
    for part in merges.iter().flat_map(|merge| &merge.says) {
        if !all.contains(part) {
            wrong.push(format!("not reported: {part}"));
        }
    }
    wrong
}

fn config_map(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}})
}

/// Adds fields to an object; an object's fields are added one by one.
pub(super) fn extend(object: &mut Value, more: &Value) {
    match (object, more) {
        (Value::Object(fields), Value::Object(more)) => {
            for (name, value) in more {
                extend(fields.entry(name).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (object, more) => *object = more.clone(),
    }
}

/// Deployers of a kind in a namespace.
pub(super) fn deployers(world: &World, kind: &str, home: &str) -> Vec<Value> {
    let all = list(world, kind);
    all.into_iter().filter(|one| one["metadata"]["namespace"] == home).collect()
}

/// The name of an object, quoted.
pub(super) fn name_of(object: &Value) -> String {
    object["metadata"]["name"].to_string()
}

/// Returns the deployers for which a function gives a reason to wait.
pub(super) fn waiting(deployers: &[Value], reason: impl Fn(&Value) -> Option<String>) -> Vec<String> {
    deployers.iter().filter_map(|one| Some(format!("{}: {}", name_of(one), reason(one)?))).collect()
}

/// Asks for a reconciliation of an object.
pub(super) fn annotate(world: &World, object: &str, annotation: &str, value: &str) {
    if get(&world.hub, object).is_some() {
        patch(&world.hub, object, &json!({"metadata": {"annotations": {annotation: value}}}));
    }
}
