//! Paths and queries of requests to an API server. Each segment of a path and each value of a query is encoded, so that
//! text from a manifest, an object or a server cannot change where a request goes or what it does. A server decodes a path
//! before it takes it apart, so encoding is not enough: what no name may contain makes a path that is not sent.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything except RFC 3986's unreserved characters.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Names of RBAC objects contain colons, which a path may contain, too.
const OUTSIDE_OF_SEGMENTS: AsciiSet = RESERVED.remove(b':');

/// Path and query of a request. It is made of segments and pairs, or of a text that the program itself contains; a formatted
/// string is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestPath {
    path: String,
    query: String,
    /// A segment that cannot be sent.
    invalid: Option<String>,
}

/// A segment of a path that is not a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSegment(String);

impl fmt::Display for InvalidSegment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is not a valid name in a request path", self.0)
    }
}

impl RequestPath {
    /// The path of these segments.
    pub fn of<'a>(segments: impl IntoIterator<Item = &'a str>) -> Self {
        let empty = Self { path: String::new(), query: String::new(), invalid: None };
        segments.into_iter().fold(empty, |path, segment| path.below(segment))
    }

    /// The path of a group and version: `/api/v1`, `/apis/GROUP/VERSION`.
    pub fn of_version(group: &str, version: &str) -> Self {
        match group.is_empty() {
            true => Self::of(["api", version]),
            false => Self::of(["apis", group, version]),
        }
    }

    /// This path with another segment.
    #[must_use]
    pub fn below(mut self, segment: &str) -> Self {
        if !is_segment(segment) {
            self.invalid.get_or_insert_with(|| segment.to_owned());
        }
        self.path.push('/');
        self.path.extend(utf8_percent_encode(segment, &OUTSIDE_OF_SEGMENTS));
        self
    }

    /// This path without its last segment and without a query: the collection of an object.
    #[must_use]
    pub fn parent(&self) -> Self {
        let path = self.path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        Self { path, query: String::new(), invalid: self.invalid.clone() }
    }

    /// This path with another pair in its query.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.query.push(if self.query.is_empty() { '?' } else { '&' });
        self.query.push_str(name);
        self.query.push('=');
        self.query.extend(utf8_percent_encode(value, &RESERVED));
        self
    }

    /// This path with another pair in its query, where there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// What a request is sent to.
    ///
    /// # Errors
    /// When a segment is not a name.
    pub fn uri(&self) -> Result<String, InvalidSegment> {
        match &self.invalid {
            None => Ok(self.to_string()),
            Some(segment) => Err(InvalidSegment(segment.clone())),
        }
    }
}

/// Whether a name may be a segment: `IsValidPathSegmentName` of apimachinery, which every API server requires of names.
fn is_segment(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '%'])
}

/// What the program itself contains needs no encoding.
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

/// Whether a server that parses this query finds exactly one `dryRun`, which is `All`.
pub fn is_dry_run(query: &str) -> bool {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut found = pairs.filter(|(name, _)| decoded(name) == "dryRun").map(|(_, value)| decoded(value));
    // Some servers take a semicolon for an ampersand, others drop a pair that has one.
    !query.contains(';') && found.next().as_deref() == Some("All") && found.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_segment_and_no_value_leads_elsewhere() {
        for hostile in ["x?y#z", "a b\n", "http:kubelet:80?a=", "ä;&="] {
            let path = RequestPath::of(["api", "v1"]).below(hostile).with("dryRun", "All").with("a", hostile);
            let path = path.uri().unwrap();
            let (path, query) = path.split_once('?').unwrap();
            assert_eq!(path.matches('/').count(), 3, "{path}");
            assert_eq!(query.split('&').count(), 2, "{query}");
            assert!(is_dry_run(query) && !path.contains(['#', ' ', '\n']), "{path}?{query}");
            let uri: http::Uri = format!("{path}?{query}").parse().unwrap();
            assert_eq!((uri.path(), uri.query()), (path, Some(query)));
        }
        for hostile in ["", ".", "..", "a/b", "../x", "x%2Fy", "http:kubelet:80/proxy/?a="] {
            let path = RequestPath::of(["api", "v1", hostile, "x"]);
            assert_eq!(
                path.uri(),
                Err(InvalidSegment(hostile.to_owned())),
                "a server decodes a path before it splits it"
            );
        }
        assert_eq!(RequestPath::of(["a", "b", "c"]).with("d", "e").parent().to_string(), "/a/b");
        assert_eq!(RequestPath::of(["a", "system:node"]).to_string(), "/a/system:node");
        assert_eq!(RequestPath::of_version("apps", "v1").to_string(), "/apis/apps/v1");
        assert_eq!(RequestPath::from("/api?x=y").with("z", "1").to_string(), "/api?x=y&z=1");
    }

    #[test]
    fn a_dry_run_is_what_the_server_parses() {
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
