//! Settings of an Argo CD that apply to all of its Applications: ConfigMap `argocd-cm`.

use serde_json::Value;

use ucp_client::prediction::ignore::IgnoreRule;
use ucp_client::source::snapshot::yaml;
use ucp_core::model::body::argocd::IgnoreDifferences;
use ucp_core::model::health_rule::ownership::OwnershipSettings;

/// Prefix of the keys that ignore differences.
const IGNORE: &str = "resource.customizations.ignoreDifferences.";

/// Settings of one Argo CD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgoSettings {
    /// The label that marks its objects, if it tracks them by label.
    pub instance_label: Option<String>,
    /// Differences that are ignored in all Applications.
    pub ignored: Vec<IgnoreRule>,
    /// Whether syncs have the rights of the `destinationServiceAccounts` of AppProjects.
    pub impersonation: SyncImpersonation,
}

/// Whether syncs have the rights of the `destinationServiceAccounts` of AppProjects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncImpersonation {
    /// They have those of Argo CD.
    #[default]
    Off,
    /// They have those of Argo CD where no account is named.
    Named,
    /// Syncs fail where no account is named.
    Enforced,
}

impl ArgoSettings {
    /// Reads `argocd-cm`.
    pub fn from_config_map(config_map: &Value) -> Self {
        let data = config_map.get("data").and_then(Value::as_object);
        let text = |key: &str| data.and_then(|data| data.get(key)?.as_str()).unwrap_or_default();
        let is_labelled = text("application.resourceTrackingMethod").contains("label");
        let instance_label = data.filter(|_| is_labelled).map(|data| OwnershipSettings::from_data(data).label);
        let rules = data.into_iter().flatten().filter_map(|(key, value)| {
            let kinds = key.strip_prefix(IGNORE)?;
            let fields = yaml::parse_document(key, value.as_str()?.as_bytes()).ok()?;
            let fields: IgnoreDifferences = serde_json::from_value(fields).ok()?;
            let (group, kind) = match kinds {
                "all" => ("*", "*"),
                kinds => kinds.rsplit_once('_').unwrap_or(("", kinds)),
            };
            Some(IgnoreRule::from(&IgnoreDifferences { group: group.to_owned(), kind: kind.to_owned(), ..fields }))
        });
        let impersonation =
            match (text("application.sync.impersonation.enabled"), text("application.sync.impersonation.enforced")) {
                ("true", "" | "true") => SyncImpersonation::Enforced,
                ("true", _) => SyncImpersonation::Named,
                _ => SyncImpersonation::Off,
            };
        Self { instance_label, ignored: rules.collect(), impersonation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_client::prediction::ignore::IgnoredFields;

    #[test]
    fn settings_are_read_as_argo_cd_reads_them() {
        let settings = ArgoSettings::from_config_map(&json!({"data": {
            "application.resourceTrackingMethod": "annotation+label",
            "resource.customizations.ignoreDifferences.all": "managedFieldsManagers:\n- kube-controller-manager\n",
            "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]",
        }}));
        assert_eq!(settings.instance_label.as_deref(), Some("app.kubernetes.io/instance"));
        assert_eq!(settings.ignored[0].fields, [IgnoredFields::Manager("kube-controller-manager".into())]);
        assert_eq!(
            (settings.ignored[1].group.as_deref(), settings.ignored[1].kind.as_deref()),
            (Some("apps"), Some("Deployment"))
        );
        assert_eq!(ArgoSettings::from_config_map(&json!({})), ArgoSettings::default());
    }
}
