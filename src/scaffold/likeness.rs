//! Whether what is rendered for the new service is what is rendered for the old one, but for names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::image::NewImage;
use super::names::Names;
use crate::model::image::Reference;

/// What may differ.
pub struct Allowed<'a> {
    /// Names.
    pub names: &'a Names,
    /// The image.
    pub image: Option<&'a NewImage>,
    /// What the old one has and the new one does not: Secrets that are not copied.
    pub is_left_out: &'a dyn Fn(&Value) -> bool,
}

/// Where the new objects differ from the old ones in more than names. No value is told.
pub fn differences(old: &[Value], new: &[Value], allowed: &Allowed<'_>) -> Vec<String> {
    let names = with_hashes(old, new, allowed);
    let tags = old_tags(old, allowed.image);
    let comparison = Comparison { names: &names, image: allowed.image, tags: &tags };
    let mut left: BTreeMap<String, &Value> = new.iter().map(|object| (identity(object, None), object)).collect();
    let mut found = Vec::new();
    for object in old.iter().filter(|object| !(allowed.is_left_out)(object)) {
        let expected = identity(object, Some(&names));
        match left.remove(&expected) {
            Some(new) => comparison.compare(&mut String::new(), "", object, new, &mut |place| {
                found.push(format!("{expected} differs at {place} in more than names"));
            }),
            None => found.push(format!("{expected} is not rendered")),
        }
    }
    found.extend(left.keys().map(|object| format!("{object} is rendered, and has no counterpart")));
    found
}

/// `KIND NAME -n NAMESPACE`
pub fn identity(object: &Value, names: Option<&Names>) -> String {
    let text = |pointer: &str| {
        let text = object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        names.map_or_else(|| text.to_owned(), |names| names.in_text(text, &[]))
    };
    let namespace = text("/metadata/namespace");
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    let suffix = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
    format!("{kind} {}{suffix}", text("/metadata/name"))
}

/// The names, and those of generated ConfigMaps and Secrets, which end with a hash of what is in them.
fn with_hashes(old: &[Value], new: &[Value], allowed: &Allowed<'_>) -> Names {
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
            Some((_, new)) => all.call(&name, &new),
            // Its generator is not copied, and what refers to it has the name of what a person will write.
            None if old.iter().any(|object| is_left_out(object) && named(object) == name) => all.call(&name, &stem),
            None => {}
        }
    }
    all
}

/// The tags of the image that another takes the place of; variables may repeat them.
fn old_tags(old: &[Value], image: Option<&NewImage>) -> Vec<String> {
    let Some(image) = image else { return Vec::new() };
    let mut tags = Vec::new();
    let mut open: Vec<&Value> = old.iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(written) = fields.get("image").and_then(Value::as_str).map(Reference::split) {
                    tags.extend(written.version.tag.filter(|_| written.name == image.old));
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    tags
}

struct Comparison<'a> {
    names: &'a Names,
    image: Option<&'a NewImage>,
    tags: &'a [String],
}

impl Comparison<'_> {
    fn compare(&self, place: &mut String, key: &str, old: &Value, new: &Value, differs: &mut dyn FnMut(&str)) {
        let length = place.len();
        match (old, new) {
            (Value::Object(old), Value::Object(new)) if old.len() == new.len() => {
                for (name, value) in old {
                    let renamed = self.names.in_text(name, &[]);
                    place.push_str(if length == 0 { "" } else { "." });
                    place.push_str(&renamed);
                    match new.get(&renamed) {
                        Some(other) => self.compare(place, name, value, other, differs),
                        None => differs(place),
                    }
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
        let by_image = self.image.is_some_and(|image| {
            let written = Reference::split(old);
            let is_it = written.name == image.old && new == format!("{}:{}", image.name, image.tag);
            is_it || self.tags.iter().any(|tag| tag == old) && new == image.tag
        });
        by_image || self.names.in_value(key, old) == new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_names_images_and_hashes_may_differ() {
        let mut names = Names::default();
        names.call("quotes", "orders");
        let image = NewImage { old: "r/quotes".into(), name: "r/orders".into(), tag: "v9".into() };
        let allowed = Allowed { names: &names, image: Some(&image), is_left_out: &|object| object["kind"] == "Secret" };
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
            ["Deployment orders differs at spec.replicas in more than names"]
        );
        assert_eq!(differences(&old, &new(1)[1..], &allowed).len(), 2);
        assert_eq!(differences(&old[1..], &new(1), &allowed).len(), 2);
    }
}
