//! The object of the Flux operator.

/// The object of the Flux operator that installs Flux and its root.
pub(super) const FLUX_INSTANCE: (&str, &str) = ("fluxcd.controlplane.io", "FluxInstance");
