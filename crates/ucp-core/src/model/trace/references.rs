//! The objects that the declaration of an object names, and whose change may affect it: Secrets, ConfigMaps, service accounts,
//! volume claims, and Compositions. They are found by the names of fields, which are the same in all kinds.

use serde_json::{Map, Value, json};

/// Deeper fields are not searched.
const DEEPEST: usize = 14;
/// The highest number of references of one object.
const MOST: usize = 40;
/// Kinds that a reference with a `kind` may name.
const KINDS: [&str; 3] = ["Secret", "ConfigMap", "ServiceAccount"];
/// Fields with the name of an object, and its kind.
const NAMES: [(&str, &str); 3] =
    [("secretName", "Secret"), ("serviceAccountName", "ServiceAccount"), ("claimName", "PersistentVolumeClaim")];
/// Ends of fields with a reference that has no kind.
const REFERENCES: [(&str, &str); 6] = [
    ("secretref", "Secret"),
    ("secretkeyref", "Secret"),
    ("secret", "Secret"),
    ("configmapref", "ConfigMap"),
    ("configmapkeyref", "ConfigMap"),
    ("configmap", "ConfigMap"),
];

/// Ends of fields with a reference to an object of the whole cluster: its group and kind.
const CLUSTER_REFERENCES: [(&str, &str, &str); 3] = [
    ("compositionref", "apiextensions.crossplane.io", "Composition"),
    ("compositionrevisionref", "apiextensions.crossplane.io", "CompositionRevision"),
    ("functionref", "pkg.crossplane.io", "Function"),
];

/// Returns the references below a field, as `{kind, name}` with the `namespace` if it is named, and with the `group` for an
/// object of the whole cluster, without duplicates.
pub(super) fn references(declared: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    visit("", declared, DEEPEST, &mut found);
    found
}

fn visit(field: &str, value: &Value, depth: usize, found: &mut Vec<Value>) {
    if depth == 0 || found.len() >= MOST {
        return;
    }
    let reference = match value {
        Value::Object(fields) => reference(field, fields),
        Value::String(name) => {
            NAMES.iter().find(|(known, _)| *known == field).map(|(_, kind)| json!({"kind": kind, "name": name}))
        }
        _ => None,
    };
    found.extend(reference.filter(|one| one["name"] != "" && !found.contains(one)));
    match value {
        Value::Object(fields) => fields.iter().for_each(|(field, value)| visit(field, value, depth - 1, found)),
        Value::Array(items) => items.iter().for_each(|item| visit(field, item, depth - 1, found)),
        _ => {}
    }
}

fn reference(field: &str, fields: &Map<String, Value>) -> Option<Value> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let name = text("name")?;
    let field = field.to_ascii_lowercase();
    if let Some((_, group, kind)) = CLUSTER_REFERENCES.iter().find(|(end, ..)| field.ends_with(end)) {
        return Some(json!({"group": group, "kind": kind, "name": name}));
    }
    let by_field = || REFERENCES.iter().find(|(end, _)| field.ends_with(end)).map(|(_, kind)| *kind);
    let kind = match text("kind") {
        Some(kind) => KINDS.iter().copied().find(|known| *known == kind)?,
        None => by_field()?,
    };
    let mut reference = json!({"kind": kind, "name": name});
    if let Some(namespace) = text("namespace") {
        reference["namespace"] = namespace.into();
    }
    Some(reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_by_the_names_of_fields() {
        let spec = json!({
            "secretRef": {"name": "login"}, "serviceAccountName": "deployer", "url": "https://example.org",
            "valuesFrom": [{"kind": "ConfigMap", "name": "values"}, {"kind": "GitRepository", "name": "no"}],
            "template": {"spec": {
                "volumes": [{"name": "a", "secret": {"secretName": "tls"}}, {"name": "b", "configMap": {"name": "files"}}],
                "containers": [{"name": "web", "envFrom": [{"secretRef": {"name": "login"}}],
                    "env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "env", "key": "x"}}}]}],
            }},
            "writeConnectionSecretToRef": {"namespace": "shop", "name": "written"},
            "connectionSecretRef": {"namespace": "shop", "name": "other"},
            "crossplane": {"compositionRef": {"name": "boxes"}},
        });
        let mut found: Vec<String> = references(&spec)
            .iter()
            .map(|one| format!("{} {}", one["kind"].as_str().unwrap(), one["name"].as_str().unwrap()))
            .collect();
        found.sort();
        let expected = [
            "Composition boxes",
            "ConfigMap env",
            "ConfigMap files",
            "ConfigMap values",
            "Secret login",
            "Secret other",
            "Secret tls",
            "ServiceAccount deployer",
        ];
        assert_eq!(found, expected);
    }
}
