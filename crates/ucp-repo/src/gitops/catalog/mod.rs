//! All versions that a repository declares, each with its file, service, and environment.
//!
//! A slot belongs to a file; a place adds service and environment. Environments are derived from deployers, from the
//! kustomizations that build on a file, and from the names of directories, files, and keys. A rule in `.ucp.yaml`
//! overrides all of them.

pub mod choose;
mod continuation;
pub mod deployed;
mod item;
pub mod items;
pub mod layout;
pub mod likeness;
pub mod naming;
mod own_chart;
mod pattern;
pub mod query;
pub mod reach;
mod read;
#[cfg(test)]
mod resolution;
mod rivals;
pub mod rule;
mod tables;
pub mod undivided;
pub mod unresolved;
mod url;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::gitops::catalog::deployed::{DeclaredDeployment, FLUX};
use crate::gitops::catalog::layout::EnvironmentLabel;
use crate::gitops::catalog::naming::{NameFit, NamingContext};
use crate::gitops::catalog::reach::{EnvironmentReach, ReachIndex};
use crate::gitops::catalog::read::LocatedSlot;
use crate::gitops::catalog::rule::Promotion;
use crate::gitops::discover::Discovery;
use crate::gitops::environment::promotion_order;
use crate::gitops::files::is_kustomization;
use crate::gitops::path;
use crate::gitops::purpose::Purpose;
use crate::gitops::repository::Repository;
use crate::slot::FileSlot;
use crate::slot::artifact::{ArtifactKind, compared_name, normalized_name, short_name};
use crate::slot::kinds::{CHART_FILE, HELMFILE_RELEASE, METADATA};
use crate::slot::marker::Marker;
use crate::slot::path::PathStep;
use ucp_core::model::image::ImageReference;
use ucp_core::model::state::Unreadable;

/// Version in a file, with its service and environments.
#[derive(Debug, Clone)]
pub struct CatalogPlace {
    /// File, relative to the root of the repository.
    pub file: String,
    /// Slot of the version in the file.
    pub slot: FileSlot,
    /// Name of the service.
    pub service: String,
    /// Environments that the version reaches.
    pub reach: EnvironmentReach,
    /// All names that the user may type for it.
    pub names: BTreeMap<String, NameFit>,
    /// Purpose of its file.
    pub purpose: Purpose,
    /// File and path with the environment replaced: equal for the places of one thing in several environments.
    pub pattern: String,
    /// True if a rule of `promote` names other values of its file, so that this one is never copied.
    pub stays: bool,
    /// True if a rule of `promote` names it.
    is_named_by_rule: bool,
    /// Name of the artifact if the file does not contain one: from a rule, or its path without the environment.
    title: Option<String>,
    /// Further names of its environment.
    labels: Vec<EnvironmentLabel>,
}

/// Catalog of all versions in a repository.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Places, by file and line.
    pub places: Vec<CatalogPlace>,
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Files that probably contain versions, by their names, and that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// Files that are not read because of their size, such as bundles of definitions.
    pub oversized: Vec<String>,
    reaches: ReachIndex,
    deployments: Vec<DeclaredDeployment>,
    /// Indices of the deployments that read each file.
    readers: HashMap<String, Vec<usize>>,
    /// Directories of kustomizations with values that a rule of `promote` names.
    ruled: BTreeSet<String>,
}

/// Kinds of objects that deploy something of their own: in the overlay of a whole cluster, each is a service.
const RELEASES: [&str; 7] =
    ["HelmRelease", "HelmChart", "Application", "ApplicationSet", "Kustomization", "OCIRepository", "GitRepository"];

/// Returns the name of the release in a helmfile that contains a slot.
fn helmfile_release(slot: &FileSlot) -> Option<&str> {
    slot.name.as_deref().filter(|_| slot.by == HELMFILE_RELEASE && slot.object.is_none())
}

impl CatalogPlace {
    /// Returns the name of the artifact, or its path if the file does not contain one.
    pub fn artifact(&self) -> String {
        self.title.clone().or_else(|| self.slot.artifact.clone()).unwrap_or_else(|| self.slot.path.to_string())
    }

    /// Returns the name of its artifact for comparisons.
    pub fn compared_artifact(&self) -> Option<String> {
        self.slot.artifact.as_deref().map(|artifact| compared_name(artifact, self.slot.what))
    }

