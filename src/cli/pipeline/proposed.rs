//! The versions that open pull requests would declare, from the files of their branches.

use std::collections::BTreeSet;

use clap::Args;

use crate::cli::promote::forge_gates::KnownPullRequests;
use crate::cli::pull_request::{self, ForgeAccess, OpenPullRequests};
use crate::cli::working_copy::{RepositorySurvey, WorkingCopy};
use crate::cli::{Context, freeze};
use crate::promote::matrix::{MatrixFilter, matrix};
use crate::promote::policy::Policy;
use crate::report::images::{ImageMatrix, ImageRow, split_versions};
use crate::report::pipeline::OpenPullRequest;
use crate::report::promotion_check::{GateKind, HoldingGate};
use ucp_client::source::live;
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_core::model::state::Unreadable;
use ucp_features::forge::address::RemoteAddress;
use ucp_features::forge::requirements::UnmetRequirements;
use ucp_features::forge::scope::{ChangeScope, UnmarkedScope};
use ucp_features::forge::{ForgeKind, PullRequest};
use ucp_repo::git::Git;
use ucp_repo::git::private::PrivateTree;
use ucp_repo::git::publish::{PushDestination, check_out_tip};
use ucp_repo::gitops::config::{PullRequestSettings, RepositoryConfig};
use ucp_repo::slot::artifact::ArtifactKind;

/// Whether open pull requests are read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Pull requests")]
pub(super) struct ForgeArgs {
    /// Read neither open pull requests nor the registries of images
    #[arg(long, conflicts_with_all = ["forge", "forge_allow_http"])]
    no_pull_requests: bool,
    /// The forge of the remote, if it is not detected
    #[arg(long, value_name = "FORGE", hide_short_help = true)]
    forge: Option<ForgeKind>,
    /// Send the token to the forge without encryption
    #[arg(long, hide_short_help = true)]
    forge_allow_http: bool,
}

/// A version that an open pull request would declare.
pub(super) struct ProposedVersion {
    pub(super) name: String,
    pub(super) kind: ArtifactKind,
    pub(super) version: String,
    pub(super) environment: String,
    pub(super) request: OpenPullRequest,
    /// The gates of its pull request: those of the forge, and a freeze.
    pub(super) held_back_by: Vec<HoldingGate>,
}

/// The versions of all open pull requests of a service.
#[derive(Default)]
pub(super) struct ProposedVersions {
    pub(super) versions: Vec<ProposedVersion>,
    /// Pull requests that could not be read.
    pub(super) unreadable: Vec<Unreadable>,
}

impl ForgeArgs {
    /// Returns true if more than Git and the cluster is read.
    pub(super) fn reads_servers(&self) -> bool {
        !self.no_pull_requests
    }

    /// Returns how the forge is accessed.
    pub(super) fn access(&self) -> ForgeAccess {
        ForgeAccess { forge: self.forge, allow_http: self.forge_allow_http }
    }

    /// Reads the open pull requests: the versions of a service in them, and all of them for gates. A repository without a remote
    /// on a server has none.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub(super) fn read(
        &self,
        context: &Context,
        working_copy: &WorkingCopy,
        survey: &RepositorySurvey,
        service: &str,
    ) -> Result<(ProposedVersions, KnownPullRequests)> {
        let unknown = |reason: &str| (ProposedVersions::default(), Err(Failure::from(reason)));
        let Some(git) = working_copy.git.as_ref().filter(|_| !self.no_pull_requests) else {
            return Ok(unknown("open pull requests were not read"));
        };
        if git.remote_urls()?.iter().all(|url| RemoteAddress::parse(url).is_none()) {
            return Ok(unknown("no remote is on a forge"));
        }
        let waiting = context.ui.waiting_progress("reading the open pull requests");
        let is_wanted = |one: &PullRequest| scope_with(service, one).is_some();
        let open = self.open_requests(git, &survey.repository.config.pr, &is_wanted);
        drop(waiting);
        match open {
            Ok((destination, known)) => {
                let branches = RemoteBranches { git, working_copy, destination };
                Ok((ProposedVersions::read(&branches, survey, service, &known), Ok(known)))
            }
            Err(error) => {
                let (mut proposed, known) = unknown(&error.message());
                let reason = format!("{}; --no-pull-requests omits them", error.message());
                proposed.unreadable.push(Unreadable { what: "open pull requests".to_owned(), reason });
                Ok((proposed, known))
            }
        }
    }

    fn open_requests(
        &self,
        git: &Git,
        settings: &PullRequestSettings,
        wanted: &dyn Fn(&PullRequest) -> bool,
    ) -> Result<(PushDestination, OpenPullRequests)> {
        let destination = pull_request::destination(git, settings)?;
        let url = git.push_url(&destination.remote)?;
        let read = pull_request::read_requirements(self.access(), &url, &destination.base, wanted);
        let open = live::runtime()?.block_on(read)?;
        Ok((destination, open))
    }
}

