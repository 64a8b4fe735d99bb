//! Generates the Applications of an ApplicationSet, as its controller does.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value, json};

use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployment::KnownSources;
use crate::manifests::generator::{
    RegisteredCluster, cluster_parameters, combine, flat, git_parameters, list_parameters, matches_selector,
    merge_by_keys,
};
use crate::manifests::generator_budget::{self, GeneratorBudget, size};
use crate::manifests::go_template::{TemplateLanguage, TemplateTask};
use crate::manifests::merge::{MergeStep, is_empty, merge_maps};
use crate::manifests::reach::RenderError;
use crate::manifests::renderer::ManifestRenderer;
use ucp_client::source::snapshot::yaml;
use ucp_core::failure::Failure;
use ucp_core::model::body::argocd::CASCADE;
use ucp_core::model::object::ObjectName;

/// Generates Applications from one tree.
pub struct SetGenerator<'a> {
    /// Runs helm for Go templates.
    pub renderer: ManifestRenderer,
    /// The tree that Git generators read.
    pub tree: &'a CheckoutTree,
    /// The sources that are this tree.
    pub checkout: &'a (dyn KnownSources + Sync),
    /// The clusters that are registered with Argo CD, or the reason why they are unknown.
    pub clusters: &'a Result<Vec<RegisteredCluster>, Failure>,
}

type ParameterSets<'a> = Pin<Box<dyn Future<Output = Result<Vec<Value>, RenderError>> + Send + 'a>>;

/// Where a generator stands, and what applies to all generators of its ApplicationSet.
#[derive(Clone, Copy)]
struct GeneratorPlace<'a> {
    language: TemplateLanguage,
    depth: usize,
    budget: &'a GeneratorBudget,
}

