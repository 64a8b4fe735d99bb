//! Objects that Git alone would not restore.

use serde_json::{Value, json};

use super::platform::{Platform, application, crd, with_argo_cd, with_flux, with_variables, yaml};
use crate::support::command::{CANARY, Ran, run, ucp};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Options};

const RDS: &str = "rds.aws.upbound.io/v1beta1";

/// A managed resource as a provider left it.
fn managed(api_version: &str, kind: &str, name: &str, external: &str, spec: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": name, "annotations": {"crossplane.io/external-name": external}}, "spec": spec,
    })
}

pub(super) fn secret(namespace: &str, name: &str, keys: &[&str], more: Value) -> Value {
    let data: Value = keys.iter().map(|key| ((*key).to_owned(), json!("Y2FuYXJ5"))).collect();
    let mut metadata = json!({"namespace": namespace, "name": name});
    metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": metadata, "data": data})
}

pub(super) fn written_by(manager: &str) -> Value {
    json!({"managedFields": [{"manager": manager, "operation": "Update", "fieldsV1": {"f:data": {"f:password": {}}}}]})
}

/// Objects that the repository declares in addition to the platform.
fn declared() -> Vec<Value> {
    let instance = |name: &str, more: Value| {
        let mut spec = json!({"forProvider": {"region": "eu-west-1"},
            "writeConnectionSecretToRef": {"namespace": "db", "name": format!("{name}-conn")}});
        spec["forProvider"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"apiVersion": RDS, "kind": "Instance", "metadata": {"name": name}, "spec": spec})
    };
    let mut named = instance("named", json!({}));
    named["metadata"]["annotations"] = json!({"crossplane.io/external-name": "db-0123"});
    vec![
        instance("orders", json!({})),
        named,
        instance(
            "made-up",
            json!({"autoGeneratePassword": true,
            "passwordSecretRef": {"namespace": "db", "name": "made-up", "key": "password"}}),
        ),
        json!({"apiVersion": "example.org/v1", "kind": "XDatabase", "metadata": {"name": "quotes"},
            "spec": {"crossplane": {"compositionRef": {"name": "databases"}}}}),
        json!({"apiVersion": "s3.services.k8s.aws/v1alpha1", "kind": "Bucket",
            "metadata": {"name": "assets", "namespace": "db"}, "spec": {"name": "assets"}}),
        json!({"apiVersion": "s3.services.k8s.aws/v1alpha1", "kind": "Bucket", "metadata": {"name": "read", "namespace": "db",
            "annotations": {"services.k8s.aws/read-only": "true"}}, "spec": {"name": "read"}}),
        json!({"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret",
            "metadata": {"name": "sealed", "namespace": "db"}, "spec": {"encryptedData": {}}}),
        json!({"apiVersion": "resourcemanager.cnrm.cloud.google.com/v1beta1", "kind": "Folder",
            "metadata": {"name": "teams", "namespace": "db"}, "spec": {"displayName": "teams"}}),
        json!({"apiVersion": "storage.cnrm.cloud.google.com/v1beta1", "kind": "StorageBucket",
            "metadata": {"name": "logs", "namespace": "db"}, "spec": {}}),
        secret("db", "partly", &["known"], json!({})),
    ]
}

