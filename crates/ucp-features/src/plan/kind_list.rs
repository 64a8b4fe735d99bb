//! Lists of kinds whose objects have effects that a plan does not evaluate.

/// Kinds by group: the group, and the kinds, or none for all of them.
pub(super) type KindList = [(&'static str, &'static [&'static str])];

/// Returns true if a list contains a kind.
pub(super) fn has_kind(list: &KindList, group: &str, kind: &str) -> bool {
    list.iter().any(|(known, kinds)| group == *known && (kinds.is_empty() || kinds.contains(&kind)))
}
