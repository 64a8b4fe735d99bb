//! A private work tree: commits are made there, and the user's own tree, index and branch are never touched.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::git::Git;

/// A checkout of one commit in a temporary directory, which goes away with this value.
#[derive(Debug)]
pub struct PrivateWorktree {
    repository: Git,
    // Held for its removal.
    _directory: tempfile::TempDir,
    path: PathBuf,
}

impl PrivateWorktree {
    /// Checks a commit out, detached from every branch. Configuration, remotes and hooks are those of the repository.
    ///
    /// # Errors
    /// When git cannot.
    pub fn at(repository: &Git, commit: &str) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("kubectl-ucp-").tempdir()?;
        let path = directory.path().join("tree");
        let arguments = ["worktree", "add", "--quiet", "--detach"].map(std::ffi::OsStr::new);
        repository.run(arguments.into_iter().chain([path.as_os_str(), std::ffi::OsStr::new(commit)]))?;
        Ok(Self { repository: repository.clone(), _directory: directory, path })
    }

    /// The directory of the checkout.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Git in it.
    pub fn git(&self) -> Git {
        Git::at(&self.path)
    }
}

impl Drop for PrivateWorktree {
    fn drop(&mut self) {
        let arguments = ["worktree", "remove", "--force"].map(std::ffi::OsStr::new);
        // Nobody is left to tell, and git prunes what is gone.
        let _ = self.repository.ask(arguments.into_iter().chain([self.path.as_os_str()]));
    }
}
