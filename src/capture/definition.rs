//! CustomResourceDefinitions without their schemas: those of two clouds are 147 MB, and no command that reads a snapshot
//! asks for them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A definition, as far as it is kept.
#[derive(Serialize, Deserialize)]
pub(super) struct Definition {
    pub(super) metadata: Value,
    spec: Spec,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    status: Value,
}

#[derive(Serialize, Deserialize)]
struct Spec {
    group: String,
    names: Value,
    scope: String,
    #[serde(default)]
    versions: Vec<Version>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversion: Option<Conversion>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    name: String,
    served: bool,
    storage: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecation_warning: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    subresources: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    additional_printer_columns: Value,
}

#[derive(Serialize, Deserialize)]
struct Conversion {
    strategy: String,
}
