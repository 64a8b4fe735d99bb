//! Text fragments that several renderers share.

use std::fmt::Write as _;

use crate::render::cut::{beginning_length, cut_in_the_middle};
use crate::render::style::TableStyle;
use crate::report::sources::{Sourced, UnreadableEntry};
use crate::ui::{style, styled};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{Origin, Unreadable};
use ucp_core::model::text::{self, one_line};
use ucp_core::model::verdict::Verdict;

/// Returns a verdict in its color.
pub fn verdict(verdict: Verdict) -> String {
    let look = match verdict {
        Verdict::Failed | Verdict::NeedsHuman => style::BAD,
        Verdict::Drifted | Verdict::Stuck | Verdict::Unknown => style::WARN,
        Verdict::Progressing => style::BUSY,
        Verdict::Paused => style::FAINT,
        Verdict::Ok => style::GOOD,
    };
    styled(look, verdict.as_str())
}

/// Returns an object as `kind.group/name`, prefixed with `namespace/` if it has one.
pub fn object(object: &ObjectName) -> String {
    one_line(&object.to_string())
}

/// Returns the source of an item in a document with several sources; otherwise, an empty text.
pub fn source<T>(item: &Sourced<T>) -> String {
    item.source.as_deref().map(|source| one_line(source.label())).unwrap_or_default()
}

/// Returns the source of an item as a prefix for a line.
pub fn source_line_prefix<T>(item: &Sourced<T>) -> String {
    item.source.as_deref().map(|source| format!("{}  ", one_line(source.label()))).unwrap_or_default()
}

/// Returns the source of an item as a prefix for a sentence.
pub fn source_sentence_prefix<T>(item: &Sourced<T>) -> String {
    item.source.as_deref().map(|source| format!("{}: ", one_line(source.label()))).unwrap_or_default()
}

/// The column that distinguishes sources.
pub const SOURCE: &str = "CONTEXT";

/// Returns the source of an item as the first cell of a markdown row.
pub fn markdown_source<T>(item: &Sourced<T>) -> String {
    markdown_origin(item.source.as_deref())
}

/// Returns the first cell of a markdown row for a source in a field that is not called `source`.
pub fn markdown_origin(source: Option<&Origin>) -> String {
    source.map(|source| format!("| {} ", markdown_cell(source.label()))).unwrap_or_default()
}

/// Returns up to `most` objects by name, and the number of the others.
pub fn join_objects_limited(objects: &[ObjectName], most: usize) -> String {
    join_limited(&objects.iter().map(object).collect::<Vec<_>>(), most)
}

/// Returns up to `most` words, and the number of the others: `a, b and 3 more`.
pub fn join_limited(words: &[impl AsRef<str>], most: usize) -> String {
    text::join_limited(words, most)
}

/// Returns a number with its noun: `1 provider`, `2 providers`.
pub fn count(number: usize, plural: &str) -> String {
    match (number, plural.strip_suffix("ies"), plural.strip_suffix('s')) {
        (1, Some(stem), _) => format!("1 {stem}y"),
        (1, None, Some(noun)) => format!("1 {noun}"),
        _ => format!("{number} {plural}"),
    }
}

/// Returns unreadable data: one line for each reason with all affected kinds, separately for each source.
pub fn unreadable(entries: &[impl UnreadableEntry]) -> Vec<String> {
    let mut sources: Vec<(Option<&Origin>, Vec<&Unreadable>)> = Vec::new();
    for entry in entries {
        match sources.iter_mut().find(|(source, _)| *source == entry.source()) {
            Some((_, same)) => same.push(entry.entry()),
            None => sources.push((entry.source(), vec![entry.entry()])),
        }
    }
    let of_source = |(source, entries): (Option<&Origin>, Vec<&Unreadable>)| {
        let place = source.map(|source| format!("{}: ", one_line(source.label()))).unwrap_or_default();
        unreadable_of_one(&entries).into_iter().map(move |line| format!("{place}{line}"))
    };
    sources.into_iter().flat_map(of_source).collect()
}

fn unreadable_of_one(entries: &[&Unreadable]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in entries {
        // A denial contains its kind; the rest of the reason is the same for all kinds.
        let plural = entry.what.split('.').next().unwrap_or_default();
        let group = entry.what.split_once('.').map_or("", |(_, group)| group);
        let mut likeness = entry.reason.clone();
        for name in [entry.what.as_str(), plural, group] {
            if !name.is_empty() {
                likeness = likeness.replace(name, "…");
            }
        }
        match groups.iter_mut().find(|(known, _)| *known == likeness) {
            Some((_, same)) => same.push(&entry.what),
            None => groups.push((likeness, vec![&entry.what])),
        }
    }
    groups
        .into_iter()
        .map(|(likeness, same)| match same.as_slice() {
            [what] => {
                let reason = entries.iter().find(|entry| entry.what == *what).map_or("", |entry| entry.reason.as_str());
                format!("{}: {}", one_line(what), one_line(reason))
            }
            many => {
                let names: Vec<_> = many.iter().map(|what| one_line(what)).collect();
                format!("{}: {}", join_limited(&names, 3), one_line(&likeness))
            }
        })
        .collect()
}

