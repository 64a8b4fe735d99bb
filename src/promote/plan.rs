//! Creates a plan from declared and requested versions. Planning has no side effects, so that it can be repeated if the
//! remote changes.

use std::collections::{BTreeMap, HashSet};

use crate::promote::edits::FileEdits;
use crate::promote::facts::PlanningFacts;
use crate::promote::refusal::VersionRefusal;
use crate::promote::wanted::{self, VersionPlanner, VersionStep, WantedVersion};
use crate::report::promotion::{PromotionPlan, ReasonImportance, UnchangedValue, VersionUpdate};
use ucp_core::failure::Failure;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::order::Direction;
use ucp_repo::slot::{EditedFile, VersionFile};

/// A plan under construction.
#[derive(Debug)]
pub(crate) struct PlanDraft<'a> {
    steps: VersionPlanner<'a>,
    pub(crate) plan: PromotionPlan,
    /// The warnings of its edits, each of which is reported once.
    warned: HashSet<String>,
    /// The edits, by file.
    files: BTreeMap<String, FileEdits>,
}

impl<'a> PlanDraft<'a> {
    pub(crate) fn new(facts: &'a PlanningFacts<'a>, plan: PromotionPlan) -> Self {
        Self { steps: VersionPlanner::new(facts), plan, warned: HashSet::new(), files: BTreeMap::new() }
    }

    /// Adds a row for a value that is already correct.
    pub(crate) fn add_unchanged(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(UnchangedValue { weight: ReasonImportance::Level, ..left(service, image, reason) });
    }

    /// Adds a row for a value that has the wanted version already.
    pub(crate) fn add_declared(&mut self, service: &str, image: &str, version: &str) {
        self.add_unchanged(service, image, format!("is {version} already"));
        self.plan.declared.push(VersionUpdate {
            service: Some(service.to_owned()),
            image: image.to_owned(),
            file: String::new(),
            line: 0,
            before: version.to_owned(),
            after: version.to_owned(),
            direction: Direction::Unknown,
            pulled: None,
        });
    }

    /// Adds a row for a value that only one of the environments has.
    pub(crate) fn keep_one_sided(&mut self, service: &str, image: &str, environment: &str) {
        let reason = format!("only {environment} has it");
        self.plan.kept.push(UnchangedValue { weight: ReasonImportance::OneSided, ..left(service, image, reason) });
    }

    /// Adds a row for a value that must remain.
    pub(crate) fn keep(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(left(service, image, reason));
    }

    pub(crate) fn refuse(&mut self, service: &str, image: &str, refusal: &VersionRefusal) {
        self.plan.refused.push(refused(Some(service.to_owned()), image.to_owned(), refusal));
    }

    /// Plans one version, or adds the reason why it is not possible.
    pub(crate) fn plan_version(&mut self, wanted: &WantedVersion<'a>) {
        let planned = self.steps.step(wanted).and_then(|step| match step {
            VersionStep::Declared(version) => Ok(Some(version)),
            VersionStep::Edits(edits) => self.add(wanted, *edits).map(|()| None),
        });
        let (service, artifact) = (wanted.target.service(), wanted.target.artifact());
        match planned {
            Ok(Some(version)) => self.add_declared(service, &artifact, &version),
            Ok(None) => {}
            // It is promoted with the source that the file is generated from.
            Err(refusal @ VersionRefusal::Generated { .. }) if self.plan.from.is_some() => {
                self.keep(service, &artifact, refusal.to_string());
            }
            Err(refusal) => self.refuse(service, &artifact, &refusal),
        }
    }

    /// Adds edits, with a row and warnings unless all of the edits already exist.
    fn add(&mut self, wanted: &WantedVersion<'a>, step: wanted::RowEdits) -> Result<(), VersionRefusal> {
        let unread = |failure: Failure| VersionRefusal::File {
            service: wanted.target.service().to_owned(),
            reason: failure.into(),
        };
        let edits = self.files.entry(step.change.file.clone()).or_default();
        let mut is_new = false;
        for edit in step.edits {
            is_new |= edits.add(edit).map_err(unread)?;
        }
        if is_new {
            edits.rows.push((step.change, step.entry));
            let new = step.warnings.into_iter().filter(|warning| self.warned.insert(warning.clone()));
            self.plan.warnings.extend(new);
        }
        Ok(())
    }

    /// Applies the edits, each verified by a second parser. If a file cannot be edited, its changes are refused.
    pub(crate) fn finish(mut self) -> PromotionPlan {
        for (name, edits) in std::mem::take(&mut self.files) {
            if edits.rows.is_empty() {
                continue;
            }
            match self.apply_edits(&name, &edits) {
                // What follows may be another artifact, which has its own version in the source environment.
                Ok((_, EditedFile { followers, .. })) if self.plan.from.is_some() && !followers.is_empty() => {
                    let rows = edits.rows.into_iter().map(|(change, _)| change);
                    let (followed, rest): (Vec<_>, Vec<_>) = rows
                        .partition(|change| change.line == 0 || followers.iter().any(|one| one.line == change.line));
                    let descriptions: Vec<String> = followers.into_iter().map(|aliases| aliases.description).collect();
                    for change in followed {
                        let refusal = VersionRefusal::Followed(descriptions.join("; "));
                        self.plan.refused.push(refused(change.service, change.image, &refusal));
                    }
                    self.plan.changes.extend(rest);
                }
                Ok((before, EditedFile { text: after, followers })) => {
                    self.plan.warnings.extend(followers.into_iter().map(|aliases| aliases.description));
                    let file = VersionFile::read(&name, &after).ok().flatten();
                    let lines = file.as_ref().map(VersionFile::entry_lines).unwrap_or_default();
                    for (change, entry) in edits.rows {
                        let line = entry.and_then(|entry| lines.get(entry.as_str()).copied()).unwrap_or(change.line);
                        self.plan.changes.push(VersionUpdate { line, ..change });
                    }
                    self.add_file(&name, &before, after);
                }
                Err(reason) => {
                    for (change, _) in edits.rows {
                        let service = change.service.clone().unwrap_or_default();
                        let refusal = VersionRefusal::File { service, reason: reason.clone().into() };
                        self.plan.refused.push(refused(change.service, change.image, &refusal));
                    }
                }
            }
        }
        let order =
            |change: &VersionUpdate| (change.service.clone(), change.image.clone(), change.file.clone(), change.line);
        self.plan.changes.sort_by_key(order);
        self.plan
    }

    /// Returns a file before and after the edits.
    fn apply_edits(&self, file: &str, edits: &FileEdits) -> Result<(String, EditedFile), Failure> {
        let opened = self.steps.open(file)?;
        let written = opened.file.apply_edits(edits.all()).map_err(|error| format!("{file}: {error}"))?;
        Ok((opened.file.text().to_owned(), written))
    }

    pub(crate) fn add_file(&mut self, path: &str, before: &str, after: String) {
        if before != after {
            self.plan.files.push(FileEdit { path: path.to_owned(), before: Some(before.to_owned()), after });
        }
    }
}

fn left(service: &str, image: &str, reason: impl Into<String>) -> UnchangedValue {
    UnchangedValue {
        service: Some(service.to_owned()),
        image: image.to_owned(),
        reason: reason.into(),
        help: None,
        weight: ReasonImportance::Telling,
    }
}

/// Returns the row of a refused value.
pub(crate) fn refused(service: Option<String>, image: String, refusal: &VersionRefusal) -> UnchangedValue {
    let (reason, help) = (refusal.to_string(), Some(refusal.remedy()));
    UnchangedValue { service, image, reason, help, weight: ReasonImportance::Telling }
}
