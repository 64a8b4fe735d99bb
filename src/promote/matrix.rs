//! The matrix of services and environments, with declared and running versions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::promote::facts::PlanningFacts;
use crate::promote::running::{RunningDeployer, RunningDeployers, RunningImages};
use crate::report::images::{
    self as report, EnvironmentVersions, ImageMatrix, ImageRow, ServiceRow, SlotExplanation, SlotRow,
};
use ucp_core::failure::Failure;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::image::{ImageReference, ImageVersion, fully_qualified_name};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::Unreadable;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::effective::{BuiltKustomization, DeployedImage, VersionSource, placement};
use ucp_repo::gitops::path;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::slot::artifact::ArtifactKind;

/// The column for versions common to all environments, or of a repository without environments.
pub const ALL: &str = "all";

/// The filter of the matrix.
#[derive(Debug, Default)]
pub struct MatrixFilter {
    /// Only these services; empty for all.
    pub services: BTreeSet<String>,
    /// Only these kinds of artifacts; empty for all.
    pub kinds: Vec<ArtifactKind>,
    /// Rows of labels and annotations.
    pub labels: LabelRows,
}

/// Whether versions in labels and annotations have rows. They repeat versions that are declared elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelRows {
    /// They have none.
    #[default]
    Hidden,
    /// They have.
    Shown,
}

impl MatrixFilter {
    fn shows(&self, place: &CatalogPlace) -> bool {
        self.labels == LabelRows::Shown || !place.is_metadata()
    }
}

/// The rows of one service under construction, by kind and name.
type ServiceRows = BTreeMap<(ArtifactKind, String), BTreeMap<String, MatrixCell>>;

/// Indices of image entries, by the directory of their kustomization.
type ImageEntriesByDirectory<'facts> = HashMap<&'facts str, Vec<usize>>;

/// The versions of one artifact in one environment.
#[derive(Default)]
struct MatrixCell {
    declared: BTreeSet<String>,
    running: BTreeSet<String>,
    runs: Option<report::RunningState>,
    slots: BTreeSet<SlotRow>,
}

/// The input for running versions.
#[derive(Debug, Clone, Copy)]
pub struct RunningInput<'r> {
    /// The deployers of the cluster.
    pub running: &'r RunningDeployers,
    /// The remotes of the repository.
    pub remotes: &'r [String],
}

