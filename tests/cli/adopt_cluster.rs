//! `kubectl ucp adopt-cluster`, on a real core cluster and a real app cluster.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::adopted::{adopt, belongings, client_of, counts, secrets, token_of, writes};
use crate::fleet::{Corner, fleet, text};
use crate::support;
use crate::support::audit::Request;
use crate::support::certificates::Validity;

#[test]
fn argocd_can_use_an_adopted_cluster() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "argocd");
    corner.provision("prod", &fleet.app.server(), &corner.admin());

    let (items, code, printed) =
        adopt(&corner, &["prod", "--engine", "argocd", "--label", "environment=prod", "--project", "shop"]);

    assert_eq!((items[0]["state"].as_str(), code), (Some("adopted"), Some(0)), "{printed}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    let labels = secret.metadata.labels.clone().unwrap();
    assert_eq!(labels["argocd.argoproj.io/secret-type"], "cluster");
    assert_eq!(labels["environment"], "prod");
    assert_eq!(secret.data.as_ref().unwrap()["project"].0, b"shop");
    let config = String::from_utf8(secret.data.as_ref().unwrap()["config"].0.clone()).unwrap();
    assert!(!config.contains("keyData"), "Crossplane's own credential is in the registration");
    support::run(async || {
        let namespaces = Api::<Namespace>::all(client_of(&secret)).list(&ListParams::default()).await.unwrap();
        assert!(namespaces.items.iter().any(|namespace| namespace.metadata.name.as_deref() == Some("kube-system")));
    });
    let clusters = corner.clusters(&[]);
    assert_eq!(clusters["prod"]["state"], "adopted", "{clusters:#}");
}

