//! The destinations of objects that distribute Secrets. Two objects with the same destination overwrite each other.

use std::collections::BTreeSet;

use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::yaml::tree::YamlNode;

/// The location of a written object: the cluster or store, and the object or key in it.
pub type SecretDestination = Vec<String>;

/// Returns the destinations of an object. Empty for kinds that distribute nothing, and for Syncers, which get
/// additional items instead of copies.
pub fn destinations(object: &DeclaredObject) -> BTreeSet<SecretDestination> {
    match object.kind.as_str() {
        "Object" => object_destination(object).into_iter().collect(),
        "PushSecret" => push_secret_destinations(object),
        _ => BTreeSet::new(),
    }
}

/// Returns the destination of an `Object` of Crossplane's provider-kubernetes: the object in the cluster of its
/// provider config.
fn object_destination(object: &DeclaredObject) -> Option<SecretDestination> {
    let manifest = |way: &[&str]| object.text(&[&["spec", "forProvider", "manifest"], way].concat());
    let name = manifest(&["metadata", "name"])?;
    let provider = object.text(&["spec", "providerConfigRef", "name"]).unwrap_or("default");
    let rest = [manifest(&["kind"]), manifest(&["metadata", "namespace"]), Some(name)];
    Some([Some(provider)].into_iter().chain(rest).map(|text| text.unwrap_or_default().to_owned()).collect())
}

/// Returns the destinations of a `PushSecret` of External Secrets: each property of each key, in each store.
fn push_secret_destinations(object: &DeclaredObject) -> BTreeSet<SecretDestination> {
    let items =
        |key: &str| object.document.get("spec").and_then(|spec| spec.get(key)).map(YamlNode::items).unwrap_or_default();
    let remote = |item: &YamlNode| {
        let remote = item.get("match")?.get("remoteRef")?;
        let property = remote.text_at("property").unwrap_or_default();
        Some([remote.text_at("remoteKey")?.to_owned(), property.to_owned()])
    };
    let store = |item: &YamlNode| -> SecretDestination {
        let texts = item.walk().into_iter().filter_map(YamlNode::text).map(str::to_owned);
        // A namespaced store is specific to its namespace.
        let is_common = item.text_at("kind") == Some("ClusterSecretStore");
        texts.chain(object.namespace.clone().filter(|_| !is_common)).collect()
    };
    let written: Vec<[String; 2]> = items("data").iter().filter_map(remote).collect();
    let in_store =
        |item: &YamlNode| written.iter().map(|one| [&store(item)[..], &one[..]].concat()).collect::<Vec<_>>();
    items("secretStoreRefs").iter().flat_map(in_store).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_repo::gitops::declared::in_text;

    #[test]
    fn destinations_are_compared_without_the_name_of_their_writer() {
        let of = |text: &str| destinations(&in_text("f.yaml", text)[0]);
        let object = "apiVersion: k/v1\nkind: Object\nmetadata: {name: a}\nspec: {providerConfigRef: {name: prod}, forProvider: {manifest: {kind: Secret, metadata: {name: s, namespace: n}}}}\n";
        assert_eq!(of(object), of(&object.replace("name: a", "name: b")));
        for (old, new) in [("name: prod", "name: stage"), ("name: s,", "name: t,"), ("namespace: n", "namespace: m")] {
            assert!(of(object).is_disjoint(&of(&object.replace(old, new))), "{new}");
        }
        let push = "apiVersion: e/v1\nkind: PushSecret\nmetadata: {name: a, namespace: n}\nspec:\n  secretStoreRefs: [{name: prod}, {name: stage}]\n  data:\n  - match: {secretKey: p, remoteRef: {remoteKey: k, property: p}}\n";
        assert_eq!(of(push).len(), 2);
        assert!(!of(push).is_disjoint(&of(&push.replace("{name: stage}", "{name: eu}").replace("name: a", "name: b"))));
        for (old, new) in
            [("remoteKey: k", "remoteKey: l"), ("property: p", "property: q"), ("namespace: n", "namespace: m")]
        {
            assert!(of(push).is_disjoint(&of(&push.replace(old, new))), "{new}");
        }
        assert!(of("apiVersion: v1\nkind: Secret\nmetadata: {name: a}").is_empty());
    }
}
