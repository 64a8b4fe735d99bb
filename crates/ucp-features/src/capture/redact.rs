//! Redaction of objects for snapshots. The policy for texts and fields is in [`ucp_core::model::secrecy`]; this module has
//! the rules of specific kinds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::definition::{with_schemas, without_schemas};
use super::literal::{self, LiteralExceptions, LiteralPlace};
use crate::adopt::credential::first_certificate;
use crate::adopt::{argocd, redaction};
use ucp_client::source::snapshot::index::HiddenValues;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::secret;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::{
    Placeholders, REGISTRATION_FACTS, holds_secrets, is_clean, is_runner, may_be_neutral, register_value_of_secret,
    scrub,
};
use ucp_core::model::weight::from_json;

/// An object as it is written.
pub(super) struct RedactedObject {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) json: String,
    /// The number of hidden values, by place.
    pub(super) hidden: HiddenValues,
}

/// Annotations with the manifest that a tool applied, as text that may contain any value.
const APPLIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "objectset.rio.cattle.io/applied",
    "kapp.k14s.io/original",
    "banzaicloud.com/last-applied",
    "meta.helm.sh/last-applied",
    "pv.kubernetes.io/last-applied",
];
/// Part of the names of such annotations of other tools.
const LAST_APPLIED: &str = "last-applied";
/// Fields that are hidden at any depth of a kind that runs Terraform or Ansible: inputs and outputs may be secrets.
const OPAQUE: [&str; 14] = [
    "stringData",
    "outputs",
    "vars",
    "varmap",
    "varFiles",
    "variables",
    "environmentVariables",
    "env",
    "envRefs",
    "inlineModule",
    "module",
    "playbookInline",
    "terraformVariables",
    "values",
];
/// Fields of kinds that create Secrets.
const TEMPLATES: [&str; 1] = ["stringData"];
/// Keys with kubeconfigs in the Secrets of provisioners and of Flux.
const KUBECONFIGS: [&str; 4] = ["kubeconfig", "value", "value.yaml", "config"];
/// Clouds in ConfigMaps with a cluster for Flux, and their keys: `spec.kubeConfig.configMapRef`.
const PROVIDERS: [&str; 4] = ["aws", "azure", "gcp", "generic"];
const OF_CLUSTER_MAPS: [&str; 6] = ["provider", "cluster", "address", "ca.crt", "audiences", "serviceAccountName"];
/// Keys of Argo CD's settings that only configure its behavior.
const SETTINGS: [&str; 14] = [
    "installationID",
    "cluster.inClusterEnabled",
    "admin.enabled",
    "application.",
    "resource.",
    "timeout.",
    "kustomize.",
    "url",
    "users.",
    "controller.",
    "server.insecure",
    "applicationsetcontroller.",
    "reposerver.",
    "exec.enabled",
];

/// Parses an object and redacts it. The error never quotes it.
///
/// # Errors
/// Fails when the text is not an object.
pub(super) fn redact(
    kind: &ResourceKind,
    text: &str,
    exceptions: &LiteralExceptions,
    placeholders: &Placeholders,
) -> Result<RedactedObject, Failure> {
    let redact = |text: &str| {
        unredacted(kind, text, exceptions).map_or_else(|| redact_parts(kind, text, exceptions, placeholders), Ok)
    };
    if !is_kind(kind, "apiextensions.k8s.io", "CustomResourceDefinition") {
        return redact(text);
    }
    let complain = |error: serde_json::Error| parse_error(&error);
    let mut redacted = redact(&without_schemas(text).map_err(complain)?)?;
    if exceptions.keep(LiteralPlace::Schema, &redacted.name) {
        redacted.json = with_schemas(&redacted.json, text).map_err(complain)?;
    }
    Ok(redacted)
}

fn parse_error(error: &serde_json::Error) -> String {
    format!("an object in it is invalid at column {}", error.column())
}

