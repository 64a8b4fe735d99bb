//! From what is declared and what is asked to what changes: pure, so that a race at the remote can be planned again.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::catalog::Place;
use crate::gitops::discover::Overlay;
use crate::gitops::effective::{Built, Deployed, SetBy};
use crate::gitops::kustomization::{Kustomization, images_key, version_line};
use crate::gitops::repository::message;
use crate::model::image::Version;
use crate::promote::edit::{self, Edits, MoveRef, SetVersion};
use crate::promote::effect;
use crate::promote::facts::Facts;
use crate::promote::placement::{self, Dependents, Existing};
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::single;
use crate::report::promotion::{Change, FileEdit, Left, PromotionPlan, Weight};
use crate::slot::{File, FileSlot};
use crate::yaml::{YamlError, tree};

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
    /// Changes by file.
    files: BTreeMap<String, FileDraft<'a>>,
}

/// What changes in one file, and the rows that stand for it.
#[derive(Debug, Default)]
struct FileDraft<'a> {
    /// Entries of a kustomization.
    edits: Edits,
    /// Versions where they stand.
    slots: Vec<(&'a FileSlot, String)>,
    /// The rows, each with its entry where it is one.
    rows: Vec<(Change, Option<String>)>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, plan: PromotionPlan) -> Self {
        Self { facts, dependents: Dependents::of(facts.repository), plan, files: BTreeMap::new() }
    }

    /// A value that is as it should be.
    pub(crate) fn is_level(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(Left { weight: Weight::Level, ..left(service, image, reason) });
    }

    /// A value that something keeps.
    pub(crate) fn keep(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.kept.push(left(service, image, reason));
    }

    pub(crate) fn refuse(&mut self, service: &str, image: &str, reason: impl Into<String>) {
        self.plan.refused.push(left(service, image, reason));
    }

    /// Plans one version, or says why not.
    pub(crate) fn want(&mut self, wanted: &Wanted<'a>) {
        let (service, origin) = (wanted.overlay.service.as_str(), wanted.origin.as_str());
        match self.consider(wanted) {
            Ok(Some(reason)) => self.is_level(service, origin, reason),
            Ok(None) => {}
            Err(reason) => self.refuse(service, origin, reason),
        }
    }

    /// Answers with the reason to keep what stands there, if there is one.
    fn consider(&mut self, wanted: &Wanted<'a>) -> Result<Option<String>, String> {
        let Wanted { overlay, origin, version, from } = wanted;
        let built = self.facts.builder.build(&overlay.directory)?;
        let images: Vec<&Deployed> = built.images.iter().filter(|image| image.origin == *origin).collect();
        let versions = placement::versions(&images);
        if versions.len() == 1 && versions.contains(version) {
            return Ok(Some(format!("is {version} already")));
        }
        if versions.len() > 1 {
            let versions: Vec<String> = versions.iter().map(Version::to_string).collect();
            return Err(format!("{} deploys it in several versions: {}", overlay.environment, versions.join(", ")));
        }
        let before = versions.into_iter().next().unwrap_or_default();
        let judgement = self.facts.policy.judge(&before, version)?;
        let kustomization = self.kustomization(overlay)?;
        if let Some(other) = self.dependents.in_another_environment(overlay, self.facts.discovery) {
            let (directory, environment) = (&other.directory, &other.environment);
            return Err(format!(
                "{directory} ({environment}) builds on {}: the edit would reach both",
                kustomization.file
            ));
        }
        if let Some(place) = self.in_a_patch(overlay, &images) {
            self.want_at(place, &version.to_string(), self.facts.policy.mutable_tags);
            return Ok(None);
        }
        let place = match images.is_empty() {
            // The workload is in a base that is not in this repository; an entry of that name is the only way.
            true => placement::Place { entry: origin.clone(), existing: Existing::No },
            false => placement::place(kustomization, &images)?,
        };
        effect::of_entry(self.facts, &overlay.directory, &images)?;
        if let Some(other) = placement::also_reached(&built, &place.entry, origin) {
            return Err(format!("the entry {:?} would reach {other} too", place.entry));
        }
        let refs = lockstep(kustomization, &before, version, from.and_then(|from| self.kustomization(from).ok()))?;
        self.warn(wanted, kustomization, &built, &place, judgement.warning);
        let change = Change {
            service: Some(overlay.service.clone()),
            image: origin.clone(),
            file: kustomization.file.clone(),
            line: 0,
            before: before.to_string(),
            after: version.to_string(),
            direction: judgement.direction,
        };
        let draft = self.files.entry(kustomization.file.clone()).or_default();
        draft.edits.versions.push(SetVersion { name: place.entry.clone(), version: version.clone() });
        draft.edits.refs.extend(refs);
        draft.rows.push((change, Some(place.entry)));
        Ok(None)
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
        if place.slot.version == version {
            return self.is_level(&place.service, &artifact, format!("is {version} already"));
        }
        let judged = Policy { mutable_tags, ..self.facts.policy }.judge_slot(&place.slot, version);
        let judged = judged.and_then(|judgement| effect::of_place(self.facts, place).map(|()| judgement));
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(reason) => return self.refuse(&place.service, &artifact, reason),
        };
        let name = format!("{}: {artifact}", place.service);
        let owner =
            place.slot.marker.as_ref().map(|marker| {
                format!("{name}: a comment says that {marker} owns this version, and may set another one")
            });
        let warnings = judgement.warning.map(|warning| format!("{name}: {warning}")).into_iter().chain(owner);
        for warning in warnings {
            if !self.plan.warnings.contains(&warning) {
                self.plan.warnings.push(warning);
            }
        }
        let draft = self.files.entry(place.file.clone()).or_default();
        if draft.slots.iter().any(|(slot, _)| std::ptr::eq(*slot, &place.slot)) {
            return;
        }
        draft.slots.push((&place.slot, version.to_owned()));
        let change = Change {
            service: Some(place.service.clone()),
            image: artifact,
            file: place.file.clone(),
            line: place.slot.line,
            before: place.slot.version.clone(),
            after: version.to_owned(),
            direction: judgement.direction,
        };
        draft.rows.push((change, None));
    }

    fn kustomization(&self, overlay: &Overlay) -> Result<&'a Kustomization, String> {
        let found = self.facts.repository.kustomizations.get(&overlay.directory);
        found.ok_or_else(|| format!("{} holds no kustomization", overlay.directory))
    }

    fn warn(
        &mut self,
        wanted: &Wanted<'_>,
        kustomization: &Kustomization,
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
            warnings.push(format!(
                "{name} came from a base or component so far; {} gets an entry for it",
                kustomization.file
            ));
        }
        let images: Vec<&Deployed> = built.images.iter().filter(|image| image.origin == *origin).collect();
        if !images.is_empty() && !built.may_deploy(&images) {
            warnings.push(format!("{name}: no workload uses it"));
        }
        let node = kustomization.entry_node(&place.entry);
        warnings.extend(node.and_then(|node| single::entry_owner_warning(&name, &kustomization.source, node)));
        let port = images.iter().any(|image| image.reference.name.contains(':'));
        if built.splits_images && (port || wanted.version.digest.is_some()) {
            warnings.push(format!("{name}: a replacement cuts the image at a colon, and there is more than one"));
        }
    }

    /// Makes the edits, each checked by a second parser; a file that cannot be edited refuses its changes.
    pub(crate) fn finish(mut self) -> PromotionPlan {
        for (file, draft) in std::mem::take(&mut self.files) {
            match self.edited(&file, &draft) {
                Ok((before, after)) => {
                    let root = tree::parse_one(&after).ok();
                    for (change, entry) in draft.rows {
                        let entry = entry.and_then(|entry| line_of(root.as_ref()?, &entry));
                        let line = entry.unwrap_or(change.line);
                        self.plan.changes.push(Change { line, ..change });
                    }
                    self.add_file(&file, &before, after);
                }
                Err(reason) => {
                    for (change, _) in draft.rows {
                        self.plan.refused.push(Left {
                            service: change.service,
                            image: change.image,
                            reason: reason.clone(),
                            weight: Weight::Telling,
                        });
                    }
                }
            }
        }
        let order = |change: &Change| (change.service.clone(), change.image.clone(), change.file.clone(), change.line);
        self.plan.changes.sort_by_key(order);
        self.plan
    }

    /// A file before and after.
    fn edited(&self, file: &str, draft: &FileDraft<'_>) -> Result<(String, String), String> {
        let edits = agree(&draft.edits)?;
        let before = self.facts.repository.read_text(file).map_err(|error| message(&error))?;
        let failed = |error: YamlError| format!("{file}: {error}");
        let mut after = before.clone();
        if !draft.slots.is_empty() {
            let read = File::read(file, &before).map_err(failed)?;
            let read = read.ok_or_else(|| format!("the format of {file} is not supported"))?;
            let changes = draft.slots.iter().map(|(slot, version)| (*slot, version.as_str()));
            after = read.with_versions(changes).map_err(failed)?;
        }
        if !edits.versions.is_empty() || !edits.refs.is_empty() {
            after = edit::apply(&after, &edits).map_err(failed)?;
        }
        Ok((before, after))
    }

    pub(crate) fn add_file(&mut self, path: &str, before: &str, after: String) {
        if before != after {
            self.plan.files.push(FileEdit { path: path.to_owned(), before: before.to_owned(), after });
        }
    }
}

