//! Rules of AppProjects: the sources, clusters, namespaces and kinds that they permit their Applications
//! (`app_project_types.go` of Argo CD 3.5).

use serde_json::Value;

use crate::model::glob::{LONGEST_PATTERN, any_known, matches_if_known, matches_within_segments};
use crate::model::object::ObjectName;

/// The kind of the projects.
pub const PROJECT: &str = "AppProject";

/// The answer of a project's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectPermission {
    /// The rules permit it.
    Permitted,
    /// The rules forbid it.
    Forbidden,
    /// The rules use patterns or facts that are not covered here.
    Unknown,
}

/// A cluster as Argo CD knows it; `None` where the name or the server is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DestinationCluster<'a> {
    /// The name of its registration.
    pub name: Option<&'a str>,
    /// The URL of its API server.
    pub server: Option<&'a str>,
}

impl DestinationCluster<'static> {
    /// The cluster in which Argo CD runs.
    pub const HERE: Self = Self { name: Some("in-cluster"), server: Some("https://kubernetes.default.svc") };
}

/// The rules of one project.
#[derive(Debug, Clone, Copy)]
pub struct ProjectRules<'a> {
    spec: &'a Value,
}

impl<'a> ProjectRules<'a> {
    /// Reads the rules of an AppProject; `None` if it has no spec.
    pub fn from_project(project: &'a Value) -> Option<Self> {
        Some(Self { spec: project.get("spec")? })
    }

    /// Returns whether an object may be deployed to a cluster, or deleted there (`IsResourcePermitted`).
    pub fn object_permission(&self, object: &ObjectName, cluster: DestinationCluster<'_>) -> ProjectPermission {
        let kind = self.kind_permission(object);
        match (&object.namespace, kind) {
            (Some(namespace), ProjectPermission::Permitted) => self.destination_permission(cluster, namespace),
            _ => kind,
        }
    }

    /// Returns whether objects of a kind are permitted (`IsGroupKindNamePermitted`).
    fn kind_permission(&self, object: &ObjectName) -> ProjectPermission {
        let (allowed, denied) = match object.namespace {
            Some(_) => ("namespaceResourceWhitelist", "namespaceResourceBlacklist"),
            None => ("clusterResourceWhitelist", "clusterResourceBlacklist"),
        };
        let is_in = |items: &[Value]| any_known(items.iter().map(|item| matches_kind(item, object)));
        let is_allowed = match self.list(allowed) {
            None => Some(object.namespace.is_some()),
            Some(items) => is_in(items),
        };
        let is_denied = self.list(denied).map_or(Some(false), is_in);
        permission(all([is_allowed, negated(is_denied)]))
    }

    /// Returns whether objects may be deployed to a namespace of a cluster (`IsDestinationPermitted`): a pattern that begins with
    /// `!` excludes.
    pub fn destination_permission(&self, cluster: DestinationCluster<'_>, namespace: &str) -> ProjectPermission {
        let (mut is_matched, mut may_match, mut may_be_excluded) = (false, false, false);
        for item in self.list("destinations").unwrap_or_default() {
            let (name, server, space) = (text(item, "name"), text(item, "server"), text(item, "namespace"));
            let by_name = matches_or_excludes(name, cluster.name);
            let by_server = matches_or_excludes(server, cluster.server);
            let by_namespace = matches_or_excludes(space, Some(namespace));
            let by_cluster = any_known([by_name, by_server]);
            let excludes = |pattern: &str, is_matched: Option<bool>| {
                if pattern.starts_with('!') { negated(is_matched) } else { Some(false) }
            };
            let is_excluded = any_known([
                excludes(name, by_name),
                all([excludes(server, by_server), by_namespace]),
                all([excludes(space, by_namespace), by_server]),
            ]);
            match (all([by_cluster, by_namespace]), is_excluded) {
                (Some(true), _) => is_matched = true,
                (Some(false), Some(true)) => return ProjectPermission::Forbidden,
                (Some(false), Some(false)) => {}
                (Some(false), None) => may_be_excluded = true,
                (None, excluded) => {
                    may_match = true;
                    may_be_excluded |= excluded != Some(false);
                }
            }
        }
        let is_limited = self.spec.get("permitOnlyProjectScopedClusters").and_then(Value::as_bool) == Some(true);
        match () {
            () if may_be_excluded || !is_matched && may_match => ProjectPermission::Unknown,
            () if !is_matched => ProjectPermission::Forbidden,
            () if is_limited => ProjectPermission::Unknown,
            () => ProjectPermission::Permitted,
        }
    }

