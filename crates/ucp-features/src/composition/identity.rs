//! Names that core generates: of composed resources, and of its field managers.

use ring::digest::{Context, SHA256};
use serde_json::Value;

use ucp_client::prediction::cluster::text_at;
use ucp_core::model::hash::hexadecimal;
use ucp_core::model::object::group_of;

/// Field manager of core for the composites of claims (`internal/controller/apiextensions/claim`).
pub const CLAIM_MANAGER: &str = "apiextensions.crossplane.io/claim";
/// Field manager of core for the status of composites.
pub const COMPOSITE_MANAGER: &str = "apiextensions.crossplane.io/composite";
const COMPOSED_MANAGER: &str = "apiextensions.crossplane.io/composed";

/// Maximum length of a name, as core counts it.
const LONGEST_NAME: usize = 63;
/// Length in characters of the hash at the end of a name.
const HASH: usize = 12;

/// Returns core's field manager for the composed resources of a composite (`ComposedFieldOwnerName`).
pub fn composed_manager(composite: &Value) -> String {
    let group = group_of(text_at(composite, "/apiVersion"));
    let kind = text_at(composite, "/kind");
    let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    format!("{COMPOSED_MANAGER}/{}", sha256_of_parts(&[text_at(composite, "/metadata/name"), &kind]))
}

/// Returns the name of a new composed resource (`names.ChildName`): its prefix, and a hash of the composite's UID and
/// the resource name.
pub fn child_name(begins: &str, uid: &str, resource: &str) -> String {
    let suffix = &sha256_of_parts(&[uid, resource])[..HASH];
    let begins = if begins.is_empty() || begins.ends_with('-') { begins.to_owned() } else { format!("{begins}-") };
    if begins.len() + HASH <= LONGEST_NAME {
        return format!("{begins}{suffix}");
    }
    let cut = |length: usize| begins.get(..length).unwrap_or_default().to_owned();
    match cut(LONGEST_NAME - HASH) {
        whole if whole.ends_with('-') => format!("{whole}{suffix}"),
        _ => format!("{}-{suffix}", cut(LONGEST_NAME - HASH - 1)),
    }
}

/// Returns a deterministic UID for an object that does not exist yet.
pub fn stand_in_uid(of: &str) -> String {
    let hash = sha256_of_parts(&[of]);
    format!("{}-{}-4{}-8{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}

/// Returns the SHA-256 of the concatenated texts, in hexadecimal.
fn sha256_of_parts(parts: &[&str]) -> String {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part.as_bytes()));
    hexadecimal(context.finish().as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::hash::sha256_of;

    #[test]
    fn generated_names_are_the_same_as_those_of_core() {
        // SHA-256 of "u1bucket".
        let hash = sha256_of(b"u1bucket");
        assert_eq!(child_name("shop-", "u1", "bucket"), format!("shop-{}", &hash[..12]));
        assert_eq!(child_name("shop", "u1", "bucket"), format!("shop-{}", &hash[..12]));
        let long = child_name(&"a".repeat(80), "u1", "bucket");
        assert_eq!(long, format!("{}-{}", "a".repeat(50), &hash[..12]));
        assert_eq!(long.len(), 63);
        let dashed = child_name(&format!("{}-bbbbbbbbbbbbbb", "a".repeat(50)), "u1", "bucket");
        assert_eq!(dashed, format!("{}-{}", "a".repeat(50), &hash[..12]));
    }

    #[test]
    fn field_managers_differ_by_name_and_kind() {
        let composite = json!({"apiVersion": "a.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}});
        let expected = sha256_of(b"shopXStore.a.example.org");
        assert_eq!(composed_manager(&composite), format!("apiextensions.crossplane.io/composed/{expected}"));
    }

    #[test]
    fn placeholder_uids_are_stable_and_look_like_uids() {
        let uid = stand_in_uid("a");
        assert_eq!(uid.len(), 36);
        assert_eq!(uid, stand_in_uid("a"));
        assert_ne!(uid, stand_in_uid("b"));
    }

    proptest::proptest! {
        #[test]
        fn long_names_are_shortened(begins in "[a-z-]{0,90}", resource in "\\PC{0,20}") {
            let name = child_name(&begins, "uid", &resource);
            proptest::prop_assert!(name.len() <= LONGEST_NAME);
        }
    }
}
