//! Memory of the parts of a parsed value, beyond the lengths of its texts.

/// Memory of a long document per byte of its text. Ordinary objects take 5 to 15.
pub(super) const PER_BYTE: usize = 32;

/// Memory of a node of a map, which is allocated for up to eleven entries, and of its share of the nodes above. A map
/// that is filled in order has at least six in each.
pub(super) const MAP_NODE: usize = 704;

pub(super) const ENTRIES_OF_NODE: usize = 6;

/// Memory of an element of a list, which may be twice as long as is used, and of the shortest list beyond its element.
pub(super) const ELEMENT: usize = 64;

pub(super) const SHORT_LIST: usize = 80;

/// Memory of a text beyond its length.
pub(super) const TEXT: usize = 24;

/// Memory of a field of a struct, present or not.
pub(super) const FIELD: usize = 40;
