//! Environments of files: their own, or those of all kustomizations that build on them.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::catalog::deployed::DeclaredDeployment;
use crate::gitops::catalog::layout::{EnvironmentLabel, EnvironmentLayout};
use crate::gitops::catalog::undivided::{GeneratedDirectories, undivided};
use crate::gitops::discover::{Discovery, Overlay};
use crate::gitops::kustomization::KustomizationTarget;
use crate::gitops::path;
use crate::gitops::purpose::{Purpose, is_plain_directory, purpose};
use crate::gitops::repository::Repository;

/// Environments of a place, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvironmentReach {
    /// It belongs to this environment.
    One(EnvironmentLabel),
    /// It is a base that these environments build on.
    Shared(BTreeSet<String>),
    /// No environments are distinguished: a single cluster, or all of them.
    Everywhere,
}

impl EnvironmentReach {
    /// Returns the names of the environments; empty if none are distinguished.
    pub fn environments(&self) -> Vec<&str> {
        match self {
            Self::One(label) => vec![&label.name],
            Self::Shared(names) => names.iter().map(String::as_str).collect(),
            Self::Everywhere => Vec::new(),
        }
    }

    /// Returns the reason, for `--explain`.
    pub fn because(&self) -> String {
        match self {
            Self::One(label) => label.because.clone(),
            Self::Shared(_) => "a base that these environments build on".to_owned(),
            Self::Everywhere => "nothing here distinguishes environments".to_owned(),
        }
    }
}

/// Environments and services of a repository.
#[derive(Debug, Default)]
pub struct ReachIndex {
    layout: EnvironmentLayout,
    overlays: BTreeMap<String, Overlay>,
    kustomized: BTreeSet<String>,
    /// Directories of samples that are deployed nevertheless.
    deployed: BTreeSet<String>,
    /// Files and directories that are also built where no environment is known.
    undivided: BTreeSet<String>,
    /// Environments by the files and directories that they are built from.
    environments: UsersByPath,
    /// Services by the files and directories that they are built from.
    services: UsersByPath,
    /// Further names of environments: their destination clusters.
    aliases: UsersByPath,
}

/// Maps paths to the names of their users.
type UsersByPath = BTreeMap<String, BTreeSet<String>>;

impl ReachIndex {
    /// Follows deployments and the bases of kustomizations.
    pub fn new(
        repository: &Repository,
        discovery: &Discovery,
        deployments: &[DeclaredDeployment],
        generated: &[GeneratedDirectories],
    ) -> Self {
        let mut reaches = Self {
            layout: EnvironmentLayout::from_files(repository.files.iter().map(String::as_str), &discovery.environments),
            kustomized: repository.kustomizations.keys().cloned().collect(),
            deployed: deployments
                .iter()
                .filter(|deployment| purpose(&deployment.file) == Purpose::Deployed)
                .flat_map(|deployment| &deployment.directories)
                .filter(|directory| purpose(&path::inside(directory, "x")) == Purpose::Sample)
                .cloned()
                .collect(),
            ..Self::default()
        };
        let mut services = UsersByPath::new();
        let mut roots = UsersByPath::new();
        for directory in repository.kustomizations.keys() {
            if let Some(label) = reaches.own_label(&path::inside(directory, "x")) {
                roots.entry(directory.clone()).or_default().insert(label.name);
            }
        }
        for overlay in &discovery.overlays {
            roots.insert(overlay.directory.clone(), BTreeSet::from([overlay.environment.clone()]));
            services.entry(overlay.directory.clone()).or_default().insert(overlay.service.clone());
            reaches.overlays.insert(overlay.directory.clone(), overlay.clone());
        }
        for deployment in deployments {
            let own = reaches.own_label(&deployment.file).map(|label| label.name);
            let directories = deployment.directories.iter().map(|place| (place, path::inside(place, "x")));
            let files = deployment.files.iter().map(|place| (place, place.clone()));
            for (target, place) in directories.chain(files) {
                let labelled = reaches.overlay_label(&place).or_else(|| reaches.own_label(&place));
                let labelled = labelled.map(|label| label.name);
                let Some(name) = labelled.or_else(|| deployment.destination.clone()).or_else(|| own.clone()) else {
                    continue;
                };
                if let Some(destination) = &deployment.destination {
                    reaches.aliases.entry(name.clone()).or_default().insert(destination.clone());
                }
                roots.entry(target.clone()).or_default().insert(name);
            }
        }
        let is_divided = |directory: &str| {
            roots.contains_key(directory) || reaches.own_label(&path::inside(directory, "x")).is_some()
        };
        reaches.undivided = undivided(repository, deployments, generated, &is_divided);
        reaches.environments = propagate(&roots, repository);
        reaches.services = propagate(&services, repository);
        reaches
    }

