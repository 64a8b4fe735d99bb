//! Counts of objects that were not checked.

use std::collections::BTreeMap;

use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// The number of objects of each kind that could not be compared, with the reason.
#[derive(Debug, Default)]
pub(super) struct UncheckedCounts(BTreeMap<(String, &'static str), usize>);

impl UncheckedCounts {
    pub(super) fn count(&mut self, resource: &Resource, reason: &'static str) {
        *self.0.entry((resource.kind.qualified_plural(), reason)).or_default() += 1;
    }

    pub(super) fn listed(self) -> Vec<Unreadable> {
        let listed = self.0.into_iter().map(|((what, reason), number)| Unreadable {
            what: format!("{what} ({number})"),
            reason: format!("cannot be compared: {reason}"),
        });
        listed.collect()
    }
}
