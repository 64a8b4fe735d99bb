//! A Git checkout and its revisions. The user's tree, index and refs are never changed: revisions are written to
//! private directories. Programs that the checkout or its configuration names are never run.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;

use crate::git::content::{confine_links, is_in_checkout, write_commit};
use crate::git::{Git, identity};
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::regular_file;
use ucp_core::scratch::Scratch;

/// A checkout, or a plain directory.
#[derive(Debug)]
pub struct GitCheckout {
    /// Its top directory, with links resolved.
    pub top: PathBuf,
    /// URLs of its remotes, normalized; empty for a plain directory.
    pub remotes: Vec<String>,
    git: RepositoryPresence,
}

/// The presence of a Git repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepositoryPresence {
    Repository,
    PlainDirectory,
}

impl GitCheckout {
    /// Returns the checkout that contains a path.
    ///
    /// # Errors
    /// Fails when the path does not exist.
    pub fn containing(path: &Path) -> Result<Self> {
        let path = std::fs::canonicalize(path).with_context(|| format!("cannot read {}", path.display()))?;
        let directory = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        match Git::reading(directory).top() {
            Ok(Some(top)) => {
                let top = std::fs::canonicalize(top).context("cannot read the checkout")?;
                let urls = Git::reading(&top).remote_urls()?;
                let remotes = urls.iter().map(|url| identity::normalize(url)).collect();
                Ok(Self { remotes, top, git: RepositoryPresence::Repository })
            }
            // Without git, no repository can be read.
            Ok(None) | Err(_) => {
                Ok(Self { top: directory.to_owned(), remotes: Vec::new(), git: RepositoryPresence::PlainDirectory })
            }
        }
    }

