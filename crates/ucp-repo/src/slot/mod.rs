//! Slots: versions in files of any format and kind, for all kinds of artifacts.
//!
//! [`file`] parses YAML, JSON, TOML, and `KEY=VALUE` into one tree, including embedded documents; [`kinds`] recognizes
//! the values that are versions; [`edit`] describes changes, `write` applies them to the bytes, and `guard` checks the
//! result with another parser.

mod archive;
pub mod artifact;
pub mod edit;
mod embedded;
mod entry;
mod file;
pub mod format;
mod guard;
mod keys;
pub mod kinds;
mod layer;
pub mod marker;
pub mod path;
mod reference;
pub mod request;
pub mod sealed;
pub mod siblings;
pub mod site;
mod slots;
#[cfg(test)]
mod variants;
#[cfg(test)]
mod variants_of_formats;
pub mod version;
mod write;

pub use edit::SlotEdit;
pub use entry::images_key;
pub use file::VersionFile;
pub use layer::ScalarLocation;
pub use site::ObjectIdentity;
pub use slots::{FileSlot, VersionPrecision, slots_in};
pub use write::EditedFile;
