//! `--pr`: pushes the change to a branch of its own, and opens or updates its pull request.

mod details;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use clap::Args;

use crate::cli::Context;
use crate::cli::automatic_merge::automatic_merge;
use crate::cli::writing::{CommittedEdits, FREEZE_TRAILER, print_result};
use crate::promote::landing::{Landed, Landing, Replanning};
use crate::render::words::markdown_cell;
use crate::report::promotion::{PullRequestReceipt, Receipt};
use ucp_client::source::live;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::failure::Failure;
use ucp_core::model::request_path::encode;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;
use ucp_features::forge::address::RemoteAddress;
use ucp_features::forge::requirements::UnmetRequirements;
use ucp_features::forge::server::detect;
use ucp_features::forge::session::{
    EnsuredPullRequest, ForgeError, ForgeSession, ProposedChange, PullRequestDeed, PullRequestWishes, Standing,
};
use ucp_features::forge::{ForgeKind, PullRequest, token};
use ucp_repo::git::proposal::{self, ProposedBranch};
use ucp_repo::git::publish::{PushDestination, check_branch};
use ucp_repo::git::{Git, identity};
use ucp_repo::gitops::config::{PullRequestSettings, RepositoryConfig};

/// Whether to open a pull request.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Pull request")]
pub(super) struct PullRequestArgs {
    /// Push to a separate branch, and open or update its pull request
    #[arg(long, conflicts_with_all = ["commit", "branch"], group = USES_FORGE)]
    pr: bool,
    /// The forge of the remote, if it is not detected
    #[arg(long, value_name = "FORGE", requires = USES_FORGE, hide_short_help = true)]
    forge: Option<ForgeKind>,
    /// Send the token to the forge without encryption
    #[arg(long, requires = USES_FORGE, hide_short_help = true)]
    forge_allow_http: bool,
}

/// The flags with which a command uses a forge.
pub(super) const USES_FORGE: &str = "uses_forge";

impl PullRequestArgs {
    /// Returns true if the change is to have a pull request.
    pub(super) fn is_wanted(&self) -> bool {
        self.pr
    }

    /// Returns how the forge is reached.
    pub(super) fn access(&self) -> ForgeAccess {
        ForgeAccess { forge: self.forge, allow_http: self.forge_allow_http }
    }
}

/// Returns the remote of pull requests, and the branch that they are to be merged into.
///
/// # Errors
/// Fails when there is none, or the one in `.ucp.yaml` is no branch.
pub(super) fn destination(git: &Git, settings: &PullRequestSettings) -> Result<PushDestination> {
    let mut destination = PushDestination::resolve(git, None)?;
    if let Some(target) = &settings.target {
        check_branch(git, target)?;
        destination.base.clone_from(target);
    }
    destination.branch.clone_from(&destination.base);
    Ok(destination)
}

/// A session with the open pull requests, or the reason why none can be opened.
type PreparedSession = std::result::Result<(ForgeSession, Standing), ForgeError>;

