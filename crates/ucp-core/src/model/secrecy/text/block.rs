//! Values below their names: block scalars, lists, mappings, and here-documents.

use std::ops::Range;

use super::super::names::is_secret_name;
use super::file::is_secret_file;
use super::value::{is_opaque, mask_length, quoted_value, reference_length};
use super::words::is_prose;

/// Longest key before the line of its value.
const LONGEST_KEY: usize = 256;
/// Longest label of a here-document.
const LONGEST_LABEL: usize = 64;

/// Returns the range of a here-document that begins on the same line, as in shells and HCL: `<<EOT`, `$(cat <<'EOF'`.
pub(super) fn here_document(text: &str, start: usize) -> Option<Range<usize>> {
    let line_end = start + memchr::memchr(b'\n', &text.as_bytes()[start..])?;
    let line = text[start..line_end].trim_start_matches(['"', '\'']);
    let label =
        line.strip_prefix("<<").or_else(|| line.strip_prefix("$(")?.split_once("<<").map(|(_, label)| label))?;
    let label = label.trim_start_matches(['-', '~', ' ', '\\', '"', '\'']);
    let label = &label[..label.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()];
    if label.is_empty() || label.len() > LONGEST_LABEL {
        return None;
    }
    let mut end = line_end + 1;
    for line in text[end..].split_inclusive('\n') {
        if line.trim() == label {
            break;
        }
        end += line.len();
    }
    let body = text[line_end + 1..end].trim_end();
    (!body.is_empty()).then(|| line_end + 1..line_end + 1 + body.len())
}

/// Returns the range of an explicit key of YAML, if a line begins with the `:` of its value: `? password⏎: X`.
pub(super) fn explicit_key(text: &str, colon: usize) -> Option<Range<usize>> {
    let near = text.ceil_char_boundary(colon.saturating_sub(LONGEST_KEY));
    let (above, below) = text[near..colon].rsplit_once('\n')?;
    let line = above.rsplit('\n').next()?;
    // Without the quote of a text that begins with the key.
    let (_, key) = line.rsplit_once("? ").filter(|_| below.trim().is_empty())?;
    let start = near + above.len() - key.len();
    (!key.trim().is_empty()).then(|| start..start + key.len())
}

/// Returns the ranges of the values on the lines below a name: a block scalar, a list, a mapping, or a single value.
pub(super) fn block_values(text: &str, name: &Range<usize>, line: Range<usize>) -> Option<Vec<Range<usize>>> {
    let full = &text[name.clone()];
    let last = full.rsplit('.').next().unwrap_or_default();
    let is_file = is_secret_file(file_name(text, name));
    if !matches!(last, "data" | "stringData" | "literals") && !is_file && !is_secret_name(last) {
        return None;
    }
    let line_end = line.end;
    let rest = text[line.clone()].trim();
    let is_flow = rest.starts_with('{');
    let is_scalar = is_scalar_header(rest);
    let line_start = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = text[line_start..name.start].trim_end_matches('.');
    // In a diff, every line begins with a mark.
    let is_diff = is_scalar && (lead.starts_with("+  ") || lead.starts_with("-  "));
    let is_key = lead.chars().all(|c| c == ' ' || c == '-' || c == '\t' || c == '"' || c == '\'' || c == '+');
    if is_flow && !matches!(last, "data" | "stringData") {
        return None;
    }
    let is_generated = last == "literals" && text[..line_start].contains("secretGenerator");
    let is_secret_data = matches!(last, "stringData")
        || is_generated
        || last == "data" && is_key && has_secret_kind(text, line_start, lead.len());
    // `data: {key: value}`, on one line.
    if is_secret_data && let Some(inner) = rest.strip_prefix('{').map(|inner| inner.trim_end_matches('}').trim()) {
        let at = line.start + text[line.clone()].find(inner)?;
        return (!inner.is_empty()).then(|| std::iter::once(at..at + inner.len()).collect());
    }
    if !(rest.is_empty()
        || is_scalar
        || rest.starts_with(['&', '!', '#']) && !rest.contains(['"', '\'']) && rest.starts_with("# "))
    {
        return None;
    }
    // A file is a text.
    if !(is_secret_data || is_secret_name(last) || is_file && is_scalar) {
        return None;
    }
    let depth = if is_key { lead.len() } else { 0 };
    let mut ranges = Vec::new();
    let mut at = line_end + 1;
    for line in text[at..].split_inclusive('\n') {
        let body = if is_diff { line.trim_start_matches(['+', '-']) } else { line };
        let body = body.trim_start_matches(['\t', ' ']);
        let indent = line.len() - body.len();
        let content = body.trim_end();
        let is_item = content.starts_with("- ") && indent >= depth && !is_scalar;
        if !content.is_empty() && indent <= depth && !(is_item && indent == depth) {
            break;
        }
        let line_at = at + indent;
        at += line.len();
        if content.is_empty() {
            continue;
        }
        if is_scalar {
            ranges.push(line_at..line_at + content.len());
            continue;
        }
        let item = content.trim_start_matches("- ");
        let item_at = line_at + content.len() - item.len();
        let equals = item.find('=').filter(|_| is_generated);
        let value_at = match equals.or_else(|| item.find(": ")).or_else(|| item.ends_with(':').then(|| item.len() - 1))
        {
            Some(colon)
                if is_secret_data || item[..colon].chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) =>
            {
                let value = item[colon + 1..].trim_start();
                // Fields of references to Secrets are not secret.
                let key = &item[..colon];
                if !is_secret_data
                    && ["name", "key", "namespace", "optional", "valueFrom", "secretKeyRef", "secretName"]
                        .contains(&key)
                {
                    continue;
                }
                item_at + item.len() - value.len()
            }
            _ => item_at,
        };
        let value = text[value_at..item_at + item.len()].trim_end();
        if value.is_empty() || matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            continue;
        }
        if mask_length(value).or_else(|| reference_length(value)).is_some_and(|length| length == value.len()) {
            continue;
        }
        let range = quoted_value(text, value_at)
            .filter(|range| range.end < value_at + value.len() + 1)
            .unwrap_or(value_at..value_at + value.len());
        ranges.push(range);
    }
    if ranges.is_empty() && is_key && !is_secret_data && !is_scalar {
        ranges.extend(line_below(text, line_end + 1, depth));
    }
    // A sentence that ends with a colon has no value below.
    let is_value = is_key || ranges.iter().all(|range| !text[range.clone()].contains(' '));
    (is_value && !ranges.is_empty()).then_some(ranges)
}

