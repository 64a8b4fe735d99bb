//! Decides if an object represents a given external resource.

use serde_json::Value;

use super::ack;
use super::address::{PLACES, arn_account, external_name, last_part, location_fields, parse_manifest_address};
use super::takeover::ImportMethod;
use ucp_core::engine::crossplane::EXTERNAL_NAME;
use ucp_core::model::kind::ResourceKind;

/// A provider config: its kind, if the provider has several, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderConfigName {
    /// `ProviderConfig` or `ClusterProviderConfig`.
    pub kind: String,
    /// Name of the provider config.
    pub name: String,
}

/// An external resource to look for.
#[derive(Debug, Clone, Copy)]
pub struct SoughtResource<'a> {
    /// Kind of its object.
    pub kind: &'a ResourceKind,
    /// Import method of that kind.
    pub takeover: ImportMethod,
    /// Its external name or ID.
    pub external: &'a str,
    /// Fields that the user gives.
    pub given: &'a [(String, String)],
    /// The provider config, if the user names one.
    pub config: Option<&'a ProviderConfigName>,
}

/// Returns true if two kinds differ at most in the scope of their objects: in Crossplane 2, most kinds are also
/// available as namespaced ones, in a group of their own.
pub fn are_same_kind_in_any_scope(left: (&str, &str), right: (&str, &str)) -> bool {
    left.1 == right.1 && (left.0 == right.0 || plain_group(left.0) == plain_group(right.0))
}

/// Returns the group of a kind without the mark of namespaced kinds, as in `s3.aws.m.upbound.io`.
pub fn plain_group(group: &str) -> String {
    group.replace(".m.", ".")
}

/// Returns the groups that may have the same kinds in the other scope: `rds.aws.upbound.io` for `rds.aws.m.upbound.io`; and the
/// reverse with the mark at each position, as its authors choose it.
pub fn twin_groups(group: &str) -> Vec<String> {
    let plain = plain_group(group);
    if plain != group {
        return vec![plain];
    }
    let dots = group.match_indices('.').map(|(position, _)| position);
    dots.map(|position| format!("{}.m{}", &group[..position], &group[position..])).collect()
}

/// Returns the location of a resource by field: from its ID, and from given fields that the ID does not contain.
pub fn known_location(external: &str, given: &[(String, String)]) -> Vec<(String, String)> {
    let told: Vec<(String, String)> =
        location_fields(external).into_iter().map(|(field, value)| (field.to_owned(), value)).collect();
    let is_new = |field: &str| PLACES.contains(&field) && !told.iter().any(|(known, _)| known == field);
    let given: Vec<_> = given.iter().filter(|(field, _)| is_new(field)).cloned().collect();
    told.into_iter().chain(given).collect()
}

/// Returns true if an object, of a cluster or of Git, represents the sought resource. Fields that either of them does
/// not have do not distinguish them.
pub fn represents(sought: SoughtResource<'_>, object: &Value) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
    let external = sought.external;
    let names = [external, external_name(external)];
    let is_called = match sought.takeover {
        ImportMethod::Crossplane => {
            if let Some(declared) = object.pointer("/spec/forProvider/manifest") {
                return parse_manifest_address(external).is_ok_and(|wanted| is_same_object(declared, &wanted))
                    && uses_provider_config(sought, object);
            }
            let name = annotation(EXTERNAL_NAME).or_else(|| text("/metadata/name"));
            name.is_some_and(|name| names.contains(&name))
                || ["/status/atProvider/arn", "/status/atProvider/id"].iter().any(|field| text(field) == Some(external))
        }
        ImportMethod::Ack => ack::has_external_name(sought.kind, object, external),
        ImportMethod::ConfigConnector => {
            text("/spec/resourceID").or_else(|| text("/metadata/name")).is_some_and(|name| names.contains(&name))
        }
    };
    is_called && matches_location(sought, object) && uses_provider_config(sought, object)
}

