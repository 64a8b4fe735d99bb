//! Drafts the files of a new service from an existing one, in each of the repositories.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use super::arguments::Args;
use super::proof::{self, RenderedOverlay, ServiceCopy, UncheckedCopy};
use crate::cli::working_copy::{RepositorySurvey, WorkingCopy};
use crate::report::promotion::RepositoryPath;
use crate::report::service::{ServicePlan, ServiceRepository};
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::scratch::Scratch;
use ucp_features::scaffold::database::CopiedClaim;
use ucp_features::scaffold::deployed::{DeclaredDeployer, deployers};
use ucp_features::scaffold::documents::runs_service;
use ucp_features::scaffold::image::NewImage;
use ucp_features::scaffold::names::{NewNames, around};
use ucp_features::scaffold::source::CopySource;
use ucp_features::scaffold::subject::{CopySubject, Rename};
use ucp_repo::git::{Git, STATUS};
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::discover::{Overlay, discover};
use ucp_repo::gitops::files::{self, FileEdit};
use ucp_repo::gitops::kustomization::{Kustomization, KustomizationTarget};
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::Repository;
use ucp_repo::manifests::checkout::copy_directory;

/// The top directories of the repositories from which the plan is made.
#[derive(Clone, Copy)]
pub(super) struct RepositoryTops<'a> {
    pub(super) app: &'a Path,
    pub(super) core: Option<&'a Path>,
}

/// A repository with its objects.
struct ServiceSide {
    repository: Repository,
    objects: Vec<DeclaredObject>,
    subject: CopySubject,
    has_database: bool,
}

/// Makes the plan.
pub(super) fn draft_service_plan(
    args: &Args,
    app: &WorkingCopy,
    core: Option<&WorkingCopy>,
    tops: &RepositoryTops<'_>,
) -> Result<ServicePlan> {
    let survey = app.survey(tops.app)?;
    survey.check(args.environments.iter().map(String::as_str), [args.like.as_str()])?;
    let subject = subject(args, &survey);
    let refuse = |reason: String| Error::refused(reason).hint("nothing was written");
    let mut sides = vec![ServiceSide::read(tops.app, &app.name, &subject, core.is_none())?.with_others(&survey)];
    // Only the repository of the services has their directories; the deployers are in another one.
    if let (Some(top), Some(core)) = (tops.core, core) {
        sides.push(ServiceSide::read(top, &core.name, &subject, true)?);
    }
    let mut names = NewNames::default();
    names.rename(&args.like, &args.name);
    let database = match (&subject.database, sides.last()) {
        (Some(name), Some(side)) => {
            let database = CopiedClaim::find(&side.objects, name, &subject)?;
            database.register_names(&side.objects, &mut names);
            Some(database)
        }
        _ => None,
    };
    let sources: Vec<CopySource<'_>> = sides.iter().map(|side| side.source(database.as_ref())).collect();
    let own: BTreeSet<String> = sources.iter().flat_map(CopySource::own_names).collect();
    sources.iter().for_each(|source| source.register_mounts(&mut names));
    sources.iter().for_each(|source| source.register_kept_names(&own, &mut names));
    let old = proof::render_old(&survey, &subject, tops.app)?;
    let repositories: Vec<&Repository> = sides.iter().map(|side| &side.repository).collect();
    proof::undeclared_names(&old, &repositories).iter().for_each(|name| names.keep(name));
    let new_image = args.image.as_deref().map(|image| new_image(image, &survey, &subject, &old)).transpose()?;

    let mut plan = ServicePlan::new(&args.name, &args.like);
    plan.source = RepositoryPath { path: app.shown.clone() };
    let scratch = Scratch::new()?;
    let mut secrets = BTreeSet::new();
    let mut left = BTreeSet::new();
    let shown = [Some(app), core].into_iter().flatten().map(|copy| copy.shown.clone());
    for ((index, source), shown) in sources.iter().enumerate().zip(shown) {
        let made = source.copy(&names, new_image.as_ref()).map_err(|failure| refuse(failure.into()))?;
        let top = staging_directory(&scratch, index);
        copy_directory(&source.repository.top, &top, &top).with_context(|| shown.clone())?;
        write(&top, &made.edits)?;
        plan.by_hand.extend(made.by_hand);
        secrets.extend(made.secrets);
        left.extend(made.left);
        plan.repositories.push(ServiceRepository::new(shown, made.edits));
    }
    let is_empty = plan.repositories.iter().all(|one| one.files.is_empty());
    if is_empty && !survey.services().contains(&args.name.as_str()) {
        return Err(refuse(format!("no file of this repository is named after {}", args.like)));
    }
    plan.warnings.extend(left.iter().map(|left| format!("the copy keeps {}", scrub(left))));
    if args.image.is_none() {
        plan.warnings.push(format!("{} runs the image of {}; pass --image to use another", args.name, args.like));
    }
    let mut repositories = Vec::new();
    for (index, side) in sides.iter().enumerate() {
        repositories.push(Repository::read(&staging_directory(&scratch, index), &side.repository.name)?);
    }
    // The deployer of a directory may be in any of the repositories.
    let deployed: BTreeSet<String> =
        repositories.iter().flat_map(|one| deployers(one, &args.name)).map(|one| one.directory).collect();
    for (side, deployer) in
        sides.iter().flat_map(|side| deployers(&side.repository, &args.like).into_iter().map(move |one| (side, one)))
    {
        let DeclaredDeployer { told, directory } = deployer;
        if let Some(new) = side.subject.new_path(&directory).filter(|new| !deployed.contains(new)) {
            plan.by_hand.push(format!("{new}: nothing deploys it; {told} deploys {directory} and is not copied"));
        }
    }
    let after = discover(&repositories[0]);
    for overlay in survey.discovery.overlays.iter().filter(|overlay| is_its(overlay, &subject)) {
        if after.overlay(&args.name, &overlay.environment).is_none() {
            plan.refused.push(format!(
                "{} in {} would not be found by 'promote': {} is not named after the service",
                args.name, overlay.environment, overlay.directory
            ));
        }
    }
    if args.publish.makes_commit() {
        let dirty = sides.iter().map(ServiceSide::uncommitted).collect::<Result<Vec<_>>>()?;
        let dirty = dirty.into_iter().flatten();
        plan.refused.extend(dirty.map(|file| format!("{file} has uncommitted changes, which the copy would contain")));
    }
    let made = ServiceCopy {
        subject: &subject,
        names: &names,
        image: new_image.as_ref(),
        secrets: &secrets,
        database: database.as_ref(),
        repositories: &repositories,
        unchecked: if args.publish.makes_commit() { UncheckedCopy::Refused } else { UncheckedCopy::Warned },
    };
    proof::verify_copy(&mut plan, &made, old, &staging_directory(&scratch, 0))?;
    Ok(plan)
}