/// Reads a variable of the environment.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Pushes a plan that was confirmed to the branch of its pull request, opens or updates it, and reports the result.
///
/// # Errors
/// Fails when the change cannot be pushed, another pull request changes the same service, or the forge rejects it.
pub(super) fn propose<P: CommittedEdits>(
    context: &Context,
    args: &PullRequestArgs,
    landing: &Landing,
    base: &PushDestination,
    plan: &mut P,
    message: &dyn Fn(&P) -> String,
    again: &Replanning<'_, P>,
) -> Result<Outcome> {
    let Some(git) = landing.private_git() else {
        return Err(Error::failed("there is no private tree to write the pull request in"));
    };
    let config = RepositoryConfig::read(landing.top())?;
    let url = git.push_url(&base.remote)?;
    let (remote, kind) = forge_of(args.forge, &url)?;
    let mut change = proposed_change(plan, &message(plan), base);
    let wishes = PullRequestWishes {
        automerge: automatic_merge(&config, change.scope.environment.as_deref()),
        in_flight: config.pr.in_flight.map(NonZeroUsize::get),
        labels: config.pr.labels,
        reviewers: config.pr.reviewers,
    };
    let runtime = live::runtime()?;
    let waiting = context.ui.waiting_progress("reading the open pull requests");
    let prepared = runtime.block_on(prepare(args, kind, &remote, &change, wishes.in_flight));
    let prepared = match prepared {
        // A push would keep the closed one from being opened again on some forges.
        Ok((session, standing)) if standing.current.is_none() && proposal::exists(git, base, &change.source)? => {
            match runtime.block_on(session.closed_with(&change)) {
                Ok(Some(closed)) => return Err(refuse_closed(&closed, &change.source)),
                asked => asked.map(|_| (session, standing)),
            }
        }
        prepared => prepared,
    };
    drop(waiting);
    let hint = match &prepared {
        Err(ForgeError::Overlap(..)) => {
            Some("merge or close it, or run the command for all of its services; nothing was pushed")
        }
        Err(ForgeError::Unmarked(_)) => Some(
            "run the command that opened it again, which restores its text, or merge or close it; nothing was pushed",
        ),
        Err(ForgeError::InFlight(_)) => Some("merge or close one of them first; nothing was pushed"),
        _ => None,
    };
    if let (Err(error), Some(hint)) = (&prepared, hint) {
        return Err(Error::refused(error.to_string()).hint(hint));
    }
    match &prepared {
        // A branch with a link to its page would be a way around the gate.
        Err(error) if wishes.in_flight.is_some() => {
            let reason = format!("inFlight in .ucp.yaml holds, because the open pull requests cannot be read: {error}");
            return Err(Error::refused(reason).hint("nothing was pushed"));
        }
        Err(_) => {}
        Ok((_, standing)) => {
            for replaced in &standing.superseded {
                landing.check_replaced(&replaced.source, plan, again)?;
            }
        }
    }
    let waiting = context.ui.waiting_progress("pushing");
    let landed = landing.land(plan, message, again)?;
    drop(waiting);
    let Landed::Proposed(proposed) = landed else {
        context.ui.message(P::MEANWHILE);
        return Ok(Outcome::Clean);
    };
    report_branch(context, &proposed, base)?;
    let receipt =
        Receipt { commit: Some(proposed.commit.clone()), pushed: Some(proposed.branch.clone()), ..Receipt::default() };
    let page = proposed.page.clone().or_else(|| new_pull_request(&url, &proposed.branch));
    change.commit = Some(proposed.commit.clone());
    if prepared.is_ok() {
        let commits = details::commits(context, &plan.image_updates())?;
        change.details = commits.into_iter().chain(details::effects(context, landing, &proposed.commit)).collect();
    }
    let ensured = prepared.and_then(|(session, standing)| {
        let _waiting = context.ui.waiting_progress("opening the pull request");
        let is_newest = || proposal::is_at(git, &base.remote, &proposed.branch, &proposed.commit).unwrap_or(true);
        runtime.block_on(session.ensure(standing, &change, &wishes, &is_newest))
    });
    match ensured {
        Ok(ensured) => {
            plan.note_receipt(Receipt {
                pull_request: Some(ensured.opened.url.clone()),
                proposal: Some(document(&ensured)),
                ..receipt
            });
            report_pull_request(context, git, base, &ensured)
        }
        Err(error) => {
            // The branch of a withdrawn one is deleted.
            let page = page.filter(|_| !matches!(error, ForgeError::Withdrawn(_)));
            plan.note_receipt(Receipt { pull_request: page.clone(), ..receipt });
            if let Some(page) = &page {
                print_result(context, &format!("For a pull request: {page}"))?;
            }
            let text = format!("{} is pushed, but no pull request was opened or updated: {error}", proposed.branch);
            match error {
                ForgeError::Withdrawn(cause) => {
                    // A closed pull request with this commit would keep later runs from proposing it again.
                    let own = PushDestination { branch: proposed.branch.clone(), ..base.clone() };
                    proposal::delete(git, &own)?;
                    Err(Error::refused(format!("the pull request was closed again: {cause}"))
                        .hint("another run was faster; run the command again after its pull request is merged"))
                }
                ForgeError::Unreachable(_) | ForgeError::Busy { .. } => {
                    context.ui.warn(&text);
                    Ok(Outcome::Incomplete)
                }
                ForgeError::Overlap(..) | ForgeError::Unmarked(_) | ForgeError::InFlight(_) => {
                    Err(Error::refused(text))
                }
                ForgeError::Rejected { .. } | ForgeError::Unreadable(_) => Err(Error::failed(text)),
            }
        }
    }
}

