//! Titles of values in lists: by the names of the items where their positions differ between environments.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::catalog::CatalogPlace;
use crate::gitops::catalog::naming::{NameFit, normalize_name, without_environment};
use crate::gitops::environment::{EnvironmentWord, environment_word};

/// Names of the object and of the list items that contain a version, without that of its environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemNames {
    object: Option<(String, String)>,
    items: Vec<Option<String>>,
}

impl ItemNames {
    /// Returns the names around a place.
    pub fn of_place(place: &CatalogPlace) -> Self {
        let environment = place.environment().unwrap_or_default();
        // An environment may be abbreviated in names: `shop-prod` in `production`.
        let is_other = |part: &&str| environment_word(part) == EnvironmentWord::None;
        let bare = |name: &String| {
            let name = without_environment(name, environment);
            name.split(['-', '_', '.']).filter(is_other).collect::<Vec<_>>().join("-")
        };
        let object = place.slot.object.as_ref().map(|object| (object.kind.clone(), bare(&object.name)));
        let items = place.slot.items.iter().map(|name| name.as_ref().map(bare)).collect();
        Self { object, items }
    }

    /// Returns true if a list item has a name.
    pub fn has_item(&self) -> bool {
        self.items.iter().any(Option::is_some)
    }

    /// Returns true if the list items have the same names.
    pub fn has_same_items(&self, other: &Self) -> bool {
        self.items == other.items
    }

    /// Returns the title of a place.
    fn title(&self, place: &CatalogPlace) -> String {
        let object = self.object.as_ref().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty());
        place.slot.path.with_names(object, &self.items)
    }
}

/// Gives values without an artifact the names of their list items as titles, if a position in the list or in the file
/// is of different items in different environments: a row of `images` is one thing.
pub(super) fn assign_titles(places: &mut [CatalogPlace]) {
    let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, place) in places.iter().enumerate() {
        let is_in_list = !place.slot.items.is_empty() || place.slot.path.document.is_some();
        if is_in_list && place.title.is_none() && place.slot.artifact.is_none() && place.environment().is_some() {
            groups.entry((&place.service, &place.pattern)).or_default().push(index);
        }
    }
    let mut titles: Vec<(usize, String)> = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut positions: BTreeMap<String, BTreeSet<ItemNames>> = BTreeMap::new();
        let mut names: BTreeMap<ItemNames, BTreeSet<String>> = BTreeMap::new();
        for place in group.iter().map(|index| &places[*index]) {
            let (own, path) = (ItemNames::of_place(place), place.slot.path.to_string());
            positions.entry(path.clone()).or_default().insert(own.clone());
            names.entry(own).or_default().insert(path);
        }
        let is_mixed = positions.values().any(|names| names.len() > 1);
        let is_moved = names.values().any(|paths| paths.len() > 1);
        if is_mixed && (is_moved || names.keys().any(ItemNames::has_item)) {
            titles.extend(group.into_iter().map(|index| {
                let place = &places[index];
                (index, ItemNames::of_place(place).title(place))
            }));
        }
    }
    for (index, title) in titles {
        places[index].names.insert(normalize_name(&title), NameFit::Exact);
        places[index].title = Some(title);
    }
}
