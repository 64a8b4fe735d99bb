//! Comparison of the manifests rendered for the new service with those of the old one, except for names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::fields;
use super::image::{self, NewImage};
use super::names::NewNames;
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_core::model::object::group_of;

/// The differences that are allowed.
pub struct AllowedDifferences<'a> {
    /// The renamed names.
    pub names: &'a NewNames,
    /// The replaced image.
    pub image: Option<&'a NewImage>,
    /// Returns true for objects that only the old service has: Secrets that are not copied.
    pub is_left_out: &'a dyn Fn(&Value) -> bool,
}

/// Returns the paths at which the new objects differ from the old ones in more than names. The result contains no
/// values.
pub fn differences(old: &[Value], new: &[Value], allowed: &AllowedDifferences<'_>) -> Vec<String> {
    let names = with_hashes(old, new, allowed);
    let tags = old_tags(old, allowed.image);
    let comparison = ManifestComparison { names: &names, image: allowed.image, tags: &tags };
    // Two groups may have a kind with the same name.
    let key = |object: &Value, names: Option<&NewNames>| {
        let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        (identity(object, names), group_of(version).to_owned())
    };
    let mut left: BTreeMap<(String, String), &Value> = new.iter().map(|object| (key(object, None), object)).collect();
    let mut found = Vec::new();
    for object in old.iter().filter(|object| !(allowed.is_left_out)(object)) {
        let expected = key(object, Some(&names));
        let removed = left.remove(&expected);
        let expected = expected.0;
        match removed {
            Some(new) => comparison.compare(&mut String::new(), "", object, new, &mut |place| {
                found.push(format!("{expected} differs from the original at {place}, not only in names"));
            }),
            None => found.push(format!("{expected} is not rendered")),
        }
    }
    found.extend(left.keys().map(|(object, _)| format!("{object} is rendered, but has no counterpart")));
    found
}

/// Returns `KIND NAME -n NAMESPACE`.
pub fn identity(object: &Value, names: Option<&NewNames>) -> String {
    let text = |pointer: &str| {
        let text = object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        names.map_or_else(|| text.to_owned(), |names| names.in_text(text, &[]))
    };
    let namespace = text("/metadata/namespace");
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let suffix = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
    format!("{kind} {}{suffix}", text("/metadata/name"))
}

/// Returns the names, with those of generated ConfigMaps and Secrets, which end with a hash of their content.
fn with_hashes(old: &[Value], new: &[Value], allowed: &AllowedDifferences<'_>) -> NewNames {
    let (names, is_left_out) = (allowed.names, allowed.is_left_out);
    let named =
        |object: &Value| object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    const HASH: usize = 10;
    let made = |objects: &[Value]| -> Vec<(String, String)> {
        let of_kind = objects.iter().filter(|object| {
            ["ConfigMap", "Secret"].contains(&object.get("kind").and_then(Value::as_str).unwrap_or_default())
        });
        let name = |object: &Value| {
            let name = object.pointer("/metadata/name")?.as_str()?.to_owned();
            let stem = name.rsplit_once('-').filter(|(_, hash)| hash.len() == HASH)?.0.to_owned();
            Some((stem, name))
        };
        of_kind.filter_map(name).collect()
    };
    let mut all = names.clone();
    for (stem, name) in made(old) {
        let stem = names.in_text(&stem, &[]);
        match made(new).into_iter().find(|(other, _)| *other == stem) {
            Some((_, new)) => all.rename(&name, &new),
            // Its generator is not copied, and references to it use the name of the Secret that the user creates.
            None if old.iter().any(|object| is_left_out(object) && named(object) == name) => all.rename(&name, &stem),
            None => {}
        }
    }
    all
}

/// Returns the tags of the replaced image, which variables may repeat.
fn old_tags(old: &[Value], image: Option<&NewImage>) -> Vec<String> {
    let Some(image) = image else { return Vec::new() };
    let mut tags = Vec::new();
    let mut open: Vec<&Value> = old.iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(written) = fields.get("image").and_then(Value::as_str).map(ImageReference::split) {
                    tags.extend(written.version.tag.filter(|_| image.is_old(&written.name)));
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    tags
}

struct ManifestComparison<'a> {
    names: &'a NewNames,
    image: Option<&'a NewImage>,
    tags: &'a [String],
}

