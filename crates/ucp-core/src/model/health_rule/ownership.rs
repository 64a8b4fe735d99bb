//! Settings of `argocd-cm` that decide which objects an Argo CD regards as its own, and deletes with their Application
//! (`util/argo/resource_tracking.go` and `util/settings` of Argo CD 3.5).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::glob::{any_known, matches_if_known};
use crate::model::secrecy::is_hidden_value;
use crate::model::weight::from_yaml;

/// The label by which an Argo CD marks its objects unless its settings name another one.
pub const INSTANCE_LABEL: &str = "app.kubernetes.io/instance";

/// How an Argo CD marks its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackingMethod {
    /// By its annotation, with or without the label.
    Annotation,
    /// By the label alone.
    Label,
}

/// Whether Applications may deploy to the cluster in which Argo CD runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnCluster {
    /// They may.
    Enabled,
    /// They may not: `cluster.inClusterEnabled`.
    Disabled,
    /// The setting is hidden in a snapshot.
    Unknown,
}

/// The settings of one Argo CD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnershipSettings {
    /// `application.resourceTrackingMethod`; `None` for the default of its version.
    pub tracking: Option<TrackingMethod>,
    /// `application.instanceLabelKey`.
    pub label: String,
    /// `installationID`, which is empty by default; `None` if it is hidden in a snapshot.
    pub installation: Option<String>,
    /// Whether Applications may deploy to the cluster in which Argo CD runs.
    pub own_cluster: OwnCluster,
    /// `resource.exclusions`; `None` if they are malformed: Argo CD continues with earlier ones.
    exclusions: Option<Vec<KindFilter>>,
    /// `resource.inclusions`.
    inclusions: Option<Vec<KindFilter>>,
}

/// An entry of a list of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct KindFilter {
    api_groups: Vec<String>,
    kinds: Vec<String>,
    clusters: Vec<String>,
}

/// Kinds that Argo CD never watches: the group, and the kind if it is not the whole group.
const NEVER_WATCHED: [(&str, Option<&str>); 4] =
    [("events.k8s.io", None), ("metrics.k8s.io", None), ("", Some("Event")), ("coordination.k8s.io", Some("Lease"))];

impl OwnershipSettings {
    /// Reads the data of `argocd-cm`.
    pub fn from_data(data: &Map<String, Value>) -> Self {
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let tracking = match text("application.resourceTrackingMethod") {
            "" => None,
            "label" => Some(TrackingMethod::Label),
            _ => Some(TrackingMethod::Annotation),
        };
        let label = match text("application.instanceLabelKey") {
            "" => INSTANCE_LABEL,
            key => key,
        };
        let installation = text("installationID");
        let filters = |key: &str| match text(key) {
            "" => Some(Vec::new()),
            list => from_yaml(list).ok(),
        };
        Self {
            tracking,
            label: label.to_owned(),
            installation: (!is_hidden_value(installation)).then(|| installation.to_owned()),
            own_cluster: match text("cluster.inClusterEnabled") {
                "false" => OwnCluster::Disabled,
                other if is_hidden_value(other) => OwnCluster::Unknown,
                _ => OwnCluster::Enabled,
            },
            exclusions: filters("resource.exclusions"),
            inclusions: filters("resource.inclusions"),
        }
    }

    /// Returns whether Argo CD watches a kind (`IsExcludedResource`); `None` if that is not known. An entry for some clusters
    /// names them by the URL that Argo CD connects to, which for its own cluster is an address.
    pub fn watches(&self, group: &str, kind: &str) -> Option<bool> {
        let is_never = |(of, only): &(&str, Option<&str>)| *of == group && only.is_none_or(|only| only == kind);
        if NEVER_WATCHED.iter().any(is_never) {
            return Some(false);
        }
        let (exclusions, inclusions) = (self.exclusions.as_ref()?, self.inclusions.as_ref()?);
        let any = |filters: &[KindFilter], matches: &dyn Fn(&KindFilter) -> Option<bool>| {
            any_known(filters.iter().map(matches))
        };
        let matches = |filter: &KindFilter| filter.matches(group, kind);
        match (any(exclusions, &matches), any(inclusions, &matches)) {
            (Some(true), _) => Some(false),
            (None, _) => None,
            (Some(false), Some(true)) => Some(true),
            (Some(false), included) => match any(inclusions, &|filter| filter.is_for_all_clusters()) {
                Some(false) => Some(true),
                is_limited => is_limited.and(included),
            },
        }
    }
}

