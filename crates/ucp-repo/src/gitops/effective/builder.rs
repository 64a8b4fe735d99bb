//! Builds kustomizations as kustomize does: bases, components, patches, entries, and later transformations.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{BuiltKustomization, DeployedImage, VersionSource, patch};
use crate::gitops::entry_index::EntryIndex;
use crate::gitops::kustomization::{
    Kustomization, KustomizationKind, KustomizationPatch, KustomizationTarget, PatchBody, Replacement,
};
use crate::gitops::path::display_name;
use crate::gitops::repository::{Repository, message};
use crate::gitops::workload;
use crate::yaml::tree::{self, YamlNode};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::ImageReference;

/// Builds kustomizations, each of them once.
#[derive(Debug)]
pub struct KustomizationBuilder<'a> {
    repository: &'a Repository,
    built: RefCell<HashMap<String, Result<Rc<BuiltKustomization>, Failure>>>,
    users: OnceCell<HashMap<String, Vec<KustomizationUser>>>,
}

/// Kustomization that uses a file or another kustomization.
#[derive(Debug, Clone)]
pub struct KustomizationUser {
    /// Directory of the kustomization.
    pub directory: String,
    /// Images that it builds.
    pub built: Rc<BuiltKustomization>,
}

impl<'a> KustomizationBuilder<'a> {
    /// Creates a builder for the kustomizations of a repository.
    pub fn new(repository: &'a Repository) -> Self {
        Self { repository, built: RefCell::default(), users: OnceCell::new() }
    }

    /// Returns the kustomizations that use a file or the kustomization of a directory, including itself. Kustomizations
    /// that cannot be built are omitted.
    pub fn users(&self, place: &str) -> &[KustomizationUser] {
        let find = || {
            let mut users: HashMap<String, Vec<KustomizationUser>> = HashMap::new();
            for directory in self.repository.kustomizations.keys() {
                let Ok(built) = self.build(directory) else { continue };
                for place in built.uses.union(&built.files) {
                    let user = KustomizationUser { directory: directory.clone(), built: built.clone() };
                    users.entry(place.clone()).or_default().push(user);
                }
            }
            users
        };
        self.users.get_or_init(find).get(place).map_or(&[], Vec::as_slice)
    }

    /// Builds the kustomization of a directory.
    ///
    /// # Errors
    /// Fails when an input does not exist, cannot be read, or includes the kustomization itself.
    pub fn build(&self, directory: &str) -> Result<Rc<BuiltKustomization>, Failure> {
        self.build_below(directory, &mut Vec::new())
    }

    fn build_below(&self, directory: &str, open: &mut Vec<String>) -> Result<Rc<BuiltKustomization>, Failure> {
        if open.iter().any(|other| other == directory) {
            return fail!("{} includes itself", display_name(directory));
        }
        if let Some(built) = self.built.borrow().get(directory) {
            return built.clone();
        }
        open.push(directory.to_owned());
        let mut built = BuiltKustomization::default();
        let result = self.accumulate(directory, &mut built, open).map(|()| Rc::new(built));
        open.pop();
        self.built.borrow_mut().insert(directory.to_owned(), result.clone());
        result
    }