#[test]
fn a_second_run_writes_nothing_and_keeps_the_changes_of_others() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "twice");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    // Each engine has a ServiceAccount of its own.
    let run = |arguments: &[&str]| {
        for engine in ["argocd", "flux"] {
            let account = format!("kube-system/{}-{engine}", corner.namespace);
            let arguments =
                [&["adopt-cluster", "--yes", "--service-account", &account, "--engine", engine], arguments].concat();
            let output = corner.output(&arguments);
            assert!(output.status.success(), "{}", text(&output));
        }
    };
    let marks = (fleet.core.audit_mark(), fleet.app.audit_mark());
    run(&["prod", "--label", "environment=prod"]);
    support::run(async || {
        let api = Api::<Secret>::namespaced(fleet.core.client(), &corner.namespace);
        let labels = json!({"metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}}});
        api.patch("cluster-prod", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    });
    // Only requests about this corner: other tests write at the same time.
    let mine = |requests: Vec<Request>| {
        writes(requests.into_iter().filter(|request| request.uri.contains(&corner.namespace)).collect())
    };
    // For each engine a role, a binding, a ServiceAccount and a Secret there, and a Secret here.
    let by_us = |writes: Vec<String>| writes.into_iter().filter(|write| write.contains("kubectl-ucp")).count();
    assert_eq!(by_us(mine(fleet.app.requests_since(marks.1))), 8);
    assert_eq!(by_us(mine(fleet.core.requests_since(marks.0))), 2);
    let before = secrets(&corner);
    let marks = (fleet.core.audit_mark(), fleet.app.audit_mark());
    // With the flags, and without them: values of an earlier run are kept.
    run(&["prod", "--label", "environment=prod"]);
    run(&["prod"]);
    // Only requests about this corner: other tests write at the same time.
    let mine = |requests: Vec<Request>| {
        writes(requests.into_iter().filter(|request| request.uri.contains(&corner.namespace)).collect())
    };
    assert_eq!(mine(fleet.core.requests_since(marks.0)), Vec::<String>::new());
    assert_eq!(mine(fleet.app.requests_since(marks.1)), Vec::<String>::new());
    assert_eq!(secrets(&corner), before);

    run(&["prod", "--annotation", "owner=shop"]);
    let after = &secrets(&corner)["cluster-prod"].metadata;
    assert_eq!(after.labels.as_ref().unwrap()["team"], "a");
    assert_eq!(after.labels.as_ref().unwrap()["environment"], "prod");
    assert_eq!(after.annotations.as_ref().unwrap()["owner"], "shop");
    assert_eq!(after.annotations.as_ref().unwrap()["note"], "b");
}

#[test]
fn kubectl_works_with_the_kubeconfig_that_flux_gets() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "flux");
    corner.provision("stage", &fleet.app.server(), &corner.admin());
    let (items, _, printed) = adopt(&corner, &["stage", "--engine", "flux", "--token-ttl", "1h"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    let secret = secrets(&corner).remove("stage-kubeconfig").unwrap();
    assert_eq!(secret.metadata.labels.as_ref().unwrap()["reconcile.fluxcd.io/watch"], "Enabled");
    let path = fleet.app.directory().join("flux.kubeconfig");
    std::fs::write(&path, &secret.data.as_ref().unwrap()["value"].0).unwrap();
    let output = std::process::Command::new("kubectl")
        .args(["get", "namespaces", "-o", "name", "--kubeconfig"])
        .arg(path)
        .output()
        .unwrap();
    assert!(text(&output).contains("namespace/kube-system"), "{}", text(&output));
    let clusters = corner.clusters(&[]);
    let used = &clusters["stage"]["registeredWith"][0]["credential"];
    assert!(used["expires"].is_string(), "{clusters:#}");
}

#[test]
fn rights_in_namespaces_do_not_extend_beyond_them() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "narrow");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let (inside, outside) = (format!("{}-in", corner.namespace), format!("{}-out", corner.namespace));
    support::run(async || {
        for name in [&inside, &outside] {
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            support::load::load_objects(&fleet.app.client(), vec![namespace]).await.unwrap();
        }
    });
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--namespaces", &inside]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    assert_eq!(secret.data.as_ref().unwrap()["namespaces"].0, inside.as_bytes());
    let object: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "mine"}})).unwrap();
    support::run(async || {
        let client = client_of(&secret);
        let there = Api::<ConfigMap>::namespaced(client.clone(), &inside);
        there.create(&PostParams::default(), &object).await.unwrap();
        let elsewhere = Api::<ConfigMap>::namespaced(client.clone(), &outside);
        assert!(elsewhere.create(&PostParams::default(), &object).await.is_err());
        assert!(elsewhere.list(&ListParams::default()).await.is_err());
        assert!(Api::<Namespace>::all(client).list(&ListParams::default()).await.is_err());
    });

    // Wider rights replace narrow ones, and leave nothing of them.
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--read-only"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    support::run(async || {
        let client = client_of(&secret);
        Api::<Namespace>::all(client.clone()).list(&ListParams::default()).await.unwrap();
        let there = Api::<ConfigMap>::namespaced(client, &inside);
        assert!(there.delete("mine", &Default::default()).await.is_err());
        let bindings = Api::<RoleBinding>::namespaced(fleet.app.client(), &inside);
        assert_eq!(bindings.list(&ListParams::default()).await.unwrap().items.len(), 0);
    });
    assert!(!secrets(&corner)["cluster-prod"].data.as_ref().unwrap().contains_key("namespaces"));
}

