//! The output: the composites that are reached, the fate of their resources, and the exit code.

use serde_json::json;

use super::super::{stderr, stdout};
use super::scene::{bucket, claim, composition, fates};
use super::{Scene, step, store};
use crate::support::function::Function;

fn sized() -> serde_json::Value {
    bucket(json!({"size": "$(spec.size)", "place": "here"}))
}

fn made(size: &str) -> serde_json::Value {
    bucket(json!({"size": size, "place": "here"}))
}

#[test]
fn a_composition_and_a_claim_that_change_together_are_planned_together() {
    let before = [store(sized()), claim("shop", "small"), claim("other", "small")];
    let Some(scene) = Scene::start("plan-composed", &before) else { return };
    scene.bind(&before[1], &[("bucket", made("small"))]);
    scene.bind(&before[2], &[("bucket", made("small"))]);
    let resources = json!([
        {"name": "bucket", "base": bucket(json!({"size": "$(spec.size)", "place": "there"}))},
        {"name": "disk", "base": {"apiVersion": "shop.example.org/v1", "kind": "Disk", "spec": {"forProvider": {"size": "$(spec.size)"}}}},
    ]);
    let after = composition("store", "XStore", json!([step(resources)]));
    scene.change(&[after, claim("shop", "large"), before[2].clone(), claim("new", "tiny")]);
    let function = Function::templates();
    let local = function.named("templates");

    let (unasked, _) = scene.document(&[]);
    assert!(unasked.get("composites").is_none() && function.calls() == 0, "{unasked:#}");

    let (plan, code) = scene.document(&["--function", &local]);
    assert_eq!(code, 1, "{plan:#}");
    assert_eq!(fates(&plan, "shop-x"), ["change Bucket/bucket", "add Disk/disk"], "{plan:#}");
    assert_eq!(fates(&plan, "other-x"), ["change Bucket/bucket", "add Disk/disk"]);
    assert_eq!(fates(&plan, "new-xxxxx"), ["add Bucket/bucket", "add Disk/disk"]);
    assert_eq!(plan["counts"]["composed"]["composites"], 3, "{plan:#}");
    assert_eq!(plan["unreadable"], json!([]), "{plan:#}");
    let composite =
        |name: &str| plan["composites"].as_array().unwrap().iter().find(|one| one["object"]["name"] == name).unwrap();
    let changed = &composite("shop-x")["items"][0];
    assert_eq!(changed["differences"][1]["path"], "spec.forProvider.size");
    assert_eq!(changed["differences"][1]["after"], "large");
    assert_eq!(changed["external"]["effect"], "update");
    assert_eq!(composite("shop-x")["nameIsFinal"], true);
    assert_eq!(composite("new-xxxxx")["nameIsFinal"], false);
    assert_eq!(composite("new-xxxxx")["claim"]["name"], "new");
    assert_eq!(plan["counts"]["external"]["create"], 4);

    let output = scene.plan(&["--function", &local]);
    let printed = stderr(&output);
    assert!(printed.contains("Composition store affects 2 composites"), "{printed}");
    assert!(printed.contains("running the Compositions of 3 composites"), "{printed}");
    let text = stdout(&output);
    assert!(text.contains("composite xstore.shop.example.org/other-x: 1 to add, 1 to change"), "{text}");
    assert!(text.contains("its name is not final") && text.contains("+    size: large"), "{text}");
    assert!(text.contains("Compositions (3 composites run): 4 to add, 2 to change, 0 to remove."), "{text}");

    let page = stdout(&scene.plan(&["--function", &local, "-o", "html"]));
    assert!(page.contains("xstore.shop.example.org/other-x") && page.contains("resource disk of other-x"), "{page}");

    // A change cannot permit its own code to be run; the revision to merge into can.
    scene.repository.git(&["switch", "--quiet", "feature"]);
    scene.repository.commit(&[(".ucp.yaml", "plan: {functions: cluster}\n")]);
    scene.repository.git(&["switch", "--quiet", "main"]);
    let (unasked, _) = scene.document(&[]);
    assert!(unasked.get("composites").is_none(), "{unasked:#}");
    scene.repository.commit(&[(".ucp.yaml", "plan: {functions: cluster}\n")]);
    let (asked, _) = scene.document(&[]);
    assert!(asked["unreadable"].to_string().contains("is not installed in the core cluster"), "{asked:#}");
    assert_eq!(scene.document(&["--functions", "none"]).0["unreadable"], json!([]));
    scene.repository.commit(&[(".ucp.yaml", "plan: {functions: every}\n")]);
    assert_eq!(scene.plan(&[]).status.code(), Some(2));

    // Nothing was written.
    let live = super::super::get(&scene.cluster, "xstore", "shop-x", "default");
    assert_eq!(live["spec"]["size"], "small");
}