    /// Returns true if it is a version of the same artifact as another one, which the files name.
    pub fn shares_artifact(&self, other: &Self) -> bool {
        self.slot.what == other.slot.what
            && self.slot.artifact.is_some()
            && self.compared_artifact() == other.compared_artifact()
    }

    /// Returns true if a rule of `promote` names it.
    pub fn is_named_by_rule(&self) -> bool {
        self.is_named_by_rule
    }

    /// Returns true if an object that deploys something of its own contains it.
    pub fn is_in_release(&self) -> bool {
        self.slot.object.as_ref().is_some_and(|object| RELEASES.contains(&object.kind.as_str()))
    }

    /// Returns the name of the release that contains it: that of an object, or of an entry in a helmfile.
    pub fn release(&self) -> Option<&str> {
        match &self.slot.object {
            Some(object) => Some(object.name.as_str()).filter(|_| self.is_in_release()),
            None => helmfile_release(&self.slot),
        }
    }

    /// Returns true for a label or annotation, which repeats a version that is declared elsewhere.
    pub fn is_metadata(&self) -> bool {
        self.slot.by == METADATA
    }

    /// Returns true for a version of a chart of this repository: in its own `Chart.yaml`, that of its application, and in a
    /// dependency without a repository or with a local one, which Helm compares with the chart's own version.
    pub fn is_own_version_of_chart(&self) -> bool {
        let is_own = match self.slot.path.steps.as_slice() {
            [PathStep::Key(key)] => key == "version" || key == "appVersion",
            [PathStep::Key(list), ..] if list == "dependencies" => {
                let repository = self.slot.origins.iter().find(|(key, _)| *key == "repository");
                repository.is_none_or(|(_, address)| address.starts_with("file:"))
            }
            _ => false,
        };
        self.slot.by == CHART_FILE && is_own
    }

    /// Returns the environment, if it belongs to exactly one.
    pub fn environment(&self) -> Option<&str> {
        match &self.reach {
            EnvironmentReach::One(label) => Some(&label.name),
            EnvironmentReach::Shared(_) | EnvironmentReach::Everywhere => None,
        }
    }

    /// Returns true for an entry in the `images` of a kustomization.
    pub fn is_image_entry(&self, repository: &Repository) -> bool {
        let kustomization = repository.kustomizations.get(path::parent(&self.file));
        let first = self.slot.path.steps.first();
        kustomization.is_some_and(|kustomization| kustomization.file == self.file)
            && matches!(first, Some(PathStep::Key(key)) if key == "images" || key == "imageTags")
    }
}

