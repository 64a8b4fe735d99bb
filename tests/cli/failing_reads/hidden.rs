//! Kinds that discovery omits although the server defines them.

use serde_json::{Value, json};

use super::rules;
use crate::support::command::run;
use crate::support::hub;
use crate::support::objects::object;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Options, load};
use crate::weather::through;

/// No object refers to a deployer.
#[test]
fn a_defined_group_that_is_missing_in_discovery_is_unread() {
    let Some(cluster) = support::start(Options::named("hidden-group")) else { return };
    let kustomization = object(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "shop",
        json!({
            "metadata": {"namespace": "default"},
            "spec": {"interval": "1h", "path": ".", "prune": true, "suspend": true, "sourceRef": {"kind": "GitRepository", "name": "shop"}},
        }),
    );
    support::run(async || load::load_objects(&cluster.client(), vec![kustomization]).await).unwrap();
    let proxy = Proxy::start(&cluster).unwrap();
    let path = "/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations";
    let status = || {
        let ran = run(through(&proxy, &["status", "-o", "json"]));
        (ran.code, format!("{}{}", ran.stdout, ran.stderr))
    };
    let (_, healthy) = status();
    assert!(healthy.contains("ustomization") && !healthy.contains("though it is defined"), "{healthy}");
    for fault in ["undiscovered", "unlisted"] {
        rules(path, fault).into_iter().for_each(|rule| proxy.add(rule));
        let (code, text) = status();
        assert!(text.contains("kustomizations.kustomize.toolkit.fluxcd.io"), "{fault}: {text}");
        assert_eq!(code, Some(4), "{fault}: {text}");
        // Most tenants may not read definitions: discovery is trusted, with a warning.
        proxy.add(Rule::at("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", Fault::forbidden()));
        let (_, text) = status();
        assert!(text.contains("whether the server lists every kind is unknown"), "{fault}: {text}");
        proxy.clear();
    }
}

/// A tree reads few kinds: those that discovery omits, and lists without objects, are not missing without a word.
#[test]
fn a_tree_without_a_kind_of_its_objects_is_incomplete() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    let tree = || run(through(&proxy, &["tree", "provider/provider-gcp", "-o", "json"]));
    let revisions = |document: &Value| document["nodes"].to_string().matches("ProviderRevision").count();
    assert_ne!(revisions(&tree().expect(0).json()), 0);
    for fault in ["undiscovered", "emptied"] {
        rules("/apis/pkg.crossplane.io/v1/providerrevisions", fault).into_iter().for_each(|rule| proxy.add(rule));
        let document = tree().expect(4).json();
        assert!(
            document["unreadable"].to_string().contains("providerrevisions.pkg.crossplane.io"),
            "{fault}: {document:#}"
        );
        proxy.clear();
    }
}