impl KindFilter {
    fn matches(&self, group: &str, kind: &str) -> Option<bool> {
        let by_kind = self.kinds.is_empty() || self.kinds.iter().any(|one| one == "*" || one == kind);
        let by_group = match self.api_groups.is_empty() {
            true => Some(true),
            false => any_known(self.api_groups.iter().map(|pattern| matches_if_known(pattern, group))),
        };
        match (by_kind, by_group) {
            (false, _) | (_, Some(false)) => Some(false),
            (true, None) => None,
            (true, Some(true)) => self.is_for_all_clusters(),
        }
    }

    /// Returns true for all clusters; `None` for some of them.
    fn is_for_all_clusters(&self) -> Option<bool> {
        (self.clusters.is_empty() || self.clusters.iter().any(|one| one == "*")).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn watches(exclusions: &str, inclusions: &str, group: &str, kind: &str) -> Option<bool> {
        let data = json!({"resource.exclusions": exclusions, "resource.inclusions": inclusions});
        OwnershipSettings::from_data(data.as_object().unwrap()).watches(group, kind)
    }

    #[test]
    fn kinds_are_watched_as_argo_cd_watches_them() {
        let all = "- apiGroups: ['*.upbound.io']\n  kinds: ['*']\n  clusters: ['*']\n";
        let some = "- apiGroups: ['*.upbound.io']\n  clusters: ['https://192.0.2.1']\n";
        for (exclusions, inclusions, kind, expected) in [
            ("", "", ("s3.aws.upbound.io", "Bucket"), Some(true)),
            ("", "", ("", "Event"), Some(false)),
            (all, "", ("s3.aws.upbound.io", "Bucket"), Some(false)),
            (all, "", ("apps", "Deployment"), Some(true)),
            (all, all, ("s3.aws.upbound.io", "Bucket"), Some(false)),
            (some, "", ("s3.aws.upbound.io", "Bucket"), None),
            (some, "", ("apps", "Deployment"), Some(true)),
            ("", all, ("s3.aws.upbound.io", "Bucket"), Some(true)),
            ("", all, ("apps", "Deployment"), Some(false)),
            ("", some, ("apps", "Deployment"), None),
            ("- apiGroups: ['[a-z]*']\n", "", ("apps", "Deployment"), None),
            ("- kinds: [Secret]\n", "", ("", "Secret"), Some(false)),
            ("- kinds: {", "", ("", "Secret"), None),
        ] {
            assert_eq!(watches(exclusions, inclusions, kind.0, kind.1), expected, "{exclusions} {inclusions} {kind:?}");
        }
    }

    #[test]
    fn settings_of_an_argo_cd_are_read() {
        let read = |data: Value| OwnershipSettings::from_data(data.as_object().unwrap());
        let defaults = read(json!({}));
        assert_eq!((defaults.tracking, defaults.own_cluster), (None, OwnCluster::Enabled));
        assert_eq!(
            (defaults.label.as_str(), defaults.installation.as_deref()),
            ("app.kubernetes.io/instance", Some(""))
        );
        let hidden = read(json!({"installationID": "<hidden 1>", "cluster.inClusterEnabled": "<hidden 2>"}));
        assert_eq!((hidden.installation, hidden.own_cluster), (None, OwnCluster::Unknown));
        let both = read(json!({"application.resourceTrackingMethod": "annotation+label"}));
        assert_eq!(both.tracking, Some(TrackingMethod::Annotation));
    }
}
