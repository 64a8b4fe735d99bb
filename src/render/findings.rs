//! Renders findings in a few lines each: the problem, its cause, and the next command.

use std::fmt::Write as _;

use crate::render::{TableStyle, words};
use crate::ui::{style as look, styled};
use ucp_core::model::finding::Finding;
use ucp_core::model::text::one_line;

/// The maximum number of lines of one message.
const MESSAGE_LINES: usize = 3;

/// Adds the first findings, with the hints that pass a filter, and the number of remaining findings.
pub(super) fn add(
    text: &mut String,
    findings: &[Finding],
    most: usize,
    style: &TableStyle,
    is_useful: impl Fn(&str) -> bool,
) {
    for (index, finding) in findings.iter().take(most).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        add_one(text, finding, style);
        if let Some(hint) = finding.hint.as_ref().filter(|hint| is_useful(hint)) {
            let _ = writeln!(text, "  {} {}", styled(look::FAINT, "→"), one_line(hint));
        }
    }
    let more = findings.len().saturating_sub(most);
    if more > 0 {
        let more = format!("and {} more, see 'kubectl ucp status'", words::count(more, "findings"));
        let _ = writeln!(text, "{}", styled(look::FAINT, &more));
    }
}

fn add_one(text: &mut String, finding: &Finding, style: &TableStyle) {
    let before = format!("{} {}  ", words::verdict(finding.verdict), styled(look::FAINT, &finding.code));
    words::add_heading(text, &before, &styled(look::STRONG, &words::object(&finding.object)), style);
    words::add_wrapped(text, &finding.message, "  ", style, MESSAGE_LINES);
}
