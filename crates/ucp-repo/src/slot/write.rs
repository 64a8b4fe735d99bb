//! Writes versions into a file: changes only their bytes, and checks the result with another parser.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::slot::artifact::ArtifactKind;
use crate::slot::edit::SlotEdit;
use crate::slot::embedded::{align, escape};
use crate::slot::entry::{EntryEdit, ImageEntries, pairs};
use crate::slot::file::VersionFile;
use crate::slot::format::FileFormat;
use crate::slot::guard::{self, ChangedCollection, ChangedValue};
use crate::slot::kinds::ValueTyping;
use crate::slot::layer::{ScalarLocation, scalar_text};
use crate::slot::reference::ValueContext;
use crate::yaml::YamlError;
use crate::yaml::insert;
use crate::yaml::scalar::{self, QuoteStyle};
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};
use ucp_core::failure::{Failure, fail};

/// New version for a range of a scalar's text.
#[derive(Debug, Clone)]
struct ValueEdit {
    place: ScalarLocation,
    /// Byte range of the version in the scalar's text.
    range: Range<usize>,
    version: String,
    typing: ValueTyping,
    /// Kind of the artifact and key of the value. `None` if the version is the whole value by construction.
    holder: Option<(ArtifactKind, Option<String>)>,
}

impl ValueEdit {
    /// Returns the value with the range that changes and its new text in its context.
    fn composed(&self, node: &YamlNode) -> Result<Self, Failure> {
        let (Some((what, key)), Some(text)) = (&self.holder, scalar_text(node)) else { return Ok(self.clone()) };
        if text.get(self.range.clone()).is_none() {
            return fail!("the value changed in the meantime");
        }
        let holder = ValueContext { what: *what, key: key.as_deref(), text };
        let (range, version) = holder.replacement(self.range.clone(), &self.version)?;
        Ok(Self { range, version, ..self.clone() })
    }
}

/// File with new versions.
#[derive(Debug)]
pub struct EditedFile {
    /// New text of the file.
    pub text: String,
    /// Values that refer to a changed one by an alias (`*`), and change with it.
    pub followers: Vec<FollowingAliases>,
}

/// Aliases of a changed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowingAliases {
    /// Line of the changed value.
    pub line: usize,
    /// Lines of the aliases, in words.
    pub description: String,
}

/// State of the edits in progress.
struct PendingEdits {
    layers: BTreeMap<usize, LayerEdits>,
    /// Changed values, by layer and start.
    seen: BTreeSet<(usize, usize)>,
    followers: Vec<FollowingAliases>,
}

/// Edits of one text, with the expected result for the check by another parser.
#[derive(Default)]
struct LayerEdits {
    splices: Vec<Splice>,
    leaves: Vec<ChangedValue>,
    shapes: Vec<ChangedCollection>,
}

impl VersionFile {
    /// Applies edits to the file.
    ///
    /// # Errors
    /// Fails when a value has a form that cannot be changed separately, when an alias repeats a version that is not
    /// known to be of the same artifact, or when anything else would change.
    pub fn apply_edits(&self, edits: &[SlotEdit]) -> Result<EditedFile, YamlError> {
        self.check_unsealed()?;
        let mut work = PendingEdits { layers: BTreeMap::new(), seen: BTreeSet::new(), followers: Vec::new() };
        let mut added = Vec::new();
        let mut entries = None;
        for edit in edits {
            let wanted = match edit {
                SlotEdit::Version(slot, version) => {
                    let (place, range) = (slot.place.clone(), slot.range.clone());
                    let holder = Some((slot.what, slot.path.key().map(str::to_owned)));
                    let value = ValueEdit { place, range, version: version.clone(), typing: slot.typing, holder };
                    self.edit_value(&value, &mut work)?;
                    continue;
                }
                SlotEdit::EntryOf(slot, version) => self.entry_at(&slot.mapping(), version)?,
                SlotEdit::Entry { name, version } => {
                    let entries = match &mut entries {
                        Some(entries) => entries,
                        none => none.insert(ImageEntries::from_file(self)?),
                    };
                    match entries.place(name)? {
                        Some(place) => self.entry_at(place, version)?,
                        None => {
                            added.push(pairs(name, version));
                            continue;
                        }
                    }
                }
            };
            match wanted {
                EntryEdit::Values(values) => {
                    for (place, version) in values {
                        let text = self.node(&place).and_then(scalar_text).unwrap_or_default();
                        let range = text.len() - text.trim_start().len()..text.trim_end().len();
                        let value = ValueEdit { place, range, version, typing: ValueTyping::Text, holder: None };
                        self.edit_value(&value, &mut work)?;
                    }
                }
                EntryEdit::Keys { entry, splices, keys } => {
                    self.check_keys(&entry)?;
                    let edited = work.layers.entry(entry.layer).or_default();
                    edited.splices.extend(splices);
                    edited.shapes.push(ChangedCollection::Keys { document: entry.document, route: entry.route, keys });
                }
            }
        }
        let text = self.apply(work.layers)?;
        let text = match entries.filter(|_| !added.is_empty()) {
            Some(entries) => self.append(text, entries.list, &added)?,
            None => text,
        };
        Ok(EditedFile { text, followers: work.followers })
    }

