//! Objects that Crossplane's core may not compose, although the user may.

use serde_json::{Value, json};

use super::super::create;
use super::super::rights::granted;
use super::scene::{bucket, claim, composition, fates};
use super::{Scene, step, store};
use crate::support;
use crate::support::function::Function;

const GROUP: &str = "shop.example.org";

fn core() -> Value {
    let labels = json!({"app": "crossplane"});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "crossplane-system", "name": "crossplane", "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels},
            "spec": {
                "serviceAccountName": "core",
                "containers": [{"name": "crossplane", "image": "xpkg.crossplane.io/crossplane/crossplane:v2.3.4"}],
            },
        }},
    })
}

fn rights(verbs_of_disks: &[&str]) -> Vec<Value> {
    let account = json!({"kind": "ServiceAccount", "namespace": "crossplane-system", "name": "core"});
    let all = ["get", "list", "watch", "create", "patch", "delete"];
    let rules = json!([
        {"apiGroups": [GROUP], "resources": ["buckets"], "verbs": all},
        {"apiGroups": [GROUP], "resources": ["disks"], "verbs": verbs_of_disks},
    ]);
    granted("core", account, rules)
}

#[test]
fn what_the_core_of_crossplane_may_not_compose_is_rejected() {
    let before = [store(bucket(json!({"size": "small"}))), claim("shop", "small")];
    let Some(scene) = Scene::start("plan-core-rights", &before) else { return };
    scene.bind(&before[1], &[("bucket", bucket(json!({"size": "small"})))]);
    let disk = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Disk", "spec": {"forProvider": {"size": "1"}}});
    let resources = json!([
        {"name": "bucket", "base": bucket(json!({"size": "large"}))},
        {"name": "disk", "base": disk},
    ]);
    scene.change(&[composition("store", "XStore", json!([step(resources)])), before[1].clone()]);
    let function = Function::templates();
    let local = function.named("templates");
    let planned = || {
        let (plan, code) = scene.document(&["--function", &local]);
        assert_eq!(
            (code, fates(&plan, "shop-x")),
            (1, vec!["change Bucket/bucket".to_owned(), "add Disk/disk".to_owned()])
        );
        assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
        let items = plan["composites"][0]["items"].as_array().unwrap().clone();
        let message = |item: &Value| item["message"].as_str().unwrap_or_default().to_owned();
        (items.iter().map(message).collect::<Vec<_>>(), plan["consequences"]["refusal"].clone())
    };
    // Without a core, nothing is known to be wrong.
    assert_eq!(planned(), (vec![String::new(), String::new()], json!(0)));
    create(&scene.cluster, [vec![core()], rights(&["list"])].concat());
    let account = "ServiceAccount crossplane-system/core";
    let refused = |right: &str| (vec![String::new(), format!("{account} may not {right}")], json!(1));
    // The server learns of a role after a while.
    let settles = |expected: (Vec<String>, Value)| {
        support::run(async || support::eventually(async || (planned() == expected).then_some(())).await);
    };
    settles(refused("watch disks.shop.example.org"));
    create(&scene.cluster, rights(&["list", "watch", "patch"]));
    settles(refused("create disks.shop.example.org"));
    create(&scene.cluster, rights(&["*"]));
    settles((vec![String::new(), String::new()], json!(0)));
}