/// The cluster before it was lost: declared objects, as controllers left them, and undeclared ones.
fn before() -> Vec<Value> {
    let mut objects = declared();
    for (index, external) in [(0, "orders-7fx"), (1, "db-0123"), (2, "made-up")] {
        objects[index]["metadata"]["annotations"] = json!({"crossplane.io/external-name": external});
    }
    // The name that an engine gives an external resource may contain a secret.
    objects[4]["status"] =
        json!({"ackResourceMetadata": {"arn": format!("https://admin:{CANARY}@s3.example.org/assets")}});
    let mut composed = managed(RDS, "Instance", "quotes-x7k2p", "quotes-x7k2p", json!({"forProvider": {}}));
    composed["metadata"]["generateName"] = json!("quotes-");
    composed["metadata"]["ownerReferences"] = json!([{"apiVersion": "example.org/v1", "kind": "XDatabase",
        "name": "quotes", "uid": "1", "controller": true}]);
    objects[3]["spec"]["crossplane"]["resourceRefs"] =
        json!([{"apiVersion": RDS, "kind": "Instance", "name": "quotes-x7k2p"}]);
    // One identifier was made up by Google, the other is the name.
    objects[7]["spec"]["resourceID"] = json!("123456");
    objects[8]["spec"]["resourceID"] = json!("logs");
    objects[9] = secret(
        "db",
        "partly",
        &["known", "added"],
        json!({"managedFields": [
        {"manager": "kubectl-patch", "fieldsV1": {"f:data": {"f:added": {}}}},
        {"manager": "argocd-controller", "fieldsV1": {"f:data": {"f:known": {}}}}]}),
    );
    let mut going = managed(RDS, "Instance", "going", "going", json!({"forProvider": {}}));
    going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let connection = |mut secret: Value, owner: &str| {
        secret["type"] = json!("connection.crossplane.io/v1alpha1");
        secret["metadata"]["ownerReferences"] =
            json!([{"apiVersion": RDS, "kind": "Instance", "name": owner, "uid": "1", "controller": true}]);
        secret
    };
    let label = |key: &str, value: &str| json!({"labels": {key: value}});
    objects.extend([
        composed,
        going,
        managed(RDS, "Instance", "forgotten", "forgotten", json!({"forProvider": {}})),
        managed(RDS, "Instance", "watched", "w", json!({"managementPolicies": ["Observe"], "forProvider": {}})),
        connection(secret("db", "orders-conn", &["endpoint", "password"], json!({})), "orders"),
        connection(secret("db", "named-conn", &["endpoint", "port"], json!({})), "named"),
        secret("db", "made-up", &["password"], json!({})),
        secret("db", "by-hand", &["password"], written_by("kubectl-create")),
        secret("db", "by-hand-in-part", &["password"], json!({"managedFields": [
            {"manager": "k9s", "fieldsV1": {"f:data": {"f:password": {}}}},
            {"manager": "cert-manager", "fieldsV1": {"f:data": {"f:other": {}}}}]})),
        secret("db", "by-controller", &["password"], written_by("cert-manager")),
        secret("flux-system", "prod-kubeconfig", &["value"], json!({
            "labels": {"app.kubernetes.io/managed-by": "kubectl-ucp"},
            "annotations": {"kubectl-ucp.io/cluster": "prod", "kubectl-ucp.io/auth": "service-account"}})),
        secret("kube-system", "key", &["tls.key"], label("sealedsecrets.bitnami.com/sealed-secrets-key", "active")),
        secret("crossplane-system", "tfstate-default-a", &["tfstate"], label("tfstate", "true")),
        secret("argocd", "platform", &["password"], label("argocd.argoproj.io/secret-type", "repository")),
        secret("argocd", "other", &["name", "server", "config"], label("argocd.argoproj.io/secret-type", "cluster")),
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "clicked", "namespace": "argocd"},
            "spec": {"project": "default", "destination": {"server": "https://kubernetes.default.svc"}, "source": {"repoURL": "https://a.example.org/b"}}}),
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "default", "namespace": "argocd"}, "spec": {}}),
    ]);
    objects
}

pub(super) fn rehearse(platform: &Platform, objects: &[Value], arguments: &[&str]) -> Ran {
    let snapshot = tempfile::tempdir().unwrap();
    std::fs::write(snapshot.path().join("objects.yaml"), yaml(objects)).unwrap();
    let mut command = ucp(["bootstrap", "--rehearse", "--from"]);
    command.arg(snapshot.path()).args(arguments).current_dir(platform.path());
    run(command)
}

