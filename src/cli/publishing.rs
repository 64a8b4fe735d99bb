//! Where planned edits go: the work tree, a commit, a branch, the remote.

use std::path::Path;

use clap::Args;

use crate::cli::Context;
use crate::cli::checkout::{Checkout, Files, Survey};
use crate::cli::writing::{ConsentArgs, Decision, count, done, show};
use crate::error::{Error, Outcome, Result};
use crate::git::Git;
use crate::git::private::PrivateTree;
use crate::git::publish::{self, Destination, check_branch};
use crate::gitops::files;
use crate::promote::policy::Policy;
use crate::promote::reconcile::{Rows, reconcile, rows};
use crate::report::promotion::PromotionPlan;

/// Where the edits go besides the files.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct PublishArgs {
    /// Whether to go ahead.
    #[command(flatten)]
    pub(super) consent: ConsentArgs,
    /// Commit the edited files on the current branch
    #[arg(long)]
    commit: bool,
    /// Commit to this branch, which is created if needed; the working tree is not changed
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed
    #[arg(long)]
    push: bool,
    /// Commit message; by default, it lists the changes
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// What the flags ask for.
enum Target {
    /// Edit the work tree.
    WorkTree,
    /// And commit the files.
    Commit(Git),
    /// A local branch, from a private tree.
    Branch(Git, String),
    /// The remote, from a private tree.
    Push(Git, Destination),
}

impl PublishArgs {
    fn target(&self, checkout: &Checkout) -> Result<Target> {
        let target = match (&self.branch, self.push) {
            (branch, true) => {
                let git = checkout.git()?;
                Target::Push(git.clone(), Destination::of(git, branch.as_deref())?)
            }
            (Some(branch), false) => {
                check_branch(checkout.git()?, branch)?;
                Target::Branch(checkout.git()?.clone(), branch.clone())
            }
            (None, false) if self.commit => Target::Commit(checkout.git()?.clone()),
            (None, false) => Target::WorkTree,
        };
        let needs_files = matches!(target, Target::WorkTree | Target::Commit(_));
        if checkout.files == Files::Copy && needs_files && !self.consent.dry_run {
            return Err(Error::usage(format!("{} has no work tree to edit", checkout.shown))
                .hint("pass --push, or --dry-run to see the plan only"));
        }
        Ok(target)
    }

    /// The message of a commit: one line, and what moved.
    fn commit_message(&self, plan: &PromotionPlan, headline: &dyn Fn(&PromotionPlan) -> String) -> String {
        if let Some(message) = &self.message {
            return message.clone();
        }
        let mut message = format!("{}\n", headline(plan));
        for change in &plan.changes {
            let service = change.service.as_deref().unwrap_or_default();
            let before = if change.before.is_empty() { "none" } else { &change.before };
            message.push_str(&format!("\n- {service}: {} {before} -> {}", change.image, change.after));
        }
        crate::model::text::plain(&message).into_owned()
    }
}

/// Makes a plan from the files of a survey; where rows are given, of these only.
type Planner<'a> = dyn Fn(&Survey, Option<&Rows>) -> Result<PromotionPlan> + 'a;

/// What a command wants to write.
pub(super) struct Intent<'a> {
    /// Makes its plan.
    pub(super) planner: Box<Planner<'a>>,
    /// The first line of the commit.
    pub(super) headline: Box<dyn Fn(&PromotionPlan) -> String + 'a>,
}

