//! The facts that checks examine.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::minor_version::MinorVersion;
use super::reported_rights::ReportedRights;
use crate::upgrade::DefinitionUpgrade;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, Assessment};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The facts that checks examine.
pub struct DoctorFacts<'a> {
    /// The cluster state.
    pub state: &'a ClusterState,
    /// The assessment of the engines.
    pub assessment: Assessment<'a>,
    /// The version of Crossplane to upgrade to.
    pub target: Option<MinorVersion>,
    /// The rights of the credentials in use; `None` for a snapshot, or if they could not be requested.
    pub rights: Option<ReportedRights>,
    /// The definitions to upgrade to.
    pub upgrade: Option<DefinitionUpgrade>,
    /// The running version of Crossplane.
    pub(super) crossplane: Option<MinorVersion>,
    /// The version of Kubernetes.
    pub(super) server: Option<MinorVersion>,
}

impl<'a> DoctorFacts<'a> {
    /// Collects the facts.
    pub fn gather(
        state: &'a ClusterState,
        assessment: Assessment<'a>,
        target: Option<MinorVersion>,
        rights: Option<ReportedRights>,
    ) -> Self {
        let crossplane = engine::ENGINES.iter().find(|engine| engine.part_of() == "crossplane");
        let version = crossplane.and_then(|crossplane| crossplane.version(state));
        let parse = |version: Option<&str>| version.and_then(MinorVersion::parse);
        let (crossplane, server) = (parse(version.as_deref()), parse(state.server_version.as_deref()));
        Self { state, assessment, target, rights, upgrade: None, crossplane, server }
    }

    /// Adds the definitions to upgrade to.
    #[must_use]
    pub fn with_upgrade(self, upgrade: Option<DefinitionUpgrade>) -> Self {
        Self { upgrade, ..self }
    }

    /// Returns true if the new definitions come from a package.
    pub(super) fn has_package(&self) -> bool {
        self.upgrade.as_ref().is_some_and(|upgrade| upgrade.package.is_some())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.state.moment
    }

    pub(super) fn of_kind(&self, group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Resource> {
        let wanted = move |resource: &&Resource| resource.kind.group == group && resource.kind.kind == kind;
        self.state.resources.iter().filter(wanted)
    }

    pub(super) fn of_role(&self, wanted: &'a [CrossplaneRole]) -> impl Iterator<Item = &'a Resource> {
        self.state
            .resources
            .iter()
            .filter(move |resource| role(&resource.kind).is_some_and(|role| wanted.contains(&role)))
    }

    /// Returns true if the time is further in the past than the given age.
    pub(super) fn is_older_than(&self, moment: Timestamp, age: SignedDuration) -> bool {
        self.now().duration_since(moment) > age
    }
}

/// Returns the complete object, if it was kept.
pub(super) fn whole_object(resource: &Resource) -> &Value {
    static NOTHING: Value = Value::Null;
    resource.whole.as_deref().unwrap_or(&NOTHING)
}

pub(super) fn text<'a>(resource: &'a Resource, pointer: &str) -> Option<&'a str> {
    whole_object(resource).pointer(pointer)?.as_str()
}
