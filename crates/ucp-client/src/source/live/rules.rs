//! Health rules of the Argo CD of a live cluster. They are read before the objects that they decide for, because a rule
//! reads whole objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Interest;
use super::api::Api;
use super::freshness::Freshness;
use super::list::{self, ListScope};
use crate::source::unreadable_rules;
use ucp_core::engine;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest, RequestPurpose};
use ucp_core::model::health_rule::{HealthRules, SETTINGS, SettingsNamespace};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// The rules for the kinds of a live cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveRules {
    /// The rules of the user, and those of the cluster if they were read.
    pub(super) rules: HealthRules,
    /// An entry if the rules of the cluster cannot be read.
    unreadable: Option<Unreadable>,
    /// The kinds that are read and for which a rule may decide.
    ruled: BTreeSet<Arc<ResourceKind>>,
    /// Whether Applications get verdicts, which depend on the interval of comparisons in the settings.
    compares: bool,
    is_read: bool,
}

impl LiveRules {
    /// Creates the rules of the user.
    pub(super) fn of_user(rules: HealthRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Reads the rules of the cluster if an interest depends on them, and applies all rules to the interests.
    pub(super) async fn apply(
        &mut self,
        api: &Api,
        kinds: &[Arc<ResourceKind>],
        interests: &mut [Interest],
        freshness: &Freshness,
    ) {
        let ruled = interests.iter().filter(|interest| interest.want.keep == KeepAmount::WholeIfRuled);
        self.ruled.extend(ruled.map(|interest| Arc::clone(&interest.kind)));
        let depends = !self.ruled.is_empty();
        let by_settings = |interest: &Interest| interest.want.purpose == RequestPurpose::VerdictsBySettings;
        self.compares |= interests.iter().any(by_settings);
        if (depends || self.compares) && !self.is_read {
            self.read(api, kinds, freshness, depends).await;
        }
        for interest in interests {
            interest.want = interest.want.under_rules(&interest.kind, &self.rules);
        }
    }

    /// Returns an entry if the settings cannot be read and a verdict depends on them: there are objects for which their rules
    /// may decide, or objects like Applications, which are up to date or not by the interval in the settings.
    pub(super) fn missing_ground<'a>(&self, mut resources: impl Iterator<Item = &'a Resource>) -> Option<Unreadable> {
        let entry = self.unreadable.as_ref()?;
        let depends = resources
            .any(|one| self.ruled.contains(&one.kind) || self.compares && engine::is_judged_by_settings(&one.kind));
        depends.then(|| entry.clone())
    }

    /// Reads the health checks of Kustomizations. If they cannot be listed, that is reported with their own list.
    async fn read_health_checks(&mut self, api: &Api, kinds: &[Arc<ResourceKind>], freshness: &Freshness) {
        let is_flux =
            |kind: &&Arc<ResourceKind>| kind.group == "kustomize.toolkit.fluxcd.io" && kind.kind == "Kustomization";
        let Some(kind) = kinds.iter().find(is_flux) else { return };
        let scope = ListScope { namespace: None, name: None };
        let listed = list::list(api, kind, KindRequest::whole(BodyShape::Conditions), scope, freshness).await;
        for whole in listed.resources.iter().filter_map(|resource| resource.whole.as_deref()) {
            self.rules.extend(HealthRules::from_kustomization(whole));
        }
    }

    async fn read(&mut self, api: &Api, kinds: &[Arc<ResourceKind>], freshness: &Freshness, depends: bool) {
        self.is_read = true;
        if depends {
            self.read_health_checks(api, kinds, freshness).await;
        }
        let has_argo_cd = kinds.iter().any(|kind| engine::is_judged_by_settings(kind));
        if !has_argo_cd {
            return;
        }
        let map = kinds.iter().find(|kind| kind.group.is_empty() && kind.kind == "ConfigMap");
        let map = map.cloned().unwrap_or_else(|| Arc::new(config_maps()));
        let scope = ListScope { namespace: None, name: Some(SETTINGS) };
        let listed = list::list(api, &map, KindRequest::whole(BodyShape::Conditions), scope, freshness).await;
        self.unreadable = listed.error.map(|error| unreadable_rules(&error.to_string()));
        let maps = listed.resources.iter().filter_map(|resource| resource.metadata.namespace.clone()).collect();
        // Without settings, or with those in the default namespace alone, there is no question.
        let is_plain = listed.resources.is_empty()
            || listed.resources.len() == 1 && SettingsNamespace::find(&maps, &BTreeSet::new()).known.is_some();
        let projects = if is_plain { BTreeSet::new() } else { project_namespaces(api, kinds, freshness).await };
        let home = SettingsNamespace::find(&maps, &projects);
        if let Some(doubt) = home.doubt {
            self.unreadable = Some(unreadable_rules(&doubt));
        }
        let is_home = |resource: &&Resource| home.known.is_some() && resource.metadata.namespace == home.known;
        for whole in listed.resources.iter().filter(is_home).filter_map(|resource| resource.whole.as_deref()) {
            match HealthRules::from_config_map(whole) {
                Ok(found) => self.rules.extend(found),
                Err(error) => self.unreadable = Some(unreadable_rules(error.as_str())),
            }
        }
    }
}

/// Returns the kind of ConfigMaps, which every server serves, even one whose discovery omits it for a moment.
fn config_maps() -> ResourceKind {
    ResourceKind { version: "v1".to_owned(), scope: ResourceScope::Namespaced, ..ResourceKind::guess("", "ConfigMap") }
}

/// Returns the namespaces with AppProjects; none if they cannot be read.
async fn project_namespaces(api: &Api, kinds: &[Arc<ResourceKind>], freshness: &Freshness) -> BTreeSet<String> {
    let is_project = |kind: &&Arc<ResourceKind>| kind.group == "argoproj.io" && kind.kind == "AppProject";
    let Some(kind) = kinds.iter().find(is_project) else { return BTreeSet::new() };
    let scope = ListScope { namespace: None, name: None };
    let listed = list::list(api, kind, KindRequest::all(BodyShape::Metadata), scope, freshness).await;
    listed.resources.iter().filter_map(|resource| resource.metadata.namespace.clone()).collect()
}
