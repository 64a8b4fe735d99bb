//! Whether an Argo CD regards an object as one of an Application, and deletes it with that (`GetManagedLiveObjs`).

use super::argocd_settings::{Ownership, home, settings};
use super::clusters;
use ucp_core::engine::controller::{ComponentName, Workloads, version_of};
use ucp_core::model::body::argocd::{Application, DeployedResource};
use ucp_core::model::health_rule::ownership::{INSTANCE_LABEL, TrackingMethod};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Annotation by which Argo CD finds its objects.
const TRACKING: &str = "argocd.argoproj.io/tracking-id";
/// Annotation with the ID of the Argo CD that applied an object.
const INSTALLATION: &str = "argocd.argoproj.io/installation-id";
/// The first version that tracks by annotation unless its settings tell otherwise.
const BY_ANNOTATION: u64 = 3;

/// Returns whether the Argo CD of an Application regards an object in its own cluster as one of the Application.
pub(super) fn ownership(state: &ClusterState, by: &Resource, application: &Application, child: &Resource) -> Ownership {
    let settings = settings(state, application);
    let (group, kind) = (&child.kind.group, &child.kind.kind);
    match settings.map_or(Some(true), |settings| settings.watches(group, kind)) {
        Some(true) => {}
        Some(false) => {
            return Ownership::Foreign(format!(
                "resource.exclusions or resource.inclusions of argocd-cm hide {kind} from Argo CD"
            ));
        }
        None => {
            return Ownership::Unknown(format!("whether settings in argocd-cm hide {kind} from Argo CD is unknown"));
        }
    }
    match clusters::own_cluster_reach(state, home(state, application), child) {
        Ownership::Its => {}
        other => return other,
    }
    let names = instance_names(state, by, application);
    let label = settings.map_or(INSTANCE_LABEL, |settings| settings.label.as_str());
    let is_labelled = child.metadata.label(label).is_some_and(|value| names.iter().any(|name| name == value));
    let method = settings.and_then(|settings| settings.tracking).or_else(|| default_method(state, application));
    match (method, child.metadata.annotation(TRACKING)) {
        (Some(TrackingMethod::Label), _) if is_labelled => Ownership::Its,
        (Some(TrackingMethod::Label), _) => {
            Ownership::Foreign(format!("Argo CD tracks by label {label}, which does not name its Application"))
        }
        (_, Some(id)) => by_annotation(&names, id, settings.map(|settings| settings.installation.as_deref()), child),
        (Some(TrackingMethod::Annotation), None) => {
            Ownership::Foreign(format!("it has no annotation {TRACKING}, by which Argo CD finds its objects"))
        }
        (None, None) if is_labelled => Ownership::Unknown(format!(
            "it has label {label} and no annotation {TRACKING}, and whether Argo CD tracks by label is unknown"
        )),
        (None, None) => unmarked(by, application, child),
    }
}

/// Returns the names by which Argo CD refers to an Application: with the namespace if that is not its own (`InstanceName`).
fn instance_names(state: &ClusterState, by: &Resource, application: &Application) -> Vec<String> {
    let (name, own) = (&by.metadata.name, by.metadata.namespace.as_deref().unwrap_or_default());
    let outside = format!("{own}_{name}");
    match home(state, application) {
        Some(home) if home == own => vec![name.clone()],
        Some(_) => vec![outside],
        None => vec![name.clone(), outside],
    }
}

/// Returns how the version of an Argo CD tracks by default.
fn default_method(state: &ClusterState, application: &Application) -> Option<TrackingMethod> {
    let workloads = Workloads::from_state(state);
    let controllers = workloads.component(ComponentName { engine: "argocd", name: "application-controller" });
    let home = home(state, application);
    let mut own = controllers.into_iter().filter(|one| home.is_none() || one.metadata.namespace.as_deref() == home);
    let version = own.find_map(version_of)?;
    let major: u64 = version.trim_start_matches('v').split('.').next()?.parse().ok()?;
    Some(if major < BY_ANNOTATION { TrackingMethod::Label } else { TrackingMethod::Annotation })
}

/// Returns whether a tracking ID names an Application, `<application>:<group>/<kind>:<namespace>/<name>`, for the right Argo CD.
/// `installation` is that of the settings if they were read; the inner `None` if it is hidden.
fn by_annotation(names: &[String], id: &str, installation: Option<Option<&str>>, child: &Resource) -> Ownership {
    let parts: Vec<&str> = id.splitn(3, ':').collect();
    let is_pair = |part: &&str| part.matches('/').count() == 1;
    if parts.len() != 3 || !parts[1..].iter().all(is_pair) {
        return Ownership::Foreign(format!("annotation {TRACKING} is malformed"));
    }
    if !names.iter().any(|name| name == parts[0]) {
        return Ownership::Foreign(format!("annotation {TRACKING} names Application {}", parts[0]));
    }
    let found = child.metadata.annotation(INSTALLATION).unwrap_or_default();
    match installation {
        None => Ownership::Its,
        Some(None) => Ownership::Unknown("installationID of argocd-cm is hidden".to_owned()),
        Some(Some(own)) if own == found => Ownership::Its,
        Some(Some(_)) => {
            Ownership::Foreign(format!("annotation {INSTALLATION} does not have the installationID of argocd-cm"))
        }
    }
}

/// Returns whether an object without any mark is one of an Application, if the method is not known: Argo CD lists those that
/// it never applied as out of sync. The key of the label is a setting.
fn unmarked(by: &Resource, application: &Application, child: &Resource) -> Ownership {
    let key = child.key();
    let is_child = |one: &&DeployedResource| ObjectKey::from(&one.object()) == key;
    let is_applied = application.status.resources.iter().find(is_child).is_none_or(|one| one.status == "Synced");
    let is_labelled = child.metadata.labels.iter().any(|(_, value)| value == by.metadata.name);
    match is_applied || is_labelled {
        true => Ownership::Its,
        false => Ownership::Foreign(format!(
            "its Application did not apply it: it has neither annotation {TRACKING} nor its label"
        )),
    }
}
