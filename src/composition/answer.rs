//! What a function may answer: no more than a composite can be made of, and what it says is a text for people.

use serde_json::Value;

use crate::composition::desired::Objects;
use crate::composition::protocol::{RunFunctionResponse, Severity, State};
use crate::composition::value::from_struct;
use crate::model::secrecy::scrub;
use crate::model::text::one_line;

/// What core takes in one message, and gives: gRPC's default.
pub const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;
/// More than anybody composes; each is a request to the API server.
const MOST_RESOURCES: usize = 1_000;
/// Warnings of a function that are shown.
const MOST_WARNINGS: usize = 20;
/// What is shown of a text.
const LONGEST_TEXT: usize = 2_000;

/// What a pipeline wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wanted {
    /// Status of the composite.
    pub status: Option<Value>,
    /// What it is to be made of.
    pub resources: Objects,
    /// Resources that a function calls ready.
    pub ready: std::collections::BTreeSet<String>,
}

impl Wanted {
    /// From the last answer of a pipeline.
    ///
    /// # Errors
    /// When it wants more than anybody composes.
    pub fn of(state: &State) -> Result<Self, String> {
        let number = state.resources.len();
        if number > MOST_RESOURCES {
            return Err(format!(
                "its functions want {number} composed resources; more than {MOST_RESOURCES} are not looked at"
            ));
        }
        let empty = Value::Object(serde_json::Map::new());
        let object = |resource: &crate::composition::protocol::Resource| {
            resource.resource.as_ref().map_or_else(|| empty.clone(), from_struct)
        };
        let composite = state.composite.as_ref().map(object);
        Ok(Self {
            status: composite.and_then(|composite| composite.get("status").cloned()),
            resources: state.resources.iter().map(|(key, resource)| (key.clone(), object(resource))).collect(),
            ready: state.resources.iter().filter(|(_, one)| one.ready == 1).map(|(key, _)| key.clone()).collect(),
        })
    }
}

/// What a function warns of.
///
/// # Errors
/// When it calls something fatal, in core's words.
pub fn warnings(step: &str, answer: &RunFunctionResponse) -> Result<Vec<String>, String> {
    if let Some(fatal) = answer.results.iter().find(|result| result.severity == Severity::Fatal as i32) {
        return Err(format!("pipeline step {step:?} returned a fatal result: {}", said(&fatal.message)));
    }
    let is_warning = |severity: i32| severity != Severity::Normal as i32;
    let warnings = answer.results.iter().filter(|result| is_warning(result.severity));
    Ok(warnings.take(MOST_WARNINGS).map(|result| format!("step {step:?} warns: {}", said(&result.message))).collect())
}

/// A function's words: one line, no control characters, no secrets, no more than one reads.
pub fn said(message: &str) -> String {
    let cut: String = message.chars().take(LONGEST_TEXT).collect();
    one_line(&scrub(&cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::protocol::{FunctionResult, Resource};

    fn answer(severity: Severity, message: &str) -> RunFunctionResponse {
        let results = vec![FunctionResult { severity: severity as i32, message: message.to_owned() }];
        RunFunctionResponse { results, ..RunFunctionResponse::default() }
    }

    #[test]
    fn fatal_ends_it_in_cores_words() {
        let fatal = warnings("make", &answer(Severity::Fatal, "no \u{1b}[31msize\nhere")).unwrap_err();
        assert!(fatal.starts_with("pipeline step \"make\" returned a fatal result: no "), "{fatal}");
        assert!(!fatal.contains(['\u{1b}', '\n']), "{fatal}");
        assert!(warnings("make", &answer(Severity::Normal, "fine")).unwrap().is_empty());
        assert_eq!(warnings("make", &answer(Severity::Warning, "hm")).unwrap(), ["step \"make\" warns: hm"]);
        assert_eq!(warnings("make", &answer(Severity::Unspecified, "hm")).unwrap().len(), 1);
        let long = warnings("make", &answer(Severity::Warning, &"x".repeat(1_000_000))).unwrap();
        assert!(long[0].len() < 3_000);
    }

    #[test]
    fn nobody_composes_thousands() {
        let resources = (0..2_000).map(|number| (number.to_string(), Resource::default())).collect();
        assert!(Wanted::of(&State { composite: None, resources }).unwrap_err().contains("2000"));
    }
}
