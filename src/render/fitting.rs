//! Names of objects in narrow columns: the kind and the namespace are shortened before the name is.

use crate::render::cut::{cut_at_the_end, cut_in_the_middle};
use crate::render::words;
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::{columns, one_line};

/// The widths to which the kind and the namespace are shortened, one after the other. `usize::MAX` keeps them.
const STEPS: [(usize, usize); 5] = [(usize::MAX, usize::MAX), (8, usize::MAX), (8, 8), (5, 5), (3, 1)];

/// Returns an object with the first part of its group, as a list shows it: `bucket.s3/logs -n team`. kubectl accepts it,
/// too.
pub(crate) fn short_object(object: &ObjectName) -> String {
    let group = object.group().split('.').next().filter(|part| !part.is_empty());
    let group = group.map(|part| format!(".{part}")).unwrap_or_default();
    let kind = format!("{}{group}", object.kind.to_ascii_lowercase());
    one_line(&format!("{kind}/{}{}", object.name, in_namespace(object, usize::MAX)))
}

fn in_namespace(object: &ObjectName, width: usize) -> String {
    let namespace = object.namespace.as_deref().map(|name| cut_at_the_end(&one_line(name), width));
    namespace.map(|name| format!(" -n {name}")).unwrap_or_default()
}

/// Returns the name of a row in this many columns. Hidden text is marked by an ellipsis.
pub(crate) fn fitted(name: &str, object: Option<&ObjectName>, room: usize) -> String {
    let listed = |object: &ObjectName| {
        [words::object(object), short_object(object)].into_iter().find(|text| name.contains(text))
    };
    let Some((object, listed)) =
        object.filter(|_| columns(name) > room).and_then(|object| Some((object, listed(object)?)))
    else {
        return cut_in_the_middle(name, room);
    };
    let kind = one_line(&object.kind.to_ascii_lowercase());
    let hidden_group = if object.group().is_empty() { "" } else { "…" };
    let shorter = STEPS.map(|(kind_width, namespace_width)| {
        let short = match kind_width {
            usize::MAX => format!("{kind}{hidden_group}"),
            width => cut_at_the_end(&format!("{kind}{hidden_group}"), width),
        };
        let object = format!("{short}/{}{}", one_line(&object.name), in_namespace(object, namespace_width));
        name.replacen(&listed, &object, 1)
    });
    let fits = shorter.iter().find(|text| columns(text) <= room);
    fits.cloned().unwrap_or_else(|| cut_in_the_middle(&shorter[STEPS.len() - 1], room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_and_the_namespace_are_shortened_before_the_name() {
        let object = ObjectName {
            api_version: "platform.example.org/v1".into(),
            kind: "PostgresDatabase".into(),
            namespace: Some("team-payments".into()),
            name: "orders".into(),
        };
        let name = format!("{} and 3 more", short_object(&object));
        let at = |room: usize| fitted(&name, Some(&object), room);
        assert_eq!(at(80), "postgresdatabase.platform/orders -n team-payments and 3 more");
        assert_eq!(at(55), "postgresdatabase…/orders -n team-payments and 3 more");
        assert_eq!(at(45), "postgre…/orders -n team-payments and 3 more");
        assert_eq!(at(40), "postgre…/orders -n team-pa… and 3 more");
        assert_eq!(at(32), "post…/orders -n team… and 3 more");
        assert_eq!(at(26), "po…/orders -n … and 3 more");
        assert!(columns(&at(12)) <= 12);
        assert_eq!(fitted("no object at all", None, 9), cut_in_the_middle("no object at all", 9));
    }
}