impl GeneratorPlace<'_> {
    /// Returns the place of a generator in this one.
    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl SetGenerator<'_> {
    /// Returns the Applications of an ApplicationSet.
    ///
    /// # Errors
    /// Fails when a generator needs something that is not available here, or when a template fails.
    pub async fn generate(&self, object: &ObjectName, spec: &Value) -> Result<Vec<Value>, RenderError> {
        let language = language(spec)?;
        let budget = &GeneratorBudget::new(self.renderer.timeout);
        let mut applications = Vec::new();
        for generator in spec.get("generators").and_then(Value::as_array).into_iter().flatten() {
            let sets = self.parameters(generator, None, GeneratorPlace { language, depth: 0, budget }).await?;
            let (_, fields) = only_kind(generator)?;
            let mut template = fields.get("template").cloned().unwrap_or_else(|| json!({}));
            fill(&mut template, spec.get("template").unwrap_or(&Value::Null));
            let patch = spec.get("templatePatch").and_then(Value::as_str);
            applications.extend(self.apply_template(object, spec, &template, patch, &sets, (language, budget)).await?);
        }
        let mut names = BTreeSet::new();
        for application in &applications {
            let name = application.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            if name.is_empty() || !names.insert(name) {
                return Err(RenderError::Broken(format!(
                    "it generates more than one Application {name:?}, or one without a name"
                )));
            }
        }
        Ok(applications)
    }

    /// Returns the parameter sets of a generator. `outer` are those of the first generator of a matrix.
    fn parameters<'a>(
        &'a self,
        generator: &'a Value,
        outer: Option<&'a Value>,
        place: GeneratorPlace<'a>,
    ) -> ParameterSets<'a> {
        Box::pin(async move {
            let GeneratorPlace { language, depth, budget } = place;
            if depth >= generator_budget::DEEPEST {
                return Err(RenderError::Broken("its generators nest deeper than Argo CD allows".to_owned()));
            }
            budget.check_time()?;
            let interpolated = match outer {
                Some(outer) => self.interpolate(generator, outer, place).await?,
                None => generator.clone(),
            };
            let (kind, fields) = only_kind(&interpolated)?;
            let mut sets = match kind {
                "list" => list_parameters(fields, language)?,
                "git" => {
                    let url = fields.get("repoURL").and_then(Value::as_str).unwrap_or_default();
                    if !self.checkout.is_checkout(url, "") {
                        return Err(RenderError::Unsupported("its git generator reads another repository".to_owned()));
                    }
                    let sets = git_parameters(&self.tree.top, fields, language)?;
                    self.add_values(fields, sets, place).await?
                }
                "clusters" => {
                    let clusters =
                        self.clusters.as_ref().map_err(|reason| RenderError::Unsupported(reason.clone().into()))?;
                    let sets = cluster_parameters(fields, clusters, language);
                    let sets = self.add_values(fields, sets, place).await?;
                    match fields.get("flatList").and_then(Value::as_bool) {
                        Some(true) => vec![json!({ "clusters": sets })],
                        _ => sets,
                    }
                }
                "matrix" => self.matrix(fields, place).await?,
                "merge" => self.merge(fields, place).await?,
                other => {
                    return Err(RenderError::Unsupported(format!(
                        "its generator '{other}' asks another server, so its Applications are those in the cluster"
                    )));
                }
            };
            if let Some(selector) = interpolated.get("selector").filter(|selector| !selector.is_null()) {
                sets.retain(|set| matches_selector(selector, &flat(set)));
            }
            // Those of a matrix were counted one by one.
            if kind != "matrix" {
                sets.iter().try_for_each(|set| budget.add_set(set))?;
            }
            Ok(sets)
        })
    }

    async fn matrix(&self, fields: &Value, place: GeneratorPlace<'_>) -> Result<Vec<Value>, RenderError> {
        let inner = fields.get("generators").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let [first, second] = inner else {
            return Err(RenderError::Broken("its matrix generator needs exactly two generators".to_owned()));
        };
        let mut combined = Vec::new();
        for outer in self.parameters(first, None, place.below()).await? {
            for set in self.parameters(second, Some(&outer), place.below()).await? {
                let set = combine(&outer, &set, place.language)?;
                place.budget.add_set(&set)?;
                combined.push(set);
            }
        }
        Ok(combined)
    }

    async fn merge(&self, fields: &Value, place: GeneratorPlace<'_>) -> Result<Vec<Value>, RenderError> {
        let mut all = Vec::new();
        for generator in fields.get("generators").and_then(Value::as_array).into_iter().flatten() {
            all.push(self.parameters(generator, None, place.below()).await?);
        }
        let keys = fields.get("mergeKeys").and_then(Value::as_array).into_iter().flatten();
        let keys: Vec<String> = keys.filter_map(|key| key.as_str().map(str::to_owned)).collect();
        // Each set is identified by the text of all keys.
        let width: usize = keys.iter().map(String::len).sum();
        place.budget.add_bytes(width.saturating_mul(all.iter().map(Vec::len).sum()))?;
        merge_by_keys(&keys, &all, place.language).map_err(RenderError::from)
    }

    /// Puts the parameters of the first generator of a matrix in the second one. `values` may use parameters of the
    /// second generator too, and keep what is not known yet.
    async fn interpolate(
        &self,
        generator: &Value,
        outer: &Value,
        GeneratorPlace { language, budget, .. }: GeneratorPlace<'_>,
    ) -> Result<Value, RenderError> {
        budget.add_bytes(size(generator))?;
        let mut texts = Vec::new();
        collect_texts(generator, &mut texts);
        let (kind, fields) = only_kind(generator)?;
        let mut later = Vec::new();
        if kind != "list" {
            collect_texts(fields.get("values").unwrap_or(&Value::Null), &mut later);
        }
        let later: BTreeSet<String> = later.into_iter().collect();
        let tasks: Vec<TemplateTask<'_>> = texts
            .iter()
            .map(|text| TemplateTask {
                text: if later.contains(text) && !language.has_all_keys(text, outer) {
                    String::new()
                } else {
                    text.clone()
                },
                parameters: outer,
            })
            .collect();
        let rendered = language.render(self.renderer, &tasks, budget).await?;
        let results =
            texts.into_iter().zip(&tasks).zip(rendered).map(|((text, task), result)| match task.text.is_empty() {
                true => text,
                false => result,
            });
        Ok(replace_texts(generator, &mut results.collect::<Vec<_>>().into_iter()))
    }

    /// Adds the `values` of a generator to its parameter sets.
    async fn add_values(
        &self,
        fields: &Value,
        sets: Vec<Value>,
        GeneratorPlace { language, budget, .. }: GeneratorPlace<'_>,
    ) -> Result<Vec<Value>, RenderError> {
        let Some(values) = fields.get("values").and_then(Value::as_object).filter(|values| !values.is_empty()) else {
            return Ok(sets);
        };
        let texts: Vec<(&String, &str)> =
            values.iter().map(|(key, value)| (key, value.as_str().unwrap_or_default())).collect();
        budget.add_bytes(sets.len().saturating_mul(values.values().map(size).sum()))?;
        let task = |set, text: &str| TemplateTask { text: text.to_owned(), parameters: set };
        let tasks: Vec<_> = sets.iter().flat_map(|set| texts.iter().map(move |(_, text)| task(set, text))).collect();
        let mut rendered = language.render(self.renderer, &tasks, budget).await?.into_iter();
        let mut complete = Vec::new();
        for mut set in sets {
            let mut own = Map::new();
            for (key, _) in &texts {
                let text = json!(rendered.next().unwrap_or_default());
                match language {
                    TemplateLanguage::Names => set[format!("values.{key}")] = text,
                    TemplateLanguage::Go { .. } => drop(own.insert((*key).clone(), text)),
                }
            }
            if matches!(language, TemplateLanguage::Go { .. }) {
                set["values"] = Value::Object(own);
            }
            complete.push(set);
        }
        Ok(complete)
    }

    async fn apply_template(
        &self,
        object: &ObjectName,
        spec: &Value,
        template: &Value,
        patch: Option<&str>,
        sets: &[Value],
        (language, budget): (TemplateLanguage, &GeneratorBudget),
    ) -> Result<Vec<Value>, RenderError> {
        budget.add_bytes(sets.len().saturating_mul(size(template) + patch.map_or(0, str::len)))?;
        let mut texts = Vec::new();
        collect_texts(template, &mut texts);
        texts.extend(patch.map(str::to_owned));
        let task = |set, text: &String| TemplateTask { text: text.clone(), parameters: set };
        let tasks: Vec<_> = sets.iter().flat_map(|set| texts.iter().map(move |text| task(set, text))).collect();
        let mut rendered = language.render(self.renderer, &tasks, budget).await?.into_iter();
        let preserves = spec.pointer("/syncPolicy/preserveResourcesOnDeletion").and_then(Value::as_bool) == Some(true);
        let mut applications = Vec::new();
        for set in sets {
            let filled = replace_texts(template, &mut rendered);
            let patch = patch.and_then(|_| rendered.next());
            let field = |name: &str| filled.get(name).cloned().unwrap_or_else(|| json!({}));
            let mut application = json!({
                "apiVersion": object.api_version, "kind": "Application", "metadata": field("metadata"), "spec": field("spec"),
            });
            let metadata = part(&mut application, "metadata")?;
            if !preserves && metadata.get("finalizers").is_none_or(is_empty) && !is_empty(set) {
                metadata.insert("finalizers".to_owned(), json!([CASCADE]));
            }
            if let Some(patch) = patch {
                let project = part(&mut application, "spec")?.get("project").cloned();
                apply_patch(&mut application, &patch)?;
                budget.add_bytes(size(&application))?;
                let spec = part(&mut application, "spec")?;
                spec.extend(project.map(|project| ("project".to_owned(), project)));
            }
            part(&mut application, "spec")?;
            part(&mut application, "metadata")?.insert("namespace".to_owned(), json!(object.namespace));
            applications.push(application);
        }
        Ok(applications)
    }
}

