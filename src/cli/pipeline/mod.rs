//! `kubectl ucp pipeline`

mod built_from;
mod proposed;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::cli::Context;
use crate::cli::promote::check::{PromotionGates, refused_rows};
use crate::cli::promote::closed::{ProposedBranches, ProposedTogether};
use crate::cli::promote::forge_gates::{ForgeGates, KnownPullRequests, in_pull_request};
use crate::cli::promote::gate::PromotionGate;
use crate::cli::pull_request::ForgeAccess;
use crate::cli::reading::outcome;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Snapshot};
use crate::cli::spec::{CommandSpec, IMAGE_ROLES, RUNNING, always};
use crate::cli::working_copy::RepositoryArgs;
use crate::complete::CompletionValues;
use crate::promote::copy;
use crate::promote::declared::{UndatedVersion, VersionInEnvironment, declaring_commit};
use crate::promote::facts::PlanningFacts;
use crate::promote::matrix::{MatrixFilter, RunningInput, matrix};
use crate::promote::policy::Policy;
use crate::promote::request::{PromotionRequest, ServiceSelection};
use crate::report::images::{EnvironmentVersions, ImageRow, split_versions};
use crate::report::pipeline::{DeclaringCommit, Pipeline, PlaceState};
use crate::report::promotion::RepositoryPath;
use crate::report::promotion_check::{CheckedVersion, GateKind, HoldingGate};
use ucp_core::error::{Outcome, Result};
use ucp_core::model::image::ImageVersion;
use ucp_core::model::state::Unreadable;
use ucp_features::forge::session::ProposedChange;
use ucp_repo::gitops::config::RepositoryConfig;
use ucp_repo::gitops::order::{Direction, direction};
use ucp_repo::slot::artifact::ArtifactKind;

use proposed::{ForgeArgs, ProposedVersion};

/// Show where each version of a service is on its way
///
/// For each version: the commit that its image was built from, if its registry can be read; the environments that declare it, since
/// when and by which commit; with a cluster, whether it runs there; open pull requests of 'promote --pr' that would declare it, with the approvals and checks that the forge still requires;
/// and the environments that may get it next, with the gates of .ucp.yaml that hold it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp pipeline echo-server
  kubectl ucp pipeline echo-server --context core
  kubectl ucp pipeline echo-server --no-pull-requests -o json")]
