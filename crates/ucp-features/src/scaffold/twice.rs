//! Detection of duplicates: objects that are declared twice, and destinations that are written twice.

use std::collections::{BTreeMap, BTreeSet};

use super::distributed::destinations;
use super::documents;
use super::names::NewNames;
use super::subject::CopySubject;
use ucp_core::failure::{Failure, fail};
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::kustomization::KustomizationTarget;
use ucp_repo::gitops::repository::Repository;
use ucp_repo::yaml::tree;

/// The declarations of a repository.
pub struct Declarations<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The objects that its files declare.
    pub objects: &'a [DeclaredObject],
    /// The content to copy.
    pub subject: &'a CopySubject,
    /// The new names.
    pub names: &'a NewNames,
}

impl Declarations<'_> {
    /// Checks that edits declare no object that is already declared. `files` maps copied files to their new paths.
    ///
    /// # Errors
    /// Fails for the first object that would be declared twice, with its location.
    pub fn check(&self, edits: &[FileEdit], files: &BTreeMap<&str, String>) -> Result<(), Failure> {
        let own: BTreeSet<&String> = files.values().collect();
        let patches = self.repository.patch_files();
        for edit in edits {
            let original = files.iter().find(|(_, new)| **new == edit.path).map(|(file, _)| *file);
            for object in added(edit) {
                let told = format!("{} {}", object.kind, object.name);
                let is_same = |other: &&DeclaredObject| {
                    documents::is_same(other, &object)
                        && other.file != edit.path
                        && !own.contains(&other.file)
                        && !patches.contains(other.file.as_str())
                        // Objects without the name of the service are compared after rendering.
                        && documents::has_new_name(other, self.subject)
                };
                if let Some(other) = self.objects.iter().find(is_same) {
                    let (there, here) = (&other.file, &edit.path);
                    return fail!("{there} already declares {told}, which {here} would also declare");
                }
                self.check_original(&object, original)?;
                self.check_destinations(&object)?;
            }
        }
        Ok(())
    }

    /// Deployers of a service are deployed by lists and generators that are not rendered, so they are compared as
    /// written.
    fn check_original(&self, object: &DeclaredObject, original: Option<&str>) -> Result<(), Failure> {
        let is_original =
            |other: &&DeclaredObject| Some(other.file.as_str()) == original && documents::is_same(other, object);
        let is_alone = |object: &DeclaredObject| documents::is_unique_by_name(&object.kind);
        match self.objects.iter().find(is_original).filter(|other| is_alone(other) && !self.is_set_apart(&other.file)) {
            Some(other) => fail!(
                "{} line {} declares {} {}, whose name does not contain the name of the service, so its copy would be the same object; include {} in its name, or remove it from this file",
                other.file,
                other.document.line,
                other.kind,
                other.name,
                self.subject.service.old
            ),
            None => Ok(()),
        }
    }

    /// Returns true if copied kustomizations give the objects of a file another namespace or name than the original.
    fn is_set_apart(&self, file: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![file.to_owned()];
        while let Some(member) = open.pop() {
            let target = KustomizationTarget::Local(member);
            let is_copied = |file: &str| self.subject.counterpart(file).is_some();
            let around = self.repository.kustomizations.values().filter(|one| {
                (one.resources.contains(&target) || one.components.contains(&target)) && is_copied(&one.file)
            });
            for kustomization in around {
                let root = self.repository.read_text(&kustomization.file).ok();
                let root = root.and_then(|text| tree::parse_one(&text).ok());
                let keys = ["namespace", "namePrefix", "nameSuffix"];
                let mut texts = keys.iter().filter_map(|key| root.as_ref()?.text_at(key));
                if texts.any(|text| self.names.in_text(text, &[]) != text) {
                    return true;
                }
                if seen.insert(&kustomization.directory) {
                    open.push(kustomization.directory.clone());
                }
            }
        }
        false
    }

    fn check_destinations(&self, object: &DeclaredObject) -> Result<(), Failure> {
        let written = destinations(object);
        let is_rival =
            |other: &&DeclaredObject| !documents::is_same(other, object) && !destinations(other).is_disjoint(&written);
        match self.objects.iter().find(is_rival) {
            Some(other) => fail!(
                "{} {} would write the same target as {} {} in {} line {}; include {} in the name of that target",
                object.kind,
                object.name,
                other.kind,
                other.name,
                other.file,
                other.document.line,
                self.subject.service.old
            ),
            None => Ok(()),
        }
    }
}

/// Returns the objects that an edit adds.
fn added(edit: &FileEdit) -> Vec<DeclaredObject> {
    let before = edit.before.as_deref().map(|before| declared::in_text(&edit.path, before)).unwrap_or_default();
    let mut after = declared::in_text(&edit.path, &edit.after);
    after.retain(|one| !before.iter().any(|other| documents::is_same(one, other)));
    after
}
