//! Objects of many kinds, each with the verdict that it should have.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::judge;
use crate::engine::Clock;
use crate::model::body::{Body, Shape};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;

#[test]
fn every_object_has_the_verdict_that_its_controller_means() {
    let list: Value = serde_saphyr::from_str(include_str!("../../../tests/fixtures/any/objects.yaml")).unwrap();
    let clock = Clock { now: "2026-11-20T09:10:00Z".parse().unwrap(), stuck_after: Duration::from_secs(900) };
    let items = list["items"].as_array().unwrap();
    let mut wrong = Vec::new();
    for item in items {
        let api_version = item["apiVersion"].as_str().unwrap();
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = Arc::new(ResourceKind::guess(group, item["kind"].as_str().unwrap()));
        let resource = ResourceSeed { kind: &kind, shape: Shape::Any }.deserialize(item).unwrap();
        let Body::Any(any) = &resource.body else { panic!("{item}") };
        let judgement = judge(&resource, any, &clock, &[]);
        let expected = resource.metadata.annotation("ucp.test/expect").unwrap();
        if judgement.verdict.as_str() != expected {
            let message = judgement.message.unwrap_or_default();
            wrong.push(format!("{}: {} instead of {expected}: {message}", resource.name(), judgement.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), items.len(), wrong.join("\n"));
}