    /// Returns a path relative to the repository's top, with slashes; empty for the top itself.
    ///
    /// # Errors
    /// Fails when the path does not exist or is not in this checkout.
    pub fn relative(&self, path: &Path) -> Result<String> {
        let full = std::fs::canonicalize(path).with_context(|| format!("cannot read {}", path.display()))?;
        let inside = full.strip_prefix(&self.top);
        let inside = inside
            .map_err(|_| Error::usage(format!("{} is not in the checkout {}", path.display(), self.top.display())))?;
        Ok(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// Returns the default branch of the remote `origin`, as it was when the repository was cloned; `None` if it is not
    /// recorded.
    pub fn default_branch(&self) -> Option<String> {
        const HEAD: &str = "refs/remotes/origin/HEAD";
        if self.git == RepositoryPresence::PlainDirectory {
            return None;
        }
        let head = Git::reading(&self.top).query(["symbolic-ref", "--quiet", HEAD]).ok()??;
        head.strip_prefix("refs/remotes/origin/").map(str::to_owned)
    }

    /// Returns the files on disk, including uncommitted changes.
    pub fn working_tree(&self) -> CheckoutTree {
        CheckoutTree { top: self.top.clone(), revision: None, private: Mutex::new(None) }
    }

    /// The files of the working tree without one file or directory, in a private directory that is deleted with the tree.
    ///
    /// # Errors
    /// When the files cannot be copied.
    pub fn without(&self, path: &str) -> Result<CheckoutTree> {
        let directory = Scratch::new()?;
        let top = directory.path().join("tree");
        copy_directory(&self.top, &top, &top).context("cannot copy the checkout")?;
        let top = std::fs::canonicalize(top).context("cannot read the copy of the checkout")?;
        let gone = top.join(path);
        let removed = if gone.is_dir() { std::fs::remove_dir_all(&gone) } else { std::fs::remove_file(&gone) };
        removed.with_context(|| format!("cannot remove {path} from the copy of the checkout"))?;
        Ok(CheckoutTree { top, revision: None, private: Mutex::new(Some(directory)) })
    }

    /// The files of a revision, in a private directory that goes when the tree is dropped.
    ///
    /// # Errors
    /// Fails when there is no such revision, or when it cannot be written.
    pub fn revision(&self, revision: &str) -> Result<CheckoutTree> {
        if self.git == RepositoryPresence::PlainDirectory {
            return Err(Error::usage(format!(
                "{} is not in a Git repository, so it has no revisions",
                self.top.display()
            )));
        }
        let wanted = format!("{revision}^{{commit}}");
        let git = Git::reading(&self.top);
        let commit = git.query(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
        let no_revision = || Error::usage(format!("revision '{revision}' not found in {}", self.top.display()));
        let commit = commit.ok_or_else(no_revision)?;
        let directory = Scratch::new()?;
        let top = directory.path().join("tree");
        std::fs::create_dir(&top).context("cannot write a revision")?;
        write_commit(&git, &commit, &top)?;
        let top = std::fs::canonicalize(top).context("cannot read a revision")?;
        Ok(CheckoutTree { top, revision: Some(revision.to_owned()), private: Mutex::new(Some(directory)) })
    }
}

/// The files of one side of a comparison.
#[derive(Debug)]
pub struct CheckoutTree {
    /// Its top directory, with links resolved.
    pub top: PathBuf,
    /// The revision; `None` for the working tree.
    pub revision: Option<String>,
    /// A directory whose files may be changed: the tree of a revision, or a copy of the working tree once one is
    /// needed.
    private: Mutex<Option<Scratch>>,
}

impl CheckoutTree {
    /// Returns a directory of the tree, with links resolved.
    ///
    /// # Errors
    /// Fails when it does not exist, or when a link or `..` points out of the tree.
    pub fn directory(&self, path: &str) -> Result<PathBuf, Failure> {
        let full = self.resolve_inside(&self.top, path)?;
        if full.is_dir() { Ok(full) } else { fail!("{path} is not a directory") }
    }

    /// Returns a path below one of the tree's directories, with links resolved.
    ///
    /// # Errors
    /// Fails when it does not exist, or when it points out of the tree.
    pub fn resolve_inside(&self, directory: &Path, path: &str) -> Result<PathBuf, Failure> {
        let found = self.find_inside(directory, path)?;
        found.ok_or_else(|| format!("'{path}' not found in {}", self.name()).into())
    }

    /// Returns a path below a directory with all links resolved; `None` if it does not exist.
    ///
    /// # Errors
    /// Fails when it points outside of the tree.
    pub(super) fn find_inside(&self, directory: &Path, path: &str) -> Result<Option<PathBuf>, Failure> {
        match std::fs::canonicalize(directory.join(path.trim_start_matches('/'))) {
            Ok(full) if is_in_checkout(&self.top, &full) => Ok(Some(full)),
            Ok(_) => fail!("'{path}' points outside of the repository"),
            Err(_) => Ok(None),
        }
    }

    /// Returns the name of the tree for messages.
    pub fn name(&self) -> String {
        self.revision.as_ref().map_or_else(|| "the working tree".to_owned(), |revision| format!("revision {revision}"))
    }

    /// Returns the top of the private copy, which contains the editable directories.
    ///
    /// # Errors
    /// Fails when there is no private copy yet.
    pub fn private_top(&self) -> std::io::Result<PathBuf> {
        let private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        let private = private.as_ref().ok_or_else(|| std::io::Error::other("there is no private copy"))?;
        std::fs::canonicalize(private.path().join("tree"))
    }

    /// Returns a chart without Git's own files: a chart may print all of its files, and that of a repository's top has them.
    ///
    /// # Errors
    /// Fails when it cannot be copied.
    pub fn chart_without_git(&self, chart: &Path) -> std::io::Result<PathBuf> {
        match chart.join(".git").symlink_metadata() {
            Ok(_) => self.editable_copy(chart),
            Err(_) => Ok(chart.to_owned()),
        }
    }

    /// Copies a directory next to itself, so that its references with `..` remain valid. The copy may be changed, and
    /// is deleted with the tree.
    ///
    /// # Errors
    /// Fails when it cannot be copied.
    pub fn editable_copy(&self, directory: &Path) -> std::io::Result<PathBuf> {
        let mut private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        if private.is_none() {
            let copy = Scratch::new()?;
            let tree = copy.path().join("tree");
            copy_directory(&self.top, &tree, &tree)?;
            *private = Some(copy);
        }
        let top = private.as_ref().map(|directory| directory.path().join("tree")).unwrap_or_default();
        let relative = directory.strip_prefix(&self.top).unwrap_or(Path::new(""));
        let original = top.join(relative);
        let beside = original.parent().unwrap_or(&top);
        let copy = tempfile::Builder::new().prefix(".edited-").tempdir_in(beside)?.keep();
        drop(private);
        copy_directory(&original, &copy, &top)?;
        std::fs::canonicalize(copy)
    }
}

/// Size limit of a copy of a checkout, in bytes.
const MOST_COPIED: u64 = 16 << 30;

/// Copies files, directories and links to a private tree with the given top. Skips links that point out of this tree,
/// git's own files, and earlier editable copies. Nested repositories such as submodules remain recognizable.
///
/// # Errors
/// Fails when a file cannot be read or written.
pub fn copy_directory(from: &Path, to: &Path, top: &Path) -> std::io::Result<()> {
    copy_everything(from, to, &mut { MOST_COPIED })?;
    confine_links(to, top)
}

/// Copies files, directories and links. `left` is the number of bytes that may still be copied: a file with holes may be
/// larger than the disk.
fn copy_everything(from: &Path, to: &Path, left: &mut u64) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let target = to.join(&name);
        if name == ".git" {
            continue;
        }
        if kind.is_dir() {
            if !name.to_string_lossy().starts_with(".edited-") {
                copy_everything(&entry.path(), &target, left)?;
                if entry.path().join(".git").exists() {
                    std::fs::create_dir_all(target.join(".git"))?;
                }
            }
        } else if kind.is_file() {
            let too_large = || std::io::Error::other(format!("its files are larger than {} GiB", MOST_COPIED >> 30));
            *left = left.checked_sub(entry.metadata()?.len()).ok_or_else(too_large)?;
            std::fs::copy(entry.path(), target)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(std::fs::read_link(entry.path())?, target)?;
        }
    }
    Ok(())
}

/// Size limit of the files that this program reads from a checkout: larger ones are not manifests.
const LARGEST: u64 = 64 << 20;

/// Reads a file of a checkout. A FIFO, on which reading would block, and a file that is too large are errors.
///
/// # Errors
/// Fails when the file cannot be read.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

/// Checks that another program can read a file of a checkout: that it is neither a FIFO nor too large.
///
/// # Errors
/// Fails when it is, or when the file cannot be read.
pub(super) fn check_file(path: &Path) -> std::io::Result<()> {
    if open_file(path)?.metadata()?.len() > LARGEST { Err(too_large()) } else { Ok(()) }
}

fn open_file(path: &Path) -> std::io::Result<std::fs::File> {
    regular_file::open(&std::fs::canonicalize(path)?)
}

fn too_large() -> std::io::Error {
    std::io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20))
}