impl ManifestComparison<'_> {
    fn compare(&self, place: &mut String, key: &str, old: &Value, new: &Value, differs: &mut dyn FnMut(&str)) {
        let length = place.len();
        match (old, new) {
            (Value::Object(old), Value::Object(new)) if old.len() == new.len() => {
                let mut taken = BTreeSet::new();
                for (name, value) in old {
                    // A key is a field, or a user-defined name.
                    let renamed = self.names.in_text(name, &[]);
                    let is_free = |key: &&str| new.contains_key(*key) && !taken.contains(*key);
                    let found = [renamed.as_str(), name].into_iter().find(is_free).map(str::to_owned);
                    place.push_str(if length == 0 { "" } else { "." });
                    place.push_str(&renamed);
                    match found.as_ref().and_then(|key| new.get(key)) {
                        Some(other) => self.compare(place, name, value, other, differs),
                        None => differs(place),
                    }
                    taken.extend(found);
                    place.truncate(length);
                }
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    place.push_str(&format!("[{index}]"));
                    self.compare(place, key, old, new, differs);
                    place.truncate(length);
                }
            }
            (Value::String(old), Value::String(new)) if self.is_alike(key, old, new) => {}
            (old, new) if old == new && !old.is_string() => {}
            _ => differs(place),
        }
    }

    fn is_alike(&self, key: &str, old: &str, new: &str) -> bool {
        if let Some(image) = self.image {
            let is_old = image.is_old(&ImageReference::split(old).name);
            if is_old && image.is_new(new) {
                return true;
            }
            // A workload that still runs the old image contradicts `--image`.
            if is_old && key == "image" {
                return false;
            }
            let is_tag = self.tags.iter().any(|tag| tag == old);
            let digest = image.version.digest.as_deref().unwrap_or_default();
            if is_tag
                && (image.is_version(&ImageVersion::parse(new))
                    || digest.split_once(':').is_some_and(|(_, hex)| hex == new))
            {
                return true;
            }
        }
        // A text may be a document, or the content of a file.
        self.names.in_value(key, old) == new
            || fields::may_be_word(key) && old == new
            || self.image.is_some_and(|image| {
                let said = image::changes(old, &(0..old.len()), image).unwrap_or_default();
                old.contains('\n') && self.names.in_part(old, 0..old.len(), &said) == new
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_names_images_and_hashes_may_differ() {
        let mut names = NewNames::default();
        names.rename("quotes", "orders");
        let texts = ["image: r/quotes:v1".to_owned()];
        let image = NewImage::resolve("r/orders:v9", "quotes", &texts, &[]).unwrap();
        let allowed = AllowedDifferences {
            names: &names,
            image: Some(&image),
            is_left_out: &|object| object["kind"] == "Secret",
        };
        let map = |name: &str| json!({"kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}});
        let workload = |name: &str, image: &str, tag: &str, map: &str, replicas: u32| {
            json!({
                "kind": "Deployment", "metadata": {"name": name, "labels": {"app": name}},
                "spec": {"replicas": replicas, "image": image, "version": tag, "map": map},
            })
        };
        let old = [
            map("quotes-c-0123456789"),
            workload("quotes", "r/quotes:v1", "v1", "quotes-c-0123456789", 1),
            json!({"kind": "Secret", "metadata": {"name": "quotes"}}),
        ];
        let new = |replicas| {
            [map("orders-c-abcdefghij"), workload("orders", "r/orders:v9", "v9", "orders-c-abcdefghij", replicas)]
        };
        assert_eq!(differences(&old, &new(1), &allowed), Vec::<String>::new());
        assert_eq!(
            differences(&old, &new(2), &allowed),
            ["Deployment orders differs from the original at spec.replicas, not only in names"]
        );
        let unchanged = workload("orders", "r/quotes:v1", "v9", "orders-c-abcdefghij", 1);
        assert_eq!(
            differences(&old, &[new(1)[0].clone(), unchanged], &allowed),
            ["Deployment orders differs from the original at spec.image, not only in names"]
        );
        // The text of a file that a ConfigMap is generated from.
        let file = "image: r/quotes\nname: quotes\n";
        let of =
            |name: &str, text: &str| json!({"kind": "ConfigMap", "metadata": {"name": name}, "data": {"a.yaml": text}});
        let without = AllowedDifferences { image: None, ..allowed };
        assert_eq!(
            differences(&[of("quotes", file)], &[of("orders", &names.in_file(file))], &without),
            Vec::<String>::new()
        );
        // A kind in two groups.
        let cluster = |group: &str, name: &str| json!({"apiVersion": format!("{group}/v1"), "kind": "Cluster", "metadata": {"name": name}});
        let two = |name: &str| [cluster("a.io", name), cluster("b.io", name)];
        assert_eq!(differences(&two("quotes"), &two("orders"), &without), Vec::<String>::new());
        assert_eq!(differences(&two("quotes"), &two("orders")[..1], &without).len(), 1);
        let allowed = AllowedDifferences { image: Some(&image), ..without };
        assert_eq!(differences(&old, &new(1)[1..], &allowed).len(), 2);
        assert_eq!(differences(&old[1..], &new(1), &allowed).len(), 2);
    }
}