fn left(service: &str, image: &str, reason: impl Into<String>) -> Left {
    Left { service: Some(service.to_owned()), image: image.to_owned(), reason: reason.into(), weight: Weight::Telling }
}

fn line_of(root: &tree::Node, entry: &str) -> Option<usize> {
    let entries = root.get(images_key(root))?.items();
    entries.iter().find(|node| node.text_at("name") == Some(entry)).map(version_line)
}

/// Several images may share an entry, and then must agree about its version; refs must agree as well.
fn agree(edits: &Edits) -> Result<Edits, String> {
    let mut agreed = Edits::default();
    for change in &edits.versions {
        match agreed.versions.iter().find(|other| other.name == change.name) {
            None => agreed.versions.push(change.clone()),
            Some(other) if other.version == change.version => {}
            Some(_) => return Err(format!("the entry {:?} would have to hold two versions", change.name)),
        }
    }
    for moved in &edits.refs {
        match agreed.refs.iter().find(|other| other.before == moved.before) {
            None => agreed.refs.push(moved.clone()),
            Some(other) if other.after == moved.after => {}
            Some(_) => return Err(format!("?ref={} belongs to two images that part ways", moved.before)),
        }
    }
    Ok(agreed)
}

/// Remote bases of the overlay that are pinned to the tag which the image has: they move with it, as they did where the
/// version comes from.
fn lockstep(
    overlay: &Kustomization,
    before: &Version,
    after: &Version,
    from: Option<&Kustomization>,
) -> Result<Option<MoveRef>, String> {
    let Some(old) = &before.tag else { return Ok(None) };
    let refs = |kustomization: &Kustomization| -> BTreeSet<(String, String)> {
        let urls = edit::base_nodes(&kustomization.root).filter_map(|node| node.text());
        urls.filter_map(|url| {
            Some((url.split('?').next()?.to_owned(), url[crate::slot::version::base_ref(url)?].to_owned()))
        })
        .collect()
    };
    let pinned: Vec<(String, String)> = refs(overlay).into_iter().filter(|(_, pin)| pin == old).collect();
    let Some((url, _)) = pinned.first() else { return Ok(None) };
    let Some(new) = &after.tag else {
        return Err(format!("{url} is pinned to ?ref={old}, and a digest says nothing about a commit"));
    };
    if let Some(from) = from {
        let source = refs(from);
        let other = pinned.iter().find_map(|(url, _)| source.iter().find(|(base, pin)| base == url && pin != new));
        if let Some((url, pin)) = other {
            return Err(format!("{url} is pinned to ?ref={pin} there, and not to {new}; move the ref by hand first"));
        }
    }
    Ok(Some(MoveRef { before: old.clone(), after: new.clone() }))
}
