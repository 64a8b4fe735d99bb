//! The rehearsal of objects without a manifest of their own: those that others create, and those whose names in Git have
//! variables.

use serde_json::{Value, json};

use super::platform::{with_argo_cd, with_flux, with_variables, yaml};
use super::rehearse::{outcomes, rehearse, secret, written_by};

const GOOGLE: &str = "resourcemanager.cnrm.cloud.google.com/v1beta1";
const AWS: &str = "s3.services.k8s.aws/v1alpha1";
const AZURE: &str = "resources.azure.com/v1api20200601";

fn object(api_version: &str, kind: &str, name: &str, rest: &Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "db"}});
    for (key, value) in rest.as_object().unwrap() {
        match key.as_str() {
            "metadata" => object[key].as_object_mut().unwrap().extend(value.as_object().unwrap().clone()),
            _ => object[key] = value.clone(),
        }
    }
    object
}

fn composite(name: &str) -> Value {
    object(
        "example.org/v1",
        "XDatabase",
        name,
        &json!({"spec": {"crossplane": {"compositionRef": {"name": "databases"}}}}),
    )
}

/// An object of another engine than Crossplane, as a Composition made it.
fn composed(api_version: &str, kind: &str, name: &str, rest: &Value) -> Value {
    let mut object = object(api_version, kind, name, rest);
    object["metadata"]["ownerReferences"] = json!([{"apiVersion": "example.org/v1", "kind": "XDatabase", "name": "quotes", "uid": "1", "controller": true}]);
    object
}

/// An annotation, and who wrote it.
fn annotated(annotation: &str, value: &str, manager: &str) -> Value {
    json!({
        "annotations": {annotation: value},
        "managedFields": [{"manager": manager, "fieldsV1": {"f:metadata": {"f:annotations": {format!("f:{annotation}"): {}}}}}],
    })
}

#[test]
fn objects_created_with_another_object_are_compared_with_its_declaration() {
    let platform = with_argo_cd();
    let machines = |spec: Value| object("cluster.x-k8s.io/v1beta1", "Cluster", "machines", &json!({"spec": spec}));
    platform.write("clusters/databases.yaml", &yaml(&[composite("quotes"), machines(json!({"paused": true}))]));
    let generated = json!({"generateName": "quotes-"});
    let (adoption, read_only) = ("services.k8s.aws/adoption-policy", "services.k8s.aws/read-only");
    let bucket = |name: &str, metadata: Value| composed(AWS, "Bucket", name, &json!({"metadata": metadata}));
    let google = |name: &str, id: &str, metadata: &Value| {
        composed(GOOGLE, "Folder", name, &json!({"metadata": metadata, "spec": {"resourceID": id}}))
    };
    let by_crossplane = "apiextensions.crossplane.io/composed/1";
    let azure =
        |name: &str, spec: Value| composed(AZURE, "ResourceGroup", name, &json!({"metadata": generated, "spec": spec}));
    let objects = [
        composite("quotes"),
        // A pause ends, even one that is declared in Git: another one is created.
        machines(json!({"paused": true, "controlPlaneEndpoint": {"host": "machines.example.org"}})),
        google("numbered", "123456", &json!({})),
        google("named", "named", &json!({})),
        google("quotes-7fx", "quotes-7fx", &generated),
        bucket("adopted", annotated(adoption, "adopt-or-create", by_crossplane)),
        bucket("adopted-by-hand", annotated(adoption, "adopt-or-create", "kubectl-annotate")),
        bucket("adopted-by-whom", json!({"annotations": {adoption: "adopt-or-create"}})),
        bucket("plain", json!({})),
        bucket("read", annotated(read_only, "true", by_crossplane)),
        bucket("read-by-hand", annotated(read_only, "true", "kubectl-annotate")),
        azure("quotes-group", json!({"azureName": "quotes"})),
        azure("quotes-x7k2p", json!({"azureName": "quotes-x7k2p"})),
        secret("db", "empty", &[], json!({})),
    ];
    let ran = rehearse(&platform, &objects, &["-o", "json"]).expect(1);
    let document = ran.json();
    let reported = outcomes(&document);
    let duplicated: Vec<&str> = reported.iter().filter_map(|line| line.strip_prefix("duplicated ")).collect();
    let expected = [
        "Cluster/machines",
        "Folder/quotes-7fx",
        "ResourceGroup/quotes-x7k2p",
        "Bucket/adopted-by-hand",
        "Bucket/plain",
        "Bucket/read-by-hand",
    ];
    assert_eq!(duplicated, expected, "{document:#}");
    let unknown = [
        "folder.resourcemanager.cnrm.cloud.google.com/numbered -n db",
        "bucket.s3.services.k8s.aws/adopted-by-whom -n db",
    ];
    assert_eq!(ran.unknown(), unknown, "{document:#}");
}

