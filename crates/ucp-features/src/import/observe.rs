//! Manifests that only observe: they neither create, change nor delete external resources.

use serde_json::Value;

use super::ack::{ADOPTION_FIELDS, REGION, adoption_fields};
use super::address::{external_name, location_fields, parse_manifest_address};
use super::identity::{ProviderConfigName, known_location};
use super::takeover::ImportMethod;
use crate::schema::SchemaNode;
use ucp_core::engine::crossplane::EXTERNAL_NAME;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::secrecy::has_secret;
use ucp_repo::yaml::ordered::OrderedValue;

/// A request for a manifest that observes.
#[derive(Debug, Clone, Copy)]
pub struct ObserveRequest<'a> {
    /// Kind of the object.
    pub kind: &'a ResourceKind,
    /// Import method of that kind.
    pub takeover: ImportMethod,
    /// Name of the object.
    pub name: &'a str,
    /// Namespace of the object, for namespaced kinds.
    pub namespace: Option<&'a str>,
    /// External name or ID of the resource.
    pub external: &'a str,
    /// The provider config to use.
    pub config: Option<&'a ProviderConfigName>,
    /// Fields that the user gives, as dotted paths below the declaration, and their values.
    pub given: &'a [(String, String)],
}

/// Returns the manifest for a request.
///
/// # Errors
/// Fails when a required field is missing, or when the manifest would contain a secret.
pub fn observe_manifest(wish: &ObserveRequest<'_>, schema: SchemaNode<'_>) -> Result<OrderedValue, Failure> {
    let spec = match wish.takeover {
        ImportMethod::Crossplane => crossplane_spec(wish, schema)?,
        ImportMethod::Ack => {
            let found_by = adoption_fields(wish.kind, wish.external, schema)?;
            let required = schema.field("spec").map(SchemaNode::required).unwrap_or_default();
            let known = found_by.as_object().into_iter().flatten();
            let known = known.filter(|(name, _)| required.contains(name.as_str()));
            let known = known.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            declaration_fields(wish, schema, known.collect())?
        }
        ImportMethod::ConfigConnector => {
            declaration_fields(wish, schema, vec![("resourceID".to_owned(), external_name(wish.external).to_owned())])?
        }
    };
    let annotations = annotations(wish, schema)?;
    let mut metadata = vec![("name".to_owned(), OrderedValue::text(wish.name))];
    if let Some(namespace) = wish.namespace.filter(|_| wish.kind.scope == ResourceScope::Namespaced) {
        metadata.push(("namespace".to_owned(), OrderedValue::text(namespace)));
    }
    if !annotations.is_empty() {
        let annotations = annotations.into_iter().map(|(name, value)| (name.to_owned(), OrderedValue::text(value)));
        metadata.push(("annotations".to_owned(), OrderedValue::Fields(annotations.collect())));
    }
    let manifest = OrderedValue::from_fields([
        ("apiVersion", OrderedValue::text(wish.kind.api_version())),
        ("kind", OrderedValue::text(&wish.kind.kind)),
        ("metadata", OrderedValue::Fields(metadata)),
        ("spec", spec),
    ]);
    match has_secret(&manifest.to_value()) {
        true => fail!("the value of --set looks like a secret, which must not be written to Git"),
        false => Ok(manifest),
    }
}

fn annotations(wish: &ObserveRequest<'_>, schema: SchemaNode<'_>) -> Result<Vec<(&'static str, String)>, Failure> {
    Ok(match wish.takeover {
        ImportMethod::Crossplane if manages_embedded_object(schema) => Vec::new(),
        ImportMethod::Crossplane => vec![(EXTERNAL_NAME, external_name(wish.external).to_owned())],
        ImportMethod::Ack => {
            let region = known_location(wish.external, wish.given).into_iter().find(|(field, _)| field == "region");
            let mut annotations = vec![
                ("services.k8s.aws/adoption-policy", "adopt".to_owned()),
                (ADOPTION_FIELDS, adoption_fields(wish.kind, wish.external, schema)?.to_string()),
                ("services.k8s.aws/read-only", "true".to_owned()),
                ("services.k8s.aws/deletion-policy", "retain".to_owned()),
            ];
            annotations.extend(region.map(|(_, region)| (REGION, region)));
            annotations
        }
        ImportMethod::ConfigConnector => {
            let project = location_fields(wish.external).into_iter().find(|(field, _)| *field == "project");
            let mut annotations = vec![
                ("cnrm.cloud.google.com/deletion-policy", "abandon".to_owned()),
                // Undeclared fields are adopted with their current values.
                ("cnrm.cloud.google.com/state-into-spec", "merge".to_owned()),
            ];
            annotations.extend(project.map(|(_, project)| ("cnrm.cloud.google.com/project-id", project)));
            annotations
        }
    })
}

/// Returns true if the managed resource is an object of another cluster.
pub fn manages_embedded_object(schema: SchemaNode<'_>) -> bool {
    schema.field_at(&["spec", "forProvider", "manifest"]).is_some_and(SchemaNode::is_embedded_object)
}

