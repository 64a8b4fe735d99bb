//! Groups the reports about one object that differ only in numbers, such as those of attempts or durations.

use std::collections::{HashMap, HashSet};
use std::iter::zip;

use jiff::{SignedDuration, Timestamp};

use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::ObjectKeyRef;

/// Fewer reports are shown one by one: their numbers may be codes or versions.
const FEWEST: usize = 5;
/// The text in place of a number that differs.
const DIFFERENT: &str = "…";
/// The separators between numbers and other words.
const SEPARATORS: [char; 14] = [' ', '\t', '\n', '(', ')', '[', ']', '"', '\'', ',', ';', '=', '<', '>'];
/// The letters of units of time, size and share.
const UNITS: &str = "nuµmshKMGTiB%";

/// Groups reports that are sorted by time, if the pauses between them are not longer than this.
pub(super) fn merge_numbered(mut occurrences: Vec<Occurrence>, pause: SignedDuration) -> Vec<Occurrence> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut last: HashMap<ReportLikeness<'_>, (usize, Timestamp)> = HashMap::new();
    for (index, one) in occurrences.iter().enumerate() {
        let Some(likeness) = likeness(one) else { continue };
        match last.get_mut(&likeness) {
            Some((group, until)) if one.time.duration_since(*until) <= pause => {
                groups[*group].push(index);
                *until = one.end().max(*until);
            }
            _ => {
                last.insert(likeness, (groups.len(), one.end()));
                groups.push(vec![index]);
            }
        }
    }
    let mut merged: HashSet<usize> = HashSet::new();
    for group in groups.iter().filter(|group| group.len() >= FEWEST) {
        let (first, more) = (group[0], &group[1..]);
        let all = || group.iter().map(|index| &occurrences[*index]);
        let what = all().skip(1).fold(all().next().map(|one| one.what.clone()).unwrap_or_default(), |what, one| {
            without_differences(&what, &one.what)
        });
        let (until, count) = (all().map(Occurrence::end).max(), all().map(|one| one.count).sum());
        let kept = &mut occurrences[first];
        (kept.what, kept.until, kept.count) = (what, until, count);
        merged.extend(more);
    }
    let mut index = 0..;
    occurrences.retain(|_| index.next().is_none_or(|index| !merged.contains(&index)));
    occurrences
}

/// Properties that grouped reports share.
type ReportLikeness<'a> = (ObjectKeyRef<'a>, ChangeSort, Vec<&'a str>, Option<&'a str>);

/// Returns the properties that a report with numbers shares with others; `None` if it has no numbers.
fn likeness(report: &Occurrence) -> Option<ReportLikeness<'_>> {
    let is_report = matches!(report.change, ChangeSort::Warned | ChangeSort::Noted) && report.before.is_none();
    let words = words(&report.what).filter(|_| is_report && report.after.is_none() && report.also.is_empty());
    let mut has_number = false;
    let plain: Vec<&str> = words
        .map(|word| {
            has_number |= is_number(word);
            if is_number(word) { DIFFERENT } else { word }
        })
        .collect();
    has_number.then(|| (report.object.key_ref(), report.change, plain, report.author()))
}

/// Returns the words of a text; one that ends with a separator has it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(SEPARATORS)
}

/// Splits a word from the punctuation after it.
fn stem(word: &str) -> &str {
    word.trim_end_matches(SEPARATORS).trim_end_matches(['.', ':', '!'])
}

/// Returns true for a number that is a word, with or without units: `7`, `1.5s`, `2m30s`; not for a version.
fn is_number(word: &str) -> bool {
    let stem = stem(word);
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || UNITS.contains(letter);
    stem == DIFFERENT
        || stem.starts_with(|letter: char| letter.is_ascii_digit())
            && stem.chars().all(is_part)
            && stem.matches('.').count() < 2
}

/// Returns the text that two reports share, without the numbers that differ.
fn without_differences(one: &str, other: &str) -> String {
    let shared = zip(words(one), words(other)).map(|(one, other)| match one == other {
        true => one.to_owned(),
        false => format!("{DIFFERENT}{}", &one[stem(one).len()..]),
    });
    shared.collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{object, occurrence};
    use super::*;

    const PAUSE: SignedDuration = SignedDuration::from_mins(30);

    fn merged(whats: &[&str]) -> Vec<(String, u64)> {
        let web = object("Deployment", "web");
        let report =
            |(minute, what): (usize, &&str)| occurrence(&format!("03:{minute:02}:00"), &web, ChangeSort::Warned, what);
        let all: Vec<_> = whats.iter().enumerate().map(report).collect();
        let ends = all.last().map(Occurrence::end);
        let merged = merge_numbered(all, PAUSE);
        assert!(merged.iter().map(Occurrence::end).max() == ends);
        merged.into_iter().map(|one| (one.what, one.count)).collect()
    }

    #[test]
    fn reports_that_differ_only_in_numbers_are_merged() {
        let attempts = ["Failed: attempt 1 failed after 1.5s (of 9)", "Failed: attempt 2 failed after 3s (of 9)"];
        let more = ["Failed: attempt 3 failed after 4s (of 9)", "Failed: attempt 10 failed after 1m4s (of 9)"];
        let all = [attempts[0], attempts[1], more[0], more[1], "Failed: attempt 11 failed after 2m (of 9)", "other 1"];
        let expected = [("Failed: attempt … failed after … (of 9)".to_owned(), 5), ("other 1".to_owned(), 1)];
        assert_eq!(merged(&all), expected);
        assert_eq!(merged(&all[..4]).len(), 4, "so few may be codes");
    }

    #[test]
    fn numbers_in_versions_and_names_are_not_merged() {
        for what in ["pulls web:1.2.N", "deploys 1.2.N", "web-N is gone", "moves to node N.x"] {
            let all: Vec<String> = (1..8).map(|number| what.replace('N', &number.to_string())).collect();
            assert_eq!(merged(&all.iter().map(String::as_str).collect::<Vec<_>>()).len(), 7, "{what}");
        }
    }

    #[test]
    fn a_long_pause_separates_them() {
        let web = object("Deployment", "web");
        let report = |clock: &str, number: usize| {
            occurrence(clock, &web, ChangeSort::Warned, &format!("attempt {number} failed"))
        };
        let mut all: Vec<_> = (0..5).map(|number| report("03:00:00", number)).collect();
        all.push(report("03:31:00", 5));
        let merged = merge_numbered(all, PAUSE);
        assert_eq!(merged.iter().map(|one| one.count).collect::<Vec<_>>(), [5, 1]);
    }
}
