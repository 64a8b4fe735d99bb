//! A core cluster with a platform on it: definitions, Compositions, composites and their resources, as core leaves
//! them.

use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use ucp_features::composition::desired;
use ucp_features::composition::identity::{COMPOSITE_MANAGER, composed_manager};

use super::super::{Repository, application, create, get, plan, stderr};
use crate::support::{self, Cluster, Options};

/// A step that makes resources of its input.
pub(super) fn step(resources: Value) -> Value {
    json!({"step": "make", "functionRef": {"name": "templates"}, "input": {
        "apiVersion": "engines.test/v1", "kind": "Templates", "resources": resources,
    }})
}

/// A Composition of stores, as it is in a file.
pub(super) fn composition(name: &str, kind: &str, pipeline: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": name},
        "spec": {
            "compositeTypeRef": {"apiVersion": "shop.example.org/v1", "kind": kind},
            "mode": "Pipeline", "pipeline": pipeline,
        },
    })
}

/// The Composition of stores: one bucket of the store's size.
pub(super) fn store(bucket: Value) -> Value {
    composition("store", "XStore", json!([step(json!([{"name": "bucket", "base": bucket}]))]))
}

/// A bucket, as a template has it.
pub(super) fn bucket(for_provider: Value) -> Value {
    json!({"apiVersion": "shop.example.org/v1", "kind": "Bucket", "spec": {"forProvider": for_provider}})
}

/// A claim.
pub(super) fn claim(name: &str, size: &str) -> Value {
    json!({
        "apiVersion": "shop.example.org/v1", "kind": "Store", "metadata": {"name": name, "namespace": "quotes"},
        "spec": {"size": size},
    })
}

pub(super) struct Scene {
    pub(super) cluster: Cluster,
    pub(super) repository: Repository,
}

impl Scene {
    /// A platform whose Git holds some objects, all of which are applied.
    pub(super) fn start(name: &'static str, declared: &[Value]) -> Option<Self> {
        let cluster = support::start(Options::named(name))?;
        let namespaces = ["quotes", "argocd", "crossplane-system"]
            .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        create(&cluster, [platform(), namespaces.to_vec(), vec![application("all", "all", json!({}))]].concat());
        create(&cluster, [platform(), definitions()].concat());
        let repository = Repository::new(&[("all/all.yaml", &text(declared))]);
        let scene = Self { cluster, repository };
        for object in declared {
            scene.apply("argocd-controller", object, &[]);
        }
        Some(scene)
    }

    /// Server-side apply by a manager.
    pub(super) fn apply(&self, manager: &str, object: &Value, flags: &[&str]) {
        let mut kubectl = self.cluster.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"]);
        let mut kubectl = kubectl
            .arg(format!("--field-manager={manager}"))
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        kubectl.stdin.take().unwrap().write_all(object.to_string().as_bytes()).unwrap();
        assert!(kubectl.wait().unwrap().success(), "{object}");
    }

    /// A composite with some objects, as core creates them from the desired state of a pipeline.
    pub(super) fn compose(&self, composite: &Value, parts: &[(&str, Value)], status: Option<Value>) -> Value {
        let (kind, name) = (composite["kind"].as_str().unwrap(), composite["metadata"]["name"].as_str().unwrap());
        let namespace = composite["metadata"]["namespace"].as_str().unwrap_or("default");
        let mut composite = composite.clone();
        if composite["metadata"]["labels"]["crossplane.io/composite"].is_null() {
            composite["metadata"]["labels"]["crossplane.io/composite"] = json!(name);
        }
        self.apply("argocd-controller", &composite, &[]);
        let live = get(&self.cluster, kind, name, namespace);
        let wanted = parts.iter().map(|(key, object)| ((*key).to_owned(), object.clone())).collect();
        let objects = desired::complete_objects(&wanted, &live, &desired::ObjectsByName::new()).unwrap();
        let identity = |more: Value| {
            let mut patch = json!({"apiVersion": live["apiVersion"], "kind": kind, "metadata": {"name": name}});
            if let Some(namespace) = live["metadata"].get("namespace") {
                patch["metadata"]["namespace"] = namespace.clone();
            }
            for (field, value) in more.as_object().unwrap() {
                patch[field] = value.clone();
            }
            patch
        };
        let references = desired::resource_references(&objects, &live);
        let is_modern = live["metadata"].get("namespace").is_some();
        let spec = if is_modern {
            json!({"crossplane": {"resourceRefs": references}})
        } else {
            json!({"resourceRefs": references})
        };
        self.apply(COMPOSITE_MANAGER, &identity(json!({"spec": spec})), &[]);
        for object in objects.values() {
            self.apply(&composed_manager(&live), object, &[]);
        }
        if let Some(status) = status {
            self.apply(COMPOSITE_MANAGER, &identity(json!({"status": status})), &["--subresource=status"]);
        }
        live
    }

