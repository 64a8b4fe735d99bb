//! Resolves host names, and fails for those that lead to forbidden addresses.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower::Service;

use crate::source::addresses::{ForbiddenAddresses, check_addresses};

/// A resolver that fails for names that lead to forbidden addresses.
#[derive(Clone)]
pub(super) struct CheckedResolver {
    forbidden: ForbiddenAddresses,
    system: GaiResolver,
}

impl CheckedResolver {
    pub(super) fn new(forbidden: ForbiddenAddresses) -> Self {
        Self { forbidden, system: GaiResolver::new() }
    }
}

impl Service<Name> for CheckedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.system.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (forbidden, host, found) = (self.forbidden.clone(), name.to_string(), self.system.call(name));
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = found.await?.collect();
            check_addresses(&host, &addresses, &forbidden)?;
            Ok(addresses.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::addresses::LocalAddress;

    #[test]
    fn a_name_of_this_machine_is_refused_where_that_is_forbidden() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let resolve = |forbidden: &[LocalAddress]| {
            let mut resolver = CheckedResolver::new(forbidden.iter().copied().collect());
            runtime.block_on(async { resolver.call("localhost".parse().unwrap()).await })
        };
        assert!(resolve(&[LocalAddress::Loopback]).is_err() && resolve(&[LocalAddress::LinkLocal]).is_ok());
    }
}
