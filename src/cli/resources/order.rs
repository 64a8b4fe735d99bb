//! The order in which resources are listed.

use serde::Serialize;

use crate::render::SortBy;
use crate::report::resources::ResourceItem;
use crate::report::sources::Sourced;
use ucp_core::error::Result;
use ucp_core::failure::Failure;

/// The sort order.
#[derive(Debug, Clone)]
pub(super) enum SortOrder {
    Verdict,
    Name,
    Kind,
    Age,
    ExternalName,
    Path(SortBy),
}

impl std::str::FromStr for SortOrder {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "verdict" => Self::Verdict,
            "name" => Self::Name,
            "kind" => Self::Kind,
            "age" => Self::Age,
            "external-name" => Self::ExternalName,
            // As kubectl users type them.
            ".metadata.creationTimestamp" | "{.metadata.creationTimestamp}" | "metadata.creationTimestamp" => Self::Age,
            ".metadata.name" | "{.metadata.name}" | "metadata.name" => Self::Name,
            path => Self::Path(path.parse().map_err(|error| format!("neither a column nor a JSONPath: {error}"))?),
        })
    }
}

/// An item that serializes as the whole object, as `kubectl get --sort-by` reads it.
struct WholeObjectItem(Sourced<Box<ResourceItem>>);

impl Serialize for WholeObjectItem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.whole.serialize(serializer)
    }
}

pub(super) fn sort(items: &mut Vec<Sourced<Box<ResourceItem>>>, order: &SortOrder, whole: bool) -> Result<()> {
    match order {
        // The report is in this order.
        SortOrder::Verdict => {}
        SortOrder::Name => items.sort_by(|left, right| left.object.name.cmp(&right.object.name)),
        SortOrder::Kind => items.sort_by_cached_key(|item| item.object.kind_and_name()),
        // The youngest last, as kubectl sorts by creationTimestamp.
        SortOrder::Age => items.sort_by_key(|item| item.created),
        SortOrder::ExternalName => items.sort_by(|left, right| left.external_name.cmp(&right.external_name)),
        SortOrder::Path(path) if whole => {
            let mut wholes: Vec<_> = items.drain(..).map(WholeObjectItem).collect();
            path.sort(&mut wholes)?;
            items.extend(wholes.into_iter().map(|WholeObjectItem(item)| item));
        }
        SortOrder::Path(path) => path.sort(items)?,
    }
    Ok(())
}
