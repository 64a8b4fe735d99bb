//! A kind that an API server serves.

use std::collections::BTreeSet;

use crate::model::request_path::RequestPath;

/// A kind of resource, as discovery describes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceKind {
    /// API group; empty for the core group.
    pub group: String,
    /// API version, such as `v1beta1`.
    pub version: String,
    /// Kind, such as `NodePool`.
    pub kind: String,
    /// Lower-case plural name, as in the request path.
    pub plural: String,
    /// Other names that kubectl accepts: singular and short names.
    pub aliases: Vec<String>,
    /// Scope of its objects.
    pub scope: ResourceScope,
    /// Categories, such as `managed`, `composite`, `claim`: `spec.names.categories` of the CRD.
    pub categories: BTreeSet<String>,
    /// Status-related parts of its definition.
    pub reporting: StatusReporting,
}

/// Status-related parts of the definition of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatusReporting {
    /// Presence of the status subresource.
    pub status: StatusSubresource,
    /// Condition types that are shown in columns of `kubectl get`: `additionalPrinterColumns`.
    pub columns: Vec<String>,
}

/// Presence of the status subresource in a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusSubresource {
    /// The status is written separately from the object.
    Served,
    /// Absent: the kind is configuration, or its controller writes to the object itself, which increases the
    /// generation.
    Absent,
    /// Unknown.
    #[default]
    Unsaid,
}

/// Scope of the objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceScope {
    /// Cluster-scoped.
    Cluster,
    /// Namespaced.
    Namespaced,
}

impl ResourceKind {
    /// Returns true for the kind of namespaces.
    pub fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.kind == "Namespace"
    }

    /// Returns true for the kind of Events in each of its two groups, which have the same objects.
    pub fn is_event(&self) -> bool {
        self.kind == "Event" && matches!(self.group.as_str(), "" | "events.k8s.io")
    }

    /// Creates a kind from its group and name, with the plural of apimachinery's `UnsafeGuessKindToResource`.
    pub fn guess(group: &str, kind: &str) -> Self {
        let singular = kind.to_ascii_lowercase();
        Self {
            group: group.to_owned(),
            version: String::new(),
            kind: kind.to_owned(),
            plural: guess_plural(&singular),
            aliases: vec![singular],
            scope: ResourceScope::Cluster,
            categories: BTreeSet::new(),
            reporting: StatusReporting::default(),
        }
    }

    /// Returns the `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { [&self.group, "/", &self.version].concat() }
    }

    /// Returns true if the CRD lists a category.
    pub fn in_category(&self, category: &str) -> bool {
        self.categories.contains(category)
    }

    /// Returns true if `name` refers to this kind: kind, plural, singular, or short name, with or without the group, in
    /// any case, as in kubectl.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let (name, group) = name.split_once('.').map_or((name.as_str(), None), |(name, group)| (name, Some(group)));
        let named = self.kind.eq_ignore_ascii_case(name)
            || self.plural == name
            || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name));
        // kubectl also accepts `kind.version.group`, and prefixes of the group.
        named
            && group.is_none_or(|group| {
                let group = group.strip_prefix(&format!("{}.", self.version)).unwrap_or(group);
                self.group == group || self.group.starts_with(&format!("{group}."))
            })
    }

    /// Returns the path of the collection, in one namespace or in all.
    pub fn path(&self, namespace: Option<&str>) -> RequestPath {
        let version = RequestPath::for_version(&self.group, &self.version);
        match namespace {
            Some(namespace) if self.scope == ResourceScope::Namespaced => {
                version.below("namespaces").below(namespace).below(&self.plural)
            }
            _ => version.below(&self.plural),
        }
    }

    /// Returns `plural.group`, the name of the CRD.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

/// Guesses the plural of a lower-case kind as apimachinery does (`UnsafeGuessKindToResource`), except for English
/// plurals that authors of CRDs use: `gateways`, `meshes`.
pub fn guess_plural(singular: &str) -> String {
    let hisses = ["s", "x", "ch", "sh"].iter().any(|ending| singular.ends_with(ending));
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if hisses => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_every_name_that_kubectl_accepts() {
        let kind = ResourceKind {
            group: "database.aws.crossplane.io".into(),
            version: "v1beta1".into(),
            kind: "RDSInstance".into(),
            plural: "rdsinstances".into(),
            aliases: vec!["rdsinstance".into(), "rds".into()],
            scope: ResourceScope::Cluster,
            categories: BTreeSet::from(["managed".to_owned()]),
            reporting: StatusReporting::default(),
        };
        for name in [
            "RDSInstance",
            "rdsinstances",
            "rds",
            "rdsinstance.database",
            "rdsinstance.database.aws.crossplane.io",
            "rdsinstances.v1beta1.database.aws.crossplane.io",
        ] {
            assert!(kind.is_called(name), "{name}");
        }
        for name in ["rdsinstance.data", "instance", "rdsinstance.aws.crossplane.io"] {
            assert!(!kind.is_called(name), "{name}");
        }
        assert_eq!(
            ["policy", "address", "bucket", "internetgateway", "mesh"].map(guess_plural),
            ["policies", "addresses", "buckets", "internetgateways", "meshes"]
        );
        assert_eq!(kind.path(Some("a")).to_string(), "/apis/database.aws.crossplane.io/v1beta1/rdsinstances");
    }
}