impl Catalog {
    /// Reads all files of a repository that may contain versions.
    pub fn read(repository: &Repository, discovery: &Discovery) -> Self {
        let rules = rule::VersionRules::new(&repository.config, discovery);
        let read = read::files(repository, &rules);
        let reaches = ReachIndex::new(repository, discovery, &read.deployments, &read.generated);
        let mut places = Vec::new();
        for found in read.found {
            let rule = rules.for_file(&found.file);
            let purpose = match (&rule, found.is_generated) {
                // A rule says that the file is written here.
                (Some(_), _) if reaches.purpose(&found.file) == Purpose::Generated => Purpose::Deployed,
                (None, true) => Purpose::Generated,
                _ => reaches.purpose(&found.file),
            };
            let located = |stands| place(&reaches, rule.as_ref(), (&found.file, purpose), stands);
            places.extend(found.slots.into_iter().map(located));
        }
        places.retain(|place: &CatalogPlace| !repository.config.ignore.contains(&place.service));
        pattern::pair_repeated_names(&mut places);
        tables::assign_cells(&mut places);
        items::assign_titles(&mut places);
        let mut names: BTreeSet<&str> = discovery.environments.iter().map(String::as_str).collect();
        names.extend(places.iter().flat_map(|place| place.reach.environments()));
        let environments = promotion_order(names, &repository.config.environments);
        let ruled = places.iter().filter(|place| place.is_named_by_rule && is_kustomization(&place.file));
        let ruled = ruled.map(|place| path::parent(&place.file).to_owned()).collect();
        let mut readers: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, deployment) in read.deployments.iter().enumerate() {
            for file in deployment.files.iter().collect::<BTreeSet<_>>() {
                readers.entry(file.clone()).or_default().push(position);
            }
        }
        Self {
            places,
            environments,
            unreadable: read.unreadable,
            oversized: read.oversized,
            reaches,
            deployments: read.deployments,
            readers,
            ruled,
        }
    }

    /// Returns the deployments that override versions themselves.
    pub fn overrides(&self) -> impl Iterator<Item = &DeclaredDeployment> {
        self.deployments.iter().filter(|deployment| !deployment.images.is_empty() || !deployment.parameters.is_empty())
    }

    /// Returns true if all Flux Kustomizations of the directories of a deployment set the version of an image.
    pub fn is_set_by_all(&self, deployment: &DeclaredDeployment, image: &str) -> bool {
        let is_of_flux = |other: &&DeclaredDeployment| {
            other.engine == FLUX && other.directories.iter().any(|one| deployment.directories.contains(one))
        };
        self.deployments.iter().filter(is_of_flux).all(|other| other.images.iter().any(|name| name == image))
    }

    /// Returns true if a rule of `promote` names values of the kustomization in this directory: only these are copied.
    pub fn is_ruled(&self, directory: &str) -> bool {
        self.ruled.contains(directory)
    }

    /// Returns the deployments that read a file outside of their directories: Applications, by their values files.
    pub fn readers(&self, file: &str) -> impl Iterator<Item = &DeclaredDeployment> {
        self.readers.get(file).into_iter().flatten().map(|position| &self.deployments[*position])
    }

    /// Returns the directories of the deployments that read a file.
    pub fn deployed_by(&self, file: &str) -> impl Iterator<Item = &str> {
        self.readers(file).flat_map(|deployment| deployment.directories.iter().map(String::as_str))
    }

    /// Returns true if a place belongs to this environment only.
    pub fn is_in(&self, place: &CatalogPlace, environment: &str) -> bool {
        let EnvironmentReach::One(label) = &place.reach else { return false };
        label.name == environment
            || place.labels.iter().any(|label| label.name == environment)
            || self.reaches.aliases(&label.name).any(|alias| alias == environment)
    }

    /// Returns true if this name of an environment is known.
    pub fn knows(&self, environment: &str) -> bool {
        self.environments.iter().any(|name| name == environment)
            || self.places.iter().any(|place| self.is_in(place, environment))
    }

    /// Returns the names of all services.
    pub fn services(&self) -> BTreeSet<&str> {
        self.places.iter().map(|place| place.service.as_str()).collect()
    }
}