/// Plans, shows, asks and carries out what becomes of the first look at the files.
///
/// # Errors When the plan cannot be made or carried out, or a value changed in the meantime.
pub(super) fn carry_out<'a>(
    context: &Context,
    checkout: &Checkout,
    args: &PublishArgs,
    policy: Policy,
    intent: &dyn Fn(&Survey) -> Result<Intent<'a>>,
) -> Result<Outcome> {
    let target = args.target(checkout)?;
    // The tree that the plan is made from.
    let tree = match &target {
        Target::WorkTree | Target::Commit(_) => None,
        Target::Branch(git, branch) => {
            let start = branch_start(git, branch)?;
            let tree = PrivateTree::of(git)?;
            tree.check_out(&start)?;
            Some(tree)
        }
        Target::Push(git, destination) => {
            let _waiting = context.ui.waiting("fetching");
            let tree = PrivateTree::of(git)?;
            publish::check_out_tip(&tree, destination)?;
            Some(tree)
        }
    };
    if checkout.files == Files::Theirs && !args.consent.dry_run {
        files::remove_left_behind(&checkout.top);
    }
    let top = tree.as_ref().map_or(checkout.top.as_path(), PrivateTree::path);
    let survey = checkout.survey(top)?;
    let Intent { planner, headline } = intent(&survey)?;
    let mut plan = planner(&survey, None)?;
    plan.source.path.clone_from(&checkout.shown);
    if let Decision::Stop(outcome) = show(&plan, &args.consent, context)? {
        return Ok(outcome);
    }
    let message = args.commit_message(&plan, &headline);
    match (&target, &tree) {
        (Target::Push(git, destination), Some(tree)) => {
            let waiting = context.ui.waiting("pushing");
            let options = |destination: &Destination, message: &str| merge_request(git, destination, message);
            let published = publish::publish(tree, destination, &options, || {
                let now = planner(&checkout.survey(tree.path())?, Some(&rows(&plan)))?;
                reconcile(&plan, &now, policy.downgrades).map_err(|reason| {
                    Error::refused(reason).hint("nothing was pushed; look at the new plan, or pass --allow-downgrade")
                })?;
                write(&now, tree.path())?;
                let paths = paths(&now);
                Ok((!paths.is_empty()).then(|| (args.commit_message(&now, &headline), paths)))
            })?;
            drop(waiting);
            match published {
                None => context.ui.message("Nothing to push: every version has been set in the meantime."),
                Some(published) => {
                    if let Some(reason) = &published.diverted {
                        context.ui.warn(&format!(
                            "{} is protected, so the commit is on a branch of its own: {reason}",
                            destination.base
                        ));
                    }
                    context.ui.message(&format!(
                        "Pushed {} to {} of {}.",
                        short(&published.commit),
                        published.branch,
                        destination.remote
                    ));
                    if let Some(page) = &published.page {
                        context.ui.message(&format!("For a pull request: {}", crate::model::text::plain(page)));
                    }
                    plan.commit = Some(published.commit);
                    plan.pushed = Some(published.branch);
                    plan.pull_request = published.page;
                }
            }
        }
        (Target::Branch(git, branch), Some(tree)) => {
            write(&plan, tree.path())?;
            let commit = publish::commit(tree.git(), &message, &paths(&plan))?;
            take_over(git, tree, &commit, branch)?;
            context.ui.message(&format!("Committed {} on {branch}.", short(&commit)));
            plan.commit = Some(commit);
        }
        (Target::Commit(git), _) => {
            let paths = paths(&plan);
            refuse_dirty(git, &paths)?;
            write(&plan, top)?;
            let commit = publish::commit(git, &message, &paths).map_err(|error| undo(&plan, top, error))?;
            context.ui.message(&format!("Committed {}.", short(&commit)));
            plan.commit = Some(commit);
        }
        (Target::WorkTree | Target::Branch(..) | Target::Push(..), _) => {
            write(&plan, top)?;
            context.ui.message(&format!("Changed {}.", count(plan.files.len(), "file")));
        }
    }
    done(&plan, context)
}

fn paths(plan: &PromotionPlan) -> Vec<String> {
    plan.files.iter().map(|file| file.path.clone()).collect()
}

fn short(commit: &str) -> &str {
    &commit[..commit.len().min(12)]
}

/// Writes the files of a plan below a directory.
fn write(plan: &PromotionPlan, top: &Path) -> Result<()> {
    for file in &plan.files {
        files::replace(&top.join(&file.path), &file.before, &file.after)?;
    }
    Ok(())
}

/// Takes the edits of a plan back after their commit failed, so that the next run finds them still to be made.
fn undo(plan: &PromotionPlan, top: &Path, error: Error) -> Error {
    let left: Vec<&str> = plan
        .files
        .iter()
        .filter(|file| files::replace(&top.join(&file.path), &file.after, &file.before).is_err())
        .map(|file| file.path.as_str())
        .collect();
    match left.as_slice() {
        [] => error.hint("the edits were undone, and nothing has changed"),
        left => error.hint(format!("something else changed {} in the meantime; see 'git diff'", left.join(", "))),
    }
}

/// A commit takes whole files: what somebody else changed in them would go along.
fn refuse_dirty(git: &Git, paths: &[String]) -> Result<()> {
    let fixed = ["status", "--porcelain", "--"].map(str::to_owned);
    let dirty = git.run(fixed.into_iter().chain(paths.iter().map(|path| format!(":(top,literal){path}"))))?;
    if dirty.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!("these files have changes that are not committed:\n{dirty}"))
        .hint("commit or stash them first, or use --branch or --push, which do not change the working tree"))
}

/// The commit that a local branch is at, or begins at.
fn branch_start(git: &Git, branch: &str) -> Result<String> {
    let trees = git.run(["worktree", "list", "--porcelain"])?;
    if trees.lines().any(|line| line.strip_prefix("branch refs/heads/") == Some(branch)) {
        return Err(
            Error::refused(format!("{branch} is checked out")).hint("use --commit there, or name another branch")
        );
    }
    match git.query(["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")])? {
        Some(commit) => Ok(commit),
        None => git.run(["rev-parse", "--verify", "HEAD"]),
    }
}

/// Brings a commit of a private tree onto a local branch, which must not have changed in the meantime.
fn take_over(git: &Git, tree: &PrivateTree, commit: &str, branch: &str) -> Result<()> {
    let private = tree.path().to_string_lossy();
    let refspec = format!("{commit}:refs/heads/{branch}");
    git.run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", &private, &refspec]).map(drop)
}

/// Push options by which GitLab opens a merge request. Other servers answer a push with a page instead.
fn merge_request(git: &Git, destination: &Destination, message: &str) -> Vec<String> {
    let Destination { remote, base, branch } = destination;
    let url = git.query(["remote", "get-url", "--push", remote]).ok().flatten().unwrap_or_default();
    if branch == base || !url.to_ascii_lowercase().contains("gitlab") {
        return Vec::new();
    }
    let title = crate::model::text::one_line(message.lines().next().unwrap_or_default());
    vec![
        "merge_request.create".to_owned(),
        format!("merge_request.target={base}"),
        format!("merge_request.title={title}"),
    ]
}
