//! The repository that a command works in, and its contents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::promote::facts::PlanningFacts;
use crate::promote::policy::Policy;
use crate::render::words;
use crate::ui::Ui;
use ucp_core::error::{Error, Result};
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::Unreadable;
use ucp_core::scratch::Scratch;
use ucp_repo::git::private::PrivateTree;
use ucp_repo::git::{Git, last_part, repository_name};
use ucp_repo::gitops::catalog::Catalog;
use ucp_repo::gitops::discover::{Discovery, discover};
use ucp_repo::gitops::effective::builder::KustomizationBuilder;
use ucp_repo::gitops::repository::Repository;

/// Which repository.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Repository")]
pub(super) struct RepositoryArgs {
    /// Use the repository of this directory instead of the current one
    #[arg(short = 'C', long = "directory", value_name = "PATH", hide_short_help = true)]
    directory: Option<PathBuf>,
    /// The repository: a directory, or a URL to clone
    #[arg(long, value_name = "PATH|URL", conflicts_with = "directory")]
    repo: Option<String>,
}

/// A repository on disk.
#[derive(Debug)]
pub(super) struct WorkingCopy {
    /// Git in the directory; `None` if it is in no repository.
    pub(super) git: Option<Git>,
    /// The top directory of the files.
    pub(super) top: PathBuf,
    /// The name of the repository.
    pub(super) name: String,
    /// The path or URL in reports.
    pub(super) shown: String,
    /// The ownership of the files: the user's, or a temporary copy.
    pub(super) files: FilesOwner,
    _clone: Option<Scratch>,
    _tree: Option<PrivateTree>,
}

/// The owner of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilesOwner {
    /// The user's work tree.
    Theirs,
    /// A copy of a bare repository, or of a remote one.
    Copy,
}

impl RepositoryArgs {
    /// Opens the repository.
    ///
    /// # Errors
    /// Fails when it cannot be cloned or read.
    pub(super) fn open(&self, ui: &Ui) -> Result<WorkingCopy> {
        match &self.repo {
            Some(repository) => Self::open_named(ui, repository),
            None => Self::open_directory(self.directory.as_deref().unwrap_or(Path::new("."))),
        }
    }

    /// Opens the repository of `--repo`: a directory, or a URL, which is cloned privately.
    ///
    /// # Errors
    /// Fails when it cannot be cloned or read, or is neither.
    pub(super) fn open_named(ui: &Ui, repository: &str) -> Result<WorkingCopy> {
        if Path::new(repository).is_dir() {
            return Self::open_directory(Path::new(repository));
        }
        if !is_url(repository) {
            return Err(Error::usage(format!("--repo {}: directory not found", scrub(repository)))
                .hint("name a directory, or a URL such as https://HOST/PATH or git@HOST:PATH"));
        }
        let _waiting = ui.waiting_progress("cloning the repository");
        clone(repository)
    }

    fn open_directory(directory: &Path) -> Result<WorkingCopy> {
        if !directory.is_dir() {
            return Err(Error::usage(format!("{} is not a directory", directory.display())));
        }
        let git = Git::at(directory);
        if let Some(top) = Git::reading(directory).top()? {
            let git = Git::at(&top).without_credentials_in_arguments()?;
            let (name, shown) = (repository_name(&git, &top)?, top.display().to_string());
            return Ok(WorkingCopy::new(Some(git), top, name, shown, FilesOwner::Theirs));
        }
        if git.query(["rev-parse", "--is-bare-repository"])?.as_deref() == Some("true") {
            // A checkout may contain files that look like a repository, with a configuration from its author.
            let above = std::fs::canonicalize(directory)?;
            let above = above.parent().map_or(Ok(None), |above| Git::reading(above).top())?;
            if let Some(checkout) = above {
                return Err(Error::usage(format!(
                    "{} is a bare repository inside of the checkout {}",
                    directory.display(),
                    checkout.display()
                ))
                .hint("its configuration may not be yours: move it out of the checkout"));
            }
            let git = git.without_credentials_in_arguments()?;
            let tree = PrivateTree::create(&git)?;
            tree.check_out(&git.run(["rev-parse", "--verify", "HEAD"])?)?;
            let shown = std::fs::canonicalize(directory)?;
            let name = repository_name(&git, &shown)?;
            let path = tree.path().to_owned();
            let copy = WorkingCopy::new(Some(git), path, name, shown.display().to_string(), FilesOwner::Copy);
            return Ok(WorkingCopy { _tree: Some(tree), ..copy });
        }
        let top = std::fs::canonicalize(directory)?;
        let name = last_part(&top.to_string_lossy());
        let shown = top.display().to_string();
        Ok(WorkingCopy::new(None, top, name, shown, FilesOwner::Theirs))
    }
}

