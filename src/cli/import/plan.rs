//! Plans the files of an import from the targets, the cluster, and the declarations in Git.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Args;
use super::draft::{ImportBlocker, ImportDraft, ImportDrafter};
use super::facts::{ImportFacts, ImportTarget};
use super::index::ManifestIndex;
use super::prediction::{ImportPrediction, answers};
use crate::cli::writing::count;
use crate::report::drift::FieldDifference;
use crate::report::import::{ImportItem, ImportPlan, ImportStep};
use ucp_core::error::{Error, Result};
use ucp_core::model::comparison::ObservedDifference;
use ucp_core::model::secrecy::{SecretHider, scrub};
use ucp_features::import::address::external_name;
use ucp_features::import::place::{ManifestLayout, NewManifest, UnreferencedFile};
use ucp_features::import::replace::replace_objects;
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::{Repository, message};
use ucp_repo::yaml::ordered::OrderedValue;

/// The purpose of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportPurpose {
    /// Files of the repository.
    Files,
    /// Manifests on standard output, for users with another way into Git.
    Printing,
}

/// Plans the import for the files below a directory.
pub(super) fn plan(
    facts: &ImportFacts,
    args: &Args,
    purpose: ImportPurpose,
    top: &Path,
    name: &str,
) -> Result<ImportPlan> {
    let repository = Repository::read(top, name)?;
    // A patch declares no object: it changes one that another file declares.
    let patches = repository.patch_files();
    let mut objects = declared::objects(&repository);
    objects.retain(|object| !patches.contains(object.file.as_str()));
    let layout = ManifestLayout::new(&repository, &objects, &facts.managed);
    let index = ManifestIndex::new(facts, &repository, &objects);
    let into = args.into.as_deref().map(|directory| directory_in_repository(&repository, directory)).transpose()?;
    let mut drafting = ImportDrafter {
        facts,
        args,
        index: &index,
        layout: &layout,
        into: into.as_deref(),
        names: BTreeSet::new(),
        begun: Vec::new(),
        guesses: BTreeMap::new(),
    };
    let mut items: Vec<ImportItem> = facts.targets.iter().map(initial_item).collect();
    let drafts: Vec<ImportDraft<'_>> = facts
        .targets
        .iter()
        .zip(&mut items)
        .map(|(target, item)| drafting.draft(target, item).unwrap_or_else(|stop| record_block(item, stop)))
        .collect();
    let hider = SecretHider::new()?;
    let mut writing =
        ImportWriter { args, hider, new: Vec::new(), replacements: BTreeMap::new(), forgotten: Vec::new() };
    let answers = answers(facts, &drafts);
    for (position, (draft, answer)) in drafts.into_iter().zip(answers).enumerate() {
        writing.take(position, draft, answer, &mut items[position]);
    }
    let mut plan = ImportPlan::new(facts.state.origin.clone());
    plan.files = writing.edits(&repository, &layout, (into.as_deref(), purpose), &mut items);
    let is_observed = |item: &&ImportItem| item.step == ImportStep::Observe;
    if items.iter().any(|item| is_observed(&item)) {
        plan.warnings.extend(drafting.warnings());
    }
    let mut begun = items.iter().filter(is_observed).filter_map(|item| item.object.as_ref());
    if begun.any(|object| object.group().ends_with("cnrm.cloud.google.com")) {
        plan.warnings
            .push("Config Connector cannot only observe: it corrects fields that differ from its manifest".to_owned());
    }
    plan.items = items;
    plan.items
        .sort_by_cached_key(|item| (item.step, item.object.clone(), item.asked.clone(), item.external_name.clone()));
    plan.unreadable.clone_from(&facts.state.unreadable);
    Ok(plan)
}

/// Returns the path of a directory inside of the repository.
fn directory_in_repository(repository: &Repository, directory: &str) -> Result<String> {
    let wrong = |why: &str| Error::usage(format!("--into {directory}: {why}"));
    let clean = path::join("", directory).ok_or_else(|| wrong("it is not in the repository"))?;
    if clean.contains(char::is_control) {
        return Err(wrong("its name has a control character"));
    }
    let mut existing = clean.as_str();
    while !existing.is_empty() && !repository.top.join(existing).exists() {
        existing = path::parent(existing);
    }
    repository.inside(existing).map_err(|_| wrong("it points outside of the repository"))?;
    match repository.top.join(&clean).is_file() {
        true => Err(wrong("it is a file")),
        false => Ok(clean),
    }
}

/// Returns the initial row of a target.
fn initial_item(target: &ImportTarget) -> ImportItem {
    ImportItem {
        object: None,
        asked: target.asked.clone(),
        external_name: target.external.clone(),
        step: ImportStep::Refused,
        reason: None,
        file: None,
        differences: Vec::new(),
        manifest: None,
    }
}

fn record_block<'a>(item: &mut ImportItem, stop: ImportBlocker) -> ImportDraft<'a> {
    let (step, reason) = match stop {
        ImportBlocker::Refused(reason) => (ImportStep::Refused, reason),
        ImportBlocker::Unknown(reason) => (ImportStep::Waiting, reason),
    };
    item.step = step;
    item.reason = Some(reason);
    ImportDraft::Done(None)
}

