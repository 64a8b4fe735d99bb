//! A core cluster, an app cluster, a Git server, and the engine that runs between them.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::forge::Forge;
use crate::nodes::{Alive, Nodes};
use crate::program::Program;
use crate::support::{self, Cluster, Controller, Options};

/// How long an engine may take for anything: far more than it needs, as machines are slow.
const PATIENCE: Duration = Duration::from_secs(300);

/// The environment that the scenarios of one engine share, one after the other.
#[derive(Debug)]
pub struct World {
    pub hub: Cluster,
    pub app: Cluster,
    pub forge: Forge,
    programs: BTreeMap<String, Program>,
    alive: Alive,
    // Held for their end.
    _nodes: [Nodes; 2],
}

impl World {
    /// Starts the clusters; the engine comes later.
    pub fn start(name: &str) -> Self {
        Self::with(name, &[&Controller::ALL[..], &Controller::WORKLOADS].concat())
    }

    /// The same, with these controllers of Kubernetes alone.
    pub fn with(name: &str, controllers: &[Controller]) -> Self {
        Self::with_flags(name, controllers, &[])
    }

    /// The same, with flags for the API server of the core cluster.
    pub fn with_flags(name: &str, controllers: &[Controller], flags: &[&str]) -> Self {
        let cluster = |role: &str, flags: &[&str]| {
            let options = Options::named(&format!("{name}-{role}")).with_controllers(controllers).with_flags(flags);
            support::start(options).expect("there are server binaries")
        };
        let (hub, app) = std::thread::scope(|scope| {
            let app = scope.spawn(|| cluster("app", &[]));
            (cluster("hub", flags), app.join().expect("the app cluster starts"))
        });
        let alive = Alive::default();
        let nodes = [Nodes::of(&hub, Arc::clone(&alive)), Nodes::of(&app, Arc::default())];
        let forge = Forge::start(hub.directory());
        Self { hub, app, forge, programs: BTreeMap::new(), alive, _nodes: nodes }
    }

    /// Starts a program of the engine with the core cluster's kubeconfig. Its Pods are ready while it lives.
    pub fn run(&mut self, name: &str, binary: &Path, arguments: &[&str], environment: &[(&str, &str)]) {
        let kubeconfig = self.hub.kubeconfig().display().to_string();
        let directory = self.hub.directory().display().to_string();
        let environment = [&[("KUBECONFIG", kubeconfig.as_str()), ("HOME", directory.as_str())], environment].concat();
        let log = self.hub.directory().join(format!("{name}.log"));
        self.programs.insert(name.to_owned(), Program::start(binary, arguments, &environment, &log));
        self.lives(name, true);
    }

    /// Kills a program; its Pods are no longer ready.
    pub fn stop(&mut self, name: &str) {
        self.kill(name);
        self.lives(name, false);
    }

    /// Kills a program without its node noticing, which still calls its Pods ready.
    pub fn kill(&mut self, name: &str) {
        self.program(name).stop();
    }

    /// Starts a program again.
    pub fn restart(&mut self, name: &str) {
        self.program(name).restart();
        self.lives(name, true);
    }

    fn program(&mut self, name: &str) -> &mut Program {
        self.programs.get_mut(name).expect("a program of this engine")
    }

    /// Sets whether the Pods of a program, or on a node of this name, are ready.
    pub fn lives(&self, name: &str, lives: bool) {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), lives);
    }

    /// Tries until something comes of it; panics with the programs' last words when nothing does.
    pub fn until<T>(&mut self, what: &str, mut attempt: impl FnMut(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(value) = attempt(self) {
                return value;
            }
            if Instant::now() > deadline {
                let reported = |(name, program): (&String, &mut Program)| {
                    format!(
                        "--- {name}, which {}:\n{}\n",
                        if program.runs() { "runs" } else { "has ended" },
                        program.last_words()
                    )
                };
                let reported: String = self.programs.iter_mut().map(reported).collect();
                panic!("not in time: {what}\n{reported}");
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    /// Scales the workload of a program to nothing, which ends the program, as an administrator would.
    pub fn scale_down(&mut self, workload: &str, program: &str) {
        kubectl(&self.hub, &format!("scale {workload} --replicas=0"));
        self.kill(program);
        self.settled(workload, 0);
    }

    /// Brings both back.
    pub fn scale_up(&mut self, workload: &str, program: &str) {
        kubectl(&self.hub, &format!("scale {workload} --replicas=1"));
        self.restart(program);
        self.settled(workload, 1);
    }

    fn settled(&mut self, workload: &str, replicas: i64) {
        let state = |world: &Self| {
            let status = get(&world.hub, workload)?["status"].take();
            (status["readyReplicas"].as_i64().unwrap_or(0) == replicas
                && status["replicas"].as_i64().unwrap_or(0) == replicas)
                .then_some(())
        };
        self.until(&format!("{workload} has {replicas} replicas"), state);
    }
}

/// A world that the scenarios of an engine use one after the other. After a failure, the next gets a new one, without
/// the broken objects.
#[derive(Debug)]
pub struct Shared {
    start: fn() -> World,
    world: LazyLock<Mutex<Option<World>>>,
}

impl Shared {
    /// One that is started when the first scenario asks for it.
    pub const fn of(start: fn() -> World) -> Self {
        Self { start, world: LazyLock::new(Mutex::default) }
    }

    /// Waits for its turn.
    pub fn take(&self) -> Turn<'_> {
        let mut world = self.world.lock().unwrap_or_else(|poisoned| {
            self.world.clear_poison();
            let mut world = poisoned.into_inner();
            *world = None;
            world
        });
        if world.is_none() {
            *world = Some((self.start)());
        }
        Turn(world)
    }
}

/// A scenario's turn in a world that others wait for.
#[derive(Debug)]
pub struct Turn<'shared>(MutexGuard<'shared, Option<World>>);

