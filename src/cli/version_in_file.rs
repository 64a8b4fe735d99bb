//! `--file` of `set-version` and `set-image`: edits one file, without a repository.

use std::path::Path;

use crate::cli::Context;
use crate::cli::writing::{self, ConsentArgs, PlanDecision};
use crate::promote::policy::Policy;
use crate::promote::single::{self, SingleFileError, SlotScope};
use ucp_core::error::{Error, Outcome, Result};
use ucp_repo::gitops::files;

pub(super) fn run(
    context: &Context,
    path: &Path,
    arguments: &[String],
    consent: &ConsentArgs,
    policy: Policy,
    scope: SlotScope,
) -> Result<Outcome> {
    if arguments.is_empty() {
        let (argument, command) = match scope {
            SlotScope::Images => ("IMAGE:TAG", "set-image"),
            SlotScope::Everything => ("NAME=VERSION", "set-version"),
        };
        return Err(Error::usage(format!("{argument} is missing"))
            .hint(format!("usage: kubectl ucp {command} --file PATH {argument}…")));
    }
    let assignments = single::assignments(arguments, scope).map_err(Error::usage)?;
    let path = match path.is_dir() {
        true => files::kustomization_in(path)?
            .ok_or_else(|| Error::usage(format!("{} contains no kustomization", path.display())))?,
        false => path.to_owned(),
    };
    check_inside(&path)?;
    let source = files::read(&path)?;
    let mut plan = single::plan(&path.to_string_lossy(), &source, &assignments, policy, scope)
        .map_err(|trouble| explain(&path, trouble, scope))?;
    match writing::show(&plan, consent, context)? {
        PlanDecision::Stop(outcome) => Ok(outcome),
        PlanDecision::Go => {
            for file in plan.files.drain(..) {
                files::replace(&path, file.before.as_deref().unwrap_or_default(), &file.after)?;
            }
            writing::finish_plan(&plan, context)
        }
    }
}

/// Fails when the file is in a Git repository by its path, and a link leads out of it or into its `.git`. A path without
/// a repository is the user's own choice.
fn check_inside(path: &Path) -> Result<()> {
    // A path that cannot be resolved fails when it is read, with its reason.
    let (Ok(absolute), Ok(real)) = (std::path::absolute(path), path.canonicalize()) else { return Ok(()) };
    let repository = absolute.ancestors().skip(1).find(|directory| directory.join(".git").exists());
    let Some(top) = repository.and_then(|top| top.canonicalize().ok()) else { return Ok(()) };
    let is_inside = real.strip_prefix(&top).is_ok_and(|relative| !relative.starts_with(".git"));
    if is_inside {
        return Ok(());
    }
    Err(Error::refused(format!("{} points outside of the repository, to {}", path.display(), real.display()))
        .hint("name the file itself instead of a link"))
}

/// Returns the error and a hint. Nothing was written.
fn explain(path: &Path, trouble: SingleFileError, scope: SlotScope) -> Error {
    let path = path.display();
    match trouble {
        SingleFileError::Unknown => {
            Error::refused(format!("the format of {path} is not supported, so it is not edited"))
                .hint("versions are set in YAML, JSON, TOML and KEY=VALUE files")
        }
        SingleFileError::File(error) => Error::refused(format!("{path}: {error}")).hint("nothing is written"),
        SingleFileError::Target(reason) => Error::usage(reason).hint(match scope {
            SlotScope::Everything => "name it as the file does, or by its path, as in '.spec.values.image.tag=VERSION'",
            SlotScope::Images => {
                "name the image as the file does, or by its path, as in '.spec.values.image.tag=VERSION'; \
                 charts, packages and Git references are set with 'kubectl ucp set-version'"
            }
        }),
    }
}
