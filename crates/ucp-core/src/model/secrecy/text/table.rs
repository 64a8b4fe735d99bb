//! Values in tables whose header names them: CSV, Markdown, aligned columns, and `INSERT` statements.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::value::{is_masked, is_opaque};
use super::words::is_prose;

/// Most rows of one table.
const MOST_ROWS: usize = 1_000;
/// Widest table that is read.
const MOST_COLUMNS: usize = 100;
/// Limit of the length of a list of columns, in bytes.
const LONGEST_COLUMNS: usize = 2000;

/// `INSERT INTO users (name, password) VALUES`.
static INSERT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?i)\b(?:INSERT|REPLACE|MERGE)\s+INTO\s+[\w.`"\[\]]+\s*\(([^()]+)\)\s*VALUES\s*"#).ok()
});
/// A column with passwords. Columns with names of Secrets are usual in the output of kubectl.
static COLUMN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i-u)^(?:[\w.-]+[ _.-])?(?:\w*password|\w*passwd|passphrase|passcode|\w*pwd|api[ _-]?key|access[ _-]?token|secret[ _-]?key|token[ _-]?value|secret[ _-]?value)$").ok()
});

/// Adds the values below headers.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if memchr::memchr(b'(', text.as_bytes()).is_some() {
        let mut end = 0;
        for insert in INSERT.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            if let (Some(whole), Some(columns)) = (insert.get(0), insert.get(1))
                && whole.start() >= end
                && columns.len() <= LONGEST_COLUMNS
            {
                end = find_inserted(text, columns.as_str(), whole.end(), found);
            }
        }
    }
    if memchr::memchr(b'\n', text.as_bytes()).is_none() {
        return;
    }
    let (mut at, mut header, mut above): (usize, Option<Header>, &str) = (0, None, "");
    for line in text.split_inclusive('\n') {
        let cells = header.as_mut().and_then(|header| header.cells(line));
        match cells {
            Some(cells) => found.extend(cells.into_iter().map(|cell| at + cell.start..at + cell.end)),
            None if is_rule(line) => header = Header::of_one_column(above),
            None => header = Header::read(line),
        }
        at += line.len();
        above = line;
    }
}

/// Delimiter of the columns of a table.
#[derive(Clone, Copy)]
enum Delimiter {
    Character(char),
    /// Two spaces or more.
    Gap,
    /// None: the only column.
    Line,
}

/// Returns true for the line below a header: `------+-----`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 4 && line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'=' | b'|' | b' '))
}

/// A header with a column of passwords.
struct Header {
    delimiter: Delimiter,
    secret_columns: Vec<usize>,
    columns: usize,
    rows: usize,
}

impl Header {
    fn read(line: &str) -> Option<Self> {
        let lower = line.get(..line.len().min(4096))?.to_ascii_lowercase();
        if !["pass", "pwd", "key", "token", "secret"].iter().any(|word| lower.contains(word)) {
            return None;
        }
        let delimiters = ['|', '│', '\t', ';', ','].map(Delimiter::Character).into_iter().chain([Delimiter::Gap]);
        for delimiter in delimiters {
            let cells = cells(line, delimiter);
            if !(2..=MOST_COLUMNS).contains(&cells.len()) {
                continue;
            }
            // The text may begin within a line.
            let name = |cell: &Range<usize>| line[cell.clone()].rsplit('"').next().unwrap_or_default();
            let is_secret = |cell: &Range<usize>| {
                let name = name(cell).trim_matches(|c: char| !c.is_alphanumeric());
                COLUMN.as_ref().is_some_and(|pattern| pattern.is_match(name))
            };
            let secret_columns: Vec<usize> = (0..cells.len()).filter(|column| is_secret(&cells[*column])).collect();
            // A header consists of names.
            let is_name = |name: &str| name.split_whitespace().count() <= 3 && !name.contains([':', '=', '{']);
            let is_header = cells.iter().all(|cell| is_name(name(cell)));
            return (!secret_columns.is_empty() && is_header).then_some(Self {
                delimiter,
                secret_columns,
                columns: cells.len(),
                rows: 0,
            });
        }
        None
    }

    /// Returns the header of a column of passwords alone, whose values have a line each.
    fn of_one_column(line: &str) -> Option<Self> {
        let is_secret = COLUMN.as_ref().is_some_and(|pattern| pattern.is_match(line.trim()));
        is_secret.then_some(Self { delimiter: Delimiter::Line, secret_columns: vec![0], columns: 1, rows: 0 })
    }

    /// Returns the secret cells of a row, or `None` after the table.
    fn cells(&mut self, line: &str) -> Option<Vec<Range<usize>>> {
        if is_rule(line) {
            return Some(Vec::new());
        }
        let cells = cells(line, self.delimiter);
        self.rows += 1;
        if cells.len() != self.columns || self.rows > MOST_ROWS {
            return None;
        }
        let is_value = |value: &str| {
            !value.is_empty()
                && !value.chars().all(|c| matches!(c, '-' | ':' | '=' | '+'))
                && !is_masked(value)
                && !value.contains(char::is_whitespace)
                && (!is_prose(value) || is_opaque(value))
        };
        let secret = self.secret_columns.iter().map(|column| cells[*column].clone());
        Some(secret.filter(|cell| is_value(&line[cell.clone()])).collect())
    }
}

/// Returns the ranges of the cells of a line, trimmed, without the empty cells outside the borders.
fn cells(line: &str, delimiter: Delimiter) -> Vec<Range<usize>> {
    let body = line.trim_end_matches(['\n', '\r']);
    let mut cells = Vec::new();
    let mut push = |start: usize, end: usize| {
        let cell = &body[start..end];
        let lead = cell.len() - cell.trim_start_matches([' ', '"']).len();
        let trimmed = cell.trim_matches([' ', '"']);
        cells.push(start + lead..start + lead + trimmed.len());
    };
    match delimiter {
        Delimiter::Character(character) => {
            // A row with borders may be in a text that begins before it, and in quotes.
            let whole = body.trim_end_matches([' ', '"', '\'']);
            let bordered = whole.strip_suffix(character).and_then(|row| row.split_once(character)).map(|(_, row)| row);
            let inner = bordered.unwrap_or(body);
            if !inner.contains(character) {
                return cells;
            }
            let mut at = bordered.map_or(0, |row| whole.len() - character.len_utf8() - row.len());
            for cell in inner.split(character) {
                push(at, at + cell.len());
                at += cell.len() + character.len_utf8();
            }
        }
        Delimiter::Line => {
            if body.split_whitespace().count() == 1 {
                push(0, body.len());
            }
        }
        Delimiter::Gap => {
            let mut at = 0;
            for cell in body.split("  ") {
                if !cell.trim().is_empty() {
                    push(at, at + cell.len());
                }
                at += cell.len() + 2;
            }
        }
    }
    cells
}

/// Adds the values of secret columns in `(1, 'x', 'y'), (…)`, and returns the end of the statement.
fn find_inserted(text: &str, columns: &str, start: usize, found: &mut Vec<Range<usize>>) -> usize {
    let is_secret: Vec<bool> =
        columns.split(',').map(|column| is_secret_name(column.trim().trim_matches(['`', '"', '[', ']']))).collect();
    if !is_secret.contains(&true) {
        return start;
    }
    let mut end = text.len();
    let (mut column, mut depth, mut quote, mut value_start) = (0, 0, None, None);
    for (index, character) in text[start..].char_indices() {
        let at = start + index;
        match (quote, character) {
            (Some(open), close) if open == close => {
                if depth > 0 && is_secret.get(column) == Some(&true) {
                    found.extend(value_start.take().map(|value: usize| value..at));
                }
                (quote, value_start) = (None, None);
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => (quote, value_start) = (Some(character), Some(at + 1)),
            (None, '(') => {
                depth += 1;
                column = if depth == 1 { 0 } else { column };
            }
            (None, ')') => depth -= 1,
            (None, ',') if depth == 1 => column += 1,
            (None, ';') => {
                end = at;
                break;
            }
            (None, letter) if depth <= 0 && letter.is_alphanumeric() => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    // A statement that is cut off within a value.
    if quote.is_some() && is_secret.get(column) == Some(&true) {
        found.extend(value_start.map(|value| value..text.len()));
    }
    end
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert!(INSERT.is_some() && COLUMN.is_some());
}

#[cfg(test)]
#[test]
fn values_in_the_output_of_clients_of_databases_are_hidden() {
    use super::scrub;
    for text in [
        " name | password \n------+------------\n app  | canarybird\n(1 row)",
        "password\n----------\ncanarybird\n(1 row)",
        " api_key \n---------\n canarybird\n other\n",
    ] {
        assert!(!scrub(text).contains("canarybird"), "{}", scrub(text));
    }
    for text in [
        "Password\n--------\n\nvalues\n",
        "Password\n--------\nThe password of the user.\nrequired\n",
        " name | type \n------+------\n app  | password\n",
        "----\nconfig\n----\nvalues\n",
    ] {
        assert_eq!(scrub(text), text);
    }
}
