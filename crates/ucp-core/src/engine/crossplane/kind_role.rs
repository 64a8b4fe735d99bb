//! Roles of kinds of Crossplane, and its labels and annotations.

use crate::model::kind::ResourceKind;

/// Label on composed resources with the name of their composite.
pub const COMPOSITE_LABEL: &str = "crossplane.io/composite";

/// Annotation of managed resources with their external name.
pub const EXTERNAL_NAME: &str = "crossplane.io/external-name";

/// Label of a revision with the name of its package.
pub const PACKAGE_LABEL: &str = "pkg.crossplane.io/package";

/// Annotation that pauses reconciliation.
pub const PAUSED: &str = "crossplane.io/paused";

/// The role of a Crossplane kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CrossplaneRole {
    /// Represents an external resource: `kubectl get managed`.
    Managed,
    /// A composite: consists of other objects.
    Composite,
    /// Requests a composite from within a namespace.
    Claim,
    /// Installs a provider, configuration, or function.
    Package,
    /// One version of a package.
    Revision,
    /// Contains the credentials and settings of a provider.
    ProviderConfig,
    /// Defines the parts of composites, and the functions that create them.
    Composition,
}

/// Returns the role of a kind; `None` if it does not belong to Crossplane, or is not used.
pub fn role(kind: &ResourceKind) -> Option<CrossplaneRole> {
    if kind.group == "pkg.crossplane.io" {
        return match kind.kind.as_str() {
            "Provider" | "Configuration" | "Function" => Some(CrossplaneRole::Package),
            "ProviderRevision" | "ConfigurationRevision" | "FunctionRevision" => Some(CrossplaneRole::Revision),
            _ => None,
        };
    }
    if kind.group == "apiextensions.crossplane.io" {
        return (kind.kind == "Composition").then_some(CrossplaneRole::Composition);
    }
    if matches!(kind.kind.as_str(), "ProviderConfig" | "ClusterProviderConfig") {
        return Some(CrossplaneRole::ProviderConfig);
    }
    if kind.in_category("managed") {
        Some(CrossplaneRole::Managed)
    } else if kind.in_category("composite") {
        Some(CrossplaneRole::Composite)
    } else if kind.in_category("claim") {
        Some(CrossplaneRole::Claim)
    } else if is_uncategorised_managed(kind) {
        Some(CrossplaneRole::Managed)
    } else {
        None
    }
}

/// Returns true for managed resources without the category `managed`. Some providers only set `crossplane`
/// (upbound/provider-terraform#114), which is also on Crossplane's own kinds, usages, and stores.
pub(super) fn is_uncategorised_managed(kind: &ResourceKind) -> bool {
    const OWN_GROUPS: [&str; 5] = [
        "apiextensions.crossplane.io",
        "ops.crossplane.io",
        "pkg.crossplane.io",
        "protection.crossplane.io",
        "secrets.crossplane.io",
    ];
    const HELPERS: [&str; 4] = ["ProviderConfigUsage", "StoreConfig", "Usage", "ClusterUsage"];
    kind.in_category("crossplane")
        && !["provider", "providerconfig", "store"].iter().any(|category| kind.in_category(category))
        && !OWN_GROUPS.contains(&kind.group.as_str())
        && !HELPERS.contains(&kind.kind.as_str())
}
