//! Pairing of list elements. Few CRDs specify if the order of a list matters, so elements are compared by position
//! first, then as a multiset.

use serde_json::Value;

use super::difference::FieldComparison;

/// Limit of comparisons. Larger lists are paired by position only, since their differences are not readable anyway.
const MOST_TRIALS: usize = 250_000;

/// Result of pairing two lists.
#[derive(Debug, Default)]
pub(super) struct ListPairing {
    /// Indexes of declared and observed elements, in the order of the declaration.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Declared elements without a partner.
    pub(super) missing: Vec<usize>,
    /// Observed elements without a partner.
    pub(super) extra: Vec<usize>,
}

/// Pairs elements: first those that agree completely, in any order, then the most similar of the rest.
pub(super) fn pair_elements(
    declared: &[Value],
    observed: &[Value],
    compare: &dyn Fn(&Value, &Value) -> FieldComparison,
) -> ListPairing {
    if declared.len().saturating_mul(observed.len()) > MOST_TRIALS {
        let both = declared.len().min(observed.len());
        return ListPairing {
            pairs: (0..both).map(|index| (index, index)).collect(),
            missing: (both..declared.len()).collect(),
            extra: (both..observed.len()).collect(),
        };
    }
    let costs: Vec<Vec<(usize, usize)>> = declared
        .iter()
        .map(|declared| {
            let cost = |observed: &Value| {
                let trial = compare(declared, observed);
                (trial.differences.len(), trial.not_observed)
            };
            observed.iter().map(cost).collect()
        })
        .collect();
    let mut matching = ListMatching::new(declared.len(), observed.len());
    for (place, row) in costs.iter().enumerate() {
        if row.get(place) == Some(&(0, 0)) {
            matching.join(place, place);
        }
    }
    for left in 0..declared.len() {
        if matching.partner[left].is_none() {
            matching.augment(left, &mut vec![false; observed.len()], &costs);
        }
    }
    matching.join_most_alike(&costs);
    matching.into_pairing()
}

/// A matching of declared with observed elements, by augmenting paths (Kuhn), so that all elements are matched if
/// possible.
struct ListMatching {
    /// Observed partner of each declared element.
    partner: Vec<Option<usize>>,
    /// Declared partner of each observed element.
    taken_by: Vec<Option<usize>>,
}

impl ListMatching {
    fn new(declared: usize, observed: usize) -> Self {
        Self { partner: vec![None; declared], taken_by: vec![None; observed] }
    }

    fn join(&mut self, left: usize, right: usize) {
        self.partner[left] = Some(right);
        self.taken_by[right] = Some(left);
    }

    fn augment(&mut self, left: usize, visited: &mut [bool], costs: &[Vec<(usize, usize)>]) -> bool {
        for right in 0..self.taken_by.len() {
            if visited[right] || costs[left][right] != (0, 0) {
                continue;
            }
            visited[right] = true;
            if self.taken_by[right].is_none_or(|other| self.augment(other, visited, costs)) {
                self.join(left, right);
                return true;
            }
        }
        false
    }

    fn join_most_alike(&mut self, costs: &[Vec<(usize, usize)>]) {
        let free_left = (0..self.partner.len()).filter(|left| self.partner[*left].is_none());
        let free_right: Vec<usize> = (0..self.taken_by.len()).filter(|right| self.taken_by[*right].is_none()).collect();
        let mut candidates: Vec<_> = free_left
            .flat_map(|left| {
                free_right.iter().map(move |right| (costs[left][*right], left.abs_diff(*right), left, *right))
            })
            .collect();
        candidates.sort_unstable();
        for (_, _, left, right) in candidates {
            if self.partner[left].is_none() && self.taken_by[right].is_none() {
                self.join(left, right);
            }
        }
    }

    fn into_pairing(self) -> ListPairing {
        let mut pairing = ListPairing::default();
        for (left, partner) in self.partner.into_iter().enumerate() {
            match partner {
                Some(right) => pairing.pairs.push((left, right)),
                None => pairing.missing.push(left),
            }
        }
        let free = self.taken_by.iter().enumerate().filter(|(_, taken)| taken.is_none());
        pairing.extra = free.map(|(right, _)| right).collect();
        pairing
    }
}
