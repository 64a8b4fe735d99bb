//! Order of two versions, if their tags have one.
//!
//! Tags are split into words and numbers and compared part by part: `v1.10.0 > v1.9.3`, `1.2.0 > 1.2.0-rc.1`,
//! `v0.1.4-x86 > v0.1.3-x86`, `main-20240102 > main-20231231`, `main-4f2c9ab-1700000001 > main-99e1fd0-1700000000`.
//! Commits and digests have no order.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use ucp_core::model::image::ImageVersion;

/// Direction of a change of version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To a newer version.
    Upgrade,
    /// To an older version.
    Downgrade,
    /// The tags have no order.
    Unknown,
}

/// Returns the direction from one version to another.
pub fn direction(before: &ImageVersion, after: &ImageVersion) -> Direction {
    let (Some(before), Some(after)) = (&before.tag, &after.tag) else { return Direction::Unknown };
    match compare(before, after) {
        Some(Ordering::Less) => Direction::Upgrade,
        Some(Ordering::Greater) => Direction::Downgrade,
        Some(Ordering::Equal) | None => Direction::Unknown,
    }
}

/// Compares two tags; returns `None` if they have no order.
pub fn compare(left: &str, right: &str) -> Option<Ordering> {
    if left == right {
        return Some(Ordering::Equal);
    }
    let (left, right) = (parts(left), parts(right));
    // Semantic versions: the numbers first, then the rest.
    let numbers = |parts: &[TagPart]| parts.iter().take_while(|part| matches!(part, TagPart::Number { .. })).count();
    let (left_numbers, right_numbers) = (numbers(&left), numbers(&right));
    if left_numbers > 0 && right_numbers > 0 {
        for index in 0..left_numbers.max(right_numbers) {
            let at = |parts: &[TagPart], count: usize| if index < count { parts[index].number() } else { Some(0) };
            match at(&left, left_numbers)?.cmp(&at(&right, right_numbers)?) {
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        return compare_rest(&left[left_numbers..], &right[right_numbers..]);
    }
    compare_rest(&left, &right)
}

/// Part of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TagPart {
    /// Digits, with their count: short and long numbers may be commits.
    Number { value: u128, length: usize },
    /// Hexadecimal word that looks like a commit.
    Commit(String),
    /// Any other word.
    Word(String),
}

impl TagPart {
    /// Returns the number, unless it may be an abbreviated commit.
    fn number(&self) -> Option<u128> {
        match self {
            Self::Number { value, length } => {
                let date = (19_000_000..21_000_000).contains(value);
                let commit_like = *length == 7 || (*length == 8 && !date) || *length > 18;
                (!commit_like).then_some(*value)
            }
            _ => None,
        }
    }
}

/// Splits a tag: `v1.2.3-rc.4` is 1, 2, 3, rc, 4. A leading `v` is ignored.
fn parts(tag: &str) -> Vec<TagPart> {
    let versioned = tag.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    let mut parts = Vec::new();
    for word in versioned.unwrap_or(tag).split(['.', '-', '_', '+']).filter(|word| !word.is_empty()) {
        let hexadecimal = word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let described = word
            .strip_prefix('g')
            .is_some_and(|commit| commit.len() >= 7 && commit.bytes().all(|b| b.is_ascii_hexdigit()));
        if let Some(number) = number(word) {
            parts.push(number);
        } else if described || (hexadecimal && digit && (7..=64).contains(&word.len())) {
            parts.push(TagPart::Commit(word.to_owned()));
        } else {
            // `rc1` is rc, 1; `20240102T0304Z` is 20240102, t, 304, z.
            let mut rest = word;
            while let Some(first) = rest.chars().next() {
                let digits = first.is_ascii_digit();
                let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
                parts.push(number(&rest[..end]).unwrap_or_else(|| TagPart::Word(rest[..end].to_ascii_lowercase())));
                rest = &rest[end..];
            }
        }
    }
    parts
}

fn number(word: &str) -> Option<TagPart> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| digits).map(|value| TagPart::Number { value, length: word.len() })
}

/// Returns the rank of a word for a pre-release, which precedes the version it is attached to.
fn stage(word: &str) -> Option<usize> {
    const STAGES: [&[&str]; 6] = [
        &["snapshot", "dev", "nightly"],
        &["alpha", "a"],
        &["beta", "b"],
        &["m", "milestone", "preview", "pre"],
        &["rc", "cr"],
        &["final", "ga"],
    ];
    STAGES.iter().position(|words| words.contains(&word))
}