#[test]
fn an_engine_only_gets_the_rights_for_the_objects_that_it_deploys() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "least");
    // Applications of other tests deploy to a cluster called prod.
    let name = corner.namespace.as_str();
    corner.provision(name, &fleet.app.server(), &corner.admin());
    let may = |arguments: &[&str]| {
        let user = format!("system:serviceaccount:kube-system:{}", corner.namespace);
        let question = [&["auth", "can-i", "--as", &user], arguments].concat();
        fleet.app.kubectl(question).output().unwrap().status.success()
    };
    // Its deployed objects are not known yet.
    let (items, _, printed) = adopt(&corner, &[name, "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    let grants = items[0]["grants"].as_str().unwrap();
    assert!(
        grants.contains("create, update, patch, delete in the API groups apps, autoscaling, batch, core"),
        "{printed}"
    );
    assert!(may(&["create", "deployments.apps", "-A"]) && may(&["watch", "nodes"]) && may(&["create", "namespaces"]));
    let exec = ["create", "pods", "--subresource=exec"];
    for denied in [&["create", "clusterroles"][..], &exec, &["impersonate", "users"], &["delete", "nodes"]] {
        assert!(!may(denied), "{denied:?}");
    }
    corner.put(json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "certificates", "namespace": corner.namespace},
        "spec": {"project": "default", "destination": {"name": name, "namespace": "a"},
                 "source": {"repoURL": "https://git.example.org/a"}},
        "status": {"resources": [
            {"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition", "name": "a"},
            {"version": "v1", "kind": "ConfigMap", "namespace": "a", "name": "b"},
        ]},
    }));
    let (items, _, printed) = adopt(&corner, &[name, "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "unchanged", "grants do not grow with Applications of others: {printed}");
    let (items, _, printed) = adopt(&corner, &[name, "--engine", "argocd", "--grant", "deployed"]);
    assert!(items[0]["grants"].as_str().unwrap().contains("in the API groups apiextensions.k8s.io, core"), "{printed}");
    assert!(may(&["create", "customresourcedefinitions"]) && !may(&["create", "deployments.apps", "-A"]));
    let (items, _, printed) = adopt(&corner, &[name, "--engine", "argocd", "--grant", "everything"]);
    assert!(items[0]["grants"].as_str().unwrap().contains("every verb on every resource"), "{printed}");
    assert!(may(&["impersonate", "users"]));
}

#[test]
fn a_rotation_proves_the_new_token_and_revokes_the_old() {
    let Some(fleet) = fleet() else { return };
    for (name, lifetime) in [("lasting", [].as_slice()), ("bound", ["--token-ttl", "2h"].as_slice())] {
        let corner = Corner::of(fleet, name);
        corner.provision("prod", &fleet.app.server(), &corner.admin());
        let arguments = [&["prod", "--engine", "argocd"], lifetime].concat();
        adopt(&corner, &arguments);
        let old = token_of(&secrets(&corner)["cluster-prod"]);
        assert!(counts(&corner, &old));

        let (items, _, printed) = adopt(&corner, &[&arguments[..], &["--rotate"]].concat());

        assert_eq!(items[0]["state"], "adopted", "{printed}");
        let secret = secrets(&corner).remove("cluster-prod").unwrap();
        let new = token_of(&secret);
        assert_ne!(old, new);
        assert!(counts(&corner, &new));
        // Tokens are cached for some seconds.
        support::run(async || support::eventually(async || (!counts(&corner, &old)).then_some(())).await);
        assert!(!secret.metadata.annotations.unwrap().contains_key("kubectl-ucp.io/revoke"));
        let tokens: Vec<_> = belongings(&corner).into_iter().filter(|name| name.starts_with("Secret/")).collect();
        assert_eq!(tokens, [format!("Secret/{}-token-2", corner.namespace)]);
        let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
        assert_eq!(items[0]["state"], "unchanged", "{printed}");
    }
}

#[test]
fn a_lost_token_is_replaced() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "lost");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopt(&corner, &["prod", "--engine", "argocd"]);
    let old = token_of(&secrets(&corner)["cluster-prod"]);
    support::run(async || {
        let accounts = Api::<ServiceAccount>::namespaced(fleet.app.client(), "kube-system");
        accounts.delete(&corner.namespace, &Default::default()).await.unwrap();
        support::eventually(async || (!counts(&corner, &old)).then_some(())).await;
    });
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    assert!(counts(&corner, &token_of(&secrets(&corner)["cluster-prod"])));
}

#[test]
fn a_recreated_cluster_is_found_and_brought_up_to_date() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "recreated");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopt(&corner, &["prod", "--engine", "argocd", "--token-ttl", "1h"]);
    // The core cluster stands for the new one: another URL, another authority, the same name.
    let admin = fleet.core.identity("cluster-admin", Some("system:masters"), Validity::Valid).unwrap();
    corner.put(corner.connection_secret("prod", &fleet.core.kubeconfig_with(&fleet.core.server(), &admin)));
    let clusters = corner.clusters(&[]);
    assert_eq!(clusters["prod"]["state"], "stale", "{clusters:#}");
    assert!(clusters["prod"]["reason"].as_str().unwrap().contains("the server moved"), "{clusters:#}");

    // Only a person knows that it is the right one.
    let (items, code, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--accept-server", &fleet.core.server()]);

    assert_eq!(items[0]["state"], "adopted", "{printed}");
    let secret = secrets(&corner).remove("cluster-prod").unwrap();
    support::run(async || {
        let namespaces = Api::<Namespace>::all(client_of(&secret));
        namespaces.get(&corner.namespace).await.unwrap();
    });
    assert_eq!(corner.clusters(&[])["prod"]["state"], "adopted");
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd"]);
    assert_eq!(items[0]["state"], "unchanged", "{printed}");
}
