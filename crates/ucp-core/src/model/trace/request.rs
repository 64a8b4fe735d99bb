//! Requests for the traces of objects.

use jiff::Timestamp;

/// The traces to keep of each object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRequest {
    /// Older writes are left out.
    pub since: Timestamp,
    /// Whether the declaration is kept, to compare it with that of another snapshot.
    pub declaration: DeclarationKeeping,
}

/// Whether the declaration of an object is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationKeeping {
    /// It is not needed.
    Dropped,
    /// It is kept as JSON.
    Kept,
}
