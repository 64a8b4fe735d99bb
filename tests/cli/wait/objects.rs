//! Which objects are waited for: those that do not exist yet, that are deleted, several, and any kind.

use super::*;

fn application_status(revision: &str, sync: &str, health: &str) -> Value {
    json!({
        "sync": {"status": sync, "revision": revision}, "health": {"status": health},
        "reconciledAt": now(),
        "operationState": {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z", "startedAt": "2026-01-01T00:00:00Z",
            "syncResult": {"revision": revision}, "operation": {"sync": {"revision": revision}}, "message": ""},
    })
}

fn application_spec() -> Value {
    json!({"spec": {
        "project": "default", "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": "https://git.example.org/shop.git", "path": "prod", "targetRevision": "main"},
    }})
}

const OLD: &str = "0000000000000000000000000000000000000001";

#[test]
fn a_nonexistent_object_or_kind_is_waited_for() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let ran = look(cluster, &[&bucket.shown(), "-o", "json"]).expect(4);
    let item = ran.json()["items"][0].clone();
    assert_eq!((&item["message"], item.get("verdict")), (&json!("it does not exist yet"), None));
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    bucket.write(cluster, spec("a")).report(cluster, well(1));
    waiting.end().expect(0);

    let late = Object { kind: "Latecomer".to_owned(), ..Object::bucket() };
    let waiting = Waiting::until_it_prints(cluster, &["latecomers", &late.name], "no kind is called 'latecomers' yet");
    let kind = crd("Latecomer", "managed", "Cluster");
    support::run(async || {
        let api = Api::<CustomResourceDefinition>::all(cluster.client());
        let made = api.patch("latecomers.wait.example.org", &PatchParams::apply("author"), &Patch::Apply(&kind)).await;
        made.unwrap();
        support::eventually(async || {
            let conditions = api.get("latecomers.wait.example.org").await.ok()?.status?.conditions?;
            conditions.iter().any(|one| one.type_ == "Established" && one.status == "True").then_some(())
        })
        .await;
    });
    late.write(cluster, spec("a")).report(cluster, well(1));
    waiting.end().expect(0);
    let ran = look(cluster, &["bukcet/x", "--for", "gone"]).expect(2);
    assert!(ran.stderr.contains("did you mean 'bucket'"), "{}", ran.stderr);
}

#[test]
fn an_object_with_a_finalizer_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    look(cluster, &[&bucket.shown(), "--for", "gone"]).expect(0);
    let mut held = spec("a");
    held["metadata"] = json!({"finalizers": ["example.org/keeper"]});
    bucket.write(cluster, held).report(cluster, well(1));
    let ran = look(cluster, &[&bucket.shown(), "--for=delete"]).expect(4);
    assert!(ran.stdout.contains("it has not been deleted"), "{}", ran.stdout);
    bucket.delete(cluster);
    let ran = wait(cluster, &[&bucket.shown(), "--for", "gone", "--timeout", "1s"]).expect(4);
    assert!(ran.stdout.contains("example.org/keeper"), "{}", ran.stdout);
    // An object that is being deleted is not OK.
    look(cluster, &[&bucket.shown()]).expect(4);
    let waiting = Waiting::begin(cluster, &[&bucket.shown(), "--for", "gone", "-o", "json"]);
    bucket.write(cluster, json!({"metadata": {"finalizers": []}, "spec": {"forProvider": {"value": "a"}}}));
    // A new one of the same name is another.
    support::run(async || {
        support::eventually(async || bucket.api(cluster).get_opt(&bucket.name).await.ok()?.is_none().then_some(()))
            .await;
    });
    bucket.write(cluster, spec("a"));
    let ran = waiting.end().expect(0);
    assert_eq!(ran.json()["items"][0]["reached"], true);
}

#[test]
fn a_composite_has_the_worst_verdict_of_its_resources() {
    let Some(cluster) = cluster() else { return };
    let (store, part) = (Object::new(GROUP, "v1", "XStore", None), Object::bucket());
    let refs = json!({"spec": {"crossplane": {"resourceRefs": [
        {"apiVersion": format!("{GROUP}/v1"), "kind": "Bucket", "name": part.name},
    ]}}});
    store.write(cluster, refs).report(cluster, well(1));
    let ran = look(cluster, &[&store.shown()]).expect(4);
    assert!(ran.stdout.contains(&part.name), "{}", ran.stdout);
    let waiting = Waiting::begin(cluster, &[&store.shown()]);
    part.write(cluster, spec("a")).report(cluster, creating());
    look(cluster, &[&store.shown()]).expect(4);
    part.report(cluster, well(1));
    waiting.end().expect(0);
    part.report(cluster, failed("InvalidParameterValue: no such region", Some(1)));
    let ran = wait(cluster, &[&store.shown(), "-o", "json"]).expect(1);
    assert_eq!(ran.json()["outcome"], "failed");
    // Its own state is another matter.
    wait(cluster, &["--owner", &store.shown()]).expect(1);
    part.report(cluster, well(1));
    // `tree` agrees on how it is, and on who looks after it.
    let mut tree = ucp(["tree", &store.shown(), "-o", "json"]);
    tree.env("KUBECONFIG", cluster.kubeconfig()).env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", "crossplane");
    let nodes = run(tree).json()["nodes"].clone();
    for name in [&store.name, &part.name] {
        let node = nodes.as_array().unwrap().iter().find(|node| node["object"]["name"] == **name).unwrap();
        assert_eq!(node["verdict"], "OK", "{nodes}");
    }
    let ran = wait(cluster, &["--owner", &store.shown(), "-o", "name"]).expect(0);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}