/// Returns true if the known location does not contradict the object. Two resources of one name may be in two regions,
/// projects or accounts.
fn matches_location(sought: SoughtResource<'_>, object: &Value) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
    let of = |field: &str| -> Option<&str> {
        match (sought.takeover, field) {
            (ImportMethod::Crossplane, _) => {
                text(&format!("/spec/forProvider/{field}")).or_else(|| text(&format!("/status/atProvider/{field}")))
            }
            (ImportMethod::Ack, "region") => {
                annotation(ack::REGION).or_else(|| text("/status/ackResourceMetadata/region"))
            }
            (ImportMethod::ConfigConnector, "project") => annotation("cnrm.cloud.google.com/project-id")
                .or_else(|| text("/spec/projectRef/external"))
                .map(|project| project.trim_start_matches("projects/")),
            (ImportMethod::Ack | ImportMethod::ConfigConnector, _) => text(&format!("/spec/{field}")),
        }
    };
    let arn = text("/status/atProvider/arn").or_else(|| text("/status/ackResourceMetadata/arn"));
    let owner = text("/status/ackResourceMetadata/ownerAccountID")
        .or_else(|| annotation("services.k8s.aws/owner-account-id"))
        .or_else(|| arn.and_then(arn_account));
    let is_of_account = match (arn_account(sought.external), owner) {
        (Some(wanted), Some(owner)) => wanted == owner,
        _ => true,
    };
    let mut places = known_location(sought.external, sought.given).into_iter();
    // Azure's names are case-insensitive, and Google's zones may be observed as links.
    let is_at = |is: &str, value: &str| last_part(is).eq_ignore_ascii_case(value);
    is_of_account && places.all(|(field, value)| of(&field).is_none_or(|is| is_at(is, &value)))
}

/// Returns true if an object uses the provider config that the user names. Others may be of another account.
fn uses_provider_config(sought: SoughtResource<'_>, object: &Value) -> bool {
    let Some(asked) = sought.config.filter(|_| sought.takeover == ImportMethod::Crossplane) else { return true };
    let text = |field: &str| object.pointer(&format!("/spec/providerConfigRef/{field}")).and_then(Value::as_str);
    text("name").unwrap_or("default") == asked.name && text("kind").is_none_or(|kind| kind == asked.kind)
}

