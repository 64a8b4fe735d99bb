//! Occurrences for tests.

use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::ObjectName;

/// Returns the name of an object in the namespace `shop`.
pub(super) fn object(kind: &str, name: &str) -> ObjectName {
    let api_version = if kind == "Deployment" { "apps/v1" } else { "v1" };
    ObjectName { api_version: api_version.into(), kind: kind.into(), namespace: Some("shop".into()), name: name.into() }
}

/// Returns an occurrence of one day, at a time such as `03:10:00`.
pub(super) fn occurrence(clock: &str, object: &ObjectName, change: ChangeSort, what: &str) -> Occurrence {
    Occurrence::at(format!("2026-11-20T{clock}Z").parse().unwrap(), object.clone(), change, what)
}
