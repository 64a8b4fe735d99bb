//! What core and functions say to each other: `run_function.proto` of package `apiextensions.fn.proto.v1`, as
//! function-sdk-go v0.7.1 has it (Apache-2.0), in structs that are written by hand so that no build needs protoc.

use std::collections::BTreeMap;

use prost_types::{Duration, Struct};

/// Where functions are asked.
pub const V1: &str = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";
/// The same bytes, as functions of before Crossplane 1.17 want them.
pub const V1_BETA1: &str = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction";

/// A question to a function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RunFunctionRequest {
    /// About the question.
    #[prost(message, optional, tag = "1")]
    pub meta: Option<RequestMeta>,
    /// What there is.
    #[prost(message, optional, tag = "2")]
    pub observed: Option<State>,
    /// What the functions before this one want.
    #[prost(message, optional, tag = "3")]
    pub desired: Option<State>,
    /// `input` of the step.
    #[prost(message, optional, tag = "4")]
    pub input: Option<Struct>,
    /// What functions hand on to each other.
    #[prost(message, optional, tag = "5")]
    pub context: Option<Struct>,
    /// What it required, by the older name.
    #[prost(btree_map = "string, message", tag = "6")]
    pub extra_resources: BTreeMap<String, Resources>,
    /// Credentials of the step.
    #[prost(btree_map = "string, message", tag = "7")]
    pub credentials: BTreeMap<String, Credentials>,
    /// What it required.
    #[prost(btree_map = "string, message", tag = "8")]
    pub required_resources: BTreeMap<String, Resources>,
    /// Schemas that it required.
    #[prost(btree_map = "string, message", tag = "9")]
    pub required_schemas: BTreeMap<String, Schema>,
}

/// About a question.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RequestMeta {
    /// Tells questions apart.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// What the one who asks can do.
    #[prost(enumeration = "Capability", repeated, tag = "2")]
    pub capabilities: Vec<i32>,
}

/// What the one who asks can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Capability {
    /// Nothing is said.
    Unspecified = 0,
    /// It says what it can do.
    Capabilities = 1,
    /// It fetches what is required.
    RequiredResources = 2,
    /// It sends credentials.
    Credentials = 3,
    /// It takes conditions.
    Conditions = 4,
}

/// A composite and what it is made of.
#[derive(Clone, PartialEq, prost::Message)]
pub struct State {
    /// The composite.
    #[prost(message, optional, tag = "1")]
    pub composite: Option<Resource>,
    /// What it is made of, by resource name.
    #[prost(btree_map = "string, message", tag = "2")]
    pub resources: BTreeMap<String, Resource>,
}

/// An object.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Resource {
    /// The object itself.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Struct>,
    /// What its connection Secret holds.
    #[prost(btree_map = "string, bytes", tag = "2")]
    pub connection_details: BTreeMap<String, Vec<u8>>,
    /// Whether it is ready: 0 unsaid, 1 yes, 2 no.
    #[prost(int32, tag = "3")]
    pub ready: i32,
}

/// Objects that were required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Resources {
    /// The objects.
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<Resource>,
}

/// Credentials of a step.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Credentials {
    /// Where they are from.
    #[prost(oneof = "CredentialSource", tags = "1")]
    pub source: Option<CredentialSource>,
}

/// Where credentials are from.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum CredentialSource {
    /// A Secret.
    #[prost(message, tag = "1")]
    Data(CredentialData),
}

/// What a Secret with credentials holds.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CredentialData {
    /// By key.
    #[prost(btree_map = "string, bytes", tag = "1")]
    pub data: BTreeMap<String, Vec<u8>>,
}

/// A schema that was required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Schema {
    /// OpenAPI, version 3.
    #[prost(message, optional, tag = "1")]
    pub openapi_v3: Option<Struct>,
}

/// What a function answers.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RunFunctionResponse {
    /// About the answer.
    #[prost(message, optional, tag = "1")]
    pub meta: Option<ResponseMeta>,
    /// What there should be.
    #[prost(message, optional, tag = "2")]
    pub desired: Option<State>,
    /// What it has to say.
    #[prost(message, repeated, tag = "3")]
    pub results: Vec<FunctionResult>,
    /// What it hands on.
    #[prost(message, optional, tag = "4")]
    pub context: Option<Struct>,
    /// What it requires to answer better.
    #[prost(message, optional, tag = "5")]
    pub requirements: Option<Requirements>,
}

/// About an answer.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResponseMeta {
    /// That of the question.
    #[prost(string, tag = "1")]
    pub tag: String,
    /// How long the answer is good for.
    #[prost(message, optional, tag = "2")]
    pub ttl: Option<Duration>,
}

/// Something that a function says.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionResult {
    /// How bad it is.
    #[prost(enumeration = "Severity", tag = "1")]
    pub severity: i32,
    /// In its words.
    #[prost(string, tag = "2")]
    pub message: String,
}

/// How bad something is that a function says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Severity {
    /// Nobody says; core takes it for a warning.
    Unspecified = 0,
    /// The composite is left as it is.
    Fatal = 1,
    /// Worth a look.
    Warning = 2,
    /// Good to know.
    Normal = 3,
}

/// What a function requires.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Requirements {
    /// Objects, by the older name.
    #[prost(btree_map = "string, message", tag = "1")]
    pub extra_resources: BTreeMap<String, ResourceSelector>,
    /// Objects.
    #[prost(btree_map = "string, message", tag = "2")]
    pub resources: BTreeMap<String, ResourceSelector>,
    /// Schemas.
    #[prost(btree_map = "string, message", tag = "3")]
    pub schemas: BTreeMap<String, SchemaSelector>,
}

/// Which objects are required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResourceSelector {
    /// Group and version.
    #[prost(string, tag = "1")]
    pub api_version: String,
    /// Kind.
    #[prost(string, tag = "2")]
    pub kind: String,
    /// Which of the kind; all of them where nothing is said.
    #[prost(oneof = "Match", tags = "3, 4")]
    pub matching: Option<Match>,
    /// Namespace; everywhere where nothing is said.
    #[prost(string, optional, tag = "5")]
    pub namespace: Option<String>,
}

/// Which objects of a kind are required.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Match {
    /// The one of this name.
    #[prost(string, tag = "3")]
    Name(String),
    /// Those with these labels.
    #[prost(message, tag = "4")]
    Labels(MatchLabels),
}

/// Labels to look for.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchLabels {
    /// All of these.
    #[prost(btree_map = "string, string", tag = "1")]
    pub labels: BTreeMap<String, String>,
}

/// Which schema is required.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SchemaSelector {
    /// Group and version.
    #[prost(string, tag = "1")]
    pub api_version: String,
    /// Kind.
    #[prost(string, tag = "2")]
    pub kind: String,
}
