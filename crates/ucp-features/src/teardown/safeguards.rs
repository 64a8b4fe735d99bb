//! Fields of a managed resource that make the provider or the cloud refuse a deletion, or keep the external resource.
//! They are detected by their names, at any depth of the declared and observed fields.

use super::deletion_words::is_doubtful;
use super::safeguard::{PLACES, Safeguard, declared_path, names_final_snapshot};
use super::safeguard_defaults::default_safeguards;
use serde_json::Value;
use ucp_core::engine;
use ucp_core::model::kind::ResourceKind;

/// Fields with objects or data of other owners.
const FOREIGN: [&str; 3] = ["manifest", "values", "tags"];
/// Maximum depth of nested settings.
const DEEPEST: usize = 6;

/// Returns the protections that another engine than Crossplane declares in `spec`.
fn declared_protections(object: &Value) -> Vec<Safeguard> {
    let mut found = Vec::new();
    if let Some(spec) = object.get("spec") {
        visit_scalars(spec, &mut Vec::new(), &mut |path, value| {
            found.extend(protection("spec", path, value, path.to_vec()));
        });
    }
    found
}

/// Returns the safeguards of an object, without duplicates.
pub(super) fn safeguards(kind: &ResourceKind, object: &Value) -> Vec<Safeguard> {
    if engine::outside(kind).is_some() {
        return declared_protections(object);
    }
    let mut found: Vec<(Vec<String>, Safeguard)> = Vec::new();
    let mut decided: Vec<Vec<String>> = Vec::new();
    for place in PLACES {
        let Some(fields) = object.pointer(place) else { continue };
        let mut path = Vec::new();
        visit_scalars(fields, &mut path, &mut |path, value| {
            // A declared protection counts before it is in force: the provider enables it first.
            let is_initial = place.ends_with("initProvider");
            if is_initial && decided.iter().any(|known| known == path) || found.iter().any(|(known, _)| known == path) {
                return;
            }
            decided.push(path.to_vec());
            if let Some(safeguard) = classify_field(object, place, path, value) {
                found.push((path.to_vec(), safeguard));
            }
        });
    }
    found.into_iter().map(|(_, safeguard)| safeguard).chain(default_safeguards(kind, object)).collect()
}

fn visit_scalars(value: &Value, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String], &Value)) {
    if path.len() > DEEPEST {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields.iter().filter(|(key, _)| !FOREIGN.contains(&key.as_str())) {
                path.push(key.clone());
                visit_scalars(value, path, visit);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                visit_scalars(item, path, visit);
                path.pop();
            }
        }
        scalar => visit(path, scalar),
    }
}

/// Returns the name of a field for comparisons, and its value as text.
fn normalized(path: &[String], value: &Value) -> Option<(String, String)> {
    let key: String = path.last()?.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match value {
        Value::String(text) => Some((key, text.trim().to_ascii_lowercase())),
        Value::Bool(flag) => Some((key, flag.to_string())),
        _ => None,
    }
}

/// Returns the refusal by a field that protects the resource: one with such a name whose value is not known to be off.
fn protection(place: &str, path: &[String], value: &Value, declared: Vec<String>) -> Option<Safeguard> {
    let (key, text) = normalized(path, value)?;
    let is_protection = PROTECTIONS.iter().any(|part| key.contains(part)) || key == "disableapitermination";
    let last_word = text.rsplit(|one: char| !one.is_ascii_alphanumeric()).next().unwrap_or_default();
    if !is_protection || OFF.contains(&last_word) {
        return None;
    }
    let release = match (value, text.as_str()) {
        (Value::Bool(flag), _) => Value::Bool(!flag),
        (_, "active") => "INACTIVE".into(),
        (_, "true") => "false".into(),
        (_, "protected") => "UNPROTECTED".into(),
        (_, text) => text
            .strip_suffix("enabled")
            .map_or("DISABLED".to_owned(), |start| format!("{start}disabled").to_uppercase())
            .into(),
    };
    let reason = format!("{place}.{} is {text}: the cloud refuses to delete it", path.join("."));
    Some(Safeguard::Refuses { reason, path: declared, release })
}

