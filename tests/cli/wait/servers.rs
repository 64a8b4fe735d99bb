//! Servers that restart, forget, refuse, or answer only in part.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::*;

/// A request by name finds an object that is missing from a list that another program answered.
#[test]
fn an_object_missing_only_from_a_list_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a"));
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::at(&format!("/apis/{GROUP}/v1/buckets"), Fault::emptied()));
    let look = |timeout: &str| {
        let mut asked = command(cluster, &[&bucket.shown(), "--for", "gone", "--timeout", timeout]);
        asked.env("KUBECONFIG", proxy.kubeconfig());
        run(asked)
    };
    let ran = look("0").expect(4);
    assert!(ran.stderr.contains("it exists, but no list contains it"), "{ran:?}");
    proxy.add(Rule::at(&format!("/apis/{GROUP}/v1/buckets/{}", bucket.name), Fault::internal_error()));
    let ran = look("0").expect(4);
    assert!(ran.stderr.contains("it is unknown whether it exists"), "{ran:?}");
    bucket.delete(cluster);
    proxy.clear();
    look("10s").expect(0);
    // Neither is there, and a server reports only that the namespace is missing.
    self::wait(cluster, &["namespace/nowhere", "--for", "gone", "--timeout", "10s"]).expect(0);
    self::wait(cluster, &["configmap/a", "-n", "nowhere", "--for", "gone", "--timeout", "10s"]).expect(0);
}

/// A short name selects the kind that is left while a server does not list that of the object.
#[test]
fn an_object_of_a_kind_that_is_not_listed_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let own = crd("Vault", "managed", "Cluster");
    let twin = own.to_string().replace(GROUP, "twin.example.org");
    let kinds = vec![own, serde_json::from_str(&twin).unwrap()];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let vault = Object::new(GROUP, "v1", "Vault", None);
    vault.write(cluster, spec("a"));
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::at("/apis", Fault::Unlisted(GROUP.to_owned())));
    let ran = run({
        let mut asked = command(cluster, &[&format!("vault/{}", vault.name), "--for", "gone", "--timeout", "0"]);
        asked.env("KUBECONFIG", proxy.kubeconfig());
        asked
    });
    let ran = ran.expect(4);
    assert!(ran.stderr.contains(&format!("vaults.{GROUP}: the server does not list this kind")), "{}", ran.stderr);
}

#[test]
fn wait_uses_watches_and_does_not_poll() {
    let Some(cluster) = support::start(Options::named("unpolled")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let waiting = Waiting::begin(&cluster, &[&bucket.shown()]);
    let mark = cluster.audit_mark();
    for number in 0..5 {
        bucket.write(&cluster, spec(&number.to_string()));
    }
    bucket.report(&cluster, well(6));
    waiting.end().expect(0);
    let asked: Vec<String> = cluster
        .requests_since(mark)
        .into_iter()
        .filter(|request| request.user.starts_with("waiter-") && request.verb != "watch")
        // At the end, discovery is compared with the definitions.
        .filter(|request| !request.uri.starts_with("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?"))
        .map(|request| format!("{} {}", request.verb, request.uri))
        .collect();
    assert_eq!(asked, Vec::<String>::new(), "a change is learnt from a watch");
}

#[test]
fn wait_continues_after_a_restart_of_the_server() {
    let Some(mut cluster) = support::start(Options::named("wait-restarted")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let waiting = Waiting::begin(&cluster, &[&bucket.shown()]);
    cluster.stop();
    std::thread::sleep(Duration::from_secs(1));
    cluster.restart().unwrap();
    bucket.report(&cluster, well(1));
    waiting.end().expect(0);
    cluster.stop();
    // There is no server from the beginning.
    let ran = wait(&cluster, &[&bucket.shown()]).expect(3);
    assert!(ran.stderr.contains("cannot reach"), "{}", ran.stderr);
}

#[test]
fn an_expired_resource_version_is_followed_by_a_new_list() {
    let Some(mut cluster) = support::start(Options::named("wait-expired")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let proxy = Proxy::start(&cluster).unwrap();
    let release = Arc::new(Notify::new());
    proxy.add(Rule::on("&watch=true", Fault::Held(Arc::clone(&release))).times(1));
    let mut command = command(&cluster, &[&bucket.shown(), "--timeout", "90s"]);
    command.env("KUBECONFIG", proxy.kubeconfig()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = Waiting(command.spawn().unwrap());
    let watches = || {
        proxy.seen().into_iter().map(|seen| seen.uri).find(|uri| uri.contains("buckets?") && uri.contains("watch=true"))
    };
    let held = support::run(async || support::eventually(async || watches()).await);
    // A server that starts has no history of changes before it.
    bucket.report(&cluster, well(1));
    cluster.stop();
    cluster.restart().unwrap();
    let response = cluster.kubectl(["get", "--raw", &held]).output().unwrap();
    assert!(String::from_utf8_lossy(&response.stdout).contains(r#""code":410"#), "it still knows: {response:?}");
    release.notify_one();
    waiting.end().expect(0);
}

#[test]
fn failing_watches_are_not_repeated_endlessly() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, creating());
    // An expired watch, and a watch that the server cannot serve.
    for code in [410, 500] {
        let proxy = Proxy::start(cluster).unwrap();
        proxy.add(Rule::on("watch=", Fault::broken_watch(code)));
        let mut command = command(cluster, &[&bucket.shown(), "--timeout", "5s"]);
        command.env("KUBECONFIG", proxy.kubeconfig());
        run(command).expect(4);
        let of_buckets = |uri: &str| uri.contains("buckets?") && uri.contains("watch=");
        let watches = proxy.seen().iter().filter(|seen| of_buckets(&seen.uri)).count();
        assert!((2..=30).contains(&watches), "{watches} watches in five seconds at {code}");
    }
}

#[test]
fn objects_that_may_not_be_read_end_the_wait() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, creating());
    let kubeconfig = cluster.kubeconfig_for("nobody-in-particular", None);
    let mut asked = command(cluster, &[&bucket.shown(), "-o", "json"]);
    let ran = run({
        asked.env("KUBECONFIG", &kubeconfig);
        asked
    });
    let document = ran.clone().expect(4).json();
    assert_eq!(document["outcome"], "unreadable");
    assert!(ran.stderr.contains("error: cannot be read, so it is unknown: buckets."), "{}", ran.stderr);
    assert!(ran.stderr.contains("wait --print-rbac"), "{}", ran.stderr);
    // A user who may list and not watch gets an error as well, instead of a timeout.
    let name = json!({"name": "lister-of-buckets"});
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": name,
            "rules": [{"apiGroups": [GROUP], "resources": ["buckets"], "verbs": ["list"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": name,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "lister-of-buckets"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "lister"}]},
    ]}));
    let kubeconfig = cluster.kubeconfig_for("lister", None);
    let ran = support::run(async || {
        support::eventually(async || {
            let mut asked = command(cluster, &[&bucket.shown()]);
            asked.env("KUBECONFIG", &kubeconfig);
            let ran = run(asked);
            ran.stderr.contains("cannot watch").then_some(ran)
        })
        .await
    });
    ran.expect(4);
}
