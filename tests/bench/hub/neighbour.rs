//! Other users of the server: the time that a second client waits while `resources` reads everything, both ordinary
//! users, whom API priority and fairness keeps in `global-default`.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::Request;
use serde_json::json;

use crate::support::{self, Cluster};
use crate::ucp;

const GROUP: &str = "bench:readers";
/// How long the neighbour is watched.
const WHILE: Duration = Duration::from_secs(6);

/// Measures and prints.
pub(crate) fn measure(cluster: &Cluster) {
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": GROUP},
            "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": GROUP},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": GROUP},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": GROUP}],
        },
    ]}));
    let reader = cluster.kubeconfig_for("bench-reader", Some(GROUP));
    let kubeconfig = cluster.kubeconfig_for("bench-neighbour", Some(GROUP));
    let alone = neighbour(&kubeconfig, &|| false);
    let (is_over, runs) = (AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
    let mark = cluster.audit_mark();
    let concurrent = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let mut command = ucp(&reader);
                command.arg("resources").stdout(Stdio::null());
                assert!(command.status().expect("the command runs").success());
                runs.fetch_add(1, Ordering::Relaxed);
            }
        });
        let concurrent = neighbour(&kubeconfig, &|| runs.load(Ordering::Relaxed) < 2);
        is_over.store(true, Ordering::Relaxed);
        concurrent
    });
    let refused = cluster.requests_since(mark).iter().filter(|request| request.code == Some(429)).count();
    println!("\nA neighbour in global-default\n");
    println!("| | requests | median | 99th percentile |\n|---|---|---|---|");
    for (name, waits) in [("alone", alone), ("beside 'kubectl ucp resources'", concurrent)] {
        let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!("| {name} | {} | {:.1} ms | {:.1} ms |", waits.len(), at(0.5), at(0.99));
    }
    println!("\n{refused} requests were refused with 429");
}

/// Sends one request after the other, and returns how long each took, sorted. Continues while `more` returns true.
fn neighbour(kubeconfig: &std::path::Path, more: &(dyn Fn() -> bool + Sync)) -> Vec<Duration> {
    let text = std::fs::read_to_string(kubeconfig).expect("a kubeconfig");
    let mut waits = support::run(async move || {
        let kubeconfig = kube::config::Kubeconfig::from_yaml(&text).expect("a kubeconfig");
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await.expect("a config");
        let client = kube::Client::try_from(config).expect("a client");
        let (begun, mut waits) = (Instant::now(), Vec::new());
        while begun.elapsed() < WHILE || more() {
            let asked = Instant::now();
            let request = Request::get("/api/v1/namespaces/default/configmaps").body(Vec::new()).expect("a request");
            client.request_text(request).await.expect("an answer");
            waits.push(asked.elapsed());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        waits
    });
    waits.sort_unstable();
    waits
}
