//! The part of a cluster that a wait follows: the named objects and their components, or every kind if any may be
//! meant; and the objects that show if a controller reconciles them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::progress::WaitDisplay;
use super::timeout::Deadline;
use crate::cli::Context;
use ucp_client::source::live::Interest;
use ucp_client::source::live::api::ReadError;
use ucp_client::source::live::follow::{AddOutcome, FollowedCluster};
use ucp_client::source::live::watch;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{ConnectionArgs, Query};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, ListedNames, controller};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::uid::Uid;
use ucp_features::wait::survey::SeenObjects;
use ucp_features::wait::{NamedTarget, WaitCriteria, WaitGoal, WaitSurvey, WaitTargets};

/// Follows the objects that a wait needs.
pub(in crate::cli) struct WaitReader {
    following: FollowedCluster,
    targets: WaitTargets,
    /// True if the deployers of revisions have to be known.
    asks_for_revision: bool,
    deadline: Deadline,
}

impl WaitReader {
    /// Connects. Returns `None` if there is not enough time.
    pub(super) fn open(
        connection: &ConnectionArgs,
        targets: &WaitTargets,
        wish: &WaitCriteria,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let following = FollowedCluster::open(connection, deadline.remaining())?;
        Ok(following.map(|following| Self {
            following,
            targets: targets.clone(),
            asks_for_revision: wish.revision.is_some(),
            deadline,
        }))
    }

    pub(super) fn kinds(&self) -> &[Arc<ResourceKind>] {
        self.following.kinds()
    }

    /// Returns the known state. If a namespace was requested, the objects in others are unknown.
    pub(super) fn state(&self) -> ClusterState {
        let namespace = self.targets.namespace.clone();
        ClusterState { namespace, ..self.following.state() }
    }

    /// Reports groups that discovery is missing although objects refer to them. Returns true if the targets may be among
    /// their objects.
    pub(super) fn report_hidden_groups(&self, state: &mut ClusterState) -> bool {
        self.targets.named.is_empty() && engine::report_hidden_groups(state, &self.listed())
    }

    /// Returns a gap for each kind that the server defines and does not list, if the targets may be among its objects: a
    /// short name selects another kind while its own is hidden.
    ///
    /// # Errors
    /// Fails when no connection is configured.
    pub(super) fn hidden_targets(&self, context: &Context, goal: WaitGoal) -> Result<Vec<Unreadable>> {
        let (targets, listed) = (&self.targets, self.listed());
        let is_any = targets.owner.is_some() || self.chooses_any_kind();
        let helps = self.helper_kinds();
        // A verdict depends on the controllers.
        let is_ground = |kind: &ResourceKind| goal != WaitGoal::Gone && helps(kind);
        let is_meant = |kind: &ResourceKind| match is_any {
            true => engine::want(kind).is_some(),
            // A named object that reached another goal is the one that was meant.
            false if goal != WaitGoal::Gone && !targets.named.is_empty() => is_ground(kind),
            false => targets.may_select_kind(kind) || is_ground(kind),
        };
        let unlisted = context.unlisted_kinds(&listed)?;
        if goal == WaitGoal::Gone {
            context.warn_of_denied_definitions(&unlisted);
        }
        let defined = unlisted.iter().filter_map(|kind| kind.entry_if(is_meant)).cloned();
        Ok(defined.chain(engine::hidden_built_ins(&listed, is_ground)).collect())
    }