/// Returns the effect of one field.
fn classify_field(object: &Value, place: &str, path: &[String], value: &Value) -> Option<Safeguard> {
    let (key, text) = normalized(path, value)?;
    let shown = place.trim_start_matches('/').replace('/', ".");
    if let Some(protection) = protection(&shown, path, value, declared_path(path)) {
        return Some(protection);
    }
    let (is_on, is_off) = (is_on(&text), text == "false");
    let named = format!("{shown}.{} is {text}", path.join("."));
    let refuses = |reason: String, release: Value| {
        Some(Safeguard::Refuses { reason: format!("{named}: {reason}"), path: declared_path(path), release })
    };
    // The cloud has no such setting: the provider uses the declared value.
    let is_overruled = place == PLACES[0] && {
        let declared = object.pointer(&format!("{}/{}", PLACES[1], path.join("/")));
        declared.is_some_and(|declared| declared != value)
    };
    if is_overruled {
        return None;
    }
    if key.starts_with("skipfinalsnapshot") && is_off {
        let has_name = PLACES.iter().filter_map(|place| object.pointer(place)).any(names_final_snapshot);
        let why = "its deletion is refused, because no final snapshot is named";
        return if has_name { None } else { refuses(why.to_owned(), Value::Bool(true)) };
    }
    if matches!(key.as_str(), "forcedestroy" | "forcedelete") && is_off {
        return refuses("its deletion is refused unless it is empty".to_owned(), Value::Bool(true));
    }
    let is_policy = matches!(key.as_str(), "deletionpolicy" | "destroypolicy" | "removalpolicy");
    if is_policy && matches!(text.as_str(), "prevent" | "deny") {
        return refuses("its deletion is refused".to_owned(), "DELETE".into());
    }
    // A nested block only keeps a part of the resource.
    let is_top = path.len() == 1;
    let keeps = is_policy && matches!(text.as_str(), "abandon" | "retain" | "orphan" | "keep")
        || KEEPERS.contains(&key.as_str()) && is_on
        || REMOVERS.contains(&key.as_str()) && is_off;
    let is_known = KEEPERS.contains(&key.as_str()) || REMOVERS.contains(&key.as_str());
    match () {
        () if !is_top => None,
        () if keeps => Some(Safeguard::Keeps(named)),
        () if !is_known && is_doubtful(&path[0], value) => {
            let why = format!("{named}, and no rule defines what that means for the external resource");
            Some(Safeguard::Doubtful(why))
        }
        () => None,
    }
}

/// Parts of the names of protecting fields.
const PROTECTIONS: [&str; 7] = [
    "deletionprotection",
    "deleteprotection",
    "terminationprotection",
    "dropprotection",
    "destroyprotection",
    "preventdestroy",
    "preventdelet",
];
/// The last words of values that switch a protection off, or decide nothing.
const OFF: [&str; 10] =
    ["", "false", "disabled", "disable", "inactive", "off", "none", "no", "unprotected", "unspecified"];
/// Fields that keep the external resource.
const KEEPERS: [&str; 6] =
    ["skipdestroy", "skipdelete", "skipdeletion", "retainondelete", "keepondestroy", "preserveondelete"];

/// Fields without which the provider only forgets the external resource.
const REMOVERS: [&str; 2] = ["closeondeletion", "disableondestroy"];

fn is_on(text: &str) -> bool {
    matches!(text, "true" | "enabled" | "enable" | "active" | "on" | "protected")
}

