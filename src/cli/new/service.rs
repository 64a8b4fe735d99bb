//! `kubectl ucp new service`

use std::collections::BTreeSet;
use std::path::Path;

use super::arguments::Args;
use super::draft::{self, RepositoryTops};
use crate::cli::Context;
use crate::cli::publishing;
use crate::cli::working_copy::{RepositoryArgs, WorkingCopy};
use crate::cli::writing::{self, CommittedEdits, EditProposal, PlanDecision};
use crate::promote::landing::{Landable, Landing, Replanning};
use crate::report::promotion::{Receipt, RepositoryPath};
use crate::report::service::{ServicePlan, ServiceRepository};
use ucp_core::error::{Error, ErrorKind, Outcome, Result};
use ucp_features::forge::scope::ChangeScope;
use ucp_features::import::address::is_object_name;
use ucp_repo::git::identity::normalize;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::yaml::scalar::is_plain_safe;

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    for name in std::iter::once(&args.name).chain(&args.database) {
        if !is_object_name(name) || name.contains('.') {
            return Err(Error::usage(format!("{name:?} is not a valid name: use lowercase letters, digits and '-'")));
        }
        if !is_plain_safe(name) {
            return Err(Error::usage(format!("YAML would not read {name} as a string")));
        }
    }
    if args.name == args.like {
        return Err(Error::usage("NAME and EXISTING are the same"));
    }
    if args.database_like.as_ref() == Some(&args.like) && args.database.as_ref() != Some(&args.name) {
        return Err(Error::usage(format!(
            "the claim and the service are both named {0}, so their copies would have the same name",
            args.like
        ))
        .hint(format!("use --database {}", args.name)));
    }
    let app = RepositoryLanding::open(context, args, args.repository.open(&context.ui)?)?;
    let core = match &args.core {
        Some(path) => {
            let copy = RepositoryArgs::open_named(&context.ui, &path.to_string_lossy())?;
            if is_same(&app.copy, &copy)? {
                return Err(Error::usage("--core is the same repository").hint("omit it if one repository has both"));
            }
            Some(RepositoryLanding::open(context, args, copy)?)
        }
        None => None,
    };
    let places: Vec<&RepositoryLanding> = [Some(&app), core.as_ref()].into_iter().flatten().collect();
    let make = |index: usize, top: &Path| {
        let top_of = |other: usize| if other == index { Some(top) } else { Some(places.get(other)?.landing.top()) };
        let tops = RepositoryTops { app: top_of(0).unwrap_or(top), core: core.as_ref().and_then(|_| top_of(1)) };
        draft::draft_service_plan(args, &app.copy, core.as_ref().map(|core| &core.copy), &tops)
    };
    // Files that others changed in the meantime are detected when they are written.
    let again = |index: usize, top: &Path| {
        let plan = make(index, top)?;
        match plan.refused.first() {
            Some(reason) => Err(Error::refused(reason.clone())),
            None => Ok(RepositoryEdits::from_plan(&plan, index)),
        }
    };
    // If the service cannot be made from the last commit, no earlier run started from it.
    let earlier = |index: usize, top: &Path| match again(index, top) {
        Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Usage | ErrorKind::Absent) => {
            Ok(RepositoryEdits::refused())
        }
        other => other,
    };
    let agree = |shown: &RepositoryEdits, now: &RepositoryEdits| shown.agrees(now);
    let mut plan = make(0, app.landing.top())?;
    if plan.refused.is_empty() {
        for (index, place) in places.iter().enumerate() {
            let again =
                Replanning { plan: &|top: &Path, _: Option<&RepositoryEdits>| earlier(index, top), agree: &agree };
            if let Some(unfinished) = place.landing.unfinished(&RepositoryEdits::from_plan(&plan, index), &again)? {
                context.ui.message(
                    "An earlier run wrote some of these files and did not commit them; they are part of this plan.",
                );
                plan.repositories[index] = ServiceRepository::new(place.copy.shown.clone(), unfinished.files);
            }
        }
    }
    if let PlanDecision::Stop(outcome) = writing::show(&plan, &args.publish.consent, context)? {
        return Ok(outcome);
    }
    // If one repository cannot be written, none is.
    places.iter().enumerate().try_for_each(|(index, place)| {
        place.landing.check_uncommitted_changes(&RepositoryEdits::from_plan(&plan, index))
    })?;
    // The dependencies of the service are written first.
    let headline = format!("Add {} like {}", args.name, args.like);
    let mut outcome = Outcome::Clean;
    for (index, place) in places.iter().enumerate().rev() {
        let mut part = RepositoryEdits::from_plan(&plan, index);
        if part.files.is_empty() {
            continue;
        }
        let again = Replanning { plan: &|top: &Path, _: Option<&RepositoryEdits>| again(index, top), agree: &agree };
        let landed =
            publishing::land(context, &args.publish, &place.landing, &mut part, &|_| headline.clone(), &again)?;
        outcome = outcome.max(landed);
        plan.repositories[index].receipt = part.receipt;
    }
    Ok(writing::finish_plan(&plan, context)?.max(outcome))
}

