//! Chooses the file of a new manifest: next to the most similar objects, named like its neighbors.

use std::collections::{BTreeMap, BTreeSet};

use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceKind;
use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::membership;
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::{Repository, message};
use ucp_repo::yaml::ordered::{self, OrderedValue};

/// The layout of the managed resources in a repository.
#[derive(Debug)]
pub struct ManifestLayout<'a> {
    repository: &'a Repository,
    neighbours: Vec<&'a DeclaredObject>,
}

/// The similarity of two kinds, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KindSimilarity {
    /// Both are managed resources.
    Managed,
    /// Both are of the same provider.
    Family,
    /// Both are the same kind.
    Kind,
}

/// A directory and the naming of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ManifestDirectory {
    directory: String,
    naming: FileNaming,
    ending: &'static str,
    /// A file in it that may be part of a kustomization.
    neighbour: Option<String>,
}

/// The parts of a file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileNaming {
    Name,
    KindName,
    NameKind,
}

impl FileNaming {
    const ALL: [Self; 3] = [Self::Name, Self::KindName, Self::NameKind];

    fn stem(self, kind: &str, name: &str) -> String {
        let kind = kind.to_ascii_lowercase();
        match self {
            Self::Name => name.to_owned(),
            Self::KindName => format!("{kind}-{name}"),
            Self::NameKind => format!("{name}-{kind}"),
        }
    }
}

/// A new manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct NewManifest {
    /// Kind of the object.
    pub kind: ResourceKind,
    /// Name of the object.
    pub name: String,
    /// The manifest itself.
    pub manifest: OrderedValue,
}

/// The files of new manifests.
#[derive(Debug, Default)]
pub struct AddedManifests {
    /// The file of each manifest, in their order, or the reason why there is none.
    pub files: Vec<Result<String, Failure>>,
    /// The new files, and the kustomizations that reference them.
    pub edits: Vec<FileEdit>,
}

/// A file that a kustomization should reference but does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreferencedFile {
    /// Path of the file.
    pub file: String,
    /// Path of the kustomization file.
    pub kustomization: String,
}

impl<'a> ManifestLayout<'a> {
    /// Creates the layout of a repository's objects; `managed` are the kinds of managed resources, by group and kind.
    pub fn new(
        repository: &'a Repository,
        objects: &'a [DeclaredObject],
        managed: &BTreeSet<(String, String)>,
    ) -> Self {
        let is_managed = |object: &&DeclaredObject| managed.contains(&(object.group().to_owned(), object.kind.clone()));
        Self { repository, neighbours: objects.iter().filter(is_managed).collect() }
    }

    /// Returns the directory for objects of a kind; `None` if there are no similar objects.
    fn directory_for(&self, kind: &ResourceKind) -> Option<ManifestDirectory> {
        let alike = |object: &DeclaredObject| similarity(kind, object);
        let best = self.neighbours.iter().map(|object| alike(object)).max()?;
        let alike: Vec<&&DeclaredObject> = self.neighbours.iter().filter(|object| alike(object) == best).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for object in &alike {
            *counts.entry(path::parent(&object.file)).or_default() += 1;
        }
        let directory = counts.into_iter().max_by_key(|(directory, count)| (*count, std::cmp::Reverse(*directory)))?.0;
        let there: Vec<&DeclaredObject> =
            alike.into_iter().copied().filter(|object| path::parent(&object.file) == directory).collect();
        Some(self.directory_in(directory, &there))
    }

