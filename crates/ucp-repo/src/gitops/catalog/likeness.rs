//! Comparison of version formats, to decide if one version can follow another.

use std::collections::BTreeSet;

use crate::slot::artifact::ArtifactKind;
use crate::slot::version::{is_constraint, is_moving};

/// Format of a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionShape {
    /// True if a digest pins the version.
    digest: bool,
    /// True if it is a range, from which an engine selects.
    range: bool,
    form: VersionForm,
    /// Words after the numbers, without their own numbers: `alpine` in `1.25-alpine3.18`.
    variant: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VersionForm {
    /// A commit, alone, after a word, or after the numbers of a release.
    Commit { released: bool },
    /// Numbers separated by dots, with or without a leading `v`.
    Numbers { prefixed: bool, single: bool },
    /// Words, with or without numbers: `experimental`, `py-3.8-ray-1.4.0`.
    Words { numbered: bool },
}

/// Returns the format of a version.
pub fn shape(version: &str) -> VersionShape {
    let (tag, digest) = version.split_once('@').map_or((version, false), |(tag, _)| (tag, true));
    let digest = digest || tag.starts_with("sha256:");
    let form = if tag.split(['-', '_', '+', '.']).any(is_commit) {
        let first = tag.trim_start_matches(['v', 'V']).split_once('.').map(|(number, _)| number);
        VersionForm::Commit { released: first.is_some_and(|number| number.parse::<u32>().is_ok()) }
    } else {
        let bare = tag.trim_start_matches(['>', '<', '=', '~', '^', ' ']);
        let number = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
        match number.starts_with(|character: char| character.is_ascii_digit()) {
            true => VersionForm::Numbers { prefixed: number.len() < bare.len(), single: !number.contains('.') },
            false => VersionForm::Words { numbered: bare.contains(|character: char| character.is_ascii_digit()) },
        }
    };
    let variant = if matches!(form, VersionForm::Numbers { .. }) { variant(tag) } else { String::new() };
    VersionShape { digest, range: is_constraint(version), form, variant }
}

/// Digits of a date, such as 20240623.
const DATE: usize = 8;

/// Returns what follows the numbers of a version: the letters of a variant, `#` and `#date` for numbers of another
/// artifact, and nothing for a pre-release.
fn variant(version: &str) -> String {
    const EARLY: [&str; 9] = ["rc", "alpha", "beta", "pre", "preview", "dev", "snapshot", "m", "b"];
    let number = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let rest = number[end..].trim_start_matches(['-', '_', '+', '.']);
    if rest.is_empty() {
        return String::new();
    }
    let words = rest.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    match words.first() {
        // The date of a build and the number of a release count differently.
        None if rest.split(|c: char| !c.is_ascii_digit()).any(is_date_number) => "#date".to_owned(),
        None => "#".to_owned(),
        Some(first) if EARLY.contains(&first.as_str()) => String::new(),
        Some(_) => words.join("-"),
    }
}

/// Returns a version without its digest.
fn tag_of(version: &str) -> &str {
    version.split('@').next().unwrap_or(version)
}

/// Words of pre-releases and of commits, which come and go.
const PASSING_WORDS: [&str; 11] =
    ["rc", "alpha", "beta", "pre", "preview", "dev", "snapshot", "build", "sha", "git", "post"];

/// Returns the words of a version, apart from those of pre-releases and commits: the name of a branch, a variant, or an
/// approval.
fn words(version: &str) -> BTreeSet<String> {
    let tag = tag_of(version).to_ascii_lowercase();
    let tag = if tag.starts_with("sha256:") { String::new() } else { tag };
    let parts = tag.split(['-', '_', '+', '.']).filter(|part| !is_commit(part));
    let words = parts.flat_map(|part| part.split(|c: char| !c.is_ascii_alphabetic()));
    words.filter(|word| word.len() > 1 && !PASSING_WORDS.contains(word)).map(str::to_owned).collect()
}

/// Returns true if two versions have the same words. Moving names are not compared.
pub fn has_same_words(before: &str, after: &str) -> bool {
    before.is_empty() || is_moving(tag_of(before)) || is_moving(tag_of(after)) || words(before) == words(after)
}

/// Returns true if both versions have words, and different ones: they are of different lines of releases.
pub fn is_other_line(before: &str, after: &str) -> bool {
    let (old, new) = (words(before), words(after));
    !old.is_empty() && !new.is_empty() && old != new && !is_moving(tag_of(before)) && !is_moving(tag_of(after))
}