    /// Adds a kustomization to the accumulated images; for a component, these are all images of its parent.
    fn accumulate(
        &self,
        directory: &str,
        built: &mut BuiltKustomization,
        open: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let kustomization = self.kustomization(directory)?;
        built.uses.insert(directory.to_owned());
        built.splits_images |= kustomization.splits_images;
        if kustomization.generates {
            built.unseen.insert(format!("the generated objects of {}", kustomization.file));
        }
        for target in &kustomization.resources {
            match target {
                KustomizationTarget::Local(path) if self.is_directory(path) => {
                    let base = match self.kustomization(path) {
                        Ok(base) => base,
                        Err(reason) => {
                            built.record_missing(format!("{}: {reason}", kustomization.file));
                            continue;
                        }
                    };
                    if base.kind == KustomizationKind::Component {
                        return fail!(
                            "{} is a component, and {} names it as a resource",
                            display_name(path),
                            kustomization.file
                        );
                    }
                    let base = self.build_below(path, open)?;
                    built.images.extend(base.images.iter().cloned());
                    built.uses.extend(base.uses.iter().cloned());
                    built.files.extend(base.files.iter().cloned());
                    built.patch_files.extend(base.patch_files.iter().cloned());
                    built.unseen.extend(base.unseen.iter().cloned());
                    built.missing.extend(base.missing.iter().cloned());
                    built.deleted.extend(base.deleted.iter().cloned());
                    built.splits_images |= base.splits_images;
                }
                KustomizationTarget::Local(path) => match self.documents(path) {
                    Ok(documents) => {
                        built.images.extend(workload::images(&documents).into_iter().map(DeployedImage::from));
                        built.files.insert(path.clone());
                    }
                    Err(reason) => built.record_missing(format!("{}: {reason}", kustomization.file)),
                },
                KustomizationTarget::Remote(url) => drop(built.unseen.insert(url.clone())),
                KustomizationTarget::Outside(path) => {
                    return fail!("{}: {path} leaves the repository", kustomization.file);
                }
            }
        }
        for target in &kustomization.components {
            match target {
                KustomizationTarget::Local(path) => {
                    if open.iter().any(|other| other == path) {
                        return fail!("{} includes itself", display_name(path));
                    }
                    open.push(path.clone());
                    let result = self.accumulate(path, built, open);
                    open.pop();
                    result?;
                }
                KustomizationTarget::Remote(url) => drop(built.unseen.insert(url.clone())),
                KustomizationTarget::Outside(path) => {
                    return fail!("{}: {path} leaves the repository", kustomization.file);
                }
            }
        }
        for patch in &kustomization.patches {
            self.patch(kustomization, patch, built)?;
        }
        rename(kustomization, built);
        apply_entries(kustomization, built);
        self.apply_later(kustomization, built);
        Ok(())
    }

    /// Applies replacements and transformers, which run after `images`.
    fn apply_later(&self, kustomization: &Kustomization, built: &mut BuiltKustomization) {
        let mut replacements: Vec<Replacement> = kustomization.replacements.clone();
        for file in &kustomization.replacement_files {
            let documents = self.documents(file).unwrap_or_default();
            replacements.extend(documents.iter().flat_map(Replacement::from_document));
        }
        let by = VersionSource::Later {
            by: format!("replacements of {}", kustomization.file),
            file: kustomization.file.clone(),
        };
        for target in replacements.iter().flat_map(|replacement| &replacement.images) {
            let hit = built
                .images
                .iter_mut()
                .filter(|image| image.place.as_ref().is_some_and(|place| patch::selects(target, place)));
            hit.for_each(|image| image.set_by = by.clone());
        }
        for target in &kustomization.transformers {
            let KustomizationTarget::Local(path) = target else { continue };
            let file = match self.is_directory(path) {
                true => continue,
                false => path,
            };
            let by = VersionSource::Later { by: format!("a transformer in {file}"), file: file.clone() };
            for document in self.documents(file).unwrap_or_default() {
                let name = document.get("imageTag").and_then(|tag| tag.text_at("name"));
                let patches = document.text_at("kind").is_some_and(|kind| kind.starts_with("Patch"))
                    && document.walk().iter().filter_map(|node| node.text()).any(|text| text.contains("image"));
                let hit = |image: &&mut DeployedImage| patches || name == Some(image.reference.name.as_str());
                built.images.iter_mut().filter(hit).for_each(|image| image.set_by = by.clone());
            }
        }
    }