/// Returns an object without secrets unchanged, byte for byte, without parsing it completely; most objects have none.
fn unredacted(kind: &ResourceKind, text: &str, exceptions: &LiteralExceptions) -> Option<RedactedObject> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ObjectHead<'a> {
        #[serde(borrow)]
        api_version: Option<&'a RawValue>,
        #[serde(borrow)]
        kind: Option<&'a RawValue>,
        #[serde(borrow)]
        metadata: ObjectHeadMetadata<'a>,
    }
    #[derive(Deserialize)]
    struct ObjectHeadMetadata<'a> {
        name: String,
        namespace: Option<String>,
        #[serde(borrow, default)]
        annotations: Option<BTreeMap<Cow<'a, str>, Cow<'a, str>>>,
    }
    let has_rules = matches!((kind.group.as_str(), kind.kind.as_str()), ("", "Secret" | "ConfigMap"))
        || is_runner(&kind.kind)
        || holds_secrets(&kind.group, &kind.kind);
    // One line per object, and nothing that YAML parses differently: it has no surrogate pairs.
    let is_yaml =
        |text: &str| !text.bytes().any(|byte| byte < b' ') && ![r"\ud", r"\uD"].iter().any(|pair| text.contains(pair));
    if has_rules || !is_yaml(text) || literal::may_have_literals(text) || !is_clean(text, &is_suspect) {
        return None;
    }
    let ObjectHead { api_version, kind: of_kind, metadata: ObjectHeadMetadata { name, namespace, annotations } } =
        serde_json::from_str(text).ok()?;
    // Only the object's own annotations are checked here; others are of templates.
    if literal::count_annotations(text) != usize::from(annotations.is_some()) {
        return None;
    }
    if annotations.iter().flatten().any(|(key, value)| !literal::is_kept_annotation(key, value, exceptions)) {
        return None;
    }
    // Items of a list omit the fields that the list has.
    let json = match (api_version, of_kind) {
        (Some(_), Some(_)) => text.to_owned(),
        (None, None) => {
            let rest = text.strip_prefix('{')?;
            format!(r#"{{"apiVersion":"{}","kind":"{}",{rest}"#, kind.api_version(), kind.kind)
        }
        _ => return None,
    };
    Some(RedactedObject { namespace, name, json, hidden: HiddenValues::default() })
}

/// Returns true if a value below a field of this name, or the name itself, may have to be hidden.
fn is_suspect(name: &str) -> bool {
    TEMPLATES.contains(&name)
        || may_be_neutral(name)
        || APPLIED.contains(&name)
        || name.len() >= LAST_APPLIED.len() && name.contains(LAST_APPLIED)
        || matches!(name.get(..2), Some("v:" | "k:")) && matches!(scrub(name), Cow::Owned(_))
}

/// Returns an object with its secrets hidden one by one.
fn redact_parts(
    kind: &ResourceKind,
    text: &str,
    exceptions: &LiteralExceptions,
    placeholders: &Placeholders,
) -> Result<RedactedObject, Failure> {
    let mut object: Value = from_json(text.as_bytes()).map_err(|error| parse_error(&error))?;
    let Some(fields) = object.as_object_mut() else { return fail!("an object of it is none") };
    // Items of a list omit the fields that the list has.
    fields.entry("apiVersion").or_insert_with(|| kind.api_version().into());
    fields.entry("kind").or_insert_with(|| kind.kind.clone().into());
    let mut hidden = HiddenValues::default();
    let metadata = fields.get_mut("metadata").and_then(Value::as_object_mut);
    let text_of =
        |metadata: &Map<String, Value>, field: &str| metadata.get(field).and_then(Value::as_str).map(str::to_owned);
    let (mut namespace, mut name) = (None, String::new());
    if let Some(metadata) = metadata {
        namespace = text_of(metadata, "namespace");
        name = text_of(metadata, "name").unwrap_or_default();
        hidden.applied = hide_applied_annotations(metadata, placeholders);
        for entry in metadata.get_mut("managedFields").and_then(Value::as_array_mut).into_iter().flatten() {
            hidden.applied += hide_managed_field_keys(entry, placeholders);
        }
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => hidden.secrets = redact_secret(fields, placeholders),
        ("", "ConfigMap") => {
            let full = format!("{}/{name}", namespace.as_deref().unwrap_or_default());
            if !exceptions.keep(LiteralPlace::ConfigMap, &full) {
                hidden.config_maps = redact_config_map(fields, &name, placeholders);
            }
        }
        (_, one) if is_runner(one) => hidden.runs = hide_fields(&mut object, &OPAQUE, placeholders),
        _ => hidden.secrets = hide_fields(&mut object, &TEMPLATES, placeholders),
    }
    if !is_kind(kind, "", "Secret") {
        hidden.secrets += placeholders.hide_neutral(&mut object).0;
    }
    hidden.literals = literal::hide_literals(&mut object, exceptions, placeholders);
    let names = if kind.group == "external-secrets.io" { key_names(&object) } else { Vec::new() };
    let kept = is_kind(kind, "", "Secret").then(|| object.get_mut("stringData").map(Value::take)).flatten();
    hidden.texts = placeholders.hide(&mut object).0;
    for (path, name) in names {
        if let Some(value) = object.pointer_mut(&path) {
            *value = name;
        }
    }
    if let (Some(kept), Some(fields)) = (kept, object.as_object_mut()) {
        // Assembled from values that are not secret.
        fields.insert("stringData".to_owned(), kept);
    }
    let json = serde_json::to_string(&object).map_err(|error| parse_error(&error))?;
    Ok(RedactedObject { namespace, name, json, hidden })
}

