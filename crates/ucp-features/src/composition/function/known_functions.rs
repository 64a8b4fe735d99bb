//! Functions of known publishers.

/// Functions that only compute: their responses depend only on the request, and they access nothing else. Names of
/// their packages below [`PUBLISHERS`].
pub(super) const COMPUTING: [&str; 5] = [
    "function-auto-ready",
    "function-environment-configs",
    "function-go-templating",
    "function-patch-and-transform",
    "function-sequencer",
];

/// Repositories to which the authors of [`COMPUTING`] publish. A package of the same name elsewhere may be from anyone.
pub(super) const PUBLISHERS: [&str; 3] =
    ["xpkg.crossplane.io/crossplane-contrib", "xpkg.upbound.io/crossplane-contrib", "ghcr.io/crossplane-contrib"];
