//! Objects of a snapshot with their locations.

use serde_json::Value;

use ucp_core::model::object::group_of;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::weight::{KeptWeight, Overweight, weight_of, weight_of_text};

/// One object, and its location.
pub struct LocatedObject {
    /// The object.
    pub object: Value,
    /// The location: `file:line`, or the file for an object in a list.
    pub(super) place: String,
    /// What it takes in memory while it is kept.
    weight: KeptWeight,
}

impl LocatedObject {
    /// Creates one that is not kept yet.
    pub(super) fn new(object: Value, place: &str) -> Self {
        Self { object, place: place.to_owned(), weight: KeptWeight::default() }
    }

    /// Adds its weight to that of the process.
    pub(super) fn keep(&mut self) -> Result<(), Overweight> {
        self.weight.grow(weight_of(&self.object) + weight_of_text(&self.place))
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.object.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Group and kind of the object.
    pub(super) fn kind(&self) -> (String, String) {
        (group_of(self.text("apiVersion")).to_owned(), self.text("kind").to_owned())
    }

    /// Namespace and name; both are empty for objects without a name.
    pub(super) fn full_name(&self) -> (String, String) {
        let text = |path| self.object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("/metadata/namespace"), text("/metadata/name"))
    }

    /// Kind and name for messages.
    pub(super) fn title(&self) -> String {
        let name = self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("without a name");
        scrub(&format!("{} {name}", self.text("kind"))).into_owned()
    }
}