impl WorkingCopy {
    fn new(git: Option<Git>, top: PathBuf, name: String, shown: String, files: FilesOwner) -> Self {
        Self { git, top, name, shown, files, _clone: None, _tree: None }
    }

    /// Returns the Git repository.
    ///
    /// # Errors
    /// Returns a usage error if the directory is in no repository.
    pub(super) fn git(&self) -> Result<&Git> {
        self.git.as_ref().ok_or_else(|| {
            Error::usage(format!("{} is not in a Git repository", self.shown))
                .hint("without --commit, --branch and --push the files are edited in place")
        })
    }

    /// Returns the URLs of its remotes, by which Applications are distinguished.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub(super) fn remotes(&self) -> Result<Vec<String>> {
        self.git.as_ref().map_or_else(|| Ok(Vec::new()), Git::remote_urls)
    }

    /// Returns an entry if tracked files are not in the user's work tree, because its checkout is sparse: versions in them are
    /// unknown.
    ///
    /// # Errors
    /// Fails when git fails.
    pub(super) fn sparse_gap(&self) -> Result<Option<Unreadable>> {
        let Some(git) = self.git.as_ref().filter(|_| self.files == FilesOwner::Theirs) else { return Ok(None) };
        if git.query(["config", "--type=bool", "--get", "core.sparseCheckout"])?.as_deref() != Some("true") {
            return Ok(None);
        }
        let absent = git.run(["ls-files", "-t"])?.lines().filter(|line| line.starts_with("S ")).count();
        Ok((absent > 0).then(|| Unreadable {
            what: self.shown.clone(),
            reason: format!(
                "the checkout is sparse: {} that Git tracks {} not in it",
                words::count(absent, "files"),
                if absent == 1 { "is" } else { "are" }
            ),
        }))
    }

    /// Reads the files below a directory with a copy of this repository.
    ///
    /// # Errors
    /// Fails when they cannot be read.
    pub(super) fn survey(&self, top: &Path) -> Result<RepositorySurvey> {
        RepositorySurvey::read(top, &self.name)
    }
}

/// The contents of a working copy.
#[derive(Debug)]
pub(super) struct RepositorySurvey {
    pub(super) repository: Repository,
    /// The services and environments of its overlays.
    pub(super) discovery: Discovery,
    /// Every version in the files.
    pub(super) catalog: Catalog,
}

impl RepositorySurvey {
    /// Reads the files of a repository.
    ///
    /// # Errors
    /// Fails when they cannot be read.
    pub(super) fn read(top: &Path, name: &str) -> Result<Self> {
        let repository = Repository::read(top, name)?;
        let discovery = discover(&repository);
        let catalog = Catalog::read(&repository, &discovery);
        Ok(Self { repository, discovery, catalog })
    }

