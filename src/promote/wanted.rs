//! One requested version: the edits to set it, or the reason why it remains.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::promote::edits::OpenedFile;
use crate::promote::effect;
use crate::promote::facts::PlanningFacts;
use crate::promote::policy::{MutableTags, Policy, owner_warning};
use crate::promote::refusal::VersionRefusal;
use crate::report::promotion::VersionUpdate;
use ucp_core::failure::Failure;
use ucp_core::model::image::ImageVersion;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::effective::placement::{self, Dependents};
use ucp_repo::gitops::effective::{BuiltKustomization, DeployedImage, VersionSource};
use ucp_repo::gitops::kustomization::{Kustomization, KustomizationTarget};
use ucp_repo::gitops::repository::message;
use ucp_repo::slot::artifact::ArtifactKind;
use ucp_repo::slot::{FileSlot, SlotEdit};

/// One requested version and its target.
#[derive(Debug)]
pub(crate) struct WantedVersion<'a> {
    pub(crate) target: VersionTarget<'a>,
    /// `tag`, `tag@digest`, a digest, a chart version, or a branch, as it is written to the file.
    pub(crate) version: String,
    /// The rule for mutable tags.
    pub(crate) mutable_tags: MutableTags,
}

/// The target of a version.
#[derive(Debug, Clone)]
pub(crate) enum VersionTarget<'a> {
    /// An image of an overlay, by its name in the manifests: in the entry that determines its version, or in a new one.
    Image {
        overlay: &'a Overlay,
        origin: String,
        /// The overlay that the version is copied from, if any.
        from: Option<&'a Overlay>,
    },
    /// A place that already has a version.
    Place(&'a CatalogPlace),
}

/// The result of planning one version.
pub(crate) enum VersionStep {
    /// No edits are needed: the version is declared already.
    Declared(String),
    /// Edits of one file.
    Edits(Box<RowEdits>),
}

/// Edits of one file for one row of a plan.
pub(crate) struct RowEdits {
    pub(crate) edits: Vec<SlotEdit>,
    pub(crate) change: VersionUpdate,
    /// The entry of `images` that contains the version, if any.
    pub(crate) entry: Option<String>,
    pub(crate) warnings: Vec<String>,
}

impl<'a> VersionTarget<'a> {
    /// Returns the service of the target.
    pub(crate) fn service(&self) -> &'a str {
        match self {
            Self::Image { overlay, .. } => &overlay.service,
            Self::Place(place) => &place.service,
        }
    }

    /// Returns the artifact of the version.
    pub(crate) fn artifact(&self) -> String {
        match self {
            Self::Image { origin, .. } => origin.clone(),
            Self::Place(place) => place.artifact(),
        }
    }

    /// Returns the place, if the target is one.
    pub(crate) fn place(&self) -> Option<&'a CatalogPlace> {
        match self {
            Self::Place(place) => Some(place),
            Self::Image { .. } => None,
        }
    }
}

/// Determines the edits for requested versions.
#[derive(Debug)]
pub(crate) struct VersionPlanner<'a> {
    facts: &'a PlanningFacts<'a>,
    dependents: Dependents<'a>,
    opened: RefCell<HashMap<String, Result<Rc<OpenedFile>, Failure>>>,
}

impl<'a> VersionPlanner<'a> {
    pub(crate) fn new(facts: &'a PlanningFacts<'a>) -> Self {
        Self { facts, dependents: Dependents::new(facts.repository, facts.discovery), opened: RefCell::default() }
    }

    /// Returns a file of the repository with its slots. Files are read once.
    pub(crate) fn open(&self, file: &str) -> Result<Rc<OpenedFile>, Failure> {
        if let Some(opened) = self.opened.borrow().get(file) {
            return opened.clone();
        }
        let read = || {
            let text = self.facts.repository.read_for_edit(file).map_err(|error| message(&error))?;
            OpenedFile::read(file, &text)
        };
        let opened = read().map(Rc::new);
        self.opened.borrow_mut().insert(file.to_owned(), opened.clone());
        opened
    }

    /// Returns the edits to set a version.
    pub(crate) fn step(&self, wanted: &WantedVersion<'a>) -> Result<VersionStep, VersionRefusal> {
        let policy = Policy { mutable_tags: wanted.mutable_tags, ..self.facts.policy };
        match &wanted.target {
            VersionTarget::Image { overlay, origin, from } => {
                self.image(overlay, origin, *from, &wanted.version, policy)
            }
            VersionTarget::Place(place) => self.place(place, &wanted.version, policy),
        }
    }

