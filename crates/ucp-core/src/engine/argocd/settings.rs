//! Names in the API of Argo CD.

/// The API group of Argo CD's own kinds.
pub const GROUP: &str = "argoproj.io";

/// Annotation that disables reconciliation of an Application.
pub const SKIP_RECONCILE: &str = "argocd.argoproj.io/skip-reconcile";