/// Returns the JSON pointers and values of the fields in which External Secrets has keys of Secrets, under names that
/// suggest a secret: `secretKey`.
fn key_names(object: &Value) -> Vec<(String, Value)> {
    let mut names = Vec::new();
    for list in ["/spec/data", "/spec/externalSecretSpec/data"] {
        let entries = object.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
        let paths =
            (0..entries).flat_map(|at| ["secretKey", "match/secretKey"].map(|field| format!("{list}/{at}/{field}")));
        names.extend(paths.filter_map(|path| {
            let name = object.pointer(&path)?.as_str().filter(|name| is_key(name))?;
            Some((path.clone(), json!(name)))
        }));
    }
    names
}

/// Returns true if a text has the form of a Secret's key.
fn is_key(text: &str) -> bool {
    text.len() <= 63 && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
}

fn is_kind(kind: &ResourceKind, group: &str, name: &str) -> bool {
    kind.group == group && kind.kind == name
}

fn hide_applied_annotations(metadata: &mut Map<String, Value>, placeholders: &Placeholders) -> usize {
    let Some(Value::Object(annotations)) = metadata.get_mut("annotations") else { return 0 };
    let applied =
        annotations.iter_mut().filter(|(key, _)| APPLIED.contains(&key.as_str()) || key.contains(LAST_APPLIED));
    applied.map(|(_, value)| placeholders.hide_all(value).0).sum()
}

/// Hides values in managed fields, which identify elements of lists by their values: `v:"…"` and `k:{…}`.
fn hide_managed_field_keys(value: &mut Value, placeholders: &Placeholders) -> usize {
    let Value::Object(fields) = value else { return 0 };
    let mut hidden = fields.values_mut().map(|value| hide_managed_field_keys(value, placeholders)).sum();
    let telling: Vec<String> =
        fields.keys().filter(|key| key.starts_with("v:") || key.starts_with("k:")).cloned().collect();
    for key in telling {
        let safe = placeholders.hide_in(&key);
        if safe != key
            && let Some(value) = fields.remove(&key)
        {
            fields.insert(safe, value);
            hidden += 1;
        }
    }
    hidden
}

fn redact_secret(object: &mut Map<String, Value>, placeholders: &Placeholders) -> usize {
    let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
    let label = |name: &str| labels?.get(name)?.as_str();
    let is_cluster = label(argocd::LABEL.0) == Some(argocd::LABEL.1);
    let mut readable = Map::new();
    for (key, value) in object.get("data").and_then(Value::as_object).into_iter().flatten() {
        if let Some(bytes) = value.as_str().and_then(|encoded| BASE64.decode(encoded.trim()).ok()) {
            register_value_of_secret(label, key, &bytes);
        }
        let Some(text) = value.as_str().and_then(secret::decode) else { continue };
        let text = text.expose_secret();
        let kept = match key.as_str() {
            "config" if is_cluster => redaction::argocd_config(text, placeholders),
            key if is_cluster && REGISTRATION_FACTS.contains(&key) => Some(placeholders.hide_in(text)),
            key if !is_cluster && KUBECONFIGS.contains(&key) => Some(redaction::kubeconfig(text, placeholders)),
            // A certificate is public, and has the expiry date.
            secret::CERTIFICATE => first_certificate(text),
            // Flux accepts any key.
            _ if !is_cluster && text.contains("clusters") && text.contains("current-context") => {
                Some(redaction::kubeconfig(text, placeholders))
            }
            _ => None,
        };
        readable.extend(kept.map(|kept| (key.clone(), json!(kept))));
    }
    object.remove("stringData");
    let hidden = object.get_mut("data").map_or(0, |data| placeholders.hide_all(data).0);
    if !readable.is_empty() {
        object.insert("stringData".to_owned(), Value::Object(readable));
    }
    hidden
}

