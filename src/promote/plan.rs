//! From what is declared and what is asked to what changes: pure, so that a race at the remote can be planned again.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::discover::{Discovery, Overlay};
use crate::gitops::effective::{Builder, Built, Deployed};
use crate::gitops::kustomization::{Kustomization, images_key, version_line};
use crate::gitops::repository::Repository;
use crate::model::image::Version;
use crate::promote::edit::{self, Edits, MoveRef, SetVersion};
use crate::promote::placement::{self, Dependents, Existing};
use crate::promote::policy::Policy;
use crate::promote::single;
use crate::report::promotion::{Change, FileEdit, Left, PromotionPlan, Weight};
use crate::yaml::tree;

/// What a planner sees.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The files.
    pub repository: &'a Repository,
    /// Services and environments.
    pub discovery: &'a Discovery,
    /// Effective versions.
    pub builder: &'a Builder<'a>,
    /// The rules.
    pub policy: Policy,
}

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
    /// Changes by kustomization: what to edit, and the rows that stand for it, with their entries.
    files: BTreeMap<String, (Edits, Vec<(Change, String)>)>,
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
        let place = match images.is_empty() {
            // The workload is in a base that is not in this repository; an entry of that name is the only way.
            true => placement::Place { entry: origin.clone(), existing: Existing::No },
            false => placement::place(kustomization, &images)?,
        };
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
        let (edits, rows) = self.files.entry(overlay.directory.clone()).or_default();
        edits.versions.push(SetVersion { name: place.entry.clone(), version: version.clone() });
        edits.refs.extend(refs);
        rows.push((change, place.entry));
        Ok(None)
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
        for (directory, (edits, rows)) in std::mem::take(&mut self.files) {
            let kustomization = &self.facts.repository.kustomizations[&directory];
            let result = agree(&edits).and_then(|edits| {
                edit::apply(&kustomization.source, &edits).map_err(|error| format!("{}: {error}", kustomization.file))
            });
            match result {
                Ok(after) => {
                    let root = tree::parse_one(&after).ok();
                    for (change, entry) in rows {
                        let line = root.as_ref().and_then(|root| line_of(root, &entry)).unwrap_or_default();
                        self.plan.changes.push(Change { line, ..change });
                    }
                    self.add_file(&kustomization.file, &kustomization.source, after);
                }
                Err(reason) => {
                    for (change, _) in rows {
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
        let order = |change: &Change| (change.service.clone(), change.image.clone());
        self.plan.changes.sort_by_key(order);
        self.plan
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
