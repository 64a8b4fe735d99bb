//! Waits until what the repository wants is there and well. Adopts app clusters meanwhile, and applies what had to wait.

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

/// Where everything comes up at once, much fails at first, and is tried again: by Argo CD after three minutes at the latest.
const SETTLING: Duration = Duration::from_secs(240);
/// How often to look for what can be done.
const BETWEEN: Duration = Duration::from_secs(10);

/// What came of it.
pub(super) struct Followed<'a> {
    pub(super) awaited: Awaited,
    pub(super) app_clusters: AppClusters,
    /// What was not applied, and why.
    pub(super) left: Vec<(&'a Wanted, String)>,
}

/// What came of waiting.
pub(super) enum Awaited {
    /// There was nothing to wait for.
    Nothing,
    /// The server did not answer in time.
    Unanswered,
    /// It ended, well or not.
    Over(Waited),
}

impl Awaited {
    /// The wait, where there was one.
    pub(super) fn over(&self) -> Option<&Waited> {
        match self {
            Self::Over(waited) => Some(waited),
            Self::Nothing | Self::Unanswered => None,
        }
    }
}

/// The objects that the repository wants and that somebody judges.
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

/// Waits for what was looked at.
///
/// # Errors
/// When the core cluster cannot be followed.
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

/// What is done while everything comes up.
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