/// Hides the values of a ConfigMap, except those that configure an engine or identify a cluster for Flux.
fn redact_config_map(object: &mut Map<String, Value>, name: &str, placeholders: &Placeholders) -> usize {
    let mut hidden = object.get_mut("binaryData").map_or(0, |data| placeholders.hide_all(data).0);
    let Some(Value::Object(data)) = object.get_mut("data") else { return hidden };
    let provider = data.get("provider").and_then(Value::as_str);
    let names_cluster = provider.is_some_and(|provider| PROVIDERS.contains(&provider));
    let is_settings = matches!(name, "argocd-cm" | "argocd-cmd-params-cm");
    for (key, value) in data {
        let is_setting = is_settings && SETTINGS.iter().any(|known| key.starts_with(known));
        let is_of_cluster = names_cluster && OF_CLUSTER_MAPS.contains(&key.as_str());
        if !is_of_cluster && !is_setting {
            hidden += placeholders.hide_all(value).0;
        }
    }
    hidden
}

/// Hides all values below the named fields, at any depth.
fn hide_fields(value: &mut Value, names: &[&str], placeholders: &Placeholders) -> usize {
    match value {
        Value::Object(fields) => fields
            .iter_mut()
            .map(|(key, value)| match names.contains(&key.as_str()) {
                true => placeholders.hide_all(value).0,
                false => hide_fields(value, names, placeholders),
            })
            .sum(),
        Value::Array(items) => items.iter_mut().map(|item| hide_fields(item, names, placeholders)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn thing() -> ResourceKind {
        ResourceKind { version: "v1".to_owned(), ..ResourceKind::guess("example.org", "Thing") }
    }

    /// Generates fields and texts, many of which have to be hidden.
    fn parts() -> impl Strategy<Value = Value> {
        let names = prop::sample::select(vec![
            "kind",
            "name",
            "value",
            "data",
            "stringData",
            "password",
            "spec",
            "v:\"token=canary1\"",
            "k:{\"type\":\"Ready\"}",
            "kapp.k14s.io/original",
            "example.org/last-applied",
            "jwt",
            "key",
            "pin",
            "auth",
            "tokens",
            "https://bot:canary1@example.org/",
            "CanaryQx7310",
        ]);
        let texts = vec![
            "Secret",
            "DB_PASSWORD",
            "plain",
            "CanaryQx7310",
            "license",
            "redis://:canary@r/0",
            "{\"token\":\"canary\"}",
            "\u{1F511} <b>\n",
            "",
        ];
        let leaf = prop_oneof![4 => prop::sample::select(texts).prop_map(Value::from), 1 => Just(json!(7))];
        leaf.prop_recursive(4, 30, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..4)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_fast_path_of_redaction_has_the_same_result(spec in parts(), annotations in parts(), managed in parts()) {
            let object = json!({
                "apiVersion": "example.org/v1",
                "kind": "Thing",
                "metadata": {"name": "a", "namespace": "b", "annotations": annotations, "managedFields": [managed]},
                "spec": spec,
            });
            let placeholders = Placeholders::new().unwrap();
            let (text, kind) = (object.to_string(), thing());
            let apart = redact_parts(&kind, &text, &LiteralExceptions::default(), &placeholders).unwrap();
            let kept = redact(&kind, &text, &LiteralExceptions::default(), &placeholders).unwrap();
            prop_assert_eq!(kept.hidden, apart.hidden);
            prop_assert_eq!(
                serde_json::from_str::<Value>(&kept.json).unwrap(),
                serde_json::from_str::<Value>(&apart.json).unwrap()
            );
            prop_assert_eq!((kept.name, kept.namespace), (apart.name, apart.namespace));
        }
    }

    #[test]
    fn items_of_lists_get_their_kind_and_each_line_is_an_object() {
        let kind = thing();
        let plain = r#"{"metadata":{"name":"a"},"spec":{"tags":["x"]}}"#;
        let kept = unredacted(&kind, plain, &LiteralExceptions::default()).expect("there is nothing to hide");
        assert_eq!(kept.json, format!(r#"{{"apiVersion":"example.org/v1","kind":"Thing",{}"#, &plain[1..]));
        // Formatted in several lines, or with text that YAML does not parse.
        for odd in ["{\n\"metadata\":{\"name\":\"a\"}}", r#"{"metadata":{"name":"a","labels":{"b":"\ud83d\udd11"}}}"#] {
            assert!(unredacted(&kind, odd, &LiteralExceptions::default()).is_none());
            let kept = redact(&kind, odd, &LiteralExceptions::default(), &Placeholders::new().unwrap()).unwrap();
            assert!(!kept.json.contains('\n') && !kept.json.contains(r"\u"), "{}", kept.json);
        }
    }
}
