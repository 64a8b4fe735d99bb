//! Objects that a schema allows, at random.

use regex::Regex;
use serde_json::{Map, Value, json};

/// Texts that are tried for patterns and formats.
const TEXTS: [&str; 14] = [
    "a",
    "abc",
    "1",
    "10m",
    "1h0m0s",
    "1Gi",
    "a.b",
    "a/b",
    "example.org",
    "https://example.org",
    "sha256:0123456789abcdef",
    "arn:aws:iam::123456789012:role/a",
    "10.0.0.0/8",
    "A_b-1",
];

/// Returns an object without metadata. `density` is 0 for required fields only, to 2 for all of them.
pub(super) fn object(schema: &Value, random: &mut fastrand::Rng, density: usize) -> Option<Value> {
    let mut object = json!({});
    for (name, node) in schema["properties"].as_object()? {
        if !["apiVersion", "kind", "metadata", "sentinel", "status"].contains(&name.as_str()) {
            object[name] = value(node, random, density, 0)?;
        }
    }
    Some(object)
}

fn value(node: &Value, random: &mut fastrand::Rng, density: usize, depth: usize) -> Option<Value> {
    if let Some(allowed) = node["enum"].as_array() {
        return Some(allowed[random.usize(..allowed.len())].clone());
    }
    if node["nullable"] == true && random.u8(..4) == 0 {
        return Some(Value::Null);
    }
    if node["x-kubernetes-int-or-string"] == true {
        return Some(json!(random.u8(1..9)));
    }
    if node["x-kubernetes-embedded-resource"] == true {
        return Some(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
    }
    match node["type"].as_str() {
        Some("object") => fields(node, random, density, depth),
        Some("array") => {
            let count = node["minItems"].as_u64().unwrap_or(1).max(1);
            let items = (0..count).map(|_| value(&node["items"], random, density, depth + 1));
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Some("string") => text(node, random),
        Some("integer") => Some(json!(number(node, random) as i64)),
        Some("number") => Some(json!(number(node, random) + 0.5)),
        Some("boolean") => Some(json!(random.bool())),
        _ => Some(json!({"any": 1})),
    }
}

fn fields(node: &Value, random: &mut fastrand::Rng, density: usize, depth: usize) -> Option<Value> {
    let required: Vec<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut object = Map::new();
    for (name, child) in node["properties"].as_object().into_iter().flatten() {
        let is_wanted = match density {
            0 => false,
            1 => random.bool() && depth < 6,
            _ => depth < 5,
        };
        if required.contains(&name.as_str()) {
            object.insert(name.clone(), value(child, random, density, depth + 1)?);
        } else if is_wanted && let Some(found) = value(child, random, density, depth + 1) {
            object.insert(name.clone(), found);
        }
    }
    if node["additionalProperties"].is_object() && density > 0 {
        for key in ["first", "second"] {
            object.insert(key.to_owned(), value(&node["additionalProperties"], random, density, depth + 1)?);
        }
    }
    if node["x-kubernetes-preserve-unknown-fields"] == true {
        object.insert("unknown".to_owned(), json!({"x": 1}));
    }
    Some(Value::Object(object))
}

fn text(node: &Value, random: &mut fastrand::Rng) -> Option<Value> {
    match node["format"].as_str() {
        Some("date-time") => return Some(json!("2026-11-27T00:00:00Z")),
        Some("byte") => return Some(json!("YQ==")),
        _ => {}
    }
    let pattern = node["pattern"].as_str().map(Regex::new).transpose().ok()?;
    let (least, most) = (node["minLength"].as_u64().unwrap_or(0), node["maxLength"].as_u64().unwrap_or(1000));
    let start = random.usize(..TEXTS.len());
    let texts = (0..TEXTS.len()).map(|index| TEXTS[(start + index) % TEXTS.len()]);
    let mut texts = texts.flat_map(|text| [text.to_owned(), text.repeat(usize::try_from(least).unwrap_or(1).max(1))]);
    let fits = |text: &String| {
        (least..=most).contains(&(text.len() as u64)) && pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    };
    texts.find(fits).map(Value::String)
}

fn number(node: &Value, random: &mut fastrand::Rng) -> f64 {
    let least = node["minimum"].as_f64().unwrap_or(1.0);
    let most = node["maximum"].as_f64().unwrap_or(least + 100.0);
    (least + f64::from(random.u8(1..20))).min(most).max(least)
}
