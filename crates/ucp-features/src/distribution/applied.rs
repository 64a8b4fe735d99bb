//! Objects that deployers apply from Git.

use ucp_core::model::body::Body;
use ucp_core::model::object::ObjectName;

/// Returns the objects that a deployer applies from Git.
pub(super) fn applied(resource: &ucp_core::model::resource::Resource) -> Vec<ObjectName> {
    match &resource.body {
        Body::Application(application) => {
            let live = application.status.resources.iter().filter(|one| !one.requires_pruning);
            live.map(ucp_core::model::body::argocd::DeployedResource::object).collect()
        }
        _ => Vec::new(),
    }
}
