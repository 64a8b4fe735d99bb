//! Fields of a managed resource that make the provider or the cloud refuse a deletion, or keep the external resource.
//! They are detected by their names, at any depth of the declared and observed fields.

use serde_json::Value;
use ucp_core::model::kind::ResourceKind;

/// The effect of such a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Safeguard {
    /// The provider releases the object and keeps the external resource: the field, as text.
    Keeps(String),
    /// The deletion is refused.
    Refuses {
        /// The field and the effect, as text.
        reason: String,
        /// The path in `spec.forProvider`, such as `settings.0.deletionProtectionEnabled`.
        path: Vec<String>,
        /// The value that permits the deletion.
        release: Value,
    },
}

/// JSON pointers to fields, in order of precedence: observed fields are in force, declared ones will be, and initial
/// ones were at the creation.
const PLACES: [&str; 3] = ["/status/atProvider", "/spec/forProvider", "/spec/initProvider"];
/// Fields with objects or data of other owners.
const FOREIGN: [&str; 3] = ["manifest", "values", "tags"];
/// Maximum depth of nested settings.
const DEEPEST: usize = 6;

/// Databases of AWS that are deleted only after a final snapshot, unless a field declines it: the beginning of their group, the
/// kind, and the field, whose default is false.
const FINAL_SNAPSHOTS: [(&str, &str, &str); 10] = [
    ("rds.aws.", "Instance", "skipFinalSnapshot"),
    ("rds.aws.", "Cluster", "skipFinalSnapshot"),
    ("docdb.aws.", "Cluster", "skipFinalSnapshot"),
    ("neptune.aws.", "Cluster", "skipFinalSnapshot"),
    ("redshift.aws.", "Cluster", "skipFinalSnapshot"),
    ("rds.aws.", "DBInstance", "skipFinalSnapshot"),
    ("rds.aws.", "DBCluster", "skipFinalSnapshot"),
    ("docdb.aws.", "DBCluster", "skipFinalSnapshot"),
    ("neptune.aws.", "DBCluster", "skipFinalSnapshot"),
    ("database.aws.", "RDSInstance", "skipFinalSnapshotBeforeDeletion"),
];

/// Returns the refusal of a database that declares nothing about its final snapshot.
fn undeclared_snapshot(kind: &ResourceKind, object: &Value) -> Option<Safeguard> {
    let is_kind = |(group, name, _): &&(&str, &str, &str)| kind.group.starts_with(group) && kind.kind == *name;
    let (_, _, field) = FINAL_SNAPSHOTS.iter().find(is_kind)?;
    let places = || PLACES.iter().filter_map(|place| object.pointer(place));
    let is_declared = places()
        .any(|fields| fields.as_object().is_some_and(|fields| fields.keys().any(|key| key.starts_with("skipFinal"))));
    (!is_declared && !places().any(names_final_snapshot)).then(|| Safeguard::Refuses {
        reason: format!(
            "spec.forProvider.{field} is not set and false by default: its deletion is refused, because no final snapshot is named"
        ),
        path: vec![(*field).to_owned()],
        release: Value::Bool(true),
    })
}

/// Resources of Upbound's providers with a field whose default makes the provider refuse a deletion: the beginning of their
/// group, the kind, the field, and the value that permits the deletion. The defaults are those of the Terraform providers, from
/// `registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/`: `s3_bucket`, `s3_directory_bucket`, `ecr_repository`,
/// `ecrpublic_repository`, `route53_zone`, `backup_vault`, `athena_workgroup`; and from the same of `google`:
/// `sql_database_instance`, `container_cluster`, `bigquery_table`, `spanner_database`, `cloud_run_v2_service`,
/// `cloud_run_v2_job`, `privateca_certificate_authority`, `storage_bucket`, `dns_managed_zone`, `bigquery_dataset`.
const REFUSING_DEFAULTS: [(&str, &str, &str, bool); 17] = [
    ("s3.aws.", "Bucket", "forceDestroy", true),
    ("s3.aws.", "DirectoryBucket", "forceDestroy", true),
    ("ecr.aws.", "Repository", "forceDelete", true),
    ("ecrpublic.aws.", "Repository", "forceDestroy", true),
    ("route53.aws.", "Zone", "forceDestroy", true),
    ("backup.aws.", "Vault", "forceDestroy", true),
    ("athena.aws.", "Workgroup", "forceDestroy", true),
    ("sql.gcp.", "DatabaseInstance", "deletionProtection", false),
    ("container.gcp.", "Cluster", "deletionProtection", false),
    ("bigquery.gcp.", "Table", "deletionProtection", false),
    ("spanner.gcp.", "Database", "deletionProtection", false),
    ("cloudrun.gcp.", "V2Service", "deletionProtection", false),
    ("cloudrun.gcp.", "V2Job", "deletionProtection", false),
    ("privateca.gcp.", "CertificateAuthority", "deletionProtection", false),
    ("storage.gcp.", "Bucket", "forceDestroy", true),
    ("dns.gcp.", "ManagedZone", "forceDestroy", true),
    ("bigquery.gcp.", "Dataset", "deleteContentsOnDestroy", true),
];