    /// Fails when a key on the way to a place is written twice.
    fn check_keys(&self, place: &ScalarLocation) -> Result<(), YamlError> {
        self.duplicate_key(place).map_or(Ok(()), |(line, key)| {
            Err(YamlError::new(
                line,
                format!("the key '{key}' is written twice, and parsers disagree about which one counts"),
            ))
        })
    }

    fn edit_value(&self, value: &ValueEdit, work: &mut PendingEdits) -> Result<(), YamlError> {
        let ScalarLocation { layer, document, route } = &value.place;
        let node = self.node(&value.place).ok_or_else(|| YamlError::new(0, "the value no longer exists"))?;
        let line = self.line(*layer, node.span.start, node.line);
        self.check_keys(&value.place)?;
        if !work.seen.insert((*layer, node.span.start)) {
            return Err(YamlError::new(line, "two changes touch the same value"));
        }
        let routes = guard::routes(&self.layers[*layer].documents[*document], route);
        if routes.len() > 1 {
            // An alias of a whole image or of a structure repeats the artifact too. An alias of a bare version can belong
            // to any artifact.
            let is_bare = matches!(node.decoration, NodeDecoration::Anchor(_))
                && scalar_text(node).is_none_or(|text| value.range.len() == text.trim().len());
            let is_other = |way: &&Vec<usize>| *way != route && !self.is_same_artifact(&value.place, way);
            if is_bare && let Some(other) = routes.iter().find(is_other) {
                let lines = self.lines(&value.place, std::iter::once(other));
                let other = lines.first().map(|line| format!(" (line {line})")).unwrap_or_default();
                let reason = format!(
                    "the value carries an anchor (&), and an alias of it{other} is not known to be of the same artifact"
                );
                return Err(YamlError::new(line, reason));
            }
            let lines = self.lines(&value.place, routes.iter().filter(|way| *way != route));
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            let (name, lines) = (&self.name, lines.join(", "));
            let description = format!("{name}:{line}: aliases (*) refer to this value and also change: line {lines}");
            work.followers.push(FollowingAliases { line, description });
        }
        let format = if *layer == 0 { self.format } else { FileFormat::Yaml };
        let value = &value.composed(node).map_err(|reason| YamlError::new(line, reason))?;
        let written = write(format, &self.layers[*layer].text, node, value);
        let (splice, text) = written.map_err(|reason| YamlError::new(line, reason))?;
        let edited = work.layers.entry(*layer).or_default();
        edited.splices.push(splice);
        edited.leaves.push(ChangedValue { document: *document, routes, text });
        Ok(())
    }