fn is_its(overlay: &Overlay, subject: &CopySubject) -> bool {
    overlay.service == subject.service.old && subject.is_wanted(&overlay.environment)
}

impl ServiceSide {
    fn read(top: &Path, name: &str, subject: &CopySubject, has_database: bool) -> Result<Self> {
        let repository = Repository::read(top, name)?;
        let objects = declared::objects(&repository);
        let mut subject = subject.clone();
        subject.database = subject.database.filter(|_| has_database);
        Ok(Self { repository, objects, subject, has_database })
    }

    /// Records the directories of the other services, except those in which this one is deployed or run too.
    fn with_others(mut self, survey: &RepositorySurvey) -> Self {
        let directory = |overlay: &Overlay| {
            let at = overlay.directory.split('/').position(|part| part == overlay.service)?;
            let parts: Vec<&str> = overlay.directory.split('/').take(at + 1).collect();
            Some(parts.join("/"))
        };
        let overlays = &survey.discovery.overlays;
        let is_its = |overlay: &&Overlay| overlay.service == self.subject.service.old;
        let (its, others): (Vec<&Overlay>, Vec<&Overlay>) = overlays.iter().partition(is_its);
        let is_here = |directory: &String| {
            let is_in = |file: &str| path::is_below(file, directory);
            let is_here = |object: &DeclaredObject| is_in(&object.file) && runs_service(object, &self.subject);
            let gathers = |one: &Kustomization| {
                let mut local = one.resources.iter().chain(&one.components).filter_map(|target| match target {
                    KustomizationTarget::Local(path) => Some(path),
                    _ => None,
                });
                is_in(&one.file)
                    && local.clone().count() > 1
                    && local.any(|path| !is_in(path) && self.subject.new_path(path).is_some())
            };
            its.iter().any(|overlay| is_in(&overlay.directory))
                || self.objects.iter().any(is_here)
                || self.repository.kustomizations.values().any(gathers)
        };
        let others: BTreeSet<String> = others.into_iter().filter_map(directory).collect();
        self.subject.others_directories = others.into_iter().filter(|directory| !is_here(directory)).collect();
        self
    }