/// Returns the patch of `spec` that releases a safeguard; `None` if the path contains a list, which a merge patch would
/// replace.
pub(super) fn release_patch(path: &[String], release: Value) -> Option<Value> {
    if path.iter().any(|part| part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let inner = path.iter().rev().fold(release, |value, key| serde_json::json!({ key.as_str(): value }));
    Some(serde_json::json!({ "spec": inner }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reported(object: &Value) -> Vec<&'static str> {
        reported_for(&ResourceKind::guess("sqs.aws.upbound.io", "Queue"), object)
    }

    fn reported_for(kind: &ResourceKind, object: &Value) -> Vec<&'static str> {
        let word = |one: &Safeguard| match one {
            Safeguard::Keeps(_) => "keeps",
            Safeguard::Doubtful(_) => "doubtful",
            Safeguard::Refuses { .. } => "refuses",
        };
        safeguards(kind, object).iter().map(word).collect()
    }

    #[test]
    fn safeguards_are_found_in_every_part_of_an_object() {
        let declared = |fields: Value| json!({"spec": {"forProvider": fields}});
        let observed = |fields: Value| json!({"status": {"atProvider": fields}});
        let initial = |fields: Value| json!({"spec": {"initProvider": fields}});
        for (object, expected) in [
            (declared(json!({"deletionProtection": true})), "refuses"),
            (observed(json!({"deletionProtection": true})), "refuses"),
            (initial(json!({"deletionProtection": true})), "refuses"),
            (declared(json!({"settings": [{"deletionProtectionEnabled": true}]})), "refuses"),
            (observed(json!({"settings": {"deletionProtectionEnabled": "true"}})), "refuses"),
            (declared(json!({"deletionProtection": "ACTIVE"})), "refuses"),
            (declared(json!({"disableApiTermination": true})), "refuses"),
            (declared(json!({"enableDropProtection": true})), "refuses"),
            (declared(json!({"deleteProtectionState": "DELETE_PROTECTION_ENABLED"})), "refuses"),
            (declared(json!({"deletionProtection": "PROTECTED"})), "refuses"),
            (declared(json!({"deletionProtectionLevel": "SOME_NEW_LEVEL"})), "refuses"),
            (declared(json!({"preventDestroyIfNotEmpty": true})), "refuses"),
            (declared(json!({"skipFinalSnapshot": false})), "refuses"),
            (declared(json!({"skipFinalSnapshotBeforeDeletion": false})), "refuses"),
            (declared(json!({"forceDestroy": false})), "refuses"),
            (declared(json!({"deletionPolicy": "PREVENT"})), "refuses"),
            (declared(json!({"deletionPolicy": "ABANDON"})), "keeps"),
            (initial(json!({"skipDestroy": true})), "keeps"),
            (declared(json!({"retainOnDelete": true})), "keeps"),
            (declared(json!({"disableOnDestroy": false})), "keeps"),
            (observed(json!({"closeOnDeletion": false})), "keeps"),
            (declared(json!({"deletionPolicy": "SOME_NEW_POLICY"})), "doubtful"),
            (observed(json!({"allowDeletion": false})), "doubtful"),
        ] {
            assert_eq!(reported(&object), [expected], "{object}");
        }
        for object in [
            declared(json!({"deletionProtection": false, "forceDestroy": true, "skipDestroy": false})),
            declared(json!({"deleteProtectionState": "DELETE_PROTECTION_DISABLED"})),
            declared(json!({"deletionProtection": "UNPROTECTED", "deletionProtectionState": "STATE_UNSPECIFIED"})),
            declared(json!({"skipFinalSnapshot": false, "finalSnapshotIdentifier": "last"})),
            declared(json!({"skipFinalSnapshot": true, "deletionPolicy": "DELETE"})),
            declared(json!({"disableOnDestroy": true, "closeOnDeletion": true})),
            declared(json!({"manifest": {"spec": {"deletionProtection": true}}})),
            // An initial value no longer applies once a different one is observed.
            json!({"spec": {"initProvider": {"deletionProtection": true}}, "status": {"atProvider": {"deletionProtection": false}}}),
        ] {
            assert_eq!(reported(&object), [""; 0], "{object}");
        }
    }

    #[test]
    fn a_release_is_a_value_of_the_same_field() {
        for (value, released) in [
            (json!(true), json!(false)),
            (json!("true"), json!("false")),
            (json!("ACTIVE"), json!("INACTIVE")),
            (json!("PROTECTED"), json!("UNPROTECTED")),
            (json!("DELETE_PROTECTION_ENABLED"), json!("DELETE_PROTECTION_DISABLED")),
        ] {
            let object = json!({"spec": {"forProvider": {"deletionProtection": value}}});
            let found = safeguards(&ResourceKind::guess("sqs.aws.upbound.io", "Queue"), &object);
            let [Safeguard::Refuses { release, .. }] = found.as_slice() else { panic!("{object}") };
            assert_eq!(*release, released);
        }
    }

    #[test]
    fn protections_of_other_engines_count() {
        let reported = |group: &str, kind: &str, spec: Value| {
            reported_for(&ResourceKind::guess(group, kind), &json!({"spec": spec}))
        };
        let settings = json!({"settings": {"deletionProtectionEnabled": true}});
        assert_eq!(reported("rds.services.k8s.aws", "DBInstance", json!({"deletionProtection": true})), ["refuses"]);
        assert_eq!(reported("sql.cnrm.cloud.google.com", "SQLInstance", settings), ["refuses"]);
        assert_eq!(reported("rds.services.k8s.aws", "DBInstance", json!({"deletionProtection": false})), [""; 0]);
    }

    #[test]
    fn a_merge_patch_never_replaces_a_list() {
        let path = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        let deep = release_patch(&path(&["forProvider", "settings", "deletionProtection"]), false.into());
        assert_eq!(deep, Some(json!({"spec": {"forProvider": {"settings": {"deletionProtection": false}}}})));
        assert_eq!(release_patch(&path(&["settings", "0", "deletionProtection"]), false.into()), None);
    }
}