/// A repository, and the target of its edits.
struct RepositoryLanding {
    copy: WorkingCopy,
    landing: Landing,
}

impl RepositoryLanding {
    fn open(context: &Context, args: &Args, copy: WorkingCopy) -> Result<Self> {
        let landing = publishing::begin(context, &copy, &args.publish)?;
        Ok(Self { copy, landing })
    }
}

/// Returns true if two copies belong to one repository: the same files, work trees of one clone, or clones of one
/// another or of one remote.
fn is_same(app: &WorkingCopy, core: &WorkingCopy) -> Result<bool> {
    let names = |copy: &WorkingCopy| -> Result<Vec<String>> {
        let Some(git) = &copy.git else { return Ok(vec![]) };
        let own = git.directory().join(git.run(["rev-parse", "--git-common-dir"])?);
        let own = std::fs::canonicalize(&own).unwrap_or(own);
        let origin = git.query(["config", "--get", "remote.origin.url"])?.filter(|url| !url.is_empty());
        let all = origin.into_iter().chain([own.to_string_lossy().into_owned()]);
        Ok(all.map(|url| normalize(&url).trim_end_matches('/').to_owned()).collect())
    };
    let theirs = names(core)?;
    Ok(app.top == core.top || names(app)?.iter().any(|name| theirs.contains(name)))
}

/// The edits of one repository.
#[derive(Default)]
struct RepositoryEdits {
    service: String,
    files: Vec<FileEdit>,
    receipt: Receipt,
    is_refused: bool,
}

impl RepositoryEdits {
    fn from_plan(plan: &ServicePlan, index: usize) -> Self {
        Self { service: plan.service.clone(), files: plan.repositories[index].files.clone(), ..Self::default() }
    }

    fn refused() -> Self {
        Self { is_refused: true, ..Self::default() }
    }

    /// Checks that the edits were shown: new files unchanged, and changes of the same lists. Edits that others have
    /// pushed in the meantime may be absent.
    fn agrees(&self, now: &Self) -> Result<()> {
        let is_shown = |file: &FileEdit| {
            let as_before = |shown: &&FileEdit| {
                shown.path == file.path
                    && shown.before.is_none() == file.before.is_none()
                    && (file.before.is_some() || shown.after == file.after)
            };
            self.files.iter().any(|shown| as_before(&shown))
        };
        match now.files.iter().all(is_shown) {
            true => Ok(()),
            false => Err(Error::refused("the service that is copied changed in the meantime")
                .hint("nothing was pushed; run the command again")),
        }
    }
}

impl Landable for RepositoryEdits {
    fn files(&self) -> &[FileEdit] {
        &self.files
    }

    fn refuses(&self) -> bool {
        self.is_refused
    }

    fn scope(&self) -> ChangeScope {
        let files = self.files.iter().map(|file| file.path.clone()).collect();
        ChangeScope { services: BTreeSet::from([self.service.clone()]), files, ..ChangeScope::default() }
    }

    fn makes_files(&self) -> bool {
        true
    }
}

impl CommittedEdits for RepositoryEdits {
    const MEANWHILE: &'static str = "Nothing to push: the service already exists.";

    fn summary(&self) -> Vec<String> {
        let verb = |file: &FileEdit| if file.before.is_none() { "add" } else { "change" };
        self.files.iter().map(|file| format!("{} {}", verb(file), file.path)).collect()
    }

    fn note_receipt(&mut self, receipt: Receipt) {
        self.receipt = receipt;
    }
}

impl EditProposal for ServicePlan {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn stops(&self) -> Option<(Outcome, String)> {
        if !self.refused.is_empty() {
            return Some((Outcome::Findings, "Refused; nothing was written.".to_owned()));
        }
        let is_there = self.repositories.iter().all(|one| one.files.is_empty());
        is_there.then(|| (Outcome::Clean, format!("Nothing to do: {} already exists.", self.service)))
    }

    fn dry_run(&self) -> Outcome {
        if self.refused.is_empty() { Outcome::Clean } else { Outcome::Findings }
    }

    fn question(&self) -> String {
        let files: usize = self.repositories.iter().map(|one| one.files.len()).sum();
        let changed = self.repositories.iter().filter(|one| !one.files.is_empty()).count();
        let repositories = if changed > 1 { " in both repositories" } else { "" };
        format!("Write {}{repositories}?", writing::count(files, "file"))
    }

    fn note_source(&mut self, source: RepositoryPath) {
        self.source = source;
    }

    fn ends(&self) -> (Outcome, Option<String>) {
        (Outcome::Clean, None)
    }
}
