//! A lower threshold for secrets in snapshots, whose recipients may have no access to the cluster. Literal environment
//! variables, arguments and annotations are hidden unless they are evidently harmless, regardless of their names.

use serde_json::{Map, Value};

use ucp_core::failure::{Failure, fail};
use ucp_core::model::glob;
use ucp_core::model::secrecy::{Placeholders, for_each_variable, is_environment, is_innocuous};
use ucp_core::model::weight::{from_yaml_documents, yaml_options};

/// The place of a hidden value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiteralPlace {
    /// A literal variable of a container.
    Environment,
    /// An argument or a command.
    Argument,
    /// An annotation.
    Annotation,
    /// A value of a ConfigMap.
    ConfigMap,
    /// The schemas of a CustomResourceDefinition, which are left out for their size.
    Schema,
}

/// A value that the user wants to keep: `annotation/example.org/team`, `environment/LOG_*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralException {
    place: LiteralPlace,
    pattern: String,
}

impl std::str::FromStr for LiteralException {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (place, pattern) = text.split_once('/').unwrap_or((text, "*"));
        let place = match place {
            "environment" => LiteralPlace::Environment,
            "argument" => LiteralPlace::Argument,
            "annotation" => LiteralPlace::Annotation,
            "configmap" => LiteralPlace::ConfigMap,
            "schema" => LiteralPlace::Schema,
            other => {
                return fail!(
                    "'{other}' is not a place of values; use environment/NAME, argument/FLAG, annotation/KEY, configmap/NAMESPACE/NAME or schema/NAME"
                );
            }
        };
        Ok(Self { place, pattern: pattern.to_owned() })
    }
}

/// Values that are kept unconditionally.
#[derive(Debug, Clone, Default)]
pub struct LiteralExceptions(pub Vec<LiteralException>);

impl LiteralExceptions {
    /// Returns true if a value with this name is kept.
    pub(super) fn keep(&self, place: LiteralPlace, name: &str) -> bool {
        self.0.iter().any(|exception| exception.place == place && glob::matches(&exception.pattern, name))
    }
}

/// Domains of the annotations of engines and tools; values that users set in them are settings.
const DOMAINS: [&str; 28] = [
    "kubernetes.io",
    "k8s.io",
    "crossplane.io",
    "upbound.io",
    "argoproj.io",
    "fluxcd.io",
    "helm.sh",
    "kubectl-ucp.io",
    "kro.run",
    "cert-manager.io",
    "external-secrets.io",
    "bitnami.com",
    "cattle.io",
    "openshift.io",
    "istio.io",
    "linkerd.io",
    "prometheus.io",
    "azure.com",
    "services.k8s.aws",
    "cloud.google.com",
    "mongodb.com",
    "hashicorp.com",
    "x-k8s.io",
    "kyverno.io",
    "carvel.dev",
    "k14s.io",
    "toolkit.fluxcd.io",
    "gke.io",
];

/// Returns true if an annotation is one of a tool.
fn is_tool_annotation(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    DOMAINS
        .iter()
        .any(|known| domain == *known || domain.strip_suffix(known).is_some_and(|before| before.ends_with('.')))
}

/// Returns true if this threshold permits an annotation.
pub(super) fn is_kept_annotation(key: &str, value: &str, exceptions: &LiteralExceptions) -> bool {
    is_tool_annotation(key) || is_innocuous(value) || exceptions.keep(LiteralPlace::Annotation, key)
}

/// Returns true if an object may have such values, before it is parsed.
pub(super) fn may_have_literals(text: &str) -> bool {
    let has = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    // In fields, and in documents within texts.
    [
        "\"env",
        "\"Env",
        "ars\":",
        "ARS\":",
        "ariables\":",
        "ARIABLES\":",
        "\"varmap\":",
        "rgs\":",
        "\"command\":",
        "xtraEnv",
        "\"environment",
    ]
    .into_iter()
    .any(has)
        || may_be_document(text)
}

/// Returns true if a text may contain a document with such values.
fn may_be_document(text: &str) -> bool {
    let has = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    [
        "env:",
        "Env:",
        "envs:",
        "ars:",
        "ariables:",
        "varmap:",
        "nvironment:",
        "rgs:",
        "ommand:",
        "env\\\"",
        "ars\\\"",
        "ariables\\\"",
        "varmap\\\"",
        "rgs\\\"",
        "ommand\\\"",
    ]
    .into_iter()
    .any(has)
}

/// Returns true if a field contains arguments of a program.
fn is_arguments(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "command" || lower.ends_with("args")
}

/// Longest text that is searched as a document; a longer one is hidden.
const LONGEST_DOCUMENT: usize = 1 << 20;

/// Returns the maps and lists in a text in YAML or JSON; `None` if it contains something else.
fn documents(text: &str) -> Option<Vec<Value>> {
    let documents: Vec<Value> = from_yaml_documents(text, yaml_options(text.len())).ok()?;
    documents.iter().all(|document| document.is_object() || document.is_array()).then_some(documents)
}

