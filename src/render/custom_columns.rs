//! `-o custom-columns`: a table with user-defined columns, in kubectl's layout.

use serde_json::Value;

use crate::render::jsonpath::{JsonPath, UnmatchedField, sprint};
use crate::render::style::HeaderVisibility;
use ucp_core::error::Result;
use ucp_core::failure::{Failure, fail};

/// The number of spaces between two columns.
const GAP: usize = 3;
/// The minimum width of a column with its gap, as in kubectl's tab writer.
const MINIMUM: usize = 6;

/// Columns, from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomColumns(Vec<CustomColumn>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct CustomColumn {
    header: String,
    /// The path as it was given.
    source: String,
    path: JsonPath,
}

impl CustomColumns {
    /// Parses `NAME:.metadata.name,READY:.status.ready`. As in kubectl, every comma separates columns.
    ///
    /// # Errors
    /// Returns the invalid column and the reason.
    pub fn parse(specification: &str) -> Result<Self, Failure> {
        if specification.is_empty() {
            return fail!("custom-columns format specified but no custom columns given");
        }
        let column = |part: &str| {
            let (header, path) = part.split_once(':').ok_or_else(|| {
                format!("unexpected custom-columns spec: {part:?}, expected <header>:<json-path-expr>")
            })?;
            CustomColumn::new(header, path)
        };
        specification.split(',').map(column).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the paths of the columns as they were given.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|column| column.source.as_str())
    }

    /// Parses the contents of a `custom-columns-file`: a line of headers, and a line of paths, both separated by white
    /// space.
    ///
    /// # Errors
    /// Returns the missing part, or the invalid column and the reason.
    pub fn parse_file(contents: &str) -> Result<Self, Failure> {
        const FORMAT: &str = "expected one line of space separated headers, one line of space separated column specs";
        let mut lines = contents.lines();
        let mut words = |line: &str| match lines.next() {
            Some(text) => Ok(text.split_whitespace().collect::<Vec<_>>()),
            None => fail!("invalid template, missing {line} line: {FORMAT}"),
        };
        let (headers, paths) = (words("header")?, words("spec")?);
        if headers.len() != paths.len() {
            return fail!(
                "number of headers ({}) and field specifications ({}) don't match",
                headers.len(),
                paths.len()
            );
        }
        headers
            .into_iter()
            .zip(paths)
            .map(|(header, path)| CustomColumn::new(header, path))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the first field that no row has, like
    /// [`JsonPath::unmatched`](crate::render::jsonpath::JsonPath::unmatched).
    pub fn unmatched(&self, document: &Value, optional: &[&str]) -> Option<UnmatchedField> {
        let rows = rows(document);
        self.0.iter().find_map(|column| column.path.unmatched(rows, optional))
    }

    /// Renders one row for each of the document's `items`, or a single row for a document that is not a list.
    ///
    /// # Errors
    /// Fails when a path does not match an item, such as an index that is out of bounds.
    pub fn render(&self, document: &Value, headers: HeaderVisibility) -> Result<String> {
        let rows = rows(document);
        let mut lines = Vec::with_capacity(rows.len() + 1);
        if headers == HeaderVisibility::Shown {
            lines.push(self.0.iter().map(|column| escape_line_breaks(&column.header)).collect());
        }
        for row in rows {
            lines.push(self.0.iter().map(|column| column.cell(row)).collect::<Result<Vec<_>>>()?);
        }
        Ok(lay_out(&lines))
    }
}

fn rows(document: &Value) -> &[Value] {
    match document.get("items") {
        Some(Value::Array(items)) => items.as_slice(),
        _ => std::slice::from_ref(document),
    }
}

impl CustomColumn {
    fn new(header: &str, path: &str) -> Result<Self, Failure> {
        let source = path.to_owned();
        let path = JsonPath::parse(path).map_err(|error| format!("custom column {header:?}: {error}"))?;
        Ok(Self { header: header.to_owned(), source, path })
    }

