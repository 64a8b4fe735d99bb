//! Which images an overlay deploys, as kustomize would build them: manifests, bases, components, patches, `images`.

mod patch;
pub mod placement;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::gitops::entry_index::EntryIndex;
use crate::gitops::kustomization::{Kind, Kustomization, Patch, PatchBody, Replacement, Target};
use crate::gitops::repository::{Repository, message};
use crate::gitops::workload::{self, Found};
use crate::model::image::Reference;
use crate::yaml::tree::{self, Node};

/// One image that an overlay deploys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployed {
    /// The name in the manifest that it comes from: what environments with a common base have in common.
    pub origin: String,
    /// What the overlay's own `images` are applied to.
    pub incoming: Reference,
    /// What is deployed.
    pub reference: Reference,
    /// Who said so.
    pub set_by: SetBy,
    /// The container it runs in; none for an entry whose workload is not in this repository.
    place: Option<Place>,
}

/// Where a version comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetBy {
    /// The manifest.
    Manifest,
    /// A patch of the kustomization in this directory, in this file.
    Patch {
        /// The directory.
        directory: String,
        /// The file that holds the patch.
        file: String,
    },
    /// An `images` entry of the kustomization in this directory.
    Entry {
        /// The directory.
        directory: String,
    },
    /// Something that runs after `images`.
    Later {
        /// What, and where it is written.
        by: String,
        /// The file.
        file: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    kind: String,
    /// The resource's name, and the names that prefixes and suffixes made of it.
    names: Vec<String>,
    pointer: String,
    container: (String, String),
}

/// What a kustomization builds, as far as images go.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// Its images.
    pub images: Vec<Deployed>,
    /// Directories of every kustomization that takes part.
    pub uses: BTreeSet<String>,
    /// Files that take part besides: manifests and patches.
    pub files: BTreeSet<String>,
    /// Those of them that are patches.
    pub patch_files: BTreeSet<String>,
    /// What this repository does not hold: remote bases, charts, generators.
    pub unseen: BTreeSet<String>,
    /// Images by their names in the manifests that patches take away.
    pub deleted: BTreeSet<String>,
    /// What is named and cannot be read: where, and why. What it would add is unseen.
    pub missing: BTreeSet<String>,
    /// A replacement takes an image apart at its colons.
    pub splits_images: bool,
    /// The entries of the kustomization itself.
    pub entries: Rc<EntryIndex>,
    /// Images by their names in the manifests; made when first asked for.
    origins: OnceCell<HashMap<String, Vec<usize>>>,
    /// Images by the names that the overlay's own entries find.
    incoming: OnceCell<HashMap<String, Vec<usize>>>,
}

fn by_name(images: &[Deployed], name: impl Fn(&Deployed) -> &str) -> HashMap<String, Vec<usize>> {
    let mut all: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, image) in images.iter().enumerate() {
        all.entry(name(image).to_owned()).or_default().push(index);
    }
    all
}

impl Deployed {
    /// Whether a manifest of this repository has this image, rather than an entry alone.
    pub fn is_in_a_workload(&self) -> bool {
        self.place.is_some()
    }

    /// Whether an entry of the kustomization in this directory gives the version.
    pub fn is_set_in(&self, directory: &str) -> bool {
        matches!(&self.set_by, SetBy::Entry { directory: other } if other == directory)
    }
}

impl Built {
    /// Notes what cannot be read, and goes on with the rest.
    fn miss(&mut self, reason: String) {
        self.unseen.insert(reason.clone());
        self.missing.insert(reason);
    }

    /// The images that have this name in their manifests.
    pub fn of_origin(&self, name: &str) -> Vec<&Deployed> {
        let all = self.origins.get_or_init(|| by_name(&self.images, |image| &image.origin));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// The images that entries of the kustomization itself find under this name.
    pub fn incoming_as(&self, name: &str) -> Vec<&Deployed> {
        let all = self.incoming.get_or_init(|| by_name(&self.images, |image| &image.incoming.name));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// Whether a file is a patch, and no manifest.
    pub fn patches(&self, file: &str) -> bool {
        self.patch_files.contains(file)
    }

    /// Whether any of these images can be in what is deployed. An entry that matches nothing has an effect only on what this
    /// repository does not hold.
    pub fn may_deploy(&self, images: &[&Deployed]) -> bool {
        !self.unseen.is_empty() || images.iter().any(|image| image.is_in_a_workload())
    }
}

/// Builds kustomizations; each of them once.
#[derive(Debug)]
pub struct Builder<'a> {
    repository: &'a Repository,
    built: RefCell<HashMap<String, Result<Rc<Built>, String>>>,
}

impl<'a> Builder<'a> {
    /// For the kustomizations of a repository.
    pub fn new(repository: &'a Repository) -> Self {
        Self { repository, built: RefCell::new(HashMap::new()) }
    }