#[test]
fn a_single_failure_ends_the_wait_and_the_other_states_are_listed() {
    let Some(cluster) = cluster() else { return };
    let (good, bad, slow) = (Object::bucket(), Object::bucket(), Object::bucket());
    good.write(cluster, spec("a")).report(cluster, well(1));
    slow.write(cluster, spec("a")).report(cluster, creating());
    bad.write(cluster, spec("a")).report(cluster, creating());
    let waiting = Waiting::begin(cluster, &["bucket", &good.name, &slow.name, &bad.name, "-o", "json"]);
    bad.report(cluster, failed("access denied", Some(1)));
    let document = waiting.end().expect(1).json();
    let reached: Vec<(&str, bool)> = document["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["object"]["name"].as_str().unwrap(), item["reached"].as_bool().unwrap()))
        .collect();
    assert_eq!(reached, [(bad.name.as_str(), false), (slow.name.as_str(), false), (good.name.as_str(), true)]);
}

#[test]
fn labels_select_objects_and_an_empty_selection_is_no_success() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let label = format!("team={}", bucket.name);
    let ran = look(cluster, &["-l", &label]).expect(4);
    assert!(ran.stderr.contains("nothing matches"), "{}", ran.stderr);
    look(cluster, &["buckets", "-l", &label, "--for", "gone"]).expect(0);
    for arguments in [&["-l", label.as_str()][..], &["buckets", "-l", &label]] {
        let waiting = Waiting::begin(cluster, &[arguments, &["-o", "name"]].concat());
        let mut labelled = spec("a");
        labelled["metadata"] = json!({"labels": {"team": bucket.name}});
        bucket.write(cluster, labelled).report(cluster, well(1));
        // An empty kind of which all may be meant is woken by a usage; this one is not empty for long.
        let ran = waiting.end().expect(0);
        assert_eq!(ran.stdout, format!("bucket.{GROUP}/{}\n", bucket.name));
        bucket.delete(cluster);
    }
}

#[test]
fn an_object_of_an_application_must_be_from_the_given_revision() {
    let Some(cluster) = cluster() else { return };
    let (application, bucket) = (Object::application(), Object::bucket());
    let mut applied = spec("a");
    let id = format!("{}:{GROUP}/Bucket:/{}", application.name, bucket.name);
    applied["metadata"] = json!({"annotations": {"argocd.argoproj.io/tracking-id": id}});
    bucket.write(cluster, applied).report(cluster, well(1));
    application.write(cluster, application_spec()).report(cluster, application_status(OLD, "Synced", "Healthy"));
    look(cluster, &[&bucket.shown()]).expect(0);
    look(cluster, &[&bucket.shown(), "--revision", OLD]).expect(0);
    look(cluster, &[&bucket.shown(), "--revision", NEW]).expect(4);
    let alone = Object::bucket();
    alone.write(cluster, spec("a")).report(cluster, well(1));
    let ran = look(cluster, &[&alone.shown(), "--revision", NEW]).expect(4);
    assert!(ran.stdout.contains("it is unknown whether it comes from revision"), "{}", ran.stdout);
}

#[test]
fn any_kind_can_be_waited_for() {
    let Some(cluster) = cluster() else { return };
    let job = Object::new("batch", "v1", "Job", Some("default"));
    let pods = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}});
    let waiting = Waiting::begin(cluster, &[&job.shown(), "-n", "default"]);
    job.write(cluster, json!({"spec": pods}));
    let done = json!({
        "startTime": now(), "completionTime": now(), "succeeded": 1,
        "conditions": [
            {"type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
            {"type": "Complete", "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
        ],
    });
    job.report(cluster, done);
    waiting.end().expect(0);
    look(cluster, &["namespace/default", "configmap/kube-root-ca.crt-not-there", "-n", "default"]).expect(4);
    look(cluster, &["namespace/default"]).expect(0);
}
