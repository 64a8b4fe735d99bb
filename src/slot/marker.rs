//! Comments by which a line says what its version is of: Flux's setters and Renovate's.

/// A comment on the line of a value, or right above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// `# {"$imagepolicy": "namespace:name[:tag]"}`
    Flux {
        /// `namespace:name`
        policy: String,
        /// What of the image stands here.
        field: SetterField,
    },
    /// `# renovate: datasource=docker depName=…`
    Renovate {
        /// `packageName` or `depName`.
        artifact: Option<String>,
        /// `datasource`
        datasource: Option<String>,
    },
}

/// What of an image Flux writes to a marked value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetterField {
    /// Name and tag.
    Image,
    /// The name alone, which is no version.
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
    /// The marker of a value whose bytes end at `end`, on the line that `start` stands in.
    pub fn of(source: &str, start: usize, end: usize) -> Option<Self> {
        let behind = source[end..].split('\n').next().unwrap_or_default();
        if let Some(marker) = behind.find('#').and_then(|hash| Self::parse(&behind[hash + 1..])) {
            return Some(marker);
        }
        let line = source[..start].rfind('\n')?;
        let above = source[..line].rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').trim();
        Self::parse(above.strip_prefix('#')?)
    }

    /// The text of a comment, behind its `#`.
    fn parse(comment: &str) -> Option<Self> {
        if comment.contains("\"$imagepolicy\"") {
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
        let renovate = &comment[comment.find("renovate:")? + "renovate:".len()..];
        let value = |keys: &[&str]| {
            let pairs = renovate.split_whitespace().filter_map(|word| word.split_once('='));
            let mut found = pairs.filter(|(key, _)| keys.contains(key)).map(|(_, value)| value.to_owned());
            found.next()
        };
        let artifact = value(&["depName"]).or_else(|| value(&["packageName", "lookupName", "image"]));
        Some(Self::Renovate { artifact, datasource: value(&["datasource"]) })
    }
}

/// The policy of each line with a marker of Flux's, as `namespace:name`, with the line's number from 1.
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
        Marker::of(source, start, start + 2)
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