fn language(spec: &Value) -> Result<TemplateLanguage, RenderError> {
    if spec.get("goTemplate").and_then(Value::as_bool) != Some(true) {
        return Ok(TemplateLanguage::Names);
    }
    let options = spec.get("goTemplateOptions").and_then(Value::as_array).into_iter().flatten();
    let mut fails_on_missing_keys = false;
    for option in options.filter_map(Value::as_str) {
        match option {
            "missingkey=error" => fails_on_missing_keys = true,
            "missingkey=default" | "missingkey=invalid" | "missingkey=zero" => fails_on_missing_keys = false,
            other => return Err(RenderError::Unsupported(format!("its goTemplateOptions have {other:?}"))),
        }
    }
    Ok(TemplateLanguage::Go { fails_on_missing_keys })
}

/// Returns the only kind of a generator, and its fields.
fn only_kind(generator: &Value) -> Result<(&str, &Value), RenderError> {
    let kinds = generator.as_object().into_iter().flatten();
    let mut kinds = kinds.filter(|(key, value)| key.as_str() != "selector" && !value.is_null());
    match (kinds.next(), kinds.next()) {
        (Some((kind, fields)), None) => Ok((kind, fields)),
        _ => Err(RenderError::Unsupported("one of its generators has not exactly one kind".to_owned())),
    }
}

/// Collects the texts of a value, in the order of [`replace_texts`]: keys too.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                texts.push(key.clone());
                collect_texts(value, texts);
            }
        }
        _ => {}
    }
}

