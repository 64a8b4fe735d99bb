//! From what is declared and what is asked to what changes: pure, so that a race at the remote can be planned again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::gitops::catalog::Place;
use crate::gitops::discover::Overlay;
use crate::gitops::effective::placement::{self, Dependents, Existing};
use crate::gitops::effective::{Built, Deployed, SetBy};
use crate::gitops::kustomization::Kustomization;
use crate::gitops::repository::message;
use crate::model::image::Version;
use crate::promote::edits::{Edits, Opened};
use crate::promote::effect;
use crate::promote::facts::Facts;
use crate::promote::policy::{MutableTags, Policy, owner_warning};
use crate::promote::refusal::Refusal;
use crate::report::promotion::{Change, FileEdit, Left, PromotionPlan, Weight};
use crate::slot::{Aliases, Edit, FileSlot};
use crate::yaml::YamlError;

/// One version that shall stand in one overlay.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) overlay: &'a Overlay,
    pub(crate) origin: String,
    pub(crate) version: Version,
    /// The overlay that the version comes from, where it comes from one.
    pub(crate) from: Option<&'a Overlay>,
}

/// A plan while it grows.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    facts: &'a Facts<'a>,
    dependents: Dependents<'a>,
    pub(crate) plan: PromotionPlan,
    /// What changes, by file.
    files: BTreeMap<String, Edits>,
    opened: RefCell<HashMap<String, Result<Rc<Opened>, String>>>,
    /// Whether values that follow a changed one may change with it.
    aliases: Aliases,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, plan: PromotionPlan, aliases: Aliases) -> Self {
        Self {
            facts,
            dependents: Dependents::of(facts.repository),
            plan,
            files: BTreeMap::new(),
            opened: RefCell::default(),
            aliases,
        }
    }

    /// A value that is as it should be.
    pub(crate) fn is_level(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(Left { weight: Weight::Level, ..left(service, image, reason) });
    }

    /// A value that something keeps.
    pub(crate) fn keep(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(left(service, image, reason));
    }

    pub(crate) fn refuse(&mut self, service: &str, image: &str, refusal: &Refusal) {
        self.plan.refused.push(refused(Some(service.to_owned()), image.to_owned(), refusal));
    }

    /// Plans one version, or says why not.
    pub(crate) fn want(&mut self, wanted: &Wanted<'a>) {
        let (service, origin) = (wanted.overlay.service.as_str(), wanted.origin.as_str());
        match self.consider(wanted) {
            Ok(Some(reason)) => self.is_level(service, origin, reason),
            Ok(None) => {}
            Err(refusal) => self.refuse(service, origin, &refusal),
        }
    }

    /// Answers with the reason to keep what stands there, if there is one.
    fn consider(&mut self, wanted: &Wanted<'a>) -> Result<Option<String>, Refusal> {
        let Wanted { overlay, origin, version, from } = wanted;
        let service = &overlay.service;
        let unread = |reason: String| Refusal::File { service: service.clone(), reason };
        let built = self.facts.builder.build(&overlay.directory).map_err(unread)?;
        let images = built.of_origin(origin);
        let versions = placement::versions(&images);
        if versions.len() == 1 && versions.contains(version) {
            return Ok(Some(format!("is {version} already")));
        }
        if versions.len() > 1 {
            return Err(several(overlay, &versions));
        }
        let before = versions.into_iter().next().unwrap_or_default();
        let judgement = self.facts.policy.judge(&before, version)?;
        let kustomization = self.kustomization(overlay).map_err(unread)?;
        if let Some(other) = self.dependents.in_another_environment(overlay, self.facts.discovery) {
            let (by, environment) = (other.directory.clone(), other.environment.clone());
            return Err(Refusal::Shared { file: kustomization.file.clone(), by, environment });
        }
        if let Some(place) = self.in_a_patch(overlay, &images) {
            self.want_at(place, &version.to_string(), self.facts.policy.mutable_tags);
            return Ok(None);
        }
        let place = match images.is_empty() {
            // The workload is in a base that is not in this repository; an entry of that name is the only way.
            true => placement::Place { entry: origin.clone(), existing: Existing::No },
            false => placement::place(kustomization, &built, &images)
                .map_err(|reason| Refusal::Entry { service: service.clone(), reason })?,
        };
        effect::of_entry(self.facts, kustomization, &images)?;
        if let Some(other) = placement::also_reached(&built, &place.entry, origin) {
            let position = kustomization.images.iter().position(|entry| entry.name == place.entry);
            return Err(Refusal::AlsoReaches {
                service: service.clone(),
                entry: place.entry.clone(),
                position: position.unwrap_or(kustomization.images.len()),
                other: other.to_owned(),
            });
        }
        let opened = self.open(&kustomization.file).map_err(unread)?;
        let source = from.and_then(|from| self.open(&self.kustomization(from).ok()?.file).ok());
        let pinned = lockstep(&opened, &before, version, source.as_deref())?;
        self.warn(wanted, &opened, &kustomization.file, &built, &place, judgement.warning);
        let change = Change {
            service: Some(overlay.service.clone()),
            image: origin.clone(),
            file: kustomization.file.clone(),
            line: 0,
            before: before.to_string(),
            after: version.to_string(),
            direction: judgement.direction,
        };
        let edits = self.files.entry(kustomization.file.clone()).or_default();
        for (slot, version) in pinned {
            edits.add(Edit::Version(Box::new(slot), version)).map_err(unread)?;
        }
        edits.add(Edit::Entry { name: place.entry.clone(), version: version.clone() }).map_err(unread)?;
        edits.rows.push((change, Some(place.entry)));
        Ok(None)
    }

    /// A file of the repository with its slots; read once.
    fn open(&self, file: &str) -> Result<Rc<Opened>, String> {
        if let Some(opened) = self.opened.borrow().get(file) {
            return opened.clone();
        }
        let read = || {
            let text = self.facts.repository.read_text(file).map_err(|error| message(&error))?;
            Opened::read(file, &text)
        };
        let opened = read().map(Rc::new);
        self.opened.borrow_mut().insert(file.to_owned(), opened.clone());
        opened
    }

    /// The place of images that a patch of the overlay sets.
    fn in_a_patch(&self, overlay: &Overlay, images: &[&Deployed]) -> Option<&'a Place> {
        let file = |image: &&Deployed| match &image.set_by {
            SetBy::Patch { directory, file } if *directory == overlay.directory => {
                Some((file.clone(), image.reference.name.clone()))
            }
            _ => None,
        };
        let files: BTreeSet<(String, String)> = images.iter().map(file).collect::<Option<_>>()?;
        let (file, name) = files.first().filter(|_| files.len() == 1)?;
        let here = |place: &&Place| place.file == *file && place.slot.artifact.as_deref() == Some(name);
        let mut places = self.facts.catalog.places.iter().filter(here);
        let mut places = places.by_ref().filter(|place| !place.is_image_entry(self.facts.repository));
        places.next().filter(|_| places.next().is_none())
    }

    /// Plans a version where it stands, or says why not.
    pub(crate) fn want_at(&mut self, place: &'a Place, version: &str, mutable_tags: MutableTags) {
        let artifact = place.artifact();
        let before = place.slot.full_version();
        if before == version {
            return self.is_level(&place.service, &artifact, format!("is {version} already"));
        }
        let judged = Policy { mutable_tags, ..self.facts.policy }.judge_slot(&place.slot, version);
        let judged = judged.and_then(|judgement| effect::of_place(self.facts, place).map(|()| judgement));
        let edits = self.files.entry(place.file.clone()).or_default();
        let judged = judged.and_then(|judgement| {
            let added = edits.add(Edit::of(&place.slot, version));
            let added = added.map_err(|reason| Refusal::File { service: place.service.clone(), reason })?;
            Ok((added, judgement))
        });
        let (is_new, judgement) = match judged {
            Ok(judged) => judged,
            Err(refusal) => return self.refuse(&place.service, &artifact, &refusal),
        };
        if !is_new {
            return;
        }
        let change = Change {
            service: Some(place.service.clone()),
            image: artifact.clone(),
            file: place.file.clone(),
            line: place.slot.line,
            before,
            after: version.to_owned(),
            direction: judgement.direction,
        };
        edits.rows.push((change, None));
        let name = format!("{}: {artifact}", place.service);
        let owner = owner_warning(&name, &place.slot);
        let warnings = judgement.warning.map(|warning| format!("{name}: {warning}")).into_iter().chain(owner);
        for warning in warnings {
            if !self.plan.warnings.contains(&warning) {
                self.plan.warnings.push(warning);
            }
        }
    }

    fn kustomization(&self, overlay: &Overlay) -> Result<&'a Kustomization, String> {
        let found = self.facts.repository.kustomizations.get(&overlay.directory);
        found.ok_or_else(|| format!("{} holds no kustomization", overlay.directory))
    }

    fn warn(
        &mut self,
        wanted: &Wanted<'_>,
        opened: &Opened,
        file: &str,
        built: &Built,
        place: &placement::Place,
        warning: Option<String>,
    ) {
        let (overlay, origin) = (wanted.overlay, wanted.origin.as_str());
        let name = format!("{} in {}: {origin}", overlay.service, overlay.environment);
        let warnings = &mut self.plan.warnings;
        warnings.extend(warning.map(|warning| format!("{name}: {warning}")));
        warnings
            .extend(built.missing.iter().map(|reason| format!("{name}: not all of the overlay was seen: {reason}")));
        if place.existing == Existing::No {
            warnings.push(format!("{name} came from a base or component so far; {file} gets an entry for it"));
        }
        let images = built.of_origin(origin);
        if !images.is_empty() && !built.may_deploy(&images) {
            warnings.push(format!("{name}: no workload uses it"));
        }
        warnings.extend(opened.entry(&place.entry).find_map(|slot| owner_warning(&name, slot)));
        let port = images.iter().any(|image| image.reference.name.contains(':'));
        if built.splits_images && (port || wanted.version.digest.is_some()) {
            warnings.push(format!("{name}: a replacement cuts the image at a colon, and there is more than one"));
        }
    }

    /// Makes the edits, each checked by a second parser; a file that cannot be edited refuses its changes.
    pub(crate) fn finish(mut self) -> PromotionPlan {
        for (file, edits) in std::mem::take(&mut self.files) {
            if edits.rows.is_empty() {
                continue;
            }
            match self.edited(&file, &edits) {
                Ok((before, after)) => {
                    let followers = self.open(&file).map(|opened| opened.followers(&edits)).unwrap_or_default();
                    self.plan.warnings.extend(followers);
                    let read = Opened::read(&file, &after).ok();
                    let lines = read.as_ref().map(Opened::entry_lines).unwrap_or_default();
                    for (change, entry) in edits.rows {
                        let line = entry.and_then(|entry| lines.get(entry.as_str()).copied()).unwrap_or(change.line);
                        self.plan.changes.push(Change { line, ..change });
                    }
                    self.add_file(&file, &before, after);
                }
                Err(reason) => {
                    for (change, _) in edits.rows {
                        let service = change.service.clone().unwrap_or_default();
                        let refusal = Refusal::File { service, reason: reason.clone() };
                        self.plan.refused.push(refused(change.service, change.image, &refusal));
                    }
                }
            }
        }
        let order = |change: &Change| (change.service.clone(), change.image.clone(), change.file.clone(), change.line);
        self.plan.changes.sort_by_key(order);
        self.plan
    }

    /// A file before and after.
    fn edited(&self, file: &str, edits: &Edits) -> Result<(String, String), String> {
        let opened = self.open(file)?;
        let after = opened.file.with(edits.all(), self.aliases);
        let failed = |error: YamlError| format!("{file}: {error}");
        Ok((opened.file.text().to_owned(), after.map_err(failed)?))
    }

    pub(crate) fn add_file(&mut self, path: &str, before: &str, after: String) {
        if before != after {
            self.plan.files.push(FileEdit { path: path.to_owned(), before: before.to_owned(), after });
        }
    }
}