#[test]
fn a_name_with_variables_matches_at_most_one_object() {
    let platform = with_flux();
    let kustomization = with_variables();
    let bucket = |name: &str| {
        let metadata = annotated("services.k8s.aws/adoption-policy", "adopt", "apiextensions.crossplane.io/composed/1");
        object(AWS, "Bucket", name, &json!({"metadata": metadata, "spec": {"name": name}}))
    };
    let token = |name: &str| secret("db", name, &["password"], json!({}));
    platform.write("clusters/core/open.yaml", &yaml(std::slice::from_ref(&kustomization)));
    platform.write(
        "open/objects.yaml",
        &yaml(&[composite("quotes-${stage}"), bucket("logs-${stage}"), token("token-${stage}")]),
    );
    let owned = |mut object: Value, owner: &str| {
        object["metadata"]["ownerReferences"] = json!([{"apiVersion": "example.org/v1", "kind": "XDatabase", "name": owner, "uid": "1", "controller": true}]);
        object
    };
    let one = [
        kustomization,
        composite("quotes-prod"),
        bucket("logs-prod"),
        token("token-prod"),
        owned(bucket("own"), "quotes-prod"),
    ];
    let names = |objects: &[Value]| {
        let ran = rehearse(&platform, objects, &["-o", "json"]);
        let reported = outcomes(&ran.json()).into_iter().filter(|line| !line.starts_with("asked")).collect::<Vec<_>>();
        (reported, ran.unknown())
    };
    assert_eq!(names(&one), (vec![], vec![]));
    // Of two, Git restores one, and it is unknown which.
    let two = [&one[..], &[composite("quotes-old"), bucket("logs-old"), token("token-old")]].concat();
    let (reported, unknown) = names(&two);
    let names: Vec<&str> = unknown.iter().filter_map(|line| line.split(['/', ' ']).nth(1)).collect();
    let expected = ["quotes-prod", "quotes-old", "logs-prod", "own", "logs-old", "token-prod", "token-old"];
    assert_eq!((reported, names), (vec![], expected.to_vec()));
}

#[test]
fn keys_that_people_added_to_a_declared_secret_are_reported_as_lost() {
    let platform = with_argo_cd();
    platform.write(
        ".ucp.yaml",
        "bootstrap: {secrets: [{name: db/said, values: {url: https://git.example.org}}, {name: db/kept, values: {url: a}}]}\n",
    );
    let copied = json!({
        "labels": {"app.kubernetes.io/managed-by": "kubectl-ucp"},
        "annotations": {"kubectl-ucp.io/copied-from": "db/source"},
        "managedFields": written_by("kubectl-ucp")["managedFields"],
    });
    let objects = [
        secret("db", "said", &["url", "password"], written_by("kubectl-edit")),
        secret("db", "kept", &["url"], json!({})),
        // The core cluster may be an app cluster of another one.
        secret("db", "copy", &["password"], copied),
        secret("db", "typed", &["password"], written_by("kubectl-ucp")),
    ];
    let document = rehearse(&platform, &objects, &["-o", "json"]).expect(1).json();
    let reported = ["lost Secret/said", "lost Secret/typed", "asked Secret/gcp-creds", "fetched Secret/copy"];
    assert_eq!(outcomes(&document), reported, "{document:#}");
    assert_eq!(document["items"][0]["reason"], "Git declares it without password (written manually)");
}
