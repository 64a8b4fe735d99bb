//! A lower threshold for secrets in snapshots, whose recipients may have no access to the cluster. Literal environment
//! variables, arguments and annotations are hidden unless they are evidently harmless, regardless of their names.

mod hider;
mod program;
mod template;

use serde_json::Value;

use hider::LiteralHider;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::glob;
use ucp_core::model::secrecy::{Placeholders, is_environment, is_innocuous};

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

/// Returns true if an annotation holds a part of a configuration, such as a snippet for a proxy: it may set any header.
fn is_configuration(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default();
    ["snippet", "snippets", "script", "scripts", "headers"].iter().any(|ending| name.ends_with(ending))
        || name.contains("-template")
}

/// Returns true if this threshold permits an annotation.
pub(super) fn is_kept_annotation(key: &str, value: &str, exceptions: &LiteralExceptions) -> bool {
    is_tool_annotation(key) && !is_configuration(key)
        || is_innocuous(value)
        || exceptions.keep(LiteralPlace::Annotation, key)
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
        "nvironmentVariable\"",
        "ppSetting",
        "pplicationSettings",
        "onfigVar",
        "httpHeaders",
        "substitute\"",
        "ConfigMap",
        "rgs/",
        "/env/",
        "nnotations/",
    ]
    .into_iter()
    .any(has)
        || may_be_document(text)
        || program::may_have_places(text)
}

/// Returns true if a text may contain a document with such values.
fn may_be_document(text: &str) -> bool {
    let has = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    [
        "env:",
        "Env:",
        "ConfigMap",
        "nnotations:",
        "nnotations/",
        "rgs/",
        "/env/",
        "httpHeaders:",
        "envs:",
        "ars:",
        "ariables:",
        "varmap:",
        "nvironment:",
        "nvironmentVariable:",
        "ppSettings:",
        "ppSettings\\\"",
        "pplicationSettings:",
        "onfigVar:",
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

/// Returns true if a field contains values by name that may be secrets: variables, headers, and substitutions.
fn is_named_values(name: &str) -> bool {
    is_environment(name) || matches!(name, "httpHeaders" | "substitute")
}

/// Returns true if a field contains annotations, of an object or of others: `podAnnotations`.
fn is_annotations(name: &str) -> bool {
    name.ends_with("nnotations")
}

/// Returns true if a field contains arguments of a program.
fn is_arguments(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "command" || lower.ends_with("args")
}

/// Returns the number of fields with annotations in an object: its own, those of templates, `podAnnotations` and the
/// like. Names in `managedFields` do not count.
pub(super) fn count_annotations(text: &str) -> usize {
    let count = |name: &[u8]| memchr::memmem::find_iter(text.as_bytes(), name).count();
    count(b"nnotations\"").saturating_sub(count(b"\"f:annotations\""))
}

/// Hides the literal values of an object, and returns their number.
pub(super) fn hide_literals(value: &mut Value, exceptions: &LiteralExceptions, placeholders: &Placeholders) -> usize {
    LiteralHider { exceptions, placeholders }.hide_in_object(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_harmless_literals_are_kept() {
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
    fn settings_of_apps_and_parts_of_configurations_are_hidden() {
        for object in [
            json!({"forProvider": {"appSettings": {"STRIPE": "canary"}}}),
            json!({"siteConfig": [{"appSettings": [{"name": "STRIPE", "value": "canary"}]}]}),
            json!({"environment": [{"environmentVariable": [{"name": "STRIPE", "type": "PLAINTEXT", "value": "canary"}]}]}),
            json!({"spec": {"environmentVariable": [{"name": "STRIPE", "value": "canary"}]}}),
            json!({"annotations": {"nginx.ingress.kubernetes.io/configuration-snippet": "proxy_set_header X-Key canary;"}}),
            json!({"annotations": {"vault.hashicorp.com/agent-inject-template-db": "{{ with }}canary{{ end }}"}}),
            json!({"annotations": {"traefik.ingress.kubernetes.io/custom-request-headers": "X-Key:canary"}}),
        ] {
            assert!(may_have_literals(&object.to_string()) || object.to_string().contains("nnotations"), "{object}");
            let mut shown = object.clone();
            hide_literals(&mut shown, &LiteralExceptions::default(), &Placeholders::new().unwrap());
            assert!(!shown.to_string().contains("canary"), "{shown}");
        }
        let kept = json!({
            "annotations": {"nginx.ingress.kubernetes.io/rewrite-target": "/api"},
            "settings": {"mode": "shown"}, "environmentName": "shown", "configVersion": "shown",
        });
        let mut shown = kept.clone();
        hide_literals(&mut shown, &LiteralExceptions::default(), &Placeholders::new().unwrap());
        assert_eq!(shown, kept);
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
