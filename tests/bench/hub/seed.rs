//! A hub of many kinds and many resources.

use std::ops::Range;

use futures::{StreamExt as _, TryStreamExt as _};
use http::{Method, Request};
use kube::Client;
use serde_json::{Value, json};
use ucp_client::source::live;

/// Kinds that hold the resources; all others are empty, as on a hub with a family of providers.
const POPULATED: usize = 5;
/// Requests at a time.
const CONCURRENT: usize = 16;

/// Creates kinds in category `managed` in the cluster of `KUBECONFIG`, waits until they are served, and fills a handful.
/// Where there are resources already, only the missing ones are made.
pub(crate) fn fill(kinds: usize, resources: Range<usize>) {
    live::runtime().expect("a runtime starts").block_on(async {
        let client = Client::try_default().await.expect("KUBECONFIG names the hub");
        create_all(&client, kinds, resources).await;
    });
}

async fn create_all(client: &Client, kinds: usize, resources: Range<usize>) {
    let send = |method: Method, path: String, body: Value| async move {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        client.request::<Value>(request.body(body.to_string().into_bytes()).expect("a request")).await
    };
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let missing = if resources.start == 0 { kinds } else { 0 };
    futures::stream::iter(0..missing)
        .map(|number| send(Method::POST, path.to_owned(), definition(number)))
        .buffer_unordered(CONCURRENT)
        .try_for_each(async |_| Ok(()))
        .await
        .expect("the kinds are created");
    for number in 0..missing {
        let path = format!("{path}/things{number}.{}", group(number));
        crate::support::eventually(async || {
            let definition: Value = client.request(Request::get(&path).body(Vec::new()).ok()?).await.ok()?;
            let conditions = definition.pointer("/status/conditions")?.as_array()?.clone();
            conditions
                .iter()
                .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
                .then_some(())
        })
        .await;
    }
    futures::stream::iter(resources)
        .map(|number| async move {
            let kind = number % POPULATED.min(kinds);
            let path = format!("/apis/{}/v1beta1/things{kind}", group(kind));
            let resource = resource(kind, number);
            let mut created = send(Method::POST, path.clone(), resource.clone()).await?;
            // The status is a subresource, which a creation does not write.
            created["status"] = resource["status"].clone();
            send(Method::PUT, format!("{path}/thing-{number}/status"), created).await.map(drop)
        })
        .buffer_unordered(CONCURRENT)
        .try_collect::<()>()
        .await
        .expect("the resources are created");
}

/// Kinds in a group: the providers of AWS, Azure and Google Cloud have six to nine (`apis/zz_register.go` and
/// `config/generated.lst` of provider-upjet-aws, -azure and -gcp).
const GROUP: usize = 7;

fn group(kind: usize) -> String {
    format!("family{}.cloud.example.org", kind / GROUP)
}

/// Versions that a kind is served at. Three groups of four of those providers have a second one, for some of their kinds.
fn versions(kind: usize) -> &'static [&'static str] {
    let has_second = !(kind / GROUP).is_multiple_of(4) && kind % GROUP < 3;
    if has_second { &["v1beta1", "v1beta2"] } else { &["v1beta1"] }
}

fn definition(kind: usize) -> Value {
    let group = group(kind);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things{kind}.{group}")},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {
                "kind": format!("Thing{kind}"),
                "plural": format!("things{kind}"),
                "singular": format!("thing{kind}"),
                "categories": ["crossplane", "managed", "cloud"],
            },
            "versions": versions(kind).iter().map(|version| json!({
                "name": version,
                "served": true,
                "storage": *version == "v1beta1",
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": [
                    {"name": "SYNCED", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Synced')].status"},
                    {"name": "READY", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"},
                    {"name": "EXTERNAL-NAME", "type": "string", "jsonPath": ".metadata.annotations.crossplane\\.io/external-name"},
                    {"name": "AGE", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
            })).collect::<Vec<_>>(),
        },
    })
}

/// A managed resource of the usual size: about five kilobytes, half of it managed fields.
fn resource(kind: usize, number: usize) -> Value {
    let fields: serde_json::Map<String, Value> = (0..24)
        .map(|field| (format!("setting{field}"), json!(format!("value of setting {field} of resource {number}"))))
        .collect();
    let condition = |kind: &str, reason: &str| json!({"type": kind, "status": "True", "reason": reason, "lastTransitionTime": "2026-11-20T09:00:00Z"});
    json!({
        "apiVersion": format!("{}/v1beta1", group(kind)),
        "kind": format!("Thing{kind}"),
        "metadata": {
            "name": format!("thing-{number}"),
            "labels": {"creation": "crossplane", "team": format!("team-{}", number % 17)},
            "annotations": {"crossplane.io/external-name": format!("thing-{number}")},
        },
        "spec": {
            "deletionPolicy": "Delete",
            "managementPolicies": ["*"],
            "providerConfigRef": {"name": "default"},
            "forProvider": fields,
        },
        "status": {
            "atProvider": fields,
            "observedGeneration": 1,
            "conditions": [condition("Ready", "Available"), condition("Synced", "ReconcileSuccess"), condition("LastAsyncOperation", "Success")],
        },
    })
}