fn crossplane_spec(wish: &ObserveRequest<'_>, schema: SchemaNode<'_>) -> Result<OrderedValue, Failure> {
    let spec = schema.field("spec").unwrap_or(schema);
    if !spec.is_open() && spec.field("managementPolicies").is_none() {
        return fail!("its CRD has no spec.managementPolicies, so it cannot be observed without being changed");
    }
    let mut declared = declaration_fields(wish, schema, Vec::new())?;
    if manages_embedded_object(schema) {
        declared.put("manifest", parse_manifest_address(wish.external)?.into());
    }
    let mut spec = vec![
        ("managementPolicies".to_owned(), OrderedValue::Items(vec![OrderedValue::text("Observe")])),
        ("forProvider".to_owned(), declared),
    ];
    if let Some(config) = wish.config {
        let mut reference = vec![("name".to_owned(), OrderedValue::text(&config.name))];
        if wish.kind.scope == ResourceScope::Namespaced {
            reference.insert(0, ("kind".to_owned(), OrderedValue::text(&config.kind)));
        }
        spec.push(("providerConfigRef".to_owned(), OrderedValue::Fields(reference)));
    }
    Ok(OrderedValue::Fields(spec))
}

/// Returns the fields of the declaration: the given ones and the location in the ID. Fails when required fields are
/// missing.
fn declaration_fields(
    wish: &ObserveRequest<'_>,
    schema: SchemaNode<'_>,
    known: Vec<(String, String)>,
) -> Result<OrderedValue, Failure> {
    let way = wish.takeover.declaration_path();
    let Some(schema) = schema.field_at(way) else { return Ok(OrderedValue::Fields(Vec::new())) };
    let mut declared = Value::Object(serde_json::Map::new());
    let has = |path: &str| schema.field_at(&path.split('.').collect::<Vec<_>>());
    let required = schema.required();
    // A location has several field names: those that the kind requires are written, or else the first one that it has.
    let told = location_fields(wish.external);
    let written = told.iter().filter(|(field, value)| {
        let same = || told.iter().filter(|(_, other)| other == value).map(|(field, _)| *field);
        let is_first = same().find(|field| has(field).is_some()) == Some(*field);
        required.contains(field) || is_first && !same().any(|field| required.contains(field))
    });
    let told_fields: Vec<(String, String)> =
        written.map(|(field, value)| ((*field).to_owned(), value.clone())).collect();
    let kept = known_location(wish.external, wish.given);
    let given = wish.given.iter().filter(|(field, value)| {
        // The location in the ID takes precedence.
        !told.iter().any(|(told, _)| told == field) || kept.contains(&(field.clone(), value.clone()))
    });
    for (path, text) in told_fields.into_iter().chain(known).chain(given.cloned()) {
        let Some(field) = has(&path) else { continue };
        let value = field.parse_value(&text).map_err(|reason| format!("--set {path}: {reason}"))?;
        let steps: Vec<&str> = path.split('.').collect();
        ucp_core::model::path::FieldPath::from_fields(&steps).set(&mut declared, value);
    }
    let is_there = |name: &str| declared.get(name).is_some() || name == "manifest" && has_embedded_manifest(schema);
    let missing: Vec<&str> = required.iter().copied().filter(|name| !is_there(name)).collect();
    if let Some(first) = missing.first() {
        return fail!(
            "{} is required to find it: pass --set {first}=VALUE",
            missing.iter().map(|name| format!("{}.{name}", way.join("."))).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(declared.into())
}

fn has_embedded_manifest(schema: SchemaNode<'_>) -> bool {
    schema.field("manifest").is_some_and(SchemaNode::is_embedded_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    fn kind(group: &str, kind: &str, scope: ResourceScope) -> ResourceKind {
        let is_crossplane = ["upbound.io", "crossplane.io"].iter().any(|family| group.ends_with(family));
        let categories: BTreeSet<String> = is_crossplane.then(|| "managed".to_owned()).into_iter().collect();
        ResourceKind { version: "v1".into(), scope, categories, ..ResourceKind::guess(group, kind) }
    }

    fn wish<'a>(kind: &'a ResourceKind, external: &'a str, given: &'a [(String, String)]) -> ObserveRequest<'a> {
        let takeover = ImportMethod::for_kind(kind).unwrap();
        ObserveRequest { kind, takeover, name: "x", namespace: Some("team"), external, config: None, given }
    }

    fn upjet() -> Value {
        json!({"properties": {"spec": {"properties": {
            "managementPolicies": {"type": "array"},
            "forProvider": {"required": ["region"], "properties": {
                "region": {"type": "string"}, "count": {"type": "integer"}, "name": {"type": "string"},
            }},
        }}}})
    }

    #[test]
    fn required_fields_come_from_flags_or_from_the_id() {
        let (schema, kind) = (upjet(), kind("sns.aws.upbound.io", "Topic", ResourceScope::Cluster));
        let error = observe_manifest(&wish(&kind, "alerts", &[]), SchemaNode::new(&schema)).unwrap_err().to_string();
        assert!(error.contains("spec.forProvider.region") && error.contains("--set region=VALUE"), "{error}");
        let arn = "arn:aws:sns:eu-central-1:123456789012:alerts";
        let given = [("count".to_owned(), "3".to_owned()), ("unknown".to_owned(), "x".to_owned())];
        let object = observe_manifest(&wish(&kind, arn, &given), SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(object["spec"]["forProvider"], json!({"region": "eu-central-1", "count": 3}));
        assert_eq!(object["spec"]["managementPolicies"], json!(["Observe"]));
        assert_eq!(object["metadata"], json!({"name": "x", "annotations": {"crossplane.io/external-name": arn}}));
        let wrong = [("region".to_owned(), "eu".to_owned()), ("count".to_owned(), "many".to_owned())];
        let error = observe_manifest(&wish(&kind, "alerts", &wrong), SchemaNode::new(&schema)).unwrap_err();
        assert!(error.as_str().contains("count"), "{error}");
    }

    #[test]
    fn locations_come_from_ids_and_secret_fields_are_refused() {
        let schema = json!({"properties": {"spec": {"properties": {
            "managementPolicies": {"type": "array"},
            "forProvider": {"required": ["location"], "properties": {
                "location": {"type": "string"}, "region": {"type": "string"}, "project": {"type": "string"},
                "password": {"type": "string"}, "size": {"type": "integer"},
            }},
        }}}});
        let cluster = kind("container.gcp.upbound.io", "Cluster", ResourceScope::Cluster);
        let given = |field: &str, value: &str| [(field.to_owned(), value.to_owned())];
        let id = "projects/acme/locations/europe-west1/clusters/main";
        let made = |given: &[(String, String)]| observe_manifest(&wish(&cluster, id, given), SchemaNode::new(&schema));
        let object = made(&given("location", "us-east1")).unwrap().to_value();
        assert_eq!(object["spec"]["forProvider"], json!({"project": "acme", "location": "europe-west1"}));
        let told = made(&given("password", "canary-7")).unwrap_err().to_string();
        assert!(told.contains("secret") && !told.contains("canary"), "{told}");
        let told = made(&given("size", "canary-7")).unwrap_err().to_string();
        assert!(told.contains("--set size") && !told.contains("canary"), "{told}");
    }

    #[test]
    fn kinds_without_management_policies_are_refused() {
        let kind = kind("database.aws.crossplane.io", "RDSInstance", ResourceScope::Cluster);
        let schema = json!({"properties": {"spec": {"properties": {"forProvider": {"type": "object"}}}}});
        let error = observe_manifest(&wish(&kind, "db", &[]), SchemaNode::new(&schema)).unwrap_err();
        assert!(error.as_str().contains("managementPolicies"), "{error}");
    }

    #[test]
    fn ack_adopts_and_only_reads() {
        let schema = json!({"properties": {
            "spec": {"properties": {"cidrBlock": {}}}, "status": {"properties": {"vpcID": {}}},
        }});
        let vpc = kind("ec2.services.k8s.aws", "VPC", ResourceScope::Namespaced);
        let object = observe_manifest(&wish(&vpc, "vpc-1", &[]), SchemaNode::new(&schema)).unwrap().to_value();
        let annotations = &object["metadata"]["annotations"];
        assert_eq!(annotations["services.k8s.aws/adoption-fields"], r#"{"vpcID":"vpc-1"}"#);
        assert_eq!(annotations["services.k8s.aws/read-only"], "true");
        assert_eq!(annotations.get(REGION), None);
        let elsewhere = [("region".to_owned(), "us-east-1".to_owned())];
        let object = observe_manifest(&wish(&vpc, "vpc-1", &elsewhere), SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(object["metadata"]["annotations"][REGION], "us-east-1");
        assert_eq!(object["metadata"]["namespace"], "team");
        let arn = "arn:aws:ec2:eu-central-1:1:vpc/vpc-1";
        let object = observe_manifest(&wish(&vpc, arn, &[]), SchemaNode::new(&schema)).unwrap().to_value();
        let fields = object["metadata"]["annotations"][ADOPTION_FIELDS].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(fields).unwrap(), json!({"arn": arn, "vpcID": "vpc-1"}));
        assert_eq!(object["metadata"]["annotations"][REGION], "eu-central-1");
        let unknown = kind("x.services.k8s.aws", "Thing", ResourceScope::Namespaced);
        assert!(observe_manifest(&wish(&unknown, "t-1", &[]), SchemaNode::new(&schema)).is_err());
    }

    #[test]
    fn config_connector_acquires_and_abandons() {
        let schema = json!({"properties": {"spec": {"properties": {"resourceID": {"type": "string"}}}}});
        let network = kind("compute.cnrm.cloud.google.com", "ComputeNetwork", ResourceScope::Namespaced);
        let id = "projects/acme/global/networks/main";
        let object = observe_manifest(&wish(&network, id, &[]), SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(object["spec"], json!({"resourceID": "main"}));
        let annotations = &object["metadata"]["annotations"];
        assert_eq!(annotations["cnrm.cloud.google.com/deletion-policy"], "abandon");
        assert_eq!(annotations["cnrm.cloud.google.com/project-id"], "acme");
    }
}
