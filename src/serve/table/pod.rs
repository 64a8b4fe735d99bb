//! The cells of Pods: `printPod` in `pkg/printers/internalversion/printers.go`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::fields::{NONE, condition, deletion, list, number, or, text, time};
use ucp_core::model::time::age;

/// What the containers of a Pod amount to.
struct ContainerSummary {
    total: usize,
    ready: usize,
    restarts: i64,
    last_restart: Option<Timestamp>,
    reason: String,
}

pub(super) fn ready(pod: &Value) -> String {
    let summary = summarize(pod);
    format!("{}/{}", summary.ready, summary.total)
}

pub(super) fn status(pod: &Value) -> String {
    let is_over = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
    if deletion(pod) && text(pod, "/status/reason") == "NodeLost" {
        return "Unknown".to_owned();
    }
    if deletion(pod) && !is_over {
        return "Terminating".to_owned();
    }
    summarize(pod).reason
}

pub(super) fn restarts(pod: &Value, now: Timestamp) -> String {
    let summary = summarize(pod);
    match summary.last_restart {
        Some(last) if summary.restarts > 0 => format!("{} ({} ago)", summary.restarts, age(last, now)),
        _ => summary.restarts.to_string(),
    }
}

pub(super) fn address(pod: &Value) -> String {
    or(text(pod, "/status/podIPs/0/ip"), NONE).to_owned()
}

pub(super) fn readiness_gates(pod: &Value) -> String {
    let gates = list(pod, "/spec/readinessGates");
    let open = gates.iter().filter(|gate| condition(pod, text(gate, "/conditionType")) == Some("True")).count();
    if gates.is_empty() { NONE.to_owned() } else { format!("{open}/{}", gates.len()) }
}

/// How far the init containers are.
enum Initialization {
    /// One of them runs, or failed.
    Stopped,
    Done,
}

fn summarize(pod: &Value) -> ContainerSummary {
    let gated = list(pod, "/status/conditions")
        .iter()
        .any(|condition| text(condition, "/type") == "PodScheduled" && text(condition, "/reason") == "SchedulingGated");
    let reason = or(text(pod, "/status/reason"), text(pod, "/status/phase"));
    let mut summary = ContainerSummary {
        total: list(pod, "/spec/containers").len()
            + list(pod, "/spec/initContainers").iter().filter(is_sidecar).count(),
        ready: 0,
        restarts: 0,
        last_restart: None,
        reason: if gated { "SchedulingGated".to_owned() } else { reason.to_owned() },
    };
    let initialization = summary.add_init_containers(pod);
    if matches!(initialization, Initialization::Done) || condition(pod, "Initialized") == Some("True") {
        summary.add_containers(pod);
    }
    summary
}

fn is_sidecar(container: &&Value) -> bool {
    text(container, "/restartPolicy") == "Always"
}

impl ContainerSummary {
    fn add_restarts(&mut self, status: &Value) {
        self.restarts += number(status, "/restartCount");
        self.last_restart = self.last_restart.max(time(status, "/lastState/terminated/finishedAt"));
    }

    fn add_init_containers(&mut self, pod: &Value) -> Initialization {
        let specs = list(pod, "/spec/initContainers");
        for (index, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
            let spec = specs.iter().find(|spec| text(spec, "/name") == text(status, "/name"));
            let is_sidecar = spec.as_ref().is_some_and(is_sidecar);
            self.add_restarts(status);
            if status.pointer("/state/terminated/exitCode") == Some(&json!(0)) {
                continue;
            }
            if is_sidecar && status["started"] == json!(true) {
                self.ready += usize::from(status["ready"] == json!(true));
                continue;
            }
            let waiting = text(status, "/state/waiting/reason");
            self.reason = match status.pointer("/state/terminated") {
                Some(terminated) => format!("Init:{}", end_of(terminated)),
                None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
                None => format!("Init:{index}/{}", specs.len()),
            };
            return Initialization::Stopped;
        }
        Initialization::Done
    }

    fn add_containers(&mut self, pod: &Value) {
        // From here on, restarts are those of sidecars and containers.
        (self.restarts, self.last_restart) = (0, None);
        let specs = list(pod, "/spec/initContainers");
        for status in list(pod, "/status/initContainerStatuses") {
            if specs.iter().any(|spec| text(spec, "/name") == text(status, "/name") && is_sidecar(&spec)) {
                self.add_restarts(status);
            }
        }
        let (mut is_running, mut failure) = (false, String::new());
        for status in list(pod, "/status/containerStatuses").iter().rev() {
            self.add_restarts(status);
            let waiting = text(status, "/state/waiting/reason");
            if !waiting.is_empty() {
                waiting.clone_into(&mut self.reason);
            } else if let Some(terminated) = status.pointer("/state/terminated") {
                self.reason = end_of(terminated);
                if number(terminated, "/exitCode") != 0 {
                    failure.clone_from(&self.reason);
                }
            } else if status["ready"] == json!(true) && status.pointer("/state/running").is_some() {
                is_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if is_running && condition(pod, "Ready") == Some("True") {
                "Running".clone_into(&mut self.reason);
            } else if !failure.is_empty() {
                self.reason = failure;
            } else if is_running {
                "NotReady".clone_into(&mut self.reason);
            }
        }
    }
}

fn end_of(terminated: &Value) -> String {
    let (reason, signal) = (text(terminated, "/reason"), number(terminated, "/signal"));
    if !reason.is_empty() {
        reason.to_owned()
    } else if signal != 0 {
        format!("Signal:{signal}")
    } else {
        format!("ExitCode:{}", number(terminated, "/exitCode"))
    }
}