    /// Returns the copied files with uncommitted changes.
    fn uncommitted(&self) -> Result<Vec<String>> {
        let git = Git::reading(&self.repository.top);
        let only_tracked = ["--porcelain", "--no-renames", "--untracked-files=no", "-z", "."];
        let Some(status) = git.without_filters()?.query(STATUS.into_iter().chain(only_tracked))? else {
            return Ok(Vec::new());
        };
        let files = status.split('\0').filter_map(|line| line.get(3..));
        Ok(files.filter(|file| self.subject.new_path(file).is_some()).map(str::to_owned).collect())
    }

    fn source<'a>(&'a self, database: Option<&'a CopiedClaim>) -> CopySource<'a> {
        CopySource {
            repository: &self.repository,
            objects: &self.objects,
            subject: &self.subject,
            database: database.filter(|_| self.has_database),
        }
    }
}

fn subject(args: &Args, survey: &RepositorySurvey) -> CopySubject {
    let rename = |old: &String, new: &String| Rename { old: old.clone(), new: new.clone() };
    let databases = args.database_like.iter().chain(&args.database);
    let own: BTreeSet<&String> = [&args.like, &args.name].into_iter().chain(databases).collect();
    let known = &survey.catalog.environments;
    let others = survey.services().into_iter().chain(sibling_services(survey, &args.like, known));
    let others = others.map(str::to_owned).filter(|name| !own.contains(name));
    CopySubject {
        service: rename(&args.like, &args.name),
        database: args.database_like.as_ref().zip(args.database.as_ref()).map(|(old, new)| rename(old, new)),
        known: survey.catalog.environments.iter().cloned().collect(),
        environments: args.environments.clone(),
        others: others.collect(),
        others_directories: BTreeSet::new(),
    }
}

/// Returns the directories next to those of a service with its name in theirs and no environment: they belong to other
/// services.
fn sibling_services<'s>(
    survey: &'s RepositorySurvey,
    like: &'s str,
    environments: &'s [String],
) -> impl Iterator<Item = &'s str> {
    let directories = &survey.repository.directories;
    let is_other = move |directory: &&'s String| {
        let (above, name) = directory.rsplit_once('/').unwrap_or(("", directory));
        let words = around(name, like).filter(|words| !words.is_empty());
        words.is_some_and(|words| !environments.contains(&words.join("-")))
            && directories.iter().any(|other| *other == ucp_repo::gitops::path::inside(above, like))
    };
    directories.iter().filter(is_other).map(|directory| directory.rsplit('/').next().unwrap_or(directory))
}

/// Returns the image that replaces the one of the existing service.
fn new_image(
    typed: &str,
    survey: &RepositorySurvey,
    subject: &CopySubject,
    old: &[RenderedOverlay<'_>],
) -> Result<NewImage> {
    let its = survey.repository.files.iter().filter(|file| subject.new_path(file).is_some());
    let texts: Vec<String> = its.filter_map(|file| survey.repository.read_text(file).ok()).collect();
    let rendered: Vec<&[Value]> = old.iter().filter_map(RenderedOverlay::rendered).collect();
    NewImage::resolve(typed, &subject.service.old, &texts, &rendered).map_err(|reason| {
        Error::usage(format!("--image: {reason}"))
            .hint("name one such as ghcr.io/example/orders:v0.1.0, or omit it and use 'kubectl ucp set-image'")
    })
}

fn staging_directory(scratch: &Scratch, index: usize) -> std::path::PathBuf {
    scratch.path().join(["app", "core"][index.min(1)])
}

fn write(top: &Path, edits: &[FileEdit]) -> Result<()> {
    for edit in edits {
        let path = top.join(&edit.path);
        match &edit.before {
            Some(before) if path.exists() => files::replace(&path, before, &edit.after)?,
            _ => files::create(&path, &edit.after)?,
        }
    }
    Ok(())
}