    /// Returns whether Applications may use a repository (`IsSourcePermitted`).
    pub fn source_permission(&self, url: &str) -> ProjectPermission {
        let url = normalized_url(url);
        let (mut is_matched, mut may_match) = (false, false);
        for pattern in self.list("sourceRepos").unwrap_or_default().iter().filter_map(Value::as_str) {
            let (excludes, pattern) = match pattern.strip_prefix('!') {
                Some(excluded) => (true, excluded),
                None => (false, pattern),
            };
            let pattern = normalized_url(pattern);
            // Go encodes some of these characters.
            let is_covered =
                !pattern.contains(['[', ']', '{', '}', '\\', '%', ' ']) && pattern.len() <= LONGEST_PATTERN;
            match (is_covered, excludes, (!excludes && pattern == "*") || matches_within_segments(&pattern, &url)) {
                (false, true, _) => return ProjectPermission::Unknown,
                (false, false, _) => may_match = true,
                (true, true, true) => return ProjectPermission::Forbidden,
                (true, ..) if excludes => is_matched = true,
                (true, _, matches) => is_matched |= matches,
            }
        }
        match (is_matched, may_match) {
            (true, _) => ProjectPermission::Permitted,
            (false, true) => ProjectPermission::Unknown,
            (false, false) => ProjectPermission::Forbidden,
        }
    }

    /// Returns whether Applications may be in a namespace other than Argo CD's (`IsAppNamespacePermitted`).
    pub fn application_namespace_permission(&self, namespace: &str) -> ProjectPermission {
        let patterns = self.list("sourceNamespaces").unwrap_or_default().iter().filter_map(Value::as_str);
        permission(any_known(patterns.map(|pattern| {
            match pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/') {
                true => None,
                false => matches_if_known(pattern, namespace),
            }
        })))
    }

    /// Returns the entry of `destinationServiceAccounts` for a server and the namespace of an Application's destination; `None`
    /// if no entry matches (`DeriveServiceAccountToImpersonate`).
    ///
    /// # Errors
    /// Fails when a pattern or the server is not covered.
    pub fn service_account(&self, server: Option<&str>, namespace: &str) -> Result<Option<&'a str>, UncoveredPattern> {
        for item in self.list("destinationServiceAccounts").unwrap_or_default() {
            let by_server = match (text(item, "server"), server) {
                ("*", _) => Some(true),
                (pattern, Some(server)) => matches_if_known(pattern, server),
                (_, None) => None,
            };
            match all([by_server, matches_if_known(text(item, "namespace"), namespace)]) {
                Some(true) => return Ok(Some(text(item, "defaultServiceAccount"))),
                Some(false) => {}
                None => return Err(UncoveredPattern),
            }
        }
        Ok(None)
    }

    fn list(&self, field: &str) -> Option<&'a [Value]> {
        self.spec.get(field).and_then(Value::as_array).map(Vec::as_slice)
    }
}

/// A rule whose pattern is not covered here, or whose subject is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UncoveredPattern;

fn permission(is_permitted: Option<bool>) -> ProjectPermission {
    match is_permitted {
        Some(true) => ProjectPermission::Permitted,
        Some(false) => ProjectPermission::Forbidden,
        None => ProjectPermission::Unknown,
    }
}

fn text<'a>(item: &'a Value, field: &str) -> &'a str {
    item.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn matches_kind(item: &Value, object: &ObjectName) -> Option<bool> {
    // Only the lists for cluster-scoped objects have names.
    let name = Some(text(item, "name")).filter(|name| !name.is_empty() && object.namespace.is_none());
    let by_kind = matches_if_known(text(item, "kind"), &object.kind);
    let by_group = matches_if_known(text(item, "group"), object.group());
    all([by_kind, by_group, name.map_or(Some(true), |name| matches_if_known(name, &object.name))])
}

