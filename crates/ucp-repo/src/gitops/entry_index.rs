//! Index of `images` entries, to find those that kustomize applies to an image without trying all of them.
//!
//! kustomize treats a name as a regular expression in which the dots of registries match any character. Names with the
//! same length and positions of dots are looked up together, without the characters at these positions; the few names
//! that are other patterns are tried one by one.

use std::collections::HashMap;

use crate::gitops::kustomization::ImageEntry;
use ucp_core::model::image::ImageReference;

/// Entries by name.
#[derive(Debug, Default)]
pub struct EntryIndex {
    groups: HashMap<NameShape, HashMap<Vec<u8>, Vec<usize>>>,
    patterns: Vec<usize>,
}

/// Length of a name, and the positions of its dots.
type NameShape = (usize, Vec<usize>);

impl EntryIndex {
    /// Indexes the entries of a kustomization, in their order.
    pub fn new(entries: &[ImageEntry]) -> Self {
        let mut index = Self { groups: HashMap::new(), patterns: Vec::new() };
        for (position, entry) in entries.iter().enumerate() {
            if entry.is_expression() {
                index.patterns.push(position);
                continue;
            }
            let name = entry.name.as_bytes();
            let dots: Vec<usize> = (0..name.len()).filter(|at| name[*at] == b'.').collect();
            let key = without(name, &dots);
            index.groups.entry((name.len(), dots)).or_default().entry(key).or_default().push(position);
        }
        index
    }

    /// Returns the first entry at or after a position that applies to an image.
    pub fn next(&self, entries: &[ImageEntry], image: &ImageReference, from: usize) -> Option<usize> {
        let text = image.to_string();
        let text = text.as_bytes();
        let grouped = self.groups.iter().filter(|((length, _), _)| *length <= text.len());
        let grouped = grouped.filter_map(|((length, dots), names)| names.get(&without(&text[..*length], dots)));
        let lists = grouped.chain([&self.patterns]);
        let first = |positions: &Vec<usize>| {
            let later = &positions[positions.partition_point(|position| *position < from)..];
            later.iter().copied().find(|position| entries[*position].matches(image))
        };
        lists.filter_map(first).min()
    }
}

fn without(text: &[u8], places: &[usize]) -> Vec<u8> {
    let mut text = text.to_vec();
    places.iter().for_each(|place| text[*place] = b'.');
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gitops::kustomization::Kustomization;

    proptest! {
        #[test]
        fn the_index_finds_the_same_entry_as_a_linear_search(
            names in prop::collection::vec("[ab.:*/]{1,5}", 1..8), image in "[ab./]{1,5}(:[ab.]{1,2})?", from in 0_usize..4,
        ) {
            let entries: String = names.iter().map(|name| format!("- {{name: '{name}', newTag: v1}}\n")).collect();
            let kustomization = Kustomization::parse("kustomization.yaml", &format!("images:\n{entries}")).unwrap();
            let (entries, image) = (&kustomization.images, ImageReference::split(&image));
            let tried = (from..entries.len()).find(|position| entries[*position].matches(&image));
            prop_assert_eq!(EntryIndex::new(entries).next(entries, &image, from), tried);
        }
    }
}
