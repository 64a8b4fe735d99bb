//! Flux image automation: ImageRepositories, ImagePolicies, and ImageUpdateAutomations.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, TextLocation, verdicts,
};
use crate::graph::link::Relation;

codes! {
    FluxImageFailed "UCP741" Failed "Flux's image automation fails" {
        "Condition Ready of an ImageRepository, ImagePolicy or ImageUpdateAutomation is False, or Stalled is True: the registry is not read, no tag fits, or nothing is pushed to Git. The running versions do not change."
        "Read the message: it names the registry, the policy or the repository."
        "kubectl describe {object}"
    }
    FluxPolicyMissing "UCP742" Failed "a line in Git is marked for a policy that does not exist" {
        "A file of the repository has a marker {\"$imagepolicy\": \"NAMESPACE:NAME\"}, an ImageUpdateAutomation of the cluster writes to that file, and no ImagePolicy has that name: the version on the line is never updated, and Flux does not report this. 'kubectl ucp drift --repo PATH' reports it."
        "Create the policy, correct its name in the marker, or remove the marker."
        "kubectl get imagepolicies -A"
    }
}

const fn to(field: &'static str, kind: TextLocation, group: &'static str, relation: Relation) -> ReferenceField {
    ReferenceField {
        relation,
        each: field,
        group: TextLocation::Is(group),
        kind,
        namespace: TextLocation::Item("namespace"),
        name: TextLocation::Item("name"),
    }
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "Flux image automation",
    part_of: "flux-image-automation",
    kinds: &[KindSelector {
        group: "image.toolkit.fluxcd.io",
        which: KindFilter::Only(&["ImageRepository", "ImagePolicy", "ImageUpdateAutomation"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::FluxImageFailed),
    controllers: &[
        DeclaredController::for_kinds(&["image-reflector-controller"], &["ImageRepository", "ImagePolicy"]),
        DeclaredController::for_kinds(&["image-automation-controller"], &["ImageUpdateAutomation"]),
    ],
    references: &[
        to("imageRepositoryRef", TextLocation::Is("ImageRepository"), "image.toolkit.fluxcd.io", Relation::DependsOn),
        to("sourceRef", TextLocation::ItemOr("kind", "GitRepository"), "source.toolkit.fluxcd.io", Relation::DependsOn),
        to("secretRef", TextLocation::Is("Secret"), "", Relation::Reads),
    ],
    ..DeclaredEngine::NEW
};
