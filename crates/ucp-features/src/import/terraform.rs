//! Reads types and IDs of resources from a Terraform state, and nothing else, because a state contains passwords. The
//! types below have no other fields, so nothing else is kept, and no error quotes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::{ResourceKind, ResourceScope};

/// The version of the format of state files, since Terraform 0.12.
const FORMAT: u64 = 4;

/// A managed resource of a state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TerraformResource {
    /// Its type, such as `aws_s3_bucket`.
    pub kind: String,
    /// Its ID in the cloud, or the reason why it is not known.
    pub id: Result<String, &'static str>,
}

/// A state file (`version: 4`), or the output of `terraform show -json`.
#[derive(Deserialize)]
struct TerraformState {
    #[serde(default)]
    version: Option<u64>,
    #[serde(default)]
    format_version: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    resources: Vec<StateResource>,
    #[serde(default)]
    values: Option<ShownValues>,
}

#[derive(Deserialize)]
struct ShownValues {
    root_module: ShownModule,
}

#[derive(Deserialize)]
struct ShownModule {
    #[serde(default)]
    resources: Vec<ShownResource>,
    #[serde(default)]
    child_modules: Vec<Self>,
}

#[derive(Deserialize)]
struct ShownResource {
    mode: ResourceMode,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    values: Option<StateAttributes>,
    #[serde(default)]
    deposed_key: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct StateResource {
    mode: ResourceMode,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    instances: Vec<StateInstance>,
}

#[derive(Deserialize)]
struct StateInstance {
    #[serde(default)]
    attributes: Option<StateAttributes>,
    #[serde(default)]
    deposed: Option<serde::de::IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct StateAttributes {
    #[serde(default)]
    id: Option<ResourceId>,
}

/// An ID; some providers use numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum ResourceId {
    Text(String),
    Number(serde_json::Number),
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ResourceMode {
    Managed,
    Data,
    #[serde(other)]
    Other,
}

/// Returns the resources of a state without duplicates, ordered by type.
///
/// # Errors
/// Fails when the file is not a state. The error has the line and the column, but never quotes the content.
pub fn read_state(text: &[u8]) -> Result<Vec<TerraformResource>, Failure> {
    let state: TerraformState = serde_json::from_slice(text)
        .map_err(|error| format!("it is not a Terraform state (line {}, column {})", error.line(), error.column()))?;
    match state.version {
        Some(FORMAT) => {}
        Some(other) => return fail!("version {other} of the format of states is not supported, only version {FORMAT}"),
        None if state.format_version.is_some() || state.values.is_some() => {}
        None => return fail!("it is not a Terraform state: it has no version"),
    }
    let mut found = BTreeSet::new();
    let mut add = |kind: String, attributes: Option<StateAttributes>, deposed: Option<serde::de::IgnoredAny>| {
        let id = match attributes.unwrap_or_default().id {
            _ if deposed.is_some() => Err("Terraform has replaced it, and is about to delete it"),
            Some(ResourceId::Text(id)) if !id.trim().is_empty() && !id.chars().any(char::is_control) => Ok(id),
            Some(ResourceId::Number(id)) => Ok(id.to_string()),
            _ => Err("the state has no id of it that can be read"),
        };
        found.insert(TerraformResource { kind, id });
    };
    for resource in state.resources.into_iter().filter(|resource| resource.mode == ResourceMode::Managed) {
        for instance in resource.instances {
            add(resource.kind.clone(), instance.attributes, instance.deposed);
        }
    }
    let mut open: Vec<ShownModule> = state.values.into_iter().map(|values| values.root_module).collect();
    while let Some(module) = open.pop() {
        for resource in module.resources.into_iter().filter(|resource| resource.mode == ResourceMode::Managed) {
            add(resource.kind, resource.values, resource.deposed_key);
        }
        open.extend(module.child_modules);
    }
    Ok(found.into_iter().collect())
}

/// Names of Terraform's providers, and labels in the API groups of Crossplane's providers.
const PROVIDERS: [(&str, &str); 3] = [("aws", "aws"), ("google", "gcp"), ("azurerm", "azure")];

/// API groups of upjet's providers that are not named after their types: provider, prefix of the type after the
/// provider's name, and label of the group.
const GROUPS: [(&str, &str, &str); 22] = [
    ("aws", "db_", "rds"),
    ("aws", "rds_", "rds"),
    ("aws", "instance", "ec2"),
    ("aws", "vpc", "ec2"),
    ("aws", "subnet", "ec2"),
    ("aws", "security_group", "ec2"),
    ("aws", "route_table", "ec2"),
    ("aws", "route", "ec2"),
    ("aws", "internet_gateway", "ec2"),
    ("aws", "nat_gateway", "ec2"),
    ("aws", "eip", "ec2"),
    ("aws", "key_pair", "ec2"),
    ("aws", "launch_template", "ec2"),
    ("aws", "ebs_", "ec2"),
    ("aws", "network_", "ec2"),
    ("aws", "lb_", "elbv2"),
    ("aws", "lb", "elbv2"),
    ("aws", "cloudwatch_log_", "cloudwatchlogs"),
    ("aws", "cloudwatch_event_", "cloudwatchevents"),
    ("google", "project", "cloudplatform"),
    ("google", "service_account", "cloudplatform"),
    ("azurerm", "postgresql_", "dbforpostgresql"),
];

/// Returns the kinds that may match a Terraform type, only the best matches: upjet derives the kind from the type by
/// removing the provider and the group.
pub fn matching_kinds<'k>(
    kind: &str,
    served: &'k BTreeMap<String, Arc<ResourceKind>>,
    scope: ResourceScope,
) -> Vec<&'k Arc<ResourceKind>> {
    let Some((provider, rest)) = kind.split_once('_') else { return Vec::new() };
    let label = PROVIDERS.iter().find(|(word, _)| *word == provider).map_or(provider, |(_, label)| label);
    let whole = rest.replace('_', "");
    let rank = |candidate: &ResourceKind| -> Option<u8> {
        let labels: Vec<&str> = candidate.group.split('.').collect();
        if candidate.scope != scope
            || !labels.contains(&label)
            || super::takeover::ImportMethod::for_kind(candidate).is_none()
        {
            return None;
        }
        let name = candidate.kind.to_ascii_lowercase();
        let group = labels.first().copied().unwrap_or_default();
        let in_group = format!("{group}{name}");
        let known = GROUPS.iter().filter(|(of, begin, to)| *of == provider && rest.starts_with(begin) && *to == group);
        let known = known.map(|(_, begin, _)| begin.len()).max();
        let behind = known.map(|length| rest[length..].replace('_', ""));
        if whole == in_group || behind.as_deref() == Some(name.as_str()) || known.is_some() && whole == name {
            Some(0)
        } else if whole == name {
            Some(1)
        } else {
            None
        }
    };
    let ranked: Vec<(u8, &Arc<ResourceKind>)> = served.values().filter_map(|kind| Some((rank(kind)?, kind))).collect();
    let best = ranked.iter().map(|(rank, _)| *rank).min();
    ranked.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, kind)| kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "canary-of-a-state";

    #[test]
    fn only_types_and_ids_are_read() {
        let state = serde_json::json!({"version": 4, "outputs": {"password": {"value": CANARY}}, "resources": [
            {"mode": "managed", "type": "aws_db_instance", "name": "db", "instances": [
                {"attributes": {"id": "db-1", "password": CANARY}, "private": CANARY}, {"attributes": {"id": null}},
            ]},
            {"mode": "managed", "type": "aws_db_instance", "instances": [{"attributes": {"id": "db-1"}}]},
            {"mode": "managed", "type": "x_number", "instances": [{"attributes": {"id": 7}}]},
            {"mode": "data", "type": "aws_ami", "instances": [{"attributes": {"id": "ami"}}]},
        ]});
        let read = read_state(state.to_string().as_bytes()).unwrap();
        let of = |kind: &str, id: &str| TerraformResource { kind: kind.into(), id: Ok(id.into()) };
        let without =
            TerraformResource { kind: "aws_db_instance".into(), id: Err("the state has no id of it that can be read") };
        assert_eq!(read, [of("aws_db_instance", "db-1"), without, of("x_number", "7")]);
        assert!(!format!("{read:?}").contains(CANARY));
    }

    #[test]
    fn the_output_of_terraform_show_is_read_too() {
        let resource =
            |id: &str| serde_json::json!({"mode": "managed", "type": "a_b", "values": {"id": id, "p": CANARY}});
        let state = serde_json::json!({"values": {"root_module": {
            "resources": [resource("1")], "child_modules": [{"resources": [resource("2")]}],
        }}});
        assert_eq!(read_state(state.to_string().as_bytes()).unwrap().len(), 2);
    }

    /// Nothing of a state is left out without a word: that all is owned would be wrong.
    #[test]
    fn resources_without_a_usable_id_are_not_left_out() {
        let of = |instance: serde_json::Value| {
            let resource = serde_json::json!({"mode": "managed", "type": "a_b", "instances": [instance]});
            read_state(serde_json::json!({"version": 4, "resources": [resource]}).to_string().as_bytes()).unwrap()
        };
        for instance in [
            serde_json::json!({}),
            serde_json::json!({"attributes": {"id": "a\nb"}}),
            serde_json::json!({"attributes": {"id": ""}}),
            serde_json::json!({"attributes": {"id": {"a": 1}}}),
            serde_json::json!({"attributes": {"id": "a"}, "deposed": "00000001"}),
        ] {
            assert!(matches!(of(instance.clone()).as_slice(), [TerraformResource { id: Err(_), .. }]), "{instance}");
        }
        let shown = r#"{"values": {"root_module": {"resources": [
            {"mode": "managed", "type": "a_b", "values": {"id": "1"}, "deposed_key": "00000001"}]}}}"#;
        assert!(read_state(shown.as_bytes()).unwrap()[0].id.is_err());
        for other in ["{}", "[]", r#"{"version": 3, "modules": []}"#, r#"{"version": 5, "resources": []}"#] {
            assert!(read_state(other.as_bytes()).is_err(), "{other}");
        }
        assert_eq!(read_state(br#"{"format_version": "1.0"}"#).unwrap(), []);
    }

    #[test]
    fn no_error_quotes_the_file() {
        for text in [
            format!("{{\"resources\": \"{CANARY}\"}}"),
            format!("{{\"resources\": [{{\"mode\": \"managed\", \"type\": {{\"x\": \"{CANARY}\"}}}}]}}"),
            format!("{{\"resources\": [{{\"mode\": \"{CANARY}\"}}]}}"),
            CANARY.to_owned(),
            format!("{{\"resources\": [], \"{CANARY}"),
        ] {
            let error = read_state(text.as_bytes()).unwrap_err().to_string();
            assert!(!error.contains(CANARY), "{error}");
        }
    }

    fn served(kinds: &[(&str, &str)]) -> BTreeMap<String, Arc<ResourceKind>> {
        kinds
            .iter()
            .map(|(group, kind)| {
                let categories = BTreeSet::from(["managed".to_owned()]);
                let kind = ResourceKind { categories, ..ResourceKind::guess(group, kind) };
                (kind.qualified_plural(), Arc::new(kind))
            })
            .collect()
    }

    #[test]
    fn types_are_kinds() {
        let served = served(&[
            ("s3.aws.upbound.io", "Bucket"),
            ("rds.aws.upbound.io", "Instance"),
            ("ec2.aws.upbound.io", "Instance"),
            ("ec2.aws.upbound.io", "VPC"),
            ("storage.gcp.upbound.io", "Bucket"),
            ("compute.gcp.upbound.io", "Network"),
            ("container.gcp.upbound.io", "Cluster"),
            ("dms.aws.upbound.io", "ReplicationTask"),
            ("containerservice.azure.upbound.io", "KubernetesCluster"),
        ]);
        for (kind, expected) in [
            ("aws_s3_bucket", vec!["buckets.s3.aws.upbound.io"]),
            ("aws_db_instance", vec!["instances.rds.aws.upbound.io"]),
            ("aws_instance", vec!["instances.ec2.aws.upbound.io"]),
            ("aws_vpc", vec!["vpcs.ec2.aws.upbound.io"]),
            ("google_storage_bucket", vec!["buckets.storage.gcp.upbound.io"]),
            ("google_container_cluster", vec!["clusters.container.gcp.upbound.io"]),
            ("azurerm_kubernetes_cluster", vec!["kubernetesclusters.containerservice.azure.upbound.io"]),
            ("aws_sns_topic", vec![]),
            ("random_password", vec![]),
        ] {
            let found: Vec<_> = matching_kinds(kind, &served, ResourceScope::Cluster)
                .iter()
                .map(|kind| kind.qualified_plural())
                .collect();
            assert_eq!(found, expected, "{kind}");
        }
        assert!(matching_kinds("aws_s3_bucket", &served, ResourceScope::Namespaced).is_empty());
    }
}
