//! The marker in the text of a pull request: its scope as JSON, in base64. A long one is compressed.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::ChangeScope;

/// Prefix of a compressed marker; base64 has no such character.
const COMPRESSED: &str = "~";
/// Largest scope in bytes.
const LARGEST: u64 = 1 << 20;

impl ChangeScope {
    /// Returns the marker for a text of at most `longest` characters, of which it takes a half at most if possible: a request for
    /// all services does not depend on their names.
    pub(super) fn marker(&self, longest: usize) -> String {
        let text = serde_json::json!(self).to_string();
        let plain = BASE64.encode(&text);
        if plain.len() <= longest / 4 {
            return plain;
        }
        let Some(compressed) = compress(&text) else { return plain };
        if compressed.len() <= longest / 2 || !self.all || self.unnamed {
            return compressed;
        }
        Self { services: std::collections::BTreeSet::new(), unnamed: true, ..self.clone() }.marker(longest)
    }

    /// Reads a marker.
    pub(super) fn of_marker(marker: &str) -> Option<Self> {
        let Some(compressed) = marker.strip_prefix(COMPRESSED) else {
            return serde_json::from_slice(&BASE64.decode(marker).ok()?).ok();
        };
        let mut text = Vec::new();
        let bytes = BASE64.decode(compressed).ok()?;
        DeflateDecoder::new(bytes.as_slice()).take(LARGEST).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

fn compress(text: &str) -> Option<String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).ok()?;
    Some(format!("{COMPRESSED}{}", BASE64.encode(encoder.finish().ok()?)))
}

#[cfg(test)]
mod tests {
    use crate::forge::pull_request::PullRequest;
    use crate::forge::scope::ChangeScope;

    fn large(number: usize, all: bool) -> ChangeScope {
        let name = |index: usize| format!("team-{}-service-{}", index % 7, index * 7919);
        ChangeScope {
            environment: Some("prod".to_owned()),
            services: (0..number).map(name).collect(),
            all,
            ..ChangeScope::default()
        }
    }

    fn written(scope: &ChangeScope) -> (usize, ChangeScope) {
        let body = scope.write_body("", &"| a line |\n".repeat(1000), 4000);
        let found = PullRequest::opened(1, &scope.branch("main"), body);
        (found.body.chars().count(), ChangeScope::of_pull_request(&found).unwrap())
    }

    #[test]
    fn the_scope_of_many_services_fits_into_a_short_text() {
        for number in [1, 20, 110, 200] {
            let (length, read) = written(&large(number, false));
            assert!(length <= 4000, "{number} services: {length} characters");
            assert_eq!(read, large(number, false));
        }
        let (length, read) = written(&large(5000, true));
        assert!(length <= 4000, "{length} characters");
        assert!(read.all && read.unnamed && read.may_change("any") && read.overlaps(&large(1, false)));
        assert_eq!(read.branch("main"), large(1, true).branch("main"));
    }

    #[test]
    fn a_broken_marker_has_no_scope() {
        for marker in ["~", "~AAAA", "~%", "", "e30x"] {
            assert_eq!(ChangeScope::of_marker(marker), None, "{marker}");
        }
    }
}
