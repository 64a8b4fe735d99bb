//! Kinds that a snapshot defines and has no objects of.

use serde_json::Value;

use crate::model::kind::{Reporting, ResourceKind, Scope};

/// The kind that a CRD defines, at the version that a server would prefer.
pub fn kind_of(definition: &Value) -> Option<ResourceKind> {
    let spec = definition.get("spec")?;
    let names = spec.get("names")?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let texts = |key: &str| {
        let list = names.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|entry| entry.as_str().map(str::to_owned))
    };
    let versions = spec.get("versions").and_then(Value::as_array)?.iter();
    let served = versions.filter(|version| version.get("served") == Some(&Value::Bool(true)));
    let kind = text(names, "kind")?;
    Some(ResourceKind {
        group: text(spec, "group")?,
        version: served.filter_map(|version| text(version, "name")).max_by_key(|name| rank(name))?,
        plural: text(names, "plural")?,
        aliases: texts("shortNames")
            .chain([text(names, "singular").unwrap_or_else(|| kind.to_ascii_lowercase())])
            .collect(),
        scope: if text(spec, "scope").as_deref() == Some("Namespaced") { Scope::Namespaced } else { Scope::Cluster },
        categories: texts("categories").collect(),
        reporting: Reporting::default(),
        kind,
    })
}

/// The order of versions (apimachinery, `CompareKubeAwareVersionStrings`): released ones, betas, alphas, each by number, and
/// then all others.
fn rank(version: &str) -> (u8, u32, u32) {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    let stages = [("beta", 2), ("alpha", 1)];
    let staged = stages.iter().find_map(|(word, rank)| {
        let (major, minor) = rest.split_once(word)?;
        Some((*rank, number(major)?, number(minor)?))
    });
    staged.or_else(|| number(rest).map(|major| (3, major, 0))).unwrap_or((0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_is_a_kind_at_its_preferred_version() {
        let version = |name: &str, served: bool| json!({"name": name, "served": served});
        let of = |versions: Value| {
            kind_of(&json!({"spec": {
                "group": "s3.aws.upbound.io", "scope": "Namespaced", "versions": versions,
                "names": {"kind": "Bucket", "plural": "buckets", "categories": ["managed"]},
            }}))
        };
        let kind = of(json!([version("v1beta1", true), version("v1beta10", true), version("v1", false)])).unwrap();
        assert_eq!((kind.version.as_str(), kind.scope), ("v1beta10", Scope::Namespaced));
        assert!(kind.in_category("managed") && kind.is_called("bucket.s3.aws.upbound.io"));
        assert_eq!(
            of(json!([version("v1alpha2", true), version("v2", true), version("v1", true)])).unwrap().version,
            "v2"
        );
        assert!(of(json!([])).is_none());
    }
}
