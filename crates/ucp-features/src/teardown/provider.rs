//! Providers among the deleted objects.

use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::resource::Resource;

/// Returns true if the object is a provider.
pub(super) fn is_provider(resource: &Resource) -> bool {
    role(&resource.kind) == Some(CrossplaneRole::Package) && resource.kind.kind == "Provider"
}