/// The width for wrapping without a terminal.
pub const WIDTH: usize = 100;

/// Returns options for wrapping. Names and URLs are only split if they are longer than a line, so that they can be
/// copied.
pub fn wrapping<'a>(width: usize) -> textwrap::Options<'a> {
    textwrap::Options::new(width)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// Adds a heading that ends with names. If the terminal is too narrow, the names are on a line of their own, so that it does not
/// break them.
pub fn add_heading(page: &mut String, before: &str, names: &str, style: &TableStyle) {
    let is_narrow = style.width.is_some_and(|width| text::columns(before) + text::columns(names) > width);
    let end = before.trim_end();
    let _ = match is_narrow {
        true => writeln!(page, "{end}\n  {names}"),
        false => writeln!(page, "{before}{names}"),
    };
}

/// Adds a text of an engine, wrapped to the terminal. If it exceeds the maximum number of lines, the middle is omitted.
pub fn add_wrapped(text: &mut String, words: &str, indent: &str, style: &TableStyle, most: usize) {
    let width = style.width.unwrap_or(WIDTH).max(30);
    let line = one_line(words);
    let options = wrapping(width).initial_indent(indent).subsequent_indent(indent);
    // Wrapping very long text is slow, and only its first and last lines are shown.
    let line = cut_in_the_middle(&line, width.saturating_mul(most.min(10_000)).saturating_mul(4));
    let lines = textwrap::wrap(&line, options);
    let (head, tail) = match lines.len() > most {
        true => (beginning_length(most).max(1), most - beginning_length(most).max(1)),
        false => (lines.len(), 0),
    };
    for (number, line) in lines[..head].iter().chain(&lines[lines.len() - tail..]).enumerate() {
        let gap = if lines.len() > most && number + 1 == head { " …" } else { "" };
        let _ = writeln!(text, "{line}{gap}");
    }
}

/// Returns the lines of [`unreadable`], or similar lines of a report, as the end of a markdown document.
pub fn markdown_unreadable(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\nCould not be read: {}\n", markdown_cell(line))).collect()
}

/// Returns the lines of unreadable data as the end of a table.
pub fn listed_unreadable(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("  {}\n", one_line(line))).collect();
    format!("\nCould not be read, so it is unknown:\n{lines}")
}

/// Escapes a cell of a markdown table: one line, without markdown or HTML syntax.
pub fn markdown_cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' => safe.extend(['\\', character]),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // A mention would notify users, and a number would become a link.
            '@' => safe.push_str("&#64;"),
            '#' => safe.push_str("&#35;"),
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{DetailLevel, HeaderVisibility};

    #[test]
    fn denials_of_many_kinds_are_a_single_line() {
        let denied = |plural: &str, group: &str| Unreadable {
            what: format!("{plural}.{group}"),
            reason: format!(
                "{plural}.{group} is forbidden: User \"ci\" cannot list resource \"{plural}\" in API group \"{group}\" at the cluster scope"
            ),
        };
        let entries = [
            denied("buckets", "s3.aws.upbound.io"),
            denied("queues", "sqs.aws.upbound.io"),
            denied("roles", "iam.aws.upbound.io"),
            denied("users", "iam.aws.upbound.io"),
        ];
        let lines = unreadable(&entries);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].starts_with(
            "buckets.s3.aws.upbound.io, queues.sqs.aws.upbound.io, roles.iam.aws.upbound.io and 1 more: "
        ));
        assert!(unreadable(&entries[..1])[0].contains("cannot list resource \"buckets\""));
    }

    #[test]
    fn a_count_of_one_is_singular() {
        assert_eq!(
            [count(1, "helmrepositories"), count(1, "claims"), count(2, "claims")],
            ["1 helmrepository", "1 claim", "2 claims"]
        );
    }

    #[test]
    fn the_last_lines_of_a_long_text_are_kept() {
        let style = TableStyle { width: Some(40), detail: DetailLevel::Normal, headers: HeaderVisibility::Shown };
        let words: Vec<String> = (1..=200).map(|number| format!("word{number}")).collect();
        let mut text = String::new();
        add_wrapped(&mut text, &words.join(" "), "  ", &style, 6);
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.starts_with("  word1 ") && text.ends_with(" word200\n"), "{text}");
        assert_eq!(text.lines().position(|line| line.ends_with(" …")), Some(1), "{text}");
    }

    #[test]
    fn markup_in_text_is_escaped_for_markdown() {
        assert_eq!(markdown_cell("a|b <img> @all\nc `d`"), "a\\|b &lt;img&gt; &#64;all c \\`d\\`");
    }
}
