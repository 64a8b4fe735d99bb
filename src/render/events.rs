//! Renders the events about one object.

use std::fmt::Write as _;

use crate::render::{TableStyle, words};
use crate::report::events::{ObjectEvent, ObjectEvents};
use crate::ui::{style as look, styled};
use ucp_core::model::time::age;

/// Returns the events in a few lines each, with whole messages.
pub fn event_text(events: &ObjectEvents, style: &TableStyle) -> String {
    if events.items.is_empty() {
        return "No events about this object. By default, a server keeps events for one hour.\n".to_owned();
    }
    let mut text = String::new();
    for ObjectEvent { last, kind, reason, count, from, message } in &events.items {
        let since = last.map_or_else(|| "?".to_owned(), |last| age(last, events.moment));
        let kind = if kind == "Warning" { styled(look::WARN, kind) } else { kind.clone() };
        let times = if *count > 1 { format!(" ×{count}") } else { String::new() };
        let _ = writeln!(
            text,
            "{since:>5}  {kind}  {}{times}  {}",
            styled(look::STRONG, reason),
            styled(look::FAINT, from)
        );
        words::add_wrapped(&mut text, message, "       ", style, usize::MAX);
    }
    text
}
