//! Words of messages of Flux, and objects without a message.

use crate::model::body::flux::FluxObject;
use crate::model::condition::Condition;
use crate::model::resource::Resource;

/// Returns true for a HelmRepository of an OCI registry, which is static: it has no status.
pub(super) fn has_no_status(resource: &Resource, fields: &FluxObject) -> bool {
    resource.kind.kind == "HelmRepository" && fields.spec.kind.as_deref() == Some("oci")
}

pub(super) fn words(condition: &Condition) -> String {
    match condition.message.trim() {
        "" => condition.reason.to_string(),
        message => format!("{}: {message}", condition.reason),
    }
}
