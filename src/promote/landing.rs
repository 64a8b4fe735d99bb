//! How planned edits land: in the working tree, a commit, a branch, or the remote. Each lands whole or not at all.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::git::Git;
use crate::git::private::PrivateTree;
use crate::git::publish::{self, Destination, Published};
use crate::gitops::files::{self, FileEdit};

/// Where edits go.
#[derive(Debug)]
pub enum LandingTarget {
    /// Edit the working tree.
    WorkTree,
    /// And commit the files.
    Commit(Git),
    /// A local branch, from a private tree.
    Branch(Git, String),
    /// The remote, from a private tree.
    Push(Git, Destination),
}

/// Where a plan is made and its edits are written.
#[derive(Debug)]
pub struct Landing {
    target: LandingTarget,
    /// The private tree of a branch or a push.
    tree: Option<PrivateTree>,
    top: PathBuf,
}

/// What became of the edits.
#[derive(Debug)]
pub enum Landed {
    /// The files are edited.
    Edited,
    /// They are committed: the commit, and the branch where it is another than the current one.
    Committed(String, Option<String>),
    /// They are pushed.
    Pushed(Published),
    /// Somebody else pushed every one of them meanwhile.
    AlreadyThere,
}

/// A plan of edits that can land.
pub trait Landable {
    /// The files before and after.
    fn files(&self) -> &[FileEdit];

    /// Whether some of what was asked is refused.
    fn refuses(&self) -> bool;

    /// Whether such plans make files, so that one that git does not know may be of an earlier run.
    fn makes_files(&self) -> bool {
        false
    }
}

/// How a plan is made again from other files: the remote may have moved, or an earlier run have ended half-way.
pub struct Again<'a, P> {
    /// Makes the plan from the files of a directory; where one was shown, of what that one changes only.
    pub plan: &'a dyn Fn(&Path, Option<&P>) -> Result<P>,
    /// Makes sure that the second plan is what was shown as the first.
    pub agree: &'a dyn Fn(&P, &P) -> Result<()>,
}

impl Landing {
    /// Prepares the tree that the plan is made from: `top` itself, or a private one.
    ///
    /// # Errors
    /// When the branch is checked out elsewhere, or the remote cannot be fetched.
    pub fn begin(target: LandingTarget, top: &Path) -> Result<Self> {
        let tree = match &target {
            LandingTarget::WorkTree | LandingTarget::Commit(_) => None,
            LandingTarget::Branch(git, branch) => {
                let start = branch_start(git, branch)?;
                let tree = PrivateTree::of(git)?;
                tree.check_out(&start)?;
                Some(tree)
            }
            LandingTarget::Push(git, destination) => {
                let tree = PrivateTree::of(git)?;
                publish::check_out_tip(&tree, destination)?;
                Some(tree)
            }
        };
        let top = tree.as_ref().map_or_else(|| top.to_owned(), |tree| tree.path().to_owned());
        Ok(Self { target, tree, top })
    }

    /// The directory that the plan is made from.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where the edits go.
    pub fn target(&self) -> &LandingTarget {
        &self.target
    }