/// Returns true if both versions have the same words, at least one: they are of one line of releases.
pub fn is_same_line(before: &str, after: &str) -> bool {
    let old = words(before);
    !old.is_empty() && old == words(after)
}

/// Returns true for a commit, which tells nothing about the artifact.
pub fn is_commit_version(version: &str) -> bool {
    matches!(shape(version).form, VersionForm::Commit { released: false })
}

/// Returns true if numbers have another variant than those before them, such as none instead of `-arm64`, and are close.
pub fn is_other_variant(before: &str, after: &str) -> bool {
    let (old, new) = (shape(before), shape(after));
    matches!(old.form, VersionForm::Numbers { .. })
        && VersionShape { variant: String::new(), ..old.clone() }
            == VersionShape { variant: String::new(), ..new.clone() }
        && ![&old.variant, &new.variant].iter().any(|variant| variant.starts_with('#'))
        && is_close(before, after)
}

/// Returns true if a version can replace one with a possibly different format. Numbers follow numbers, and words with
/// numbers follow words with numbers. An image may be pinned: by its digest, or by a version in place of a moving tag.
pub fn can_follow(before: &str, after: &str, what: ArtifactKind) -> bool {
    let (old, new) = (shape(before), shape(after));
    if (old.variant != new.variant || !is_near(before, after)) && !is_moving(before) {
        return false;
    }
    let tags = [before, after].map(tag_of);
    let has_both_tags = tags.iter().all(|tag| !tag.is_empty() && !tag.starts_with("sha256:"));
    if what == ArtifactKind::Image && old.digest != new.digest && has_both_tags && !is_moving(tags[0]) {
        return shape(tags[0]).form == shape(tags[1]).form;
    }
    if what == ArtifactKind::Image && (old.digest != new.digest || is_moving(before)) {
        return true;
    }
    let is_date = |version: &str| {
        let digits: String = version.chars().filter(char::is_ascii_digit).take(4).collect();
        version.trim_start_matches(['v', 'V']).starts_with(&digits) && matches!(digits.parse(), Ok(2000..=2099))
    };
    match (old.form, new.form) {
        (VersionForm::Numbers { prefixed: left, single: is_line }, VersionForm::Numbers { prefixed: right, .. }) => {
            // `v3` may be pinned to `v3.1`.
            let is_pinned =
                what == ArtifactKind::Image && is_line && left == right && common_numbers(before, after) > 0;
            (old.form == new.form || is_pinned) && is_date(before) == is_date(after)
        }
        (VersionForm::Words { numbered: left }, VersionForm::Words { numbered: right }) => left == right,
        (left, right) => left == right,
    }
}

/// Returns true if the versions differ in a leading `v`, and are close apart from that.
pub fn has_other_prefix(before: &str, after: &str) -> bool {
    let bare = |version: &str| version.strip_prefix('v').map(str::to_owned);
    let (old, new) = match (bare(before), bare(after)) {
        (Some(old), None) => (old, after.to_owned()),
        (None, Some(new)) => (before.to_owned(), new),
        _ => return false,
    };
    old.contains('.') && shape(&old) == shape(&new) && is_next(&old, &new)
}

/// Returns true if both end in hexadecimal, equally long, and at least one is certainly a commit: a short commit can consist
/// of digits only. What stands before it is the same, apart from the numbers of a release. After the same words without
/// numbers, other identifiers of a build may look like a commit by chance.
pub fn is_next_commit(before: &str, after: &str) -> bool {
    let after_words = |version: &str| version.rfind(['-', '_']).map_or(0, |separator| separator + 1);
    let (words, left) = before.split_at(after_words(before));
    let (other_words, right) = after.split_at(after_words(after));
    if without_numbers(words) != without_numbers(other_words) || left.len() != right.len() {
        return false;
    }
    let is_named = !words.is_empty() && !words.contains(|c: char| c.is_ascii_digit());
    let is_identifier = |word: &str| {
        let has = |fits: fn(&u8) -> bool| word.as_bytes().iter().any(fits);
        let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase);
        let is_plain = word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
        word.bytes().all(|byte| byte.is_ascii_hexdigit()) && !is_date_number(word) || is_named && is_mixed && is_plain
    };
    is_identifier(left) && is_identifier(right) && (is_commit(left) || is_commit(right))
}

/// Returns a text with `#` for each number.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split(|c: char| c.is_ascii_digit()).peekable();
    let mut shape = String::new();
    while let Some(part) = parts.next() {
        shape.push_str(part);
        if parts.peek().is_some() && !shape.ends_with('#') {
            shape.push('#');
        }
    }
    shape
}

