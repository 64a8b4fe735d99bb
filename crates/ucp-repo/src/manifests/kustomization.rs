//! Changes that engines make to a kustomization before they build it. Argo CD calls `kustomize edit`, and Flux writes
//! the file; both result in the same edits. A separate overlay on top of the directory would not: for example, its
//! images are matched by names that the kustomization below has already changed.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::argocd::KustomizeOptions;
use ucp_core::model::body::flux::KustomizationBuild;

/// Names of kustomization files; a directory with more than one is an error.
pub const FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Fields of a kustomization, from kustomize's `types.Kustomization`.
const FIELDS: [&str; 34] = [
    "apiVersion",
    "bases",
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "components",
    "configMapGenerator",
    "configurations",
    "crds",
    "generatorOptions",
    "generators",
    "helmChartInflationGenerator",
    "helmCharts",
    "helmGlobals",
    "imageTags",
    "images",
    "kind",
    "labels",
    "metadata",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "replicas",
    "resources",
    "secretGenerator",
    "sortOptions",
    "transformers",
    "validators",
    "vars",
];

/// Returns the fields of a kustomization by their usual names. kustomize decodes them with Go's `encoding/json`, which
/// ignores the case of letters.
///
/// # Errors
/// Fails when kustomize would refuse the fields, or read one of two with the same name.
pub fn fields_by_usual_names(kustomization: Value) -> Result<Map<String, Value>, Failure> {
    let fields = match kustomization {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        _ => return fail!("it is not an object"),
    };
    let mut usual = Map::new();
    for (name, value) in fields {
        let known = FIELDS.iter().find(|known| fold(known) == fold(&name));
        let known = known.ok_or_else(|| format!("it has a field {name:?}, which is not one of a kustomization"))?;
        if usual.insert((*known).to_owned(), value).is_some() {
            return fail!("it has two fields {known}, in different spellings");
        }
    }
    Ok(usual)
}

/// Folds case as `encoding/json` does: two letters outside of ASCII are equal to one of ASCII.
fn fold(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    });
    letters.collect()
}

/// Edits of a kustomization.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KustomizationEdits {
    name_prefix: Option<String>,
    name_suffix: Option<String>,
    namespace: Option<String>,
    images: Vec<Value>,
    replicas: Vec<Value>,
    labels: BTreeMap<String, String>,
    label_selectors: LabelSelectors,
    annotations: BTreeMap<String, String>,
    components: Vec<String>,
    patches: Vec<Value>,
}

/// Treatment of selectors when labels are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LabelSelectors {
    /// `commonLabels`: labels are also added to selectors.
    #[default]
    Included,
    /// `labels`: selectors are not changed.
    LeftAlone,
}

impl From<&KustomizeOptions> for KustomizationEdits {
    fn from(options: &KustomizeOptions) -> Self {
        Self {
            name_prefix: non_empty(&options.name_prefix),
            name_suffix: non_empty(&options.name_suffix),
            namespace: non_empty(&options.namespace),
            images: options.images.iter().map(|image| parse_image(image)).collect(),
            replicas: options
                .replicas
                .iter()
                .map(|replica| {
                    let digits = replica.count.as_str().and_then(|text| text.parse::<i64>().ok());
                    let count = digits.map_or_else(|| replica.count.clone(), Value::from);
                    json!({"name": replica.name, "count": count})
                })
                .collect(),
            labels: options.common_labels.clone(),
            label_selectors: match options.label_without_selector {
                true => LabelSelectors::LeftAlone,
                false => LabelSelectors::Included,
            },
            annotations: options.common_annotations.clone(),
            components: options.components.clone(),
            patches: options.patches.clone(),
        }
    }
}

impl From<&KustomizationBuild> for KustomizationEdits {
    fn from(build: &KustomizationBuild) -> Self {
        Self {
            name_prefix: build.name_prefix.clone(),
            name_suffix: build.name_suffix.clone(),
            namespace: build.target_namespace.clone(),
            images: build.images.clone(),
            components: build.components.clone(),
            patches: build.patches.clone(),
            ..Self::default()
        }
    }
}