    fn kustomization(&self, directory: &str) -> Result<&'a Kustomization, Failure> {
        if let Some(reason) = self.repository.unreadable.get(directory) {
            return Err(reason.clone().into());
        }
        let found = self.repository.kustomizations.get(directory);
        found.ok_or_else(|| format!("{} contains no kustomization", display_name(directory)).into())
    }

    fn is_directory(&self, path: &str) -> bool {
        self.repository.kustomizations.contains_key(path)
            || self.repository.unreadable.contains_key(path)
            || self.repository.top.join(path).is_dir()
    }

    fn documents(&self, path: &str) -> Result<Vec<YamlNode>, Failure> {
        let text = self.repository.read_text(path).map_err(|error| message(&error))?;
        tree::parse(&text).map_err(|error| format!("{path}: {error}").into())
    }

    fn patch(
        &self,
        kustomization: &Kustomization,
        patch: &KustomizationPatch,
        built: &mut BuiltKustomization,
    ) -> Result<(), Failure> {
        let (documents, file) = match &patch.body {
            PatchBody::File(path) => {
                built.files.insert(path.clone());
                built.patch_files.insert(path.clone());
                match self.documents(path) {
                    Ok(documents) => (documents, path),
                    Err(reason) => {
                        built.record_missing(format!("{}: {reason}", kustomization.file));
                        return Ok(());
                    }
                }
            }
            PatchBody::Inline(text) => {
                let documents =
                    tree::parse(text).map_err(|error| format!("{}: a patch: {error}", kustomization.file))?;
                (documents, &kustomization.file)
            }
        };
        let set_by = VersionSource::Patch { directory: kustomization.directory.clone(), file: file.clone() };
        let origins =
            |images: &[DeployedImage]| images.iter().map(|image| image.origin.clone()).collect::<BTreeSet<_>>();
        let before = origins(&built.images);
        for document in &documents {
            match document.items() {
                [] => patch::merge(document, &patch.target, &set_by, &mut built.images),
                operations => operations
                    .iter()
                    .for_each(|operation| patch::operate(operation, &patch.target, &set_by, &mut built.images)),
            }
        }
        built.deleted.extend(before.difference(&origins(&built.images)).cloned());
        Ok(())
    }
}

/// Records the renamed resources: later patches may use the old or the new name.
fn rename(kustomization: &Kustomization, built: &mut BuiltKustomization) {
    let (prefix, suffix) = &kustomization.affixes;
    if prefix.is_empty() && suffix.is_empty() {
        return;
    }
    for place in built.images.iter_mut().filter_map(|image| image.place.as_mut()) {
        let name = place.names.last().map(|name| format!("{prefix}{name}{suffix}"));
        place.names.extend(name);
    }
}

fn apply_entries(kustomization: &Kustomization, built: &mut BuiltKustomization) {
    let set_by = VersionSource::Entry { directory: kustomization.directory.clone() };
    let (entries, index) = (&kustomization.images, Rc::new(EntryIndex::new(&kustomization.images)));
    let mut hits = vec![false; entries.len()];
    // Entries are applied in sequence, and to each image separately.
    let apply = |image: &mut DeployedImage, hits: &mut [bool], from: usize| {
        let mut next = index.next(entries, &image.reference, from);
        while let Some(position) = next {
            hits[position] = true;
            image.reference = entries[position].apply(&image.reference);
            if entries[position].sets_version() {
                image.set_by = set_by.clone();
            }
            next = index.next(entries, &image.reference, position + 1);
        }
    };
    for image in &mut built.images {
        image.incoming = image.reference.clone();
        apply(image, &mut hits, 0);
    }
    let mut origins: HashSet<String> = built.images.iter().map(|image| image.origin.clone()).collect();
    for (position, entry) in entries.iter().enumerate() {
        let name = ImageReference::split(&entry.name);
        // An entry does not apply to a name that a base has already replaced.
        if !hits[position] && !entry.is_pattern_for(&name) && origins.insert(name.name.clone()) {
            // Its images come from elsewhere, or from a resource that kustomize does not inspect.
            let reference = entry.apply(&ImageReference { name: name.name.clone(), version: Default::default() });
            let incoming = ImageReference { version: Default::default(), ..name };
            let origin = incoming.name.clone();
            let mut image = DeployedImage { origin, incoming, reference, set_by: set_by.clone(), place: None };
            apply(&mut image, &mut hits, position + 1);
            built.images.push(image);
        }
    }
    built.entries = index;
}
