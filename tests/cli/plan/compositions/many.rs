//! Many composites at a time, and a third-party function.

use std::time::Instant;

use serde_json::{Value, json};

use super::super::create;
use super::scene::{bucket, composition, fates, platform};
use super::{Scene, step};
use crate::support::function::Function;
use crate::support::print_notice;
use crate::support::pythonic::Pythonic;

#[test]
fn a_hundred_composites_of_a_composition_are_planned() {
    let made = |place: &str| {
        composition(
            "store",
            "XStore",
            json!([step(json!([
                {"name": "first", "base": bucket(json!({"size": "$(spec.size)", "place": place}))},
                {"name": "second", "base": bucket(json!({"size": "$(spec.size)", "place": place}))},
            ]))]),
        )
    };
    let Some(scene) = Scene::start("plan-hundred", &[made("here")]) else { return };
    let part = |store: usize, key: &str| {
        let mut part = bucket(json!({"size": "small", "place": "here"}));
        part["metadata"] = json!({
            "name": format!("store-{store}-{key}"),
            "annotations": {"crossplane.io/composition-resource-name": key},
            "labels": {"crossplane.io/composite": format!("store-{store}")},
        });
        part
    };
    let store = |number: usize| {
        let reference = |key: &str| {
            json!({
                "apiVersion": "shop.example.org/v1", "kind": "Bucket", "name": format!("store-{number}-{key}"),
            })
        };
        json!({
            "apiVersion": "shop.example.org/v1", "kind": "XStore",
            "metadata": {"name": format!("store-{number}"), "labels": {"crossplane.io/composite": format!("store-{number}")}},
            "spec": {"size": "small", "compositionRef": {"name": "store"}, "resourceRefs": [reference("first"), reference("second")]},
        })
    };
    let objects: Vec<Value> =
        (0..100).flat_map(|number| [part(number, "first"), part(number, "second"), store(number)]).collect();
    create(&scene.cluster, [platform(), objects].concat());
    scene.change(&[made("there")]);
    let function = Function::templates();
    let begun = Instant::now();
    let (plan, code) = scene.document(&["--function", &function.named("templates")]);
    print_notice(&format!("100 composites, {} calls of functions: {:.1?}", function.calls(), begun.elapsed()));
    assert_eq!((code, plan["composites"].as_array().unwrap().len()), (1, 100));
    assert_eq!(fates(&plan, "store-7"), ["change Bucket/first", "change Bucket/second"]);
    assert_eq!(plan["counts"]["composed"]["change"], 200);
}

/// The plan has the resources that `function-pythonic` of PyPI makes: over its own gRPC, with its own rounds of
/// requirements.
#[test]
fn a_real_function_is_called() {
    let Some(function) = Pythonic::start() else { return };
    let script = |size: &str| {
        format!(
            "class StoreComposite(BaseComposite):\n  def compose(self):\n    bucket = self.resources.bucket('shop.example.org/v1', 'Bucket')\n    \
             bucket.spec.forProvider.size = {size}\n    self.status.size = self.spec.size\n"
        )
    };
    let made = |size: &str| {
        composition(
            "store",
            "XStore",
            json!([{
                "step": "python", "functionRef": {"name": "pythonic"},
                "input": {"apiVersion": "pythonic.fn.crossplane.io/v1alpha1", "kind": "Composite", "composite": script(size)},
            }]),
        )
    };
    let Some(scene) = Scene::start("plan-pythonic", &[made("self.spec.size")]) else { return };
    let shop = json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}, "spec": {"size": "small"}});
    scene.compose(&shop, &[("bucket", bucket(json!({"size": "small"})))], Some(json!({"size": "small"})));
    let local = function.named("pythonic");
    scene.change(&[made("str(self.spec.size) + '!'")]);
    let (plan, _) = scene.document(&["--function", &local]);
    assert_eq!(fates(&plan, "shop"), ["change Bucket/bucket"], "{plan:#}");
    assert_eq!(plan["composites"][0]["items"][0]["differences"][0]["after"], "small!");
    scene.change_again(&[made("self.spec.size + '!'")]);
    let (plan, _) = scene.document(&["--function", &local]);
    let reason = plan["unreadable"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.starts_with("pipeline step \"python\" returned a fatal result: "), "{plan:#}");
}
