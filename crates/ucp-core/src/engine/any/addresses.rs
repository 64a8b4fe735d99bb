//! Services and Ingresses that wait for the address of a load balancer.

use serde_json::Value;

use super::sign::{SignWeight, StatusSign};
use super::states::StatusSearch;
use crate::model::comparison::is_empty;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

impl StatusSearch<'_> {
    /// Checks that a Service of type LoadBalancer, or an Ingress, has an address.
    pub(super) fn check_address(&mut self, resource: &Resource, spec: &Value, status: &Value) {
        // Not every Ingress controller publishes an address, so only that of a Service can be overdue.
        let since = match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
            ("", "Service") if spec.get("type").is_some_and(|kind| kind == "LoadBalancer") => {
                resource.metadata.creation_timestamp
            }
            ("networking.k8s.io", "Ingress") => None,
            _ => return,
        };
        if status.pointer("/loadBalancer/ingress").is_none_or(is_empty) {
            let message = "no address has been assigned yet".to_owned();
            let weight = SignWeight::Deciding;
            self.signs.push(StatusSign { verdict: Verdict::Progressing, weight, since, message });
        }
    }
}
