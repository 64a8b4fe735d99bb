//! `teardown`: deleted, kept and blocking objects are predicted, and nothing is invented if everything is healthy.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{Ran, run, ucp};
use crate::support::hub::QUOTES;
use crate::support::objects::{controller, crossplane, index, object, provider_of, whole_snapshot, with};

fn teardown(objects: &[Value], arguments: &[&str]) -> (TempDir, Ran) {
    let directory = tempfile::tempdir().unwrap();
    let path = whole_snapshot(&directory, "core.json", objects).unwrap();
    let mut command = ucp(["teardown"]);
    command.args(arguments).arg("--from").arg(path);
    (directory, run(command))
}

const FINALIZER: &str = "finalizer.managedresource.crossplane.io";

fn bucket(name: &str, rest: Value) -> Value {
    with(
        object(
            "s3.aws.upbound.io/v1beta1",
            "Bucket",
            name,
            json!({
                "metadata": {"uid": name, "finalizers": [FINALIZER], "annotations": {"crossplane.io/external-name": format!("acme-{name}")}},
                "spec": {"forProvider": {"region": "eu-west-1", "forceDestroy": true}, "providerConfigRef": {"name": "default"}},
            }),
        ),
        &[rest],
    )
}

fn policies(list: &[&str]) -> Value {
    json!({"spec": {"managementPolicies": list}})
}

fn config() -> Value {
    object(
        "aws.upbound.io/v1beta1",
        "ProviderConfig",
        "default",
        json!({
            "metadata": {"finalizers": ["in-use.crossplane.io"]}, "spec": {"credentials": {"source": "InjectedIdentity"}},
        }),
    )
}

/// A provider of buckets, with so many replicas.
fn provider(ready: u32, wave: Option<&str>) -> Vec<Value> {
    let mut objects = provider_of("s3", "buckets.s3.aws.upbound.io", ready);
    if let Some(wave) = wave {
        let annotated = json!({"metadata": {"annotations": {"argocd.argoproj.io/sync-wave": wave}}});
        objects[0] = with(objects[0].clone(), &[annotated]);
    }
    objects
}

fn application(cascades: bool, resources: Value) -> Value {
    let finalizers = if cascades { json!(["resources-finalizer.argocd.argoproj.io"]) } else { json!([]) };
    object(
        "argoproj.io/v1alpha1",
        "Application",
        "shop",
        json!({
            "metadata": {"namespace": "argocd", "finalizers": finalizers},
            "spec": {"destination": {"server": "https://kubernetes.default.svc"}, "project": "default", "syncPolicy": {"automated": {"selfHeal": true}}},
            "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": resources},
        }),
    )
}

fn deployed(group: &str, version: &str, kind: &str, name: &str) -> Value {
    json!({"group": group, "version": version, "kind": kind, "name": name, "status": "Synced"})
}

fn a_bucket() -> Value {
    deployed("s3.aws.upbound.io", "v1beta1", "Bucket", "logs")
}

fn kustomization(spec: Value) -> Value {
    with(
        object(
            "kustomize.toolkit.fluxcd.io/v1",
            "Kustomization",
            "shop",
            json!({
                "metadata": {"namespace": "flux-system", "finalizers": ["finalizers.fluxcd.io"]}, "spec": {"prune": true},
                "status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}},
            }),
        ),
        &[json!({"spec": spec})],
    )
}

