//! Reviews of rights: everything may be read, and nothing written.

use prost::Message as _;
use serde_json::{Value, json};

/// Answers a review of rights, which is the only kind of object that clients create; `None` for other bodies.
pub(super) fn answer_review(body: &[u8]) -> Option<Value> {
    let question = match body.strip_prefix(PROTOBUF) {
        Some(message) => question_in_protobuf(message)?,
        None => serde_json::from_slice(body).ok()?,
    };
    let kind = question.get("kind").and_then(Value::as_str)?;
    let status = match kind {
        "SelfSubjectAccessReview" => {
            let verb = |field: &str| question.pointer(&format!("/spec/{field}/verb")).and_then(Value::as_str);
            let verb = verb("resourceAttributes").or_else(|| verb("nonResourceAttributes")).unwrap_or_default();
            json!({"allowed": READING.contains(&verb), "reason": "a snapshot can only be read"})
        }
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": READING, "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        "SelfSubjectReview" => json!({"userInfo": {"username": "snapshot"}}),
        _ => return None,
    };
    let mut review = question.clone();
    review["status"] = status;
    Some(review)
}

/// The beginning of a body in protobuf: `pkg/runtime/serializer/protobuf` of apimachinery.
const PROTOBUF: &[u8] = b"k8s\0";

/// `runtime.Unknown` of apimachinery.
#[derive(prost::Message)]
struct UnknownMessage {
    #[prost(message, optional, tag = "1")]
    type_meta: Option<TypeMetaMessage>,
    #[prost(bytes = "vec", tag = "2")]
    raw: Vec<u8>,
}

#[derive(prost::Message)]
struct TypeMetaMessage {
    #[prost(string, tag = "1")]
    api_version: String,
    #[prost(string, tag = "2")]
    kind: String,
}

/// The fields of `authorization.v1.SelfSubjectAccessReview` that matter.
#[derive(prost::Message)]
struct AccessReviewMessage {
    #[prost(message, optional, tag = "2")]
    spec: Option<AccessReviewSpecMessage>,
}

#[derive(prost::Message)]
struct AccessReviewSpecMessage {
    #[prost(message, optional, tag = "1")]
    resource_attributes: Option<AttributesMessage>,
    #[prost(message, optional, tag = "2")]
    non_resource_attributes: Option<AttributesMessage>,
}

/// Attributes of either kind, which have the verb in the same place.
#[derive(prost::Message)]
struct AttributesMessage {
    #[prost(string, tag = "2")]
    verb: String,
}

/// Returns the kind and the verb of a review as in JSON.
fn question_in_protobuf(message: &[u8]) -> Option<Value> {
    let unknown = UnknownMessage::decode(message).ok()?;
    let TypeMetaMessage { api_version, kind } = unknown.type_meta?;
    let mut question = json!({"apiVersion": api_version, "kind": kind, "metadata": {}, "spec": {}});
    if question["kind"] == "SelfSubjectAccessReview" {
        let spec = AccessReviewMessage::decode(unknown.raw.as_slice()).ok()?.spec?;
        for (field, attributes) in
            [("resourceAttributes", spec.resource_attributes), ("nonResourceAttributes", spec.non_resource_attributes)]
        {
            if let Some(attributes) = attributes {
                question["spec"][field] = json!({"verb": attributes.verb});
            }
        }
    }
    Some(question)
}

const READING: [&str; 3] = ["get", "list", "watch"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_is_allowed_and_nothing_else() {
        let ask = |verb: &str| {
            let review = json!({"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": {"verb": verb}}});
            answer_review(review.to_string().as_bytes()).unwrap()["status"]["allowed"].as_bool().unwrap()
        };
        assert!(ask("list") && ask("get") && !ask("delete") && !ask("*") && !ask(""));
        let attributes = AttributesMessage { verb: "list".to_owned() };
        let spec = AccessReviewSpecMessage { resource_attributes: Some(attributes), non_resource_attributes: None };
        let kind = "SelfSubjectAccessReview".to_owned();
        let unknown = UnknownMessage {
            type_meta: Some(TypeMetaMessage { api_version: "authorization.k8s.io/v1".to_owned(), kind }),
            raw: AccessReviewMessage { spec: Some(spec) }.encode_to_vec(),
        };
        let answer = answer_review(&[PROTOBUF, &unknown.encode_to_vec()].concat()).unwrap();
        assert_eq!(answer["status"]["allowed"], true);
        assert!(answer_review(b"k8s\0\xff").is_none());
        assert!(answer_review(b"{\"kind\": \"Pod\"}").is_none() && answer_review(b"x").is_none());
    }
}
