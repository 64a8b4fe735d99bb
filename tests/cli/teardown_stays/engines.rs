//! Objects that Argo CD and Flux keep, or may not delete.

use serde_json::{Value, json};

use super::{
    Case, account, application, as_account, bucket, by_flux, check, controller, kustomization, other, owned, project,
};
use crate::support::objects::{object, with};
use crate::teardown_kinds::{fate, teardown};

#[test]
fn flux_keeps_objects_that_it_may_not_delete() {
    let namespace = object("v1", "Namespace", "flux", json!({"metadata": {"uid": "ns"}}));
    let case = |name, objects, target, fates, code| Case { name, objects, target, fates, code };
    let one = &["kustomization/shop", "-n", "flux"][..];
    let default = other("v1", "ServiceAccount", "flux");
    let logs = || bucket("logs", by_flux());
    let foreign = bucket("logs", json!({}));
    check(vec![
        case("labelled", vec![kustomization(json!({})), logs()], one, &[("logs", "deleted")], None),
        case("without labels", vec![kustomization(json!({})), foreign], one, &[("logs", "kept")], None),
        case(
            "ssa is Ignore",
            vec![
                kustomization(json!({})),
                with(logs(), &[json!({"metadata": {"annotations": {"kustomize.toolkit.fluxcd.io/ssa": "Ignore"}}})]),
            ],
            one,
            &[("logs", "kept")],
            None,
        ),
        case(
            "with its account",
            vec![kustomization(as_account()), account(), logs()],
            one,
            &[("logs", "deleted")],
            None,
        ),
        case(
            "without its account",
            vec![kustomization(as_account()), default.clone(), logs()],
            one,
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "without the account that the controller impersonates by default",
            vec![
                kustomization(json!({})),
                controller("kustomize-controller", "flux-system", &["--default-service-account=team"]),
                controller("source-controller", "flux-system", &[]),
                default.clone(),
                logs(),
            ],
            one,
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "a Deployment of a tenant decides nothing",
            vec![
                kustomization(json!({})),
                controller("kustomize-controller", "flux-system", &[]),
                controller("source-controller", "flux-system", &[]),
                controller("kustomize-controller", "tenant", &["--default-service-account=team"]),
                default,
                logs(),
            ],
            one,
            &[("logs", "deleted")],
            None,
        ),
        case(
            "with the namespace of its account",
            vec![namespace, kustomization(as_account()), account(), logs()],
            &["namespace/flux"],
            &[("shop", "stuck"), ("logs", "kept")],
            Some("UCP919"),
        ),
        case(
            "the account itself",
            vec![kustomization(as_account()), account(), logs()],
            &["serviceaccount/tenant", "-n", "flux"],
            &[],
            Some("UCP920"),
        ),
    ]);
    // The account was not read.
    let document = teardown(&[kustomization(as_account()), logs()], one).expect(4).json();
    assert!(document["unreadable"].to_string().contains("serviceaccount/tenant"), "{document:#}");
}

#[test]
fn argo_cd_keeps_objects_not_permitted_by_its_project_or_never_applied() {
    let all = json!([{"group": "*", "kind": "*"}]);
    let whole =
        || project(json!({"clusterResourceWhitelist": all, "destinations": [{"server": "*", "namespace": "*"}]}));
    let out_of_sync = || {
        json!({"status": {"resources": [
            {"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "OutOfSync"},
        ]}})
    };
    let tracked =
        json!({"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "shop:s3.aws.upbound.io/Bucket:/logs"}}});
    let logs = || bucket("logs", json!({}));
    let case = |name, objects, fates, code| Case { name, objects, target: &["application/shop"], fates, code };
    check(vec![
        case("permitted", vec![application(json!({})), whole(), logs()], &[("logs", "deleted")], None),
        case(
            "without its project",
            vec![application(json!({})), other("argoproj.io/v1alpha1", "AppProject", "argocd"), logs()],
            &[("shop", "stuck"), ("logs", "kept")],
            Some("UCP912"),
        ),
        case(
            "not permitted",
            vec![application(json!({})), project(json!({"destinations": [{"server": "*", "namespace": "*"}]})), logs()],
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "never applied",
            vec![application(out_of_sync()), whole(), logs()],
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "changed",
            vec![application(out_of_sync()), whole(), bucket("logs", tracked)],
            &[("logs", "deleted")],
            None,
        ),
        case(
            "rules that are not covered",
            vec![
                application(json!({})),
                project(json!({"clusterResourceWhitelist": [{"group": "[a-z]*", "kind": "*"}]})),
                logs(),
            ],
            &[("logs", "unknown")],
            Some("UCP922"),
        ),
    ]);
}

#[test]
fn an_application_set_that_may_not_delete_releases_its_applications() {
    let set = |policy: &str, finalizers: Value| {
        object(
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            "apps",
            json!({
                "metadata": {"namespace": "argocd", "uid": "set", "finalizers": finalizers},
                "spec": {"syncPolicy": {"applicationsSync": policy}},
            }),
        )
    };
    let finalizer = || json!(["resources-finalizer.argocd.argoproj.io"]);
    for (policy, finalizers, expected) in [
        ("create-only", finalizer(), "kept"),
        ("create-update", finalizer(), "kept"),
        ("create-delete", finalizer(), "deleted"),
        ("sync", finalizer(), "deleted"),
        // Nothing removes the ownerReferences.
        ("create-only", json!([]), "deleted"),
    ] {
        let set = set(policy, finalizers);
        let app = application(owned(&set));
        let document = teardown(&[set, app, bucket("logs", json!({}))], &["applicationset/apps"]).json();
        let (app, logs) = (fate(&document, "shop"), fate(&document, "logs"));
        assert_eq!(
            (app == "kept", logs == "deleted"),
            (expected == "kept", expected == "deleted"),
            "{policy}: {document:#}"
        );
    }
}

#[test]
fn deleting_a_source_or_a_registration_in_use_is_reported() {
    let repository = object(
        "source.toolkit.fluxcd.io/v1",
        "GitRepository",
        "repo",
        json!({"metadata": {"namespace": "flux"}, "spec": {"url": "https://git.example.org/a"}}),
    );
    let elsewhere = |name: &str| application(json!({"spec": {"destination": {"server": null, "name": name}}}));
    let registration = object(
        "v1",
        "Secret",
        "prod",
        json!({
            "metadata": {"namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
            "data": {"name": "cHJvZA==", "server": "aHR0cHM6Ly9wcm9kLmV4YW1wbGUub3Jn"},
        }),
    );
    let kubeconfig =
        object("v1", "Secret", "kubeconfig", json!({"metadata": {"namespace": "flux"}, "data": {"value": "eA=="}}));
    let remote = kustomization(json!({"spec": {"kubeConfig": {"secretRef": {"name": "kubeconfig"}}}}));
    let case = |name, objects, target, code| Case { name, objects, target, fates: &[], code };
    check(vec![
        case(
            "a source",
            vec![repository, kustomization(json!({}))],
            &["gitrepository/repo", "-n", "flux"],
            Some("UCP920"),
        ),
        case(
            "a registration",
            vec![registration.clone(), elsewhere("prod")],
            &["secret/prod", "-n", "argocd"],
            Some("UCP920"),
        ),
        case("of another cluster", vec![registration, elsewhere("stage")], &["secret/prod", "-n", "argocd"], None),
        case("a kubeconfig", vec![kubeconfig, remote], &["secret/kubeconfig", "-n", "flux"], Some("UCP920")),
    ]);
}
