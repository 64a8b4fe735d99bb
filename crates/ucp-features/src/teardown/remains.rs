//! External resources that an app cluster leaves behind when it is deleted from outside: load balancers of Services,
//! and disks of PersistentVolumes. The controllers that would delete them are deleted with the cluster.

use jiff::Timestamp;
use serde_json::Value;

use super::steps::TeardownStep;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest, NamespaceReach};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::ClusterState;

/// Returns the data to read of a kind of an app cluster.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_asked = kind.group.is_empty() && matches!(kind.kind.as_str(), "Service" | "PersistentVolume");
    is_asked.then(|| KindRequest {
        keep: KeepAmount::Whole,
        reach: NamespaceReach::Everywhere,
        ..KindRequest::all(BodyShape::Conditions)
    })
}

/// An external resource that remains.
#[derive(Debug, Clone)]
pub struct RemainingExternal {
    /// The app cluster that it was created for.
    pub cluster: String,
    /// Its object in the app cluster.
    pub object: ObjectName,
    /// Its external name or address, if it has one.
    pub external: Option<String>,
    /// The reason why it remains.
    pub reason: &'static str,
    /// Creation time of the object.
    pub since: Option<Timestamp>,
    /// Commands that delete it, to be run in the app cluster before that is deleted.
    commands: Vec<String>,
}

/// Returns all external resources that an app cluster leaves behind when the object that provisions it is deleted.
pub fn remaining_externals(cluster: &str, maker: &ObjectName, contents: &ClusterState) -> Vec<RemainingExternal> {
    let is_azure = maker.group().contains("azure");
    let left = contents.resources.iter().filter_map(|resource| {
        let whole = resource.whole.as_deref()?;
        let object = resource.name();
        let (external, reason, commands) = match resource.kind.kind.as_str() {
            // Those of AKS are in the resource group of its nodes, which is deleted with the cluster.
            "Service" if !is_azure => remaining_load_balancer(resource, whole)?,
            "PersistentVolume" => remaining_disk(&object, whole)?,
            _ => return None,
        };
        let commands = commands.into_iter().map(|command| format!("{command} # in {cluster}")).collect();
        let since = resource.metadata.creation_timestamp;
        Some(RemainingExternal { cluster: cluster.to_owned(), object, external, reason, since, commands })
    });
    let mut left: Vec<RemainingExternal> = left.collect();
    left.sort_by(|one, other| one.object.cmp(&other.object));
    left
}

