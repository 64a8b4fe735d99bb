//! Fields of a resource that provisions a Kubernetes cluster, for any controller.

use serde::Deserialize;

use super::crossplane::CrossplaneReference;
use super::narrowed::{BodyFields, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A resource that provisions a cluster.
#[derive(Debug, Clone, Default)]
pub struct ProvisionedCluster {
    /// `spec.writeConnectionSecretToRef`: the Secret for its kubeconfig.
    pub connection_secret: Option<CrossplaneReference>,
    /// Address of the API server as reported by the cloud, with or without a scheme: `status.atProvider.endpoint`.
    pub endpoint: Option<String>,
    /// Certificate authority as reported by the cloud, in base64: `status.atProvider.masterAuth.clusterCaCertificate`
    /// on Google Cloud, `status.atProvider.certificateAuthority.data` on AWS.
    pub authority: Option<String>,
    /// Identifier in the cloud: an ARN, a resource id, or a self link.
    pub cloud_id: Option<String>,
}

/// Serialized form of `spec`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ProvisionedSpec {
    write_connection_secret_to_ref: Option<CrossplaneReference>,
    /// Set by Cluster API.
    #[serde(deserialize_with = "null_as_default")]
    control_plane_endpoint: HostAndPort,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HostAndPort {
    host: String,
    port: u16,
}

/// Serialized form of `status`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ProvisionedStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    #[serde(deserialize_with = "null_as_default")]
    at_provider: ProvisionedAtProvider,
    // ACK, Config Connector, and Azure Service Operator report in the status itself.
    endpoint: serde_json::Value,
    self_link: serde_json::Value,
    id: serde_json::Value,
    fqdn: serde_json::Value,
    certificate_authority: serde_json::Value,
    master_auth: serde_json::Value,
    ack_resource_metadata: serde_json::Value,
    observed_state: serde_json::Value,
}

/// The fields of `status.atProvider` that identify the cluster. Providers differ in all others.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProvisionedAtProvider {
    endpoint: serde_json::Value,
    arn: serde_json::Value,
    self_link: serde_json::Value,
    id: serde_json::Value,
    master_auth: serde_json::Value,
    certificate_authority: serde_json::Value,
}

impl BodyFields for ProvisionedCluster {
    type Spec = ProvisionedSpec;
    type Status = ProvisionedStatus;

    fn narrow(spec: ProvisionedSpec, status: ProvisionedStatus) -> NarrowedFields<Self> {
        let text = |value: serde_json::Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        // Terraform's blocks are lists with one item.
        let in_block = |block: serde_json::Value, field: &str| {
            let fields = block.get(0).unwrap_or(&block).get(field)?.as_str()?;
            Some(fields.to_owned()).filter(|text| !text.is_empty())
        };
        let ProvisionedAtProvider { endpoint, arn, self_link, id, master_auth, certificate_authority } =
            status.at_provider;
        let HostAndPort { host, port } = spec.control_plane_endpoint;
        let endpoint = text(endpoint)
            .or_else(|| text(status.endpoint))
            .or_else(|| text(status.fqdn))
            .or_else(|| (!host.is_empty()).then(|| format!("{host}:{port}")));
        let authority = in_block(master_auth, "clusterCaCertificate")
            .or_else(|| in_block(certificate_authority, "data"))
            .or_else(|| in_block(status.certificate_authority, "data"))
            .or_else(|| in_block(status.master_auth, "clusterCaCertificate"))
            .or_else(|| in_block(status.observed_state.get("masterAuth")?.clone(), "clusterCaCertificate"));
        let cloud_id = text(arn)
            .or_else(|| text(self_link))
            .or_else(|| text(id))
            .or_else(|| in_block(status.ack_resource_metadata, "arn"))
            .or_else(|| text(status.self_link))
            .or_else(|| text(status.id));
        NarrowedFields {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Self { connection_secret: spec.write_connection_secret_to_ref, endpoint, authority, cloud_id },
        }
    }
}