/// Returns the paths of all files and links of a tree, relative to its top, without Git's own.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn tree_files(top: &Path) -> std::io::Result<Vec<String>> {
    fn add(top: &Path, directory: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name() == ".git" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                add(top, &path, files)?;
            } else if let Ok(relative) = path.strip_prefix(top) {
                files.push(relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
            }
        }
        Ok(())
    }
    let mut files = Vec::new();
    add(top, top, &mut files)?;
    Ok(files)
}

/// Returns a tree with files that are written as `PATH=CONTENT`.
#[cfg(test)]
pub(super) fn tree_with(files: &[&str]) -> (tempfile::TempDir, CheckoutTree) {
    let directory = tempfile::tempdir().expect("there is room");
    for file in files {
        let (path, text) = file.split_once('=').expect("PATH=CONTENT");
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it is created");
        std::fs::write(path, text).expect("it is written");
    }
    let tree = GitCheckout::containing(directory.path()).expect("it is a directory").working_tree();
    (directory, tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_out_of_a_tree_are_refused() {
        let outside = tempfile::tempdir().unwrap();
        let checkout = tempfile::tempdir().unwrap();
        std::fs::create_dir(checkout.path().join("inside")).unwrap();
        std::os::unix::fs::symlink(outside.path(), checkout.path().join("link")).unwrap();
        std::os::unix::fs::symlink("inside", checkout.path().join("fine")).unwrap();
        let checkout = GitCheckout::containing(checkout.path()).unwrap();
        let tree = checkout.working_tree();
        assert_eq!(tree.directory("fine").unwrap(), checkout.top.join("inside"));
        assert!(tree.directory("link").unwrap_err().as_str().contains("points outside of the repository"));
        assert!(tree.directory("../").unwrap_err().as_str().contains("points outside of the repository"));
        assert!(tree.directory("none").unwrap_err().as_str().contains("'none' not found in the working tree"));
    }

    /// A pipeline keeps the token of its checkout in `.git/config`.
    #[cfg(unix)]
    #[test]
    fn files_below_the_git_directory_are_never_read() {
        let directory = tempfile::tempdir().unwrap();
        for place in [".git", "chart/templates"] {
            std::fs::create_dir_all(directory.path().join(place)).unwrap();
        }
        std::fs::write(directory.path().join(".git/config"), "canary").unwrap();
        std::os::unix::fs::symlink("../.git/config", directory.path().join("chart/link")).unwrap();
        let tree = GitCheckout::containing(directory.path()).unwrap().working_tree();
        for path in [".git/config", "chart/link", ".GIT/config"] {
            assert!(tree.resolve_inside(&tree.top, path).is_err(), "{path}");
        }
        assert!(super::super::references::check_links(&tree.top, &tree.top.join("chart")).is_err());
        // The chart of the whole repository would have it among its files.
        let chart = tree.chart_without_git(&tree.top).unwrap();
        assert!(chart.join("chart/templates").is_dir() && !chart.join(".git").exists());
        assert_eq!(tree.chart_without_git(&tree.top.join("chart")).unwrap(), tree.top.join("chart"));
    }

    /// In a linked work tree and in a submodule, `.git` is a file.
    #[cfg(unix)]
    #[test]
    fn a_copy_has_links_and_nested_repositories_but_no_git_directory() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(from.path().join("nested/base")).unwrap();
        for file in [".git", "nested/.git", "nested/base/a"] {
            std::fs::write(from.path().join(file), "gitdir: ../elsewhere").unwrap();
        }
        std::os::unix::fs::symlink("nested/base", from.path().join("link")).unwrap();
        copy_directory(from.path(), to.path(), to.path()).unwrap();
        assert!(!to.path().join(".git").exists() && to.path().join("nested/.git").is_dir());
        assert!(to.path().join("link").is_symlink() && to.path().join("link/a").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_does_not_block_and_a_huge_file_is_not_read() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        std::fs::File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        for name in ["file", "link"] {
            assert_eq!((read_file(&at(name)).unwrap(), check_file(&at(name)).is_ok()), (b"x".to_vec(), true), "{name}");
        }
        let copy = copy_directory(home.path(), tempfile::tempdir().unwrap().path(), home.path());
        assert!(copy.unwrap_err().to_string().contains("larger than"));
        for name in ["fifo", "huge"] {
            assert!(read_file(&at(name)).is_err() && check_file(&at(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn an_editable_copy_has_the_neighbors_of_the_original() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["base", "overlays/prod"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
            std::fs::write(directory.path().join(name).join("kustomization.yaml"), name).unwrap();
        }
        let checkout = GitCheckout::containing(directory.path()).unwrap();
        let tree = checkout.working_tree();
        let copy = tree.editable_copy(&checkout.top.join("overlays/prod")).unwrap();
        assert!(!copy.starts_with(&checkout.top));
        assert_eq!(std::fs::read_to_string(copy.join("kustomization.yaml")).unwrap(), "overlays/prod");
        assert_eq!(std::fs::read_to_string(copy.join("../../base/kustomization.yaml")).unwrap(), "base");
    }
}
