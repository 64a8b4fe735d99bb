//! All groups of checks.

use super::check::CheckGroup;
use super::{
    argocd, composed, credentials, definitions, git, kubernetes, packages, rights, upgrade, upkeep, versions, webhooks,
};

/// All groups of checks, in output order.
pub const GROUPS: &[CheckGroup] = &[
    CheckGroup { name: "upgrade", checks: upgrade::CHECKS },
    CheckGroup { name: "packages", checks: packages::CHECKS },
    CheckGroup { name: "composed", checks: composed::CHECKS },
    CheckGroup { name: "credentials", checks: credentials::CHECKS },
    CheckGroup { name: "argocd", checks: argocd::CHECKS },
    CheckGroup { name: "git", checks: git::CHECKS },
    CheckGroup { name: "upkeep", checks: upkeep::CHECKS },
    CheckGroup { name: "webhooks", checks: webhooks::CHECKS },
    CheckGroup { name: "versions", checks: versions::CHECKS },
    CheckGroup { name: "kubernetes", checks: kubernetes::CHECKS },
    CheckGroup { name: "rights", checks: rights::CHECKS },
    CheckGroup { name: DEFINITIONS, checks: definitions::CHECKS },
];

/// The group that examines new definitions, and only runs if there are any.
pub const DEFINITIONS: &str = "definitions";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::check::RequiredData;
    use super::super::request::want;
    use super::*;
    use ucp_core::model::kind::ResourceKind;

    #[test]
    fn names_of_checks_and_groups_are_unique() {
        let checks: Vec<_> = GROUPS.iter().flat_map(|group| group.checks).collect();
        let names: BTreeSet<_> =
            checks.iter().map(|check| check.name).chain(GROUPS.iter().map(|group| group.name)).collect();
        assert_eq!(names.len(), checks.len() + GROUPS.len(), "{names:?}");
        assert!(checks.iter().all(|check| !check.codes.is_empty()));
    }

    #[test]
    fn every_kind_that_a_check_requires_is_read() {
        for check in GROUPS.iter().flat_map(|group| group.checks) {
            for required in check.reads {
                let (RequiredData::Always(group, kind) | RequiredData::IfThere(group, kind)) = required else {
                    continue;
                };
                assert!(want(&ResourceKind::guess(group, kind)).is_some(), "{} {kind}.{group}", check.name);
            }
        }
    }
}