    /// What the kustomization of a directory builds.
    ///
    /// # Errors
    /// Why it cannot be built: what it names does not exist, cannot be read, or leads back to itself.
    pub fn build(&self, directory: &str) -> Result<Rc<Built>, String> {
        self.build_below(directory, &mut Vec::new())
    }

    fn build_below(&self, directory: &str, open: &mut Vec<String>) -> Result<Rc<Built>, String> {
        if open.iter().any(|other| other == directory) {
            return Err(format!("{} includes itself", shown(directory)));
        }
        if let Some(built) = self.built.borrow().get(directory) {
            return built.clone();
        }
        open.push(directory.to_owned());
        let mut built = Built::default();
        let result = self.accumulate(directory, &mut built, open).map(|()| Rc::new(built));
        open.pop();
        self.built.borrow_mut().insert(directory.to_owned(), result.clone());
        result
    }

    /// Adds a kustomization to what was gathered so far; for a component, that is all of its parent's.
    fn accumulate(&self, directory: &str, built: &mut Built, open: &mut Vec<String>) -> Result<(), String> {
        let kustomization = self.kustomization(directory)?;
        built.uses.insert(directory.to_owned());
        built.splits_images |= kustomization.splits_images;
        if kustomization.generates {
            built.unseen.insert(format!("what {} generates", kustomization.file));
        }
        for target in &kustomization.resources {
            match target {
                Target::Local(path) if self.is_directory(path) => {
                    let base = match self.kustomization(path) {
                        Ok(base) => base,
                        Err(reason) => {
                            built.miss(format!("{}: {reason}", kustomization.file));
                            continue;
                        }
                    };
                    if base.kind == Kind::Component {
                        return Err(format!(
                            "{} is a component, and {} names it as a resource",
                            shown(path),
                            kustomization.file
                        ));
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
                Target::Local(path) => match self.documents(path) {
                    Ok(documents) => {
                        built.images.extend(workload::images(&documents).into_iter().map(Deployed::from));
                        built.files.insert(path.clone());
                    }
                    Err(reason) => built.miss(format!("{}: {reason}", kustomization.file)),
                },
                Target::Remote(url) => drop(built.unseen.insert(url.clone())),
                Target::Outside(path) => return Err(format!("{}: {path} leaves the repository", kustomization.file)),
            }
        }
        for target in &kustomization.components {
            match target {
                Target::Local(path) => {
                    if open.iter().any(|other| other == path) {
                        return Err(format!("{} includes itself", shown(path)));
                    }
                    open.push(path.clone());
                    let result = self.accumulate(path, built, open);
                    open.pop();
                    result?;
                }
                Target::Remote(url) => drop(built.unseen.insert(url.clone())),
                Target::Outside(path) => return Err(format!("{}: {path} leaves the repository", kustomization.file)),
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

    /// Replacements and transformers run after `images`.
    fn apply_later(&self, kustomization: &Kustomization, built: &mut Built) {
        let mut replacements: Vec<Replacement> = kustomization.replacements.clone();
        for file in &kustomization.replacement_files {
            let documents = self.documents(file).unwrap_or_default();
            replacements.extend(documents.iter().flat_map(Replacement::of_document));
        }
        let by =
            SetBy::Later { by: format!("replacements of {}", kustomization.file), file: kustomization.file.clone() };
        for target in replacements.iter().flat_map(|replacement| &replacement.images) {
            let hit = built
                .images
                .iter_mut()
                .filter(|image| image.place.as_ref().is_some_and(|place| patch::selects(target, place)));
            hit.for_each(|image| image.set_by = by.clone());
        }
        for target in &kustomization.transformers {
            let Target::Local(path) = target else { continue };
            let file = match self.is_directory(path) {
                true => continue,
                false => path,
            };
            let by = SetBy::Later { by: format!("a transformer in {file}"), file: file.clone() };
            for document in self.documents(file).unwrap_or_default() {
                let name = document.get("imageTag").and_then(|tag| tag.text_at("name"));
                let patches = document.text_at("kind").is_some_and(|kind| kind.starts_with("Patch"))
                    && document.walk().iter().filter_map(|node| node.text()).any(|text| text.contains("image"));
                let hit = |image: &&mut Deployed| patches || name == Some(image.reference.name.as_str());
                built.images.iter_mut().filter(hit).for_each(|image| image.set_by = by.clone());
            }
        }
    }

    fn kustomization(&self, directory: &str) -> Result<&'a Kustomization, String> {
        if let Some(reason) = self.repository.unreadable.get(directory) {
            return Err(reason.clone());
        }
        let found = self.repository.kustomizations.get(directory);
        found.ok_or_else(|| format!("{} holds no kustomization", shown(directory)))
    }

    fn is_directory(&self, path: &str) -> bool {
        self.repository.kustomizations.contains_key(path)
            || self.repository.unreadable.contains_key(path)
            || self.repository.top.join(path).is_dir()
    }

    fn documents(&self, path: &str) -> Result<Vec<Node>, String> {
        let text = self.repository.read_text(path).map_err(|error| message(&error))?;
        tree::parse(&text).map_err(|error| format!("{path}: {error}"))
    }

    fn patch(&self, kustomization: &Kustomization, patch: &Patch, built: &mut Built) -> Result<(), String> {
        let (documents, file) = match &patch.body {
            PatchBody::File(path) => {
                built.files.insert(path.clone());
                built.patch_files.insert(path.clone());
                match self.documents(path) {
                    Ok(documents) => (documents, path),
                    Err(reason) => {
                        built.miss(format!("{}: {reason}", kustomization.file));
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
        let set_by = SetBy::Patch { directory: kustomization.directory.clone(), file: file.clone() };
        let origins = |images: &[Deployed]| images.iter().map(|image| image.origin.clone()).collect::<BTreeSet<_>>();
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

impl From<Found> for Deployed {
    fn from(found: Found) -> Self {
        Self {
            origin: found.image.name.clone(),
            incoming: found.image.clone(),
            reference: found.image,
            set_by: SetBy::Manifest,
            place: Some(Place {
                kind: found.kind,
                names: vec![found.name],
                pointer: found.pointer,
                container: found.container,
            }),
        }
    }
}

/// What the top of a repository is called in a message.
pub fn shown(directory: &str) -> &str {
    if directory.is_empty() { "the top of the repository" } else { directory }
}

/// Later patches may name a resource as it was or as it is now.
fn rename(kustomization: &Kustomization, built: &mut Built) {
    let (prefix, suffix) = &kustomization.affixes;
    if prefix.is_empty() && suffix.is_empty() {
        return;
    }
    for place in built.images.iter_mut().filter_map(|image| image.place.as_mut()) {
        let name = place.names.last().map(|name| format!("{prefix}{name}{suffix}"));
        place.names.extend(name);
    }
}

fn apply_entries(kustomization: &Kustomization, built: &mut Built) {
    let set_by = SetBy::Entry { directory: kustomization.directory.clone() };
    let (entries, index) = (&kustomization.images, Rc::new(EntryIndex::of(&kustomization.images)));
    let mut hits = vec![false; entries.len()];
    // Entries apply in sequence, and to each image by itself.
    let apply = |image: &mut Deployed, hits: &mut [bool], from: usize| {
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
        let name = Reference::split(&entry.name);
        // A name that a base has replaced already is not what this entry may be for.
        if !hits[position] && !entry.is_pattern_for(&name) && origins.insert(name.name.clone()) {
            // Whatever it is for comes from elsewhere, or is a resource that kustomize does not look into.
            let reference = entry.apply(&Reference { name: name.name.clone(), version: Default::default() });
            let incoming = Reference { version: Default::default(), ..name };
            let origin = incoming.name.clone();
            let mut image = Deployed { origin, incoming, reference, set_by: set_by.clone(), place: None };
            apply(&mut image, &mut hits, position + 1);
            built.images.push(image);
        }
    }
    built.entries = index;
}
