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
    /// The position among the shown choices.
    pub(super) selected: usize,
    /// Only choices with this text are shown.
    pub(super) filter: String,
}

impl Picker {
    /// Creates a list of all choices.
    pub(super) fn new(title: &'static str, choices: Vec<ScreenChoice>, selected: usize) -> Self {
        Self { title, choices, selected, filter: String::new() }
    }

    /// Returns the choices that the filter leaves.
    pub(super) fn shown(&self) -> Vec<&ScreenChoice> {
        let filter = self.filter.to_lowercase();
        self.choices.iter().filter(|choice| choice.title().to_lowercase().contains(&filter)).collect()
    }

    /// Shows only choices with a text, and selects the first one.
    pub(super) fn set_filter(&mut self, filter: String) {
        (self.filter, self.selected) = (filter, 0);
    }

    /// Moves the selection by a number of rows.
    pub(super) fn move_by(&mut self, rows: isize) {
        let last = self.shown().len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }
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
