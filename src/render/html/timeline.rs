//! A timeline for browsers: one line for each occurrence, with a point in its lane. On a narrow screen, the name of the lane takes the
//! place of the point.

use std::fmt::{self, Write as _};

use super::{TextTone, class, escape};

/// A timeline with lanes.
#[derive(Debug, Clone)]
pub(in crate::render) struct HtmlTimeline {
    /// The names of the lanes, at most seven: the style has colors for these.
    pub(in crate::render) lanes: Vec<&'static str>,
    /// The lines, in the order of the page.
    pub(in crate::render) entries: Vec<TimelineEntry>,
}

/// One line of a timeline.
#[derive(Debug, Clone)]
pub(in crate::render) struct TimelineEntry {
    /// The index of the lane.
    pub(in crate::render) lane: usize,
    /// The time as text.
    pub(in crate::render) when: String,
    /// The number of causes above it.
    pub(in crate::render) level: usize,
    /// The tone of the sentence.
    pub(in crate::render) tone: TextTone,
    /// What happened.
    pub(in crate::render) sentence: String,
}

/// Deeper effects are not indented further.
const DEEPEST: usize = 4;

impl HtmlTimeline {
    pub(super) fn add(&self, text: &mut String) -> fmt::Result {
        text.push_str("<div class=\"timeline\">\n<ul class=\"lanes\">\n");
        for (index, lane) in self.lanes.iter().enumerate() {
            let count = self.entries.iter().filter(|entry| entry.lane == index).count();
            let _ = writeln!(text, "<li class=\"lane-{index}\" data-lane=\"{index}\">{} ({count})</li>", escape(lane));
        }
        text.push_str("</ul>\n<ol>\n");
        for TimelineEntry { lane, when, level, tone, sentence } in &self.entries {
            let name = self.lanes.get(*lane).copied().unwrap_or_default();
            let _ = writeln!(
                text,
                "<li class=\"lane-{lane} level-{}\" data-lane=\"{lane}\"><time>{}</time><span class=\"lane\">{}</span>\
                 <p{}>{}</p></li>",
                level.min(&DEEPEST),
                escape(when),
                escape(name),
                class(*tone),
                escape(sentence)
            );
        }
        writeln!(text, "</ol>\n</div>")
    }
}
