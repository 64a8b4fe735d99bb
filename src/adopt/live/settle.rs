//! Which endpoint an adoption is for, where the connection Secret names another one than the registration does, or than a
//! bootstrap context. It is asked without any credential: whoever may write the Secret may name a server of their own.

use std::time::Duration;

use crate::adopt::access::{Access, Allowed, Endpoint};
use crate::adopt::cluster::AppCluster;
use crate::adopt::holder::Holder;
use crate::adopt::live::prepare_account::Tools;
use crate::adopt::live::remote::{self, Bootstrap};
use crate::adopt::plan::{Origin, Refusal, ServerIdentity};
use crate::source::live::api::{JSON, ReadError};

/// The longest that a server is waited for to prove who it is.
const PATIENCE: Duration = Duration::from_secs(10);

/// Settles the endpoint of an adoption. A server that changed is followed where it proves, under the registered name, to
/// be the registered one; it has to prove that in every later connection as well.
///
/// # Errors
/// When a bootstrap context leads to another cluster.
pub async fn settle(
    cluster: &AppCluster,
    holder: Holder,
    origin: Origin,
    flags: &Allowed,
    tools: &Tools<'_>,
) -> Result<Origin, Refusal> {
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
    origin: Origin,
    known: &Endpoint,
    from: &str,
    cluster: &AppCluster,
    flags: &Allowed,
    timeout: Duration,
) -> Origin {
    let Some(access) = origin.access.with_identity_of(known) else {
        return origin
            .changed(from, unproven("without https and a certificate that is checked, no server proves that"));
    };
    let allowed = cluster.allowed_at(access.endpoint(), flags);
    match prove_identity(access.endpoint(), &allowed, timeout).await {
        Err(reason) => origin.changed(from, ServerIdentity::Unproven(reason)),
        Ok(()) if access.endpoint().is_same_as(known) => Origin { access, ..origin },
        Ok(()) => Origin { access, ..origin.changed(from, ServerIdentity::Proven) },
    }
}

/// Makes sure that a bootstrap context leads to the same cluster: what is made through it is shown to the endpoint.
async fn compare(
    origin: Origin,
    bootstrap: &Bootstrap,
    cluster: &AppCluster,
    is_registered: bool,
    flags: &Allowed,
    timeout: Duration,
) -> Result<Origin, Refusal> {
    let (endpoint, theirs) = (origin.access.endpoint(), bootstrap.endpoint());
    if endpoint.is_same_as(theirs) {
        return Ok(origin);
    }
    let server = &endpoint.server;
    let refusal = |reason: &str| {
        Refusal::new(
            format!(
                "the bootstrap credential is for another cluster: {server} does not prove to be its server: {reason}"
            ),
            "choose a context of this cluster, whose server has a certificate with the same name and authority",
        )
    };
    let Some(access) = origin.access.with_identity_of(theirs) else {
        return Err(refusal("the context or the kubeconfig of this cluster does without https or its verification"));
    };
    let allowed = cluster.allowed_at(access.endpoint(), flags);
    // What no flag allows is told as such.
    if access.endpoint().obstacle(&allowed).is_none() {
        prove_identity(access.endpoint(), &allowed, timeout).await.map_err(|reason| refusal(&reason))?;
    }
    let is_known =
        is_registered && !matches!(&origin.change, Some(change) if change.identity != ServerIdentity::Proven);
    // What is registered is known by itself; all else only by the context.
    Ok(if is_known { origin } else { Origin { access, ..origin } })
}

/// Makes sure that a server has the certificate that an endpoint demands. No credential is sent.
///
/// # Errors
/// Why it has not, or did not answer.
async fn prove_identity(endpoint: &Endpoint, allowed: &Allowed, timeout: Duration) -> Result<(), String> {
    let patience = if timeout.is_zero() { PATIENCE } else { timeout.min(PATIENCE) };
    let checked = Access::check_anonymous(endpoint, allowed).map_err(|obstacle| obstacle.to_string())?;
    let api = remote::connect(&checked, patience).map_err(|error| error.message())?;
    match api.get("/version", JSON).await {
        Err(error @ (ReadError::Transport(_) | ReadError::Timeout(_))) => Err(error.to_string()),
        // Whatever it answers, it answers as the one.
        _ => Ok(()),
    }
}