/// The manifests to write, and the rows that they belong to.
struct ImportWriter<'a> {
    args: &'a Args,
    hider: SecretHider,
    new: Vec<(usize, NewManifest)>,
    /// Manifests that replace existing ones, by file.
    replacements: BTreeMap<&'a str, Vec<(usize, &'a DeclaredObject, OrderedValue)>>,
    forgotten: Vec<(usize, UnreferencedFile)>,
}

impl<'a> ImportWriter<'a> {
    /// Records a draft, given the answer of the server.
    fn take(&mut self, position: usize, draft: ImportDraft<'a>, answer: ImportPrediction, item: &mut ImportItem) {
        match (draft, answer) {
            (_, ImportPrediction::Stop(stop)) => {
                record_block(item, stop);
            }
            (ImportDraft::Done(forgotten), _) => {
                self.forgotten.extend(forgotten.map(|forgotten| (position, forgotten)))
            }
            (ImportDraft::Begin { kind, name, .. }, ImportPrediction::Taken(manifest)) => {
                item.step = ImportStep::Observe;
                item.external_name = item.external_name.take().map(|id| external_name(&id).to_owned());
                item.manifest = Some(manifest.clone());
                self.new.push((position, NewManifest { kind: kind.clone(), name, manifest }));
            }
            (
                ImportDraft::Own { object, manifest, value, is_whole, .. },
                ImportPrediction::Differences(differences),
            ) => {
                let left: Vec<ObservedDifference> =
                    differences.into_iter().filter(|found| !self.is_accepted(found)).collect();
                if !left.is_empty() {
                    item.step = ImportStep::Differs;
                    item.reason = Some(format!(
                        "{} of the external resource may change: it remains observed",
                        count(left.len(), "field")
                    ));
                    let shown =
                        left.into_iter().map(|found| FieldDifference::from_difference(found, &value, &mut self.hider));
                    item.differences = shown.collect();
                } else if is_whole {
                    item.step = ImportStep::Owned;
                } else {
                    let of_file = self.replacements.entry(&object.file).or_default();
                    if of_file.iter().any(|(_, other, _)| other.span == object.span) {
                        refuse(item, "it is requested twice".to_owned());
                        return;
                    }
                    item.step = ImportStep::Own;
                    item.manifest = Some(manifest.clone());
                    of_file.push((position, object, manifest));
                }
            }
            (ImportDraft::Begin { .. } | ImportDraft::Own { .. }, _) => {}
        }
        item.reason = item.reason.take().map(|reason| scrub(&reason).into_owned());
    }

    fn is_accepted(&self, difference: &ObservedDifference) -> bool {
        self.args.accept.iter().any(|pattern| pattern.covers(&difference.path))
    }

    /// Returns the edits of files. A manifest without a place is refused, unless it is only printed.
    fn edits(
        self,
        repository: &Repository,
        layout: &ManifestLayout<'_>,
        (into, purpose): (Option<&str>, ImportPurpose),
        items: &mut [ImportItem],
    ) -> Vec<FileEdit> {
        let (positions, new): (Vec<usize>, Vec<NewManifest>) = self.new.into_iter().unzip();
        let (waiting, forgotten): (Vec<usize>, Vec<UnreferencedFile>) = self.forgotten.into_iter().unzip();
        let additions = layout.add_manifests(&new, &forgotten, into);
        for (position, file) in positions.into_iter().zip(additions.files) {
            match (file, purpose) {
                (Ok(file), _) => items[position].file = Some(file),
                (Err(reason), ImportPurpose::Printing) => items[position].reason = Some(reason.into()),
                (Err(reason), ImportPurpose::Files) => refuse(&mut items[position], reason.into()),
            }
        }
        for (position, forgotten) in waiting.into_iter().zip(&forgotten) {
            if !additions.edits.iter().any(|edit| edit.path == forgotten.kustomization) {
                let reason = format!("{} has no entry for {}: add it", forgotten.kustomization, forgotten.file);
                refuse(&mut items[position], reason);
            }
        }
        let mut edits = additions.edits;
        for (file, manifests) in self.replacements {
            let pairs: Vec<(&DeclaredObject, &OrderedValue)> =
                manifests.iter().map(|(_, object, manifest)| (*object, manifest)).collect();
            let before = repository.read_text(file).map_err(|error| message(&error));
            let edit = before.and_then(|before| {
                let after = replace_objects(&before, &pairs)?;
                Ok(FileEdit { path: file.to_owned(), before: Some(before), after })
            });
            match edit {
                Ok(edit) => edits.push(edit),
                Err(reason) => {
                    manifests.iter().for_each(|(position, ..)| refuse(&mut items[*position], reason.clone()));
                }
            }
        }
        edits.sort_by(|left, right| left.path.cmp(&right.path));
        edits
    }
}

fn refuse(item: &mut ImportItem, reason: String) {
    item.step = ImportStep::Refused;
    item.reason = Some(reason);
    item.manifest = None;
}