fn place(
    reaches: &ReachIndex,
    rule: Option<&rule::FileRules>,
    (file, purpose): (&str, Purpose),
    LocatedSlot { slot, object, item }: LocatedSlot,
) -> CatalogPlace {
    let keys: Vec<&str> = slot.path.keys().collect();
    let mut labels = reaches.labels(file);
    let mut key_labels = layout::key_labels(keys.iter().copied());
    let mut step = key_labels.last().and_then(|label| slot.path.key_position(&label.name));
    if let Some(item) = item {
        step = Some(item.step);
        let (name, because) = (item.environment, item.because);
        key_labels.push(EnvironmentLabel { name, because, by_word: true, part: None });
    }
    let mut reach = match key_labels.last() {
        Some(label) => EnvironmentReach::One(label.clone()),
        None if purpose == Purpose::Sample => EnvironmentReach::Everywhere,
        None => reaches.file_reach(file),
    };
    labels.extend(key_labels);
    if let Some(label) = rule.and_then(|rule| rule.environment(&slot.path)) {
        reach = EnvironmentReach::One(label.clone());
        labels.push(label);
    } else if rule.is_some_and(rule::FileRules::is_shared) {
        reach = EnvironmentReach::Everywhere;
    }
    let shared = match &reach {
        EnvironmentReach::One(label) if slot.what == ArtifactKind::Package => {
            slot.artifact.as_deref().and_then(|artifact| url::shared_address(artifact, &label.name))
        }
        _ => None,
    };
    let artifact = shared.as_deref().or(slot.artifact.as_deref()).map(|artifact| (artifact, short_name(artifact)));
    let object = object.as_ref().map(|(kind, name)| (kind.as_str(), name.as_str()));
    let site = NamingContext { file, keys: &keys, object, artifact };
    let ruled = rule.and_then(|rule| rule.service(&slot.path));
    let is_release = object.is_some_and(|(kind, _)| RELEASES.contains(&kind)) && reaches.is_in_overlay_of_cluster(file);
    let service = ruled
        .clone()
        .or_else(|| naming::service(&site, &labels).filter(|_| is_release))
        .or_else(|| reaches.service_of(file).map(str::to_owned))
        .or_else(|| naming::service(&site, &labels))
        .or_else(|| artifact.map(|(_, short)| short.to_owned()))
        .or_else(|| naming::by_keys(&keys))
        .unwrap_or_else(|| "app".to_owned());
    let policy = match &slot.marker {
        Some(Marker::Flux { policy, .. }) => Some(policy.as_str()),
        _ => None,
    };
    let mut names = naming::names(&site, &service, policy, &labels);
    if let Some((artifact, short)) = artifact {
        let normalized = normalized_name(artifact);
        let fit = if normalized.contains('/') { NameFit::Exact } else { NameFit::Artifact };
        names.insert(naming::normalize_name(normalized), fit);
        names.entry(naming::normalize_name(&compared_name(artifact, slot.what))).or_insert(NameFit::Exact);
        // If an artifact has several places, a rule decides which one has the name of the service.
        if ruled.is_some_and(|service| naming::normalize_name(&service) == naming::normalize_name(short)) {
            names.insert(naming::normalize_name(short), NameFit::Exact);
        }
    }
    // A patch of a release omits the chart, which usually has the name of the release.
    let is_unnamed_chart = artifact.is_none() && slot.what == ArtifactKind::Chart;
    if is_unnamed_chart && object.is_some_and(|(kind, _)| kind == "HelmRelease") {
        let release = object.map(|(_, name)| naming::normalize_name(name)).filter(|name| !name.is_empty());
        names.extend(
            release.into_iter().chain([naming::normalize_name(&service)]).map(|name| (name, NameFit::Artifact)),
        );
    }
    if let Some(release) = helmfile_release(&slot) {
        names.entry(naming::normalize_name(release)).or_insert(NameFit::Service);
    }
    // The name next to a version in a list of other programs: `- {name: a.b, version: 1.2.3}`.
    if let Some(named) = slot.name.as_deref().filter(|_| slot.artifact.is_none()) {
        names.entry(naming::normalize_name(named)).or_insert(NameFit::Service);
    }
    // `owner/name`, as people write images, and the repositories of bases and sources.
    if let Some(owned) = artifact.and_then(|(artifact, _)| naming::with_owner(artifact, slot.what)) {
        let short = short_name(&owned);
        names.entry(naming::normalize_name(short)).or_insert(NameFit::Artifact);
        names.entry(naming::normalize_name(&owned)).or_insert(NameFit::Exact);
    }
    // The name that an entry of a kustomization gives to its image.
    if slot.entry.is_some() {
        for name in slot.beside.iter().map(|name| ImageReference::split(name).name) {
            naming::add_artifact(&mut names, &name);
        }
    }
    // The artifact that Renovate looks up, which the file may name otherwise.
    if let Some(looked_up) = slot.looked_up() {
        naming::add_artifact(&mut names, looked_up);
    }
    let promotion = rule.map_or(Promotion::Unruled, |rule| rule.promotion(&slot.path));
    let (title, pattern) = match promotion {
        Promotion::Named { file, pattern } => {
            let title = format!("{file}:{pattern}");
            (Some(title.clone()), title)
        }
        Promotion::Unruled | Promotion::Left => {
            let of_item = || step.filter(|_| slot.artifact.is_none()).map(|step| slot.path.with_wildcard(step));
            let title = shared.clone().or_else(of_item);
            (title, pattern::pattern(reaches, file, &slot, &labels, &reach))
        }
    };
    if let Some(artifact) = slot.artifact.as_deref().filter(|_| shared.is_some()) {
        names.entry(naming::normalize_name(normalized_name(artifact))).or_insert(NameFit::Exact);
    }
    // The command `images` prints the path if there is no artifact; a single key is one name among others.
    if slot.artifact.is_none() && slot.path.steps.len() > 1 {
        names.insert(naming::normalize_name(&slot.path.to_string()), NameFit::Exact);
    }
    let stays = promotion == Promotion::Left;
    let is_named_by_rule = matches!(promotion, Promotion::Named { .. });
    CatalogPlace {
        file: file.to_owned(),
        service,
        reach,
        names,
        purpose,
        pattern,
        stays,
        is_named_by_rule,
        title,
        labels,
        slot,
    }
}