fn left(service: &str, image: &str, reason: impl Into<String>) -> Left {
    Left {
        service: Some(service.to_owned()),
        image: image.to_owned(),
        reason: reason.into(),
        help: None,
        weight: Weight::Telling,
    }
}

/// A row that is refused.
pub(crate) fn refused(service: Option<String>, image: String, refusal: &Refusal) -> Left {
    let (reason, help) = (refusal.to_string(), Some(refusal.help()));
    Left { service, image, reason, help, weight: Weight::Telling }
}

/// An environment deploys an image in more than one version.
pub(crate) fn several(overlay: &Overlay, versions: &BTreeSet<Version>) -> Refusal {
    let versions = versions.iter().map(Version::to_string).collect();
    let (service, environment) = (overlay.service.clone(), overlay.environment.clone());
    Refusal::Several { service, environment, versions }
}

/// Git references of the overlay that are pinned to the tag which the image has: they move with it, as they did where the
/// version comes from.
fn lockstep(
    overlay: &Opened,
    before: &Version,
    after: &Version,
    from: Option<&Opened>,
) -> Result<Vec<(FileSlot, String)>, Refusal> {
    let Some(old) = &before.tag else { return Ok(Vec::new()) };
    let pinned: Vec<&FileSlot> = overlay.references().filter(|slot| slot.version == *old).collect();
    let Some(first) = pinned.first() else { return Ok(Vec::new()) };
    let url = first.artifact.as_deref().unwrap_or(&first.value);
    let Some(new) = &after.tag else {
        let reason = format!("{url} is pinned to ?ref={old}, and a digest says nothing about a commit");
        return Err(Refusal::Pinned { reason, path: first.path.to_string() });
    };
    let elsewhere = |slot: &&FileSlot| {
        let mut same = from.into_iter().flat_map(Opened::references).filter(|other| other.artifact == slot.artifact);
        same.find(|other| other.version != *new).map(|other| other.version.clone())
    };
    if let Some(pin) = pinned.iter().find_map(elsewhere) {
        let reason = format!("{url} is pinned to ?ref={pin} there, and not to {new}");
        return Err(Refusal::Pinned { reason, path: first.path.to_string() });
    }
    Ok(pinned.into_iter().map(|slot| (slot.clone(), new.clone())).collect())
}