fn non_empty(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// Parses `[name=]image[:tag][@digest]`, as `kustomize edit set image` does.
fn parse_image(text: &str) -> Value {
    let (name, image) = text.split_once('=').map_or((None, text), |(name, image)| (Some(name), image));
    let (image, digest) = image.split_once('@').map_or((image, None), |(image, digest)| (image, Some(digest)));
    // The colon of a port is before a slash.
    let (image, tag) = match image.rsplit_once(':') {
        Some((image, tag)) if !tag.contains('/') => (image, Some(tag)),
        _ => (image, None),
    };
    let mut entry = Map::from_iter([("name".to_owned(), json!(name.unwrap_or(image)))]);
    if name.is_some_and(|name| name != image) {
        entry.insert("newName".into(), json!(image));
    }
    entry.extend(tag.map(|tag| ("newTag".to_owned(), json!(tag))));
    entry.extend(digest.map(|digest| ("digest".to_owned(), json!(digest))));
    Value::Object(entry)
}

impl KustomizationEdits {
    /// Returns true if there are no edits.
    pub fn is_empty(&self) -> bool {
        *self == Self { label_selectors: self.label_selectors, ..Self::default() }
    }

    /// Returns the kustomization with the edits applied.
    pub fn apply(&self, kustomization: Map<String, Value>) -> Map<String, Value> {
        let mut fields = kustomization;
        for (name, value) in
            [("namePrefix", &self.name_prefix), ("nameSuffix", &self.name_suffix), ("namespace", &self.namespace)]
        {
            fields.extend(value.as_ref().map(|value| (name.to_owned(), json!(value))));
        }
        for (name, entries) in [("images", &self.images), ("replicas", &self.replicas)] {
            for entry in entries {
                let list = list(&mut fields, name);
                list.retain(|known| known.get("name") != entry.get("name"));
                list.push(entry.clone());
            }
        }
        if !self.labels.is_empty() {
            match self.label_selectors {
                LabelSelectors::Included => merge(&mut fields, "commonLabels", &self.labels),
                LabelSelectors::LeftAlone => list(&mut fields, "labels").push(json!({"pairs": self.labels})),
            }
        }
        merge(&mut fields, "commonAnnotations", &self.annotations);
        if !self.components.is_empty() {
            list(&mut fields, "components").extend(self.components.iter().map(|component| json!(component)));
        }
        if !self.patches.is_empty() {
            list(&mut fields, "patches").extend(self.patches.iter().cloned());
        }
        fields
    }
}

fn list<'fields>(fields: &'fields mut Map<String, Value>, name: &str) -> &'fields mut Vec<Value> {
    let value = fields.entry(name).or_insert_with(|| json!([]));
    if !value.is_array() {
        *value = json!([]);
    }
    match value {
        Value::Array(items) => items,
        _ => unreachable!("it was just made a list"),
    }
}

fn merge(fields: &mut Map<String, Value>, name: &str, entries: &BTreeMap<String, String>) {
    if entries.is_empty() {
        return;
    }
    let known = fields.entry(name).or_insert_with(|| json!({}));
    if !known.is_object() {
        *known = json!({});
    }
    for (key, value) in entries {
        known[key.as_str()] = json!(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_read_as_kustomize_reads_them() {
        for (text, expected) in [
            ("nginx:1.29", json!({"name": "nginx", "newTag": "1.29"})),
            ("app=ghcr.io/org/app:v2", json!({"name": "app", "newName": "ghcr.io/org/app", "newTag": "v2"})),
            ("localhost:5000/app", json!({"name": "localhost:5000/app"})),
            ("app@sha256:00", json!({"name": "app", "digest": "sha256:00"})),
            ("app=app:v1", json!({"name": "app", "newTag": "v1"})),
        ] {
            assert_eq!(parse_image(text), expected, "{text}");
        }
    }

    #[test]
    fn fields_have_the_names_that_kustomize_reads() {
        let usual = |fields| fields_by_usual_names(fields).map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        for spelling in ["resources", "Resources", "RESOURCES", "re\u{17f}ource\u{17f}", "Re\u{17f}ourceS"] {
            assert_eq!(usual(json!({ spelling: [] })).unwrap(), ["resources"], "{spelling}");
        }
        assert_eq!(usual(json!({"\u{212a}ind": "Kustomization"})).unwrap(), ["kind"]);
        assert_eq!(usual(json!({"OPENAPI": {}, "Vars": []})).unwrap(), ["openapi", "vars"]);
        assert_eq!(usual(Value::Null).unwrap(), [""; 0]);
        for refused in [
            json!({"resources": [], "Resources": []}),
            json!({"<<": {"resources": []}}),
            json!({"resource": []}),
            json!({" resources": []}),
            json!({"res\u{131}ources": []}),
            json!(["resources"]),
        ] {
            assert!(usual(refused.clone()).is_err(), "{refused}");
        }
    }

    #[test]
    fn edits_replace_the_named_fields_and_keep_the_rest() {
        let options: KustomizeOptions = serde_json::from_value(json!({
            "namePrefix": "prod-", "images": ["app:v2"], "replicas": [{"name": "web", "count": "3"}],
            "commonLabels": {"team": "a"}, "patches": [{"path": "p.yaml"}], "components": ["../c"],
        }))
        .unwrap();
        let edits = KustomizationEdits::from(&options);
        assert!(!edits.is_empty() && KustomizationEdits::from(&KustomizeOptions::default()).is_empty());
        let before = json!({
            "resources": ["d.yaml"], "namePrefix": "x-", "commonLabels": {"team": "b", "app": "q"},
            "images": [{"name": "app", "newTag": "v1"}, {"name": "side", "newTag": "v1"}],
        });
        assert_eq!(
            Value::Object(edits.apply(fields_by_usual_names(before).unwrap())),
            json!({
                "resources": ["d.yaml"], "namePrefix": "prod-", "commonLabels": {"team": "a", "app": "q"},
                "images": [{"name": "side", "newTag": "v1"}, {"name": "app", "newTag": "v2"}],
                "replicas": [{"name": "web", "count": 3}], "patches": [{"path": "p.yaml"}], "components": ["../c"],
            })
        );
    }
}
