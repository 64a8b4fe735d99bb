//! Determines the endpoint of an adoption if the connection Secret names another one than the registration or a
//! bootstrap context does. The endpoint's server is contacted without a credential, since the author of the Secret may
//! have named a server of their own.

use std::time::Duration;

use crate::adopt::access::{AllowedHazards, AppClusterAccess, ClusterEndpoint};
use crate::adopt::cluster::AppCluster;
use crate::adopt::holder::AccountHolder;
use crate::adopt::live::prepare_account::AdoptionContext;
use crate::adopt::live::remote::{self, Bootstrap};
use crate::adopt::plan::{AccessOrigin, AdoptionRefusal, ServerIdentity};
use ucp_client::source::live::api::{JSON, ReadError};
use ucp_client::source::live::limit::ResponseLimit;
use ucp_core::failure::Failure;

/// Timeout for a server to prove its identity.
const PATIENCE: Duration = Duration::from_secs(10);

/// Determines the endpoint of an adoption. A changed server is accepted if it proves to have the registered identity,
/// under the registered name. It has to prove that in every later connection as well.
///
/// # Errors
/// Fails when a bootstrap context is for another cluster.
pub async fn resolve_origin(
    cluster: &AppCluster,
    holder: AccountHolder,
    origin: AccessOrigin,
    flags: &AllowedHazards,
    tools: &AdoptionContext<'_>,
) -> Result<AccessOrigin, AdoptionRefusal> {
    let registered = cluster.registered(holder);
    let origin = match registered {
        Some(known) if !known.is_for(origin.access.endpoint(), &origin.version) => {
            let from = known.shown_server();
            match known.endpoint() {
                Some(endpoint) => follow(origin, endpoint, &from, cluster, flags, tools.timeout).await,
                None => origin.changed(&from, unproven("its registration cannot be read")),
            }
        }
        _ => origin,
    };
    match tools.bootstrap {
        Some(bootstrap) => compare(origin, bootstrap, cluster, registered.is_some(), flags, tools.timeout).await,
        None => Ok(origin),
    }
}

fn unproven(reason: &str) -> ServerIdentity {
    ServerIdentity::Unproven(reason.to_owned())
}

async fn follow(
    origin: AccessOrigin,
    known: &ClusterEndpoint,
    from: &str,
    cluster: &AppCluster,
    flags: &AllowedHazards,
    timeout: Duration,
) -> AccessOrigin {
    let Some(access) = origin.access.with_identity_of(known) else {
        return origin
            .changed(from, unproven("without https and certificate verification, a server cannot prove its identity"));
    };
    let allowed = cluster.allowed_at(access.endpoint(), flags);
    match prove_identity(access.endpoint(), &allowed, timeout).await {
        Err(reason) => origin.changed(from, ServerIdentity::Unproven(reason.into())),
        Ok(()) if access.endpoint().is_same_as(known) => AccessOrigin { access, ..origin },
        Ok(()) => AccessOrigin { access, ..origin.changed(from, ServerIdentity::Proven) },
    }
}

/// Checks that a bootstrap context is for the same cluster, since the credential created through it is sent to the
/// endpoint.
async fn compare(
    origin: AccessOrigin,
    bootstrap: &Bootstrap,
    cluster: &AppCluster,
    is_registered: bool,
    flags: &AllowedHazards,
    timeout: Duration,
) -> Result<AccessOrigin, AdoptionRefusal> {
    let (endpoint, theirs) = (origin.access.endpoint(), bootstrap.endpoint());
    if endpoint.is_same_as(theirs) {
        return Ok(origin);
    }
    let server = &endpoint.server;
    let refusal = |reason: &str| {
        AdoptionRefusal::new(
            format!(
                "the bootstrap credential is for another cluster: {server} could not be verified as its server: {reason}"
            ),
            "choose a context of this cluster, whose server has a certificate with the same name and authority",
        )
    };
    let Some(access) = origin.access.with_identity_of(theirs) else {
        return Err(refusal(
            "the context or the kubeconfig of this cluster does not use https, or skips its verification",
        ));
    };
    let allowed = cluster.allowed_at(access.endpoint(), flags);
    // A hazard that no flag allows is reported by the plan.
    if access.endpoint().obstacle(&allowed).is_none() {
        prove_identity(access.endpoint(), &allowed, timeout).await.map_err(|reason| refusal(reason.as_str()))?;
    }
    let is_known =
        is_registered && !matches!(&origin.change, Some(change) if change.identity != ServerIdentity::Proven);
    // A registered endpoint is trusted; any other only by the identity of the context.
    Ok(if is_known { origin } else { AccessOrigin { access, ..origin } })
}

/// Checks that a server has the certificate that an endpoint requires. No credential is sent.
///
/// # Errors
/// Returns the reason if it has not, or did not respond.
async fn prove_identity(
    endpoint: &ClusterEndpoint,
    allowed: &AllowedHazards,
    timeout: Duration,
) -> Result<(), Failure> {
    let patience = if timeout.is_zero() { PATIENCE } else { timeout.min(PATIENCE) };
    let checked = AppClusterAccess::check_anonymous(endpoint, allowed).map_err(|obstacle| obstacle.to_string())?;
    let api = remote::connect(&checked, patience)?;
    match api.get("/version", JSON, ResponseLimit::Small).await {
        Err(error @ (ReadError::Transport(_) | ReadError::Timeout(_))) => Err(error.to_string().into()),
        // Any response, even an error, comes from the verified server.
        _ => Ok(()),
    }
}