/// Returns the change for the pull request of a plan, whose commit has a message.
pub(super) fn proposed_change(plan: &impl CommittedEdits, message: &str, base: &PushDestination) -> ProposedChange {
    let scope = plan.scope();
    ProposedChange {
        source: scope.branch(&base.base),
        target: base.base.clone(),
        title: message.lines().next().unwrap_or_default().to_owned(),
        description: description(plan, message),
        details: Vec::new(),
        commit: None,
        scope,
    }
}

/// Returns the text of a pull request: the versions that change, and why a freeze does not hold them back.
fn description(plan: &impl CommittedEdits, message: &str) -> String {
    let override_reason = message.lines().find_map(|line| line.strip_prefix(FREEZE_TRAILER));
    match override_reason {
        Some(reason) => format!("{}\n\n**A freeze is overridden:** {}", plan.description(), markdown_cell(reason)),
        None => plan.description(),
    }
}

/// How the forge of a remote is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForgeAccess {
    /// The forge; detected by the remote if absent.
    pub(super) forge: Option<ForgeKind>,
    /// True if the token may be sent without encryption.
    pub(super) allow_http: bool,
}

/// The open pull requests into a branch, and what the forge still requires of some of them.
#[derive(Debug, Default)]
pub(super) struct OpenPullRequests {
    pub(super) open: Vec<PullRequest>,
    /// By number; the reason if it cannot be read.
    pub(super) unmet: BTreeMap<u64, std::result::Result<UnmetRequirements, Failure>>,
}

/// Reads the open pull requests into a branch of a remote, and the requirements of those that `wanted` selects.
///
/// # Errors
/// Fails when the forge is not known, there is no token for it, or they cannot be read completely.
pub(super) async fn read_requirements(
    access: ForgeAccess,
    url: &str,
    target: &str,
    wanted: &dyn Fn(&PullRequest) -> bool,
) -> Result<OpenPullRequests> {
    let (remote, kind) = forge_of(access.forge, url)?;
    let read = async {
        let session = connect(access, kind, &remote)?;
        let mut all = OpenPullRequests { open: session.open_requests(target).await?, unmet: BTreeMap::new() };
        for opened in all.open.iter().filter(|opened| wanted(opened)) {
            let unmet = session.unmet_requirements(opened).await.map_err(Failure::from);
            all.unmet.insert(opened.number, unmet);
        }
        Ok(all)
    };
    read.await.map_err(|error: ForgeError| Error::failed(format!("{error}")))
}

/// Returns the address of a remote, and its forge.
fn forge_of(forge: Option<ForgeKind>, url: &str) -> Result<(RemoteAddress, ForgeKind)> {
    let shown = one_line(&scrub(url));
    let remote = RemoteAddress::parse(url).ok_or_else(|| {
        Error::usage(format!("the remote {shown} is not on a forge")).hint("use --push instead of --pr")
    })?;
    let kind = forge.or_else(|| detect(&remote, &variable)).ok_or_else(|| {
        Error::usage(format!("it is not known which forge runs on {}", remote.host))
            .hint("pass --forge github, gitlab, gitea, bitbucket or azure")
    })?;
    kind.repository(&remote).map_err(|reason| Error::usage(format!("the remote {shown}: {reason}")))?;
    Ok((remote, kind))
}

/// Connects to the API of the forge of a remote. It must be called inside of the runtime.
///
/// # Errors
/// Fails when the forge is not known, or there is no token for it.
pub(super) fn open_session(access: ForgeAccess, url: &str) -> Result<ForgeSession> {
    let (remote, kind) = forge_of(access.forge, url)?;
    connect(access, kind, &remote).map_err(|error| Error::failed(error.to_string()))
}

