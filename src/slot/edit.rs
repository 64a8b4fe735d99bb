//! Changing versions in a file: only their bytes, and only after another parser has read what came out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::slot::embedded::{align, escape};
use crate::slot::file::File;
use crate::slot::format::Format;
use crate::slot::guard::{self, Leaf};
use crate::slot::layer::Place;
use crate::yaml::YamlError;
use crate::yaml::scalar::{self, Quotes};
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{Content, Node};

/// A new version for the bytes of a scalar's text.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) place: Place,
    /// The bytes of the version in the scalar's text.
    pub(crate) range: Range<usize>,
    pub(crate) version: String,
    pub(crate) typing: Typing,
}

/// Whether a number may stand where a version is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Typing {
    /// The field is text: a number without quotes is a mistake there.
    Text,
    /// What was a number stays one.
    Free,
}

/// Makes the changes.
///
/// # Errors
/// Where a value is written in a way that cannot be changed alone, or anything else would change.
pub(crate) fn apply(file: &File, changes: &[Change]) -> Result<String, YamlError> {
    let mut layers: BTreeMap<usize, (Vec<Splice>, Vec<Leaf>)> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    for change in changes {
        let node = file.node(&change.place).ok_or_else(|| YamlError::new(0, "the value is gone"))?;
        let layer = change.place.layer;
        let line = file.line(layer, node.span.start, node.line);
        if !seen.insert((layer, node.span.start)) {
            return Err(YamlError::new(line, "two changes touch the same value"));
        }
        let format = if layer == 0 { file.format } else { Format::Yaml };
        let (splice, text) =
            write(format, &file.layers[layer].text, node, change).map_err(|reason| YamlError::new(line, reason))?;
        let (splices, leaves) = layers.entry(layer).or_default();
        splices.push(splice);
        leaves.push(Leaf { document: change.place.document, route: change.place.route.clone(), text });
    }
    // The innermost texts first: a text stands behind the one that holds it.
    while let Some((index, (splices, leaves))) = layers.pop_last() {
        let layer = &file.layers[index];
        let after = splice::apply(&layer.text, &splices)?;
        let format = if index == 0 { file.format } else { Format::Yaml };
        guard::verify(format, layer, &after, &leaves)?;
        let Some(within) = &layer.within else { return Ok(after) };
        let (outer, leaves) = layers.entry(within.layer).or_default();
        outer.extend(
            splices
                .into_iter()
                .map(|splice| Splice { range: within.outer(&splice.range), text: escape(&splice.text, within.style) }),
        );
        leaves.push(Leaf { document: within.document, route: within.route.clone(), text: after });
    }
    Ok(file.text().to_owned())
}

/// The bytes that change, and what the whole scalar says then.
fn write(format: Format, source: &str, node: &Node, change: &Change) -> Result<(Splice, String), String> {
    let Content::Scalar(text, style) = &node.content else {
        return Err(match node.content {
            Content::Alias(_) => "the value is an alias (*): change the value that it stands for".to_owned(),
            _ => "expected one value, found a list or mapping".to_owned(),
        });
    };
    let raw = &source[node.span.clone()];
    let old = text.get(change.range.clone()).ok_or("the value is another one by now")?;
    let new = format!("{}{}{}", &text[..change.range.start], change.version, &text[change.range.end..]);
    if raw.is_empty() {
        let colon = usize::from(format == Format::Yaml && source[node.span.start..].starts_with(':'));
        let space = if format == Format::Yaml { " " } else { "" };
        let written = format!("{space}{}", whole(format, "", &new, Quotes::Plain, change.typing)?);
        return Ok((Splice::insert(node.span.start + colon, written), new));
    }
    if let Some(quotes) = Quotes::of(*style).filter(|_| !raw.contains('\n')) {
        check_ends(raw, quotes)?;
        // Where plain text would lose its meaning, the whole of it gets quotes.
        let requoted = quotes == Quotes::Plain && scalar::is_plain_safe(text) && !scalar::is_plain_safe(&new);
        if old.len() == text.len() || (requoted && format == Format::Yaml) {
            let written = whole(format, text, &new, quotes, change.typing)?;
            return Ok((Splice { range: node.span.clone(), text: written }, new));
        }
    }
    let places = align(raw, *style, text).ok_or("the value is written in a way that cannot be followed")?;
    let first = places.get(change.range.start).map_or(0, |place| place.start);
    let last = places.get(change.range.end.max(1) - 1).map_or(0, |place| place.end);
    if raw.get(first..last) != Some(old) {
        return Err("the version is spread over several lines or written with escapes".to_owned());
    }
    let range = node.span.start + first..node.span.start + last;
    Ok((Splice { range, text: escape(&change.version, *style) }, new))
}

/// A parser's span must be exactly the value and its quotes.
fn check_ends(raw: &str, quotes: Quotes) -> Result<(), String> {
    let quoted = |quote: char| raw.len() >= 2 && raw.starts_with(quote) && raw.ends_with(quote);
    match quotes {
        Quotes::Single if !quoted('\'') => Err("the end of the quoted value is not where it should be".to_owned()),
        Quotes::Double if !quoted('"') => Err("the end of the quoted value is not where it should be".to_owned()),
        _ => Ok(()),
    }
}

/// Writes a whole value as the old one was written.
fn whole(format: Format, old: &str, new: &str, quotes: Quotes, typing: Typing) -> Result<String, String> {
    match (format, quotes) {
        (_, Quotes::Plain) if typing == Typing::Free && is_number(old) && is_number(new) => Ok(new.to_owned()),
        (Format::Yaml, quotes) => Ok(scalar::write(new, quotes)),
        (Format::Json, _) | (Format::Toml, Quotes::Plain | Quotes::Double) => Ok(scalar::write(new, Quotes::Double)),
        (Format::Toml, Quotes::Single) if new.contains('\'') => Ok(scalar::write(new, Quotes::Double)),
        (Format::Toml, Quotes::Single) => Ok(format!("'{new}'")),
        (Format::KeyValue, quotes) => {
            let (open, fine) = match quotes {
                Quotes::Plain => ("", !new.contains(|c: char| c.is_whitespace() || "'\"#$`\\".contains(c))),
                Quotes::Single => ("'", !new.contains('\'')),
                Quotes::Double => ("\"", !new.contains(['"', '\\', '$', '`'])),
            };
            fine.then(|| format!("{open}{new}{open}")).ok_or_else(|| format!("{new:?} needs other quotes in this line"))
        }
    }
}

/// Whether a text without quotes is a number that says the same in every language: `1.30` is not, for it is `1.3`.
fn is_number(text: &str) -> bool {
    let whole = text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    whole || (text.contains('.') && text.parse::<f64>().is_ok_and(|number| number.to_string() == text))
}