    fn cell(&self, row: &Value) -> Result<String> {
        let found = self.path.find(row)?;
        if found.is_empty() {
            return Ok("<none>".into());
        }
        Ok(found.iter().map(|value| escape_line_breaks(&sprint(value))).collect::<Vec<_>>().join(","))
    }
}

/// Escapes line breaks and tabs, which kubectl prints as new lines and columns.
fn escape_line_breaks(text: &str) -> String {
    ucp_core::model::text::plain(&text.replace('\n', "\\n").replace('\t', "\\t")).into_owned()
}

/// Lays out columns like kubectl: counts characters, and pads before an empty last cell.
fn lay_out(lines: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count() + GAP).max().unwrap_or(0).max(MINIMUM)
    };
    let widths: Vec<_> = (0..lines.first().map_or(0, Vec::len)).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let Some((last, cells)) = line.split_last() else { continue };
        for (cell, width) in cells.iter().zip(&widths) {
            text.push_str(cell);
            // A formatter pads to at most 65,535 characters.
            text.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
        }
        text.push_str(last);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Value {
        json!({"kind": "List", "items": [
            {"name": "größe", "n": 1, "labels": {"b": 1, "a": "x"}, "tags": ["a", "b"], "gone": null},
            {"name": "a\u{1b}[2J\nb", "n": 22_000.5},
        ]})
    }

    fn render(specification: &str, headers: HeaderVisibility) -> String {
        CustomColumns::parse(specification).unwrap().render(&document(), headers).unwrap()
    }

    #[test]
    fn rows_are_items_and_line_breaks_in_cells_are_escaped() {
        assert_eq!(
            render("NAME:.name,N:n,LABELS:{.labels},TAGS:{tags[*]},GONE:.gone", HeaderVisibility::Shown),
            "NAME            N         LABELS         TAGS     GONE\n\
             größe           1         map[a:x b:1]   a,b      <nil>\n\
             a\\u{1b}[2J\\nb   22000.5   <none>         <none>   <none>\n"
        );
        assert_eq!(render("N:.n,T:.tags[1:]", HeaderVisibility::Hidden).lines().next(), Some("1         b"));
    }

    #[test]
    fn narrow_columns_have_kubectls_least_width() {
        let columns = CustomColumns::parse("A:.a,B:.b,C:.c").unwrap();
        let text = columns.render(&json!({"a": 1, "b": "", "c": ""}), HeaderVisibility::Shown).unwrap();
        assert_eq!(text, "A     B     C\n1           \n");
        assert_eq!(columns.render(&json!({"items": []}), HeaderVisibility::Shown).unwrap(), "A     B     C\n");
        assert_eq!(columns.render(&json!({"items": []}), HeaderVisibility::Hidden).unwrap(), "");
    }

    #[test]
    fn files_have_two_lines() {
        let columns = CustomColumns::parse_file("NAME  N\n{.name}\t.n\nignored\n").unwrap();
        assert_eq!(columns, CustomColumns::parse("NAME:{.name},N:.n").unwrap());
        assert!(CustomColumns::parse_file("").unwrap_err().as_str().contains("missing header line"));
        assert!(CustomColumns::parse_file("NAME\n").unwrap_err().as_str().contains("missing spec line"));
        assert!(CustomColumns::parse_file("NAME N\n.name").unwrap_err().as_str().contains("number of headers (2)"));
    }

    #[test]
    fn a_bad_column_is_named() {
        assert!(CustomColumns::parse("").unwrap_err().as_str().contains("no custom columns given"));
        assert!(
            CustomColumns::parse("NAME").unwrap_err().as_str().contains("\"NAME\", expected <header>:<json-path-expr>")
        );
        let error = CustomColumns::parse("NAME:.a,N:.b[x]").unwrap_err();
        assert!(error.as_str().contains("custom column \"N\": error parsing path"), "{error}");
    }
}
