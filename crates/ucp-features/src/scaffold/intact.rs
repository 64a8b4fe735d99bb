//! Verifies that an edit of lists and mappings made only the intended changes, by parsing the resulting text.

use std::collections::BTreeMap;

use ucp_core::failure::{Failure, fail};
use ucp_repo::yaml::tree::{self, NodeContent, YamlNode};

/// The number of entries that are added to or removed from collections.
#[derive(Debug, Default)]
pub struct EntryCounts(BTreeMap<(usize, usize, bool), isize>);

impl EntryCounts {
    /// Counts an entry that is added to a collection.
    pub fn count_added(&mut self, collection: &YamlNode) {
        *self.0.entry(collection_key(collection)).or_default() += 1;
    }

    /// Counts an entry that is removed from a collection.
    pub fn count_removed(&mut self, collection: &YamlNode) {
        *self.0.entry(collection_key(collection)).or_default() -= 1;
    }

    /// Checks that two texts have the same content, except for the counted entries.
    ///
    /// # Errors
    /// Fails when anything else changed: the file is written in a way that the edit does not support.
    pub fn check(&self, before: &str, after: &str) -> Result<(), Failure> {
        let (old, new) = (tree::parse(before).unwrap_or_default(), tree::parse(after).unwrap_or_default());
        let is_intact = old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| self.is_same(old, new));
        match is_intact {
            true => Ok(()),
            false => fail!("the entry cannot be edited alone: other values would change with it"),
        }
    }

    fn is_same(&self, old: &YamlNode, new: &YamlNode) -> bool {
        let change = self.0.get(&collection_key(old)).copied().unwrap_or_default();
        // A list without its last item is parsed as null.
        if change < 0 && new.is_null() {
            return old.items().len() + old.entries().len() == change.unsigned_abs();
        }
        let is_same_pair = |old: &(YamlNode, YamlNode), new: &(YamlNode, YamlNode)| {
            self.is_same(&old.0, &new.0) && self.is_same(&old.1, &new.1)
        };
        old.decoration == new.decoration
            && match (&old.content, &new.content) {
                (NodeContent::Sequence(old, _), NodeContent::Sequence(new, _)) => {
                    is_changed_by(change, old, new, &|old, new| self.is_same(old, new))
                }
                (NodeContent::Mapping(old, _), NodeContent::Mapping(new, _)) => {
                    is_changed_by(change, old, new, &is_same_pair)
                }
                (old, new) => old == new,
            }
    }
}

/// Returns true if `new` differs from `old` only by this number of entries, in the same order.
fn is_changed_by<T>(change: isize, old: &[T], new: &[T], is_same: &dyn Fn(&T, &T) -> bool) -> bool {
    if old.len().checked_add_signed(change) != Some(new.len()) {
        return false;
    }
    if change >= 0 {
        let mut rest = new.iter();
        old.iter().all(|old| rest.any(|new| is_same(old, new)))
    } else {
        let mut rest = old.iter();
        new.iter().all(|new| rest.any(|old| is_same(old, new)))
    }
}

/// Returns the key of a collection; a list may start at the same position as its first item.
fn collection_key(node: &YamlNode) -> (usize, usize, bool) {
    (node.span.start, node.span.end, matches!(node.content, NodeContent::Sequence(..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_counted_entries_may_be_added_or_removed() {
        let before = "l:\n- name: q\n- name: w\nm: {q: 1}\n";
        let root = tree::parse_one(before).unwrap();
        let (list, map) = (root.get("l").unwrap(), root.get("m").unwrap());
        let mut more = EntryCounts::default();
        more.count_added(list);
        more.count_added(map);
        for (after, is_right) in [
            ("l:\n- name: q\n- name: o\n- name: w\nm: {q: 1, o: 1}\n", true),
            ("l:\n- name: q\n- name: o\n- name: w\nm: {q: 1}\n", false),
            ("l:\n- name: o\n- name: o\n- name: w\nm: {q: 1, o: 1}\n", false),
            ("l:\n- name: w\n- name: o\n- name: q\nm: {q: 1, o: 1}\n", false),
            ("l:\n- name: q\n  name: o\n- name: w\nm: {q: 1, o: 1}\n", false),
            ("l:\n- name: q\n- name: o\n- name: w\nm: {q: 1, o: 1}\nn: 1\n", false),
            ("l: [", false),
        ] {
            assert_eq!(more.check(before, after).is_ok(), is_right, "{after}");
        }
        let mut less = EntryCounts::default();
        less.count_removed(map);
        assert!(less.check(before, "l:\n- name: q\n- name: w\nm: {}\n").is_ok());
        assert!(less.check(before, "l:\n- name: q\n- name: w\nm:\n").is_ok());
        assert!(less.check(before, "l:\n- name: q\nm: {}\n").is_err());
        assert!(EntryCounts::default().check(before, before).is_ok());
    }
}
