//! Kustomizations of Flux as deployments.

use std::collections::BTreeMap;

use crate::manifests::deployment::{
    DecryptionMode, Deployment, DeploymentDestination, DeploymentPart, ImmutableHandling, KnownSources, PruningMode,
    ReconcileMode, RenderMethod, SourceFetch, SyncTrigger, clean_path,
};
use crate::manifests::kustomization::KustomizationEdits;
use ucp_client::prediction::ignore::flux_rules;
use ucp_core::model::body::flux;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};

impl Deployment {
    /// Reads a Kustomization whose source has a URL; `None` if that is not the checkout.
    pub fn of_kustomization(
        object: ObjectName,
        spec: &flux::FluxSpec,
        source: &flux::FluxSpec,
        repository: &dyn KnownSources,
    ) -> Option<Self> {
        let path = clean_path(spec.path.as_deref().unwrap_or_default());
        if !repository.is_checkout(source.url.as_deref()?, &path) {
            return None;
        }
        let destination = DeploymentDestination::of_flux(object.namespace.as_deref().unwrap_or_default(), spec);
        let revision = source.reference.as_ref().map(flux::GitReference::name).unwrap_or_default();
        Some(Self {
            engine: GitOps::Flux,
            parts: vec![DeploymentPart {
                path,
                revision,
                recipe: RenderMethod::KustomizeAnything(KustomizationEdits::from(&spec.build)),
            }],
            elsewhere: Vec::new(),
            fetch: SourceFetch::Fetched,
            destination,
            namespace: spec.build.target_namespace.clone(),
            pruning: if spec.build.prune { PruningMode::Automatic } else { PruningMode::Off },
            // A suspended Kustomization deletes nothing.
            on_deletion: match spec.deletes_objects() && !spec.suspend {
                true => PruningMode::Automatic,
                false => PruningMode::Off,
            },
            sync_options: Vec::new(),
            ignored: flux_rules(&spec.build.ignore),
            common: spec.build.common_metadata.clone(),
            post_build: spec.build.post_build.clone(),
            decryption: if spec.build.decryption.is_some() { DecryptionMode::On } else { DecryptionMode::Off },
            deployed: Vec::new(),
            release: None,
            application_set: None,
            references: BTreeMap::new(),
            mode: if spec.suspend { ReconcileMode::Suspended } else { ReconcileMode::Active },
            service_account: spec.service_account_name.clone().filter(|name| !name.is_empty()),
            project: None,
            trigger: SyncTrigger::Automatic,
            namespace_metadata: None,
            immutables: if spec.build.force { ImmutableHandling::Recreate } else { ImmutableHandling::Fail },
            depends_on: dependencies(&object, &spec.depends_on),
            object,
        })
    }
}

/// Returns the objects of the same kind that a Kustomization or HelmRelease depends on.
pub(super) fn dependencies(object: &ObjectName, depends_on: &[flux::FluxDependency]) -> Vec<ObjectKey> {
    let own = ObjectKey::from(object);
    let key = |dependency: &flux::FluxDependency| ObjectKey {
        namespace: dependency.namespace.clone().or_else(|| own.namespace.clone()),
        name: dependency.name.clone(),
        ..own.clone()
    };
    depends_on.iter().map(key).collect()
}