fn usage(by: Value) -> Value {
    object(
        "protection.crossplane.io/v1beta1",
        "ClusterUsage",
        "keep",
        json!({"spec": {
            "of": {"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "resourceRef": {"name": "logs"}}, "by": by, "reason": "audit",
        }}),
    )
}

fn claim_and_composite() -> Vec<Value> {
    vec![
        object(
            "platform.example.org/v1",
            "Database",
            "quotes",
            json!({
                "metadata": {"namespace": "team-a", "uid": "c", "finalizers": ["finalizer.apiextensions.crossplane.io"]},
                "spec": {"compositeDeletePolicy": "Background", "resourceRef": {"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": "quotes-x"}},
            }),
        ),
        object(
            "platform.example.org/v1",
            "XDatabase",
            "quotes-x",
            json!({
                "metadata": {"uid": "x", "labels": {"crossplane.io/claim-name": "quotes", "crossplane.io/claim-namespace": "team-a"}},
                "spec": {
                    "claimRef": {"apiVersion": "platform.example.org/v1", "kind": "Database", "namespace": "team-a", "name": "quotes"},
                    "resourceRefs": [{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "name": "logs"}],
                },
            }),
        ),
        bucket(
            "logs",
            json!({"metadata": {"labels": {"crossplane.io/composite": "quotes-x"}, "ownerReferences": [
                {"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": "quotes-x", "uid": "x", "controller": true},
            ]}}),
        ),
    ]
}

struct Situation {
    name: &'static str,
    objects: Vec<Value>,
    target: &'static [&'static str],
    /// The fate of the bucket `logs`, or of the target where there is none, and a part of the reason.
    fate: &'static str,
    reason: &'static str,
    codes: &'static [&'static str],
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn situations() -> Vec<Situation> {
    let case = |name, objects: Vec<Value>, target, fate, reason, codes| Situation {
        name,
        objects,
        target,
        fate,
        reason,
        codes,
    };
    let one = |name, rest: Value, fate, reason, codes| Situation {
        name,
        objects: vec![bucket("logs", rest)],
        target: &["bucket/logs"],
        fate,
        reason,
        codes,
    };
    let orphan = || json!({"spec": {"deletionPolicy": "Orphan"}});
    let both = |wave: Option<&str>, of_bucket: &str| {
        let mut objects = provider(1, wave);
        objects.push(crossplane());
        objects.push(controller("StatefulSet", ("argocd", "argocd-application-controller"), "argocd"));
        objects.push(controller("Deployment", ("argocd", "argocd-repo-server"), "argocd"));
        objects.push(bucket("logs", json!({"metadata": {"annotations": {"argocd.argoproj.io/sync-wave": of_bucket}}})));
        objects.push(application(true, json!([a_bucket(), deployed("pkg.crossplane.io", "v1", "Provider", "s3")])));
        objects
    };
    vec![
        one("full control", json!({}), "deleted", "", &[]),
        one("deletionPolicy Orphan", orphan(), "orphaned", "deletionPolicy is Orphan", &["UCP911"]),
        one("no Delete", policies(&["Observe", "Create", "Update"]), "orphaned", "do not allow Delete", &["UCP911"]),
        one("Delete on purpose", with(orphan(), &[policies(&["Observe", "Delete"])]), "deleted", "", &[]),
        one("observed only", policies(&["Observe"]), "left", "do not allow Delete", &[]),
        one(
            "paused",
            json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}}),
            "stuck",
            "it is paused",
            &["UCP914"],
        ),
        one("no policies", policies(&[]), "stuck", "it is paused", &["UCP914"]),
        one(
            "protected",
            json!({"spec": {"forProvider": {"deletionProtection": true}}}),
            "stuck",
            "deletionProtection is true",
            &["UCP916"],
        ),
        case(
            "retained by ack",
            vec![object(
                "s3.services.k8s.aws/v1alpha1",
                "Bucket",
                "logs",
                json!({"metadata": {"annotations": {"services.k8s.aws/deletion-policy": "retain"}}, "spec": {"name": "x"}}),
            )],
            &["bucket/logs"],
            "orphaned",
            "retain",
            &["UCP911"],
        ),
        case(
            "a provider that runs",
            [provider(1, None), vec![bucket("logs", json!({}))]].concat(),
            &["bucket/logs"],
            "deleted",
            "",
            &[],
        ),
        case(
            "a provider that does not run",
            [provider(0, None), vec![bucket("logs", json!({}))]].concat(),
            &["bucket/logs"],
            "stuck",
            "is not running",
            &["UCP912"],
        ),
        case(
            "a provider that does not run, and no finalizer",
            [provider(0, None), vec![bucket("logs", json!({"metadata": {"finalizers": []}}))]].concat(),
            &["bucket/logs"],
            "orphaned",
            "is not running",
            &["UCP911"],
        ),
        case(
            "the provider itself",
            [provider(1, None), vec![bucket("logs", json!({}))]].concat(),
            &["provider/s3"],
            "stuck",
            "is deleted first",
            &["UCP913"],
        ),
        case(
            "the provider config itself",
            vec![bucket("logs", json!({})), config()],
            &["providerconfig/default"],
            "stuck",
            "1 managed resources use it",
            &["UCP917"],
        ),
        case(
            "a usage that protects",
            vec![bucket("logs", json!({})), usage(Value::Null)],
            &["bucket/logs"],
            "stuck",
            "refuses its deletion: audit",
            &["UCP915"],
        ),
        case(
            "a usage by somebody who stays",
            vec![
                bucket("logs", json!({})),
                bucket("other", json!({})),
                usage(
                    json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "resourceRef": {"name": "other"}}),
                ),
            ],
            &["bucket/logs"],
            "stuck",
            "bucket.s3.aws.upbound.io/other uses it",
            &["UCP915"],
        ),
        case(
            "a usage by somebody who goes",
            vec![
                bucket("logs", json!({})),
                bucket("other", json!({})),
                usage(
                    json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "resourceRef": {"name": "other"}}),
                ),
            ],
            &["bucket/logs", "bucket/other"],
            "deleted",
            "",
            &[],
        ),
        case("a claim", claim_and_composite(), &["database/quotes", "-n", "team-a"], "deleted", "", &[]),
        case("a part of a composite", claim_and_composite(), &["bucket/logs"], "deleted", "", &["UCP910"]),
        case(
            "an application that cascades",
            vec![application(true, json!([a_bucket()])), bucket("logs", json!({}))],
            &["application/shop"],
            "deleted",
            "",
            &[],
        ),
        case(
            "an application without a finalizer",
            vec![application(false, json!([a_bucket()])), bucket("logs", json!({}))],
            &["application/shop"],
            "kept",
            "no finalizer",
            &[],
        ),
        case(
            "a paused resource of an application without a finalizer",
            vec![
                application(false, json!([a_bucket()])),
                bucket("logs", json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}})),
            ],
            &["application/shop"],
            "kept",
            "no finalizer",
            &[],
        ),
        case(
            "Delete=false",
            vec![
                application(true, json!([a_bucket()])),
                bucket(
                    "logs",
                    json!({"metadata": {"annotations": {"argocd.argoproj.io/sync-options": "Delete=false"}}}),
                ),
            ],
            &["application/shop"],
            "kept",
            "Delete=false",
            &[],
        ),
        case(
            "Delete=confirm",
            vec![
                application(true, json!([a_bucket()])),
                bucket(
                    "logs",
                    json!({"metadata": {"annotations": {"argocd.argoproj.io/sync-options": "Delete=confirm"}}}),
                ),
            ],
            &["application/shop"],
            "stuck",
            "Delete=confirm",
            &["UCP918"],
        ),
        case(
            "what an application heals",
            vec![application(true, json!([a_bucket()])), bucket("logs", json!({}))],
            &["bucket/logs"],
            "deleted",
            "",
            &["UCP910"],
        ),
        case(
            "provider and bucket at once",
            both(None, "0"),
            &["application/shop"],
            "stuck",
            "is deleted first",
            &["UCP913"],
        ),
        case("the bucket in a later wave", both(Some("-2"), "3"), &["application/shop"], "deleted", "", &[]),
        case(
            "a kustomization that prunes",
            vec![
                kustomization(json!({})),
                bucket(
                    "logs",
                    json!({"metadata": {"labels": {
                        "kustomize.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
                    }}}),
                ),
            ],
            &["kustomization/shop"],
            "deleted",
            "",
            &[],
        ),
        case(
            "a kustomization that does not prune",
            vec![kustomization(json!({"prune": false})), bucket("logs", json!({}))],
            &["kustomization/shop"],
            "kept",
            "spec.prune",
            &[],
        ),
        case(
            "a kustomization that orphans",
            vec![kustomization(json!({"deletionPolicy": "Orphan"})), bucket("logs", json!({}))],
            &["kustomization/shop"],
            "kept",
            "is Orphan",
            &[],
        ),
        case(
            "a suspended kustomization",
            vec![kustomization(json!({"suspend": true})), bucket("logs", json!({}))],
            &["kustomization/shop"],
            "kept",
            "is suspended",
            &[],
        ),
        case(
            "all of it",
            [provider(1, None), vec![bucket("logs", json!({})), config()]].concat(),
            &["--all"],
            "deleted",
            "",
            &[],
        ),
        case(
            "all of it, with an orphan",
            [provider(1, None), vec![bucket("logs", orphan())]].concat(),
            &["--all"],
            "orphaned",
            "deletionPolicy is Orphan",
            &["UCP911"],
        ),
    ]
}

