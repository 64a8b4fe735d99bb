//! Commands that answer: never a clean answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use serde_json::{Value, json};

use super::{Matrix, Place, Promise, holds, rules};
use crate::command_lists::CLEAN_ON_A_HEALTHY_HUB;
use crate::support::command::{run, ucp};
use crate::support::objects::{provider_of, with};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, hub, load};
use crate::weather::through;

/// Where the lists begin that a command reads and does not need for this answer: packages depend on nothing of these.
pub(super) const NOT_NEEDED: [(&str, &str); 5] = [
    ("doctor", "/api/v1/"),
    ("doctor", "/apis/argoproj.io/v1alpha1/appprojects"),
    ("doctor", "/apis/discovery.k8s.io/"),
    ("doctor", "/apis/admissionregistration.k8s.io/"),
    ("doctor", "/apis/rbac.authorization.k8s.io/"),
];
/// Namespaced kinds that only Kubernetes itself writes, and that a server may not have.
pub(super) const NOT_CHECKED: [&str; 9] = [
    "/endpoints",
    "/podtemplates",
    "/controllerrevisions",
    "/leases",
    "/endpointslices",
    "/csistoragecapacities",
    "/horizontalpodautoscalers",
    "/resourceclaims",
    "/resourceclaimtemplates",
];
/// The definitions of custom resources, with which discovery is compared. Most tenants may not read them.
pub(super) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Runs at the same time: most of a run is waiting.
const PLACES: usize = 6;

/// A server that lags behind, or a gateway, may not find the list of a kind that is in discovery.
#[test]
fn a_list_that_is_not_found_is_unread_while_its_kind_is_served() {
    let Some(cluster) = hub::quotes() else { return };
    let missing = Fault::failure(404, "NotFound", "the server could not find the requested resource");
    for arguments in
        [CLEAN_ON_A_HEALTHY_HUB[1], CLEAN_ON_A_HEALTHY_HUB[4], CLEAN_ON_A_HEALTHY_HUB[6], CLEAN_ON_A_HEALTHY_HUB[8]]
    {
        let proxy = Proxy::start(cluster).unwrap();
        proxy.add(Rule::on("/rdsinstances", missing.clone()));
        let ran = run(through(&proxy, arguments));
        assert!(matches!(ran.code, Some(3 | 4)), "{arguments:?}: {ran:?}");
        assert!(proxy.count("/rdsinstances") > 0, "{arguments:?}");
    }
}

#[test]
fn a_list_that_fails_is_never_a_clean_answer() {
    let Some(cluster) = hub::quotes() else { return };
    let mut broken = Vec::new();
    for arguments in CLEAN_ON_A_HEALTHY_HUB {
        let title = arguments.join(" ");
        // That an object is gone is in the list of its kind alone.
        let is_gone = arguments.contains(&"gone");
        let leave_out = |path: &str| {
            NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
                || is_gone && path.starts_with("/api") && path.len() > 5 && !path.ends_with("/rdsinstances")
                || NOT_CHECKED.iter().any(|plural| path.ends_with(plural))
        };
        let place = |_| {
            let proxy = Proxy::start(cluster).unwrap();
            let kubeconfig = proxy.kubeconfig().to_owned();
            Place::new("", vec![("core", proxy)], move |timeout| {
                let mut command = ucp(arguments.iter().copied().chain(["--request-timeout", timeout]));
                command.env("KUBECONFIG", &kubeconfig);
                command
            })
        };
        let needs_definitions = ["teardown", "conflicts"].contains(&arguments[0]);
        let warned = |path: &str, fault: &str| path == DEFINITIONS && fault == "403" && !needs_definitions;
        let matrix =
            Matrix { leave_out: &leave_out, warned: &warned, ..Matrix::new(&title, Promise::AnswerIsNotClean) };
        broken.extend(matrix.run((0..PLACES).map(place).collect()).1);
    }
    holds(&broken);
}

/// Commands that report something about a healthy hub, as documents.
const WHOLE: [&[&str]; 4] =
    [&["teardown", "--all"], &["doctor", "--severity", "warning"], &["drift"], &["drift", "--orphans"]];

