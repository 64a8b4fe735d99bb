//! `--file` of `set-version` and `set-image`: edits one file, without a repository.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cli::Context;
use crate::cli::freeze::FreezeArgs;
use crate::cli::working_copy::RepositorySurvey;
use crate::cli::writing::{self, ConsentArgs, PlanDecision};
use crate::promote::policy::Policy;
use crate::promote::single::{self, SingleFileError, SlotScope};
use crate::report::promotion::PromotionPlan;
use ucp_core::error::{Error, Outcome, Result};
use ucp_repo::git::last_part;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::config::{self, RepositoryConfig};
use ucp_repo::gitops::files;
use ucp_repo::gitops::freeze::FreezeSettings;
use ucp_repo::gitops::purpose::{Purpose, is_generated, purpose};

pub(super) fn run(
    context: &Context,
    path: &Path,
    arguments: &[String],
    (consent, policy, freeze): (&ConsentArgs, Policy, &FreezeArgs),
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
    let name = path.to_string_lossy();
    let commands = |assignments: &[String]| single::commands(&name, &source, assignments, policy);
    let mut plan = single::plan(&name, &source, &assignments, policy, scope)
        .map_err(|trouble| explain(&name, trouble, scope, &commands))?;
    if !plan.changes.is_empty() && (is_generated(&source) || purpose(&name) == Purpose::Generated) {
        plan.warnings.push(format!("{name} is generated, so the version there may be overwritten"));
    }
    if !plan.files.is_empty() {
        check_frozen(&path, &plan, freeze)?;
    }
    match writing::show(&plan, consent, context)? {
        PlanDecision::Stop(outcome) => Ok(outcome),
        PlanDecision::Go => {
            for file in plan.files.drain(..) {
                files::replace(&path, file.before.as_deref().unwrap_or_default(), &file.after)?;
            }
            freeze.remind(context);
            writing::finish_plan(&plan, context)
        }
    }
}

/// Checks that `.ucp.yaml` of the file's repository freezes no environment that the values reach; of a value whose environment is
/// not known, no environment at all.
fn check_frozen(path: &Path, plan: &PromotionPlan, freeze: &FreezeArgs) -> Result<()> {
    let real = path.canonicalize()?;
    let Some(top) = top_of(&real) else { return Ok(()) };
    if RepositoryConfig::read(top)?.freeze == FreezeSettings::default() {
        return Ok(());
    }
    let survey = RepositorySurvey::read(top, &last_part(&top.to_string_lossy()))?;
    let relative = real.strip_prefix(top).unwrap_or(&real).components();
    let file = relative.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let places: Vec<&CatalogPlace> = survey.catalog.places.iter().filter(|place| place.file == file).collect();
    for change in &plan.changes {
        let exact: Vec<&CatalogPlace> = places.iter().copied().filter(|place| place.slot.line == change.line).collect();
        // An entry that is added has no place yet.
        let reached = if exact.is_empty() { &places } else { &exact };
        let is_unknown = reached.is_empty() || reached.iter().any(|place| place.reach.environments().is_empty());
        let environments: BTreeSet<&str> = reached.iter().flat_map(|place| place.reach.environments()).collect();
        let unknown = is_unknown.then_some(None).into_iter();
        for environment in unknown.chain(environments.into_iter().map(Some)) {
            freeze.check_file(&survey, environment)?;
        }
    }
    Ok(())
}

/// Returns the top directory of a file's repository; without Git, the directory with `.ucp.yaml`.
fn top_of(file: &Path) -> Option<&Path> {
    directory_with(file, ".git").or_else(|| directory_with(file, config::NAME))
}

/// Returns the innermost directory above a file that contains this name.
fn directory_with<'p>(file: &'p Path, name: &str) -> Option<&'p Path> {
    file.ancestors().skip(1).find(|directory| directory.join(name).exists())
}

/// Fails when the file is in a Git repository by its path, and a link leads out of it or into its `.git`. A path without
/// a repository is the user's own choice.
fn check_inside(path: &Path) -> Result<()> {
    // A path that cannot be resolved fails when it is read, with its reason.
    let (Ok(absolute), Ok(real)) = (std::path::absolute(path), path.canonicalize()) else { return Ok(()) };
    let top = directory_with(&absolute, ".git").and_then(|top| top.canonicalize().ok());
    let Some(top) = top else { return Ok(()) };
    let is_inside = real.strip_prefix(&top).is_ok_and(|relative| !relative.starts_with(".git"));
    if is_inside {
        return Ok(());
    }
    Err(Error::refused(format!("{} points outside of the repository, to {}", path.display(), real.display()))
        .hint("name the file itself instead of a link"))
}

/// Returns the error and a hint. Nothing was written.
/// Returns the error for a file that cannot be planned. `commands` returns those that select one of several places.
fn explain(file: &str, trouble: SingleFileError, scope: SlotScope, commands: &dyn Fn(&[String]) -> String) -> Error {
    match trouble {
        SingleFileError::Unknown => {
            Error::refused(format!("the format of {file} is not supported, so it is not edited"))
                .hint("versions are set in YAML, JSON, TOML and KEY=VALUE files")
        }
        SingleFileError::File(error) => Error::refused(format!("{file}: {error}")).hint("nothing is written"),
        SingleFileError::Target(reason) => Error::usage(reason).hint(by_path(scope)),
        SingleFileError::Several { reason, assignments } => Error::usage(reason).hint(match commands(&assignments) {
            commands if commands.is_empty() => by_path(scope).to_owned(),
            commands => format!("select one of them:\n{commands}"),
        }),
    }
}

fn by_path(scope: SlotScope) -> &'static str {
    match scope {
        SlotScope::Everything => "name it as the file does, or by its path, as in '.spec.values.image.tag=VERSION'",
        SlotScope::Images => {
            "name the image as the file does, or by its path, as in '.spec.values.image.tag=VERSION'; \
             charts, packages and Git references are set with 'kubectl ucp set-version'"
        }
    }
}
