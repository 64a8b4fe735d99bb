//! Comparison of the shown plan with the plan for a remote that changed in the meantime.

use std::collections::BTreeSet;

use crate::promote::landing::Landable;
use crate::promote::policy::Downgrades;
use crate::report::promotion::{PromotionPlan, UnchangedValue, VersionUpdate};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::ImageReference;
use ucp_features::forge::scope::ChangeScope;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::order::{Direction, direction};

impl Landable for PromotionPlan {
    fn files(&self) -> &[FileEdit] {
        &self.files
    }

    fn refuses(&self) -> bool {
        !self.refused.is_empty()
    }

    fn refuses_more_than(&self, shown: &Self) -> bool {
        let key = |left: &UnchangedValue| (left.service.clone(), left.image.clone());
        let known: BTreeSet<_> = shown.refused.iter().map(key).collect();
        self.refused.iter().any(|left| !known.contains(&key(left)))
    }

    fn scope(&self) -> ChangeScope {
        let files = self.files.iter().map(|file| file.path.clone());
        ChangeScope {
            environment: self.to.clone(),
            services: self.changes.iter().filter_map(|change| change.service.clone()).collect(),
            all: self.leaves_out,
            unnamed: false,
            files: if self.to.is_none() { files.collect() } else { BTreeSet::new() },
        }
    }
}

/// The rows of a plan, by service and image.
pub type PlanRows = BTreeSet<(String, String)>;

/// Returns the rows of a plan that change something.
pub fn changed_rows(plan: &PromotionPlan) -> PlanRows {
    let key = |change: &VersionUpdate| (change.service.clone().unwrap_or_default(), change.image.clone());
    plan.changes.iter().map(key).collect()
}

/// Checks that the current plan equals the one that was shown, except for rows that are already done, and rows whose
/// value changed to one that is still older.
///
/// # Errors
/// Fails with the value that changed, and its new value.
pub fn reconcile(shown: &PromotionPlan, now: &PromotionPlan, downgrades: Downgrades) -> Result<(), Failure> {
    for change in &shown.changes {
        let name = format!("{} {}", change.service.as_deref().unwrap_or_default(), change.image);
        let same = |other: &&VersionUpdate| other.service == change.service && other.image == change.image;
        if let Some(left) = now
            .refused
            .iter()
            .find(|left| left.service == change.service && (left.image == change.image || left.image == "*"))
        {
            return fail!("{name} changed in the meantime: {}", left.reason_with_remedy());
        }
        let Some(current) = now.changes.iter().find(same) else { continue };
        if current.after != change.after {
            return fail!(
                "{name} changed in the meantime: {} would be written instead of {}",
                current.after,
                change.after
            );
        }
        let version = |text: &str| ImageReference::split(&format!("x:{text}")).version;
        let newer = direction(&version(&current.before), &version(&change.after)) == Direction::Upgrade;
        if current.before != change.before && !newer && downgrades == Downgrades::Refused {
            return fail!("{name} changed in the meantime from {} to {}", change.before, current.before);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::promotion::RepositoryPath;

    fn plan(before: &str, after: &str) -> PromotionPlan {
        let mut plan = PromotionPlan::new(RepositoryPath::default());
        let direction = Direction::Upgrade;
        let (service, image, file) = (Some("echo".into()), "a".into(), "f".into());
        plan.changes.push(VersionUpdate {
            service,
            image,
            file,
            line: 1,
            before: before.into(),
            after: after.into(),
            direction,
            pulled: None,
        });
        plan
    }

    #[test]
    fn a_changed_plan_is_refused_unless_it_only_differs_in_older_versions() {
        let reconcile = |shown: &PromotionPlan, now: &PromotionPlan| reconcile(shown, now, Downgrades::Refused);
        assert!(reconcile(&plan("v1", "v3"), &plan("v1", "v3")).is_ok());
        assert!(reconcile(&plan("v1", "v3"), &plan("v2", "v3")).is_ok(), "an older version of another author");
        assert!(reconcile(&plan("v1", "v3"), &PromotionPlan::new(RepositoryPath::default())).is_ok(), "done by now");
        assert!(reconcile(&plan("v1", "v3"), &plan("v1", "v4")).is_err(), "the source moved");
        assert!(reconcile(&plan("0a0b0c0", "1a1b1c1"), &plan("2a2b2c2", "1a1b1c1")).is_err(), "no order");
        assert!(
            super::reconcile(&plan("0a0b0c0", "1a1b1c1"), &plan("2a2b2c2", "1a1b1c1"), Downgrades::Allowed).is_ok()
        );
    }
}
