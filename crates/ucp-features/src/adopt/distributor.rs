//! The registration of a cluster with `kubectl ucp secrets`: a Secret beside those of the engine, with the kubeconfig
//! of a ServiceAccount that may read and write Secrets in some namespaces of the app cluster, and nothing else.

use secrecy::ExposeSecret as _;

use crate::adopt::access::AppClusterAccess;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::MANAGED_BY;
use crate::adopt::record::AdoptionRecord;
use crate::adopt::registration::{ArgoCdClusterSettings, EngineLogin, Registration};
use ucp_core::model::body::Body;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::resource::Resource;

/// The label that distinguishes it from a registration with Flux.
pub const LABEL: (&str, &str) = ("kubectl-ucp.io/registers", "secrets");
/// The same label as a selector for the API server.
pub const SELECTOR: &str = "kubectl-ucp.io/registers=secrets";
/// The key in `data` that holds the kubeconfig.
pub const KEY: &str = "value";

/// Returns true if the metadata is that of a registration with `kubectl ucp secrets`.
pub fn is_registration(metadata: &Metadata) -> bool {
    metadata.label(MANAGED_BY.0) == Some(MANAGED_BY.1) && metadata.label(LABEL.0) == Some(LABEL.1)
}

/// Reads a registration; `None` for other Secrets, and for those without a record of kubectl ucp.
pub fn read(resource: &Resource) -> Option<Registration> {
    let Body::Secret(secret) = &resource.body else { return None };
    let record = AdoptionRecord::read(&resource.metadata).filter(|_| is_registration(&resource.metadata))?;
    let (server, login) = match secret.values.get(KEY).and_then(Option::as_ref) {
        Some(text) => match AppClusterAccess::from_kubeconfig(text.expose_secret(), None) {
            Ok(access) => (Some(access.endpoint().server.clone()), EngineLogin::Static(Box::new(access))),
            Err(reason) => (None, EngineLogin::Unreadable(reason)),
        },
        None => (None, EngineLogin::Unreadable("its kubeconfig is missing or redacted".into())),
    };
    Some(Registration {
        holder: AccountHolder::Secrets,
        object: resource.name(),
        metadata: resource.metadata.clone(),
        name: record.cluster.clone(),
        server,
        login,
        settings: ArgoCdClusterSettings::default(),
        record: Some(record),
    })
}
