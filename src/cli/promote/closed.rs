//! Pull requests that were closed without a merge: `--pr` does not propose their changes again.

use std::collections::BTreeSet;

use super::headline;
use crate::cli::pull_request::{ForgeAccess, closed_reason, destination, open_session, proposed_change};
use crate::cli::working_copy::WorkingCopy;
use crate::promote::copy;
use crate::promote::facts::PlanningFacts;
use crate::promote::landing::Landable as _;
use crate::promote::request::{PromotionRequest, ServiceSelection};
use crate::report::promotion::PromotionPlan;
use crate::report::promotion_check::{CheckedVersion, GateKind, HoldingGate};
use ucp_client::source::live;
use ucp_core::error::{Error, Result};
use ucp_features::forge::scope::{BRANCHES, ChangeScope};
use ucp_features::forge::session::ProposedChange;
use ucp_repo::git::proposal;
use ucp_repo::git::publish::PushDestination;
use ucp_repo::gitops::config::PullRequestSettings;

/// The branches of pull requests at the remote: without its branch, a closed pull request holds nothing back.
pub(in crate::cli) struct ProposedBranches {
    base: PushDestination,
    url: String,
    names: BTreeSet<String>,
}

impl ProposedBranches {
    /// Lists them, if `.ucp.yaml` has settings of pull requests.
    ///
    /// # Errors
    /// Fails when the remote cannot be read.
    pub(in crate::cli) fn list(working_copy: &WorkingCopy, settings: &PullRequestSettings) -> Result<Option<Self>> {
        if *settings == PullRequestSettings::default() {
            return Ok(None);
        }
        let git = working_copy.git()?;
        let base = destination(git, settings)?;
        let url = git.push_url(&base.remote)?;
        let names = proposal::branches(git, &base.remote, BRANCHES)?;
        Ok(Some(Self { base, url, names }))
    }

    /// Returns the changes that `--pr` would propose on one of them: those of a plan together, or of each of its services.
    pub(in crate::cli) fn changes(
        &self,
        facts: &PlanningFacts<'_>,
        request: &PromotionRequest,
        plan: &PromotionPlan,
        requests: ProposedTogether,
    ) -> Vec<ProposedChange> {
        let is_known = |scope: &ChangeScope| self.names.contains(&scope.branch(&self.base.base));
        let proposed =
            |plan: &PromotionPlan| proposed_change(plan, &headline(plan, &request.from, &request.to), &self.base);
        match requests {
            ProposedTogether::All => {
                Some(plan).filter(|plan| is_known(&plan.scope())).map(proposed).into_iter().collect()
            }
            ProposedTogether::EachService => {
                let alone = plan.scope().services.into_iter().map(|service| BTreeSet::from([service]));
                let scope = |services: &BTreeSet<String>| ChangeScope {
                    environment: Some(request.to.clone()),
                    services: services.clone(),
                    ..ChangeScope::default()
                };
                let plan = |services| {
                    let request = PromotionRequest { services: ServiceSelection::Named(services), ..request.clone() };
                    proposed(&copy::plan(facts, &request, None, None))
                };
                alone.filter(|services| is_known(&scope(services))).map(plan).collect()
            }
        }
    }

    /// Adds a gate to the versions of each change whose pull request was closed.
    ///
    /// # Errors
    /// Fails when the forge cannot be read.
    pub(super) fn hold(
        &self,
        access: ForgeAccess,
        changes: &[ProposedChange],
        items: &mut [CheckedVersion],
    ) -> Result<()> {
        for (change, gate) in self.closed(access, changes)? {
            let is_its = |item: &&mut CheckedVersion| {
                item.service.as_ref().is_some_and(|service| change.scope.services.contains(service))
            };
            items.iter_mut().filter(is_its).for_each(|item| item.held_back_by.push(gate.clone()));
        }
        Ok(())
    }

    /// Returns the changes whose pull request was closed, each with its gate.
    ///
    /// # Errors
    /// Fails when the forge cannot be read.
    pub(in crate::cli) fn closed<'c>(
        &self,
        access: ForgeAccess,
        changes: &'c [ProposedChange],
    ) -> Result<Vec<(&'c ProposedChange, HoldingGate)>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        live::runtime()?.block_on(async {
            let session = open_session(access, &self.url)?;
            let mut closed = Vec::new();
            for change in changes {
                let found = session.closed_with(change).await.map_err(|error| Error::failed(error.to_string()))?;
                let gate = |reason| HoldingGate { gate: GateKind::Closed, reason, until: None };
                closed.extend(found.map(|found| (change, gate(closed_reason(&found)))));
            }
            Ok(closed)
        })
    }
}

/// The services that share a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum ProposedTogether {
    /// All services of the request.
    All,
    /// None: the request names no service.
    EachService,
}