    /// The plan of an earlier run that wrote files and did not come to commit them: what the last commit lacks, where the
    /// files hold the old text or the new one and nothing else. This plan, made from the files, knows only half of it.
    ///
    /// # Errors
    /// When git cannot be asked, or such a file has other changes too, which are not committed.
    pub fn unfinished<P: Landable>(&self, plan: &P, again: &Again<'_, P>) -> Result<Option<P>> {
        let LandingTarget::Commit(git) = &self.target else { return Ok(None) };
        let Some(head) = git.query(["rev-parse", "--verify", "--quiet", "HEAD"])? else { return Ok(None) };
        let unknown = if plan.makes_files() { "--untracked-files=normal" } else { "--untracked-files=no" };
        let changed = git.run(["status", "--porcelain", unknown])?;
        if changed.is_empty() || plan.refuses() {
            return Ok(None);
        }
        let tree = PrivateTree::of(git)?;
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

    /// Makes sure that no file of a plan has changes of somebody else, which a commit would take along. [`Landing::land`] does
    /// so too; before plans for several repositories land, all of them are asked, so that the first is not written in vain.
    ///
    /// # Errors
    /// When one has, or git cannot be asked.
    pub fn check(&self, plan: &impl Landable) -> Result<()> {
        let LandingTarget::Commit(git) = &self.target else { return Ok(()) };
        let missing = unwritten(plan, &self.top);
        refuse_dirty(git, &missing.iter().map(|file| file.path.clone()).collect::<Vec<_>>())
    }

    /// Writes the edits of a plan.
    ///
    /// # Errors
    /// When a file or a version changed meanwhile, or git refuses. Then nothing is left behind, or the error says what.
    pub fn land<P: Landable>(&self, plan: &P, message: &dyn Fn(&P) -> String, again: &Again<'_, P>) -> Result<Landed> {
        match (&self.target, &self.tree) {
            (LandingTarget::Push(git, destination), Some(tree)) => {
                let options = |destination: &Destination, message: &str| merge_request(git, destination, message);
                let published = publish::publish(tree, destination, &options, || {
                    let now = (again.plan)(tree.path(), Some(plan))?;
                    (again.agree)(plan, &now)?;
                    write(&unwritten(&now, tree.path()), tree.path())?;
                    let paths = paths(&now);
                    Ok((!paths.is_empty()).then(|| (message(&now), paths)))
                })?;
                Ok(published.map_or(Landed::AlreadyThere, Landed::Pushed))
            }
            (LandingTarget::Branch(git, branch), Some(tree)) => {
                write(&unwritten(plan, tree.path()), tree.path())?;
                let commit = publish::commit(tree.git(), &message(plan), &paths(plan))?;
                take_over(git, tree, &commit, branch)?;
                Ok(Landed::Committed(commit, Some(branch.clone())))
            }
            (LandingTarget::Commit(git), _) => {
                self.check(plan)?;
                write(&unwritten(plan, &self.top), &self.top)?;
                let commit = publish::commit(git, &message(plan), &paths(plan));
                commit.map(|commit| Landed::Committed(commit, None)).map_err(|error| undo(plan, &self.top, error))
            }
            (LandingTarget::WorkTree | LandingTarget::Branch(..) | LandingTarget::Push(..), _) => {
                write(&unwritten(plan, &self.top), &self.top)?;
                Ok(Landed::Edited)
            }
        }
    }
}

fn paths(plan: &impl Landable) -> Vec<String> {
    plan.files().iter().map(|file| file.path.clone()).collect()
}

/// The files of a plan that do not hold its text yet.
fn unwritten<'p>(plan: &'p impl Landable, top: &Path) -> Vec<&'p FileEdit> {
    let lacks = |file: &&FileEdit| files::read(&top.join(&file.path)).map_or(true, |text| text != file.after);
    plan.files().iter().filter(lacks).collect()
}

/// Writes files below a directory.
fn write(edits: &[&FileEdit], top: &Path) -> Result<()> {
    edits.iter().try_for_each(|file| match &file.before {
        Some(before) => files::replace(&top.join(&file.path), before, &file.after),
        None => files::create(&top.join(&file.path), &file.after),
    })
}

/// Takes the edits of a plan back after their commit failed, so that the next run finds them still to be made.
fn undo(plan: &impl Landable, top: &Path, error: Error) -> Error {
    let undone = |file: &FileEdit| match &file.before {
        Some(before) => files::replace(&top.join(&file.path), &file.after, before),
        None => files::take_back(top, &top.join(&file.path), &file.after),
    };
    let left: Vec<&str> =
        plan.files().iter().filter(|file| undone(file).is_err()).map(|file| file.path.as_str()).collect();
    match left.as_slice() {
        [] => error.hint("the edits were undone, and nothing has changed"),
        left => error.hint(format!("something else changed {} in the meantime; see 'git diff'", left.join(", "))),
    }
}

/// A commit takes whole files: what somebody else changed in them would go along.
fn refuse_dirty(git: &Git, paths: &[String]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
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
