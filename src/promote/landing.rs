//! Writes planned edits to the working tree, a commit, a branch, or the remote. A plan is written completely or not at
//! all.

use std::path::{Path, PathBuf};

use ucp_core::error::{Error, Result};
use ucp_features::forge::scope::ChangeScope;
use ucp_repo::git::private::PrivateTree;
use ucp_repo::git::proposal::{self, ProposedBranch};
use ucp_repo::git::publish::{self, PublishedCommit, PushDestination};
use ucp_repo::git::{Git, STATUS, literal_path};
use ucp_repo::gitops::files::{self, FileEdit};

/// The destination of edits.
#[derive(Debug)]
pub enum LandingTarget {
    /// Edits the working tree.
    WorkTree,
    /// Edits the working tree and commits the files.
    Commit(Git),
    /// Commits to a local branch, from a private tree.
    Branch(Git, String),
    /// Pushes to the remote, from a private tree.
    Push(Git, PushDestination),
    /// Pushes to the branch of a pull request, from a private tree at the tip of the base.
    Proposal(Git, PushDestination),
}

/// The directory that a plan is made from, and the destination of its edits.
#[derive(Debug)]
pub struct Landing {
    target: LandingTarget,
    /// The private tree of a branch or a push.
    tree: Option<PrivateTree>,
    top: PathBuf,
}

/// The result of writing edits.
#[derive(Debug)]
pub enum Landed {
    /// The files are edited.
    Edited,
    /// The edits are committed. Contains the commit, and the branch if it is not the current one.
    Committed(String, Option<String>),
    /// The edits are pushed.
    Pushed(PublishedCommit),
    /// The edits are on the branch of a pull request.
    Proposed(ProposedBranch),
    /// All edits were already pushed by another user in the meantime.
    AlreadyThere,
}

/// A plan of edits that can be written.
pub trait Landable {
    /// Returns the files before and after the change.
    fn files(&self) -> &[FileEdit];

    /// Returns true if a part of the request is refused.
    fn refuses(&self) -> bool;

    /// Returns true if a part of the request is refused that was not when `shown` was planned.
    fn refuses_more_than(&self, shown: &Self) -> bool
    where
        Self: Sized,
    {
        self.refuses() && !shown.refuses()
    }

    /// Returns the scope of the change, by which its pull request is found again: by default its files.
    fn scope(&self) -> ChangeScope {
        let files = self.files().iter().map(|file| file.path.clone()).collect();
        ChangeScope { files, ..ChangeScope::default() }
    }

    /// Returns true if such plans create files, so that an untracked file may be of an earlier run.
    fn makes_files(&self) -> bool {
        false
    }
}

/// Functions to plan again from other files: the remote may have changed, or an earlier run may have been interrupted.
pub struct Replanning<'a, P> {
    /// Plans from the files of a directory; with an earlier plan, only the changes of that plan.
    pub plan: &'a dyn Fn(&Path, Option<&P>) -> Result<P>,
    /// Checks that the second plan is equivalent to the first, which was shown.
    pub agree: &'a dyn Fn(&P, &P) -> Result<()>,
}

impl Landing {
    /// Prepares the directory that the plan is made from: `top` itself, or a private tree.
    ///
    /// # Errors
    /// Fails when the branch is checked out elsewhere, or the remote cannot be fetched.
    pub fn begin(target: LandingTarget, top: &Path) -> Result<Self> {
        let tree = match &target {
            LandingTarget::WorkTree | LandingTarget::Commit(_) => None,
            LandingTarget::Branch(git, branch) => {
                let start = branch_start(git, branch)?;
                let tree = PrivateTree::create(git)?;
                tree.check_out(&start)?;
                Some(tree)
            }
            LandingTarget::Push(git, destination) | LandingTarget::Proposal(git, destination) => {
                let tree = PrivateTree::create(git)?;
                publish::check_out_tip(&tree, destination)?;
                Some(tree)
            }
        };
        let top = tree.as_ref().map_or_else(|| top.to_owned(), |tree| tree.path().to_owned());
        Ok(Self { target, tree, top })
    }

