//! Limits on function responses, and redaction of the messages that functions return.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::composition::desired::ObjectsByName;
use crate::composition::protocol::{
    CredentialSource, FunctionResource, FunctionResult, FunctionState, RunFunctionRequest, RunFunctionResponse,
    Severity,
};
use crate::composition::value::from_struct;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::secrecy::{HIDDEN, scrub, secrets_of};
use ucp_core::model::text::one_line;

/// Maximum size in bytes of one message, as core accepts and sends it: gRPC's default.
pub const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;
/// Maximum number of composed resources that are processed; each is a request to the API server.
const MOST_RESOURCES: usize = 1_000;
/// Maximum number of warnings of one function that are shown.
const MOST_WARNINGS: usize = 20;
/// Maximum number of characters of a message that are shown, and that are read.
const LONGEST_TEXT: usize = 2_000;
const LONGEST_READ: usize = 64 * 1024;

/// The desired state that a pipeline returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DesiredComposite {
    /// The desired status of the composite.
    pub status: Option<Value>,
    /// The desired composed resources, by resource name.
    pub resources: ObjectsByName,
}

impl DesiredComposite {
    /// Converts the desired state of the last response of a pipeline.
    ///
    /// # Errors
    /// Fails when it has more than `MOST_RESOURCES` composed resources.
    pub fn from_state(state: &FunctionState) -> Result<Self, Failure> {
        let number = state.resources.len();
        if number > MOST_RESOURCES {
            return fail!("its functions return {number} composed resources, more than the limit of {MOST_RESOURCES}");
        }
        let empty = Value::Object(serde_json::Map::new());
        let object =
            |resource: &FunctionResource| resource.resource.as_ref().map_or_else(|| empty.clone(), from_struct);
        let composite = state.composite.as_ref().map(object);
        Ok(Self {
            status: composite.and_then(|composite| composite.get("status").cloned()),
            resources: state.resources.iter().map(|(key, resource)| (key.clone(), object(resource))).collect(),
        })
    }
}

/// Returns true if the response has a fatal result, which ends the pipeline.
pub fn is_fatal(answer: &RunFunctionResponse) -> bool {
    fatal_result(answer).is_some()
}

fn fatal_result(answer: &RunFunctionResponse) -> Option<&FunctionResult> {
    answer.results.iter().find(|result| result.severity == Severity::Fatal as i32)
}

/// Returns the warnings of a response.
///
/// # Errors
/// Fails when the response has a fatal result, with the message that core reports.
pub fn warnings(step: &str, answer: &RunFunctionResponse, told: &SentSecrets) -> Result<Vec<String>, Failure> {
    let (step, said) = (told.redact(step), |message: &str| told.redact(message));
    if let Some(fatal) = fatal_result(answer) {
        return fail!("pipeline step {step:?} returned a fatal result: {}", said(&fatal.message));
    }
    let is_warning = |severity: i32| severity != Severity::Normal as i32;
    let warnings = answer.results.iter().filter(|result| is_warning(result.severity));
    Ok(warnings.take(MOST_WARNINGS).map(|result| format!("step {step:?} warns: {}", said(&result.message))).collect())
}

/// Sanitizes an external message: one line, without control characters and secrets, of at most `LONGEST_TEXT`
/// characters.
pub fn sanitize_message(message: &str) -> String {
    SentSecrets::default().redact(message)
}

/// Secret values that were sent to a function, and that its messages may repeat.
#[derive(Debug, Default)]
pub struct SentSecrets(Vec<String>);

impl SentSecrets {
    /// Collects the secret values of a request.
    pub fn from_request(request: &RunFunctionRequest) -> Self {
        let states = request.observed.iter().chain(&request.desired);
        let of_states = states.flat_map(|state| state.composite.iter().chain(state.resources.values()));
        let required = request.required_resources.values().chain(request.extra_resources.values());
        let all: Vec<&FunctionResource> = of_states.chain(required.flat_map(|found| &found.items)).collect();
        let credentials = request.credentials.values().filter_map(|one| match one.source.as_ref()? {
            CredentialSource::Data(credentials) => Some(&credentials.data),
        });
        let details = all.iter().map(|resource| &resource.connection_details).chain(credentials);
        // A function may also see a value in base64, as JSON encodes bytes, and may decode a value that is base64.
        let details = details.flat_map(BTreeMap::values).flat_map(|value| {
            let decoded = BASE64.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            [String::from_utf8_lossy(value).into_owned(), BASE64.encode(value)].into_iter().chain(decoded)
        });
        let spoken = request.input.iter().chain(&request.context);
        let objects: Vec<Value> =
            all.iter().filter_map(|resource| resource.resource.as_ref()).chain(spoken).map(from_struct).collect();
        // Shorter values occur in any text; `secrets_of` has the same limit.
        Self::from_values(details.filter(|value| value.len() > 2).chain(secrets_of(&objects)))
    }