    /// Returns a gap for each object that is gone by the lists and is found by its name, or cannot be requested: a list that
    /// another program answered looks complete. Objects whose namespace is unknown have no path.
    pub(super) fn contradictions(&self, survey: &WaitSurvey, seen: &SeenObjects) -> Vec<Unreadable> {
        // A word may select several kinds.
        let selected = self.targets.named.iter().flat_map(|named| {
            let kinds = self.kinds().iter().filter(|kind| engine::is_selected_by(kind, &named.kind));
            let namespace = named.namespace.as_ref().or(self.targets.namespace.as_ref());
            kinds.map(move |kind| {
                let namespace = namespace.filter(|_| kind.scope == ResourceScope::Namespaced);
                ObjectName::in_kind(kind, namespace.map(String::as_str), &named.name)
            })
        });
        let found = survey.items.iter().map(|item| item.object.clone());
        let gone: BTreeSet<ObjectName> =
            found.filter(|object| seen.contains_key(&object.into())).chain(selected).collect();
        let (objects, paths): (Vec<ObjectName>, Vec<ObjectPath>) =
            gone.into_iter().filter_map(|object| Some((object.clone(), self.path(&object)?))).unzip();
        let Some(answers) = self.following.find_uids(&paths, self.deadline.remaining()) else {
            let all = objects.into_iter();
            return all.map(|object| gap(&object, "the server did not answer in time".to_owned())).collect();
        };
        let contradiction = |(object, answer): (ObjectName, std::result::Result<Option<Uid>, ReadError>)| match answer {
            Ok(None) => None,
            // Another object with the name was created since.
            Ok(Some(uid)) if seen.get(&ObjectKey::from(&object)).is_some_and(|(_, known)| *known != uid) => None,
            Ok(Some(_)) => Some(gap(&object, "it exists, but no list contains it".to_owned())),
            Err(error) => Some(gap(&object, format!("it is unknown whether it exists: {error}"))),
        };
        objects.into_iter().zip(answers).filter_map(contradiction).collect()
    }

    /// Returns the path of an object; `None` if its namespace is unknown.
    fn path(&self, object: &ObjectName) -> Option<ObjectPath> {
        let kind = self.kinds().iter().find(|kind| kind.group == object.group() && kind.kind == object.kind)?;
        let has_path = object.namespace.is_some() || kind.scope == ResourceScope::Cluster;
        has_path.then(|| ObjectPath::at(kind, object.namespace.as_deref(), &object.name))
    }

    fn listed(&self) -> ListedNames {
        self.kinds().iter().map(AsRef::as_ref).collect()
    }

    /// Returns the objects that were requested by name and do not exist.
    pub(super) fn absent(&self) -> BTreeSet<ObjectKey> {
        self.following.absent().into_iter().collect()
    }

    /// Returns the kinds that the user may not read, with the reasons.
    pub(super) fn denied_kinds(&self) -> Vec<(Arc<ResourceKind>, Unreadable)> {
        self.following.denied()
    }

    /// Starts to follow the targets, as far as the server has their kinds.
    pub(super) fn add_targets(&mut self) -> AddOutcome {
        let unknown = !self.targets.unknown_words(self.kinds()).is_empty();
        if unknown && !self.following.follow_definitions(self.deadline.remaining()) {
            return AddOutcome::TooLate;
        }
        let interests = match self.targets.owner.is_some() || self.chooses_any_kind() {
            true => self.all_interests(),
            false => self.target_interests(),
        };
        self.following.add(interests, &|_, _| {}, self.deadline.remaining())
    }

    /// Starts to follow more objects.
    pub(super) fn add_objects(&mut self, keys: &BTreeSet<ObjectKey>) -> AddOutcome {
        let interests = keys.iter().filter_map(|key| {
            let kind = self.kinds().iter().find(|kind| kind.group == key.group && kind.kind == key.kind)?;
            Some(object_interest(kind, key.namespace.clone(), &key.name))
        });
        let interests = interests.collect();
        self.following.add(interests, &|_, _| {}, self.deadline.remaining())
    }

    /// Waits for a change, and updates the displayed time meanwhile.
    pub(super) fn wait_for_change(
        &mut self,
        waiting: &mut WaitDisplay,
        survey: &WaitSurvey,
        deadline: Deadline,
        longest: Duration,
    ) {
        let tick = tick(deadline, waiting.is_seen()).min(longest);
        self.following.wait_for_change(tick);
        waiting.show(survey, deadline);
    }

    fn chooses_any_kind(&self) -> bool {
        self.targets.named.is_empty() && self.targets.kinds.is_empty()
    }

