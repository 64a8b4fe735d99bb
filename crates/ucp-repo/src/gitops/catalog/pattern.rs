//! Names of things that several environments have: file and path without the environment.

use crate::gitops::catalog::layout::EnvironmentLabel;
use crate::gitops::catalog::reach::{EnvironmentReach, ReachIndex};
use crate::slot::FileSlot;
use crate::slot::path::PathStep;

/// Returns file and path without the environment.
pub(super) fn pattern(
    reaches: &ReachIndex,
    file: &str,
    slot: &FileSlot,
    labels: &[EnvironmentLabel],
    reach: &EnvironmentReach,
) -> String {
    let own = match reach {
        EnvironmentReach::One(label) => label.name.as_str(),
        EnvironmentReach::Shared(_) | EnvironmentReach::Everywhere => "",
    };
    let place = match reaches.overlay_of(file) {
        Some((overlay, rest)) => format!("{}:{rest}", overlay.service),
        None => {
            let parts =
                file.split('/').enumerate().map(|(index, part)| match labels.iter().find(|l| l.part == Some(index)) {
                    Some(label) => part.replace(&label.name, "*"),
                    // The deployer tells the environment, and the directory has its name.
                    None if part == own => "*".to_owned(),
                    None => part.to_owned(),
                });
            parts.collect::<Vec<_>>().join("/")
        }
    };
    let steps = slot.path.steps.iter().map(|step| match step {
        PathStep::Key(key) if key == own => ".*".to_owned(),
        PathStep::Key(key) => format!(".{key}"),
        PathStep::Index(_) => "[]".to_owned(),
        PathStep::Embedded(_) => "|".to_owned(),
    });
    format!("{place} {}", steps.collect::<String>())
}