    /// Returns the innermost environment in a path that is a word for one, else the first.
    fn own_label(&self, file: &str) -> Option<EnvironmentLabel> {
        let labels = self.layout.labels(file);
        let by_word = labels.iter().rev().find(|label| label.by_word);
        by_word.or(labels.first()).cloned()
    }

    /// Returns the overlay that contains a file, and the rest of the path.
    pub fn overlay_of<'f>(&self, file: &'f str) -> Option<(&Overlay, &'f str)> {
        let mut place = path::parent(file);
        loop {
            if let Some(overlay) = self.overlays.get(place) {
                return Some((overlay, file[place.len()..].trim_start_matches('/')));
            }
            if place.is_empty() || self.kustomized.contains(place) {
                return None;
            }
            place = path::parent(place);
        }
    }

    fn overlay_label(&self, file: &str) -> Option<EnvironmentLabel> {
        let (overlay, _) = self.overlay_of(file)?;
        let Overlay { environment, directory, because, .. } = overlay;
        Some(EnvironmentLabel {
            name: environment.clone(),
            because: format!("{directory} is an overlay of it: {because}"),
            by_word: true,
            part: None,
        })
    }

    /// Returns the environments of a file.
    pub fn file_reach(&self, file: &str) -> EnvironmentReach {
        if let Some(label) = self.overlay_label(file).or_else(|| self.own_label(file)) {
            return EnvironmentReach::One(label);
        }
        let Some((place, names)) = nearest_users(&self.environments, file) else { return EnvironmentReach::Everywhere };
        let mut parts = std::iter::once(file).chain(path::ancestors(file)).take_while(|part| part.len() >= place.len());
        if names.len() == 1 && parts.any(|part| self.undivided.contains(part)) {
            return EnvironmentReach::Everywhere;
        }
        match names.iter().collect::<Vec<_>>().as_slice() {
            [name] => EnvironmentReach::One(EnvironmentLabel {
                name: (*name).clone(),
                because: format!("only {name} builds on {place}"),
                by_word: false,
                part: None,
            }),
            _ => EnvironmentReach::Shared(names.clone()),
        }
    }

    /// Returns true for a file in a subdirectory of an overlay whose path names no service, such as `clusters/prod`.
    pub fn is_in_overlay_of_cluster(&self, file: &str) -> bool {
        self.overlay_of(file).is_some_and(|(overlay, rest)| {
            let mut parts = overlay.directory.split('/');
            rest.contains('/') && parts.all(|part| part == overlay.environment || is_plain_directory(part))
        })
    }

    /// Returns the service of a file: that of its overlay, or the only one that builds on it.
    pub fn service_of(&self, file: &str) -> Option<&str> {
        if let Some((overlay, _)) = self.overlay_of(file) {
            return Some(&overlay.service);
        }
        let mut place = file;
        // A directory further up that is used as a whole is not the kustomization of this file.
        for _ in 0..2 {
            if let Some(names) = self.services.get(place) {
                return names.first().filter(|_| names.len() == 1).map(String::as_str);
            }
            place = path::parent(place);
        }
        None
    }

    /// Returns the purpose of a file: a deployed file is not a sample, wherever it is.
    pub fn purpose(&self, file: &str) -> Purpose {
        match purpose(file) {
            Purpose::Sample if path::ancestors(file).any(|place| self.deployed.contains(place)) => Purpose::Deployed,
            other => other,
        }
    }

    /// Returns all names that the user may type for the environment of a path.
    pub fn labels(&self, file: &str) -> Vec<EnvironmentLabel> {
        self.layout.labels(file)
    }

    /// Returns the destination clusters of an environment.
    pub fn aliases(&self, environment: &str) -> impl Iterator<Item = &str> {
        self.aliases.get(environment).into_iter().flatten().map(String::as_str)
    }
}

/// Returns the users of a file, or of the nearest parent directory that has any.
fn nearest_users<'u, 'f>(all: &'u UsersByPath, file: &'f str) -> Option<(&'f str, &'u BTreeSet<String>)> {
    let mut place = file;
    loop {
        if let Some(names) = all.get(place) {
            return Some((place, names));
        }
        if place.is_empty() {
            return None;
        }
        place = path::parent(place);
    }
}

/// Propagates the names of these directories and files to everything that they build on.
fn propagate(roots: &UsersByPath, repository: &Repository) -> UsersByPath {
    let mut users = UsersByPath::new();
    for (root, names) in roots {
        let mut seen = BTreeSet::from([root.clone()]);
        let mut open = vec![root.clone()];
        while let Some(place) = open.pop() {
            if let Some(kustomization) = repository.kustomizations.get(&place) {
                let targets = kustomization.resources.iter().chain(&kustomization.components);
                let local = targets.filter_map(KustomizationTarget::local).map(str::to_owned);
                let patches = kustomization.patch_files().map(str::to_owned);
                open.extend(local.chain(patches).filter(|path| seen.insert(path.clone())));
            }
            users.entry(place).or_default().extend(names.iter().cloned());
        }
    }
    users
}
