//! The gates that the forge knows: what it requires of open pull requests, and the environments in flight.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::rc::Rc;

use crate::cli::Context;
use crate::cli::pull_request::{self, ForgeAccess, OpenPullRequests};
use crate::cli::working_copy::WorkingCopy;
use crate::report::promotion_check::{GateKind, HoldingGate};
use ucp_client::source::live;
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_features::forge::PullRequest;
use ucp_features::forge::scope::{ChangeScope, UnmarkedScope};
use ucp_features::forge::session::ForgeError;
use ucp_features::forge::session::in_flight::too_many_in_flight;
use ucp_repo::gitops::config::{ForgeRequirement, PullRequestSettings};

/// The gates that the forge knows, for promotions to one environment.
pub(in crate::cli) struct ForgeGates {
    settings: PullRequestSettings,
    environment: String,
    known: Rc<KnownPullRequests>,
}

/// The open pull requests, or the reason if they cannot be read. The gates are closed then.
pub(in crate::cli) type KnownPullRequests = std::result::Result<OpenPullRequests, Failure>;

impl ForgeGates {
    /// Reads them if `.ucp.yaml` has one of these gates.
    ///
    /// # Errors
    /// Fails when the repository is not in Git.
    pub(super) fn read(
        context: &Context,
        access: ForgeAccess,
        working_copy: &WorkingCopy,
        settings: &PullRequestSettings,
        environment: &str,
    ) -> Result<Option<Self>> {
        if !has_gates(settings) {
            return Ok(None);
        }
        let git = working_copy.git()?;
        let _waiting = context.ui.waiting_progress("reading the open pull requests");
        let is_wanted = |opened: &PullRequest| {
            let scope = ChangeScope::of_pull_request(opened);
            let is_here = scope.is_some_and(|scope| scope.environment.is_none_or(|name| name == environment));
            is_here && !settings.requires.is_empty()
        };
        let read = || {
            let destination = pull_request::destination(git, settings)?;
            let url = git.push_url(&destination.remote)?;
            let read = pull_request::read_requirements(access, &url, &destination.base, &is_wanted);
            live::runtime()?.block_on(read)
        };
        let known = read().map_err(|error| Failure::from(error.message()));
        Ok(Self::from_known(Rc::new(known), settings, environment))
    }

    /// Returns the gates of `.ucp.yaml` for an environment, if there are any.
    pub(in crate::cli) fn from_known(
        known: Rc<KnownPullRequests>,
        settings: &PullRequestSettings,
        environment: &str,
    ) -> Option<Self> {
        let gates = Self { settings: settings.clone(), environment: environment.to_owned(), known };
        has_gates(settings).then_some(gates)
    }

    /// Returns the gates that hold a service back.
    pub(in crate::cli) fn holding(&self, service: &str) -> Vec<HoldingGate> {
        let holds = |gate: GateKind, reason: String| HoldingGate { gate, reason, until: None };
        let kind = |required: &ForgeRequirement| match required {
            ForgeRequirement::Approvals => GateKind::Approvals,
            ForgeRequirement::Checks => GateKind::Checks,
        };
        let most = self.settings.in_flight.map(NonZeroUsize::get);
        let closed = |reason: &str| {
            let gates = most.map(|_| GateKind::InFlight).into_iter().chain(self.settings.requires.iter().map(kind));
            gates.map(|gate| holds(gate, reason.to_owned())).collect()
        };
        let known = match &*self.known {
            Ok(known) => known,
            Err(reason) => return closed(&format!("the forge cannot be read: {reason}")),
        };
        let scope = ChangeScope {
            environment: Some(self.environment.clone()),
            services: BTreeSet::from([service.to_owned()]),
            ..ChangeScope::default()
        };
        let is_own = |opened: &&PullRequest| {
            ChangeScope::of_pull_request(opened)
                .is_some_and(|theirs| theirs.environment == scope.environment && theirs.overlaps(&scope))
        };
        let Some(own) = known.open.iter().find(is_own) else {
            let concerns = |one: &UnmarkedScope| one.may_concern(&scope);
            let is_unmarked =
                |one: &&PullRequest| UnmarkedScope::of_pull_request(one).is_some_and(|one| concerns(&one));
            if let Some(one) = known.open.iter().find(is_unmarked) {
                let reason = ForgeError::Unmarked(Box::new(one.clone())).to_string();
                return closed(&reason);
            }
            let crowded = most.and_then(|most| too_many_in_flight(&known.open, &scope, most));
            return crowded.map(|reason| holds(GateKind::InFlight, reason)).into_iter().collect();
        };
        let held = self.settings.requires.iter().filter_map(|required| {
            let reason = match (known.unmet.get(&own.number)?, required) {
                (Err(reason), _) => Some(format!("its requirements cannot be read: {reason}")),
                (Ok(unmet), ForgeRequirement::Approvals) => unmet.approvals.clone(),
                (Ok(unmet), ForgeRequirement::Checks) => unmet.checks.clone(),
            };
            reason.map(|reason| holds(kind(required), in_pull_request(own.number, &reason)))
        });
        held.collect()
    }
}

/// Returns the reason of a gate with the number of its pull request.
pub(in crate::cli) fn in_pull_request(number: u64, reason: &str) -> String {
    format!("pull request #{number}: {reason}")
}

fn has_gates(settings: &PullRequestSettings) -> bool {
    !settings.requires.is_empty() || settings.in_flight.is_some()
}
