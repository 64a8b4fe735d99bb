//! Paths of requests.

/// What a path of the API addresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ApiPath<'a> {
    /// `/version`.
    Version,
    /// `/healthz`, `/livez`, `/readyz`.
    Health,
    /// `/api`.
    CoreVersions,
    /// `/apis`.
    Groups,
    /// `/apis/GROUP`.
    Group(&'a str),
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    GroupVersion(&'a str, &'a str),
    /// `/openapi/v3`.
    OpenApiIndex,
    /// `/openapi/v3/api/v1` or `/openapi/v3/apis/GROUP/VERSION`.
    OpenApi(&'a str, &'a str),
    /// A collection or an object.
    Objects(ObjectPath<'a>),
}

/// The address of a collection or of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ObjectPath<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) plural: &'a str,
    pub(super) namespace: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    /// Such as `status`; the collection itself has none.
    pub(super) subresource: Option<&'a str>,
}

impl<'a> ApiPath<'a> {
    /// Parses a path; `None` if the API has no such path.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        Some(match segments.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz", ..] => Self::Health,
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group(group),
            ["api", version] => Self::GroupVersion("", version),
            ["apis", group, version] => Self::GroupVersion(group, version),
            ["openapi", "v3"] => Self::OpenApiIndex,
            ["openapi", "v3", "api", version] => Self::OpenApi("", version),
            ["openapi", "v3", "apis", group, version] => Self::OpenApi(group, version),
            ["api", version, rest @ ..] => Self::Objects(ObjectPath::parse("", version, rest)?),
            ["apis", group, version, rest @ ..] => Self::Objects(ObjectPath::parse(group, version, rest)?),
            _ => return None,
        })
    }
}

impl<'a> ObjectPath<'a> {
    fn parse(group: &'a str, version: &'a str, rest: &[&'a str]) -> Option<Self> {
        /// Subresources of a Namespace; other words are the plurals of what is in it.
        const OF_NAMESPACES: [&str; 2] = ["status", "finalize"];
        let (namespace, rest) = match rest {
            ["namespaces", _, subresource] if OF_NAMESPACES.contains(subresource) => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            _ => (None, rest),
        };
        let (plural, name, subresource) = match rest {
            [plural] => (plural, None, None),
            [plural, name] => (plural, Some(*name), None),
            [plural, name, subresource] => (plural, Some(*name), Some(*subresource)),
            _ => return None,
        };
        Some(Self { group, version, plural, namespace, name, subresource })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_objects_and_contain_objects() {
        let object = |path| match ApiPath::parse(path) {
            Some(ApiPath::Objects(path)) => (path.plural, path.namespace, path.name, path.subresource),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(object("/api/v1/namespaces"), ("namespaces", None, None, None));
        assert_eq!(object("/api/v1/namespaces/a"), ("namespaces", None, Some("a"), None));
        assert_eq!(object("/api/v1/namespaces/a/status"), ("namespaces", None, Some("a"), Some("status")));
        assert_eq!(object("/api/v1/namespaces/a/pods"), ("pods", Some("a"), None, None));
        assert_eq!(object("/apis/apps/v1/namespaces/a/deployments/b"), ("deployments", Some("a"), Some("b"), None));
        assert_eq!(object("/apis/x.io/v1/things/b/scale"), ("things", None, Some("b"), Some("scale")));
        assert_eq!(ApiPath::parse("/apis/x.io"), Some(ApiPath::Group("x.io")));
        for path in ["/", "/metrics", "/api/v1/a/b/c/d", "/openapi/v2"] {
            assert_eq!(ApiPath::parse(path), None, "{path}");
        }
    }
}
