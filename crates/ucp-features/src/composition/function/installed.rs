//! Functions that run in a core cluster: their active revisions and their pods.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::Value;

use crate::composition::function::known_functions::{COMPUTING, PUBLISHERS};
use crate::composition::view::PlannedClusterView;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::text::one_line;

/// Default namespace of Crossplane.
pub(super) const USUAL_NAMESPACE: &str = "crossplane-system";
const GROUP: &str = "pkg.crossplane.io";
const PACKAGE: &str = "pkg.crossplane.io/package";
/// Port of functions whose revision names none.
const PORT: u16 = 9443;

/// A function and its active revision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InstalledFunction {
    name: String,
    revision: Value,
}

/// The address of a function within the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FunctionEndpoint {
    /// Name in its certificate.
    pub(super) host: String,
    /// Its namespace, which is also Crossplane's.
    pub(super) namespace: String,
    pub(super) port: u16,
}

/// Lists all functions that have a revision, by name.
///
/// # Errors
/// Fails when the revisions cannot be listed.
pub(super) async fn list_installed(
    cluster: &std::sync::Arc<ConnectedCluster>,
) -> Result<BTreeMap<String, InstalledFunction>, Failure> {
    let view = PlannedClusterView::new(std::sync::Arc::clone(cluster), std::collections::HashMap::new());
    let Some(kind) = cluster.find_preferred(GROUP, "FunctionRevision").await? else { return Ok(BTreeMap::new()) };
    let listed = view.list(&kind.api_version(), &kind.kind, None, &BTreeMap::new()).await;
    let listed = listed.map_err(|reason| format!("FunctionRevisions cannot be listed: {reason}"))?;
    let mut all: BTreeMap<String, InstalledFunction> = BTreeMap::new();
    for revision in listed.iter() {
        let name = revision.pointer("/metadata/labels").and_then(|labels| labels.get(PACKAGE)?.as_str());
        let Some(name) = name.map(str::to_owned) else { continue };
        let is_active = text_at(revision, "/spec/desiredState") == "Active";
        if is_active || !all.contains_key(&name) {
            all.insert(name.clone(), InstalledFunction { name, revision: revision.clone() });
        }
    }
    Ok(all)
}

impl InstalledFunction {
    /// Returns the image of its package, for display.
    pub(super) fn package(&self) -> String {
        one_line(text_at(&self.revision, "/spec/image"))
    }

    /// Returns true if the function only computes: its package is in [`COMPUTING`] of one of the [`PUBLISHERS`].
    pub(super) fn only_computes(&self) -> bool {
        let image = text_at(&self.revision, "/spec/image");
        let Some((publisher, package)) = image.rsplit_once('/') else { return false };
        let name = package.split(['@', ':']).next().unwrap_or_default();
        PUBLISHERS.contains(&publisher) && COMPUTING.contains(&name)
    }

