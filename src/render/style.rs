//! Settings of tables, which the renderers share.

/// Settings for all tables.
#[derive(Debug, Clone, Copy)]
pub struct TableStyle {
    /// The width of the terminal in columns; `None` without a terminal, where nothing is truncated.
    pub width: Option<usize>,
    /// The level of detail.
    pub detail: DetailLevel,
    /// The visibility of column headers.
    pub headers: HeaderVisibility,
}

/// The level of detail of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailLevel {
    /// The most important columns, fitted to the terminal.
    Normal,
    /// All columns at full width: `-o wide`.
    Wide,
}

/// The visibility of a table's column headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderVisibility {
    /// The first line is the headers.
    Shown,
    /// `--no-headers`.
    Hidden,
}