#[test]
fn every_situation_is_predicted_and_none_is_invented() {
    for Situation { name, objects, target, fate, reason, codes } in situations() {
        let (_directory, ran) = teardown(&objects, &[target, &["-o", "json"]].concat());
        let trouble = matches!(fate, "stuck" | "orphaned");
        let document = ran.expect(i32::from(trouble)).json();
        let items = document["items"].as_array().unwrap();
        let logs = items.iter().find(|item| item["object"]["name"] == "logs");
        let item = logs.filter(|_| !name.starts_with("the provider config")).unwrap_or(&items[0]);
        assert_eq!(item["fate"], fate, "{name}: {document}");
        assert!(item["reason"].as_str().unwrap_or_default().contains(reason), "{name}: {item}");
        let reported: Vec<_> =
            document["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        assert_eq!(reported, codes, "{name}: {document}");
        assert_eq!(document["counts"][fate].as_u64().map(|number| number > 0), Some(true), "{name}: {document}");
    }
}

/// Those who would start others again come before them, and nothing that is stopped is deleted.
#[test]
fn objects_that_would_recreate_others_are_stopped_in_order() {
    let set = object(
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "a-set",
        json!({"metadata": {"namespace": "argocd", "uid": "s"}, "spec": {}}),
    );
    let named =
        |name: &str, rest: Value| with(application(true, json!([])), &[json!({"metadata": {"name": name}}), rest]);
    let deploys = |what: Value| json!({"status": {"resources": [what]}});
    let app = |name: &str| json!({"group": "argoproj.io", "version": "v1alpha1", "kind": "Application", "namespace": "argocd", "name": name, "status": "Synced"});
    let of_set = json!({"metadata": {"ownerReferences": [
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "a-set", "uid": "s", "controller": true},
    ]}});
    let shop = |rest: Value| vec![named("a-shop", with(deploys(a_bucket()), &[rest])), bucket("logs", json!({}))];
    let stop = |name: &str| {
        format!(
            r#"kubectl patch application.argoproj.io/{name} -n argocd --type=merge -p '{{"spec":{{"syncPolicy":{{"automated":null}}}}}}'"#
        )
    };
    let template = r#"kubectl patch applicationset.argoproj.io/a-set -n argocd --type=merge -p '{"spec":{"template":{"spec":{"syncPolicy":{"automated":null}}}}}'"#;
    let edit = "kubectl edit applicationset.argoproj.io/a-set -n argocd # remove it from the generated objects";
    let (root, above) = (named("z-root", deploys(app("y-above"))), named("y-above", deploys(app("a-shop"))));
    let generated = [shop(of_set.clone()), vec![set.clone()]].concat();
    // A set is from Git, too: a change to it is reverted.
    let mut a_set = app("a-set");
    a_set["kind"] = json!("ApplicationSet");
    let from_above = [generated.clone(), vec![named("z-root", deploys(a_set))]].concat();
    let platform = json!({"metadata": {"name": "platform"}, "status": {"inventory": {"entries":
        [{"id": "argocd_a-set_argoproj.io_ApplicationSet", "v": "v1alpha1"}]}}});
    let by_flux = [shop(of_set), vec![set, with(kustomization(json!({})), &[platform])]].concat();
    for (objects, target, expected) in [
        (
            [shop(json!({})), vec![above, root]].concat(),
            &["bucket/logs"][..],
            vec![stop("z-root"), stop("y-above"), stop("a-shop")],
        ),
        (generated.clone(), &["bucket/logs"], vec![template.to_owned()]),
        // The bucket has to be deleted before its provider, and would come back.
        ([provider(1, None), shop(json!({}))].concat(), &["provider/s3"], vec![stop("a-shop")]),
        (generated.clone(), &["--all"], vec![template.to_owned()]),
        (from_above.clone(), &["bucket/logs"], vec![stop("z-root"), template.to_owned()]),
        (from_above, &["application/a-shop", "-n", "argocd"], vec![stop("z-root"), edit.to_owned()]),
        (
            by_flux,
            &["bucket/logs"],
            vec!["flux suspend kustomization platform -n flux-system".to_owned(), template.to_owned()],
        ),
        (generated, &["application/a-shop", "-n", "argocd"], vec![edit.to_owned()]),
        (
            claim_and_composite(),
            &["bucket/logs"],
            vec![
                "kubectl annotate xdatabase.platform.example.org/quotes-x crossplane.io/paused=true --overwrite"
                    .to_owned(),
            ],
        ),
    ] {
        let (_directory, ran) = teardown(&objects, &[target, &["-o", "json"]].concat());
        let step = &ran.json()["steps"][0];
        assert_eq!(
            (&step["title"], &step["commands"]),
            (&json!("Stop the objects that would create it again"), &json!(expected)),
            "{target:?}: {ran:?}"
        );
    }
}