    fn image(
        &self,
        overlay: &'a Overlay,
        origin: &str,
        from: Option<&'a Overlay>,
        text: &str,
        policy: Policy,
    ) -> Result<VersionStep, VersionRefusal> {
        let version = &ImageVersion::parse(text);
        let service = &overlay.service;
        let unread = |failure: Failure| VersionRefusal::File { service: service.clone(), reason: failure.into() };
        let built = self.facts.builder.build(&overlay.directory).map_err(unread)?;
        let images = built.with_origin(origin);
        let versions = placement::versions(&images);
        if versions.len() == 1 && versions.contains(version) {
            return Ok(VersionStep::Declared(version.to_string()));
        }
        if versions.len() > 1 {
            return Err(several_versions_refusal(overlay, &versions));
        }
        let before = versions.into_iter().next().unwrap_or_default();
        let judgement = policy.judge(&before, version)?;
        let kustomization = self.kustomization(overlay).map_err(unread)?;
        if let Some(other) = self.dependents.in_another_environment(overlay) {
            let (by, environment) = (other.directory.clone(), other.environment.clone());
            return Err(VersionRefusal::Shared { file: kustomization.file.clone(), by, environment });
        }
        let own = || self.in_its_manifest(kustomization, &images);
        if let Some(place) = self.in_a_patch(overlay, &images).or_else(own) {
            return self.place(place, text, policy);
        }
        let place = match images.is_empty() {
            // The workload is in a base of another repository, so that a new entry with this name is required.
            true => placement::EntryPlacement { entry: origin.to_owned(), position: None },
            false => placement::find_entry(kustomization, &built, &images)
                .map_err(|reason| VersionRefusal::Entry { service: service.clone(), reason })?,
        };
        effect::check_entry(self.facts, kustomization, &images)?;
        if let Some(other) = placement::also_reached(&built, &place.entry, origin) {
            return Err(VersionRefusal::AlsoReaches {
                service: service.clone(),
                entry: place.entry.clone(),
                position: place.position.unwrap_or(kustomization.images.len()),
                other: other.to_owned(),
            });
        }
        let opened = self.open(&kustomization.file).map_err(unread)?;
        let source = from.and_then(|from| self.open(&self.kustomization(from).ok()?.file).ok());
        let mut edits = pinned_reference_edits(&opened, &before, version, source.as_deref())?;
        edits.push(SlotEdit::Entry { name: place.entry.clone(), version: version.clone() });
        let name = format!("{service} in {}: {origin}", overlay.environment);
        let mut warnings = warnings(&name, &kustomization.file, &built, &place, &images, version);
        warnings.extend(opened.entry(&place.entry).find_map(|slot| owner_warning(&name, slot)));
        warnings.extend(judgement.warning.map(|warning| format!("{name}: {warning}")));
        let change = VersionUpdate {
            service: Some(service.clone()),
            image: origin.to_owned(),
            file: kustomization.file.clone(),
            line: 0,
            before: before.to_string(),
            after: version.to_string(),
            direction: judgement.direction,
            pulled: Some(images.first().map_or_else(|| origin.to_owned(), |image| image.reference.name.clone())),
        };
        Ok(VersionStep::Edits(Box::new(RowEdits { edits, change, entry: Some(place.entry), warnings })))
    }

    fn place(&self, place: &'a CatalogPlace, version: &str, policy: Policy) -> Result<VersionStep, VersionRefusal> {
        let (artifact, before) = (place.artifact(), place.slot.full_version());
        if before == version {
            return Ok(VersionStep::Declared(version.to_string()));
        }
        let judgement = policy.judge_slot(&place.slot, version)?;
        effect::check_place(self.facts, place)?;
        let name = format!("{}: {artifact}", place.service);
        let warning = judgement.warning.map(|warning| format!("{name}: {warning}"));
        let change = VersionUpdate {
            service: Some(place.service.clone()),
            image: artifact,
            file: place.file.clone(),
            line: place.slot.line,
            before,
            after: version.to_owned(),
            direction: judgement.direction,
            pulled: place.slot.artifact.clone().filter(|_| place.slot.what == ArtifactKind::Image),
        };
        let warnings = warning.into_iter().chain(owner_warning(&name, &place.slot)).collect();
        Ok(VersionStep::Edits(Box::new(RowEdits {
            edits: vec![SlotEdit::set_version(&place.slot, version)],
            change,
            entry: None,
            warnings,
        })))
    }