    /// Returns true if the same artifact is named beside a version and beside an alias of it, or if the alias repeats
    /// the structure around the version.
    fn is_same_artifact(&self, place: &ScalarLocation, alias: &[usize]) -> bool {
        const NAMES: [&str; 8] = ["repository", "image", "registry", "chart", "repoURL", "package", "url", "name"];
        if self.node(&place.at(alias)).is_none() {
            return true;
        }
        let Some(root) = self.node(&place.at(&[])) else { return false };
        let nodes = root.walk();
        let text = |mapping: &YamlNode, key: &str| -> Option<String> {
            let value = mapping.get(key)?;
            let NodeContent::Alias(anchor) = value.content else { return value.text().map(str::to_owned) };
            let named = nodes.iter().find(|node| node.decoration == NodeDecoration::Anchor(anchor))?;
            named.text().map(str::to_owned)
        };
        let mapping = |route: &[usize]| self.node(&place.at(&route[..route.len().saturating_sub(1)]));
        let (Some(own), Some(other)) = (mapping(&place.route), mapping(alias)) else { return false };
        let pairs = NAMES.map(|key| (text(own, key), text(other, key)));
        pairs.iter().all(|(own, other)| own == other) && pairs.iter().any(|(own, _)| own.is_some())
    }

    /// Applies the edits of the innermost texts first: an embedded text has a higher index than its container.
    fn apply(&self, mut layers: BTreeMap<usize, LayerEdits>) -> Result<String, YamlError> {
        while let Some((index, LayerEdits { splices, leaves, shapes })) = layers.pop_last() {
            let layer = &self.layers[index];
            let after = splice::apply(&layer.text, &splices)?;
            let format = if index == 0 { self.format } else { FileFormat::Yaml };
            guard::verify(format, layer, &after, &leaves, &shapes)?;
            let Some(within) = &layer.within else { return Ok(after) };
            let outer = layers.entry(within.layer).or_default();
            outer.splices.extend(
                splices.into_iter().map(|splice| Splice {
                    range: within.outer(&splice.range),
                    text: escape(&splice.text, within.style),
                }),
            );
            let routes = guard::routes(&self.layers[within.layer].documents[within.document], &within.route);
            outer.leaves.push(ChangedValue { document: within.document, routes, text: after });
        }
        Ok(self.text().to_owned())
    }

