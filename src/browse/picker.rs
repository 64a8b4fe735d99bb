//! A line that the user types, and a list to pick from.

/// A line at the bottom that the user types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) purpose: PromptPurpose,
    pub(super) text: String,
}

/// The purpose of a line that the user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptPurpose {
    /// `/`: only rows with this text are shown.
    Filter,
    /// `:`: a view, or an object as KIND/NAME.
    Jump,
}

/// A list to pick from, over a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picker {
    pub(super) title: &'static str,
    pub(super) choices: Vec<ScreenChoice>,
    pub(super) selected: usize,
}

/// One choice of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScreenChoice {
    /// Every namespace that was read.
    AllNamespaces,
    /// One namespace.
    Namespace(String),
    /// Every source.
    AllSources,
    /// One of several sources, by its position.
    Source(usize, String),
    /// Another context.
    Context(String),
}

impl ScreenChoice {
    pub(super) fn title(&self) -> &str {
        match self {
            Self::AllNamespaces => "all namespaces",
            Self::AllSources => "all core clusters",
            Self::Namespace(name) | Self::Source(_, name) | Self::Context(name) => name,
        }
    }
}