#[test]
fn a_healthy_hub_is_deleted_in_order() {
    // The app clusters were not read, so resources that they leave behind are unknown.
    let directory = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(QUOTES).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), directory.path().join(file.file_name())).unwrap();
    }
    let path = directory.path().to_str().unwrap();
    // Without an index, the files may have only a part of it.
    let text = run(ucp(["teardown", "--all", "--from", path, "-o", "wide"])).expect(4).stdout;
    assert!(text.contains("the objects of the core cluster: ") && !text.contains("Delete packages"), "{text}");
    std::fs::write(directory.path().join("ucp-snapshot.yaml"), index("2026-11-01T09:00:00Z", "")).unwrap();
    let text = run(ucp(["teardown", "--all", "--from", path, "-o", "wide"])).expect(4).stdout;
    let order = [
        "Stop the objects that would create it again",
        "In each app cluster",
        "Delete the other resources",
        "Delete provider configs",
        "Delete packages",
        "Uninstall Crossplane",
        "Remove Argo CD and Flux",
    ];
    let places: Vec<_> =
        order.iter().map(|title| text.find(title).unwrap_or_else(|| panic!("no {title}: {text}"))).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains("Stuck:") && !text.contains("Orphaned:") && !text.contains("--dry-run"), "{text}");
}

