//! Versions in the segments of paths and addresses: `v1.2.3`, `app-1.2.3.tgz`.

use std::ops::Range;

/// Archive extensions, which are not part of a version.
pub(super) const ARCHIVES: [&str; 4] = [".tar.gz", ".tgz", ".zip", ".tar.xz"];

/// Returns true if a text starts like a numbered version: `1.2`, `v1.2.3-rc.1`.
pub(super) fn is_numbered(text: &str) -> bool {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    whole > 0 && text[whole..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the segment without the extension of an archive.
fn without_extension(segment: &str) -> &str {
    ARCHIVES.iter().find_map(|ending| segment.strip_suffix(ending)).unwrap_or(segment)
}

/// Returns true if a segment ends like an archive.
pub(super) fn is_archive(segment: &str) -> bool {
    without_extension(segment).len() < segment.len()
}

/// Returns the position of a number of a version in a segment, after its name.
fn number_in(segment: &str) -> Option<usize> {
    let mut starts = std::iter::once(0).chain(segment.match_indices(['-', '_']).map(|(at, _)| at + 1));
    starts.find(|start| is_numbered(&segment[*start..]))
}

/// Returns the range of the version in a segment that has nothing else than a name before it and the extension of an archive
/// after it. What else follows may be a part of the version or not, such as a platform.
pub(super) fn version_in_segment(segment: &str) -> Option<Range<usize>> {
    let body = without_extension(segment);
    let start = number_in(body)?;
    let version = body[start..].trim_start_matches(['v', 'V']);
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let (numbers, rest) = version.split_at(end);
    const EARLY: [&str; 5] = ["-rc", "-alpha", "-beta", "-pre", "+"];
    let is_plain = !numbers.ends_with('.') && (rest.is_empty() || EARLY.iter().any(|word| rest.starts_with(word)));
    is_plain.then_some(start..body.len())
}

/// Returns true for a path or file name that contains a version, and is none itself.
pub(super) fn is_path_with_version(text: &str) -> bool {
    let mut segments = text.split('/');
    !text.contains(char::is_whitespace)
        && !text.contains("://")
        && (text.contains('/') && segments.clone().any(|segment| number_in(segment).is_some())
            || segments.any(is_archive))
}

/// Returns true for the key of a revision, which may contain slashes itself: a branch, a tag.
pub(super) fn names_revision(key: Option<&str>) -> bool {
    let key = key.unwrap_or_default().to_ascii_lowercase();
    ["branch", "ref", "revision", "tag", "version", "commit"].iter().any(|ending| key.ends_with(ending))
}

/// Returns the range of the version in a path without a scheme, if all of its numbers are that version.
pub(super) fn version_in_path(text: &str) -> Option<Range<usize>> {
    if !is_path_with_version(text) {
        return None;
    }
    let mut found: Option<Range<usize>> = None;
    let mut at = 0;
    for segment in text.split('/') {
        if number_in(without_extension(segment)).is_some() {
            let range = version_in_segment(segment)?;
            let range = at + range.start..at + range.end;
            let bare = |range: &Range<usize>| text[range.clone()].trim_start_matches(['v', 'V']);
            if found.as_ref().is_some_and(|first| bare(first) != bare(&range)) {
                return None;
            }
            found.get_or_insert(range);
        }
        at += segment.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unambiguous_version_in_a_path_is_found() {
        for (text, version) in [
            ("dl.example.org/v1.2.3/tool.tgz", "v1.2.3"),
            ("charts/app-1.2.3.tgz", "1.2.3"),
            ("app-1.2.3-rc.1.tar.gz", "1.2.3-rc.1"),
            ("dl.example.org/v1.2/tool_1.2.tgz", "v1.2"),
        ] {
            assert_eq!(version_in_path(text).map(|range| &text[range]), Some(version), "{text}");
        }
        for text in ["a/1.2.3/app-2.0.0.tgz", "a/app-2.0.0-linux-amd64.tgz", "10.0.0.1/1.2/x", "tool.tgz"] {
            assert!(version_in_path(text).is_none() && is_path_with_version(text), "{text}");
        }
        for text in ["feature/x", "1.2.3", "app-1.2.3", "https://dl.example.org/v1.2.3/x", "a b/1.2"] {
            assert!(version_in_path(text).is_none() && !is_path_with_version(text), "{text}");
        }
    }
}