fn compare_rest(left: &[TagPart], right: &[TagPart]) -> Option<Ordering> {
    let mut commits_differ = false;
    for index in 0..left.len().max(right.len()) {
        let order = match (left.get(index), right.get(index)) {
            (Some(left), Some(right)) if left == right => Ordering::Equal,
            (Some(TagPart::Commit(_)), Some(TagPart::Commit(_))) => {
                commits_differ = true;
                Ordering::Equal
            }
            (Some(left @ TagPart::Number { .. }), Some(right @ TagPart::Number { .. })) => {
                left.number()?.cmp(&right.number()?)
            }
            (Some(TagPart::Word(left)), Some(TagPart::Word(right))) => stage(left)?.cmp(&stage(right)?),
            // `1.2.0-rc.1` precedes `1.2.0`, and `1.2.0-1` follows it; `1.2.0-alpine` is another variant.
            (Some(part), None) => compare_longer(part)?,
            (None, Some(part)) => compare_longer(part)?.reverse(),
            _ => return None,
        };
        if order != Ordering::Equal {
            // Two different commits are ordered only by a time or a counter after both of them.
            return Some(order);
        }
    }
    if commits_differ { None } else { Some(Ordering::Equal) }
}

/// Compares a version that has one more part with the version without it.
fn compare_longer(part: &TagPart) -> Option<Ordering> {
    match part {
        TagPart::Number { .. } => part.number().map(|_| Ordering::Greater),
        TagPart::Word(word) => stage(word).map(|_| Ordering::Less),
        TagPart::Commit(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_an_order() {
        let ascending = [
            ["v1.9.3", "v1.10.0"],
            ["1.2.0-rc.1", "1.2.0"],
            ["1.2.0-rc1", "1.2.0-rc2"],
            ["1.2.0-alpha.9", "1.2.0-beta.1"],
            ["v0.1.3-x86", "v0.1.4-x86"],
            ["v1.2", "1.2.1"],
            ["1.25-alpine", "1.26-alpine"],
            ["main-20231231", "main-20240102"],
            ["2023-12-31", "2024-01-01"],
            ["20231231", "20240102"],
            ["main-99e1fd0-1700000000", "main-4f2c9ab-1700000001"],
            ["1.2.3", "1.2.3-1"],
            ["1.2.3-14-g99e1fd0", "1.2.3-15-g4f2c9ab"],
            ["build-9", "build-10"],
            ["20240102T0304Z", "20240102T0305Z"],
            ["v0.0.9", "v0.0.10"],
            ["1.0.0-SNAPSHOT", "1.0.0"],
        ];
        for [older, newer] in ascending {
            assert_eq!(compare(older, newer), Some(Ordering::Less), "{older} {newer}");
            assert_eq!(compare(newer, older), Some(Ordering::Greater), "{newer} {older}");
        }
    }

    #[test]
    fn tags_without_an_order() {
        let pairs = [
            ["main", "develop"],
            ["071fe763", "99e1fd01"],
            ["1.2.0-alpine", "1.2.0-debian"],
            ["1.2.0", "1.2.0-alpine"],
            ["1234567", "7654321"],
            ["c68854f0ab54fc0ea8358fa28111fee59d57e0d0", "e68d8c3d6bde1e441bf10071dac460b7ac120427"],
            ["v1.2.0", "main"],
            ["main-99e1fd0", "main-4f2c9ab"],
            ["1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"],
        ];
        for [left, right] in pairs {
            assert_eq!(compare(left, right), None, "{left} {right}");
        }
        assert_eq!(direction(&ImageVersion::tag("v1"), &ImageVersion::default()), Direction::Unknown);
        assert_eq!(direction(&ImageVersion::tag("v2"), &ImageVersion::tag("v1")), Direction::Downgrade);
    }

    proptest::proptest! {
        #[test]
        fn order_is_antisymmetric(left in "[v0-9a-f.rc_-]{0,12}", right in "[v0-9a-f.rc_-]{0,12}") {
            proptest::prop_assert_eq!(compare(&left, &right), compare(&right, &left).map(Ordering::reverse));
        }
    }
}