fn places(cluster: &'static Cluster, arguments: &'static [&'static str]) -> Vec<Place<'static>> {
    let place = |_| {
        let proxy = Proxy::start(cluster).unwrap();
        let kubeconfig = proxy.kubeconfig().to_owned();
        Place::new("", vec![("core", proxy)], move |timeout| {
            let mut command = ucp(arguments.iter().copied().chain(["-o", "json", "--request-timeout", timeout]));
            command.env("KUBECONFIG", &kubeconfig);
            command
        })
    };
    (0..PLACES).map(place).collect()
}

#[test]
fn a_failing_list_never_adds_a_claim() {
    let Some(cluster) = hub::quotes() else { return };
    let mut broken = Vec::new();
    for arguments in WHOLE {
        let leave_out = |path: &str| {
            NOT_CHECKED.iter().any(|plural| path.ends_with(plural))
                || NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
        };
        let warned = |path: &str, fault: &str| {
            let is_denied = path == DEFINITIONS && fault == "403";
            // A server may not have every kind of Kubernetes itself, and no definition shows that it is hidden.
            let is_hidden =
                ["undiscovered", "unlisted"].contains(&fault) && path.contains(".k8s.io/") && path != DEFINITIONS;
            is_denied && !arguments.contains(&"--all") && !arguments.contains(&"--orphans") || is_hidden
        };
        let title = arguments.join(" ");
        let matrix =
            Matrix { leave_out: &leave_out, warned: &warned, ..Matrix::new(&title, Promise::NothingIsClaimed) };
        broken.extend(matrix.run(places(cluster, arguments)).1);
    }
    holds(&broken);
}

/// Lists with objects to which no other object of this hub refers: without objects, they are believed.
const BELIEVED: [&str; 6] =
    ["/configmaps", "/statefulsets", "/customresourcedefinitions", "/applications", "/services", "/syncers"];
/// Commands that read references to other objects; `conflicts` reads single managed resources.
const COMPARING: [&str; 3] = ["teardown", "doctor", "drift"];

/// A server that restarts, or a program in front of it, may answer with a list that has no objects and looks complete.
#[test]
fn an_empty_list_that_other_objects_contradict_is_never_a_clean_answer() {
    let Some(cluster) = hub::quotes() else { return };
    let counted: Mutex<BTreeMap<String, bool>> = Mutex::default();
    let is_filled = |path: &str| {
        let mut counted = counted.lock().unwrap();
        *counted.entry(path.to_owned()).or_insert_with(|| {
            let list = cluster.kubectl(["get", "--raw", &format!("{path}?limit=1")]).output().unwrap();
            let list: Value = serde_json::from_slice(&list.stdout).unwrap_or_default();
            list["items"].as_array().is_some_and(|items| !items.is_empty())
        })
    };
    let mut broken = Vec::new();
    for arguments in CLEAN_ON_A_HEALTHY_HUB.into_iter().filter(|arguments| COMPARING.contains(&arguments[0])) {
        let leave_out = |path: &str| {
            NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
                || BELIEVED.iter().any(|plural| path.ends_with(plural))
                || !is_filled(path)
        };
        let title = arguments.join(" ");
        let matrix = Matrix {
            leave_out: &leave_out,
            faults: &["emptied", "emptied500"],
            ..Matrix::new(&title, Promise::AnswerIsNotClean)
        };
        broken.extend(matrix.run(places(cluster, arguments)).1);
    }
    holds(&broken);
}

/// A composite with a database, and the objects that define and install its kind.
fn platform() -> Vec<Value> {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let defined = |group: &str, plural: &str, kind: &str, category: &str, owners: Value| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{group}"), "ownerReferences": owners},
            "spec": {"group": group, "scope": "Cluster", "names": {"kind": kind, "plural": plural, "categories": [category]},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]},
        })
    };
    let made = |version: &str, kind: &str, name: &str, rest: Value| {
        with(json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}}), &[rest])
    };
    let mut objects = provider_of("store", "disks.store.example.org", 1);
    objects.extend([
        defined("platform.example.org", "xstores", "XStore", "composite", json!([])),
        defined("store.example.org", "disks", "Disk", "managed", json!([])),
        defined("store.example.org", "providerconfigs", "ProviderConfig", "crossplane", json!([])),
        made("store.example.org/v1", "ProviderConfig", "default", json!({"spec": {"credentials": {"source": "InjectedIdentity"}}})),
        made(
            "apiextensions.crossplane.io/v1",
            "CompositeResourceDefinition",
            "xstores.platform.example.org",
            json!({"spec": {"group": "platform.example.org", "names": {"kind": "XStore", "plural": "xstores"},
                "versions": [{"name": "v1", "served": true, "referenceable": true, "schema": schema}]}}),
        ),
        made(
            "apiextensions.crossplane.io/v1alpha1",
            "ManagedResourceDefinition",
            "disks.store.example.org",
            json!({"spec": {"state": "Active", "group": "store.example.org", "scope": "Cluster",
                "names": {"kind": "Disk", "plural": "disks"}, "versions": [{"name": "v1", "served": true, "storage": true}]}}),
        ),
        made(
            "pkg.crossplane.io/v1",
            "Configuration",
            "platform",
            json!({"spec": {"package": "xpkg.example.org/a/b:v1"}}),
        ),
        made(
            "platform.example.org/v1",
            "XStore",
            "shop",
            json!({"spec": {
            "resourceRefs": [{"apiVersion": "store.example.org/v1", "kind": "Disk", "name": "shop"}]}}),
        ),
        made(
            "store.example.org/v1",
            "Disk",
            "shop",
            json!({"metadata": {"finalizers": ["finalizer.managedresource.crossplane.io"]}, "spec": {"forProvider": {"size": 1}}}),
        ),
    ]);
    objects
}

