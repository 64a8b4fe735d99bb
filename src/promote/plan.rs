//! Creates a plan from declared and requested versions. Planning has no side effects, so that it can be repeated if the
//! remote changes.

use std::collections::{BTreeMap, HashSet};

use crate::gitops::files::FileEdit;
use crate::promote::edits::Edits;
use crate::promote::facts::Facts;
use crate::promote::refusal::Refusal;
use crate::promote::wanted::{self, Step, Steps, Wanted};
use crate::report::promotion::{Change, Left, PromotionPlan, Weight};
use crate::slot::{Aliases, File, Written};

/// A plan under construction.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    steps: Steps<'a>,
    pub(crate) plan: PromotionPlan,
    /// The warnings of its edits, each of which is reported once.
    warned: HashSet<String>,
    /// The edits, by file.
    files: BTreeMap<String, Edits>,
    /// Determines if YAML aliases of a changed value may change with it.
    aliases: Aliases,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, plan: PromotionPlan, aliases: Aliases) -> Self {
        Self { steps: Steps::new(facts), plan, warned: HashSet::new(), files: BTreeMap::new(), aliases }
    }

    /// Adds a row for a value that is already correct.
    pub(crate) fn is_level(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(Left { weight: Weight::Level, ..left(service, image, reason) });
    }

    /// Adds a row for a value that must remain.
    pub(crate) fn keep(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(left(service, image, reason));
    }

    pub(crate) fn refuse(&mut self, service: &str, image: &str, refusal: &Refusal) {
        self.plan.refused.push(refused(Some(service.to_owned()), image.to_owned(), refusal));
    }

    /// Plans one version, or adds the reason why it is not possible.
    pub(crate) fn want(&mut self, wanted: &Wanted<'a>) {
        let planned = self.steps.step(wanted).and_then(|step| match step {
            Step::Level(reason) => Ok(Some(reason)),
            Step::Edits(edits) => self.add(wanted, *edits).map(|()| None),
        });
        let (service, artifact) = (wanted.target.service(), wanted.target.artifact());
        match planned {
            Ok(Some(reason)) => self.is_level(service, &artifact, reason),
            Ok(None) => {}
            Err(refusal) => self.refuse(service, &artifact, &refusal),
        }
    }

    /// Adds edits, with a row and warnings unless all of the edits already exist.
    fn add(&mut self, wanted: &Wanted<'a>, step: wanted::Edits) -> Result<(), Refusal> {
        let unread = |reason: String| Refusal::File { service: wanted.target.service().to_owned(), reason };
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
            match self.edited(&name, &edits) {
                Ok((before, Written { text: after, followers })) => {
                    self.plan.warnings.extend(followers);
                    let file = File::read(&name, &after).ok().flatten();
                    let lines = file.as_ref().map(File::entry_lines).unwrap_or_default();
                    for (change, entry) in edits.rows {
                        let line = entry.and_then(|entry| lines.get(entry.as_str()).copied()).unwrap_or(change.line);
                        self.plan.changes.push(Change { line, ..change });
                    }
                    self.add_file(&name, &before, after);
                }
                Err(reason) => {
                    for (change, _) in edits.rows {
                        let service = change.service.clone().unwrap_or_default();
                        let refusal = Refusal::File { service, reason: reason.clone() };
                        self.plan.refused.push(refused(change.service, change.image, &refusal));
                    }
                }
            }
        }
        let order = |change: &Change| (change.service.clone(), change.image.clone(), change.file.clone(), change.line);
        self.plan.changes.sort_by_key(order);
        self.plan
    }

    /// Returns a file before and after the edits.
    fn edited(&self, file: &str, edits: &Edits) -> Result<(String, Written), String> {
        let opened = self.steps.open(file)?;
        let written = opened.file.with(edits.all(), self.aliases).map_err(|error| format!("{file}: {error}"))?;
        Ok((opened.file.text().to_owned(), written))
    }

    pub(crate) fn add_file(&mut self, path: &str, before: &str, after: String) {
        if before != after {
            self.plan.files.push(FileEdit { path: path.to_owned(), before: Some(before.to_owned()), after });
        }
    }
}

fn left(service: &str, image: &str, reason: impl Into<String>) -> Left {
    Left {
        service: Some(service.to_owned()),
        image: image.to_owned(),
        reason: reason.into(),
        help: None,
        weight: Weight::Telling,
    }
}

/// Returns the row of a refused value.
pub(crate) fn refused(service: Option<String>, image: String, refusal: &Refusal) -> Left {
    let (reason, help) = (refusal.to_string(), Some(refusal.help()));
    Left { service, image, reason, help, weight: Weight::Telling }
}