/// `outcome kind/name` of each item.
pub(super) fn outcomes(document: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |item: &Value| {
        format!("{} {}/{}", text(&item["outcome"]), text(&item["object"]["kind"]), text(&item["object"]["name"]))
    };
    document["items"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_rehearsal_reports_objects_that_git_does_not_restore() {
    let platform = with_argo_cd();
    platform.write("clusters/databases.yaml", &yaml(&declared()));
    let ran = rehearse(&platform, &before(), &["-o", "json"]).expect(1);
    ran.hides_secrets();
    let document = ran.json();
    assert_eq!(
        outcomes(&document),
        [
            "lost Application/clicked",
            "lost Instance/watched",
            "lost Secret/tfstate-default-a",
            "lost Secret/by-hand",
            "lost Secret/by-hand-in-part",
            "lost Secret/made-up",
            "lost Secret/orders-conn",
            "lost Secret/partly",
            "lost Secret/key",
            "orphaned Instance/forgotten",
            "orphaned Instance/going",
            "duplicated Instance/orders",
            "duplicated Instance/quotes-x7k2p",
            "duplicated Folder/teams",
            "duplicated Bucket/assets",
            "asked Secret/other",
            "asked Secret/platform",
            "asked Secret/gcp-creds",
            "fetched Secret/prod-kubeconfig",
        ],
        "{document:#}"
    );
    let table = rehearse(&platform, &before(), &[]).expect(1).stdout;
    assert!(
        table.contains("write the annotation crossplane.io/external-name: orders-7fx into its manifest"),
        "{table}"
    );
    assert!(!table.contains(CANARY) && table.contains("and 15 cannot."), "{table}");
}

#[test]
fn a_rehearsal_reports_no_losses_if_git_declares_everything() {
    let platform = with_argo_cd();
    let mut objects = declared().swap_remove(1);
    platform.write("clusters/databases.yaml", &yaml(std::slice::from_ref(&objects)));
    objects["metadata"]["annotations"]["example.org/seen"] = json!("yes");
    let made = secret("db", "by-controller", &["password"], written_by("cert-manager"));
    let ran = rehearse(&platform, &[objects.clone(), made], &["-o", "json"]).expect(0);
    assert_eq!(outcomes(&ran.json()), ["asked Secret/gcp-creds"]);
    // If Secrets were not read, the result is unknown.
    let silent = rehearse(&platform, &[objects], &["-o", "json"]).expect(4).json();
    assert_eq!(silent["unreadable"][0]["what"], "secrets");
}

/// Other repositories that the hub deploys from were not read, so losses from them are unknown.
#[test]
fn other_repositories_are_named_and_their_objects_are_unknown() {
    let platform = with_argo_cd();
    let here = json!({"server": "https://kubernetes.default.svc"});
    let root = application("root", "apps", here.clone());
    let mut addons = application("addons", "addons", here.clone());
    addons["spec"]["source"]["repoURL"] = json!("https://user:hidden@git.example.org/acme/addons.git");
    platform.write("apps/addons.yaml", &yaml(std::slice::from_ref(&addons)));
    let mut crossplane = application("crossplane", "", here);
    crossplane["spec"]["source"] = json!({"repoURL": "https://charts.example.org", "chart": "crossplane"});
    let empty = secret("db", "empty", &[], json!({}));
    // A well-known chart is no other repository.
    let known = [root.clone(), crossplane, empty.clone()];
    assert!(rehearse(&platform, &known, &[]).expect(0).stdout.contains("and nothing is lost of"));
    let objects = [root, addons, empty];
    let ran = rehearse(&platform, &objects, &[]).expect(4);
    let (text, all) = (&ran.stdout, "No losses were found, but something could not be read.");
    assert!(text.contains("The hub also deploys from repositories that were not read: "), "{text}");
    assert!(text.contains("git.example.org/acme/addons") && text.contains("(1 object)"), "{text}");
    assert!(text.contains(all) && !text.contains("nothing is lost") && !text.contains("hidden"), "{text}");
    let document = rehearse(&platform, &objects, &["-o", "json"]).expect(4).json();
    assert_eq!(document["repositories"].as_object().unwrap().values().collect::<Vec<_>>(), [1], "{document:#}");
}

/// Many objects with one reason are one entry.
#[test]
fn many_objects_with_the_same_reason_are_a_single_entry() {
    let forgotten = |name: &str| managed(RDS, "Instance", name, name, json!({"forProvider": {}}));
    let mut objects: Vec<Value> = ["one", "two", "three"].map(forgotten).to_vec();
    objects.push(secret("db", "empty", &[], json!({})));
    let text = rehearse(&with_argo_cd(), &objects, &[]).expect(1).stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("3 objects: nothing in Git declares it"), "{text}");
    for name in ["one", "two", "three"] {
        assert_eq!(flat.matches(&format!("instance.rds.aws.upbound.io/{name}")).count(), 1, "{text}");
    }
    assert_eq!(flat.matches("declare it in Git, with its external name").count(), 1, "{text}");
    // Two are listed one by one.
    objects.remove(0);
    let text = rehearse(&with_argo_cd(), &objects, &[]).expect(1).stdout;
    assert!(!text.contains("objects: nothing") && text.matches("declare it in Git").count() == 2, "{text}");
}

/// A kind that the server leaves out of discovery for a moment may have objects.
#[test]
fn a_kind_that_is_not_listed_is_unknown() {
    let Some(cluster) = support::start(Options::named("rehearse-unlisted")) else { return };
    let mut definition = crd("rds.aws.upbound.io", "Instance", "instances");
    definition["spec"]["names"]["categories"] = json!(["crossplane", "managed"]);
    let path = cluster.directory().join("definition.yaml");
    std::fs::write(&path, yaml(&[definition])).unwrap();
    assert!(cluster.kubectl(["apply", "--server-side", "-f", path.to_str().unwrap()]).status().unwrap().success());
    let wait = ["wait", "--for=condition=Established", "crd/instances.rds.aws.upbound.io"];
    assert!(cluster.kubectl(wait).status().unwrap().success());
    let proxy = Proxy::start(&cluster).unwrap();
    let platform = with_argo_cd();
    let rehearsed = || {
        let mut command = ucp(["bootstrap", "--rehearse"]);
        command.current_dir(platform.path()).env("KUBECONFIG", proxy.kubeconfig());
        run(command)
    };
    let listed = rehearsed().expect(0);
    assert!(listed.stdout.contains("nothing is lost"), "{}", listed.stdout);
    let (group, plural) = ("rds.aws.upbound.io".to_owned(), "instances".to_owned());
    proxy.add(Rule::at("/apis", Fault::Undiscovered { group, plural }));
    let unlisted = rehearsed().expect(4);
    assert!(unlisted.stdout.contains("instances.rds.aws.upbound.io"), "{}", unlisted.stdout);
    assert!(!unlisted.stdout.contains("nothing is lost"), "{}", unlisted.stdout);
}

/// Whether an object of unknown origin would be restored is unknown.
#[test]
fn objects_of_unknown_origin_are_unknown() {
    let platform = with_argo_cd();
    platform
        .write(".ucp.yaml", "bootstrap: {secrets: [{name: argocd/said, values: {url: https://git.example.org}}]}\n");
    let package = |name: &str, more: Value| {
        let mut metadata = json!({"name": name});
        metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": metadata, "spec": {"package": "xpkg.example.org/a:v1"}})
    };
    let by = |manager: &str| json!({"managedFields": [{"manager": manager, "fieldsV1": {"f:spec": {}}}]});
    let objects = [
        secret("argocd", "said", &["url"], json!({})),
        secret("db", "untold", &["password"], json!({})),
        secret("db", "empty", &[], json!({})),
        package("family", by("crossplane")),
        package("untold", json!({})),
    ];
    let ran = rehearse(&platform, &objects, &["-o", "json"]).expect(4);
    let document = ran.json();
    assert_eq!(outcomes(&document), ["asked Secret/gcp-creds"], "{document:#}");
    assert_eq!(ran.unknown(), ["provider.pkg.crossplane.io/untold", "secret/untold -n db"], "{document:#}");
    let table = rehearse(&platform, &objects, &[]).expect(4).stdout;
    assert!(table.contains("No losses were found, but something could not be read."), "{table}");
}

/// Flux inserts variables from the cluster: names are known up to their variables.
#[test]
fn names_with_cluster_variables_neither_hide_nor_invent_losses() {
    let platform = with_flux();
    let instance = |name: &str, external: Option<&str>| {
        let mut object =
            json!({"apiVersion": RDS, "kind": "Instance", "metadata": {"name": name}, "spec": {"forProvider": {}}});
        if let Some(external) = external {
            object["metadata"]["annotations"] = json!({"crossplane.io/external-name": external});
        }
        object
    };
    let kustomization = with_variables();
    platform.write("clusters/core/open.yaml", &yaml(std::slice::from_ref(&kustomization)));
    let declared =
        [instance("db-${stage}", None), instance("open", Some("x-${stage}")), instance("shut", Some("y-${stage}"))];
    platform.write("open/instances.yaml", &yaml(&declared));
    let applied = |mut object: Value| {
        object["metadata"]["labels"] =
            json!({"kustomize.toolkit.fluxcd.io/name": "open", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"});
        object
    };
    let objects = [
        kustomization,
        applied(instance("db-prod", Some("db-prod"))),
        applied(instance("open", Some("x-prod"))),
        applied(instance("shut", Some("z-prod"))),
        applied(instance("stale", Some("stale"))),
        secret("db", "empty", &[], json!({})),
    ];
    let ran = rehearse(&platform, &objects, &["-o", "json"]).expect(1);
    let document = ran.json();
    let reported = ["orphaned Instance/stale", "duplicated Instance/shut"];
    assert_eq!(outcomes(&document)[..2], reported, "{document:#}");
    assert_eq!(outcomes(&document).len(), 4, "{document:#}");
    assert_eq!(ran.unknown(), ["instance.rds.aws.upbound.io/open"], "{document:#}");
}