pub(super) struct Args {
    /// The service
    #[arg(value_name = "SERVICE")]
    service: String,
    /// Show what is running in the cluster; implied by --from, --context, --kubeconfig and --server
    #[arg(long)]
    running: bool,
    #[command(flatten)]
    forge: ForgeArgs,
    #[command(flatten)]
    repository: RepositoryArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[RUNNING],
    roles: &[always(IMAGE_ROLES)],
    completions: &[("service", CompletionValues::Services)],
    ..CommandSpec::new("pipeline", &[Cluster, Snapshot, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let working_copy = args.repository.open(&context.ui)?;
    let survey = working_copy.survey(&working_copy.top)?;
    survey.check([], [args.service.as_str()])?;
    survey.check_gates()?;
    let is_asked = args.running || context.names_a_cluster();
    let running = is_asked.then(|| context.read_running_versions()).transpose()?;
    let config = &survey.repository.config;
    let gate = running.map(|running| PromotionGate::from_running(running, config)).transpose()?;
    let remotes = working_copy.remotes()?;
    let (proposed, known) = args.forge.read(context, &working_copy, &survey, &args.service)?;
    let known = Rc::new(known);
    let source = RepositoryPath { path: working_copy.shown.clone() };
    // Without the open ones, the closed ones cannot be read either.
    let branches = known.is_ok().then(|| ProposedBranches::list(&working_copy, &config.pr));
    let branches = branches.transpose().map(Option::flatten);
    let (mut report, next) = survey.with_facts(Policy::STRICT, |facts| {
        let verified = gate.as_ref();
        let branches = branches.as_ref().ok().and_then(Option::as_ref);
        let service = args.service.as_str();
        let pipeline = PipelineFacts { facts, service, remotes: &remotes, verified, known: &known, branches };
        let (mut report, next) = pipeline.report(source, &proposed.versions);
        report.unreadable.extend(proposed.unreadable);
        (report, next)
    });
    if let Err(error) = branches.and_then(|branches| hold_closed(&mut report, branches, args.forge.access(), &next)) {
        let what = "pull requests that were closed".to_owned();
        report.unreadable.push(Unreadable { what, reason: error.message() });
    }
    if args.forge.reads_servers() {
        built_from::add_commits(context, &mut report)?;
    }
    context.print(&report)?;
    context.warn_of_unreadable(&report.unreadable);
    if report.versions.is_empty() {
        context.ui.message("No version of this service was found.");
    }
    Ok(outcome(&report.unreadable))
}

/// The facts about one service.
struct PipelineFacts<'f> {
    facts: &'f PlanningFacts<'f>,
    service: &'f str,
    remotes: &'f [String],
    verified: Option<&'f PromotionGate>,
    known: &'f Rc<KnownPullRequests>,
    branches: Option<&'f ProposedBranches>,
}

/// A promotion that `--pr` would propose on a branch that exists already.
struct NextPromotion {
    environment: String,
    versions: Vec<(String, ArtifactKind, String)>,
    change: ProposedChange,
}

impl PipelineFacts<'_> {
    fn report(&self, source: RepositoryPath, proposed: &[ProposedVersion]) -> (Pipeline, Vec<NextPromotion>) {
        let filter = MatrixFilter { services: BTreeSet::from([self.service.to_owned()]), ..MatrixFilter::default() };
        let input = self.verified.map(|gate| RunningInput { running: gate.running(), remotes: self.remotes });
        let (versions, doubts) = matrix(self.facts, &filter, input);
        let mut report = Pipeline::new(source, self.service, versions.environments.clone());
        report.unreadable.extend(versions.unreadable.into_iter().map(|entry| entry.item));
        report.unreadable.extend(doubts);
        let rows: Vec<ImageRow> = versions.services.into_iter().flat_map(|service| service.images).collect();
        for row in &rows {
            for (environment, cell) in &row.versions {
                self.add_cell(&mut report, row, environment, cell);
            }
        }
        for one in proposed {
            let place = report.place((&one.name, one.kind), &one.version, &one.environment);
            (place.state, place.pull_request) = (PlaceState::Proposed, Some(one.request.clone()));
            place.held_back_by.clone_from(&one.held_back_by);
        }
        let pairs = next_environments(&self.facts.repository.config, &report.environments).into_iter();
        let next = pairs.flat_map(|(from, to)| self.add_next(&mut report, &rows, from, to)).collect();
        report.sort();
        (report, next)
    }

    /// Adds the versions that are declared or run in an environment.
    fn add_cell(&self, report: &mut Pipeline, row: &ImageRow, environment: &str, cell: &EnvironmentVersions) {
        let artifact = (row.name.as_str(), row.kind);
        let declared = split_versions(cell.declared.as_deref());
        for version in &declared {
            let wanted = VersionInEnvironment { service: self.service, artifact: &row.name, environment, version };
            let commit = declaring_commit(self.facts, wanted);
            let place = report.place(artifact, version, environment);
            place.state = PlaceState::from_declared(cell.runs);
            if let Ok(commit) = &commit {
                (place.since, place.by) = (Some(commit.time), Some(DeclaringCommit::from(commit)));
            }
            if let Err(UndatedVersion::Unread(file, reason)) = commit {
                report.unreadable.push(Unreadable { what: format!("the history of {file}"), reason });
            }
        }
        for version in split_versions(cell.running.as_deref()).iter().filter(|version| !declared.contains(version)) {
            report.place(artifact, version, environment).state = PlaceState::StillRuns;
        }
    }

