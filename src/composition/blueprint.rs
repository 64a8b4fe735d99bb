//! What a composite is made by: the pipeline of a Composition or of one of its revisions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::model::object::group_of;

/// The pipeline of a Composition, and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Blueprint {
    /// The Composition.
    pub composition: String,
    /// The revision that a composite is pinned to; absent for the newest.
    pub revision: Option<String>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step of a pipeline.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Step {
    /// Its name.
    pub step: String,
    /// The function that is asked.
    pub function_ref: FunctionRef,
    /// What it is told.
    pub input: Option<Value>,
    /// Secrets that it is given.
    pub credentials: Vec<CredentialRef>,
    /// What is fetched before it is asked at all.
    pub requirements: Required,
}

/// The name of a function.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct FunctionRef {
    /// Of the `Function`.
    pub name: String,
}

/// A Secret that a step is given.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CredentialRef {
    /// What the function knows it as.
    pub name: String,
    /// `Secret`, or `None`.
    pub source: String,
    /// The Secret.
    pub secret_ref: Option<SecretRef>,
}

/// A Secret.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct SecretRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// What a Composition itself requires for a step.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Required {
    /// Objects.
    pub required_resources: Vec<RequiredResource>,
}

/// Objects that a Composition requires.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequiredResource {
    /// What the function knows them as.
    pub requirement_name: String,
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// The one of this name.
    pub name: Option<String>,
    /// Those with these labels.
    pub match_labels: Option<BTreeMap<String, String>>,
    /// Namespace; everywhere where absent.
    pub namespace: Option<String>,
}

/// The part of a Composition, and of its revisions, that is read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Shape {
    spec: ShapeSpec,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ShapeSpec {
    mode: Option<String>,
    composite_type_ref: CompositeType,
    pipeline: Vec<Step>,
}

/// The kind of composites that a Composition is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompositeType {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
}

impl CompositeType {
    /// Of a Composition.
    pub fn of(composition: &Value) -> Option<Self> {
        let shape = Shape::deserialize(composition).ok()?;
        Some(shape.spec.composite_type_ref).filter(|found| !found.kind.is_empty())
    }

    /// Group of the composites.
    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }
}

impl Blueprint {
    /// Of a Composition or a revision.
    ///
    /// # Errors
    /// When it has no pipeline: it is of the mode that Crossplane 2 no longer has.
    pub fn of(composition: &str, revision: Option<&str>, object: &Value) -> Result<Self, String> {
        let shape = Shape::deserialize(object)
            .map_err(|error| format!("its Composition {composition} is not what its kind promises: {error}"))?;
        // The mode that is left out is the one of before pipelines, in Crossplane 1.
        let is_native = match shape.spec.mode.as_deref() {
            Some(mode) => mode != "Pipeline",
            None => shape.spec.pipeline.is_empty(),
        };
        if is_native {
            return Err(format!(
                "its Composition {composition} has mode: Resources, which only Crossplane itself runs; pipelines are run"
            ));
        }
        Ok(Self {
            composition: composition.to_owned(),
            revision: revision.map(str::to_owned),
            steps: shape.spec.pipeline,
        })
    }

    /// Names of the functions that it asks.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.function_ref.name.as_str())
    }
}

/// Whether a pipeline may require objects of a kind: a step speaks of the kind, and of requiring. What a step requires is
/// only known after it was asked, and hardly anybody puts the name of a kind together from parts.
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
        let of = |spec: Value| Blueprint::of("c", None, &json!({"spec": spec}));
        let found = of(json!({"mode": "Pipeline", "pipeline": pipeline})).unwrap();
        assert_eq!(found.functions().collect::<Vec<_>>(), ["f"]);
        assert_eq!(found.steps[0].requirements.required_resources[0].name.as_deref(), Some("n"));
        assert!(of(json!({"pipeline": pipeline})).is_ok());
        assert!(of(json!({"resources": []})).unwrap_err().contains("mode: Resources"));
        assert!(of(json!({"mode": "Resources", "pipeline": pipeline})).is_err());
        assert!(of(json!({"pipeline": [7]})).unwrap_err().contains("not what its kind promises"));
    }

    #[test]
    fn what_may_be_required_is_spoken_of() {
        let of = |input: Value| json!({"spec": {"pipeline": [{"step": "a", "input": input}]}});
        let by_name = of(json!({"spec": {"environmentConfigs": [{"type": "Reference", "ref": {"name": "x"}}]}}));
        assert!(may_require(&by_name, "EnvironmentConfig"));
        let template = of(json!({"template": "kind: ExtraResources\nrequirements:\n  a: {kind: Region}"}));
        assert!(may_require(&template, "Region") && !may_require(&template, "Zone"));
        let composes = of(json!({"template": "kind: Deployment"}));
        assert!(!may_require(&composes, "Deployment"));
    }
}