/// Returns the refusal by a default of a field that is neither declared nor observed.
fn refusing_default(kind: &ResourceKind, object: &Value) -> Option<Safeguard> {
    let is_kind = |(group, name, ..): &&(&str, &str, &str, bool)| {
        kind.group.starts_with(group) && kind.group.ends_with(".upbound.io") && kind.kind == *name
    };
    let (_, _, field, release) = REFUSING_DEFAULTS.iter().find(is_kind)?;
    let is_set =
        PLACES.iter().any(|place| object.pointer(&format!("{place}/{field}")).is_some_and(|one| !one.is_null()));
    let effect = if *release { "its deletion is refused unless it is empty" } else { "its deletion is refused" };
    (!is_set).then(|| Safeguard::Refuses {
        reason: format!("spec.forProvider.{field} is not set and {} by default: {effect}", !release),
        path: vec![(*field).to_owned()],
        release: Value::Bool(*release),
    })
}

/// Returns the safeguards of an object, without duplicates.
pub(super) fn safeguards(kind: &ResourceKind, object: &Value) -> Vec<Safeguard> {
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
    let undeclared = undeclared_snapshot(kind, object).into_iter().chain(refusing_default(kind, object));
    found.into_iter().map(|(_, safeguard)| safeguard).chain(undeclared).collect()
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

/// Returns the effect of one field.
fn classify_field(object: &Value, place: &str, path: &[String], value: &Value) -> Option<Safeguard> {
    let key: String = path.last()?.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let text = match value {
        Value::String(text) => text.trim().to_ascii_lowercase(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    let (is_on, is_off) = (is_on(&text), text == "false");
    let named = format!("{}.{} is {}", place.trim_start_matches('/').replace('/', "."), path.join("."), text);
    let refuses = |reason: String, release: Value| {
        Some(Safeguard::Refuses { reason: format!("{named}: {reason}"), path: path.to_vec(), release })
    };
    let released = || match value {
        Value::Bool(flag) => Value::Bool(!flag),
        _ => match text.as_str() {
            "active" => "INACTIVE".into(),
            "true" => "false".into(),
            _ => "DISABLED".into(),
        },
    };
    if PROTECTIONS.iter().any(|part| key.contains(part)) || key == "disableapitermination" || key == "preventdestroy" {
        return if is_on { refuses("the cloud refuses to delete it".to_owned(), released()) } else { None };
    }
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
        || KEEPERS.contains(&key.as_str()) && is_on;
    (is_top && keeps).then_some(Safeguard::Keeps(named))
}

/// Parts of the names of protecting fields.
const PROTECTIONS: [&str; 4] = ["deletionprotection", "deleteprotection", "terminationprotection", "dropprotection"];
/// Fields that keep the external resource.
const KEEPERS: [&str; 6] =
    ["skipdestroy", "skipdelete", "skipdeletion", "retainondelete", "keepondestroy", "preserveondelete"];

fn is_on(text: &str) -> bool {
    matches!(text, "true" | "enabled" | "enable" | "active" | "on" | "protected")
}

/// Returns true if the fields name a final snapshot.
fn names_final_snapshot(fields: &Value) -> bool {
    let is_name = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.starts_with("final") && key.contains("snapshot")
    };
    fields.as_object().is_some_and(|fields| {
        fields.iter().any(|(key, value)| is_name(key) && value.as_str().is_some_and(|name| !name.is_empty()))
    })
}

/// Returns the patch of `spec.forProvider` that releases a safeguard; `None` if the path contains a list, which a merge
/// patch would replace.
pub(super) fn release_patch(path: &[String], release: Value) -> Option<Value> {
    if path.iter().any(|part| part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let inner = path.iter().rev().fold(release, |value, key| serde_json::json!({ key.as_str(): value }));
    Some(serde_json::json!({"spec": {"forProvider": inner}}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(object: &Value) -> Vec<&'static str> {
        told_of(&ResourceKind::guess("sqs.aws.upbound.io", "Queue"), object)
    }

    fn told_of(kind: &ResourceKind, object: &Value) -> Vec<&'static str> {
        let word = |one: &Safeguard| match one {
            Safeguard::Keeps(_) => "keeps",
            Safeguard::Refuses { .. } => "refuses",
        };
        safeguards(kind, object).iter().map(word).collect()
    }

    #[test]
    fn safeguards_are_found_wherever_they_stand() {
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
            (declared(json!({"skipFinalSnapshot": false})), "refuses"),
            (declared(json!({"skipFinalSnapshotBeforeDeletion": false})), "refuses"),
            (declared(json!({"forceDestroy": false})), "refuses"),
            (declared(json!({"deletionPolicy": "PREVENT"})), "refuses"),
            (declared(json!({"deletionPolicy": "ABANDON"})), "keeps"),
            (initial(json!({"skipDestroy": true})), "keeps"),
            (declared(json!({"retainOnDelete": true})), "keeps"),
        ] {
            assert_eq!(told(&object), [expected], "{object}");
        }
        for object in [
            declared(json!({"deletionProtection": false, "forceDestroy": true, "skipDestroy": false})),
            declared(json!({"skipFinalSnapshot": false, "finalSnapshotIdentifier": "last"})),
            declared(json!({"skipFinalSnapshot": true, "deletionPolicy": "DELETE"})),
            declared(json!({"manifest": {"spec": {"deletionProtection": true}}})),
            // An initial value no longer applies once a different one is observed.
            json!({"spec": {"initProvider": {"deletionProtection": true}}, "status": {"atProvider": {"deletionProtection": false}}}),
        ] {
            assert_eq!(told(&object), [""; 0], "{object}");
        }
    }

    /// Before it is observed, a field that is not declared has its default.
    #[test]
    fn a_database_that_declines_no_final_snapshot_is_not_deleted() {
        let told = |group: &str, kind: &str, fields: Value| {
            told_of(&ResourceKind::guess(group, kind), &json!({"spec": {"forProvider": fields}})).len()
        };
        for (group, kind) in [
            ("rds.aws.upbound.io", "Instance"),
            ("rds.aws.m.upbound.io", "Cluster"),
            ("docdb.aws.upbound.io", "Cluster"),
            ("database.aws.crossplane.io", "RDSInstance"),
        ] {
            assert_eq!(told(group, kind, json!({"region": "eu-west-1"})), 1, "{group} {kind}");
            for decided in ["skipFinalSnapshot", "skipFinalSnapshotBeforeDeletion"] {
                assert_eq!(told(group, kind, json!({decided: true})), 0, "{group} {kind}");
            }
            assert_eq!(told(group, kind, json!({"finalSnapshotIdentifier": "last"})), 0, "{group} {kind}");
        }
        assert_eq!(told("rds.aws.upbound.io", "SubnetGroup", json!({})), 0);
    }

    #[test]
    fn defaults_of_providers_refuse_before_anything_is_observed() {
        for (group, kind, field, release) in REFUSING_DEFAULTS {
            for family in ["upbound.io", "m.upbound.io"] {
                let kind = ResourceKind::guess(&format!("{group}{family}"), kind);
                let told = |object: &Value| told_of(&kind, object).len();
                assert_eq!(told(&json!({"spec": {"forProvider": {"region": "eu-west-1"}}})), 1, "{group} {field}");
                for place in ["forProvider", "initProvider"] {
                    assert_eq!(told(&json!({"spec": {place: {field: release}}})), 0, "{group} {field}");
                }
                assert_eq!(told(&json!({"status": {"atProvider": {field: release}}})), 0, "{group} {field}");
            }
        }
        assert_eq!(told_of(&ResourceKind::guess("s3.aws.upbound.io", "BucketPolicy"), &json!({"spec": {}})).len(), 0);
    }

    #[test]
    fn a_merge_patch_never_replaces_a_list() {
        let path = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        let deep = release_patch(&path(&["settings", "deletionProtection"]), false.into());
        assert_eq!(deep, Some(json!({"spec": {"forProvider": {"settings": {"deletionProtection": false}}}})));
        assert_eq!(release_patch(&path(&["settings", "0", "deletionProtection"]), false.into()), None);
    }
}