/// Returns the versions of all services that match the filter, and the facts that are unknown about the cluster.
/// `asked` is `None` without a cluster. The `unreadable` field of the document contains only problems of the
/// repository.
pub fn matrix(
    facts: &PlanningFacts<'_>,
    filter: &MatrixFilter,
    asked: Option<RunningInput<'_>>,
) -> (ImageMatrix, Vec<Unreadable>) {
    let (mut unreadable, mut doubts) = (Vec::new(), Vec::new());
    let mut services: BTreeMap<&str, ServiceRows> = BTreeMap::new();
    let mut followed = BTreeSet::new();
    let mut entries: ImageEntriesByDirectory<'_> = HashMap::new();
    for (index, place) in facts.catalog.places.iter().enumerate() {
        if place.is_image_entry(facts.repository) {
            entries.entry(path::parent(&place.file)).or_default().push(index);
        }
    }
    let mut by_artifact: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, place) in
        facts.catalog.places.iter().enumerate().filter(|(_, place)| place.slot.what == ArtifactKind::Image)
    {
        if let Some(artifact) = place.slot.artifact.as_deref() {
            by_artifact.entry(artifact).or_default().push(index);
        }
    }
    let wanted = |service: &str| filter.services.is_empty() || filter.services.contains(service);
    for overlay in facts.discovery.overlays.iter().filter(|overlay| wanted(&overlay.service)) {
        let rows = services.entry(&overlay.service).or_default();
        let missing = add_overlay(facts, overlay, asked, rows, (&by_artifact, &entries), &mut followed);
        let missing = missing.unwrap_or_else(|reason| BTreeSet::from([reason.into()]));
        unreadable.extend(missing.into_iter().map(|reason| Unreadable { what: overlay.directory.clone(), reason }));
        if let Some(asked) = asked {
            doubts.extend(asked.deployers(facts, &overlay.directory).into_iter().filter_map(unknown_facts));
        }
    }
    let is_deployed = |place: &&CatalogPlace| place.purpose == Purpose::Deployed;
    let sources: HashSet<_> = facts
        .catalog
        .places
        .iter()
        .filter(is_deployed)
        .filter_map(|place| Some((place.slot.what, place.compared_artifact()?)))
        .collect();
    // A generated copy repeats a version that is declared at its source.
    let is_copy = |place: &CatalogPlace| {
        let is_source = |artifact| sources.contains(&(place.slot.what, artifact));
        place.purpose == Purpose::Generated && place.compared_artifact().is_some_and(is_source)
    };
    let declared: BTreeSet<String> = match asked {
        Some(_) => by_artifact.keys().map(|name| fully_qualified_name(name)).collect(),
        None => BTreeSet::new(),
    };
    for (index, place) in facts.catalog.places.iter().enumerate() {
        if followed.contains(&index) || !wanted(&place.service) || !filter.shows(place) || is_copy(place) {
            continue;
        }
        let rows = services.entry(&place.service).or_default();
        let row = rows.entry((place.slot.what, place.artifact())).or_default();
        let environments = place.reach.environments();
        let environments = if environments.is_empty() { vec![ALL] } else { environments };
        let deployer = asked.map(|asked| asked.deployer(facts, place));
        doubts.extend(deployer.flatten().and_then(unknown_facts));
        for environment in environments {
            let cell = row.entry(environment.to_owned()).or_default();
            cell.declared.insert(place.slot.full_version());
            cell.slots.insert(slot_row(place));
            match deployer {
                Some(Some(deployer)) => cell.add_running_place(facts, deployer, place, &declared),
                Some(None) => cell.worsen(report::RunningState::NotCompared),
                None => {}
            }
        }
    }
    for entries in [&mut unreadable, &mut doubts] {
        entries.sort();
        entries.dedup();
    }
    let is_asked = |what: ArtifactKind| filter.kinds.is_empty() || filter.kinds.contains(&what);
    let mut environments: Vec<String> = facts.catalog.environments.clone();
    let services: Vec<ServiceRow> = services
        .into_iter()
        .map(|(name, rows)| {
            let rows = rows.into_iter().filter(|((what, _), _)| is_asked(*what));
            let images = rows.map(|((kind, name), cells)| ImageRow {
                name,
                kind,
                versions: cells.into_iter().map(|(environment, cell)| (environment, cell.versions())).collect(),
            });
            ServiceRow { name: name.to_owned(), core: None, images: images.collect() }
        })
        .filter(|service| !service.images.is_empty() || filter.kinds.is_empty())
        .collect();
    let used: BTreeSet<&String> =
        services.iter().flat_map(|service| &service.images).flat_map(|image| image.versions.keys()).collect();
    if used.contains(&ALL.to_owned()) && !environments.iter().any(|name| name == ALL) {
        environments.insert(0, ALL.to_owned());
    }
    environments.retain(|name| used.contains(name));
    let path = facts.repository.top.display().to_string();
    (ImageMatrix::new(path, environments, services, unreadable), doubts)
}

