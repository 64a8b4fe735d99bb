//! Where a new manifest goes: beside what is most like it, named as its neighbours are.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::declared::DeclaredObject;
use crate::gitops::files::FileEdit;
use crate::gitops::membership;
use crate::gitops::path;
use crate::gitops::repository::{Repository, message};
use crate::model::kind::ResourceKind;

/// How a repository lays out what it manages.
#[derive(Debug)]
pub struct Layout<'a> {
    repository: &'a Repository,
    neighbours: Vec<&'a DeclaredObject>,
}

/// How alike two kinds are, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// Both stand for something outside.
    Managed,
    /// Of the same provider.
    Family,
    /// The same.
    Kind,
}

/// A directory, and how files in it are named.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Home {
    directory: String,
    naming: Naming,
    ending: &'static str,
    /// A file there that a kustomization may have.
    neighbour: Option<String>,
}

/// What the name of a file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Naming {
    Name,
    KindName,
    NameKind,
}

impl Naming {
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

/// A manifest that is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewManifest {
    /// Its kind.
    pub kind: ResourceKind,
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl<'a> Layout<'a> {
    /// By what a repository declares; `managed` are the kinds that stand for something outside, by group and kind.
    pub fn new(
        repository: &'a Repository,
        objects: &'a [DeclaredObject],
        managed: &BTreeSet<(String, String)>,
    ) -> Self {
        let is_managed = |object: &&DeclaredObject| managed.contains(&(object.group().to_owned(), object.kind.clone()));
        Self { repository, neighbours: objects.iter().filter(is_managed).collect() }
    }

    /// Where an object of a kind goes; `None` where nothing of its sort is there.
    fn home(&self, kind: &ResourceKind) -> Option<Home> {
        let alike = |object: &DeclaredObject| likeness(kind, object);
        let best = self.neighbours.iter().map(|object| alike(object)).max()?;
        let alike: Vec<&&DeclaredObject> = self.neighbours.iter().filter(|object| alike(object) == best).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for object in &alike {
            *counts.entry(path::parent(&object.file)).or_default() += 1;
        }
        let directory = counts.into_iter().max_by_key(|(directory, count)| (*count, std::cmp::Reverse(*directory)))?.0;
        let there: Vec<&DeclaredObject> =
            alike.into_iter().copied().filter(|object| path::parent(&object.file) == directory).collect();
        Some(self.home_in(directory, &there))
    }

    fn home_in(&self, directory: &str, there: &[&DeclaredObject]) -> Home {
        let mut counts: BTreeMap<Naming, usize> = BTreeMap::new();
        for object in there.iter().filter(|object| object.is_alone) {
            let stem = object.file.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(stem, _)| stem);
            let named =
                Naming::ALL.into_iter().find(|naming| Some(naming.stem(&object.kind, &object.name).as_str()) == stem);
            if let Some(naming) = named {
                *counts.entry(naming).or_default() += 1;
            }
        }
        let naming = counts.into_iter().max_by_key(|(naming, count)| (*count, std::cmp::Reverse(*naming)));
        let yml = there.iter().filter(|object| object.file.ends_with(".yml")).count();
        Home {
            directory: directory.to_owned(),
            naming: naming.map_or(Naming::Name, |(naming, _)| naming),
            ending: if yml * 2 > there.len() { "yml" } else { "yaml" },
            neighbour: there.first().map(|object| object.file.clone()),
        }
    }

    /// The files in which new manifests come into the repository: one each, and the kustomization that has to have it. With
    /// `into`, they go to that directory. The path of each manifest is answered in their order.
    ///
    /// # Errors
    /// Where nobody knows where they go, or a kustomization cannot be edited.
    pub fn add(&self, new: &[NewManifest], into: Option<&str>) -> Result<(Vec<String>, Vec<FileEdit>), String> {
        let mut taken: BTreeSet<String> = self.repository.files.iter().cloned().collect();
        let (mut paths, mut edits) = (Vec::new(), Vec::new());
        let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for manifest in new {
            let home = match into {
                Some(directory) => {
                    let there: Vec<&DeclaredObject> = self
                        .neighbours
                        .iter()
                        .copied()
                        .filter(|object| path::parent(&object.file) == directory)
                        .collect();
                    Some(self.home_in(directory, &there))
                }
                None => self.home(&manifest.kind),
            };
            let home = home.ok_or_else(|| {
                format!(
                    "nothing in this repository is like a {}: say where it goes with --into DIRECTORY",
                    manifest.kind.kind
                )
            })?;
            let kind = &manifest.kind.kind;
            let stems = [home.naming, Naming::KindName].map(|naming| naming.stem(kind, &manifest.name));
            let more = (2..).map(|number| format!("{}-{number}", stems[1]));
            let mut files = stems
                .iter()
                .cloned()
                .chain(more)
                .map(|stem| path::inside(&home.directory, &format!("{stem}.{}", home.ending)));
            let Some(file) = files.find(|file| !taken.contains(file)) else { continue };
            taken.insert(file.clone());
            if let Some(kustomization) = self.kustomization(&home) {
                members.entry(kustomization).or_default().push(file.clone());
            }
            edits.push(FileEdit { path: file.clone(), before: None, after: manifest.text.clone() });
            paths.push(file);
        }
        for (file, members) in members {
            let before = self.repository.read_text(&file).map_err(|error| message(&error))?;
            let after =
                membership::with_resources(&file, &before, &members).map_err(|error| format!("{file}: {error}"))?;
            edits.push(FileEdit { path: file, before: Some(before), after });
        }
        Ok((paths, edits))
    }

    /// The kustomization that has to name a new file of a directory.
    fn kustomization(&self, home: &Home) -> Option<String> {
        let of_neighbour = home.neighbour.as_ref().and_then(|file| membership::owner(self.repository, file));
        of_neighbour.or_else(|| self.repository.kustomizations.get(&home.directory)).map(|found| found.file.clone())
    }
}

fn likeness(kind: &ResourceKind, object: &DeclaredObject) -> Likeness {
    let family = |group: &str| group.split_once('.').map_or(group.to_owned(), |(_, rest)| rest.to_owned());
    if object.group() == kind.group && object.kind == kind.kind {
        Likeness::Kind
    } else if family(object.group()) == family(&kind.group) {
        Likeness::Family
    } else {
        Likeness::Managed
    }
}