    /// Returns the place of images that a patch of the overlay sets.
    fn in_a_patch(&self, overlay: &Overlay, images: &[&DeployedImage]) -> Option<&'a CatalogPlace> {
        let file = |image: &&DeployedImage| match &image.set_by {
            VersionSource::Patch { directory, file } if *directory == overlay.directory => {
                Some((file.clone(), image.reference.name.clone()))
            }
            _ => None,
        };
        let files: BTreeSet<(String, String)> = images.iter().map(file).collect::<Option<_>>()?;
        let (file, name) = files.first().filter(|_| files.len() == 1)?;
        let here = |place: &&CatalogPlace| place.file == *file && place.slot.artifact.as_deref() == Some(name);
        let mut places = self.facts.catalog.places.iter().filter(here);
        let mut places = places.by_ref().filter(|place| !place.is_image_entry(self.facts.repository));
        places.next().filter(|_| places.next().is_none())
    }

    /// Returns the place of an image in a manifest of the overlay itself, which is edited rather than overridden.
    fn in_its_manifest(&self, overlay: &Kustomization, images: &[&DeployedImage]) -> Option<&'a CatalogPlace> {
        let [image] = images else { return None };
        if image.set_by != VersionSource::Manifest {
            return None;
        }
        let is_own = |file: &str| {
            overlay.resources.iter().any(|target| matches!(target, KustomizationTarget::Local(path) if path == file))
        };
        let here = |place: &&CatalogPlace| {
            place.slot.what == ArtifactKind::Image
                && place.slot.artifact.as_deref() == Some(image.reference.name.as_str())
                && is_own(&place.file)
        };
        let mut places = self.facts.catalog.places.iter().filter(here);
        places.next().filter(|_| places.next().is_none())
    }

    fn kustomization(&self, overlay: &Overlay) -> Result<&'a Kustomization, Failure> {
        let found = self.facts.repository.kustomizations.get(&overlay.directory);
        found.ok_or_else(|| format!("{} contains no kustomization", overlay.directory).into())
    }
}

/// Returns the warnings about an entry that gets a version.
fn warnings(
    name: &str,
    file: &str,
    built: &BuiltKustomization,
    place: &placement::EntryPlacement,
    images: &[&DeployedImage],
    version: &ImageVersion,
) -> Vec<String> {
    let unseen = built.missing.iter().map(|reason| format!("{name}: the overlay was not read completely: {reason}"));
    let mut warnings: Vec<String> = unseen.collect();
    if place.position.is_none() {
        warnings.push(format!("{name} came from a base or component so far; {file} gets an entry for it"));
    }
    if !images.is_empty() && !built.may_deploy(images) {
        warnings.push(format!("{name}: no workload uses it"));
    }
    let port = images.iter().any(|image| image.reference.name.contains(':'));
    if built.splits_images && (port || version.digest.is_some()) {
        warnings.push(format!("{name}: a replacement cuts the image at a colon, and there is more than one"));
    }
    warnings
}

/// Returns the refusal for an environment that deploys an image in more than one version.
pub(crate) fn several_versions_refusal(overlay: &Overlay, versions: &BTreeSet<ImageVersion>) -> VersionRefusal {
    let versions = versions.iter().map(ImageVersion::to_string).collect();
    let (service, environment) = (overlay.service.clone(), overlay.environment.clone());
    VersionRefusal::Several { service, environment, versions }
}

/// Returns edits for the Git references of the overlay that are pinned to the tag of the image. They change together
/// with it, as they did in the source environment.
fn pinned_reference_edits(
    overlay: &OpenedFile,
    before: &ImageVersion,
    after: &ImageVersion,
    from: Option<&OpenedFile>,
) -> Result<Vec<SlotEdit>, VersionRefusal> {
    let Some(old) = &before.tag else { return Ok(Vec::new()) };
    let pinned: Vec<&FileSlot> = overlay.references().filter(|slot| slot.version == *old).collect();
    let Some(first) = pinned.first() else { return Ok(Vec::new()) };
    let url = first.artifact.as_deref().unwrap_or(&first.value);
    let Some(new) = &after.tag else {
        let reason = format!("{url} is pinned to ?ref={old}, and a digest does not identify a commit");
        return Err(VersionRefusal::Pinned { reason, path: first.path.to_string() });
    };
    let elsewhere = |slot: &&FileSlot| {
        let mut same =
            from.into_iter().flat_map(OpenedFile::references).filter(|other| other.artifact == slot.artifact);
        same.find(|other| other.version != *new).map(|other| other.version.clone())
    };
    if let Some(pin) = pinned.iter().find_map(elsewhere) {
        let reason = format!("{url} is pinned to ?ref={pin} there, not to {new}");
        return Err(VersionRefusal::Pinned { reason, path: first.path.to_string() });
    }
    Ok(pinned.into_iter().map(|slot| SlotEdit::Version(Box::new(slot.clone()), new.clone())).collect())
}
