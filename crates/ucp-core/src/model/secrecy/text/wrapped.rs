//! Secrets over two lines: continued with a backslash, or wrapped at the width of a terminal, a box, or a cell of a table.

use std::ops::Range;

use super::secrets_at;
use super::value::is_identifier;
use super::words::{is_prose, is_technical};

/// Limit of nesting of texts whose lines are joined.
const DEEPEST: usize = 2;
/// The shortest part of a secret at the end of a line, unless the rest is in the same cell of a table.
const SHORTEST_BEGIN: usize = 8;
/// The shortest part at the start of the next line.
const SHORTEST_REST: usize = 4;
/// Characters of borders.
const BORDER: [char; 6] = ['│', '|', '┃', ' ', '\t', '\r'];

/// Where two lines are joined: the part of the text between them is left out.
struct LineJoin {
    gap: Range<usize>,
    /// Kept between the lines.
    space: &'static str,
    is_continuation: bool,
}

/// Adds the secrets that begin on one line and end on a later one, or are on the later lines of a command.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    if depth > DEEPEST || memchr::memchr(b'\n', text.as_bytes()).is_none() {
        return;
    }
    let joins: Vec<LineJoin> =
        memchr::memchr_iter(b'\n', text.as_bytes()).filter_map(|newline| line_join(text, newline)).collect();
    if joins.is_empty() {
        return;
    }
    let (mut joined, mut end) = (String::with_capacity(text.len()), 0);
    // The end of each join in the joined text, and how much longer the text is up to there.
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(joins.len());
    for join in &joins {
        joined.push_str(&text[end.min(join.gap.start)..join.gap.start]);
        joined.push_str(join.space);
        end = join.gap.end;
        places.push((joined.len(), end - joined.len()));
    }
    joined.push_str(&text[end..]);
    let original = |at: usize, is_end: bool| {
        let before = places.partition_point(|(place, _)| if is_end { *place < at } else { *place <= at });
        before.checked_sub(1).map_or(at, |index| at + places[index].1)
    };
    for secret in secrets_at(&joined, depth + 1) {
        let is_across = places.iter().zip(&joins).any(|((place, _), join)| {
            let is_on_line = || !joined[*place..secret.start].contains('\n');
            match *place <= secret.start {
                true => join.is_continuation && is_on_line(),
                false => *place < secret.end,
            }
        });
        if is_across {
            found.push(original(secret.start, false)..original(secret.end, true));
        }
    }
}

/// Returns how a line and the next one are joined, if a word may go on there.
fn line_join(text: &str, newline: usize) -> Option<LineJoin> {
    let line = &text[text[..newline].rfind('\n').map_or(0, |before| before + 1)..newline];
    let next = text[newline + 1..].split('\n').next().unwrap_or_default();
    let line = line.trim_end_matches('\r');
    let body = line.trim_end_matches(BORDER);
    let inner = next.trim_start_matches(BORDER);
    let start = newline - (text[..newline].len() - text[..newline].trim_end_matches('\r').len());
    let next_start = newline + 1 + next.len() - inner.len();
    if let Some(before) = line.strip_suffix(['\\', '^', '`']) {
        let is_word = !before.ends_with(char::is_whitespace);
        let is_mark = line.ends_with('\\') || !is_word || before.ends_with('=');
        let is_indented = next.starts_with([' ', '\t']);
        // An indented flag is a word of its own.
        let space = if is_word && is_indented && inner.starts_with('-') { " " } else { "" };
        return is_mark.then_some(LineJoin { gap: start - 1..next_start, space, is_continuation: true });
    }
    let begin = body.rsplit(|c: char| c.is_whitespace() || "\"'`=:,;(|│".contains(c)).next().unwrap_or_default();
    // A row without a name in its first cell continues the row above it.
    let borders = next[..next.len() - inner.len()].chars().filter(|c| "│|┃".contains(*c)).count();
    let is_same_cell = borders > 1 && body.contains(['│', '|', '┃']);
    let is_begin = begin.len() >= SHORTEST_BEGIN || begin.len() > 1 && (is_same_cell || begin.ends_with('-'));
    let is_rest = || is_rest(inner, is_same_cell);
    let is_open = begin.ends_with(|c: char| c.is_ascii_alphanumeric() || "-_+/~!#$%*".contains(c));
    let gap = newline - (text[..newline].len() - text[..newline].trim_end_matches(BORDER).len())..next_start;
    (is_begin && is_open && is_rest()).then_some(LineJoin { gap, space: "", is_continuation: false })
}

/// Returns true if a line may begin with the rest of a secret: letters and digits as no word, name, time, or key has them.
fn is_rest(line: &str, is_same_cell: bool) -> bool {
    let word = line.split(|c: char| c.is_whitespace() || "\"'`,;|│".contains(c)).next().unwrap_or_default();
    // The rest of a login in a URL.
    let login = word.split_once('@').map(|(login, _)| login);
    let word = login.unwrap_or(word).trim_end_matches(['.', ')', ']', '}']);
    let value = word.trim_end_matches([':', '=']);
    let has = |is_one: fn(&u8) -> bool| value.as_bytes().iter().any(is_one);
    let (has_upper, has_lower, has_digit) =
        (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase), has(u8::is_ascii_digit));
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+/.~!#$%^&*".contains(&byte));
    if !is_plain || value.is_empty() || is_prose(value) || is_identifier(value) || is_technical(value) {
        return false;
    }
    // `name1:` is a key.
    let is_key = value.len() < word.len() && !(has_upper && has_lower && has_digit) && !word.ends_with("==");
    let is_name = !has_upper && value.contains(['-', '.', '/']);
    let is_code = has_digit && (has_upper || has_lower) && !is_name || has_upper && has_lower && is_mixed(value);
    value.len() >= SHORTEST_REST && is_code && !is_key || is_same_cell && value.len() >= 3
}

/// Returns true if upper-case letters follow lower-case ones more than once, unlike in most names.
fn is_mixed(value: &str) -> bool {
    let is_change = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    value.as_bytes().windows(2).filter(|pair| is_change(pair)).count() > 1 && value.len() >= SHORTEST_BEGIN
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn secrets_over_two_lines_are_hidden() {
        for (text, shown) in [
            ("export DB_PASSWORD=\\\ncanary-1\nmake", "export DB_PASSWORD=\\\n<hidden>\nmake"),
            ("--set db.password=canary-\\\nOne-1 \\\n  --wait", "--set db.password=<hidden> \\\n  --wait"),
            ("mysql -u root \\\n  -pcanary shop", "mysql -u root \\\n  -p<hidden> shop"),
            ("token ghp_0123456789abcdefghijAB\n  CDEFGHIJ012345 was", "token <hidden> was"),
            ("| password | canary-One-And- |\n|          | two-77          |\n", "| password | <hidden>          |\n"),
            ("postgres://app:canary-\nBay-17@db:5432/x", "postgres://<hidden>@db:5432/x"),
        ] {
            assert_eq!(scrub(text), shown);
        }
        for text in [
            "the password\nis wrong",
            "kubectl apply \\\n  -f app.yaml \\\n  --wait",
            "NAME     SECRET\nweb      database-login\nweb-7d9f8b6c5d-x2x4z  other",
            "secretName: database-login\n2026-11-20T09:00:00Z started",
            "│ Error: secret \"db\" not\n│ found",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
