//! Private checkouts. Commits are created in them; the user's work tree, index, branches, and refs are never changed.
//!
//! A private checkout is not a `git worktree`: those share state, and a `git fetch` fails if another process adds one
//! at the same time. It is a separate repository that borrows the user's objects and configuration. Its directory is
//! inside the user's `.git`, so that `includeIf "gitdir:…"` still matches.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::git::Git;
use ucp_core::error::Result;
use ucp_core::scratch::Scratch;

/// Directory of private repositories, below the directory that all work trees share.
const HOME: &str = "kubectl-ucp";

/// A repository and a checkout of it. Both are removed when this value is dropped.
#[derive(Debug)]
pub struct PrivateTree {
    git: Git,
    /// The top of the user's checkout; `None` for a bare repository.
    checkout: Option<PathBuf>,
    // Held to be removed on drop.
    _repository: Scratch,
    _files: Scratch,
}

impl PrivateTree {
    /// Creates one with nothing checked out. Remotes, credentials, signing, and hooks are those of the original
    /// repository.
    ///
    /// # Errors
    /// Fails when git fails, or the repository is not writable.
    pub fn create(original: &Git) -> Result<Self> {
        let common = PathBuf::from(original.run(["rev-parse", "--path-format=absolute", "--git-common-dir"])?);
        let home = common.join(HOME);
        fs::create_dir_all(&home).with_context(|| home.display().to_string())?;
        let repository = Scratch::within(&home, "tree-")?;
        let files = Scratch::new()?;
        let (directory, tree) = (repository.path().join("git"), files.path().join("tree"));
        let format = original.query(["rev-parse", "--show-object-format"])?.unwrap_or_else(|| "sha1".to_owned());
        let separate = format!("--separate-git-dir={}", directory.display());
        let format = format!("--object-format={format}");
        original.run(["init", "--quiet", "--template=", &format, &separate, &tree.to_string_lossy()])?;
        let checkout = original.query(["rev-parse", "--path-format=absolute", "--show-toplevel"]).ok().flatten();
        let checkout = checkout.map(PathBuf::from);
        let private = Self { git: original.moved_to(tree), checkout, _repository: repository, _files: files };
        let created = fs::read_to_string(directory.join("config"))?;
        let write = |included: &[PathBuf]| -> Result<()> {
            let config = config(original, &common, &created, private.path(), included)?;
            Ok(fs::write(directory.join("config"), config)?)
        };
        write(&[])?;
        let conditional = conditional_configuration_files(original, private.git())?;
        if !conditional.is_empty() {
            write(&conditional)?;
        }
        fs::create_dir_all(directory.join("objects/info"))?;
        fs::write(directory.join("objects/info/alternates"), format!("{}\n", common.join("objects").display()))?;
        if common.join("shallow").exists() {
            fs::copy(common.join("shallow"), directory.join("shallow"))?;
        }
        Ok(private)
    }

    /// Returns the top of the checkout.
    pub fn path(&self) -> &Path {
        self.git.directory()
    }

    /// Returns the git client for the checkout.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// Checks out a commit with a detached HEAD, discarding previous content.
    ///
    /// # Errors
    /// Fails when git fails.
    pub fn check_out(&self, commit: &str) -> Result<()> {
        self.git.run(["checkout", "--quiet", "--force", "--detach", commit])?;
        self.check_out_submodules(commit)
    }

    /// Checks out the submodules that the user's checkout has, since they may contain bases. A submodule that is not
    /// fetched, or not at the required commit, remains empty.
    fn check_out_submodules(&self, commit: &str) -> Result<()> {
        let Some(original) = &self.checkout else { return Ok(()) };
        if !self.path().join(".gitmodules").exists() {
            return Ok(());
        }
        let tree = self.git.run(["ls-tree", "-r", "-z", "--full-tree", commit])?;
        for entry in tree.split('\0').filter(|entry| entry.starts_with("160000 ")) {
            let Some((kind, path)) = entry.split_once('\t') else { continue };
            let (module, place) = (original.join(path), self.path().join(path));
            let Some(wanted) = kind.rsplit(' ').next().filter(|_| module.join(".git").exists()) else { continue };
            if !place.join(".git").exists() {
                let (module, place) = (module.to_string_lossy(), place.to_string_lossy());
                self.git.run(["clone", "--quiet", "--shared", "--no-checkout", "--", &module, &place])?;
            }
            let module = self.git.moved_to(&place);
            module.output(["-c", "core.hooksPath=", "checkout", "--quiet", "--force", "--detach", wanted])?;
        }
        Ok(())
    }
}

/// Returns the configuration: the user's, then the one that git `created`, then settings that separate the private
/// repository.
fn config(original: &Git, common: &Path, created: &str, tree: &Path, included: &[PathBuf]) -> Result<String> {
    let mut config = format!("[core]\n\thooksPath = {}\n[include]\n", quoted(&common.join("hooks").to_string_lossy()));
    for file in [&common.join("config")].into_iter().chain(included) {
        config.push_str(&format!("\tpath = {}\n", quoted(&file.to_string_lossy())));
    }
    config.push_str(&format!(
        "{created}[core]\n\tworktree = {}\n\tsparseCheckout = false\n\tfsmonitor = false\n",
        quoted(&tree.to_string_lossy()),
    ));
    // Remotes with relative paths are resolved from the user's work tree.
    for url in original.remote_urls()? {
        let local = !url.contains("://") && !url.split('/').next().unwrap_or_default().contains(':');
        if local && !Path::new(&url).is_absolute() {
            let absolute = original.directory().join(&url);
            config.push_str(&format!(
                "[url {}]\n\tinsteadOf = {}\n",
                quoted(&absolute.to_string_lossy()),
                quoted(&url)
            ));
        }
    }
    Ok(config)
}

/// Returns the configuration files that the original reads and the private repository does not: `actions/checkout`
/// keeps its credentials in a file that is included if the repository has a certain path, and others depend on the
/// branch.
fn conditional_configuration_files(original: &Git, private: &Git) -> Result<Vec<PathBuf>> {
    let known = configuration_files(private)?;
    let of_the_work_tree = |file: &Path| file.file_name().is_some_and(|name| name == "config.worktree");
    let files = configuration_files(original)?.into_iter();
    Ok(files.filter(|file| !known.contains(file) && !of_the_work_tree(file)).collect())
}

fn configuration_files(git: &Git) -> Result<BTreeSet<PathBuf>> {
    let listed = git.query(["config", "--list", "--show-origin", "--name-only", "-z"])?.unwrap_or_default();
    let origins = listed.split('\0').filter_map(|field| field.strip_prefix("file:"));
    // Files that were removed in the meantime are skipped.
    Ok(origins.filter_map(|file| fs::canonicalize(git.directory().join(file)).ok()).collect())
}

/// Quotes a value in git's configuration syntax.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