    fn directory_in(&self, directory: &str, there: &[&DeclaredObject]) -> ManifestDirectory {
        let mut counts: BTreeMap<FileNaming, usize> = BTreeMap::new();
        for object in there.iter().filter(|object| object.is_alone) {
            let stem = object.file.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(stem, _)| stem);
            let named = FileNaming::ALL
                .into_iter()
                .find(|naming| Some(naming.stem(&object.kind, &object.name).as_str()) == stem);
            if let Some(naming) = named {
                *counts.entry(naming).or_default() += 1;
            }
        }
        let naming = counts.into_iter().max_by_key(|(naming, count)| (*count, std::cmp::Reverse(*naming)));
        let yml = there.iter().filter(|object| object.file.ends_with(".yml")).count();
        ManifestDirectory {
            directory: directory.to_owned(),
            naming: naming.map_or(FileNaming::Name, |(naming, _)| naming),
            ending: if yml * 2 > there.len() { "yml" } else { "yaml" },
            neighbour: there.first().map(|object| object.file.clone()),
        }
    }

    /// Returns the files for new manifests, one each, and the kustomizations that have to reference them, including
    /// those that an interrupted run has not written. With `into`, all files are created in that directory.
    pub fn add_manifests(
        &self,
        new: &[NewManifest],
        forgotten: &[UnreferencedFile],
        into: Option<&str>,
    ) -> AddedManifests {
        let mut taken: BTreeSet<String> = self.repository.files.iter().cloned().collect();
        let mut homes: BTreeMap<(&str, &str), Option<ManifestDirectory>> = BTreeMap::new();
        let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut additions = AddedManifests::default();
        // An interrupted run wrote these first.
        for UnreferencedFile { file, kustomization } in forgotten {
            members.entry(kustomization.clone()).or_default().push(file.clone());
        }
        for manifest in new {
            let kind = &manifest.kind;
            let home = homes.entry((&kind.group, &kind.kind)).or_insert_with(|| match into {
                Some(directory) => Some(self.directory_in(directory, &self.neighbours_in(directory))),
                None => self.directory_for(kind),
            });
            let placed = place_manifest(home.as_ref(), manifest, &mut taken).and_then(|(home, edit)| {
                let directory = &home.directory;
                match (self.kustomization_for(home), self.repository.unreadable.get(directory)) {
                    (Some(kustomization), _) => members.entry(kustomization).or_default().push(edit.path.clone()),
                    // It may list the files that are deployed.
                    (None, Some(reason)) => return fail!("the kustomization in {directory} cannot be read: {reason}"),
                    (None, None) => {}
                }
                let file = edit.path.clone();
                additions.edits.push(edit);
                Ok(file)
            });
            additions.files.push(placed);
        }
        for (kustomization, members) in members {
            match self.with_resources(&kustomization, &members) {
                Ok(edit) => additions.edits.extend(edit),
                Err(reason) => {
                    // No deployer would apply them.
                    additions.edits.retain(|edit| !members.contains(&edit.path));
                    for file in &mut additions.files {
                        if file.as_ref().is_ok_and(|file| members.contains(file)) {
                            *file = Err(reason.clone());
                        }
                    }
                }
            }
        }
        additions
    }

    /// Returns the edit that adds resources to a kustomization; `None` if it has them already.
    fn with_resources(&self, file: &str, members: &[String]) -> Result<Option<FileEdit>, Failure> {
        let before = self.repository.read_text(file).map_err(|error| message(&error))?;
        let after = membership::with_resources(file, &before, members).map_err(|error| format!("{file}: {error}"))?;
        Ok((before != after).then(|| FileEdit { path: file.to_owned(), before: Some(before), after }))
    }

    /// Returns the kustomization that should reference a file but does not, because an earlier run was interrupted.
    pub fn unreferenced_file(&self, file: &str) -> Option<UnreferencedFile> {
        if membership::owner(self.repository, file).is_some() {
            return None;
        }
        let directory = path::parent(file);
        let others = self.neighbours_in(directory).into_iter().filter(|object| object.file != file);
        let of_neighbour = others.map(|object| &object.file).find_map(|file| membership::owner(self.repository, file));
        let kustomization = of_neighbour.or_else(|| self.repository.kustomizations.get(directory))?;
        Some(UnreferencedFile { file: file.to_owned(), kustomization: kustomization.file.clone() })
    }

    fn neighbours_in(&self, directory: &str) -> Vec<&'a DeclaredObject> {
        self.neighbours.iter().copied().filter(|object| path::parent(&object.file) == directory).collect()
    }

    /// Returns the kustomization that has to reference a new file of a directory.
    fn kustomization_for(&self, home: &ManifestDirectory) -> Option<String> {
        let of_neighbour = home.neighbour.as_ref().and_then(|file| membership::owner(self.repository, file));
        of_neighbour.or_else(|| self.repository.kustomizations.get(&home.directory)).map(|found| found.file.clone())
    }
}

/// Returns the directory and the new file for a manifest.
fn place_manifest<'h>(
    home: Option<&'h ManifestDirectory>,
    manifest: &NewManifest,
    taken: &mut BTreeSet<String>,
) -> Result<(&'h ManifestDirectory, FileEdit), Failure> {
    let kind = &manifest.kind.kind;
    let home = home.ok_or_else(|| {
        format!("this repository contains nothing similar to a {kind}: pass its directory with --into DIRECTORY")
    })?;
    let text = ordered::write(&manifest.manifest)?;
    let [usual, other] = [home.naming, FileNaming::KindName].map(|naming| naming.stem(kind, &manifest.name));
    let inside = |stem: &str| path::inside(&home.directory, &format!("{stem}.{}", home.ending));
    let mut file = inside(&usual);
    let mut number = 1;
    while taken.contains(&file) {
        file = inside(&if number == 1 { other.clone() } else { format!("{other}-{number}") });
        number += 1;
    }
    taken.insert(file.clone());
    Ok((home, FileEdit { path: file, before: None, after: text }))
}

fn similarity(kind: &ResourceKind, object: &DeclaredObject) -> KindSimilarity {
    let family = |group: &str| group.split_once('.').map_or(group.to_owned(), |(_, rest)| rest.to_owned());
    if object.group() == kind.group && object.kind == kind.kind {
        KindSimilarity::Kind
    } else if family(object.group()) == family(&kind.group) {
        KindSimilarity::Family
    } else {
        KindSimilarity::Managed
    }
}