#[test]
fn a_definition_whose_objects_cannot_be_read_is_never_a_clean_answer() {
    const TARGETS: [&[&str]; 4] = [
        &["teardown", "crd/xstores.platform.example.org"],
        &["teardown", "compositeresourcedefinition/xstores.platform.example.org"],
        &["teardown", "managedresourcedefinition/disks.store.example.org"],
        &["teardown", "configuration/platform"],
    ];
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let Some(cluster) = CLUSTER.get_or_init(|| support::start(Options::named("unread-platform"))) else { return };
    support::run(async || load::load_objects(&cluster.client(), platform()).await).unwrap();
    let mut broken = Vec::new();
    for arguments in TARGETS {
        let title = arguments.join(" ");
        let matrix = Matrix::new(&title, Promise::AnswerIsNotClean);
        broken.extend(matrix.run(places(cluster, arguments)).1);
    }
    holds(&broken);
}

/// Definitions of composites and composites themselves show which kinds are served, without the definitions of Kubernetes.
#[test]
fn a_kind_that_others_refer_to_is_unread_while_discovery_omits_it() {
    let Some(cluster) = support::start(Options::named("hidden-claims")) else { return };
    let mut objects = platform();
    let mut claims =
        objects.iter().find(|one| one["metadata"]["name"] == "xstores.platform.example.org").unwrap().clone();
    claims["metadata"]["name"] = json!("stores.platform.example.org");
    claims["spec"]["names"] = json!({"kind": "Store", "plural": "stores", "categories": ["claim"]});
    for object in &mut objects {
        if object["kind"] == "XStore" {
            object["spec"]["claimRef"] = json!({"apiVersion": "platform.example.org/v1", "kind": "Store", "namespace": "default", "name": "shop"});
        }
        if object["kind"] == "CompositeResourceDefinition" {
            object["status"] = json!({"conditions": [{"type": "Established", "status": "True", "reason": "Watching"}]});
        }
    }
    objects.push(claims);
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let proxy = Proxy::start(&cluster).unwrap();
    let unread = || run(through(&proxy, &["status", "-o", "json"])).json()["unreadable"].to_string();
    assert!(!unread().contains("stores.platform.example.org"), "{}", unread());
    for plural in ["xstores", "stores"] {
        let path = format!("/apis/platform.example.org/v1/{plural}");
        rules(&path, "undiscovered").into_iter().for_each(|rule| proxy.add(rule));
        assert!(unread().contains(&format!("\"{plural}.platform.example.org\"")), "{}", unread());
        proxy.clear();
    }
}

