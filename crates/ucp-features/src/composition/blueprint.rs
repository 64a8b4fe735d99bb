//! The pipeline of a Composition or of a CompositionRevision.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::group_of;

/// The pipeline of a composite and the Composition that declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositionPipeline {
    /// Name of the Composition.
    pub composition: String,
    /// Name of the revision that the composite is pinned to; `None` for the newest one.
    pub revision: Option<String>,
    /// The pipeline's steps, in order.
    pub steps: Vec<CompositionStep>,
}

/// A step of a pipeline.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompositionStep {
    /// Name of the step.
    pub step: String,
    /// The function that the step calls.
    pub function_ref: FunctionRef,
    /// Input of the function.
    pub input: Option<Value>,
    /// Credentials that are passed to the function.
    pub credentials: Vec<CredentialRef>,
    /// Objects that are fetched before the first call.
    pub requirements: StepRequirements,
}

/// A reference to a Function.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct FunctionRef {
    /// Name of the `Function` object.
    pub name: String,
}

/// A Secret that is passed to a step's function.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CredentialRef {
    /// Name under which the function receives it.
    pub name: String,
    /// `Secret` or `None`.
    pub source: String,
    /// The Secret, if the source is `Secret`.
    pub secret_ref: Option<CredentialSecretRef>,
}

/// A reference to a Secret.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct CredentialSecretRef {
    /// Namespace of the Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
}

/// The requirements that the Composition itself declares for a step.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StepRequirements {
    /// The required objects.
    pub required_resources: Vec<RequiredResource>,
}

/// Objects that a Composition requires for a step.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequiredResource {
    /// Name under which the function receives them.
    pub requirement_name: String,
    /// Group and version, as in `apiVersion`.
    pub api_version: String,
    /// Kind of the objects.
    pub kind: String,
    /// Selects the object of this name.
    pub name: Option<String>,
    /// Selects the objects with these labels.
    pub match_labels: Option<BTreeMap<String, String>>,
    /// Namespace of the objects; all namespaces if absent.
    pub namespace: Option<String>,
}

/// The fields that are read from a Composition or a CompositionRevision.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct CompositionManifest {
    spec: CompositionManifestSpec,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CompositionManifestSpec {
    mode: Option<String>,
    composite_type_ref: CompositeType,
    pipeline: Vec<CompositionStep>,
}

/// The kind of composites that a Composition is for (`spec.compositeTypeRef`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompositeType {
    /// Group and version, as in `apiVersion`.
    pub api_version: String,
    /// Kind of the composites.
    pub kind: String,
}

impl CompositeType {
    /// Reads the composite type of a Composition; `None` if it has none.
    pub fn from_composition(composition: &Value) -> Option<Self> {
        let shape = CompositionManifest::deserialize(composition).ok()?;
        Some(shape.spec.composite_type_ref).filter(|found| !found.kind.is_empty())
    }

    /// Returns the API group of the composites.
    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }
}

impl CompositionPipeline {
    /// Reads the pipeline of a Composition or a CompositionRevision.
    ///
    /// # Errors
    /// Fails when it has no pipeline: its mode is `Resources`, which Crossplane 2 removed.
    pub fn from_manifest(composition: &str, revision: Option<&str>, object: &Value) -> Result<Self, Failure> {
        let shape = CompositionManifest::deserialize(object)
            .map_err(|error| format!("its Composition {composition} is invalid: {error}"))?;
        // Without `mode`, a Composition of Crossplane 1 without a pipeline has mode `Resources`.
        let is_native = match shape.spec.mode.as_deref() {
            Some(mode) => mode != "Pipeline",
            None => shape.spec.pipeline.is_empty(),
        };
        if is_native {
            return fail!(
                "its Composition {composition} has mode: Resources, which only Crossplane itself can run; only pipelines are supported"
            );
        }
        Ok(Self {
            composition: composition.to_owned(),
            revision: revision.map(str::to_owned),
            steps: shape.spec.pipeline,
        })
    }

    /// Returns the names of the functions that the pipeline calls.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.function_ref.name.as_str())
    }
}

/// Returns true if a pipeline may require objects of a kind: a step mentions both the kind and a requirement. The exact
/// requirements are known only after the call, and names of kinds are hardly ever assembled from parts.
pub fn may_require(composition: &Value, kind: &str) -> bool {
    const WORDS: [&str; 3] = ["require", "extraresource", "environmentconfig"];
    let steps = composition.pointer("/spec/pipeline").and_then(Value::as_array).into_iter().flatten();
    steps
        .map(|step| step.to_string().to_lowercase())
        .any(|text| text.contains(&kind.to_lowercase()) && WORDS.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pipelines_are_read_and_nothing_else() {
        let pipeline = json!([{"step": "a", "functionRef": {"name": "f"}, "input": {"x": 1},
            "requirements": {"requiredResources": [{"requirementName": "r", "apiVersion": "v1", "kind": "ConfigMap", "name": "n"}]}}]);
        let of = |spec: Value| CompositionPipeline::from_manifest("c", None, &json!({"spec": spec}));
        let found = of(json!({"mode": "Pipeline", "pipeline": pipeline})).unwrap();
        assert_eq!(found.function_names().collect::<Vec<_>>(), ["f"]);
        assert_eq!(found.steps[0].requirements.required_resources[0].name.as_deref(), Some("n"));
        assert!(of(json!({"pipeline": pipeline})).is_ok());
        assert!(of(json!({"resources": []})).unwrap_err().as_str().contains("mode: Resources"));
        assert!(of(json!({"mode": "Resources", "pipeline": pipeline})).is_err());
        assert!(of(json!({"pipeline": [7]})).unwrap_err().as_str().contains("is invalid"));
    }

    #[test]
    fn possible_requirements_are_recognized_by_their_mention() {
        let of = |input: Value| json!({"spec": {"pipeline": [{"step": "a", "input": input}]}});
        let by_name = of(json!({"spec": {"environmentConfigs": [{"type": "Reference", "ref": {"name": "x"}}]}}));
        assert!(may_require(&by_name, "EnvironmentConfig"));
        let template = of(json!({"template": "kind: ExtraResources\nrequirements:\n  a: {kind: Region}"}));
        assert!(may_require(&template, "Region") && !may_require(&template, "Zone"));
        let composes = of(json!({"template": "kind: Deployment"}));
        assert!(!may_require(&composes, "Deployment"));
    }
}