impl Deref for Turn<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        self.0.as_ref().expect("a world that was started")
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut World {
        self.0.as_mut().expect("a world that was started")
    }
}

/// The workload that runs a program in a real cluster, found by the first of its labels.
pub fn workload(kind: &str, namespace: &str, name: &str, image: &str, labels: &[(&str, &str)]) -> Value {
    let labels: Value = labels.iter().map(|&(label, value)| (label.to_owned(), json!(value))).collect();
    let mut workload = json!({
        "apiVersion": "apps/v1", "kind": kind,
        "metadata": {"namespace": namespace, "name": name, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": name, "image": image}]},
            },
        },
    });
    if kind == "StatefulSet" {
        workload["spec"]["serviceName"] = json!(name);
    }
    workload
}

/// A namespace.
pub fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// The manifests of some files.
pub fn manifests(files: impl IntoIterator<Item = PathBuf>) -> Vec<Value> {
    let texts = files.into_iter().map(|file| fs::read_to_string(&file).expect("a file of manifests"));
    let parsed = texts.flat_map(|text| serde_saphyr::from_multiple::<Value>(&text).expect("YAML"));
    parsed.filter(|object| !object.is_null()).collect()
}

/// The manifests of a directory.
pub fn directory(path: &Path) -> Vec<Value> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(path).expect("a directory of manifests").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    manifests(files)
}

/// Applies manifests, definitions before their objects.
pub fn apply_all(cluster: &Cluster, objects: &[Value]) {
    let all: String = objects.iter().map(|object| format!("---\n{object}\n")).collect();
    let path = cluster.directory().join("to-apply.yaml");
    fs::write(&path, all).expect("manifests are written");
    // A kind is not served at once, which kubectl does not wait for.
    let words = format!("apply --server-side --force-conflicts -f {}", path.display());
    for attempt in 0.. {
        let output = cluster.kubectl(words.split_whitespace()).output().expect("kubectl");
        if output.status.success() {
            return;
        }
        assert!(attempt < 20, "kubectl {words}: {}", String::from_utf8_lossy(&output.stderr));
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// An object as kubectl names it, `KIND/NAME` with `-n NAMESPACE` where it has one.
pub fn get(cluster: &Cluster, object: &str) -> Option<Value> {
    let output = cluster.kubectl(["get", "-o", "json"]).args(object.split_whitespace()).output().expect("kubectl");
    output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// kubectl with words; panics where it fails.
pub fn kubectl(cluster: &Cluster, words: &str) {
    let output = cluster.kubectl(words.split_whitespace()).output().expect("kubectl");
    assert!(output.status.success(), "kubectl {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A merge patch.
pub fn patch(cluster: &Cluster, object: &str, patch: &Value) {
    let patch = patch.to_string();
    let mut command = cluster.kubectl(["patch", "--type=merge", "-p", &patch]);
    let output = command.args(object.split_whitespace()).output().expect("kubectl");
    assert!(output.status.success(), "patch {object}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Deletes an existing object without waiting.
pub fn delete(cluster: &Cluster, object: &str) {
    kubectl(cluster, &format!("delete --wait=false --ignore-not-found {object}"));
}

/// A condition of an object, with its reason and message, as `status reason: message`.
pub fn condition(object: &Value, kind: &str) -> Option<String> {
    let conditions = object["status"]["conditions"].as_array()?;
    let condition = conditions.iter().find(|condition| condition["type"] == kind)?;
    let text = |field: &str| condition[field].as_str().unwrap_or_default();
    Some(format!("{} {}: {}", text("status"), text("reason"), text("message")))
}
