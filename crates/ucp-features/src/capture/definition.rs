//! CustomResourceDefinitions without their schemas: those of two clouds are 147 MB, and no command that reads a
//! snapshot needs them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Converts a definition from the server to the form in snapshots.
///
/// # Errors
/// Fails when it is not a CustomResourceDefinition.
pub(super) fn without_schemas(text: &str) -> serde_json::Result<String> {
    let mut definition: KeptDefinition<'_> = serde_json::from_str(text)?;
    definition.metadata.remove("managedFields");
    serde_json::to_string(&definition)
}

/// The fields of a definition that are kept.
#[derive(Serialize, Deserialize)]
struct KeptDefinition<'a> {
    #[serde(borrow)]
    metadata: BTreeMap<String, &'a RawValue>,
    #[serde(borrow)]
    spec: KeptDefinitionSpec<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    status: Option<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
struct KeptDefinitionSpec<'a> {
    group: String,
    #[serde(borrow)]
    names: &'a RawValue,
    scope: String,
    #[serde(borrow, default)]
    versions: Vec<KeptDefinitionVersion<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversion: Option<KeptConversion>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptDefinitionVersion<'a> {
    name: String,
    served: bool,
    storage: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecation_warning: Option<String>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    subresources: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    additional_printer_columns: Option<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
struct KeptConversion {
    strategy: String,
}