    /// Returns the address at which it listens.
    ///
    /// # Errors
    /// Fails when no revision is active, or when the active one is not reachable by a port-forward.
    pub(super) fn endpoint(&self) -> Result<FunctionEndpoint, Failure> {
        if text_at(&self.revision, "/spec/desiredState") != "Active" {
            return fail!("it has no active FunctionRevision");
        }
        let name = text_at(&self.revision, "/metadata/name");
        let endpoint = text_at(&self.revision, "/status/endpoint");
        if endpoint.is_empty() {
            return fail!("its FunctionRevision {name} has no status.endpoint: it is not running yet");
        }
        let place = endpoint.trim_start_matches("dns:///");
        let outside = || {
            format!(
                "its FunctionRevision {name} listens at {}, outside of the cluster: name it with --function {}=grpcs://HOST:PORT",
                one_line(place),
                self.name
            ).into()
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| outside())?),
            None => (place, PORT),
        };
        // `SERVICE.NAMESPACE`, with or without the cluster's domain suffix.
        let labels: Vec<&str> = host.split('.').collect();
        let is_within = labels.len() == 2 || labels.get(2) == Some(&"svc");
        match labels.as_slice() {
            [service, namespace, ..] if is_within && !service.is_empty() && host.parse::<IpAddr>().is_err() => {
                Ok(FunctionEndpoint { host: host.to_owned(), namespace: (*namespace).to_owned(), port })
            }
            _ => Err(outside()),
        }
    }

    /// Returns the name of one of its ready pods.
    ///
    /// # Errors
    /// Fails when there is none, or when pods cannot be listed.
    pub(super) async fn ready_pod(
        &self,
        cluster: &std::sync::Arc<ConnectedCluster>,
        place: &FunctionEndpoint,
    ) -> Result<String, Failure> {
        let view = PlannedClusterView::new(std::sync::Arc::clone(cluster), std::collections::HashMap::new());
        let revision = text_at(&self.revision, "/metadata/name");
        let labels = BTreeMap::from([("pkg.crossplane.io/revision".to_owned(), revision.to_owned())]);
        let pods = view.list("v1", "Pod", Some(&place.namespace), &labels).await;
        let pods = pods.map_err(|reason| format!("its pods cannot be listed: {reason}"))?;
        let ready = pods.iter().find(|pod| is_ready(pod));
        let ready = ready.ok_or_else(|| match pods.len() {
            0 => format!("it has no pod in namespace {}", place.namespace),
            number => format!("none of its {number} pods in namespace {} is ready", place.namespace),
        })?;
        Ok(text_at(ready, "/metadata/name").to_owned())
    }
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let is_going = pod.pointer("/metadata/deletionTimestamp").is_some();
    let mut ready = conditions.filter(|one| text_at(one, "/type") == "Ready" && text_at(one, "/status") == "True");
    !is_going && ready.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn installed(image: &str, state: &str, endpoint: &str) -> InstalledFunction {
        let revision = json!({
            "metadata": {"name": "f-1"}, "spec": {"image": image, "desiredState": state}, "status": {"endpoint": endpoint},
        });
        InstalledFunction { name: "f".into(), revision }
    }

    #[test]
    fn pure_functions_are_recognized_by_their_package() {
        for (image, computes) in [
            ("xpkg.crossplane.io/crossplane-contrib/function-patch-and-transform:v0.10.8", true),
            ("xpkg.upbound.io/crossplane-contrib/function-auto-ready@sha256:abc", true),
            ("ghcr.io/crossplane-contrib/function-sequencer", true),
            ("registry:5000/function-auto-ready@sha256:abc", false),
            ("xpkg.crossplane.io/somebody/function-auto-ready:v1", false),
            ("evil.example/xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v1", false),
            ("function-auto-ready:v1", false),
            ("xpkg.crossplane.io/crossplane-contrib/function-kcl:v1", false),
            ("xpkg.crossplane.io/function-auto-ready/function-python:v1", false),
            ("", false),
        ] {
            assert_eq!(installed(image, "Active", "").only_computes(), computes, "{image}");
        }
    }

    #[test]
    fn places_are_within_the_cluster() {
        let place = |endpoint: &str| installed("i", "Active", endpoint).endpoint();
        let found = place("dns:///f-1.crossplane-system:9443").unwrap();
        assert_eq!(
            (found.host.as_str(), found.namespace.as_str(), found.port),
            ("f-1.crossplane-system", "crossplane-system", 9443)
        );
        assert!(place("dns:///f.xp.svc.cluster.local:9443").is_ok());
        assert!(place("").unwrap_err().as_str().contains("no status.endpoint"));
        for outside in ["dns:///functions.example.org:443", "127.0.0.1:9443", "localhost:9443"] {
            assert!(place(outside).unwrap_err().as_str().contains("outside of the cluster"), "{outside}");
        }
        assert!(installed("i", "Inactive", "dns:///a.b:1").endpoint().unwrap_err().as_str().contains("no active"));
    }
}
