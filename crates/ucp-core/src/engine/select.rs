//! Filters an assessment: selected objects, and their causes.

use std::collections::BTreeSet;

use super::assessment::Assessment;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;

impl Assessment<'_> {
    /// Keeps selected objects and their causes. Since everything was judged before, causes are found even if they are
    /// not selected themselves.
    pub fn select(&mut self, is_selected: impl Fn(&Resource) -> bool) {
        let all = std::mem::take(&mut self.judged);
        let mut position = Vec::with_capacity(all.len());
        for entry in all {
            let is_kept = is_selected(entry.resource);
            position.push(is_kept.then_some(self.judged.len()));
            if is_kept {
                self.judged.push(entry);
            }
        }
        let names: BTreeSet<ObjectName> = self.judged.iter().map(|entry| entry.resource.name()).collect();
        self.causes.retain_mut(|cause| {
            // A cause without specific objects, such as a controller that is down, affects all objects.
            let is_common = cause.holds_up.is_empty();
            cause.holds_up =
                cause.holds_up.iter().filter_map(|index| position.get(*index).copied().flatten()).collect();
            is_common || !cause.holds_up.is_empty() || names.contains(&cause.object)
        });
    }
}
