//! Copies the files of a service, and its entries in shared files, under another name.

use std::collections::{BTreeMap, BTreeSet};

use super::confidential;
use super::documents;
use super::image::NewImage;
use super::names::NewNames;
use super::noticed::uncopied_mentions;
use super::pruned::pruned;
use super::renamed::renamed;
use super::shared;
use super::source::CopySource;
use super::subject::CopySubject;
use super::terms::CopyTerms;
use super::twice::Declarations;
use ucp_core::failure::{Failure, fail};
use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::kustomization::KustomizationTarget;
use ucp_repo::gitops::membership;
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::message;
use ucp_repo::yaml::tree::{self, YamlNode};

/// The changes in one repository.
#[derive(Debug, Default)]
pub struct CopyResult {
    /// The files before and after the change.
    pub edits: Vec<FileEdit>,
    /// Manual tasks for content that is not copied.
    pub by_hand: Vec<String>,
    /// Secrets that the copy will have, by their new names.
    pub secrets: BTreeSet<String>,
    /// Addresses and images that keep the old name, with their location.
    pub left: BTreeSet<String>,
}

impl CopySource<'_> {
    /// Returns the edits that create the copy.
    ///
    /// # Errors
    /// Fails when a target already exists, or a file cannot be edited.
    pub fn copy(&self, names: &NewNames, image: Option<&NewImage>) -> Result<CopyResult, Failure> {
        let files: BTreeMap<&str, String> =
            self.repository.files.iter().filter_map(|file| Some((file.as_str(), self.new_path(file)?))).collect();
        let mut copy = CopyResult::default();
        let mut skipped = BTreeSet::new();
        let mut texts = BTreeMap::new();
        let generated = self.generated(&files);
        for (file, new) in &files {
            match self.source_text(file, &generated) {
                Ok(text) => drop(texts.insert(*file, text)),
                Err(reason) => {
                    copy.by_hand.push(format!("{new}: {file} is not copied, because {reason}"));
                    skipped.insert((*file).to_owned());
                }
            }
        }
        for file in &skipped {
            let text = self.repository.read_text(file).unwrap_or_default();
            collect_secret_names(&text, &|_| true, names, &mut copy.secrets);
        }
        // References to a file that is left out are left out as well.
        let mut without = BTreeMap::new();
        for (file, text) in texts {
            match self.without_uncopied_documents(file, &text, names, &mut copy) {
                Some(text) => drop(without.insert(file, text)),
                None => drop(skipped.insert(file.to_owned())),
            }
        }
        let known: BTreeSet<&str> =
            self.repository.files.iter().chain(&self.repository.directories).map(String::as_str).collect();
        let place = |path: &str| known.contains(path).then(|| self.new_path(path).unwrap_or_else(|| path.to_owned()));
        let left = Default::default();
        let terms = CopyTerms { subject: self.subject, names, image, skipped: &skipped, place: &place, left };
        for (file, text) in &without {
            let text = pruned(file, text, &terms)?;
            let new = &files[file];
            let after = renamed((file, new), &text, 0..text.len(), &terms);
            let after = after.map_err(|reason| format!("{file}: {reason}"))?;
            let earlier = || self.earlier_content((file, new), &files, &generated, &terms);
            self.add(&mut copy, new, after, &earlier)?;
        }
        self.edit_shared(&mut copy, &files, &terms)?;
        let declarations =
            Declarations { repository: self.repository, objects: self.objects, subject: self.subject, names };
        declarations.check(&copy.edits, &files)?;
        self.report_links(&mut copy, &files);
        self.report_unknown_files(&mut copy, &files);
        copy.left = terms.left.into_inner();
        Ok(copy)
    }

    /// Adds a new file. Does nothing if the file exists with the same content, and updates a file created for fewer
    /// environments.
    fn add(
        &self,
        copy: &mut CopyResult,
        new: &str,
        after: String,
        earlier: &dyn Fn() -> Option<String>,
    ) -> Result<(), Failure> {
        let path = new.to_owned();
        // A link may lead elsewhere, also if nothing is there.
        let is_file = |above: &str| self.repository.files.iter().any(|file| file == above);
        let above = new.match_indices('/').map(|(at, _)| &new[..at]).find(|above| is_file(above));
        if let Some(above) = above {
            return fail!("{above} already exists, and is not a directory");
        }
        if !self.repository.top.join(new).exists() && !is_file(new) {
            copy.edits.push(FileEdit { path, before: None, after });
            return Ok(());
        }
        match self.repository.read_text(new) {
            Ok(there) if there == after => Ok(()),
            Ok(there) if earlier().as_ref() == Some(&there) => {
                copy.edits.push(FileEdit { path, before: Some(there), after });
                Ok(())
            }
            _ => fail!("{new} already exists"),
        }
    }

    /// Returns the content that a file had when it was created for fewer environments, namely those that the copy
    /// already has. Returns `None` if the copy has no environments of its own yet, or has all of them.
    fn earlier_content(
        &self,
        (file, new): (&str, &str),
        files: &BTreeMap<&str, String>,
        generated: &BTreeSet<String>,
        terms: &CopyTerms<'_>,
    ) -> Option<String> {
        let with = |environments: Vec<String>| CopySubject { environments, ..self.subject.clone() };
        let of_none = with(vec![String::from("\0")]);
        let is_made = |environment: &&String| {
            let only = with(vec![(*environment).clone()]);
            let is_its = |file: &str| only.is_wanted(file) && !of_none.is_wanted(file);
            files.iter().any(|(file, new)| is_its(file) && self.repository.top.join(new).exists())
        };
        let made: Vec<String> = self.subject.known.iter().filter(is_made).cloned().collect();
        if made.is_empty() || made.len() == self.subject.known.len() {
            return None;
        }
        let subject = with(made);
        let source = CopySource { subject: &subject, ..*self };
        let terms = CopyTerms { subject: &subject, left: Default::default(), ..*terms };
        let text = self.source_text(file, generated).ok()?;
        let text = source.without_uncopied_documents(file, &text, terms.names, &mut CopyResult::default())?;
        let text = pruned(file, &text, &terms).ok()?;
        renamed((file, new), &text, 0..text.len(), &terms).ok()
    }

    /// Returns the files that kustomizations generate Secrets from.
    fn generated(&self, files: &BTreeMap<&str, String>) -> BTreeSet<String> {
        let mut generated = BTreeSet::new();
        for file in files.keys().filter(|file| ucp_repo::gitops::files::is_kustomization(file)) {
            let root = self.repository.read_text(file).ok().and_then(|text| tree::parse_one(&text).ok());
            let named = root.iter().flat_map(confidential::generated_from);
            generated.extend(named.filter_map(|name| path::join(path::parent(file), &name)));
        }
        generated
    }

    fn source_text(&self, file: &str, generated: &BTreeSet<String>) -> Result<String, Failure> {
        if generated.contains(file) {
            return fail!("a Secret is generated from it");
        }
        let text = self.repository.read_text(file).map_err(|error| message(&error))?;
        let documents = tree::parse(&text).unwrap_or_default();
        // If only some of its documents are secret, the others are copied.
        match confidential::confidential_reason(&text) {
            Some(reason)
                if documents.len() < 2
                    || documents.iter().all(|one| confidential::reason_in_document(one).is_none()) =>
            {
                Err(reason.into())
            }
            _ => Ok(text),
        }
    }

    /// Returns a text without the documents that are not copied; `None` if nothing remains.
    fn without_uncopied_documents(
        &self,
        file: &str,
        text: &str,
        names: &NewNames,
        copy: &mut CopyResult,
    ) -> Option<String> {
        let Ok(documents) = tree::parse(text) else { return Some(text.to_owned()) };
        let is_secret = |document: &YamlNode| confidential::reason_in_document(document).is_some();
        for document in documents.iter().filter(|document| is_secret(document)) {
            let name = document.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
            let reason = confidential::reason_in_document(document).unwrap_or_default();
            copy.by_hand
                .push(format!("Secret {}: {name} in {file} is not copied, because {reason}", names.in_text(name, &[])));
        }
        collect_secret_names(text, &is_secret, names, &mut copy.secrets);
        if ucp_repo::gitops::files::is_kustomization(file) {
            let made = documents.iter().filter_map(|one| one.get("secretGenerator")).flat_map(YamlNode::items);
            for name in made.filter_map(|item| item.text_at("name")) {
                let new = names.in_text(name, &[]);
                copy.by_hand.push(format!("Secret {new}: the secretGenerator of {name} in {file} is not copied"));
                copy.secrets.insert(new);
            }
        }
        let kept = documents::without(text, &documents, &|document| {
            is_secret(document) || documents::is_unwanted(document, self.subject)
        })?;
        // A comment may also contain a secret.
        let Some(reason) = confidential::confidential_reason(&kept) else { return Some(kept) };
        copy.by_hand.push(format!("{file} is not copied, because {reason}"));
        None
    }

    /// Edits the entries and documents in files that the service shares with others.
    fn edit_shared(
        &self,
        copy: &mut CopyResult,
        files: &BTreeMap<&str, String>,
        terms: &CopyTerms<'_>,
    ) -> Result<(), Failure> {
        let mut changed: BTreeMap<String, String> = BTreeMap::new();
        let none = BTreeSet::new();
        let mut documents: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for object in self.documents() {
            documents.entry(&object.file).or_default().insert(object.span.start);
        }
        let hidden = [".github/CODEOWNERS", ".gitlab/CODEOWNERS"].map(str::to_owned);
        let hidden = hidden.iter().filter(|file| self.repository.top.join(file).is_file());
        for file in self.repository.files.iter().chain(hidden) {
            let is_copied = self.counterpart(file).is_some() || files.values().any(|new| new == file);
            if is_copied {
                continue;
            }
            let Some(before) = self.text_with_entries(copy, file, terms) else { continue };
            let told = if self.subject.is_others(file) { Vec::new() } else { uncopied_mentions(file, &before, terms) };
            for noticed in told {
                let (line, key, old) = (noticed.line, &noticed.key, &self.subject.service.old);
                copy.by_hand
                    .push(format!("entries in {file}: line {line}, under {key}, refers to {old} and is not copied"));
            }
            let copied = documents.get(file.as_str()).unwrap_or(&none);
            let mut after = shared::with_entries(file, &before, copied, terms)?;
            // References from another service to this one are left to the owners of that service.
            if after != before && self.subject.is_others(file) {
                let is_about = |line: &str| terms.names.in_text(line, &[]) != line;
                let line = before.lines().position(is_about).unwrap_or_default() + 1;
                let (old, new) = (&self.subject.service.old, &self.subject.service.new);
                copy.by_hand.push(format!("entries in {file}: line {line} refers to {old}, but the file belongs to another service; add {new} there if required"));
                after.clone_from(&before);
            }
            if let Some(database) = self.database {
                after = database.with_items(&after, terms).map_err(|reason| format!("{file}: {reason}"))?;
            }
            if after == before {
                continue;
            }
            let keys = |text: &str| text.matches("PRIVATE KEY-----").count();
            if keys(&after) > keys(&before) {
                copy.by_hand.push(format!("entries in {file}: an entry that would be copied contains a private key"));
                continue;
            }
            if confidential::is_encrypted(&before) {
                copy.by_hand.push(format!(
                    "entries in {file}: it is encrypted with SOPS, which detects every change of the file"
                ));
                continue;
            }
            changed.insert(file.clone(), after);
        }
        for object in self.documents().filter(|object| self.subject.is_wanted(&object.file)) {
            if documents::is_unwanted(&object.document, self.subject) {
                continue;
            }
            if let Some(reason) = confidential::reason_in_document(&object.document) {
                copy.by_hand.push(format!(
                    "{} {} in {} is not copied, because {reason}",
                    object.kind, object.name, object.file
                ));
                continue;
            }
            let before = self.repository.read_text(&object.file).map_err(|error| message(&error))?;
            if confidential::is_encrypted(&before) {
                let (kind, name, file) = (&object.kind, &object.name, &object.file);
                copy.by_hand.push(format!(
                    "{kind} {name} in {file} is not copied, because SOPS detects every change of the file"
                ));
                continue;
            }
            let text = changed.get(&object.file).unwrap_or(&before);
            let renamed = |text: &str| {
                let copy = pruned(&object.file, text, terms)
                    .and_then(|text| renamed((&object.file, &object.file), &text, 0..text.len(), terms));
                copy.map_err(|reason| format!("{} {} in {}: {reason}", object.kind, object.name, object.file).into())
            };
            let new = |text: &str| terms.names.in_text(text, &[]);
            let (name, namespace) = (new(&object.name), object.namespace.as_deref().map(new));
            let meant = DeclaredObject { name: name.clone(), namespace, ..object.clone() };
            let there = ucp_repo::gitops::declared::in_text(&object.file, text);
            if let Some(there) = there.iter().find(|other| documents::is_same(other, &meant)) {
                if text[there.span.clone()] == renamed(&before[object.span.clone()])? {
                    continue;
                }
                return fail!("{} declares {} {name} already", object.file, object.kind);
            }
            let after = documents::with_copy(text, object, &renamed)?;
            changed.insert(object.file.clone(), after);
        }
        self.list_new_files(copy, files, terms, &mut changed)?;
        for (path, after) in changed {
            let before = self.repository.read_text(&path).map_err(|error| message(&error))?;
            copy.edits.push(FileEdit { path, before: Some(before), after });
        }
        copy.edits.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(())
    }

    /// Adds new files to the resources of the kustomizations that list the originals, with any name.
    fn list_new_files(
        &self,
        copy: &CopyResult,
        files: &BTreeMap<&str, String>,
        terms: &CopyTerms<'_>,
        changed: &mut BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        for kustomization in self.repository.kustomizations.values() {
            let list = &kustomization.file;
            let is_left = self.counterpart(list).is_some() || self.subject.is_others(list);
            if is_left || !self.subject.is_wanted(list) || terms.skipped.contains(list) {
                continue;
            }
            let is_listed = |file: &str| kustomization.resources.contains(&KustomizationTarget::Local(file.to_owned()));
            let is_made = |new: &String| {
                self.repository.top.join(new).exists() || copy.edits.iter().any(|edit| edit.path == *new)
            };
            let members = files.iter().filter(|(file, new)| is_listed(file) && is_made(new));
            let members: Vec<String> = members.map(|(_, new)| new.clone()).collect();
            if members.is_empty() {
                continue;
            }
            let before = match changed.get(list) {
                Some(text) => text.clone(),
                None => self.repository.read_text(list).map_err(|error| message(&error))?,
            };
            let after = membership::with_resources(list, &before, &members);
            let after = after.map_err(|error| format!("{list}: {error}"))?;
            if after != before {
                changed.insert(list.clone(), after);
            }
        }
        Ok(())
    }

    pub(super) fn mentions(&self, text: &str) -> bool {
        text.contains(&self.subject.service.old) || self.database.is_some_and(|database| database.is_mentioned(text))
    }
}

/// Collects the new names of Secrets in documents that are not copied.
fn collect_secret_names(
    text: &str,
    is_secret: &dyn Fn(&YamlNode) -> bool,
    names: &NewNames,
    found: &mut BTreeSet<String>,
) {
    for document in tree::parse(text).unwrap_or_default().iter().filter(|document| is_secret(document)) {
        let is_one =
            |node: &&YamlNode| node.text_at("kind").is_some_and(|kind| ["Secret", "SealedSecret"].contains(&kind));
        for node in document.walk().into_iter().filter(is_one) {
            let name = node.get("metadata").and_then(|metadata| metadata.text_at("name"));
            found.extend(name.map(|name| names.in_text(name, &[])));
        }
    }
}