    /// A claim's composite: `NAME-x`, with the claim bound to it.
    pub(super) fn bind(&self, claim: &Value, parts: &[(&str, Value)]) -> Value {
        let name = claim["metadata"]["name"].as_str().unwrap();
        let definition = definitions()
            .into_iter()
            .find_map(|object| ucp_features::composition::definition::CompositeDefinition::from_object(&object));
        let live = json!({"metadata": {"name": format!("{name}-x")}});
        let composite = ucp_features::composition::claim::composite_for_claim(claim, &definition.unwrap(), Some(&live));
        self.apply("apiextensions.crossplane.io/claim", &composite, &[]);
        let mut bound = json!({
            "apiVersion": claim["apiVersion"], "kind": claim["kind"], "metadata": {"name": name, "namespace": "quotes"},
        });
        bound["spec"] = json!({"resourceRef": {
            "apiVersion": composite["apiVersion"], "kind": composite["kind"], "name": composite["metadata"]["name"],
        }});
        self.apply("crossplane", &bound, &[]);
        let mut composite = composite;
        composite["spec"] = json!({});
        self.compose(&composite, parts, None)
    }

    /// A branch `feature` whose Git holds these instead.
    pub(super) fn change(&self, declared: &[Value]) {
        self.repository.branch("feature", &[("all/all.yaml", &text(declared))], &[]);
    }

    /// The same branch, with these on it now.
    pub(super) fn change_again(&self, declared: &[Value]) {
        self.repository.git(&["switch", "--quiet", "feature"]);
        self.repository.commit(&[("all/all.yaml", &text(declared))]);
        self.repository.git(&["switch", "--quiet", "main"]);
    }

    /// The plan of merging `feature`.
    pub(super) fn plan(&self, arguments: &[&str]) -> Output {
        let arguments = [&["--base", "main", "--head", "feature"], arguments].concat();
        plan(&self.cluster, &self.repository, &arguments)
    }

    /// The same as JSON, and the exit code.
    pub(super) fn document(&self, arguments: &[&str]) -> (Value, i32) {
        let output = self.plan(&[arguments, &["-o", "json"]].concat());
        let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        (document, output.status.code().unwrap())
    }
}

fn text(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{object}\n")).collect()
}

/// `ACTION KIND/KEY` of everything that a composite is made of.
pub(super) fn fates(plan: &Value, composite: &str) -> Vec<String> {
    let composites = plan["composites"].as_array().cloned().unwrap_or_default();
    let found = composites.iter().find(|one| one["object"]["name"] == composite);
    let Some(found) = found else { panic!("no {composite} in {plan:#}") };
    let items = found["items"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    items
        .map(|item| format!("{} {}/{}", text(&item["action"]), text(&item["object"]["kind"]), text(&item["resource"])))
        .collect()
}

fn crd(group: &str, kind: &str, plural: &str, scope: &str, category: Option<&str>, version: &str) -> Value {
    let categories: Vec<&str> = category.into_iter().collect();
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "categories": categories},
            "versions": [{
                "name": version, "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                    "spec": free, "status": free, "data": free,
                }}},
            }],
        },
    })
}

/// Kinds of Crossplane, and of a platform that is built with it.
pub(super) fn platform() -> Vec<Value> {
    let own = "apiextensions.crossplane.io";
    let mut bucket = crd("shop.example.org", "Bucket", "buckets", "Cluster", Some("managed"), "v1");
    bucket["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = json!({"type": "object", "properties": {
        "deletionPolicy": {"type": "string"},
        "forProvider": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
            "size": {"type": "string"}, "place": {"type": "string", "maxLength": 5},
            "location": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "location stays"}]},
        }},
    }});
    vec![
        crd(own, "CompositeResourceDefinition", "compositeresourcedefinitions", "Cluster", None, "v1"),
        crd(own, "Composition", "compositions", "Cluster", None, "v1"),
        crd(own, "CompositionRevision", "compositionrevisions", "Cluster", None, "v1"),
        crd(own, "EnvironmentConfig", "environmentconfigs", "Cluster", None, "v1beta1"),
        crd("pkg.crossplane.io", "FunctionRevision", "functionrevisions", "Cluster", None, "v1"),
        crd("shop.example.org", "XStore", "xstores", "Cluster", Some("composite"), "v1"),
        crd("shop.example.org", "Store", "stores", "Namespaced", Some("claim"), "v1"),
        crd("shop.example.org", "XChain", "xchains", "Cluster", Some("composite"), "v1"),
        crd("shop.example.org", "Box", "boxes", "Namespaced", Some("composite"), "v1"),
        crd("shop.example.org", "Disk", "disks", "Cluster", Some("managed"), "v1"),
        bucket,
    ]
}

fn definitions() -> Vec<Value> {
    let definition = |plural: &str, kind: &str, claim: Option<(&str, &str)>, scope: Option<&str>| {
        let mut definition = json!({
            "apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
            "metadata": {"name": format!("{plural}.shop.example.org")},
            "spec": {
                "group": "shop.example.org", "names": {"kind": kind, "plural": plural},
                "versions": [{"name": "v1", "served": true, "referenceable": true}],
            },
        });
        if let Some((kind, plural)) = claim {
            definition["spec"]["claimNames"] = json!({"kind": kind, "plural": plural});
        }
        if let Some(scope) = scope {
            definition["spec"]["scope"] = json!(scope);
        }
        definition
    };
    vec![
        definition("xstores", "XStore", Some(("Store", "stores")), None),
        definition("xchains", "XChain", None, None),
        definition("boxes", "Box", None, Some("Namespaced")),
    ]
}
