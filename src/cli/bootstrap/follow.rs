//! Waits until the objects that the repository declares exist and are OK. Meanwhile, adopts app clusters and applies
//! deferred objects.

use std::time::{Duration, Instant};

use super::Args;
use super::adopter::{Adopter, AppClusters};
use super::deferred::Deferred;
use super::look::Look;
use crate::bootstrap::desire::{Wanted, deploys};
use crate::bootstrap::{Step, Wave};
use crate::cli::Context;
use crate::cli::wait::{Meanwhile, Persistence, Reader, Request, Waited, wait_for};
use crate::error::Result;
use crate::model::object::ObjectName;
use crate::wait::{Goal, Named, Targets, Wish};

/// Time that an object may be failing. While everything starts at once, much fails at first and is retried, by Argo CD
/// after three minutes at the latest.
const SETTLING: Duration = Duration::from_secs(240);
/// Interval between two passes of the chores.
const BETWEEN: Duration = Duration::from_secs(10);

/// The result of [`follow`].
pub(super) struct Followed<'a> {
    pub(super) awaited: Awaited,
    pub(super) app_clusters: AppClusters,
    /// The objects that were not applied, with the reasons.
    pub(super) left: Vec<(&'a Wanted, String)>,
}

/// The result of the wait.
pub(super) enum Awaited {
    /// There was nothing to wait for.
    Nothing,
    /// The server did not respond in time.
    Unanswered,
    /// The wait ended, successfully or not.
    Over(Waited),
}

impl Awaited {
    /// Returns the wait, if there was one.
    pub(super) fn over(&self) -> Option<&Waited> {
        match self {
            Self::Over(waited) => Some(waited),
            Self::Nothing | Self::Unanswered => None,
        }
    }
}

/// Returns the objects of the repository that an engine judges.
fn targets(steps: &[Step]) -> Targets {
    let is_judged = |step: &&Step| match step.wave {
        Wave::Roots | Wave::Deployments => deploys(&step.object.kind),
        Wave::Packages | Wave::Resources => true,
        Wave::Foundations | Wave::Engines | Wave::Secrets | Wave::ProviderConfigs | Wave::AppClusters => false,
    };
    Targets {
        named: steps.iter().filter(is_judged).map(|step| Named::of(&step.object)).collect(),
        ..Targets::default()
    }
}

/// Waits for the planned objects.
///
/// # Errors
/// Fails when the core cluster cannot be watched.
pub(super) fn follow<'a>(context: &'a Context, args: &'a Args, look: &'a Look) -> Result<Followed<'a>> {
    let mut chores = Chores {
        adopter: Adopter::new(context, look, &args.access),
        deferred: Deferred::new(context, look, args.conflicts()),
        last: None,
    };
    let targets = targets(&look.steps);
    let wish = Wish { goal: Goal::Ok, revision: None };
    let request = Request {
        targets: &targets,
        wish: &wish,
        timeout: args.timeout,
        persistence: Persistence::For(SETTLING),
        patience: crate::cli::defaults()?,
    };
    let awaited = match targets.named.is_empty() {
        true => Awaited::Nothing,
        false => wait_for(context, &request, &mut chores)?.map_or(Awaited::Unanswered, Awaited::Over),
    };
    chores.pass();
    Ok(Followed { awaited, app_clusters: chores.adopter.found, left: chores.deferred.left })
}

/// Work that is done during the wait.
struct Chores<'a> {
    adopter: Adopter<'a>,
    deferred: Deferred<'a>,
    last: Option<Instant>,
}

impl Chores<'_> {
    fn pass(&mut self) {
        self.deferred.pass();
        self.adopter.pass();
        self.last = Some(Instant::now());
    }
}

impl Meanwhile for Chores<'_> {
    fn before_look(&mut self, _: &Reader) -> Result<()> {
        if self.last.is_none_or(|last| last.elapsed() >= BETWEEN) {
            self.pass();
        }
        Ok(())
    }

    fn excuses(&self, object: &ObjectName) -> bool {
        self.adopter.awaits_cluster(object)
    }
}
