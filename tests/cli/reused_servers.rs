//! API servers that one test after the other uses: each finds them as after their start.

use std::collections::BTreeSet;
use std::path::Path;

use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::discovery::Discovery;
use serde_json::json;

use crate::support::binaries::{Binaries, ControllerManager};
use crate::support::cluster::Origin;
use crate::support::servers::Servers;
use crate::support::{self, Options, load};

/// The initial content of a server: the kinds, and the labels and rules of objects that the API server makes itself.
fn contents(servers: &Servers) -> (BTreeSet<String>, Vec<String>) {
    support::run(async || {
        let client = servers.client();
        let discovery = Discovery::new(client.clone()).run_aggregated().await.unwrap();
        let kinds = discovery.groups().flat_map(|group| group.recommended_resources());
        let kinds = kinds.map(|(resource, _)| format!("{}.{}", resource.plural, resource.group)).collect();
        let namespaces = Api::<Namespace>::all(client.clone()).list(&ListParams::default()).await.unwrap();
        let roles = Api::<ClusterRole>::all(client).list(&ListParams::default()).await.unwrap();
        let namespaces = namespaces.into_iter().map(|one| format!("{:?} {:?}", one.metadata.name, one.metadata.labels));
        let roles = roles.into_iter().map(|one| format!("{:?} {:?}", one.metadata.name, one.rules));
        (kinds, namespaces.chain(roles).collect())
    })
}

#[test]
fn nothing_of_a_test_is_left_for_the_next_one() {
    if support::core_cluster().is_none() {
        return;
    }
    let binaries = Binaries::find(ControllerManager::NotNeeded).unwrap();
    let mut servers = Servers::start(&binaries, &Options { origin: Origin::Pool, ..Options::named("used") }).unwrap();
    let before = contents(&servers);
    let quotes = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/quotes"));
    // Twice, because the second time all kinds were served before.
    for _ in 0..2 {
        let objects = load::read(quotes).unwrap();
        support::run(async || {
            let client = servers.client();
            load::load_objects(&client, objects).await.unwrap();
            let label = Patch::Merge(json!({"metadata": {"labels": {"left": "behind"}}}));
            let namespaces = Api::<Namespace>::all(client.clone());
            namespaces.patch("default", &PatchParams::default(), &label).await.unwrap();
            Api::<ClusterRole>::all(client).delete("view", &DeleteParams::default()).await.unwrap();
        });
        assert_ne!(contents(&servers), before);
        servers.reset().unwrap();
        assert_eq!(contents(&servers), before);
    }
    // A webhook may be called a while after it is gone.
    support::run(async || {
        let webhook = serde_json::from_value(json!({"metadata": {"name": "left"}})).unwrap();
        let api = Api::<ValidatingWebhookConfiguration>::all(servers.client());
        api.create(&PostParams::default(), &webhook).await.unwrap();
    });
    assert!(servers.reset().is_err() && !servers.are_reusable());
}
