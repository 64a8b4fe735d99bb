//! Adopts app clusters as they appear.

use std::collections::BTreeSet;

use anstream::ColorChoice;

use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::cli::adopt_cluster::adopt_what_is_ready;
use crate::cli::app_clusters::AppClusterArgs;
use crate::report::adoption::{AdoptionItem, AdoptionState};
use crate::ui::pager::PagingMode;
use crate::ui::{Ui, Volume};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::text::one_line;

/// The result of the adoptions.
pub(super) enum AppClusterAdoptions {
    /// No app cluster has to be adopted.
    Unwanted,
    /// The latest item of each cluster.
    Looked(Vec<AdoptionItem>),
    /// The latest read failed, with this reason.
    Unread(String),
}

/// Adopts app clusters periodically.
pub(super) struct ClusterAdopter<'a> {
    context: &'a Context,
    quiet: Context,
    access: &'a AppClusterArgs,
    look: &'a BootstrapComparison,
    engines: Vec<GitOps>,
    names: BTreeSet<&'a str>,
    pub(super) found: AppClusterAdoptions,
    said: BTreeSet<String>,
}

impl<'a> ClusterAdopter<'a> {
    pub(super) fn new(context: &'a Context, look: &'a BootstrapComparison, access: &'a AppClusterArgs) -> Self {
        // A cluster that does not exist yet is not worth a message in every pass.
        let quiet = Context { ui: Ui::new(ColorChoice::Never, Volume::Quiet, PagingMode::Never), ..context.clone() };
        let (engines, names) = (look.desire.needs.iter().copied().collect(), look.to_adopt());
        let found = AppClusterAdoptions::Unwanted;
        Self { context, quiet, access, look, engines, names, found, said: BTreeSet::new() }
    }

    pub(super) fn pass(&mut self) {
        if self.names.is_empty() {
            return;
        }
        // Before the engines are installed, adoption cannot succeed, which is not a failure yet.
        self.found = match adopt_what_is_ready(&self.quiet, self.access, &self.engines, &self.names) {
            Ok(items) => {
                let is_news = |item: &&AdoptionItem| item.state == AdoptionState::Adopted;
                for item in items.iter().filter(is_news) {
                    if self.said.insert(item.cluster.clone()) {
                        self.context.ui.message(&format!("Adopted app cluster {}.", one_line(&item.cluster)));
                    }
                }
                AppClusterAdoptions::Looked(items)
            }
            Err(error) => AppClusterAdoptions::Unread(error.message()),
        };
    }

    /// Returns true if the object is deployed to an app cluster that does not exist yet.
    pub(super) fn awaits_cluster(&self, object: &ObjectName) -> bool {
        let bound_for = self.look.desire.bound_for.get(&ObjectKey::from(object));
        bound_for.is_some_and(|name| is_pending(name, &self.names, &self.found))
    }
}

/// Returns true if an app cluster is to be adopted and does not exist yet. One that exists, adopted or not, excuses no
/// failure.
fn is_pending(name: &str, wanted: &BTreeSet<&str>, found: &AppClusterAdoptions) -> bool {
    wanted.contains(name)
        && match found {
            AppClusterAdoptions::Looked(items) => items.iter().all(|item| item.cluster != name),
            AppClusterAdoptions::Unwanted | AppClusterAdoptions::Unread(_) => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_for_an_app_cluster_are_pending_only_until_it_is_ready() {
        let item = |cluster: &str, state| AdoptionItem {
            cluster: cluster.to_owned(),
            engine: None,
            purpose: None,
            actions: Vec::new(),
            grants: None,
            server_change: None,
            grounds: None,
            state,
            reason: None,
            hint: None,
            left: Vec::new(),
        };
        let looked = AppClusterAdoptions::Looked(vec![
            item("adopted", AdoptionState::Adopted),
            item("refused", AdoptionState::Failed),
        ]);
        let wanted = BTreeSet::from(["prod", "adopted", "refused"]);
        for (name, expected) in [("prod", true), ("adopted", false), ("refused", false), ("stranger", false)] {
            assert_eq!(is_pending(name, &wanted, &looked), expected, "{name}");
        }
        // Before the first read, no cluster exists.
        for nothing in [AppClusterAdoptions::Unwanted, AppClusterAdoptions::Unread("no answer".to_owned())] {
            assert!(is_pending("prod", &wanted, &nothing) && !is_pending("stranger", &wanted, &nothing));
        }
    }
}
