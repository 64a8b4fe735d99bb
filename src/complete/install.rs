//! Installs `kubectl_complete-ucp` where kubectl finds it.

use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::PROGRAM;
use ucp_core::error::{Error, Result};

/// The result of an installation.
#[derive(Debug)]
pub struct InstalledCompletion {
    /// The program that kubectl will run.
    pub link: PathBuf,
    /// The change that was made.
    pub news: InstallationChange,
    /// True if the directory is on the PATH, so that kubectl finds the program.
    pub is_on_path: bool,
}

/// The change of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallationChange {
    /// It was installed.
    Installed,
    /// It was already installed.
    Unchanged,
}

impl InstallationChange {
    /// Returns the change as a word.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Returns the path of the link that [`install`] makes.
///
/// # Errors
/// Fails when the program does not know where it is.
pub fn planned_link(directory: Option<&Path>) -> Result<PathBuf> {
    let program = installed_program(&directories_on_path())?;
    Ok(link_in(directory.unwrap_or_else(|| program.parent().unwrap_or(Path::new("")))))
}

fn link_in(directory: &Path) -> PathBuf {
    directory.join(format!("{PROGRAM}{EXE_SUFFIX}"))
}

fn directories_on_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns the `kubectl-ucp` on the PATH, or else this program.
fn installed_program(on_path: &[PathBuf]) -> Result<PathBuf> {
    let name = format!("kubectl-ucp{EXE_SUFFIX}");
    let found = on_path.iter().map(|directory| directory.join(&name)).find(|program| program.is_file());
    Ok(match found {
        Some(program) => program,
        None => std::env::current_exe().context("the path of this program is unknown")?,
    })
}

/// Links to the `kubectl-ucp` on the PATH, whose location does not change when a package manager replaces its target.
///
/// # Errors
/// Fails when another file is in the way, or when the directory is not writable.
pub fn install(directory: Option<&Path>) -> Result<InstalledCompletion> {
    let on_path = directories_on_path();
    let program = installed_program(&on_path)?;
    let home = program.parent().unwrap_or(Path::new("")).to_owned();
    let directory = directory.map_or_else(|| home.clone(), Path::to_owned);
    let link = link_in(&directory);
    let target = match (program.file_name(), is_same_path(&home, &directory)) {
        (Some(name), true) => PathBuf::from(name),
        _ => std::path::absolute(&program)?,
    };
    let news = put(&target, &link).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::failed(format!("{} already exists and is not a link to kubectl-ucp", link.display()))
                .hint("remove it, or name another directory on the PATH")
        }
        _ => Error::from(anyhow::anyhow!(error).context(format!("cannot create {}", link.display())))
            .hint("name a directory on the PATH that you can write to: 'kubectl ucp completion install ~/.local/bin'"),
    })?;
    let is_on_path = on_path.iter().any(|listed| is_same_path(listed, &directory));
    Ok(InstalledCompletion { link, news, is_on_path })
}

fn is_same_path(left: &Path, right: &Path) -> bool {
    left == right || matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

/// The command of the script `plugins/kubectl_complete-ucp`.
#[cfg(unix)]
const CALL: &str = "exec kubectl-ucp __complete";

#[cfg(unix)]
fn put(target: &Path, link: &Path) -> io::Result<InstallationChange> {
    match std::fs::read_link(link) {
        Ok(current) if current == target => return Ok(InstallationChange::Unchanged),
        // One of our links, to a previous location of the program.
        Ok(current) if current.file_name() == target.file_name() => std::fs::remove_file(link)?,
        // Packages have a script instead.
        Err(_) if std::fs::read_to_string(link).is_ok_and(|script| script.contains(CALL)) => {
            return Ok(InstallationChange::Unchanged);
        }
        _ => {}
    }
    std::os::unix::fs::symlink(target, link)?;
    Ok(InstallationChange::Installed)
}

/// Windows requires a privilege for links, so the program is copied there, and updated by the next installation.
#[cfg(not(unix))]
fn put(target: &Path, link: &Path) -> io::Result<InstallationChange> {
    let program = link.parent().unwrap_or(Path::new("")).join(target);
    let is_current = std::fs::read(link).is_ok_and(|copy| std::fs::read(&program).is_ok_and(|now| now == copy));
    if is_current {
        return Ok(InstallationChange::Unchanged);
    }
    std::fs::copy(program, link)?;
    Ok(InstallationChange::Installed)
}
