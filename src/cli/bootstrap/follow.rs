//! Waits until what the repository wants is there and well, and adopts app clusters as they appear.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anstream::ColorChoice;

use crate::bootstrap::desire::{Desire, deploys};
use crate::bootstrap::{Action, Step, Wave};
use crate::cli::Context;
use crate::cli::adopt_cluster::adopt_what_is_ready;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::wait::{Persistence, Request, Waited, wait_for};
use crate::error::Result;
use crate::model::git_ops::GitOps;
use crate::model::text::one_line;
use crate::report::adoption::{AdoptionItem, AdoptionState};
use crate::ui::pager::Paging;
use crate::ui::{Ui, Volume};
use crate::wait::{Goal, Named, Targets, Wish};

/// Where everything comes up at once, much fails at first, and is tried again.
const SETTLING: Duration = Duration::from_secs(120);
/// How often to look for app clusters that can be adopted.
const BETWEEN: Duration = Duration::from_secs(10);

/// What came of it.
pub(super) struct Followed {
    pub(super) awaited: Awaited,
    pub(super) app_clusters: AppClusters,
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

/// What came of adopting.
pub(super) enum AppClusters {
    /// None had to be adopted.
    Unwanted,
    /// What was last found of each.
    Looked(Vec<AdoptionItem>),
    /// They could not be looked at, the last time.
    Unread(String),
}

/// The objects that the repository wants and that somebody judges.
pub(super) fn targets(steps: &[Step]) -> Targets {
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

/// Waits, and adopts meanwhile.
///
/// # Errors
/// When the core cluster cannot be followed.
pub(super) fn follow(
    context: &Context,
    desire: &Desire,
    steps: &[Step],
    access: &AppClusterArgs,
    timeout: Duration,
) -> Result<Followed> {
    let engines: Vec<GitOps> = desire.needs.iter().copied().collect();
    let has_clusters = steps.iter().any(|step| step.action == Action::Adopt);
    // What is not there yet is no news, however often it is looked for.
    let quiet = Context { ui: Ui::new(ColorChoice::Never, Volume::Quiet, Paging::Never), ..context.clone() };
    let mut adopter =
        Adopter { context, quiet, access, engines, last: None, found: AppClusters::Unwanted, said: BTreeSet::new() };
    let targets = targets(steps);
    let wish = Wish { goal: Goal::Ok, revision: None };
    let request = Request {
        targets: &targets,
        wish: &wish,
        timeout,
        persistence: Persistence::For(SETTLING),
        patience: crate::cli::defaults()?,
    };
    let awaited = match targets.named.is_empty() {
        true => Awaited::Nothing,
        false => {
            let waited = wait_for(context, &request, &mut |_| {
                if has_clusters {
                    adopter.pass();
                }
                Ok(())
            })?;
            waited.map_or(Awaited::Unanswered, Awaited::Over)
        }
    };
    if has_clusters {
        adopter.last = None;
        adopter.pass();
    }
    Ok(Followed { awaited, app_clusters: adopter.found })
}

/// Adopts what can be adopted, now and then.
struct Adopter<'a> {
    context: &'a Context,
    quiet: Context,
    access: &'a AppClusterArgs,
    engines: Vec<GitOps>,
    last: Option<Instant>,
    found: AppClusters,
    said: BTreeSet<String>,
}

impl Adopter<'_> {
    fn pass(&mut self) {
        if self.last.is_some_and(|last| last.elapsed() < BETWEEN) {
            return;
        }
        // Before the engines are there, nobody can be asked: that is no failure yet.
        self.found = match adopt_what_is_ready(&self.quiet, self.access, &self.engines) {
            Ok(items) => {
                let is_news = |item: &&AdoptionItem| item.state == AdoptionState::Adopted;
                for item in items.iter().filter(is_news) {
                    if self.said.insert(item.cluster.clone()) {
                        self.context.ui.message(&format!("Adopted app cluster {}.", one_line(&item.cluster)));
                    }
                }
                AppClusters::Looked(items)
            }
            Err(error) => AppClusters::Unread(error.message()),
        };
        self.last = Some(Instant::now());
    }
}
