//! Addresses of running functions.

use std::fmt;

use http::Uri;

/// The address of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionAddress {
    /// Host and port.
    pub uri: Uri,
    /// Security of the connection.
    pub security: ConnectionSecurity,
}

/// The security of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionSecurity {
    /// No TLS: `grpc://`.
    Plain,
    /// Mutual TLS: `grpcs://`.
    Mutual,
}

impl fmt::Display for FunctionAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.uri.authority().map_or("", http::uri::Authority::as_str);
        formatter.write_str(authority)
    }
}