fn is_same_object(left: &Value, right: &Value) -> bool {
    let part =
        |object: &Value, pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let group = |object: &Value| ucp_core::model::object::group_of(&part(object, "/apiVersion")).to_owned();
    group(left) == group(right)
        && ["/kind", "/metadata/namespace", "/metadata/name"]
            .iter()
            .all(|pointer| part(left, pointer) == part(right, pointer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const BUCKET: (&str, &str) = ("s3.aws.upbound.io", "Bucket");

    fn is(
        takeover: ImportMethod,
        (group, kind): (&str, &str),
        external: &str,
        object: &Value,
        given: &[(&str, &str)],
    ) -> bool {
        let kind = ResourceKind::guess(group, kind);
        let given: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        represents(SoughtResource { kind: &kind, takeover, external, given: &given, config: None }, object)
    }

    #[test]
    fn objects_are_recognized_by_their_external_resource() {
        let of = |external: &str, object: &Value, given: &[(&str, &str)]| {
            is(ImportMethod::Crossplane, BUCKET, external, object, given)
        };
        let bucket = json!({
            "metadata": {"annotations": {EXTERNAL_NAME: "logs"}}, "spec": {"forProvider": {"region": "eu"}},
        });
        assert!(of("logs", &bucket, &[("region", "eu")]));
        assert!(!of("logs", &bucket, &[("region", "us")]), "one of that name elsewhere");
        assert!(!of("log", &bucket, &[]));
        let network =
            json!({"metadata": {"annotations": {EXTERNAL_NAME: "main"}}, "spec": {"forProvider": {"project": "p"}}});
        assert!(of("projects/p/global/networks/main", &network, &[("project", "other")]), "the id knows better");
        assert!(!of("projects/q/global/networks/main", &network, &[]));
        assert!(of("logs", &json!({"metadata": {"name": "logs"}}), &[]), "it is called as its object is");
        let object =
            json!({"spec": {"forProvider": {"manifest": parse_manifest_address("apps/v1/Deployment/a/b").unwrap()}}});
        assert!(of("apps/v1/Deployment/a/b", &object, &[]) && of("apps/v1beta1/Deployment/a/b", &object, &[]));
        assert!(!of("apps/v1/Deployment/a/c", &object, &[]));
    }

    #[test]
    fn the_location_of_an_id_overrides_a_contradicting_flag() {
        let arn = "arn:aws:sns:eu-central-1:1:alerts";
        let topic = json!({"metadata": {"annotations": {EXTERNAL_NAME: arn}}, "spec": {"forProvider": {"region": "eu-central-1"}}});
        assert!(is(ImportMethod::Crossplane, ("sns.aws.upbound.io", "Topic"), arn, &topic, &[("region", "us-east-1")]));
        assert_eq!(
            known_location(arn, &[("region".into(), "us-east-1".into())]),
            [("region".into(), "eu-central-1".into())]
        );
    }

    #[test]
    fn objects_with_another_provider_config_are_of_another_account() {
        let kind = ResourceKind::guess("s3.aws.upbound.io", "Bucket");
        let config = |name: &str| ProviderConfigName { kind: "ProviderConfig".into(), name: name.into() };
        let of = |asked: &ProviderConfigName, object: &Value| {
            let sought = SoughtResource {
                kind: &kind,
                takeover: ImportMethod::Crossplane,
                external: "logs",
                given: &[],
                config: Some(asked),
            };
            represents(sought, object)
        };
        let bucket = json!({"metadata": {"name": "logs"}, "spec": {"providerConfigRef": {"name": "dev"}}});
        assert!(of(&config("dev"), &bucket) && !of(&config("prod"), &bucket));
        assert!(of(&config("default"), &json!({"metadata": {"name": "logs"}})));
        assert!(are_same_kind_in_any_scope(("s3.aws.upbound.io", "Bucket"), ("s3.aws.m.upbound.io", "Bucket")));
        assert_eq!(twin_groups("s3.aws.m.upbound.io"), ["s3.aws.upbound.io"]);
        assert!(twin_groups("s3.aws.upbound.io").contains(&"s3.aws.m.upbound.io".to_owned()));
        assert!(!are_same_kind_in_any_scope(("s3.aws.upbound.io", "Bucket"), ("s3.gcp.upbound.io", "Bucket")));
    }

    #[test]
    fn ack_matches_names_ids_and_arns_of_the_same_resource() {
        let adopts = |fields: &Value| json!({"metadata": {"annotations": {ack::ADOPTION_FIELDS: fields.to_string()}}});
        let of = |kind: &str, external: &str, object: &Value, given: &[(&str, &str)]| {
            is(ImportMethod::Ack, ("x.services.k8s.aws", kind), external, object, given)
        };
        let vpc_arn = "arn:aws:ec2:eu-central-1:1:vpc/vpc-1";
        let vpc = adopts(&json!({"vpcID": "vpc-1"}));
        assert!(of("VPC", "vpc-1", &vpc, &[]) && of("VPC", vpc_arn, &vpc, &[]) && !of("VPC", "vpc-2", &vpc, &[]));
        let by_arn = adopts(&json!({"arn": vpc_arn, "vpcID": "vpc-1"}));
        assert!(of("VPC", "vpc-1", &by_arn, &[]) && of("VPC", vpc_arn, &by_arn, &[]));
        assert!(!of("VPC", "arn:aws:ec2:us-east-1:1:vpc/vpc-1", &by_arn, &[]));
        let live = json!({
            "spec": {"dbInstanceIdentifier": "orders"},
            "status": {"ackResourceMetadata": {"arn": "arn:aws:rds:eu:7:db:orders", "region": "eu", "ownerAccountID": "7"}},
        });
        assert!(of("DBInstance", "orders", &live, &[("region", "eu")]));
        assert!(!of("DBInstance", "orders", &live, &[("region", "us")]), "one of that name elsewhere");
        assert!(!of("DBInstance", "arn:aws:rds:eu:8:db:orders", &live, &[]), "of another account");
    }

    #[test]
    fn config_connector_has_projects_and_places() {
        let of = |external: &str, object: &Value| {
            is(
                ImportMethod::ConfigConnector,
                ("compute.cnrm.cloud.google.com", "ComputeAddress"),
                external,
                object,
                &[],
            )
        };
        let address = json!({
            "metadata": {"name": "x", "annotations": {"cnrm.cloud.google.com/project-id": "p"}},
            "spec": {"resourceID": "main", "location": "eu"},
        });
        assert!(of("projects/p/regions/eu/addresses/main", &address));
        assert!(
            !of("projects/q/regions/eu/addresses/main", &address)
                && !of("projects/p/regions/us/addresses/main", &address)
        );
    }
}
