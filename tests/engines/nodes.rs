//! In the place of nodes: marks the Pods of a cluster as ready or not, as a kubelet would.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::Cluster;

/// A Pod with this label never gets ready, as one whose image cannot be pulled.
pub const NEVER_READY: &str = "engines.test/never-ready";
/// The end of the name of an image that cannot be pulled.
pub const MISSING_IMAGE: &str = ":missing";
/// Labels of a Pod that name the program that it represents.
const NAMES: [&str; 4] = ["pkg.crossplane.io/provider", "pkg.crossplane.io/function", "app.kubernetes.io/name", "app"];

/// Whether each program runs; programs that are not listed always run.
pub type Alive = Arc<Mutex<BTreeMap<String, bool>>>;

/// A thread that looks after the Pods until it is dropped.
#[derive(Debug)]
pub struct Nodes {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Nodes {
    pub fn of(cluster: &Cluster, alive: Alive) -> Self {
        let end = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&end);
        let kubeconfig = cluster.kubeconfig().to_owned();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).expect("a kubeconfig");
                let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
                let client = kube::Client::try_from(config.expect("a configuration")).expect("a client");
                while !ended.load(Ordering::Relaxed) {
                    look_after(&client, &alive).await;
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            });
        });
        Self { end, thread: Some(thread) }
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It holds nothing that its panic could spoil.
            let _ = thread.join();
        }
    }
}

/// One look at all Pods. Errors are for the next look: a scenario may have stopped the API server.
async fn look_after(client: &kube::Client, alive: &Alive) {
    let Ok(pods) = Api::<Pod>::all(client.clone()).list(&ListParams::default()).await else {
        return;
    };
    for pod in pods {
        let namespace = pod.metadata.namespace.clone().unwrap_or_default();
        let name = pod.metadata.name.clone().unwrap_or_default();
        let api = Api::<Pod>::namespaced(client.clone(), &namespace);
        if pod.metadata.deletion_timestamp.is_some() {
            let _ = api.delete(&name, &kube::api::DeleteParams::default().grace_period(0)).await;
            continue;
        }
        let labels = pod.metadata.labels.unwrap_or_default();
        let program = NAMES.iter().find_map(|label| labels.get(*label)).cloned().unwrap_or_default();
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone()).unwrap_or_default();
        let lives = {
            let alive = alive.lock().unwrap_or_else(PoisonError::into_inner);
            [&program, &node].into_iter().all(|name| *alive.get(name).unwrap_or(&true))
        };
        let containers = pod.spec.as_ref().map(|spec| spec.containers.as_slice()).unwrap_or_default();
        let pulls =
            containers.iter().filter_map(|one| one.image.as_deref()).all(|image| !image.ends_with(MISSING_IMAGE));
        let ready = lives && pulls && !labels.contains_key(NEVER_READY);
        let status = pod.status.unwrap_or_default();
        let reported = status.conditions.iter().flatten().find(|condition| condition.type_ == "Ready");
        if reported.is_some_and(|condition| (condition.status == "True") == ready) {
            continue;
        }
        let container = pod.spec.and_then(|spec| spec.containers.into_iter().next());
        let waits = if pulls { CRASHES } else { NOT_PULLED };
        let status = status_of(ready, waits, &container.map(|one| (one.name, one.image)).unwrap_or_default());
        let _ = api.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await;
    }
}

/// Why a container waits: reason and message.
type WaitReason = (&'static str, &'static str);
const CRASHES: WaitReason = ("CrashLoopBackOff", "back-off 5m0s restarting failed container");
const NOT_PULLED: WaitReason = ("ImagePullBackOff", "Back-off pulling image: not found");

fn status_of(ready: bool, (reason, message): WaitReason, (container, image): &(String, Option<String>)) -> Value {
    let now = Timestamp::now().to_string();
    let condition = |kind: &str, holds: bool| {
        json!({
            "type": kind, "status": if holds { "True" } else { "False" }, "lastTransitionTime": now,
        })
    };
    let state = if ready {
        json!({"running": {"startedAt": now}})
    } else {
        json!({"waiting": {"reason": reason, "message": message}})
    };
    json!({"status": {
        "phase": "Running",
        "startTime": now,
        "conditions": [
            condition("PodScheduled", true), condition("Initialized", true),
            condition("ContainersReady", ready), condition("Ready", ready),
        ],
        "containerStatuses": [{
            "name": container, "image": image, "imageID": "", "ready": ready, "restartCount": 0, "state": state,
        }],
    }})
}