/// An object whose deployer is of a hidden kind is not known to be an orphan, also while others of the engine are listed.
#[test]
fn orphans_of_a_hidden_kind_are_not_certain() {
    let Some(cluster) = hub::bad_day() else { return };
    let orphans = |proxy: &Proxy| {
        let mut command = ucp(["drift", "--orphans", "-o", "json"]);
        command.env("KUBECONFIG", proxy.kubeconfig());
        let ran = run(command).expect(1);
        let items = ran.json()["items"].as_array().unwrap().clone();
        let certain = |item: &&Value| item["layer"] == "orphan" && item["certainty"] == "certain";
        items.iter().filter(certain).count()
    };
    let proxy = Proxy::start(cluster).unwrap();
    assert_ne!(orphans(&proxy), 0);
    for path in [
        "/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations",
        "/apis/helm.toolkit.fluxcd.io/v2/helmreleases",
        "/apis/argoproj.io/v1alpha1/applications",
    ] {
        for fault in ["undiscovered", "unlisted"] {
            rules(path, fault).into_iter().for_each(|rule| proxy.add(rule));
            assert_eq!(orphans(&proxy), 0, "{path} {fault}");
            proxy.clear();
        }
    }
}

/// The verdict on a named object depends on its provider and on the Deployment of that.
#[test]
fn a_named_object_is_not_ok_while_the_kinds_of_its_controllers_are_hidden() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    let wait =
        |proxy: &Proxy| run(through(proxy, &["wait", "rdsinstance/aws-database-postgres-instance", "--timeout", "3s"]));
    wait(&proxy).expect(0);
    for path in [
        "/apis/pkg.crossplane.io/v1/providers",
        "/apis/pkg.crossplane.io/v1/providerrevisions",
        "/apis/apps/v1/deployments",
    ] {
        for fault in ["undiscovered", "unlisted"] {
            rules(path, fault).into_iter().for_each(|rule| proxy.add(rule));
            wait(&proxy).expect(4);
            proxy.clear();
        }
    }
}

/// The Secret of a provider config is requested by its name.
#[test]
fn the_fate_of_a_resource_whose_credentials_cannot_be_read_is_unknown() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    let plan =
        |proxy: &Proxy| run(through(proxy, &["teardown", "rdsinstance/aws-database-postgres-instance", "-o", "json"]));
    let fate = |document: &Value| document["items"][0]["fate"].clone();
    let secret = "/api/v1/namespaces/crossplane-system/secrets/aws-creds";
    assert_eq!(fate(&plan(&proxy).expect(0).json()), "deleted");
    assert_eq!(proxy.count(secret), 1);
    let missing = Fault::failure(404, "NotFound", "secrets \"aws-creds\" not found");
    for (path, fault, expected, code) in [
        // No answer of an API server about an object: it names nothing.
        (secret, missing, "unknown", 4),
        (secret, Fault::forbidden(), "unknown", 4),
        (secret, Fault::internal_error(), "unknown", 4),
        ("/apis/aws.crossplane.io/v1beta1/providerconfigs", Fault::forbidden(), "unknown", 4),
    ] {
        proxy.add(Rule::at(path, fault));
        assert_eq!(fate(&plan(&proxy).expect(code).json()), expected, "{path}");
        proxy.clear();
    }
}

#[test]
fn a_cluster_without_an_engine_is_not_checked() {
    let directory = tempfile::tempdir().unwrap();
    let config =
        serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}});
    let path = crate::support::objects::snapshot(&directory, "app.json", &[config]).unwrap();
    for arguments in [&["status", "--exit-code"][..], &["drift"], &["doctor"], &["conflicts"]] {
        let mut command = ucp(arguments.iter().copied());
        command.arg("--from").arg(&path);
        let ran = run(command).expect(4);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("core cluster?"), "{arguments:?}: {ran:?}");
    }
}