/// Finds the token and connects to the API of a forge.
fn connect(
    access: ForgeAccess,
    kind: ForgeKind,
    remote: &RemoteAddress,
) -> std::result::Result<ForgeSession, ForgeError> {
    let token = token::find(kind, remote, &variable)?;
    if let Some(obstacle) = token.server.obstacle().filter(|_| !access.allow_http) {
        return Err(ForgeError::Unreachable(format!("{obstacle}; --forge-allow-http sends it")));
    }
    Ok(ForgeSession::open(kind, remote, &token)?)
}

/// Connects to a forge and reads the open pull requests.
async fn prepare(
    args: &PullRequestArgs,
    kind: ForgeKind,
    remote: &RemoteAddress,
    change: &ProposedChange,
    in_flight: Option<usize>,
) -> PreparedSession {
    let session = connect(args.access(), kind, remote)?;
    let standing = session.standing(&change.scope, &change.source, &change.target, in_flight).await?;
    Ok((session, standing))
}

fn report_branch(context: &Context, proposed: &ProposedBranch, base: &PushDestination) -> Result<()> {
    let (branch, remote) = (&proposed.branch, &base.remote);
    let text = match proposed.is_unchanged {
        true => format!("Nothing to push: {branch} of {remote} already has this change."),
        false => format!("Pushed {} to {branch} of {remote}.", short(&proposed.commit)),
    };
    print_result(context, &text)
}

fn report_pull_request(
    context: &Context,
    git: &Git,
    base: &PushDestination,
    ensured: &EnsuredPullRequest,
) -> Result<Outcome> {
    let EnsuredPullRequest { opened, deed, closed, missing } = ensured;
    let url = one_line(&opened.url);
    let text = match deed {
        PullRequestDeed::Opened => format!("Opened pull request #{}: {url}", opened.number),
        PullRequestDeed::Updated => format!("Updated pull request #{}: {url}", opened.number),
        PullRequestDeed::Unchanged => format!("Pull request #{} is open: {url}", opened.number),
    };
    print_result(context, &text)?;
    for old in closed {
        print_result(context, &format!("Closed pull request #{}, which it replaces.", old.number))?;
        let destination = PushDestination { branch: old.source.clone(), ..base.clone() };
        if !proposal::delete(git, &destination)? {
            context.ui.warn(&format!("the branch {} was not deleted: it has other commits", one_line(&old.source)));
        }
    }
    for missing in missing {
        context.ui.warn(&format!("pull request #{}: {missing}", opened.number));
    }
    Ok(if missing.is_empty() { Outcome::Clean } else { Outcome::Incomplete })
}

/// Returns the reason why the change of a closed pull request is not proposed again.
pub(super) fn closed_reason(closed: &PullRequest) -> String {
    let (number, url) = (closed.number, one_line(&closed.url));
    format!("pull request #{number} with this change was closed without a merge: {url}")
}

fn refuse_closed(closed: &PullRequest, branch: &str) -> Error {
    Error::refused(closed_reason(closed))
        .hint(format!("reopen it there, or delete the branch {branch} to propose the change again"))
}

fn document(ensured: &EnsuredPullRequest) -> PullRequestReceipt {
    PullRequestReceipt {
        number: ensured.opened.number,
        state: match ensured.deed {
            PullRequestDeed::Opened => "opened",
            PullRequestDeed::Updated => "updated",
            PullRequestDeed::Unchanged => "unchanged",
        },
        closed: ensured.closed.iter().map(|old| old.number).collect(),
        missing: ensured.missing.clone(),
    }
}

/// Returns the page to open a pull request for a branch, or to see an open one, for servers with a fixed address for
/// it.
pub(super) fn new_pull_request(remote: &str, branch: &str) -> Option<String> {
    let repository = identity::normalize(remote);
    let host = repository.split('/').next()?;
    let branch = encode(branch);
    if host.contains("github") {
        Some(format!("https://{repository}/compare/{branch}?expand=1"))
    } else if host.contains("gitlab") {
        Some(format!("https://{repository}/-/merge_requests?state=opened&source_branch={branch}"))
    } else {
        None
    }
}

pub(super) fn short(commit: &str) -> &str {
    &commit[..commit.len().min(12)]
}
