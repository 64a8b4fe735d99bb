//! Marker comments of Flux's setters and Renovate, which name the artifact of a version.

use std::ops::Range;

const SETTER: &str = "\"$imagepolicy\"";
const RENOVATE: &str = "renovate:";

/// Comment on the line of a value, or on the line above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// `# {"$imagepolicy": "namespace:name[:tag]"}`.
    Flux {
        /// `namespace:name`.
        policy: String,
        /// Part of the image in this value.
        field: SetterField,
    },
    /// `# renovate: datasource=docker depName=…`.
    Renovate {
        /// `packageName` or `depName`.
        artifact: Option<String>,
        /// `datasource`.
        datasource: Option<String>,
    },
}

/// Part of an image that Flux writes to a marked value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetterField {
    /// Name and tag.
    Image,
    /// The name alone, which is not a version.
    Name,
    /// The tag alone.
    Tag,
    /// The digest alone.
    Digest,
}

impl std::fmt::Display for Marker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Flux { .. } => "Flux image automation",
            Self::Renovate { .. } => "Renovate",
        })
    }
}

impl Marker {
    /// Parses the text of a comment after its `#`.
    fn parse(comment: &str) -> Option<Self> {
        if comment.contains(SETTER) {
            let json = &comment[comment.find('{')?..=comment.rfind('}')?];
            let setter: serde_json::Value = serde_json::from_str(json).ok()?;
            let setter = setter.get("$imagepolicy")?.as_str()?;
            let mut parts = setter.splitn(3, ':');
            let (namespace, name) = (parts.next()?, parts.next()?);
            let field = match parts.next() {
                None => SetterField::Image,
                Some("name") => SetterField::Name,
                Some("tag") => SetterField::Tag,
                Some("digest") => SetterField::Digest,
                Some(_) => return None,
            };
            return Some(Self::Flux { policy: format!("{namespace}:{name}"), field });
        }
        let renovate = &comment[comment.find(RENOVATE)? + RENOVATE.len()..];
        let value = |keys: &[&str]| {
            let pairs = renovate.split_whitespace().filter_map(|word| word.split_once('='));
            let mut found = pairs.filter(|(key, _)| keys.contains(key)).map(|(_, value)| value.to_owned());
            found.next()
        };
        let artifact = value(&["depName"]).or_else(|| value(&["packageName", "lookupName", "image"]));
        Some(Self::Renovate { artifact, datasource: value(&["datasource"]) })
    }
}

/// Line ends and candidates for markers of a text. They are indexed once, because a file may have all of its values on
/// one line.
#[derive(Debug)]
pub(crate) struct LineIndex {
    newlines: Vec<usize>,
    /// Positions of marker keywords; without one, comments are not parsed.
    words: Vec<usize>,
    hashes: Vec<usize>,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        let all = |pattern: &str| text.match_indices(pattern).map(|(at, _)| at).collect::<Vec<_>>();
        let mut words = [all(SETTER), all(RENOVATE)].concat();
        words.sort_unstable();
        let hashes = if words.is_empty() { Vec::new() } else { all("#") };
        Self { newlines: all("\n"), words, hashes }
    }

    /// Returns the line of a byte, counted from one.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.newlines.partition_point(|newline| *newline < at) + 1
    }

    /// Returns the marker of a value: after it on its last line, or alone on the line above its first.
    pub(crate) fn marker(&self, text: &str, value: &Range<usize>) -> Option<Marker> {
        let line_end = self.newlines.get(self.line(value.end) - 1).copied().unwrap_or(text.len());
        if let Some(hash) = first(&self.hashes, value.end..line_end)
            && let Some(marker) = self.parse(text, hash + 1..line_end)
        {
            return Some(marker);
        }
        let above = self.line(value.start).checked_sub(2)?;
        let start = above.checked_sub(1).map_or(0, |before| self.newlines[before] + 1);
        let range = start..self.newlines[above];
        let hash = first(&self.hashes, range.clone())?;
        let is_first = text[start..hash].trim_start_matches('\u{feff}').trim().is_empty();
        self.parse(text, hash + 1..range.end).filter(|_| is_first)
    }

    fn parse(&self, text: &str, comment: Range<usize>) -> Option<Marker> {
        first(&self.words, comment.clone()).and_then(|_| Marker::parse(text[comment].trim_end()))
    }
}

/// Returns the first of these positions in a range.
fn first(places: &[usize], range: Range<usize>) -> Option<usize> {
    let next = places.get(places.partition_point(|place| *place < range.start)).copied();
    next.filter(|place| *place < range.end)
}

/// Returns the policy of each line with a Flux marker as `namespace:name`, with the line number from 1.
pub fn flux_policies(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().filter_map(|(index, line)| match Marker::parse(&line[line.find('#')? + 1..]) {
        Some(Marker::Flux { policy, .. }) => Some((index + 1, policy)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(source: &str) -> Option<Marker> {
        let start = source.find("v1").unwrap();
        LineIndex::new(source).marker(source, &(start..start + 2))
    }

    #[test]
    fn every_marked_line_has_its_policy() {
        let text = "a: 1 # {\"$imagepolicy\": \"x:y\"}\nb: 2 # note\n\nc: 3 # {\"$imagepolicy\": \"x:z:tag\"}\n";
        let found: Vec<_> = flux_policies(text).collect();
        assert_eq!(found, [(1, "x:y".to_owned()), (4, "x:z".to_owned())]);
    }

    #[test]
    fn setters_and_comments_are_read() {
        let flux = |field| Some(Marker::Flux { policy: "flux-system:app".into(), field });
        assert_eq!(marker("a: v1 # {\"$imagepolicy\": \"flux-system:app:tag\"}\nb: 1\n"), flux(SetterField::Tag));
        assert_eq!(marker("a: \"v1\" # {\"$imagepolicy\": \"flux-system:app\"} # why"), flux(SetterField::Image));
        let renovate = Some(Marker::Renovate { artifact: Some("a/b".into()), datasource: Some("docker".into()) });
        assert_eq!(marker("# renovate: datasource=docker depName=a/b\nA=v1\n"), renovate);
        assert_eq!(marker("# renovate: datasource=docker depName=a/b\n\nA=v1\n"), None);
        assert_eq!(marker("x: y # renovate: depName=a/b\nA: v1\n"), None, "the line above is no comment of its own");
    }
}