    /// Returns the directory that the plan is made from.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the client for the private tree of a branch or a push.
    pub fn private_git(&self) -> Option<&Git> {
        self.tree.as_ref().map(PrivateTree::git)
    }

    /// Returns the destination of the edits.
    pub fn target(&self) -> &LandingTarget {
        &self.target
    }

    /// Returns the plan of an earlier run that wrote files but did not commit them: the changes since the last commit,
    /// if the files contain only the old or the new text. `plan`, made from the current files, contains only a part of
    /// it.
    ///
    /// # Errors
    /// Fails when git fails, or when such a file has other uncommitted changes too.
    pub fn unfinished<P: Landable>(&self, plan: &P, again: &Replanning<'_, P>) -> Result<Option<P>> {
        let LandingTarget::Commit(git) = &self.target else { return Ok(None) };
        let Some(head) = git.query(["rev-parse", "--verify", "--quiet", "HEAD"])? else { return Ok(None) };
        let unknown = if plan.makes_files() { "--untracked-files=normal" } else { "--untracked-files=no" };
        let changed = git.without_filters()?.run(STATUS.into_iter().chain(["--porcelain", unknown]))?;
        if changed.is_empty() || plan.refuses() {
            return Ok(None);
        }
        let tree = PrivateTree::create(git)?;
        tree.check_out(&head)?;
        let committed = (again.plan)(tree.path(), None)?;
        let is_half_done = |file: &FileEdit| {
            let path = self.top.join(&file.path);
            match files::read(&path) {
                Ok(text) => text == file.after || file.before.as_ref() == Some(&text),
                Err(_) => file.before.is_none() && path.symlink_metadata().is_err(),
            }
        };
        if committed.files().len() <= plan.files().len() || committed.refuses() {
            return Ok(None);
        }
        let others = committed.files().iter().filter(|file| !is_half_done(file));
        refuse_dirty(git, &others.map(|file| file.path.clone()).collect::<Vec<_>>())?;
        Ok(Some(committed))
    }

    /// Returns the commit on another branch than the base that leaves nothing to edit, while the base does not have the changes.
    ///
    /// # Errors
    /// Fails when the remote cannot be read, or the plan cannot be made from the base.
    pub fn waiting<P: Landable>(&self, plan: &P, again: &Replanning<'_, P>) -> Result<Option<PublishedCommit>> {
        let (LandingTarget::Push(_, destination), Some(tree)) = (&self.target, &self.tree) else { return Ok(None) };
        if destination.branch == destination.base || !plan.files().is_empty() || plan.refuses() {
            return Ok(None);
        }
        publish::waiting_commit(tree, destination, || Ok(!(again.plan)(tree.path(), None)?.files().is_empty()))
    }

    /// Checks out the branch of the pull request of a plan, as the remote has it. Returns its name, and `None` if there is none.
    ///
    /// # Errors
    /// Fails when the remote cannot be read.
    pub fn check_out_proposed(&self, plan: &impl Landable) -> Result<Option<String>> {
        let (LandingTarget::Proposal(git, base), Some(tree)) = (&self.target, &self.tree) else { return Ok(None) };
        let branch = plan.scope().branch(&base.base);
        if !proposal::exists(git, base, &branch)? {
            return Ok(None);
        }
        publish::check_out_tip(tree, &PushDestination { branch: branch.clone(), ..base.clone() })?;
        Ok(Some(branch))
    }

    /// Checks that no file of a plan has uncommitted changes of others, which a commit would include. [`Landing::land`]
    /// checks this too; with plans for several repositories, all are checked first, so that none is written in vain.
    ///
    /// # Errors
    /// Fails when a file has such changes, or git fails.
    pub fn check_uncommitted_changes(&self, plan: &impl Landable) -> Result<()> {
        let LandingTarget::Commit(git) = &self.target else { return Ok(()) };
        refuse_unfinished_operation(git)?;
        let missing = unwritten(plan, &self.top);
        refuse_dirty(git, &missing.iter().map(|file| file.path.clone()).collect::<Vec<_>>())
    }

