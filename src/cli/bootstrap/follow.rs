//! Waits until the objects that the repository declares exist and are OK. Meanwhile, adopts app clusters and applies
//! deferred objects.

use std::time::{Duration, Instant};

use super::Args;
use super::adopter::{AppClusterAdoptions, ClusterAdopter};
use super::deferred::DeferredObjects;
use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::cli::wait::{FinishedWait, WaitHooks, WaitPersistence, WaitReader, WaitRequest, wait_for};
use ucp_core::error::Result;
use ucp_core::model::object::ObjectName;
use ucp_features::bootstrap::desire::{DesiredObject, deploys};
use ucp_features::bootstrap::{BootstrapStep, Wave};
use ucp_features::wait::{NamedTarget, WaitCriteria, WaitGoal, WaitTargets};

/// Time that an object may be failing. While everything starts at once, much fails at first and is retried, by Argo CD
/// after three minutes at the latest.
const SETTLING: Duration = Duration::from_secs(240);
/// Interval between two passes of the chores.
const BETWEEN: Duration = Duration::from_secs(10);

/// The result of [`follow`].
pub(super) struct BootstrapResult<'a> {
    pub(super) awaited: BootstrapWait,
    pub(super) app_clusters: AppClusterAdoptions,
    /// The objects that were not applied, with the reasons.
    pub(super) left: Vec<(&'a DesiredObject, String)>,
}

/// The result of the wait.
pub(super) enum BootstrapWait {
    /// There was nothing to wait for.
    Nothing,
    /// The server did not respond in time.
    Unanswered,
    /// The wait ended, successfully or not.
    Over(FinishedWait),
}

impl BootstrapWait {
    /// Returns the wait, if there was one.
    pub(super) fn finished(&self) -> Option<&FinishedWait> {
        match self {
            Self::Over(waited) => Some(waited),
            Self::Nothing | Self::Unanswered => None,
        }
    }
}

/// Returns the objects of the repository that an engine judges.
fn targets(steps: &[BootstrapStep]) -> WaitTargets {
    let is_judged = |step: &&BootstrapStep| match step.wave {
        Wave::Roots | Wave::Deployments => deploys(&step.object.kind),
        Wave::Packages | Wave::Resources => true,
        Wave::Foundations | Wave::Engines | Wave::Secrets | Wave::ProviderConfigs | Wave::AppClusters => false,
    };
    WaitTargets {
        named: steps.iter().filter(is_judged).map(|step| NamedTarget::from_object_name(&step.object)).collect(),
        ..WaitTargets::default()
    }
}

/// Waits for the planned objects.
///
/// # Errors
/// Fails when the core cluster cannot be watched.
pub(super) fn follow<'a>(
    context: &'a Context,
    args: &'a Args,
    look: &'a BootstrapComparison,
) -> Result<BootstrapResult<'a>> {
    let mut chores = BootstrapChores {
        adopter: ClusterAdopter::new(context, look, &args.access),
        deferred: DeferredObjects::new(context, look, args.conflicts()),
        last: None,
    };
    let targets = targets(&look.steps);
    let wish = WaitCriteria { goal: WaitGoal::Ok, revision: None };
    let request = WaitRequest {
        targets: &targets,
        wish: &wish,
        timeout: args.timeout,
        persistence: WaitPersistence::For(SETTLING),
        patience: crate::cli::defaults()?,
    };
    let awaited = match targets.named.is_empty() {
        true => BootstrapWait::Nothing,
        false => wait_for(context, &request, &mut chores)?.map_or(BootstrapWait::Unanswered, BootstrapWait::Over),
    };
    chores.pass();
    Ok(BootstrapResult { awaited, app_clusters: chores.adopter.found, left: chores.deferred.left })
}

/// Work that is done during the wait.
struct BootstrapChores<'a> {
    adopter: ClusterAdopter<'a>,
    deferred: DeferredObjects<'a>,
    last: Option<Instant>,
}

impl BootstrapChores<'_> {
    fn pass(&mut self) {
        self.deferred.pass();
        self.adopter.pass();
        self.last = Some(Instant::now());
    }
}

impl WaitHooks for BootstrapChores<'_> {
    fn before_look(&mut self, _: &WaitReader) -> Result<()> {
        if self.last.is_none_or(|last| last.elapsed() >= BETWEEN) {
            self.pass();
        }
        Ok(())
    }

    fn excuses(&self, object: &ObjectName) -> bool {
        self.adopter.awaits_cluster(object)
    }
}