impl ProposedVersions {
    /// Reads the versions of a service in the branches of open pull requests.
    fn read(branches: &RemoteBranches<'_>, survey: &RepositorySurvey, service: &str, known: &OpenPullRequests) -> Self {
        let mut proposed = Self::default();
        for unmarked in known.open.iter().filter(|one| UnmarkedScope::of_pull_request(one).is_some()) {
            let reason = "its text no longer says which services it changes".to_owned();
            proposed.unreadable.push(Unreadable { what: format!("pull request #{}", unmarked.number), reason });
        }
        let scoped = known.open.iter().filter_map(|one| Some((one, scope_with(service, one)?)));
        let mut scoped = scoped.peekable();
        if scoped.peek().is_none() {
            return proposed;
        }
        let before = versions_of(survey, service);
        for (request, scope) in scoped {
            let what = format!("pull request #{}", request.number);
            let unmet = match known.unmet.get(&request.number) {
                Some(Ok(unmet)) => unmet.clone(),
                Some(Err(reason)) => {
                    let what = format!("the requirements of {what}");
                    proposed.unreadable.push(Unreadable { what, reason: reason.to_string() });
                    UnmetRequirements::default()
                }
                None => UnmetRequirements::default(),
            };
            match branches.versions(&request.source, service) {
                Ok(after) => {
                    let gates = |environment: &str| gates(&survey.repository.config, environment, &unmet);
                    proposed.add(request, &scope, (&before, &after), &gates);
                    let unreadable = after.unreadable.into_iter().map(|entry| entry.item);
                    proposed.unreadable.extend(
                        unreadable
                            .map(|entry| Unreadable { what: format!("{what}: {}", entry.what), reason: entry.reason }),
                    );
                }
                Err(error) => proposed.unreadable.push(Unreadable { what, reason: error.message() }),
            }
        }
        proposed
    }

    /// Adds the versions that a branch declares and the checkout does not.
    fn add(
        &mut self,
        request: &PullRequest,
        scope: &ChangeScope,
        (before, after): (&ImageMatrix, &ImageMatrix),
        gates: &dyn Fn(&str) -> Vec<HoldingGate>,
    ) {
        let known: Vec<&ImageRow> = before.services.iter().flat_map(|service| &service.images).collect();
        for row in after.services.iter().flat_map(|service| &service.images) {
            for (environment, cell) in &row.versions {
                if scope.environment.as_ref().is_some_and(|only| only != environment) {
                    continue;
                }
                let same = known.iter().filter(|known| known.name == row.name && known.kind == row.kind);
                let declared = same.filter_map(|known| known.versions.get(environment)?.declared.as_deref());
                let declared: Vec<String> = declared.flat_map(|text| split_versions(Some(text))).collect();
                let new = split_versions(cell.declared.as_deref()).into_iter().filter(|one| !declared.contains(one));
                self.versions.extend(new.map(|version| ProposedVersion {
                    name: row.name.clone(),
                    kind: row.kind,
                    version,
                    environment: environment.clone(),
                    request: OpenPullRequest {
                        number: request.number,
                        url: request.url.clone(),
                        title: request.title.clone(),
                        author: request.author.clone(),
                        since: request.opened_at,
                    },
                    held_back_by: gates(environment),
                }));
            }
        }
    }
}

/// Returns the gates of an open pull request: what its forge requires before a merge, and a freeze of the environment.
fn gates(config: &RepositoryConfig, environment: &str, unmet: &UnmetRequirements) -> Vec<HoldingGate> {
    let frozen = freeze::active(config, Some(environment)).map(|active| HoldingGate {
        gate: GateKind::Freeze,
        reason: active.reason(),
        until: active.until,
    });
    let required = [(GateKind::Approvals, &unmet.approvals), (GateKind::Checks, &unmet.checks)];
    let required = required
        .into_iter()
        .filter_map(|(gate, reason)| Some(HoldingGate { gate, reason: reason.clone()?, until: None }));
    frozen.into_iter().chain(required).collect()
}

/// The branches of a remote.
struct RemoteBranches<'b> {
    git: &'b Git,
    working_copy: &'b WorkingCopy,
    destination: PushDestination,
}

impl RemoteBranches<'_> {
    fn versions(&self, branch: &str, service: &str) -> Result<ImageMatrix> {
        let tree = PrivateTree::create(self.git)?;
        check_out_tip(&tree, &PushDestination { branch: branch.to_owned(), ..self.destination.clone() })?;
        Ok(versions_of(&self.working_copy.survey(tree.path())?, service))
    }
}

/// Returns the scope of a pull request, if it is about a service.
fn scope_with(service: &str, request: &PullRequest) -> Option<ChangeScope> {
    ChangeScope::of_pull_request(request).filter(|scope| scope.all || scope.services.contains(service))
}

fn versions_of(survey: &RepositorySurvey, service: &str) -> ImageMatrix {
    let filter = MatrixFilter { services: BTreeSet::from([service.to_owned()]), ..MatrixFilter::default() };
    survey.with_facts(Policy::STRICT, |facts| matrix(facts, &filter, None).0)
}
