//! The protocol between core and functions: `run_function.proto` of package `apiextensions.fn.proto.v1`, as in
//! function-sdk-go v0.7.1 (Apache-2.0). The structs are written by hand so that no build needs protoc.

use std::collections::BTreeMap;

use prost_types::{Duration, Struct};

/// gRPC path of the v1 service.
pub const V1: &str = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";
/// gRPC path of the v1beta1 service, with the same messages, for functions from before Crossplane 1.17.
pub const V1_BETA1: &str = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction";

/// A request to a function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RunFunctionRequest {
    /// Metadata of the request.
    #[prost(message, optional, tag = "1")]
    pub meta: Option<RequestMeta>,
    /// The observed state.
    #[prost(message, optional, tag = "2")]
    pub observed: Option<FunctionState>,
    /// The desired state that the previous functions returned.
    #[prost(message, optional, tag = "3")]
    pub desired: Option<FunctionState>,
    /// `input` of the step.
    #[prost(message, optional, tag = "4")]
    pub input: Option<Struct>,
    /// Context that functions pass on to the next ones.
    #[prost(message, optional, tag = "5")]
    pub context: Option<Struct>,
    /// Objects that the function required, under the older field name.
    #[prost(btree_map = "string, message", tag = "6")]
    pub extra_resources: BTreeMap<String, FunctionResources>,
    /// Credentials of the step.
    #[prost(btree_map = "string, message", tag = "7")]
    pub credentials: BTreeMap<String, StepCredentials>,
    /// Objects that the function required.
    #[prost(btree_map = "string, message", tag = "8")]
    pub required_resources: BTreeMap<String, FunctionResources>,
    /// Schemas that the function required.
    #[prost(btree_map = "string, message", tag = "9")]
    pub required_schemas: BTreeMap<String, RequiredSchema>,
}

/// Metadata of a request.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RequestMeta {
    /// Identifies the request.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// Capabilities of the caller.
    #[prost(enumeration = "Capability", repeated, tag = "2")]
    pub capabilities: Vec<i32>,
}

/// A capability of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Capability {
    /// Not specified.
    Unspecified = 0,
    /// The caller lists its capabilities.
    Capabilities = 1,
    /// The caller fetches required objects.
    RequiredResources = 2,
    /// The caller sends credentials.
    Credentials = 3,
    /// The caller accepts conditions.
    Conditions = 4,
}

/// A composite and its composed resources.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionState {
    /// The composite.
    #[prost(message, optional, tag = "1")]
    pub composite: Option<FunctionResource>,
    /// The composed resources, by resource name.
    #[prost(btree_map = "string, message", tag = "2")]
    pub resources: BTreeMap<String, FunctionResource>,
}

/// An object.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionResource {
    /// The object itself.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Struct>,
    /// Data of its connection Secret.
    #[prost(btree_map = "string, bytes", tag = "2")]
    pub connection_details: BTreeMap<String, Vec<u8>>,
    /// Readiness: 0 unspecified, 1 true, 2 false.
    #[prost(int32, tag = "3")]
    pub ready: i32,
}

/// Objects that were required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionResources {
    /// The objects.
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<FunctionResource>,
}

/// Credentials of a step.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StepCredentials {
    /// Source of the credentials.
    #[prost(oneof = "CredentialSource", tags = "1")]
    pub source: Option<CredentialSource>,
}

/// Source of credentials.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum CredentialSource {
    /// A Secret.
    #[prost(message, tag = "1")]
    Data(CredentialData),
}

/// Data of a Secret with credentials.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CredentialData {
    /// Values by key.
    #[prost(btree_map = "string, bytes", tag = "1")]
    pub data: BTreeMap<String, Vec<u8>>,
}

/// A schema that was required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RequiredSchema {
    /// OpenAPI, version 3.
    #[prost(message, optional, tag = "1")]
    pub openapi_v3: Option<Struct>,
}

/// The response of a function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RunFunctionResponse {
    /// Metadata of the response.
    #[prost(message, optional, tag = "1")]
    pub meta: Option<ResponseMeta>,
    /// The desired state.
    #[prost(message, optional, tag = "2")]
    pub desired: Option<FunctionState>,
    /// Messages of the function.
    #[prost(message, repeated, tag = "3")]
    pub results: Vec<FunctionResult>,
    /// Context for the next functions.
    #[prost(message, optional, tag = "4")]
    pub context: Option<Struct>,
    /// Objects and schemas that the function needs in a further call.
    #[prost(message, optional, tag = "5")]
    pub requirements: Option<Requirements>,
}

/// Metadata of a response.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResponseMeta {
    /// Tag of the request.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// How long the response may be cached.
    #[prost(message, optional, tag = "2")]
    pub ttl: Option<Duration>,
}

/// A message of a function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionResult {
    /// Severity of the message.
    #[prost(enumeration = "Severity", tag = "1")]
    pub severity: i32,
    /// Text of the message.
    #[prost(string, tag = "2")]
    pub message: String,
}

/// Severity of a function's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Severity {
    /// Not specified; core treats it as a warning.
    Unspecified = 0,
    /// Ends the pipeline; the composite remains unchanged.
    Fatal = 1,
    /// A problem that does not end the pipeline.
    Warning = 2,
    /// Information.
    Normal = 3,
}

/// Requirements of a function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Requirements {
    /// Objects, under the older field name.
    #[prost(btree_map = "string, message", tag = "1")]
    pub extra_resources: BTreeMap<String, ResourceSelector>,
    /// Objects.
    #[prost(btree_map = "string, message", tag = "2")]
    pub resources: BTreeMap<String, ResourceSelector>,
    /// Schemas.
    #[prost(btree_map = "string, message", tag = "3")]
    pub schemas: BTreeMap<String, SchemaSelector>,
}

/// Selects required objects.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResourceSelector {
    /// Group and version, as in `apiVersion`.
    #[prost(string, tag = "1")]
    pub api_version: String,
    /// Kind of the objects.
    #[prost(string, tag = "2")]
    pub kind: String,
    /// Selects among the objects of the kind; all of them if absent.
    #[prost(oneof = "Match", tags = "3, 4")]
    pub matching: Option<Match>,
    /// Namespace of the objects; all namespaces if absent.
    #[prost(string, optional, tag = "5")]
    pub namespace: Option<String>,
}

/// Selects among the objects of a kind.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Match {
    /// The object of this name.
    #[prost(string, tag = "3")]
    Name(String),
    /// The objects with these labels.
    #[prost(message, tag = "4")]
    Labels(MatchLabels),
}

/// A label selector.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchLabels {
    /// Labels that all have to match.
    #[prost(btree_map = "string, string", tag = "1")]
    pub labels: BTreeMap<String, String>,
}

/// Selects a required schema.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SchemaSelector {
    /// Group and version, as in `apiVersion`.
    #[prost(string, tag = "1")]
    pub api_version: String,
    /// Kind that the schema describes.
    #[prost(string, tag = "2")]
    pub kind: String,
}
