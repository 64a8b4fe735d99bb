//! Finalizers of controllers that no rule covers: it is unknown when one releases its object, and what it deletes before.

use super::nature::{DeletionNature, foreign_finalizer, nature_of};
use super::storage::BALANCER_FINALIZERS;
use ucp_core::engine::crossplane::role;
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::model::resource::Resource;

/// Domains of finalizers that are known on every object: CSI's attacher, kro, and the load balancers of GKE.
const KNOWN: [&str; 4] = ["external-attacher", "kro.run", "networking.gke.io", "gke.networking.io"];

/// Returns the first finalizer of an object that neither Kubernetes nor the engine of its kind sets.
pub(super) fn unknown_finalizer(resource: &Resource) -> Option<&str> {
    let finalizers = &resource.metadata.finalizers;
    let is_own = |name: &str| {
        let domain = domain_of(name);
        let is_of_kind = base(domain).is_some_and(|base_domain| Some(base_domain) == base(&resource.kind.group));
        KNOWN.contains(&domain) || BALANCER_FINALIZERS.contains(&name) || is_of_kind && has_own_finalizers(resource)
    };
    finalizers.iter().map(AsRef::as_ref).find(|name| foreign_finalizer(&[name]).is_some() && !is_own(name))
}

/// Returns true for the kinds of engines whose finalizers have the domain of the kind. Those of Crossplane have the domain of
/// Crossplane, also on the kinds of providers and platforms.
fn has_own_finalizers(resource: &Resource) -> bool {
    let is_composite = matches!(purpose(&resource.kind), Some(ExternalRole::Composite | ExternalRole::Claim));
    nature_of(&resource.kind) == DeletionNature::Engine && role(&resource.kind).is_none() && !is_composite
}

fn domain_of(finalizer: &str) -> &str {
    finalizer.split_once('/').map_or(finalizer, |(domain, _)| domain)
}

/// Returns the last two labels of a domain: `fluxcd.io` of both `kustomize.toolkit.fluxcd.io` and `finalizers.fluxcd.io`.
fn base(domain: &str) -> Option<&str> {
    let mut dots = domain.rmatch_indices('.').map(|(dot, _)| dot);
    dots.next()?;
    Some(dots.next().map_or(domain, |dot| &domain[dot + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_has_two_labels() {
        for (domain, expected) in [
            ("resources-finalizer.argocd.argoproj.io", Some("argoproj.io")),
            ("kro.run", Some("kro.run")),
            ("orphan", None),
            ("", None),
        ] {
            assert_eq!(base(domain), expected, "{domain}");
        }
    }
}