#[test]
fn the_text_lists_the_steps_in_order() {
    let objects = [provider(1, None), vec![bucket("logs", json!({}))]].concat();
    let (_directory, ran) = teardown(&objects, &["provider/s3"]);
    let text = ran.expect(1).stdout;
    assert!(text.starts_with("With provider.pkg.crossplane.io/s3: 1 stuck, 3 removed.\n\nStuck: "), "{text}");
    let (first, then) = (
        "kubectl delete bucket.s3.aws.upbound.io/logs\n",
        "kubectl delete provider.pkg.crossplane.io/s3 --wait=false\n",
    );
    assert!(text.find(first) < text.find(then) && text.contains(first), "{text}");
    let several = [objects.clone(), vec![bucket("more", json!({}))]].concat();
    let (_directory, ran) = teardown(&several, &["provider/s3"]);
    let together = "  provider.pkg.crossplane.io/s3 is deleted first, and then nothing releases its finalizer:\n    \
                    bucket.s3.aws.upbound.io/logs = acme-logs (0s old)\n    bucket.s3.aws.upbound.io/more = acme-more (0s old)\n";
    let text = ran.expect(1).stdout;
    assert!(text.contains(together), "{text}");
    let (_directory, ran) = teardown(&objects, &["provider/gcp"]);
    assert!(ran.expect(3).stderr.contains("provider/gcp does not exist"));
    let (_directory, ran) = teardown(&objects, &["s3"]);
    assert!(ran.expect(1).stdout.contains("provider.pkg.crossplane.io/s3"));
    let (_directory, ran) = teardown(&objects, &["provider/"]);
    assert!(ran.expect(2).stderr.contains("the object has no name"));
    let (_directory, ran) = teardown(&objects, &["provider/s3", "-o", "markdown"]);
    assert!(ran.expect(1).stdout.contains("### Stuck"));
}

/// A file of some objects shows nothing of the others.
#[test]
fn a_composed_object_that_a_snapshot_does_not_have_is_unknown() {
    let mut objects = claim_and_composite();
    let logs = json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "name": "logs"});
    let lost = json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "name": "lost"});
    objects[1]["spec"]["resourceRefs"] = json!([logs, lost]);
    let (_directory, ran) = teardown(&objects, &["xdatabase/quotes-x"]);
    let text = ran.expect(4).stdout;
    assert!(
        text.contains("bucket.s3.aws.upbound.io/lost: it is also deleted, but it is not in the snapshot"),
        "{text}"
    );
    assert!(!text.contains("kubectl delete"), "{text}");
}
