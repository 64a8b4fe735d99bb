//! A walk through an object along its schema.

use std::collections::BTreeSet;

use super::node::SchemaNode;

/// The place of a walk, and the entries that it collected.
#[derive(Debug, Default)]
pub(super) struct SchemaWalk {
    place: String,
    entries: BTreeSet<String>,
    doubts: BTreeSet<String>,
}

impl SchemaWalk {
    /// Visits a field.
    pub(super) fn in_field<R>(&mut self, name: &str, visit: impl FnOnce(&mut Self) -> R) -> R {
        let dot = if self.place.is_empty() { "" } else { "." };
        self.below(&[dot, name], visit)
    }

    /// Visits a value of a map with free keys: objects with other keys have the same place.
    pub(super) fn in_map<R>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> R {
        self.below(&[".*"], visit)
    }

    /// Visits an element of a list.
    pub(super) fn in_list<R>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> R {
        self.below(&["[]"], visit)
    }

    /// Visits a field with its schema: that of its name, or that of all values of a map. Returns `None` if it has none.
    pub(super) fn in_declared<'s, R>(
        &mut self,
        node: SchemaNode<'s>,
        name: &str,
        visit: impl FnOnce(SchemaNode<'s>, &mut Self) -> R,
    ) -> Option<R> {
        match (node.declared_field(name), node.map_values()) {
            (Some(schema), _) => Some(self.in_field(name, |walk| visit(schema, walk))),
            (None, Some(schema)) => Some(self.in_map(|walk| visit(schema, walk))),
            (None, None) => None,
        }
    }

    fn below<R>(&mut self, steps: &[&str], visit: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.place.len();
        steps.iter().for_each(|step| self.place.push_str(step));
        let result = visit(self);
        self.place.truncate(length);
        result
    }

    /// Returns the place: `spec.list[].name`.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Adds the place.
    pub(super) fn add_place(&mut self) {
        self.entries.insert(self.place.clone());
    }

    /// Adds the place to the doubts.
    pub(super) fn add_place_of_doubt(&mut self) {
        self.doubts.insert(self.place.clone());
    }

    /// Adds a clause about the place.
    pub(super) fn add(&mut self, clause: &str) {
        self.entries.insert(self.sentence(clause));
    }

    /// Adds a clause about the place that could not be evaluated.
    pub(super) fn add_doubt(&mut self, clause: &str) {
        self.doubts.insert(self.sentence(clause));
    }

    fn sentence(&self, clause: &str) -> String {
        let place = if self.place.is_empty() { "the object" } else { &self.place };
        format!("{place} {clause}")
    }

    /// Returns the entries.
    pub(super) fn into_entries(self) -> BTreeSet<String> {
        self.entries
    }

    /// Returns the entries and the doubts.
    pub(super) fn into_entries_and_doubts(self) -> (BTreeSet<String>, BTreeSet<String>) {
        (self.entries, self.doubts)
    }
}
