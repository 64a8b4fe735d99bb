//! The effects of fields that protect an external resource, and where they are found.

use serde_json::Value;

/// The effect of a protecting field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Safeguard {
    /// The provider releases the object and keeps the external resource: the field, as text.
    Keeps(String),
    /// It is unknown whether the external resource is kept, refused, or deleted: the field, as text.
    Doubtful(String),
    /// The deletion is refused.
    Refuses {
        /// The field and the effect, as text.
        reason: String,
        /// The path of the declared field, such as `forProvider.settings.0.deletionProtectionEnabled` in `spec`.
        path: Vec<String>,
        /// The value that permits the deletion.
        release: Value,
    },
}

/// JSON pointers to fields, in order of precedence: observed fields are in force, declared ones will be, and initial
/// ones were at the creation.
pub(super) const PLACES: [&str; 3] = ["/status/atProvider", "/spec/forProvider", "/spec/initProvider"];

/// Returns the path in `spec` of a field that is declared for the provider.
pub(super) fn declared_path(path: &[String]) -> Vec<String> {
    ["forProvider".to_owned()].into_iter().chain(path.iter().cloned()).collect()
}

/// Returns true if the fields name a final snapshot.
pub(super) fn names_final_snapshot(fields: &Value) -> bool {
    let is_name = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.starts_with("final") && key.contains("snapshot")
    };
    fields.as_object().is_some_and(|fields| {
        fields.iter().any(|(key, value)| is_name(key) && value.as_str().is_some_and(|name| !name.is_empty()))
    })
}
