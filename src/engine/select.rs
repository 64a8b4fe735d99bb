//! A part of an assessment: some objects, and whatever holds them up.

use std::collections::BTreeSet;

use super::Assessment;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;

impl Assessment<'_> {
    /// Keeps the objects that are selected, and the causes that are theirs. The whole was judged before, so what holds an
    /// object up is known although it is not selected itself.
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
            // A cause that holds up nothing by name, such as a controller that is down, is everybody's.
            let is_common = cause.holds_up.is_empty();
            cause.holds_up =
                cause.holds_up.iter().filter_map(|index| position.get(*index).copied().flatten()).collect();
            is_common || !cause.holds_up.is_empty() || names.contains(&cause.object)
        });
    }
}
