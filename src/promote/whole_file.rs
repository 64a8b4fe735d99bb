//! Files that are copied as a whole, as declared in `.ucp.yaml`: `promote: [{file: version.yml}]`. Values that a rule
//! names by their paths are ordinary slots.

use std::collections::BTreeSet;

use crate::promote::facts::PlanningFacts;
use crate::promote::plan::PlanDraft;
use crate::promote::reconcile::PlanRows;
use crate::promote::refusal::VersionRefusal;
use crate::report::promotion::VersionUpdate;
use ucp_core::model::image::ImageVersion;
use ucp_repo::gitops::config::PromoteRule;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::effective::{DeployedImage, VersionSource};
use ucp_repo::gitops::order::Direction;
use ucp_repo::gitops::repository::message;
use ucp_repo::gitops::workload;
use ucp_repo::slot::sealed::encrypted_reason;
use ucp_repo::yaml::tree;

fn rules<'a>(facts: &PlanningFacts<'a>) -> impl Iterator<Item = &'a PromoteRule> {
    facts.repository.config.promote.iter().filter(|rule| rule.paths.is_empty())
}

fn path(rule: &PromoteRule, overlay: &Overlay) -> Option<String> {
    rule.path(&overlay.directory, &overlay.service, &overlay.environment)
}

/// Returns the files that are copied for an overlay, relative to the root of the repository.
pub(crate) fn files(facts: &PlanningFacts<'_>, overlay: &Overlay) -> BTreeSet<String> {
    rules(facts).filter_map(|rule| path(rule, overlay)).collect()
}

/// Returns true if files that are copied as a whole determine the versions of these images.
pub(crate) fn covers(files: &BTreeSet<String>, images: &[&DeployedImage]) -> bool {
    images.iter().all(|image| matches!(&image.set_by, VersionSource::Patch { file, .. } if files.contains(file)))
}

/// Plans the files that are copied from one overlay to another.
pub(crate) fn copy(
    draft: &mut PlanDraft<'_>,
    facts: &PlanningFacts<'_>,
    from: &Overlay,
    to: &Overlay,
    only: Option<&PlanRows>,
) {
    for rule in rules(facts) {
        let is_shown = only.is_none_or(|only| only.contains(&(to.service.clone(), rule.file.clone())));
        if let Err(reason) = copy_one(draft, facts, rule, from, to, is_shown) {
            draft.refuse(&to.service, &rule.file, &reason);
        }
    }
}

fn copy_one(
    draft: &mut PlanDraft<'_>,
    facts: &PlanningFacts<'_>,
    rule: &PromoteRule,
    from: &Overlay,
    to: &Overlay,
    is_shown: bool,
) -> Result<(), VersionRefusal> {
    let fault = |reason: String| VersionRefusal::Rule { reason, file: rule.file.clone() };
    let outside = || fault(format!("{} leaves the repository", rule.file));
    let (source, target) = (path(rule, from).ok_or_else(outside)?, path(rule, to).ok_or_else(outside)?);
    if source == target {
        return Err(fault(format!("{target} belongs to both environments: the edit would change both")));
    }
    let exists = |path: &str| facts.repository.top.join(path).exists();
    match (exists(&source), exists(&target)) {
        (false, false) => return Ok(()),
        (true, true) => {}
        (true, false) => return Err(fault(format!("{target} does not exist"))),
        (false, true) => return Err(fault(format!("{source} does not exist"))),
    }
    let new = facts.repository.read_text(&source).map_err(|error| fault(message(&error)))?;
    let old = facts.repository.read_for_edit(&target).map_err(|error| fault(message(&error)))?;
    if new == old {
        draft.add_unchanged(&to.service, &rule.file, "is the same already");
        return Ok(());
    }
    if let Some(reason) = encrypted_reason(&source, &new).or_else(|| encrypted_reason(&target, &old)) {
        return Err(VersionRefusal::Encrypted(reason));
    }
    let (before, after) = (versions(&old), versions(&new));
    // The file may differ in more than its images, and its content may not be a valid tag.
    let (old_version, new_version) = (ImageVersion::tag(before.clone()), ImageVersion::tag(after.clone()));
    let direction = match before == after || new_version.fault().is_some() {
        true => Direction::Unknown,
        false => facts.policy.judge(&old_version, &new_version)?.direction,
    };
    if !is_shown {
        return Ok(());
    }
    let (service, image) = (Some(to.service.clone()), rule.file.clone());
    let (file, pulled) = (target.clone(), None);
    draft.plan.changes.push(VersionUpdate { service, image, file, line: 1, before, after, direction, pulled });
    draft.add_file(&target, &old, new);
    Ok(())
}

/// Returns the versions of the images in a file, separated by commas.
fn versions(text: &str) -> String {
    let images = tree::parse(text).map(|documents| workload::images(&documents)).unwrap_or_default();
    let versions: BTreeSet<String> = images.into_iter().map(|found| found.image.version.to_string()).collect();
    versions.into_iter().collect::<Vec<_>>().join(", ")
}
