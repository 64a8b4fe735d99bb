//! CustomResourceDefinitions without their schemas: those of two clouds are 147 MB, and no command that reads a
//! snapshot needs them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ucp_core::model::weight::from_json;

/// Converts a definition from the server to the form in snapshots.
///
/// # Errors
/// Fails when it is not a CustomResourceDefinition.
pub(super) fn without_schemas(text: &str) -> serde_json::Result<String> {
    let mut definition: KeptDefinition<'_> = serde_json::from_str(text)?;
    definition.metadata.remove("managedFields");
    serde_json::to_string(&definition)
}

/// Adds the schemas of a definition from the server to its form in snapshots. They are the same for all users of a package, and
/// hold no values.
///
/// # Errors
/// Fails when one of the texts is not JSON.
pub(super) fn with_schemas(kept: &str, text: &str) -> serde_json::Result<String> {
    let (mut kept, mut original): (Value, Value) = (from_json(kept.as_bytes())?, from_json(text.as_bytes())?);
    let versions = kept.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
    let mut originals = original.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
    for version in versions.into_iter().flatten() {
        let mut of_server = originals.iter_mut().flat_map(|originals| originals.iter_mut());
        let found = of_server.find(|original| original.get("name") == version.get("name"));
        if let Some(schema) = found.and_then(|original| original.get_mut("schema")) {
            version["schema"] = schema.take();
        }
    }
    serde_json::to_string(&kept)
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
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    selectable_fields: Option<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
struct KeptConversion {
    strategy: String,
}
