//! The next version of a definition, at random.

use serde_json::{Value, json};

/// Number of changes to one definition.
const CHANGES: usize = 7;

/// Returns a definition with some fields removed, restricted, defaulted, or of another type.
pub(super) fn mutated(crd: &Value, random: &mut fastrand::Rng) -> Value {
    let mut crd = crd.clone();
    for _ in 0..CHANGES {
        let schema = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let mut places = Vec::new();
        collect(schema, String::new(), &mut places);
        places.retain(|place| place.starts_with("/properties/spec/"));
        let place = places[random.usize(..places.len())].clone();
        change(schema, &place, random);
    }
    crd
}

/// Collects the pointers of all fields.
fn collect(node: &Value, place: String, places: &mut Vec<String>) {
    for (name, child) in node["properties"].as_object().into_iter().flatten() {
        let below = format!("{place}/properties/{name}");
        places.push(below.clone());
        collect(child, below, places);
    }
    for part in ["items", "additionalProperties"] {
        if node[part].is_object() {
            collect(&node[part], format!("{place}/{part}"), places);
        }
    }
}

fn change(schema: &mut Value, place: &str, random: &mut fastrand::Rng) {
    let (parent, name) = place.rsplit_once("/properties/").unwrap();
    let parent = schema.pointer_mut(parent).unwrap();
    match random.u8(..6) {
        0 => {
            parent["properties"].as_object_mut().unwrap().remove(name);
            if let Some(required) = parent["required"].as_array_mut() {
                required.retain(|entry| entry != name);
            }
            return;
        }
        1 => {
            let mut required = parent["required"].as_array().cloned().unwrap_or_default();
            required.push(json!(name));
            parent["required"] = json!(required);
            return;
        }
        2 => {
            parent["properties"][format!("new{}", random.u8(..5))] = json!({"type": "string", "default": "fresh"});
            return;
        }
        _ => {}
    }
    let node = &mut parent["properties"][name];
    match (node["type"].as_str().unwrap_or_default(), random.u8(..4)) {
        ("string", 0) => *node = json!({"type": "integer"}),
        ("string", 1) => node["maxLength"] = json!(random.u8(1..6)),
        ("string", 2) => node["pattern"] = json!("^[a-c]+$"),
        ("string", _) => node["enum"] = json!(["a", "abc"]),
        ("integer" | "number", 0) => node["maximum"] = json!(random.u8(1..12)),
        ("integer" | "number", 1) => *node = json!({"type": "string"}),
        ("integer", _) => node["multipleOf"] = json!(2),
        ("boolean", _) => node["enum"] = json!([true]),
        ("array", 0) => node["minItems"] = json!(2),
        ("array", 1) => node["x-kubernetes-validations"] = json!([{"rule": "size(self) > 1"}]),
        ("array", _) => node["maxItems"] = json!(0),
        ("object", 0) => node["maxProperties"] = json!(1),
        ("object", 1) => *node = json!({"type": "object", "properties": {"only": {"type": "string"}}}),
        ("object", 2) => {
            node["x-kubernetes-validations"] = json!([{"rule": "size(self) < 2", "message": "one at most"}])
        }
        ("object", _) => node["default"] = json!({}),
        _ => *node = json!({"type": "string"}),
    }
}