    /// Returns the interests in every kind of every engine, and in the named kinds.
    fn all_interests(&self) -> Vec<Interest> {
        let targets = &self.targets;
        let want = |kind: &ResourceKind| {
            let is_asked = !targets.kinds.is_empty() && targets.may_select_kind(kind);
            engine::want(kind).or_else(|| is_asked.then(|| want(kind)))
        };
        let query = Query { namespace: targets.namespace.as_deref(), ..Query::all(&want) };
        watch::interests(self.kinds(), &query)
    }

    fn target_interests(&self) -> Vec<Interest> {
        let (targets, namespace) = (&self.targets, self.targets.namespace.clone());
        let meant: Vec<&Arc<ResourceKind>> = self.kinds().iter().filter(|kind| targets.may_select_kind(kind)).collect();
        let mut interests = Vec::new();
        for kind in &meant {
            let names = targets.named.iter().filter(|named| engine::is_selected_by(kind, &named.kind));
            let place = |named: &NamedTarget| named.namespace.clone().or_else(|| namespace.clone());
            interests.extend(names.map(|named| object_interest(kind, place(named), &named.name)));
            if targets.named.is_empty() {
                let want = want(kind);
                interests.push(Interest { kind: Arc::clone(kind), want, namespace: namespace.clone(), name: None });
            }
        }
        let is_helpful = self.helper_kinds();
        let helpful = self.kinds().iter().filter(|kind| is_helpful(kind));
        interests.extend(helpful.filter_map(|kind| {
            let want = engine::want(kind)?;
            Some(Interest { kind: Arc::clone(kind), want, namespace: None, name: None })
        }));
        interests
    }

    /// Returns true for kinds that the verdicts on the targets depend on: controllers, and the packages that install them.
    fn helper_kinds(&self) -> impl Fn(&ResourceKind) -> bool {
        let is_of_crossplane = |kind: &&Arc<ResourceKind>| {
            matches!(
                role(kind),
                Some(
                    CrossplaneRole::Managed
                        | CrossplaneRole::Composite
                        | CrossplaneRole::Claim
                        | CrossplaneRole::Package
                )
            )
        };
        let meant = || self.kinds().iter().filter(|kind| self.targets.may_select_kind(kind));
        let has_crossplane = meant().any(|kind| is_of_crossplane(&kind));
        let has_engine = meant().any(|kind| engine::engine_of(kind).is_some());
        let asks_for_revision = self.asks_for_revision;
        move |kind| {
            let is_package = matches!(role(kind), Some(CrossplaneRole::Package | CrossplaneRole::Revision));
            let deploys = matches!(kind.kind.as_str(), "Application" | "Kustomization" | "HelmRelease");
            has_engine && controller::is_workload(kind)
                || has_crossplane && is_package
                || asks_for_revision && deploys && engine::engine_of(kind).is_some()
        }
    }
}

fn gap(object: &ObjectName, reason: String) -> Unreadable {
    Unreadable { what: object.to_string(), reason }
}

/// Returns the interest in one object. The namespace of the wait is ignored for cluster-scoped kinds.
fn object_interest(kind: &Arc<ResourceKind>, namespace: Option<String>, name: &str) -> Interest {
    let namespace = namespace.filter(|_| kind.scope == ResourceScope::Namespaced);
    Interest { kind: Arc::clone(kind), want: want(kind), namespace, name: Some(name.to_owned()) }
}

/// Returns the read request for a kind: that of its engine, or the conventions of other controllers.
fn want(kind: &ResourceKind) -> KindRequest {
    let is_private = kind.group.is_empty() && matches!(kind.kind.as_str(), "Secret" | "ConfigMap");
    let otherwise = if is_private { BodyShape::Metadata } else { BodyShape::Conditions };
    engine::want(kind).or_else(|| engine::any::want_named(kind)).unwrap_or_else(|| KindRequest::all(otherwise))
}

/// Returns the time until the next look if nothing changes.
fn tick(deadline: Deadline, is_seen: bool) -> Duration {
    let usual = if is_seen { Duration::from_secs(1) } else { ucp_client::source::live::watch::AGEING };
    deadline.remaining().map_or(usual, |left| left.min(usual)).max(Duration::from_millis(1))
}