type RemainingParts = (Option<String>, &'static str, Vec<String>);

/// Returns the load balancer of a Service.
fn remaining_load_balancer(resource: &Resource, whole: &Value) -> Option<RemainingParts> {
    if whole.pointer("/spec/type").and_then(Value::as_str) != Some("LoadBalancer") {
        return None;
    }
    let ingress = whole.pointer("/status/loadBalancer/ingress/0");
    let address = ingress.and_then(|one| one.get("hostname").or_else(|| one.get("ip"))?.as_str());
    // The cloud's controller adds the finalizer before it creates anything.
    let is_made =
        resource.metadata.finalizers.iter().any(|name| *name == "service.kubernetes.io/load-balancer-cleanup");
    (address.is_some() || is_made).then(|| {
        let reason = "the controller that deletes its load balancer is deleted with the cluster";
        (address.map(str::to_owned), reason, vec![format!("kubectl delete {}", resource.name())])
    })
}

/// JSON pointers to the disk names in the volumes of clouds.
const DISKS: [&str; 7] = [
    "/spec/csi/volumeHandle",
    "/spec/gcePersistentDisk/pdName",
    "/spec/awsElasticBlockStore/volumeID",
    "/spec/azureDisk/diskURI",
    "/spec/azureFile/shareName",
    "/spec/cinder/volumeID",
    "/spec/vsphereVolume/volumePath",
];

/// Returns the name of the disk of a PersistentVolume.
pub(super) fn disk_name(volume: &Value) -> Option<&str> {
    DISKS.iter().find_map(|pointer| volume.pointer(pointer)?.as_str())
}

/// Returns the disk of a PersistentVolume that would remain.
fn remaining_disk(object: &ObjectName, whole: &Value) -> Option<RemainingParts> {
    let text = |pointer: &str| whole.pointer(pointer).and_then(Value::as_str);
    let handle = disk_name(whole)?;
    let group = handle.to_ascii_lowercase();
    // By default, AKS creates disks in the resource group of its nodes, which is deleted with the cluster.
    if group.split("/resourcegroups/").nth(1).is_some_and(|rest| rest.starts_with("mc_")) {
        return None;
    }
    let mut commands = Vec::new();
    if text("/spec/persistentVolumeReclaimPolicy") != Some("Delete") {
        let patch = r#"{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}"#;
        commands.push(format!("kubectl patch {object} -p '{patch}'"));
    }
    // A volume keeps the name of a claim that no longer exists.
    let is_left = matches!(text("/status/phase"), Some("Released" | "Failed"));
    commands.push(match (text("/spec/claimRef/namespace"), text("/spec/claimRef/name")) {
        (Some(namespace), Some(name)) if !is_left => {
            format!("kubectl delete persistentvolumeclaim/{} -n {}", quote_word(name), quote_word(namespace))
        }
        _ => format!("kubectl delete {object}"),
    });
    Some((Some(handle.to_owned()), "the controller that deletes its disk is deleted with the cluster", commands))
}

/// Returns the step that deletes the remains.
pub(super) fn remains_step(remains: &[RemainingExternal]) -> TeardownStep {
    TeardownStep {
        title: "In the app clusters that are deleted, delete the cloud resources of their controllers".to_owned(),
        why: "nothing else deletes load balancers and disks",
        commands: remains.iter().flat_map(|one| one.commands.iter().cloned()).collect(),
        runs_in: super::steps::RunsIn::AppClusters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn maker(group: &str) -> ObjectName {
        ObjectName { api_version: format!("{group}/v1"), kind: "Cluster".into(), namespace: None, name: "prod".into() }
    }

    fn service(spec: Value, status: Value, finalizer: Option<&str>) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": "shop", "name": "web", "finalizers": finalizer.into_iter().collect::<Vec<_>>()},
            "spec": spec, "status": status,
        })
    }

    fn volume(spec: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": spec})
    }

    fn left(group: &str, object: &Value) -> Option<(Option<String>, Vec<String>)> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("app.json");
        std::fs::write(&path, object.to_string()).unwrap();
        let query = ucp_client::source::Query::all(&want);
        let contents = ucp_client::source::snapshot::read(&path, &query).unwrap();
        let mut remains = remaining_externals("prod", &maker(group), &contents);
        assert!(remains.len() < 2);
        remains.pop().map(|one| (one.external, one.commands))
    }

    #[test]
    fn resources_created_by_a_cloud_controller_stay() {
        let cleanup = Some("service.kubernetes.io/load-balancer-cleanup");
        let balancer = json!({"type": "LoadBalancer"});
        let answered = json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}});
        let delete = vec!["kubectl delete service/web -n shop # in prod".to_owned()];
        let gke = "container.gcp.upbound.io";
        let found = left(gke, &service(balancer.clone(), answered.clone(), cleanup));
        assert_eq!(found, Some((Some("192.0.2.7".to_owned()), delete.clone())));
        assert_eq!(left(gke, &service(balancer.clone(), json!({}), cleanup)), Some((None, delete)));
        // No load balancer was created; the Service has none; AKS deletes its own.
        assert_eq!(left(gke, &service(balancer.clone(), json!({}), None)), None);
        assert_eq!(left(gke, &service(json!({"type": "ClusterIP"}), json!({}), None)), None);
        assert_eq!(left("containerservice.azure.upbound.io", &service(balancer, answered, cleanup)), None);

        let claimed = json!({
            "persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "shop", "name": "data"},
            "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"},
        });
        let delete = vec!["kubectl delete persistentvolumeclaim/data -n shop # in prod".to_owned()];
        assert_eq!(left("eks.aws.upbound.io", &volume(claimed)), Some((Some("vol-1".to_owned()), delete)));
        // The claim is deleted, but its name remains.
        let mut released = volume(json!({
            "persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "shop", "name": "data"},
            "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"},
        }));
        released["status"] = json!({"phase": "Released"});
        let (_, commands) = left("eks.aws.upbound.io", &released).unwrap();
        assert_eq!(commands, ["kubectl delete persistentvolume/pv # in prod"]);
        let kept = json!({"persistentVolumeReclaimPolicy": "Retain", "gcePersistentDisk": {"pdName": "disk-1"}});
        let (_, commands) = left(gke, &volume(kept)).unwrap();
        assert!(
            commands[0].starts_with("kubectl patch persistentvolume/pv -p ") && commands.len() == 2,
            "{commands:?}"
        );
        assert_eq!(left(gke, &volume(json!({"hostPath": {"path": "/data"}}))), None);
        let in_node_group =
            "/subscriptions/s/resourceGroups/MC_prod_prod_westeurope/providers/Microsoft.Compute/disks/d";
        let aks = "containerservice.azure.upbound.io";
        assert_eq!(left(aks, &volume(json!({"csi": {"volumeHandle": in_node_group}}))), None);
        let own = in_node_group.replace("MC_prod_prod_westeurope", "data");
        assert!(left(aks, &volume(json!({"csi": {"volumeHandle": own}}))).is_some());
    }
}
