//! Examines objects that are no longer declared: whether they are deleted, and which others with them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::admission::admission_effects;
use crate::plan::change::{PlannedChange, reason_to_keep, release_ground};
use crate::plan::examine::{Examination, ExaminedChange, Examiner};
use crate::plan::external;
use crate::plan::outcome::{PlanAction, ServerCheck};
use crate::plan::prepare::is_skipped;
use ucp_client::prediction::cluster::{path_of, text_at};
use ucp_client::prediction::ignore::strip_server_fields;
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_repo::manifests::deployment::Deployment;

impl Examiner<'_> {
    /// Examines an object that its deployer may delete.
    pub(super) async fn examine_removal(&self, mut planned: PlannedChange, deployment: &Deployment) -> Examination {
        let group = planned.object.group().to_owned();
        let version = planned.object.api_version.rsplit('/').next().unwrap_or_default().to_owned();
        let kind = match self.cluster.find_preferred(&group, &planned.object.kind).await {
            Ok(Some(preferred)) => preferred,
            // The kind was removed, and all of its objects with it.
            Ok(None) => return Examination::Unchanged,
            Err(error) => return self.unreadable_object(&planned.object, error.to_string()),
        };
        let own = self.cluster.find_kind(&planned.object.api_version, &planned.object.kind).await;
        let kind = own.ok().flatten().filter(|_| !version.is_empty()).unwrap_or(kind);
        planned.object.api_version = kind.api_version();
        let object = planned.object.clone();
        let path = path_of(&kind, object.namespace.as_deref(), &object.name);
        let live = match self.cluster.api.read_object(&path).await {
            Ok(Some(live)) => live,
            Ok(None) => return Examination::Unchanged,
            Err(error) => return self.unreadable_object(&object, error.to_string()),
        };
        let is_pruned = planned.notes.is_empty() && deployment.application_set.is_none();
        if is_pruned && deployment.engine == GitOps::ArgoCd && is_skipped(GitOps::ArgoCd, &live) {
            // Argo CD lists hooks among its objects, and does not prune them.
            return Examination::Unchanged;
        }
        let stays = reason_to_keep(deployment, &live);
        if let (Some(release), None) = (&deployment.release, &stays) {
            match release_ground(release, &deployment.object, &live) {
                Ok(ground) => planned.notes.push(ground),
                Err(reason) => return self.unreadable_object(&object, reason.into()),
            }
        }
        self.examine_loss(planned, &kind, live, stays).await
    }

    /// Examines an object that is no longer declared. `stays` is the reason why it remains, if any.
    pub(super) async fn examine_loss(
        &self,
        planned: PlannedChange,
        kind: &ResourceKind,
        live: Value,
        stays: Option<String>,
    ) -> Examination {
        let (check, message) = match &stays {
            Some(reason) => (ServerCheck::Accepted, Some(reason.clone())),
            None if external::is_in_use(&live) => {
                (ServerCheck::Rejected, Some("a Usage protects it: Crossplane denies its deletion".to_owned()))
            }
            None => (ServerCheck::Accepted, None),
        };
        let mut before = live.clone();
        strip_server_fields(&mut before);
        let mut examined = ExaminedChange {
            planned,
            action: if stays.is_some() { PlanAction::Abandon } else { PlanAction::Remove },
            check,
            message,
            before: Some(before),
            after: None,
            stored: None,
            immutable: BTreeMap::new(),
            external: None,
            composed: Vec::new(),
            unevaluated: if stays.is_some() { None } else { admission_effects(&kind.group, &kind.kind) },
            refusals: Vec::new(),
            unreadable: Vec::new(),
            is_managed: purpose(kind) == Some(ExternalRole::External),
        };
        if stays.is_none() {
            self.examine_external_loss(&mut examined, kind, &live).await;
        }
        Examination::Touched(Box::new(examined))
    }

    async fn examine_external_loss(&self, examined: &mut ExaminedChange, kind: &ResourceKind, live: &Value) {
        match purpose(kind) {
            Some(ExternalRole::External) => examined.external = Some(external::removal_effect(kind, live)),
            Some(ExternalRole::Claim | ExternalRole::Composite) => self.add_composed(examined, kind, live).await,
            _ => {}
        }
        let notes = &mut examined.planned.notes;
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Namespace") => notes.push("everything in it is deleted too".to_owned()),
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                notes.push(format!("every {} in the cluster is deleted too", text_at(live, "/spec/names/kind")));
            }
            _ => {}
        }
    }
}