    /// Calls `question` with the facts.
    pub(super) fn with_facts<T>(&self, policy: Policy, question: impl FnOnce(&PlanningFacts<'_>) -> T) -> T {
        let builder = KustomizationBuilder::new(&self.repository);
        let (repository, discovery, catalog) = (&self.repository, &self.discovery, &self.catalog);
        question(&PlanningFacts { repository, discovery, builder: &builder, catalog, policy })
    }

    /// Returns the environments, in the order of promotion.
    ///
    /// # Errors
    /// Returns a usage error if there is none.
    pub(super) fn environments(&self) -> Result<Vec<&str>> {
        let known: Vec<&str> = self.catalog.environments.iter().map(String::as_str).collect();
        check_any("environment", &known)?;
        Ok(known)
    }

    /// Returns the services, by name.
    pub(super) fn services(&self) -> Vec<&str> {
        let services: BTreeSet<&str> = self.catalog.services().into_iter().chain(self.discovery.services()).collect();
        services.into_iter().collect()
    }

    /// Checks that environments and services exist.
    ///
    /// # Errors
    /// Returns a usage error with the nearest name and all of them.
    pub(super) fn check<'n>(
        &self,
        environments: impl IntoIterator<Item = &'n str>,
        services: impl IntoIterator<Item = &'n str>,
    ) -> Result<()> {
        let known: Vec<&str> = self.catalog.environments.iter().map(String::as_str).collect();
        let mut unknown = environments.into_iter().filter(|name| !self.catalog.knows(name));
        unknown.try_for_each(|name| check_known("environment", name, &known))?;
        let known = self.services();
        services.into_iter().try_for_each(|name| check_known("service", name, &known))
    }

    /// Checks that the gates of `.ucp.yaml` are for environments that exist: one with a misspelled name would never hold.
    ///
    /// # Errors
    /// Fails when `freeze` or `soak` names another one.
    pub(super) fn check_gates(&self) -> Result<()> {
        let config = &self.repository.config;
        let frozen = config.freeze.environments().map(|name| ("freeze", name));
        let named = frozen.chain(config.soak.environments().map(|name| ("soak", name)));
        let Some((key, name)) = named.into_iter().find(|(_, name)| !self.catalog.knows(name)) else { return Ok(()) };
        let known: Vec<&str> = self.catalog.environments.iter().map(String::as_str).collect();
        let near = did_you_mean(name, known.iter().copied());
        Err(Error::usage(format!(
            "{key} in .ucp.yaml names {name:?}, which is no environment of this repository{near}"
        ))
        .hint(format!("known: {}; '*' is every environment", known.join(", "))))
    }
}

fn check_known(what: &str, name: &str, known: &[&str]) -> Result<()> {
    if known.contains(&name) {
        return Ok(());
    }
    check_any(what, known)?;
    let near = did_you_mean(name, known.iter().copied());
    const SHOWN: usize = 20;
    let known = words::join_limited(known, SHOWN);
    let rule = match what {
        "environment" => "; a rule in .ucp.yaml names others: 'versions: [{file: \"…/{environment}/**\"}]'",
        _ => "",
    };
    Err(Error::usage(format!("no {what} is called {name:?}{near}")).hint(format!("known: {known}{rule}")))
}

/// Fails when there is no name to choose from.
fn check_any(what: &str, known: &[&str]) -> Result<()> {
    if !known.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("no {what} was found in this repository")).hint(format!(
        "'kubectl ucp images --explain' shows what was detected; in .ucp.yaml, 'versions: [{{file: \"…/{{{what}}}/**\"}}]' \
             defines which part of a path is the {what}"
    )))
}

/// Returns true if git takes a text for a remote repository: a URL, or `HOST:PATH` as in scp.
fn is_url(text: &str) -> bool {
    text.contains("://") || text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

fn clone(url: &str) -> Result<WorkingCopy> {
    let clone = Scratch::new()?;
    let top = clone.path().join("repository");
    let (git, clean) = Git::at(".").for_clone(url)?;
    git.run(["clone", "--quiet", "--no-tags", "--depth=1", "--", &clean, &top.to_string_lossy()])?;
    let git = git.moved_to(&top);
    // It follows no branch, so that nothing is reported as behind one. An empty repository has no commit.
    git.output(["checkout", "--quiet", "--detach"])?;
    let copy = WorkingCopy::new(Some(git), top, last_part(url), scrub(url).into_owned(), FilesOwner::Copy);
    Ok(WorkingCopy { _clone: Some(clone), ..copy })
}
