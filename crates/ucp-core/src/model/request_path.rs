//! Paths and queries of requests to an API server. Each path segment and each query value is encoded, so that text from
//! a manifest, an object, or a server cannot change the target or the effect of a request. A server decodes a path
//! before it splits it, so encoding is not sufficient: a path with characters that names cannot contain is not sent.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All characters except the unreserved ones of RFC 3986.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Colons are allowed in paths, and names of RBAC objects contain them.
const OUTSIDE_OF_SEGMENTS: AsciiSet = RESERVED.remove(b':');

/// Encodes a text as one segment of a path, or as a value of a query.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// Path and query of a request. It is built from segments and pairs, or from a string literal; formatted strings are
/// not accepted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestPath {
    path: String,
    query: String,
    /// First segment that cannot be sent.
    invalid: Option<String>,
}

/// A path segment that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSegment(String);

impl fmt::Display for InvalidSegment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is not a valid name in a request path", self.0)
    }
}

impl RequestPath {
    /// Returns the path with these segments.
    pub fn from_segments<'a>(segments: impl IntoIterator<Item = &'a str>) -> Self {
        let empty = Self { path: String::new(), query: String::new(), invalid: None };
        segments.into_iter().fold(empty, |path, segment| path.below(segment))
    }

    /// Returns the path of a group and version: `/api/v1`, `/apis/GROUP/VERSION`.
    pub fn for_version(group: &str, version: &str) -> Self {
        match group.is_empty() {
            true => Self::from_segments(["api", version]),
            false => Self::from_segments(["apis", group, version]),
        }
    }

    /// Appends a segment.
    #[must_use]
    pub fn below(mut self, segment: &str) -> Self {
        if !is_segment(segment) {
            self.invalid.get_or_insert_with(|| segment.to_owned());
        }
        self.path.push('/');
        self.path.extend(utf8_percent_encode(segment, &OUTSIDE_OF_SEGMENTS));
        self
    }

    /// Returns the path without its last segment and without the query: the collection of an object.
    #[must_use]
    pub fn parent(&self) -> Self {
        let path = self.path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        Self { path, query: String::new(), invalid: self.invalid.clone() }
    }

    /// Appends a pair to the query.
    #[must_use]
    pub fn with_query(mut self, name: &'static str, value: &str) -> Self {
        self.query.push(if self.query.is_empty() { '?' } else { '&' });
        self.query.push_str(name);
        self.query.push('=');
        self.query.extend(utf8_percent_encode(value, &RESERVED));
        self
    }

    /// Appends a pair to the query if there is a value.
    #[must_use]
    pub fn with_optional_query(self, name: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with_query(name, value),
            None => self,
        }
    }

    /// Returns the path and query to send.
    ///
    /// # Errors
    /// Fails when a segment is not a valid name.
    pub fn uri(&self) -> Result<String, InvalidSegment> {
        match &self.invalid {
            None => Ok(self.to_string()),
            Some(segment) => Err(InvalidSegment(segment.clone())),
        }
    }
}

/// Returns true if a name can be a segment: `IsValidPathSegmentName` of apimachinery, which API servers require for all
/// names.
fn is_segment(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '%'])
}

/// String literals need no encoding.
impl From<&'static str> for RequestPath {
    fn from(text: &'static str) -> Self {
        let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        Self { path: path.to_owned(), query: query.to_owned(), invalid: None }
    }
}

impl From<&RequestPath> for RequestPath {
    fn from(path: &RequestPath) -> Self {
        path.clone()
    }
}

impl fmt::Display for RequestPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.path, self.query)
    }
}

/// Returns true if a server that parses this query finds exactly one `dryRun`, with the value `All`.
pub fn is_dry_run(query: &str) -> bool {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut found = pairs.filter(|(name, _)| decoded(name) == "dryRun").map(|(_, value)| decoded(value));
    // Some servers treat a semicolon as an ampersand, others drop a pair that contains one.
    !query.contains(';') && found.next().as_deref() == Some("All") && found.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_segment_and_no_value_changes_the_path() {
        for hostile in ["x?y#z", "a b\n", "http:kubelet:80?a=", "ä;&="] {
            let path = RequestPath::from_segments(["api", "v1"])
                .below(hostile)
                .with_query("dryRun", "All")
                .with_query("a", hostile);
            let path = path.uri().unwrap();
            let (path, query) = path.split_once('?').unwrap();
            assert_eq!(path.matches('/').count(), 3, "{path}");
            assert_eq!(query.split('&').count(), 2, "{query}");
            assert!(is_dry_run(query) && !path.contains(['#', ' ', '\n']), "{path}?{query}");
            let uri: http::Uri = format!("{path}?{query}").parse().unwrap();
            assert_eq!((uri.path(), uri.query()), (path, Some(query)));
        }
        for hostile in ["", ".", "..", "a/b", "../x", "x%2Fy", "http:kubelet:80/proxy/?a="] {
            let path = RequestPath::from_segments(["api", "v1", hostile, "x"]);
            assert_eq!(
                path.uri(),
                Err(InvalidSegment(hostile.to_owned())),
                "a server decodes a path before it splits it"
            );
        }
        assert_eq!(RequestPath::from_segments(["a", "b", "c"]).with_query("d", "e").parent().to_string(), "/a/b");
        assert_eq!(RequestPath::from_segments(["a", "system:node"]).to_string(), "/a/system:node");
        assert_eq!(RequestPath::for_version("apps", "v1").to_string(), "/apis/apps/v1");
        assert_eq!(RequestPath::from("/api?x=y").with_query("z", "1").to_string(), "/api?x=y&z=1");
    }

    #[test]
    fn a_dry_run_is_recognized_as_the_server_parses_it() {
        for query in ["dryRun=All", "a=b&dryRun=All&force=true", "dry%52un=A%6cl"] {
            assert!(is_dry_run(query), "{query}");
        }
        let others = [
            "",
            "a=?dryRun=All",
            "dryRun=",
            "dryRun=all",
            "dryRun=All&dryRun=",
            "dryRun=All&dry%52un=x",
            "a=1;&dryRun=All",
        ];
        for query in others {
            assert!(!is_dry_run(query), "{query}");
        }
    }
}