    /// Appends entries to a list at the root of an edited text of this file.
    fn append(&self, text: String, list: &str, entries: &[Vec<insert::KeyValue<'_>>]) -> Result<String, YamlError> {
        let file =
            Self::read(&self.name, &text)?.ok_or_else(|| YamlError::new(0, "the format of the file is unknown"))?;
        let layer = &file.layers[0];
        let root = layer.documents.first().ok_or_else(|| YamlError::new(0, "the file is empty"))?;
        let items: Vec<_> = entries.iter().map(|entry| insert::NewItem::Pairs(entry.clone())).collect();
        let after = splice::apply(&text, &[insert::append(&text, root, list, &items)?])?;
        let owned = |entry: &Vec<insert::KeyValue<'_>>| {
            entry.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let shape = ChangedCollection::Items { list: list.to_owned(), added: entries.iter().map(owned).collect() };
        guard::verify(file.format, layer, &after, &[], &[shape])?;
        Ok(after)
    }
}

/// Returns the edit of the bytes, and the new content of the whole scalar.
fn write(format: FileFormat, source: &str, node: &YamlNode, change: &ValueEdit) -> Result<(Splice, String), Failure> {
    let NodeContent::Scalar(text, style) = &node.content else {
        return Err(match node.content {
            NodeContent::Alias(_) => "the value is an alias (*): change the value that it refers to".into(),
            _ => "expected one value, found a list or mapping".into(),
        });
    };
    let raw = &source[node.span.clone()];
    let old = text.get(change.range.clone()).ok_or("the value changed in the meantime")?;
    let new = format!("{}{}{}", &text[..change.range.start], change.version, &text[change.range.end..]);
    if raw.is_empty() {
        let colon = usize::from(format == FileFormat::Yaml && source[node.span.start..].starts_with(':'));
        let space = if format == FileFormat::Yaml { " " } else { "" };
        let written = format!("{space}{}", write_whole(format, "", &new, QuoteStyle::Plain, change.typing)?);
        return Ok((Splice::insert(node.span.start + colon, written), new));
    }
    if let Some(quotes) = QuoteStyle::from_scalar_style(*style).filter(|_| !raw.contains('\n')) {
        check_ends(raw, quotes)?;
        // If plain text would lose its meaning, the whole value is quoted.
        let requoted = quotes == QuoteStyle::Plain && scalar::is_plain_safe(text) && !scalar::is_plain_safe(&new);
        if old.len() == text.len() || (requoted && format == FileFormat::Yaml) {
            let written = write_whole(format, text, &new, quotes, change.typing)?;
            return Ok((Splice { range: node.span.clone(), text: written }, new));
        }
    }
    let places = align(raw, *style, text).ok_or("the notation of the value is not supported")?;
    let first = places.get(change.range.start).map_or(0, |place| place.start);
    let last = places.get(change.range.end.max(1) - 1).map_or(0, |place| place.end);
    if raw.get(first..last) != Some(old) {
        return fail!("the version is spread over several lines or written with escapes");
    }
    let range = node.span.start + first..node.span.start + last;
    Ok((Splice { range, text: escape(&change.version, *style) }, new))
}

/// Verifies that the span of the parser is exactly the value with its quotes.
fn check_ends(raw: &str, quotes: QuoteStyle) -> Result<(), Failure> {
    let quoted = |quote: char| raw.len() >= 2 && raw.starts_with(quote) && raw.ends_with(quote);
    match quotes {
        QuoteStyle::Single if !quoted('\'') => fail!("the quoted value does not end at the expected position"),
        QuoteStyle::Double if !quoted('"') => fail!("the quoted value does not end at the expected position"),
        _ => Ok(()),
    }
}

/// Writes a whole value in the style of the old one.
fn write_whole(
    format: FileFormat,
    old: &str,
    new: &str,
    quotes: QuoteStyle,
    typing: ValueTyping,
) -> Result<String, Failure> {
    match (format, quotes) {
        (_, QuoteStyle::Plain) if typing == ValueTyping::Free && is_same_literal(old, new) => Ok(new.to_owned()),
        (FileFormat::Yaml, quotes) => Ok(scalar::write(new, quotes)),
        (FileFormat::Json, _) | (FileFormat::Toml, QuoteStyle::Plain | QuoteStyle::Double) => {
            Ok(scalar::write(new, QuoteStyle::Double))
        }
        (FileFormat::Toml, QuoteStyle::Single) if new.contains('\'') => Ok(scalar::write(new, QuoteStyle::Double)),
        (FileFormat::Toml, QuoteStyle::Single) => Ok(format!("'{new}'")),
        (FileFormat::KeyValue, quotes) => {
            let (open, fine) = match quotes {
                QuoteStyle::Plain => ("", !new.contains(|c: char| c.is_whitespace() || "'\"#$`\\".contains(c))),
                QuoteStyle::Single => ("'", !new.contains('\'')),
                QuoteStyle::Double => ("\"", !new.contains(['"', '\\', '$', '`'])),
            };
            fine.then(|| format!("{open}{new}{open}"))
                .ok_or_else(|| format!("{new:?} requires different quotes in this line").into())
        }
    }
}

/// Returns true if two unquoted texts are both numbers, or both booleans. The old number may be `1.30` or `001`.
fn is_same_literal(old: &str, new: &str) -> bool {
    let is_bool = |text: &str| matches!(text, "true" | "false");
    let is_decimal = old.starts_with(|c: char| c.is_ascii_digit()) && old.parse::<f64>().is_ok();
    (is_decimal || is_number(old)) && is_number(new) || is_bool(old) && is_bool(new)
}

/// Returns true if an unquoted text is a number with an unambiguous value: `1.30` is not, since it is equal to `1.3`.
fn is_number(text: &str) -> bool {
    let whole = text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    whole || (text.contains('.') && text.parse::<f64>().is_ok_and(|number| number.to_string() == text))
}