/// Returns true for digits that start as a date of this century.
fn is_date_number(number: &str) -> bool {
    number.len() >= DATE && number.starts_with("20") && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns false if the first numbers of two versions are too far apart for one artifact: more than twice as high, or
/// less than half. Dates, builds and other long numbers are not compared.
pub fn is_near(before: &str, after: &str) -> bool {
    let (Some(old), Some(new)) = (major(before), major(after)) else { return true };
    new <= old * 2 + 1 && old <= new * 2 + 1
}

/// Returns true if a version can be the next one of an artifact that a name only locates: the words are the same, and the
/// first numbers are close.
pub fn is_next(before: &str, after: &str) -> bool {
    is_close(before, after) && has_same_words(before, after)
}

/// Returns true if the first numbers of two versions are close.
fn is_close(before: &str, after: &str) -> bool {
    match (major(before), major(after)) {
        (Some(old), Some(new)) => old.abs_diff(new) <= 1 + old.min(new) / 4,
        _ => true,
    }
}

/// Returns the first number of a version with several; builds and years are none.
fn major(version: &str) -> Option<u64> {
    let number = version.trim_start_matches(['v', 'V']);
    let end = number.find(|c: char| !c.is_ascii_digit())?;
    let is_numbered = number[end..].starts_with('.');
    number[..end].parse().ok().filter(|major| is_numbered && *major < 1000)
}

/// Returns true for at least seven hexadecimal characters with a digit and a letter, optionally after the `g` of git or
/// the `h` of chartpress.
fn is_commit(word: &str) -> bool {
    let word = word.strip_prefix(['g', 'h']).unwrap_or(word);
    word.len() >= 7
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && (word.len() >= 40 || word.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Returns the number of leading version numbers that two versions have in common.
pub fn common_numbers(left: &str, right: &str) -> usize {
    let numbers = |version: &str| -> Vec<String> {
        let version = tag_of(version);
        let parts = version.trim_start_matches(|c: char| !c.is_ascii_digit()).split(['.', '-', '_', '+']);
        parts.map(str::to_owned).collect()
    };
    numbers(left).iter().zip(&numbers(right)).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distant_version_is_of_another_artifact() {
        for (before, after) in [("1.2.3", "2.0.0"), ("0.9.1", "1.0.0"), ("45.1.0", "60.0.0"), ("20240101", "20250101")]
        {
            assert!(is_near(before, after), "{before} {after}");
        }
        for (before, after) in [("0.0.3", "2.65.0"), ("4.2.9", "0.84.1"), ("v1.9.4", "v16.0.0")] {
            assert!(!is_near(before, after), "{before} {after}");
        }
        assert!(!can_follow("4.50.0@sha256:0a", "tool-extension-4.6.13.zip", ArtifactKind::Image));
        assert!(can_follow("4.50.0@sha256:0a", "4.51.0", ArtifactKind::Image));
        assert!(can_follow("4.50.0", "4.51.0@sha256:0a", ArtifactKind::Image));
        for (before, after, expected) in
            [("v3", "v3.1", true), ("v3", "v4.1", false), ("v3", "3.1", false), ("v3.1", "v3", false)]
        {
            assert_eq!(can_follow(before, after, ArtifactKind::Image), expected, "{before} {after}");
        }
        assert!(is_next_commit("02b0853", "1553528") && is_next_commit("1553528", "02b0853"));
        assert!(!is_next_commit("02b0853", "15535281") && !is_next_commit("02b0853", "v1.5535"));
        assert!(!is_next_commit("1553528", "1553529"));
        for (before, after) in [
            ("test-q4x0mz7t", "test-5df0cea0"),
            ("main-02b0853", "main-1553528"),
            ("4.5.0-alpha-02b0853", "4.5.0-alpha-1553528"),
            ("v1.9.2-1553528", "v1.10.0-02b0853"),
        ] {
            assert!(is_next_commit(before, after) && is_next_commit(after, before), "{before} {after}");
        }
        for (before, after) in [
            ("test-q4x0mz7t", "live-5df0cea0"),
            ("test-release", "test-5df0cea"),
            ("q4x0mz7t", "5df0cea0"),
            ("1.2-5df0cea0", "1.2-20260101"),
            ("1.2-alpha-5df0cea0", "1.2-beta-55104320"),
        ] {
            assert!(!is_next_commit(before, after), "{before} {after}");
        }
    }

    #[test]
    fn words_tell_lines_of_releases_apart() {
        for (before, after) in [("proxy-0a1b2c3", "web-4d5e6f7"), ("1.2-alpine", "1.3-slim")] {
            assert!(is_other_line(before, after) && !is_same_line(before, after), "{before} {after}");
        }
        for (before, after) in [("proxy-0a1b2c3", "proxy-4d5e6f7"), ("1.2-alpine", "1.3-alpine")] {
            assert!(is_same_line(before, after) && !is_other_line(before, after), "{before} {after}");
        }
        for (before, after) in [("1.2.3", "1.2.4-alpine"), ("1.2.3", "1.2.4-rc.1"), ("latest", "web-4d5e6f7")] {
            assert!(!is_same_line(before, after) && !is_other_line(before, after), "{before} {after}");
        }
        for (before, after, expected) in [
            ("4.3.1-arm64", "4.3.2", true),
            ("15", "15-el8", true),
            ("1.2.3", "v1.2.4-alpine", false),
            ("1.2.3", "8.1.0-alpine", false),
            ("5.8.63", "5.8.64-2.517", false),
            ("main-arm64", "main", false),
        ] {
            assert_eq!(is_other_variant(before, after), expected, "{before} {after}");
        }
    }

    #[test]
    fn a_leading_letter_is_not_part_of_the_numbers() {
        for (before, after) in [("0.7.2", "v0.8.0"), ("v1.9.1@sha256:0a", "1.9.2@sha256:0b")] {
            assert!(has_other_prefix(before, after), "{before} {after}");
        }
        for (before, after) in
            [("0.7.2", "0.8.0"), ("1.2.3", "v4.0.0"), ("7", "v8"), ("1.2.3", "v1.2.4-alpine"), ("main", "v1.2")]
        {
            assert!(!has_other_prefix(before, after), "{before} {after}");
        }
    }

    #[test]
    fn a_name_of_a_location_only_accepts_a_near_version() {
        for (before, after) in
            [("3.7.1", "4.0.0"), ("45.1.0", "55.0.0"), ("main-0a1b2c3", "main-4d5e6f7"), ("latest", "1.0")]
        {
            assert!(is_next(before, after), "{before} {after}");
        }
        for (before, after) in [("3.7.1", "6.1.1"), ("1.2.0", "3.0.0"), ("beta-base-07.31.24", "operator.2.23.0")] {
            assert!(!is_next(before, after), "{before} {after}");
        }
    }

    #[test]
    fn versions_of_the_same_artifact_are_similar() {
        for (left, right) in [
            ("v1.2.3", "v1.10.0"),
            ("4.0.10.2544", "4.0.11"),
            ("sha-40ce543", "sha-b67e613"),
            ("1c9df67d65288e93d2202fa2d5842c3e434a7e91", "72c67810c1284c4bde5e72aa0b7ad33201041267"),
            ("1.0@sha256:0a", "1.1@sha256:0b"),
            (">=v0.1.1", ">=v0.1.2"),
            ("1.0.0-0.dev.git.3182.h5312a70", "1.0.0-0.dev.git.3350.he7995d6"),
            ("37", "40"),
            ("1.25.1-alpine3.18", "1.25.2-alpine3.19"),
            ("1.2.3", "1.3.0-rc.1"),
            ("v1.30.0+k3s1", "v1.30.1+k3s2"),
            ("1.2-20240101", "1.3-3-20250101"),
        ] {
            assert_eq!(shape(left), shape(right), "{left} {right}");
        }
        for (left, right) in [
            ("v1.2.3", "1.2.3"),
            ("1.2", "1.2@sha256:0a"),
            ("main", "1.2"),
            ("sha-40ce543", "1.2"),
            ("8.5.12", "18089"),
            ("v0.3.1", ">=v0.1.4"),
            ("experimental", "py-3.8-ray-1.4.0"),
            ("5.8.63", "3.6.1-2.517"),
            ("1.25-alpine", "1.26"),
            ("0.0.4-20240623", "0.4.0-1"),
            ("v1.29.7-build-2f46c53", "07980b9"),
        ] {
            assert_ne!(shape(left), shape(right), "{left} {right}");
        }
        assert_eq!(
            (
                common_numbers("7.8.0", "0.16.3"),
                common_numbers("0.16.2", "0.16.3"),
                common_numbers("v1.2@sha256:0a", "v1.2")
            ),
            (0, 2, 2)
        );
    }
}
