//! The colors of frames, and frames without colors.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use ucp_core::model::verdict::Verdict;

pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// The colors of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Colors by verdict.
    Colors,
    /// Bold, dim and reversed text only: `NO_COLOR`.
    Monochrome,
}

impl Palette {
    pub(super) fn verdict(self, verdict: Verdict) -> Style {
        let (color, modifier) = match verdict {
            Verdict::Failed | Verdict::NeedsHuman => (Color::Red, Modifier::BOLD),
            Verdict::Drifted | Verdict::Stuck | Verdict::Unknown => (Color::Yellow, Modifier::empty()),
            Verdict::Progressing => (Color::Cyan, Modifier::empty()),
            Verdict::Paused => (Color::Reset, Modifier::DIM),
            Verdict::Ok => (Color::Green, Modifier::empty()),
        };
        self.color(color).add_modifier(modifier)
    }

    pub(super) fn color(self, color: Color) -> Style {
        match self {
            Self::Colors => Style::new().fg(color),
            Self::Monochrome => Style::new(),
        }
    }

    /// Returns a style of printed text, without its colors if there are none.
    fn adapt(self, style: Style) -> Style {
        match self {
            Self::Colors => style,
            Self::Monochrome => Style { fg: None, bg: None, ..style },
        }
    }
}

/// Returns a line in the colors of the palette.
pub(super) fn adapted(line: &Line<'static>, palette: Palette) -> Line<'static> {
    let spans = line.spans.iter().map(|span| Span::styled(span.content.clone(), palette.adapt(span.style)));
    Line::from(spans.collect::<Vec<_>>()).style(palette.adapt(line.style))
}
