//! Kinds of the core cluster that discovery omits: without their objects, a credential looks like any other Secret, one of two
//! declarations like the only one, and a name that two Secrets will have like the name of one.

use crate::adopt::live::gather::CoreClusterState;
use crate::distribution::credentials::{ALL_KINDS, is_credential_user};
use crate::distribution::intent::DECLARING;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::definition::{not_compared, unlisted_kinds};
use ucp_client::source::{ConnectionArgs, kubeconfig, live};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::error::Result;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::Unreadable;

/// Adds a gap for each kind with credentials, declarations, or connection Secrets that a live server defines and does not
/// list. If the user may not list definitions, discovery is trusted.
///
/// # Errors
/// Fails when no connection is configured.
pub fn report_hidden_kinds(connection: &ConnectionArgs, gathered: &mut CoreClusterState) -> Result<()> {
    if connection.from.is_some() {
        return Ok(());
    }
    let listed = gathered.kinds.listed();
    let unlisted = live::runtime()?.block_on(async {
        let api = Api::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
        Ok::<_, ucp_core::error::Error>(unlisted_kinds(&api, listed).await)
    })?;
    let unreadable = &mut gathered.state.unreadable;
    match unlisted {
        Ok(unlisted) => unreadable.extend(unlisted.iter().filter_map(|kind| kind.entry_if(is_meant)).cloned()),
        Err(ReadError::Denied { code: 403, .. }) => {}
        Err(error) => {
            let Unreadable { reason, .. } = not_compared(&error).into_entry();
            unreadable.push(Unreadable { what: ALL_KINDS.to_owned(), reason });
        }
    }
    Ok(())
}

fn is_meant(kind: &ResourceKind) -> bool {
    let writes_secrets =
        matches!(role(kind), Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim));
    let is_of_argo_cd = kind.group == "argoproj.io" && matches!(kind.kind.as_str(), "AppProject" | "Application");
    writes_secrets || is_of_argo_cd || is_credential_user(kind) || is_declaring(kind)
}

fn is_declaring(kind: &ResourceKind) -> bool {
    DECLARING.iter().any(|(group, name, _)| *group == kind.group && *name == kind.kind)
}