    /// Creates the set from values.
    pub fn from_values(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> = values.into_iter().collect();
        // Longest first, because one value may contain another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// Returns the values.
    pub fn into_values(self) -> Vec<String> {
        self.0
    }

    /// Sanitizes a function's message: one line, without control characters and the known secrets, of at most
    /// `LONGEST_TEXT` characters.
    pub fn redact(&self, message: &str) -> String {
        // Truncated last, because a part of a secret is a secret too.
        let read: String = message.chars().take(LONGEST_READ).collect();
        let safe = self.0.iter().fold(read, |text, secret| text.replace(secret, HIDDEN));
        one_line(&scrub(&safe).chars().take(LONGEST_TEXT).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::protocol::{CredentialData, StepCredentials};

    fn answer(severity: Severity, message: &str) -> RunFunctionResponse {
        let results = vec![FunctionResult { severity: severity as i32, message: message.to_owned() }];
        RunFunctionResponse { results, ..RunFunctionResponse::default() }
    }

    #[test]
    fn a_fatal_result_is_an_error_in_the_words_of_core() {
        let fatal = warnings("make", &answer(Severity::Fatal, "no \u{1b}[31msize\nhere"), &SentSecrets::default())
            .unwrap_err()
            .to_string();
        assert!(fatal.starts_with("pipeline step \"make\" returned a fatal result: no "), "{fatal}");
        assert!(!fatal.contains(['\u{1b}', '\n']), "{fatal}");
        assert!(warnings("make", &answer(Severity::Normal, "fine"), &SentSecrets::default()).unwrap().is_empty());
        assert_eq!(
            warnings("make", &answer(Severity::Warning, "hm"), &SentSecrets::default()).unwrap(),
            ["step \"make\" warns: hm"]
        );
        assert_eq!(warnings("make", &answer(Severity::Unspecified, "hm"), &SentSecrets::default()).unwrap().len(), 1);
        let long =
            warnings("make", &answer(Severity::Warning, &"x".repeat(1_000_000)), &SentSecrets::default()).unwrap();
        assert!(long[0].len() < 3_000);
    }

    #[test]
    fn secrets_that_were_sent_to_a_function_are_hidden_in_its_errors() {
        let data = std::collections::BTreeMap::from([
            ("token".to_owned(), b"canary-credential".to_vec()),
            ("encoded".to_owned(), BASE64.encode("canary-encoded").into_bytes()),
        ]);
        let source = Some(CredentialSource::Data(CredentialData { data }));
        let secret = serde_json::json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y2FuYXJ5LWNvbXBvc2Vk"}});
        let resource = FunctionResource {
            resource: Some(crate::composition::value::to_struct(&secret)),
            ..FunctionResource::default()
        };
        let request = RunFunctionRequest {
            credentials: [("c".to_owned(), StepCredentials { source })].into(),
            observed: Some(FunctionState { composite: None, resources: [("s".to_owned(), resource)].into() }),
            ..RunFunctionRequest::default()
        };
        let told = SentSecrets::from_request(&request);
        let long = format!("{} canary-credential", "x".repeat(LONGEST_TEXT - 10));
        // As JSON encodes the bytes of a credential.
        let encoded = "Y2FuYXJ5LWNyZWRlbnRpYWw=";
        let texts = ["canary-credential was refused", "it is canary-composed, Y2FuYXJ5LWNvbXBvc2Vk", &long, encoded];
        for text in texts.into_iter().chain(["canary-encoded was refused"]) {
            let fatal = warnings("make", &answer(Severity::Fatal, text), &told).unwrap_err().to_string();
            assert!(!fatal.contains("canary") && !fatal.contains("Y2FuYXJ5"), "{fatal}");
        }
    }

    #[test]
    fn too_many_composed_resources_are_an_error() {
        let resources = (0..2_000).map(|number| (number.to_string(), FunctionResource::default())).collect();
        let error = DesiredComposite::from_state(&FunctionState { composite: None, resources }).unwrap_err();
        assert!(error.as_str().contains("2000"), "{error}");
    }
}
