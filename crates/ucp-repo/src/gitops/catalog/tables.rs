//! Tables of versions by service and environment: `{api: {ring1: 1.2, ring2: 1.1}, web: {ring1: 3.0, ring2: 3.0}}`.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::catalog::CatalogPlace;
use crate::gitops::catalog::layout::EnvironmentLabel;
use crate::gitops::catalog::naming::{NameFit, normalize_name};
use crate::gitops::catalog::reach::EnvironmentReach;
use crate::gitops::environment::{EnvironmentWord, environment_word};
use crate::slot::path::PathStep;

/// Assigns rows as services and columns as environments to the places of a table, if one of the columns has the name of
/// an environment.
pub(super) fn assign_cells(places: &mut [CatalogPlace]) {
    let mut tables: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for place in places.iter() {
        if let Some((row, column)) = cell(place) {
            tables.entry(&place.file).or_default().entry(column).or_default().insert(row);
        }
    }
    let found: BTreeSet<(String, String)> = tables
        .into_iter()
        .filter(|(_, columns)| {
            columns.len() > 1 && columns.keys().any(|column| environment_word(column) != EnvironmentWord::None)
        })
        .flat_map(|(file, columns)| {
            let repeated = columns.into_iter().filter(|(_, rows)| rows.len() > 1);
            repeated.map(|(column, _)| (file.to_owned(), column.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    for place in places {
        let Some((row, column)) = cell(place).map(|(row, column)| (row.to_owned(), column.to_owned())) else {
            continue;
        };
        if !found.contains(&(place.file.clone(), column.clone())) {
            continue;
        }
        let because = format!("{} is a table with environments as columns", place.file);
        place.names.remove(&normalize_name(&column));
        place.names.insert(normalize_name(&row), NameFit::Service);
        place.pattern = format!("{} .{row}.*", place.file);
        place.title = Some(format!("{row}.*")).filter(|_| place.slot.artifact.is_none());
        place.service = row;
        place.reach = EnvironmentReach::One(EnvironmentLabel { name: column, because, by_word: true, part: None });
    }
}

/// Returns row and column of a value that is two keys deep.
fn cell(place: &CatalogPlace) -> Option<(&str, &str)> {
    match place.slot.path.steps.as_slice() {
        [PathStep::Key(row), PathStep::Key(column)] if place.slot.artifact.is_none() || place.slot.by == "table" => {
            Some((row, column))
        }
        _ => None,
    }
}