/// Adds the versions that an overlay deploys as kustomize builds it, with their places. Returns the reasons for parts
/// that could not be read.
fn add_overlay(
    facts: &PlanningFacts<'_>,
    overlay: &Overlay,
    asked: Option<RunningInput<'_>>,
    rows: &mut ServiceRows,
    (by_artifact, entries): (&HashMap<&str, Vec<usize>>, &ImageEntriesByDirectory<'_>),
    followed: &mut BTreeSet<usize>,
) -> Result<BTreeSet<String>, Failure> {
    if !facts.repository.kustomizations.contains_key(&overlay.directory)
        && !facts.repository.unreadable.contains_key(&overlay.directory)
    {
        return Ok(BTreeSet::new());
    }
    let built = facts.builder.build(&overlay.directory)?;
    // An entry that applies to no image has no effect, and gets no row.
    followed.extend(built.uses.iter().filter_map(|directory| entries.get(directory.as_str())).flatten());
    let deployers = asked.map(|asked| asked.deployers(facts, &overlay.directory));
    let declared = match deployers {
        Some(_) => built.images.iter().map(|image| fully_qualified_name(&image.reference.name)).collect(),
        None => BTreeSet::new(),
    };
    for (origin, deployed) in placement::by_origin(&built) {
        if !built.may_deploy(&deployed) {
            continue;
        }
        let row = rows.entry((ArtifactKind::Image, origin.to_owned())).or_default();
        let cell = row.entry(overlay.environment.clone()).or_default();
        let versions = placement::versions(&deployed);
        cell.declared.extend(versions.iter().filter(|version| !version.is_empty()).map(ImageVersion::to_string));
        if let Some(deployers) = &deployers {
            let names = deployed.iter().map(|image| image.reference.name.as_str()).collect();
            deployers.iter().for_each(|deployer| cell.add_running_image(deployer, &names, &declared));
            if deployers.is_empty() {
                cell.worsen(report::RunningState::NotCompared);
            }
        }
        let names: BTreeSet<&str> = deployed.iter().flat_map(|image| names_of(image)).collect();
        for index in names.iter().filter_map(|name| by_artifact.get(name)).flatten() {
            let place = &facts.catalog.places[*index];
            let entry = place.is_image_entry(facts.repository) && built.uses.contains(path::parent(&place.file));
            if entry || built.files.contains(&place.file) {
                followed.insert(*index);
            }
            if deployed.iter().any(|image| decides(facts, &built, image, place)) {
                cell.slots.insert(slot_row(place));
            }
        }
    }
    // An object that a patch deletes is not declared here, even if a manifest contains it.
    for index in built.deleted.iter().filter_map(|name| by_artifact.get(name.as_str())).flatten() {
        if built.files.contains(&facts.catalog.places[*index].file) {
            followed.insert(*index);
        }
    }
    Ok(built.missing.clone())
}

/// Returns an entry for unknown facts about a deployer.
fn unknown_facts(deployer: &RunningDeployer) -> Option<Unreadable> {
    Some(Unreadable { what: deployer.title.clone(), reason: deployer.unknown_reason()? })
}

impl<'r> RunningInput<'r> {
    /// Returns the deployers of an overlay: direct ones, deployers of something that builds on it, or those of a
    /// directory without a kustomization, for which Flux generates one.
    fn deployers(self, facts: &PlanningFacts<'_>, directory: &str) -> Vec<&'r RunningDeployer> {
        let direct = self.running.deployers_of_overlay(directory, self.remotes);
        if !direct.is_empty() {
            return direct;
        }
        let builds_on = |path: &str| facts.builder.build(path).is_ok_and(|built| built.uses.contains(directory));
        let through = self.running.deployers_of_paths(self.remotes, builds_on);
        if !through.is_empty() {
            return through;
        }
        let around = self.running.deployed_directories(directory, &[], self.remotes);
        let around = around.into_iter().filter(|around| !facts.repository.kustomizations.contains_key(*around));
        let found = around.flat_map(|around| self.running.deployers_of_overlay(around, self.remotes));
        found.filter(|deployer| deployer.engine == GitOps::Flux).collect()
    }

    /// Returns the only deployer of a place outside of overlays; `None` if several may deploy it.
    fn deployer(self, facts: &PlanningFacts<'_>, place: &CatalogPlace) -> Option<&'r RunningDeployer> {
        let file = place.file.as_str();
        let named: Vec<&str> = facts.catalog.deployed_by(file).collect();
        let directories = self.running.deployed_directories(file, &named, self.remotes);
        let mut found = directories.iter().flat_map(|directory| self.deployers(facts, directory)).collect::<Vec<_>>();
        if found.len() > 1 {
            let readers: Vec<&str> = facts.catalog.readers(file).map(|reader| reader.title.as_str()).collect();
            found.retain(|deployer| readers.iter().any(|title| deployer.is_declared_as(title)));
        }
        found.first().copied().filter(|_| found.len() == 1)
    }
}

/// Returns the names under which the image of a place may run: its own, and the one set by its entry.
fn names_at<'n>(facts: &'n PlanningFacts<'_>, place: &CatalogPlace, artifact: &'n str) -> BTreeSet<&'n str> {
    let kustomization = facts.repository.kustomizations.get(path::parent(&place.file));
    let entries = kustomization.filter(|_| place.is_image_entry(facts.repository)).into_iter();
    let entries = entries.flat_map(|kustomization| &kustomization.images).filter(|entry| entry.name == artifact);
    entries.filter_map(|entry| entry.new_name.as_deref()).chain([artifact]).collect()
}

/// Returns the names of an image in the steps of building the overlay.
fn names_of(image: &DeployedImage) -> [&str; 3] {
    [&image.origin, &image.incoming.name, &image.reference.name]
}

/// Returns true if a place determines the version of an image.
fn decides(facts: &PlanningFacts<'_>, built: &BuiltKustomization, image: &DeployedImage, place: &CatalogPlace) -> bool {
    let Some(artifact) = place.slot.artifact.as_deref() else { return false };
    let named = names_of(image).contains(&artifact);
    let entry = place.is_image_entry(facts.repository);
    named
        && match &image.set_by {
            VersionSource::Manifest => !entry && built.files.contains(&place.file) && !built.is_patch(&place.file),
            VersionSource::Patch { file, .. } => !entry && *file == place.file,
            VersionSource::Entry { directory } => entry && path::parent(&place.file) == directory,
            VersionSource::Later { .. } => false,
        }
}

fn slot_row(place: &CatalogPlace) -> SlotRow {
    SlotRow {
        file: place.file.clone(),
        line: place.slot.line,
        path: place.slot.path.to_string(),
        by: place.slot.by.to_owned(),
    }
}

/// Returns the reasons for all slots that match the filter.
pub fn explained(facts: &PlanningFacts<'_>, filter: &MatrixFilter) -> Vec<SlotExplanation> {
    let asked = |place: &&CatalogPlace| {
        filter.shows(place)
            && (filter.services.is_empty() || filter.services.contains(&place.service))
            && (filter.kinds.is_empty() || filter.kinds.contains(&place.slot.what))
    };
    let row = |place: &CatalogPlace| SlotExplanation {
        service: place.service.clone(),
        environments: place.reach.environments().into_iter().map(str::to_owned).collect(),
        name: scrub(&place.artifact()).into_owned(),
        version: place.slot.version.clone(),
        slot: slot_row(place),
        because: match place.purpose {
            Purpose::Generated => format!("{}; the file is generated", place.reach.because()),
            Purpose::Deployed | Purpose::Sample => place.reach.because(),
        },
    };
    facts.catalog.places.iter().filter(asked).map(row).collect()
}

impl MatrixCell {
    /// Adds the running versions of an image. If several deployers deploy it, the worst state is used.
    fn add_running_image(&mut self, deployer: &RunningDeployer, names: &BTreeSet<&str>, declared: &BTreeSet<String>) {
        let runs = match deployer.runs(names, declared) {
            RunningImages::Versions(versions) => {
                self.running.extend(versions.iter().filter(|version| !version.is_empty()).map(ImageVersion::to_string));
                if deployer.unfinished.is_some() {
                    report::RunningState::RollingOut
                } else {
                    report::RunningState::Declared
                }
            }
            RunningImages::Others(others) => {
                self.running.extend(others.iter().map(ImageReference::to_string));
                report::RunningState::Other
            }
            RunningImages::Nothing => report::RunningState::Nothing,
            RunningImages::Unknown(_) => report::RunningState::Unknown,
        };
        self.worsen(runs);
    }

    /// Adds the running versions of a place.
    fn add_running_place(
        &mut self,
        facts: &PlanningFacts<'_>,
        deployer: &RunningDeployer,
        place: &CatalogPlace,
        declared: &BTreeSet<String>,
    ) {
        let release = place.slot.object.as_ref().filter(|object| object.kind == "HelmRelease");
        let chart = release.and_then(|object| deployer.chart(&object.name, object.namespace.as_deref()));
        match (place.slot.what, place.slot.artifact.as_deref(), chart) {
            (ArtifactKind::Image, Some(artifact), _) => {
                self.add_running_image(deployer, &names_at(facts, place, artifact), declared)
            }
            (ArtifactKind::Chart, _, Some(Some(version))) => {
                self.running.insert(version.to_owned());
                self.worsen(report::RunningState::Declared);
            }
            (ArtifactKind::Chart, _, Some(None)) => self.worsen(report::RunningState::Nothing),
            _ => self.worsen(report::RunningState::NotCompared),
        }
    }

    fn worsen(&mut self, runs: report::RunningState) {
        self.runs = self.runs.max(Some(runs));
    }

    fn versions(self) -> EnvironmentVersions {
        let (declared, running) = (list(self.declared), list(self.running));
        let is_other = running.is_some() && running != declared;
        EnvironmentVersions {
            runs: self.runs.map(|runs| if is_other { runs.max(report::RunningState::Other) } else { runs }),
            declared,
            running,
            slots: self.slots.into_iter().collect(),
        }
    }
}

/// Joins versions with commas; `None` if there are none.
fn list(versions: BTreeSet<String>) -> Option<String> {
    let versions: Vec<String> = versions.into_iter().collect();
    if versions.is_empty() { None } else { Some(versions.join(", ")) }
}