/// Returns true for the start of a block scalar, also before a comment: `|`, `>-`, `| # of the database`.
fn is_scalar_header(rest: &str) -> bool {
    let (indicator, comment) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let comment = comment.trim_start();
    indicator.starts_with(['|', '>']) && indicator.len() <= 3 && (comment.is_empty() || comment.starts_with('#'))
}

/// Returns a name with the dot before it, with which names of files begin.
pub(super) fn file_name<'a>(text: &'a str, name: &Range<usize>) -> &'a str {
    &text[name.start - usize::from(text[..name.start].ends_with('.'))..name.end]
}

/// Returns the values in a Secret whose beginning is cut off, so that its kind is the first key of the whole document.
pub(super) fn data_before_kind(text: &str) -> Vec<Range<usize>> {
    let (mut at, mut values) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        if !line.starts_with([' ', '\t']) {
            let is_secret = line.strip_prefix("kind:").is_some_and(|kind| kind.trim() == "Secret");
            return if is_secret { values } else { Vec::new() };
        }
        values.extend(line.find(": ").map(|colon| at + colon + 2..at + line.trim_end().len()));
        at += line.len();
    }
    Vec::new()
}

/// Returns true if the document around a line is a Secret, or is cut off before its kind, which comes after the data.
fn has_secret_kind(text: &str, line_start: usize, depth: usize) -> bool {
    let value = |line: &str, key: &str| {
        let body = line.trim_start_matches([' ', '-', '+']);
        let value = body.strip_prefix(key).filter(|_| line.len() - body.len() == depth)?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let is_inside = |line: &&str| {
        !line.starts_with("---")
            && (line.trim().is_empty() || line.len() - line.trim_start_matches([' ', '-', '+']).len() >= depth)
    };
    const NEAR: usize = 200;
    let above = || text[..line_start].lines().rev().take(NEAR).take_while(is_inside);
    let below = || text[line_start..].lines().take(NEAR).take_while(is_inside);
    match above().chain(below()).find_map(|line| value(line, "kind:")) {
        Some(kind) => matches!(kind.as_str(), "Secret" | "SealedSecret"),
        None => above().any(|line| value(line, "apiVersion:").is_some_and(|version| version == "v1")),
    }
}

/// Returns the range of the only word of the line below a name that has no value and no indented lines. One empty line may
/// be between them.
fn line_below(text: &str, start: usize, depth: usize) -> Option<Range<usize>> {
    let below = text.get(start..)?;
    let first = below.split_inclusive('\n').next()?;
    let skipped = if first.trim().is_empty() { first.len() } else { 0 };
    let line = below[skipped..].lines().next()?;
    let value = line.trim();
    let at = start + skipped + (line.len() - line.trim_start().len());
    let is_word = !value.is_empty()
        && line.len() - line.trim_start().len() <= depth
        && !value.contains(char::is_whitespace)
        && !value.ends_with([':', '{', '[', '('])
        && !value.starts_with(['-', '#', '<', '{', '[', '}', ']', '.', '/', '`'])
        && (!value.contains([':', '=']) || is_opaque(value));
    let is_mask = mask_length(value).or_else(|| reference_length(value)).is_some_and(|length| length == value.len());
    (is_word && !is_mask && !is_prose(value)).then(|| at..at + value.len())
}