/// Returns the number of fields with annotations in an object: its own, those of templates, `podAnnotations` and the
/// like. Names in `managedFields` do not count.
pub(super) fn count_annotations(text: &str) -> usize {
    let count = |name: &[u8]| memchr::memmem::find_iter(text.as_bytes(), name).count();
    count(b"nnotations\"").saturating_sub(count(b"\"f:annotations\""))
}

/// Hides the literal values of an object, and returns their number.
pub(super) fn hide_literals(value: &mut Value, exceptions: &LiteralExceptions, placeholders: &Placeholders) -> usize {
    let hider = LiteralHider { exceptions, placeholders };
    hider.walk(value)
}

struct LiteralHider<'a> {
    exceptions: &'a LiteralExceptions,
    placeholders: &'a Placeholders,
}

impl LiteralHider<'_> {
    fn walk(&self, value: &mut Value) -> usize {
        match value {
            Value::Object(fields) => fields.iter_mut().map(|(name, value)| self.field(name, value)).sum(),
            Value::Array(items) => items.iter_mut().map(|item| self.walk(item)).sum(),
            Value::String(text)
                if text.contains(['\n', '{', '[']) && (may_be_document(text) || may_have_literals(text)) =>
            {
                let (changed, hidden) = self.text(text);
                if hidden > 0 {
                    *value = Value::String(changed);
                }
                hidden
            }
            _ => 0,
        }
    }

    /// Hides the literal values of a document in a text, such as Helm values.
    fn text(&self, text: &str) -> (String, usize) {
        if text.len() > LONGEST_DOCUMENT {
            return (self.placeholders.placeholder(text), 1);
        }
        let Some(mut documents) = documents(text) else { return (String::new(), 0) };
        let hidden = documents.iter_mut().map(|document| self.walk(document)).sum();
        let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
        (documents.join("\n---\n"), hidden)
    }

    fn field(&self, name: &str, value: &mut Value) -> usize {
        match value {
            Value::Object(annotations) if name == "annotations" || name == "commonAnnotations" => {
                self.hide_annotations(annotations)
            }
            Value::Object(_) | Value::Array(_) if is_environment(name) => {
                let mut hidden = 0;
                for_each_variable(value, &mut |name, value| hidden += self.hide_variable(name, value));
                hidden
            }
            Value::Array(items) if is_arguments(name) => {
                let is_command = matches!(name, "args" | "command");
                self.hide_arguments(items, is_command)
            }
            Value::Object(flags) if is_arguments(name) => {
                let hide = |(flag, value): (&String, &mut Value)| self.hide_flag(flag, value);
                flags.iter_mut().map(hide).sum()
            }
            Value::String(line) if is_arguments(name) && !line.contains('\n') => {
                let (changed, hidden) = self.hide_line(line);
                *line = changed;
                hidden
            }
            Value::String(script) if is_arguments(name) => {
                *value = Value::String(self.placeholders.placeholder(script));
                1
            }
            other => self.walk(other),
        }
    }

    fn hide_annotations(&self, annotations: &mut Map<String, Value>) -> usize {
        let hidden = annotations.iter_mut().filter(|(key, value)| {
            value.as_str().is_some_and(|value| !is_kept_annotation(key, value, self.exceptions))
        });
        hidden.map(|(_, value)| self.placeholders.hide_all(value).0).sum()
    }

    fn hide_variable(&self, name: &str, value: &mut Value) -> usize {
        let is_kept = value.as_str().is_none_or(is_innocuous) || self.exceptions.keep(LiteralPlace::Environment, name);
        if is_kept { 0 } else { self.placeholders.hide_all(value).0 }
    }

    /// Hides the value of a flag in a map of flags.
    fn hide_flag(&self, flag: &str, value: &mut Value) -> usize {
        let is_kept = match value.as_str() {
            Some(text) => is_innocuous(text),
            None => !value.is_array() && !value.is_object(),
        };
        let flag = flag.trim_start_matches('-');
        if is_kept || self.exceptions.keep(LiteralPlace::Argument, flag) {
            0
        } else {
            self.placeholders.hide_all(value).0
        }
    }

    /// Hides arguments in one text.
    fn hide_line(&self, line: &str) -> (String, usize) {
        let Some(words) = shlex::split(line) else { return (self.placeholders.placeholder(line), 1) };
        let mut words: Vec<Value> = words.into_iter().map(Value::String).collect();
        match self.hide_arguments(&mut words, true) {
            0 => (line.to_owned(), 0),
            hidden => (words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "), hidden),
        }
    }

    /// Hides arguments except the names of flags and the program.
    fn hide_arguments(&self, items: &mut [Value], is_command: bool) -> usize {
        let mut hidden = 0;
        let mut flag = String::new();
        for (at, item) in items.iter_mut().enumerate() {
            if item.is_object() {
                // `{name, value}`
                let flag = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                hidden += item.get_mut("value").map_or(0, |value| self.hide_flag(&flag, value));
                continue;
            }
            let Some(text) = item.as_str() else { continue };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) if text.starts_with('-') => (name.to_owned(), Some(value)),
                _ => (text.to_owned(), None),
            };
            let is_long = text.starts_with("--") && is_word(name.trim_start_matches('-'));
            let is_short = text.starts_with('-') && text.len() <= 2;
            let is_kept = |name: &str| self.exceptions.keep(LiteralPlace::Argument, name.trim_start_matches('-'));
            match value {
                Some(value) if is_innocuous(value) || is_kept(&name) => {}
                Some(value) => {
                    *item = Value::String(format!("{name}={}", self.placeholders.placeholder(value)));
                    hidden += 1;
                }
                None if is_long || is_short || is_innocuous(text) || is_kept(&flag) => {}
                None if at == 0 && is_command && is_program(text) => {}
                None => {
                    let placeholder = self.placeholders.placeholder(text);
                    *item = Value::String(placeholder);
                    hidden += 1;
                }
            }
            flag = name;
        }
        hidden
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Returns true if the first word is a program, a path or a subcommand.
fn is_program(text: &str) -> bool {
    text.len() <= 128
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || "-_./".contains(c) || c.is_ascii_digit() && text.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_says_nothing_is_kept_of_literals() {
        let placeholders = Placeholders::new().unwrap();
        let mut object = json!({
            "metadata": {"annotations": {"example.org/note": "canary", "argocd.argoproj.io/sync-wave": "-1", "example.org/on": "true"}},
            "spec": {"containers": [{
                "command": ["/usr/local/bin/argocd-repo-server"],
                "args": ["start", "--debug", "--poll=1m", "--token=canary", "--login", "canary", "-pcanary", "canary", "--max=10"],
                "env": [{"name": "A", "value": "canary"}, {"name": "N", "value": "5"}, {"Name": "B", "Value": "canary"}],
            }], "environment": {"X": "canary"}},
        });
        let hidden = hide_literals(&mut object, &LiteralExceptions::default(), &placeholders);
        assert_eq!(hidden, 8, "{object:#}");
        let text = object.to_string();
        assert!(!text.contains("canary"), "{text}");
        for kept in [
            "argocd-repo-server",
            "start",
            "--debug",
            "--poll=1m",
            "--token=",
            "--login",
            "--max=10",
            "\"-1\"",
            "\"5\"",
        ] {
            assert!(text.contains(kept), "{kept} {text}");
        }
    }

    #[test]
    fn literals_are_hidden_in_every_form() {
        let placeholders = Placeholders::new().unwrap();
        let values =
            "image: nginx\nenv:\n- name: GREETING\n  value: canary words\nextraArgs: [\"--greeting=canary\"]\n";
        let json = json!({"controller": {"env": {"GREETING": "canary"}, "additionalArgs": {"greeting": "canary"}}});
        let mut object = json!({
            "spec": {
                "env": ["GREETING=canary=x", "LEVEL=5", "PLAIN"],
                "args": "--greeting canary --login='canary 2' --debug",
                "command": "echo canary\ncat canary",
                "extraArgs": ["canary", "--greeting", "canary"],
                "additionalArgs": {"greeting": "canary", "v": "5", "on": true},
                "extra_args": [{"name": "greeting", "value": "canary"}],
                "values": values,
                "more": json.to_string(),
                "two": format!("{values}---\n{values}"),
                "prose": "in env: nothing\nis canarie",
            },
        });
        assert!(may_have_literals(&object.to_string()));
        let hidden = hide_literals(&mut object, &LiteralExceptions::default(), &placeholders);
        let text = object.to_string();
        assert!(!text.contains("canary"), "{object:#}");
        assert_eq!(hidden, 1 + 2 + 1 + 2 + 1 + 1 + 2 + 2 + 4, "{object:#}");
        for kept in ["GREETING=", "LEVEL=5", "PLAIN", "--greeting", "--debug", "\"v\":\"5\"", "nginx", "is canarie"] {
            assert!(text.contains(kept), "{kept} {object:#}");
        }
        for field in ["values", "more", "two"] {
            let alone = json!({ "kind": "Thing", "spec": {field: object["spec"][field]} });
            assert!(may_have_literals(&alone.to_string()), "{alone}");
        }
    }

    #[test]
    fn exceptions_are_kept() {
        let exceptions = ["environment/LOG_*", "annotation/example.org/team", "argument/region"];
        let exceptions = LiteralExceptions(exceptions.iter().map(|one| one.parse().unwrap()).collect());
        let mut object = json!({
            "annotations": {"example.org/team": "web", "example.org/other": "x y"},
            "env": [{"name": "LOG_FORMAT", "value": "pretty"}, {"name": "OTHER", "value": "pretty"}],
            "args": ["x", "--region=eu-central-1", "--region", "eu-central-1", "--other=eu-central-1"],
        });
        assert_eq!(hide_literals(&mut object, &exceptions, &Placeholders::new().unwrap()), 3, "{object:#}");
        assert!("password/x".parse::<LiteralException>().is_err());
    }
}
