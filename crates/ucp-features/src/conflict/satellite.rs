//! Resources without a name of their own, which attach something to a parent: policies, rules, attachments. Two of them are the
//! same resource if their parent and their identifying fields are equal; their content may differ, and then each reverts the
//! other.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::import::address::PLACES;
use ucp_core::model::kind::ResourceKind;

/// Suffixes of the kinds of which a parent has one.
const ONE_PER_PARENT: [&str; 11] = [
    "Policy",
    "Versioning",
    "Configuration",
    "Acl",
    "ACL",
    "Controls",
    "Ownership",
    "Activation",
    "Notification",
    "Logging",
    "AccessBlock",
];
/// Suffixes of the kinds of which a parent has several.
const SEVERAL_PER_PARENT: [&str; 6] = ["Attachment", "Association", "Permission", "Member", "Binding", "Rule"];
/// Parts of the names of fields that do not identify a rule or an attachment: texts, and the members of a binding, which replaces
/// all others.
const CONTENT: [&str; 5] = ["description", "comment", "tags", "members", "condition"];
/// Endings of the fields that refer to a parent.
const REFERENCES: [&str; 6] = ["Ref", "Url", "Arn", "Name", "Id", "ID"];

/// Returns true if resources of a Terraform-based kind have no name of their own.
pub(super) fn is_satellite(kind: &ResourceKind) -> bool {
    ONE_PER_PARENT.iter().chain(&SEVERAL_PER_PARENT).any(|suffix| kind.kind.ends_with(suffix))
}

/// Returns the key that two objects of one kind share if they are the same resource; `None` if nothing identifies it.
pub(super) fn satellite_key(kind: &ResourceKind, declared: &Value) -> Option<String> {
    let fields = resolved(declared);
    let place: Vec<String> = PLACES.iter().filter_map(|place| declared.get(place)).map(ToString::to_string).collect();
    let is_content = |key: &str| CONTENT.contains(&key) || PLACES.contains(&key);
    let parents: BTreeMap<&String, &&Value> = fields.iter().filter(|(key, _)| is_parent(kind, key)).collect();
    let is_only = ONE_PER_PARENT.iter().any(|suffix| kind.kind.ends_with(suffix));
    if is_only && !parents.is_empty() && !has_inline_name(kind) {
        return Some(format!("{parents:?} {}", place.join(" ")));
    }
    let telling: BTreeMap<_, _> = fields.iter().filter(|(key, _)| !is_content(key)).collect();
    // The project of a binding is its parent, and also its location.
    let has_more = telling.keys().any(|key| !parents.contains_key(*key));
    (telling.len() > 1 || has_more && !parents.is_empty()).then(|| format!("{telling:?} {}", place.join(" ")))
}

/// Returns true for the policies of IAM inside of a role, user, or group, of which each has a name.
fn has_inline_name(kind: &ResourceKind) -> bool {
    kind.group.starts_with("iam.")
}

/// Returns the fields with a value, with references under the name of the field that the provider fills in from them.
fn resolved(declared: &Value) -> BTreeMap<String, &Value> {
    let fields = || declared.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let is_selection = |key: &str| key.ends_with("Ref") || key.ends_with("Refs") || key.ends_with("Selector");
    let named = fields().filter_map(|(key, value)| Some((key.strip_suffix("Ref")?.to_owned(), value.get("name")?)));
    let mut resolved: BTreeMap<String, &Value> = named.collect();
    resolved.extend(fields().filter(|(key, _)| !is_selection(key)).map(|(key, value)| (key.clone(), value)));
    resolved
}

/// Returns true if a field names the parent: the kind begins with its name, such as `bucket` of a BucketPolicy.
fn is_parent(kind: &ResourceKind, field: &str) -> bool {
    let base = REFERENCES.iter().find_map(|end| field.strip_suffix(end)).unwrap_or(field).to_ascii_lowercase();
    // The policy of a topic names its parent by `arn` alone.
    field == "arn"
        || !base.is_empty() && {
            let kind = kind.kind.to_ascii_lowercase();
            kind.len() > base.len() && kind.starts_with(&base)
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_satellite_is_identified_by_its_parent_and_not_by_its_content() {
        let key = |group: &str, kind: &str, fields: Value| satellite_key(&ResourceKind::guess(group, kind), &fields);
        let (s3, ec2, iam) = ("s3.aws.upbound.io", "ec2.aws.upbound.io", "iam.aws.upbound.io");
        let rule = |port: i64, text: &str| json!({"securityGroupId": "sg-1", "fromPort": port, "toPort": port, "protocol": "tcp", "description": text});
        for (group, kind, one, other) in [
            (
                s3,
                "BucketPolicy",
                json!({"bucket": "logs", "policy": "{1}"}),
                json!({"bucket": "logs", "policy": "{2}"}),
            ),
            (s3, "BucketPolicy", json!({"bucket": "logs", "policy": "{}"}), json!({"bucketRef": {"name": "logs"}})),
            (s3, "BucketVersioning", json!({"bucket": "l", "a": [1]}), json!({"bucket": "l", "a": [2]})),
            (
                "sqs.aws.upbound.io",
                "QueuePolicy",
                json!({"queueUrl": "u", "policy": "1"}),
                json!({"queueUrl": "u", "policy": "2"}),
            ),
            (ec2, "SecurityGroupRule", rule(443, "x"), rule(443, "y")),
            (
                "cloudplatform.gcp.upbound.io",
                "ProjectIAMBinding",
                json!({"project": "p", "role": "r", "members": ["a"]}),
                json!({"project": "p", "role": "r", "members": ["b"]}),
            ),
        ] {
            let one = key(group, kind, one);
            assert!(one.is_some() && one == key(group, kind, other.clone()), "{kind} {other}");
        }
        for (group, kind, one, other) in [
            (s3, "BucketPolicy", json!({"bucket": "a", "policy": "{}"}), json!({"bucket": "b", "policy": "{}"})),
            (s3, "BucketPolicy", json!({"bucket": "a", "region": "x"}), json!({"bucket": "a", "region": "y"})),
            (ec2, "SecurityGroupRule", rule(443, "x"), rule(80, "x")),
            (
                iam,
                "RolePolicyAttachment",
                json!({"role": "r", "policyArn": "a"}),
                json!({"role": "r", "policyArn": "b"}),
            ),
            (iam, "RolePolicy", json!({"role": "r", "policy": "1"}), json!({"role": "r", "policy": "2"})),
        ] {
            assert_ne!(key(group, kind, one), key(group, kind, other), "{kind}");
        }
        assert_eq!(key(s3, "BucketPolicy", json!({"region": "x"})), None);
    }
}