    /// Checks that the branch of a pull request may be replaced by a plan for a pull request of more services.
    ///
    /// # Errors
    /// Fails when it has a commit of a person, or a version that the plan must not replace.
    pub fn check_replaced<P: Landable>(&self, branch: &str, plan: &P, again: &Replanning<'_, P>) -> Result<()> {
        let (LandingTarget::Proposal(_, destination), Some(tree)) = (&self.target, &self.tree) else { return Ok(()) };
        let destination = PushDestination { branch: branch.to_owned(), ..destination.clone() };
        proposal::check_replaced(tree, &destination, &|| refuse_newer(plan, again, tree, branch))
    }

    /// Writes the edits of a plan.
    ///
    /// # Errors
    /// Fails when a file or a version changed in the meantime, or git fails. Then no edits remain, or the error lists
    /// them.
    pub fn land<P: Landable>(
        &self,
        plan: &P,
        message: &dyn Fn(&P) -> String,
        again: &Replanning<'_, P>,
    ) -> Result<Landed> {
        // Plans again in the tree, which is at the tip of the remote, and writes the edits there.
        let rewrite = |tree: &PrivateTree| {
            let now = (again.plan)(tree.path(), Some(plan))?;
            (again.agree)(plan, &now)?;
            write(&unwritten(&now, tree.path()), tree.path())?;
            let paths = paths(&now);
            Ok((!paths.is_empty()).then(|| (message(&now), paths)))
        };
        match (&self.target, &self.tree) {
            (LandingTarget::Push(git, destination), Some(tree)) => {
                let options = |destination: &PushDestination, message: &str| merge_request(git, destination, message);
                let published = publish::publish(tree, destination, &options, || rewrite(tree))?;
                Ok(published.map_or(Landed::AlreadyThere, Landed::Pushed))
            }
            (LandingTarget::Proposal(_, destination), Some(tree)) => {
                let branch = plan.scope().branch(&destination.base);
                let check = || refuse_newer(plan, again, tree, &branch);
                let destination = PushDestination { branch: branch.clone(), ..destination.clone() };
                let proposed = proposal::propose(tree, &destination, &check, || rewrite(tree))?;
                Ok(proposed.map_or(Landed::AlreadyThere, Landed::Proposed))
            }
            (LandingTarget::Branch(git, branch), Some(tree)) => {
                write(&unwritten(plan, tree.path()), tree.path())?;
                let commit = publish::commit(tree.git(), &message(plan), &paths(plan))?;
                fetch_into_branch(git, tree, &commit, branch)?;
                Ok(Landed::Committed(commit, Some(branch.clone())))
            }
            (LandingTarget::Commit(git), _) => {
                self.check_uncommitted_changes(plan)?;
                write(&unwritten(plan, &self.top), &self.top)?;
                let commit = publish::commit(git, &message(plan), &paths(plan));
                commit.map(|commit| Landed::Committed(commit, None)).map_err(|error| undo(plan, &self.top, error))
            }
            (
                LandingTarget::WorkTree
                | LandingTarget::Branch(..)
                | LandingTarget::Push(..)
                | LandingTarget::Proposal(..),
                _,
            ) => {
                write(&unwritten(plan, &self.top), &self.top)?;
                Ok(Landed::Edited)
            }
        }
    }
}

/// Fails when the branch of an earlier run, which is checked out in a tree, has a version that a plan must not replace.
fn refuse_newer<P: Landable>(plan: &P, again: &Replanning<'_, P>, tree: &PrivateTree, branch: &str) -> Result<()> {
    let now = (again.plan)(tree.path(), Some(plan))?;
    if !now.refuses_more_than(plan) {
        return Ok(());
    }
    Err(Error::refused(format!(
        "the branch {branch} of an earlier run has a version that this one must not replace, such as a newer one"
    ))
    .hint("merge or close its pull request first, or pass --allow-downgrade"))
}

fn paths(plan: &impl Landable) -> Vec<String> {
    plan.files().iter().map(|file| file.path.clone()).collect()
}

/// Returns the files of a plan that do not have its content yet.
fn unwritten<'p>(plan: &'p impl Landable, top: &Path) -> Vec<&'p FileEdit> {
    let is_unwritten = |file: &&FileEdit| files::read(&top.join(&file.path)).map_or(true, |text| text != file.after);
    plan.files().iter().filter(is_unwritten).collect()
}

