//! Objects of the core cluster that rendering needs: variables of Flux, and ConfigMaps and Secrets with values.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::manifests::deployment::Deployment;
use ucp_client::prediction::cluster::{ConnectedCluster, path_of};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::flux::SubstituteFrom;
use ucp_core::model::object::ObjectName;

/// Reads a ConfigMap or Secret; `None` if there is none.
///
/// # Errors
/// Fails when it cannot be read.
pub async fn read_config(
    core: &ConnectedCluster,
    kind: &str,
    namespace: &str,
    name: &str,
) -> Result<Option<Value>, Failure> {
    let kind = core.find_kind("v1", kind).await?.ok_or_else(|| format!("the core cluster serves no {kind}"))?;
    core.api.read_object(&path_of(&kind, Some(namespace), name)).await.map_err(Failure::from)
}

/// Returns the name of an object with variables of a Kustomization.
pub fn variable_source(deployment: &Deployment, source: &SubstituteFrom) -> ObjectName {
    let namespace = deployment.object.namespace.as_deref().unwrap_or("default");
    ObjectName::in_core_group(&source.kind, Some(namespace), &source.name)
}

/// Reads the variables that Flux substitutes in the objects of a Kustomization. `declared` returns a ConfigMap as the checkout
/// declares it; others are read from the core cluster.
///
/// # Errors
/// Fails when a source of variables is missing, cannot be read, or is a Secret.
pub async fn read_variables(
    core: &ConnectedCluster,
    deployment: &Deployment,
    declared: &(dyn Fn(&ObjectName) -> Option<Value> + Sync),
) -> Result<BTreeMap<String, String>, Failure> {
    let Some(post_build) = &deployment.post_build else { return Ok(BTreeMap::new()) };
    let mut variables = BTreeMap::new();
    for source in &post_build.substitute_from {
        let name = &source.name;
        if source.kind != "ConfigMap" {
            return fail!("it substitutes values of {} {name}, which a plan would show", source.kind);
        }
        let wanted = variable_source(deployment, source);
        let namespace = wanted.namespace.as_deref().unwrap_or_default();
        let found = match declared(&wanted) {
            Some(object) if object.get("sops").is_some() || object.to_string().contains("${") => {
                return fail!("it substitutes values of ConfigMap {name}, which is encrypted or has variables itself");
            }
            Some(object) => Some(object),
            None => read_config(core, "ConfigMap", namespace, name).await?,
        };
        match found {
            Some(found) => {
                let data = found.get("data").and_then(Value::as_object).into_iter().flatten();
                variables.extend(data.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))));
            }
            None if source.optional => {}
            None => return fail!("ConfigMap {name} not found in namespace {namespace}"),
        }
    }
    variables.extend(post_build.substitute.clone());
    Ok(variables)
}
