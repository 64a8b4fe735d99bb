//! Field selectors, as kubectl's `--field-selector`.

use serde_json::Value;

use super::path::ObjectPath;
use ucp_core::failure::{Failure, fail};

/// The requirements of a field selector, all of which must be met.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSelector(Vec<FieldRequirement>);

#[derive(Debug, PartialEq, Eq)]
struct FieldRequirement {
    field: String,
    value: String,
    comparison: FieldComparison,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldComparison {
    Equal,
    Different,
}

impl FieldSelector {
    /// Parses a selector for a kind.
    ///
    /// # Errors
    /// Returns the reason why a server refuses it, such as a field that the kind has no index for.
    pub(super) fn parse(text: &str, path: &ObjectPath<'_>, selectable: &[String]) -> Result<Self, Failure> {
        let requirement = |term: &str| {
            let (field, value, comparison) = if let Some((field, value)) = term.split_once("!=") {
                (field, value, FieldComparison::Different)
            } else if let Some((field, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
                (field, value, FieldComparison::Equal)
            } else {
                return fail!("invalid field selector: '{term}'");
            };
            let (field, value) = (field.trim().to_owned(), unescape(value));
            if !supported_fields(path).contains(&field.as_str()) && !selectable.contains(&field) {
                return fail!("field label not supported: {field}");
            }
            Ok(FieldRequirement { field, value, comparison })
        };
        split_at_commas(text)
            .into_iter()
            .filter(|term| !term.is_empty())
            .map(requirement)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|requirement| {
            let found = requirement.field.split('.').try_fold(object, |value, field| value.get(field));
            let found = match found {
                Some(Value::String(text)) => text.clone(),
                None | Some(Value::Null) => absent(&requirement.field).to_owned(),
                Some(value) => value.to_string(),
            };
            (found == requirement.value) == (requirement.comparison == FieldComparison::Equal)
        })
    }
}

/// Returns the value that a server uses for an absent field.
fn absent(field: &str) -> &'static str {
    match field {
        "spec.unschedulable" | "spec.hostNetwork" => "false",
        "status.successful" | "status.replicas" => "0",
        _ => "",
    }
}

fn split_at_commas(text: &str) -> Vec<&str> {
    let mut is_escaped = false;
    text.split(|character| {
        let splits = character == ',' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        splits
    })
    .collect()
}

fn unescape(value: &str) -> String {
    let mut characters = value.chars();
    let mut text = String::new();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

/// The fields by which Kubernetes selects objects of a kind: `AddFieldLabelConversionFunc` in `pkg/apis/*/v1`.
fn supported_fields(path: &ObjectPath<'_>) -> &'static [&'static str] {
    match (path.group, path.plural) {
        ("", "pods") => &[
            "metadata.name",
            "metadata.namespace",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        ("", "events") => &[
            "metadata.name",
            "metadata.namespace",
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        ("", "nodes") => &["metadata.name", "spec.unschedulable"],
        ("", "namespaces") => &["metadata.name", "status.phase"],
        ("", "secrets") => &["metadata.name", "metadata.namespace", "type"],
        ("", "services") => &["metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type"],
        ("", "replicationcontrollers") | ("apps", "replicasets") => {
            &["metadata.name", "metadata.namespace", "status.replicas"]
        }
        ("batch", "jobs") => &["metadata.name", "metadata.namespace", "status.successful"],
        ("certificates.k8s.io", "certificatesigningrequests") => &["metadata.name", "spec.signerName"],
        _ => &["metadata.name", "metadata.namespace"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pods() -> ObjectPath<'static> {
        ObjectPath { group: "", version: "v1", plural: "pods", namespace: None, name: None, subresource: None }
    }

    #[test]
    fn fields_select_and_unknown_fields_are_refused() {
        let pod = json!({"metadata": {"name": "a,b"}, "status": {"phase": "Running"}});
        for (text, is_selected) in [
            ("", true),
            ("status.phase=Running", true),
            ("status.phase==Running,metadata.name=a\\,b", true),
            ("status.phase!=Running", false),
            ("spec.nodeName=", true),
            ("spec.hostNetwork=false", true),
        ] {
            assert_eq!(FieldSelector::parse(text, &pods(), &[]).unwrap().matches(&pod), is_selected, "{text}");
        }
        assert!(FieldSelector::parse("spec.x=1", &pods(), &[]).is_err());
        assert!(FieldSelector::parse("spec.x=1", &pods(), &["spec.x".to_owned()]).is_ok());
        assert!(FieldSelector::parse("phase", &pods(), &[]).is_err());
    }
}