    /// Adds the versions that may be promoted to an environment, with their gates. Returns the promotion if it was proposed before.
    fn add_next(&self, report: &mut Pipeline, rows: &[ImageRow], from: String, to: String) -> Vec<NextPromotion> {
        let services = ServiceSelection::Named(BTreeSet::from([self.service.to_owned()]));
        let request = PromotionRequest { from, to, services, only: Vec::new() };
        let plan = copy::plan(self.facts, &request, None, None);
        let forge = ForgeGates::from_known(Rc::clone(self.known), &self.facts.repository.config.pr, &request.to);
        let gates =
            PromotionGates { request: &request, remotes: self.remotes, verified: self.verified, forge: forge.as_ref() };
        let unverified = || HoldingGate {
            gate: GateKind::Verify,
            reason: "it is not known whether it runs: pass --running".to_owned(),
            until: None,
        };
        let is_unverified = self.facts.repository.config.verify.is_some() && self.verified.is_none();
        for change in &plan.changes {
            let mut held = gates.holding(self.facts, change);
            held.extend(is_unverified.then(unverified));
            hold(report, (&change.image, kind_of(rows, &change.image)), &change.after, &request.to, held);
        }
        for refused in refused_rows(&plan) {
            let held = CheckedVersion::from_refusal(refused).held_back_by;
            for row in rows.iter().filter(|row| row.name == refused.image) {
                let declared = |environment: &str| {
                    split_versions(row.versions.get(environment).and_then(|cell| cell.declared.as_deref()))
                };
                let there = declared(&request.to);
                // An older version is not on its way.
                let is_older = |version: &str| {
                    let order = |there: &String| direction(&ImageVersion::parse(there), &ImageVersion::parse(version));
                    there.iter().any(|there| order(there) == Direction::Downgrade)
                };
                for version in declared(&request.from).into_iter().filter(|version| !is_older(version)) {
                    hold(report, (&row.name, row.kind), &version, &request.to, held.clone());
                }
            }
        }
        let changes = self.branches.map(|branches| {
            let together = ProposedTogether::EachService;
            branches.changes(self.facts, &request, &plan, together)
        });
        let versions = plan.changes.iter().map(|change| {
            let (name, version) = (change.image.clone(), change.after.clone());
            (name, kind_of(rows, &change.image), version)
        });
        let versions: Vec<_> = versions.collect();
        let next = |change| NextPromotion { environment: request.to.clone(), versions: versions.clone(), change };
        changes.into_iter().flatten().map(next).collect()
    }
}

fn kind_of(rows: &[ImageRow], name: &str) -> ArtifactKind {
    rows.iter().find(|row| row.name == name).map_or(ArtifactKind::Image, |row| row.kind)
}

/// Holds back the versions of promotions whose pull request was closed.
///
/// # Errors
/// Fails when the forge cannot be read.
fn hold_closed(
    report: &mut Pipeline,
    branches: Option<ProposedBranches>,
    access: ForgeAccess,
    next: &[NextPromotion],
) -> Result<()> {
    let Some(branches) = branches else { return Ok(()) };
    for promotion in next {
        for (_, gate) in branches.closed(access, std::slice::from_ref(&promotion.change))? {
            for (name, kind, version) in &promotion.versions {
                hold(report, (name, *kind), version, &promotion.environment, vec![gate.clone()]);
            }
        }
    }
    Ok(())
}

/// Adds the gates of a version that is not declared in the environment yet.
fn hold(report: &mut Pipeline, artifact: (&str, ArtifactKind), version: &str, to: &str, held: Vec<HoldingGate>) {
    let place = report.place(artifact, version, to);
    if place.pull_request.is_none() {
        place.state = if held.is_empty() { PlaceState::Ready } else { PlaceState::Held };
    }
    // A pull request may have its own, which `requires` in `.ucp.yaml` reports once more, with its number.
    let number = place.pull_request.as_ref().map(|request| request.number);
    let known: Vec<HoldingGate> = place.held_back_by.clone();
    let is_known = |one: &HoldingGate| {
        known.iter().any(|known| {
            let with_number = number.map(|number| in_pull_request(number, &known.reason));
            known.gate == one.gate && (known.reason == one.reason || with_number.as_ref() == Some(&one.reason))
        })
    };
    place.held_back_by.extend(held.into_iter().filter(|one| !is_known(one)));
}

/// Returns the pairs of environments between which versions are promoted: by the flow of `.ucp.yaml`, else in order.
fn next_environments(config: &RepositoryConfig, environments: &[String]) -> Vec<(String, String)> {
    if config.flow.is_empty() {
        return environments.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    }
    let pairs = config.flow.iter().flat_map(|(from, targets)| targets.iter().map(move |to| (from.clone(), to.clone())));
    pairs.collect()
}