/// Like [`matches_if_known`], for a pattern that may exclude and a text that may not be known.
fn matches_or_excludes(pattern: &str, text: Option<&str>) -> Option<bool> {
    match (pattern.strip_prefix('!'), text) {
        (Some(excluded), _) => negated(matches_or_excludes(excluded, text)),
        (None, _) if pattern == "*" => Some(true),
        (None, _) if pattern.is_empty() => Some(false),
        (None, Some(text)) => matches_if_known(pattern, text),
        (None, None) => None,
    }
}

fn negated(value: Option<bool>) -> Option<bool> {
    value.map(|value| !value)
}

/// Returns true if all values are, `None` if that depends on unknown values.
fn all(values: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    negated(any_known(values.into_iter().map(negated)))
}

/// Returns a URL in the form that Argo CD compares (`NormalizeGitURL`).
fn normalized_url(url: &str) -> String {
    let mut url = url.trim().to_lowercase();
    // `git@host:path`
    let is_ssh = url.split_once('@').is_some_and(|(user, _)| !user.contains(['/', ':']));
    if is_ssh {
        url = url.replacen(':', "/", 1);
    }
    url.strip_suffix(".git").unwrap_or(&url).trim_start_matches("ssh://").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ProjectPermission::{Forbidden, Permitted, Unknown};
    use super::*;

    fn object(kind: &str, namespace: Option<&str>) -> ObjectName {
        let (api_version, kind) = kind.rsplit_once('/').unwrap_or(("v1", kind));
        ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: "a".to_owned(),
        }
    }

    #[test]
    fn kinds_are_permitted_as_argo_cd_permits_them() {
        let open = json!({"destinations": [{"server": "*", "namespace": "*"}]});
        let with = |more: Value| {
            let mut project = open.clone();
            more.as_object().unwrap().iter().for_each(|(key, value)| project[key] = value.clone());
            json!({"spec": project})
        };
        let kinds = |items: &[(&str, &str)]| -> Vec<Value> {
            items.iter().map(|(group, kind)| json!({"group": group, "kind": kind})).collect()
        };
        for (spec, kind, namespace, expected) in [
            (json!({}), "ConfigMap", Some("web"), Permitted),
            (json!({}), "Namespace", None, Forbidden),
            (json!({"clusterResourceWhitelist": kinds(&[("*", "*")])}), "Namespace", None, Permitted),
            (
                json!({"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "b*"}]}),
                "Namespace",
                None,
                Forbidden,
            ),
            (
                json!({"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "a*"}]}),
                "Namespace",
                None,
                Permitted,
            ),
            (json!({"namespaceResourceWhitelist": []}), "ConfigMap", Some("web"), Forbidden),
            (json!({"namespaceResourceBlacklist": kinds(&[("", "Secret")])}), "Secret", Some("web"), Forbidden),
            (
                json!({"namespaceResourceBlacklist": kinds(&[("{apps,batch}", "*")])}),
                "apps/v1/Deployment",
                Some("web"),
                Forbidden,
            ),
            (
                json!({"namespaceResourceBlacklist": kinds(&[("[a-z]*", "*")])}),
                "apps/v1/Deployment",
                Some("web"),
                Unknown,
            ),
        ] {
            let project = with(spec.clone());
            let rules = ProjectRules::from_project(&project).unwrap();
            let found = rules.object_permission(&object(kind, namespace), DestinationCluster::HERE);
            assert_eq!(found, expected, "{spec} {kind}");
        }
    }

    #[test]
    fn destinations_are_permitted_as_argo_cd_permits_them() {
        let prod = DestinationCluster { name: Some("prod"), server: Some("https://prod") };
        let by_name = DestinationCluster { name: Some("prod"), server: None };
        for (destinations, cluster, expected) in [
            (json!([]), prod, Forbidden),
            (json!([{"server": "https://prod", "namespace": "web"}]), prod, Permitted),
            (json!([{"server": "https://prod", "namespace": "we*"}]), by_name, Unknown),
            (json!([{"server": "https://prod", "namespace": "api"}]), by_name, Forbidden),
            (json!([{"name": "prod", "namespace": "web"}]), by_name, Permitted),
            (
                json!([{"server": "*", "namespace": "*"}, {"server": "*", "namespace": "!kube-system"}]),
                by_name,
                Permitted,
            ),
            (json!([{"server": "*", "namespace": "*"}, {"server": "*", "namespace": "!web"}]), by_name, Forbidden),
            (
                json!([{"server": "*", "namespace": "*"}, {"server": "!https://prod", "namespace": "*"}]),
                prod,
                Forbidden,
            ),
            (
                json!([{"server": "*", "namespace": "*"}, {"server": "!https://prod", "namespace": "*"}]),
                by_name,
                Unknown,
            ),
            (json!([{"name": "!prod", "namespace": "*"}, {"server": "*", "namespace": "*"}]), prod, Forbidden),
        ] {
            let project = json!({"spec": {"destinations": destinations}});
            let rules = ProjectRules::from_project(&project).unwrap();
            assert_eq!(rules.destination_permission(cluster, "web"), expected, "{project} {cluster:?}");
        }
    }

    /// Cases of `TestAppProject_IsSourcePermitted` and `TestAppProject_IsNegatedSourcePermitted`.
    #[test]
    fn sources_are_permitted_as_argo_cd_permits_them() {
        for (patterns, url, expected) in [
            (&["*"][..], "https://github.com/argoproj/test.git", Permitted),
            (&["ssh://git@GITHUB.com:argoproj/test"], "ssh://git@github.com:argoproj/test", Permitted),
            (&["git@github.com:argoproj/*"], "ssh://git@github.com/argoproj/test.git", Permitted),
            (&["https://github.com/argoproj/*"], "https://github.com/argoproj/argoproj.git", Permitted),
            (&["https://github.com/argoproj/*.git"], "https://github.com/argoproj1/test2.git", Forbidden),
            (&["https://github.com/argoproj/foo"], "https://github.com/argoproj/foo1", Forbidden),
            (&["https://gitlab.com/group/*"], "https://gitlab.com/group/repo/owner", Forbidden),
            (&["https://gitlab.com/group/*/*"], "https://gitlab.com/group/repo/owner", Permitted),
            (&["https://gitlab.com/group/**"], "https://gitlab.com/group/sub-group/repo/owner", Permitted),
            (&["!https://github.com/argoproj/test.git"], "https://github.com/argoproj/test.git", Forbidden),
            (&["!https://github.com/argoproj/foo*"], "https://github.com/argoproj/foo1", Forbidden),
            (&["!https://gitlab.com/group/*/*/*"], "https://gitlab.com/group/sub-group/repo/owner", Forbidden),
            (&["!https://github.com/argoproj/*.git", "*"], "https://github.com/argoproj1/test2.git", Permitted),
            (&["https://github.com/{a,b}/*"], "https://github.com/a/c", Unknown),
            (&[], "https://github.com/a/c", Forbidden),
        ] {
            let project = json!({"spec": {"sourceRepos": patterns}});
            let rules = ProjectRules::from_project(&project).unwrap();
            assert_eq!(rules.source_permission(url), expected, "{patterns:?} {url}");
        }
    }

    #[test]
    fn an_excessively_long_pattern_is_not_evaluated() {
        let long = "*".repeat(1 << 20);
        let project = json!({"spec": {"sourceRepos": [long], "destinations": [{"server": long, "namespace": "*"}]}});
        let rules = ProjectRules::from_project(&project).unwrap();
        assert_eq!(rules.source_permission("https://git.example.org/a"), Unknown);
        assert_eq!(rules.destination_permission(DestinationCluster::HERE, "web"), Unknown);
    }

    #[test]
    fn the_first_matching_service_account_is_used() {
        let project = json!({"spec": {"destinationServiceAccounts": [
            {"server": "https://prod", "namespace": "web", "defaultServiceAccount": "deployer"},
            {"server": "*", "namespace": "*", "defaultServiceAccount": "argocd:other"},
        ]}});
        let rules = ProjectRules::from_project(&project).unwrap();
        assert_eq!(rules.service_account(Some("https://prod"), "web"), Ok(Some("deployer")));
        assert_eq!(rules.service_account(Some("https://stage"), "web"), Ok(Some("argocd:other")));
        assert_eq!(rules.service_account(None, "web"), Err(UncoveredPattern));
        assert_eq!(rules.service_account(None, "api"), Ok(Some("argocd:other")));
    }
}