/// Writes files below a directory.
fn write(edits: &[&FileEdit], top: &Path) -> Result<()> {
    edits.iter().try_for_each(|file| match &file.before {
        Some(before) => files::replace(&top.join(&file.path), before, &file.after),
        None => files::create(&top.join(&file.path), &file.after),
    })
}

/// Reverts the edits of a plan after their commit failed, so that the next run plans them again.
fn undo(plan: &impl Landable, top: &Path, error: Error) -> Error {
    let undone = |file: &FileEdit| match &file.before {
        Some(before) => files::replace(&top.join(&file.path), &file.after, before),
        None => files::remove_created(top, &top.join(&file.path), &file.after),
    };
    let left: Vec<&str> =
        plan.files().iter().filter(|file| undone(file).is_err()).map(|file| file.path.as_str()).collect();
    match left.as_slice() {
        [] => error.hint("the edits were undone; nothing was changed"),
        left => error.hint(format!("something else changed {} in the meantime; see 'git diff'", left.join(", "))),
    }
}

/// Fails during a rebase, or while patches are applied: the commit would become part of that, or be lost when it is aborted.
fn refuse_unfinished_operation(git: &Git) -> Result<()> {
    for (state, operation) in [("rebase-merge", "a rebase"), ("rebase-apply", "a rebase or 'git am'")] {
        let path = git.run(["rev-parse", "--git-path", state])?;
        if git.directory().join(path).exists() {
            return Err(Error::refused(format!("{operation} is in progress, and a commit would become part of it"))
                .hint("finish or abort it first, or use --branch or --push, which do not change the working tree"));
        }
    }
    Ok(())
}

/// Fails if a file has uncommitted changes, because a commit of whole files would include them.
fn refuse_dirty(git: &Git, paths: &[String]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let ask = |words: &[&str]| {
        let literal = paths.iter().map(|path| literal_path(path));
        git.run(words.iter().map(|&word| word.to_owned()).chain(literal))
    };
    // A lowercase letter marks a file whose changes git does not show, and `S` one that it does not expect on disk.
    let is_hidden = |line: &&str| line.starts_with(|tag: char| tag.is_ascii_lowercase() || tag == 'S');
    let listed = ask(&["ls-files", "-v", "--"])?;
    let hidden: Vec<&str> = listed.lines().filter(is_hidden).filter_map(|line| line.get(2..)).collect();
    if !hidden.is_empty() {
        return Err(Error::refused(format!(
            "git is configured to ignore changes of these files, which a commit would include:\n{}",
            hidden.join("\n")
        ))
        .hint("'git update-index --no-assume-unchanged --no-skip-worktree FILE' ends that"));
    }
    let dirty = ask(&["status", "--porcelain", "--"])?;
    if dirty.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!("these files have changes that are not committed:\n{dirty}"))
        .hint("commit or stash them first, or use --branch or --push, which do not change the working tree"))
}

/// Returns the commit of a local branch, or the commit to create it from.
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

/// Fetches a commit of a private tree into a local branch. Fails if the branch changed in the meantime.
fn fetch_into_branch(git: &Git, tree: &PrivateTree, commit: &str, branch: &str) -> Result<()> {
    let private = tree.path().to_string_lossy();
    let refspec = format!("{commit}:refs/heads/{branch}");
    git.run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", &private, &refspec]).map(drop)
}

/// Returns the push options that create a merge request in GitLab. Other servers return a URL instead.
fn merge_request(git: &Git, destination: &PushDestination, message: &str) -> Vec<String> {
    let PushDestination { remote, base, branch } = destination;
    let url = git.push_url(remote).unwrap_or_default();
    if branch == base || !url.to_ascii_lowercase().contains("gitlab") {
        return Vec::new();
    }
    let title = ucp_core::model::text::one_line(message.lines().next().unwrap_or_default());
    vec![
        "merge_request.create".to_owned(),
        format!("merge_request.target={base}"),
        format!("merge_request.title={title}"),
    ]
}