fn replace_texts(value: &Value, texts: &mut impl Iterator<Item = String>) -> Value {
    match value {
        Value::String(_) => Value::String(texts.next().unwrap_or_default()),
        Value::Array(items) => items.iter().map(|item| replace_texts(item, texts)).collect(),
        Value::Object(fields) => {
            let mut replaced = Map::new();
            for value in fields.values() {
                let key = texts.next().unwrap_or_default();
                let value = replace_texts(value, texts);
                replaced.insert(key, value);
            }
            Value::Object(replaced)
        }
        other => other.clone(),
    }
}

/// Fills the empty fields of a generator's template with those of the ApplicationSet.
fn fill(into: &mut Value, from: &Value) {
    merge_maps(
        into,
        from,
        |known, _| {
            if known.is_some_and(|known| !is_empty(known)) { MergeStep::Keep } else { MergeStep::Set }
        },
    );
}

/// Returns the fields of a part of an Application.
fn part<'v>(application: &'v mut Value, name: &str) -> Result<&'v mut Map<String, Value>, RenderError> {
    let part = application.get_mut(name).and_then(Value::as_object_mut);
    part.ok_or_else(|| RenderError::Broken(format!("{name} of its template is not an object")))
}

/// Applies a `templatePatch`. Lists are replaced, except finalizers, which are merged.
fn apply_patch(application: &mut Value, patch: &str) -> Result<(), RenderError> {
    let patch = yaml::parse_document("templatePatch", patch.as_bytes())?;
    if patch.to_string().contains("\"$") {
        return Err(RenderError::Unsupported("its templatePatch has directives".to_owned()));
    }
    let finalizers = application.pointer("/metadata/finalizers").cloned();
    merge_maps(application, &patch, |_, value| if value.is_null() { MergeStep::Remove } else { MergeStep::Set });
    let added = patch.pointer("/metadata/finalizers").and_then(Value::as_array);
    if let (Some(Value::Array(mut all)), Some(added)) = (finalizers, added) {
        all.extend(added.iter().filter(|one| !all.contains(one)).cloned().collect::<Vec<_>>());
        part(application, "metadata")?.insert("finalizers".to_owned(), Value::Array(all));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::checkout::tree_with;
    use crate::manifests::reach::RendererPermissions;

    struct NoSources;

    impl KnownSources for NoSources {
        fn is_checkout(&self, _url: &str, _revision: &str) -> bool {
            false
        }
    }

    /// Generates the Applications of a set with a list of one element, without helm.
    fn generate(template: &Value, patch: &str) -> Result<Vec<Value>, RenderError> {
        generate_from(&[json!({"list": {"elements": [{"a": "b"}]}})], template, patch)
    }

    fn generate_from(generators: &[Value], template: &Value, patch: &str) -> Result<Vec<Value>, RenderError> {
        let (_directory, tree) = tree_with(&["a=b"]);
        let renderer =
            ManifestRenderer { timeout: std::time::Duration::from_secs(60), reach: RendererPermissions::Checkout };
        let generator = SetGenerator { renderer, tree: &tree, checkout: &NoSources, clusters: &Ok(Vec::new()) };
        let object = ObjectName {
            api_version: "argoproj.io/v1alpha1".to_owned(),
            kind: "ApplicationSet".to_owned(),
            namespace: Some("argocd".to_owned()),
            name: "set".to_owned(),
        };
        let mut spec = json!({"generators": generators, "template": template});
        if !patch.is_empty() {
            spec["templatePatch"] = json!(patch);
        }
        ucp_client::source::live::runtime().unwrap().block_on(generator.generate(&object, &spec))
    }

    /// Returns a list generator whose elements have one parameter.
    fn list_of(key: &str, count: usize) -> Value {
        let elements: Vec<Value> = (0..count).map(|number| json!({ key: number.to_string() })).collect();
        json!({"list": {"elements": elements}})
    }

    fn matrix_of(first: &Value, second: &Value) -> Value {
        json!({"matrix": {"generators": [first, second]}})
    }

    #[test]
    fn generators_have_a_limit_of_parameter_sets() {
        let template = json!({"metadata": {"name": "x-{{a}}-{{b}}-{{c}}"}, "spec": {"project": "p"}});
        let three = |count| matrix_of(&matrix_of(&list_of("a", count), &list_of("b", count)), &list_of("c", count));
        assert_eq!(generate_from(&[three(6)], &template, "").unwrap().len(), 216);
        let error =
            |generators: &[Value], template: &Value| generate_from(generators, template, "").unwrap_err().to_string();
        assert!(error(&[three(200)], &template).contains("parameter sets"));
        // Each alone is within the limit.
        let many: Vec<Value> = (0..4).map(|_| list_of("a", 20_000)).collect();
        assert!(error(&many, &template).contains("parameter sets"));
        let deep =
            matrix_of(&matrix_of(&matrix_of(&list_of("a", 1), &list_of("b", 1)), &list_of("c", 1)), &list_of("d", 1));
        assert!(error(&[deep], &template).contains("deeper than Argo CD allows"));
        // A parameter in a parameter in a template.
        let long = json!({"list": {"elements": [{"a": "x".repeat(1 << 20)}]}});
        let wide = json!({"metadata": {"name": "x", "annotations": {"a": "{{a}}".repeat(1000)}}, "spec": {}});
        assert!(error(std::slice::from_ref(&long), &wide).contains("MiB"));
        let second = json!({"list": {"elements": [{"b": "{{a}}".repeat(1000)}]}});
        assert!(error(&[matrix_of(&long, &second)], &template).contains("MiB"));
        // A long text in many Applications.
        let long = json!({"metadata": {"name": "x-{{a}}", "annotations": {"a": "x".repeat(1 << 20)}}, "spec": {}});
        assert!(error(&[list_of("a", 1000)], &long).contains("MiB"));
    }

    /// Files of a pull request are not validated by a server.
    #[test]
    fn a_set_of_another_shape_is_an_error() {
        let sound = json!({"metadata": {"name": "x-{{a}}"}, "spec": {"project": "p"}});
        let generated = generate(&sound, "spec: {project: other, revisionHistoryLimit: 1}").unwrap();
        assert_eq!(generated[0].pointer("/spec"), Some(&json!({"project": "p", "revisionHistoryLimit": 1})));
        assert_eq!(generated[0].pointer("/metadata/namespace"), Some(&json!("argocd")));
        for odd in ["text", "[1, 2]", "3", "null"] {
            let value = yaml::parse_document("value", odd.as_bytes()).unwrap();
            for template in [
                value.clone(),
                json!({"metadata": value, "spec": {"project": "p"}}),
                json!({"metadata": {"name": "x"}, "spec": value}),
            ] {
                assert!(generate(&template, "").is_err(), "{template}");
                assert!(generate(&template, "metadata: {finalizers: [a]}\nspec: {project: p}").is_err(), "{template}");
            }
            let own = json!({"list": {"elements": [{"a": "b"}], "template": value}});
            let mut filled = own["list"]["template"].clone();
            fill(&mut filled, &sound);
            for part in ["metadata", "spec"] {
                assert!(generate(&sound, &format!("{part}: {odd}")).is_err(), "{part}: {odd}");
            }
        }
    }

    #[test]
    fn replaced_texts_are_put_back_in_their_places() {
        let template = json!({"b": ["{{x}}", 1, {"{{k}}": null}], "a": {"c": "d"}});
        let mut texts = Vec::new();
        collect_texts(&template, &mut texts);
        assert_eq!(replace_texts(&template, &mut texts.clone().into_iter()), template);
        let upper = texts.iter().map(|text| text.to_uppercase());
        assert_eq!(
            replace_texts(&template, &mut upper.collect::<Vec<_>>().into_iter()),
            json!({"B": ["{{X}}", 1, {"{{K}}": null}], "A": {"C": "D"}})
        );
    }

    #[test]
    fn a_patch_replaces_lists_and_merges_finalizers() {
        let mut application = json!({
            "metadata": {"finalizers": ["a"], "labels": {"x": "1"}}, "spec": {"sources": [{"a": 1}], "project": "p"},
        });
        let patch = "metadata: {finalizers: [b, a], labels: {x: null, y: '2'}}\nspec: {sources: [{b: 2}]}";
        apply_patch(&mut application, patch).unwrap();
        let expected = json!({
            "metadata": {"finalizers": ["a", "b"], "labels": {"y": "2"}}, "spec": {"sources": [{"b": 2}], "project": "p"},
        });
        assert_eq!(application, expected);
        assert!(apply_patch(&mut application, "spec: {sources: [{$patch: delete}]}").is_err());
    }

    #[test]
    fn a_template_of_a_generator_comes_first() {
        let mut own = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"project": ""}});
        fill(&mut own, &json!({"metadata": {"name": "n", "labels": {"a": "2", "b": "3"}}, "spec": {"project": "p"}}));
        assert_eq!(own, json!({"metadata": {"name": "n", "labels": {"a": "1", "b": "3"}}, "spec": {"project": "p"}}));
    }
}
