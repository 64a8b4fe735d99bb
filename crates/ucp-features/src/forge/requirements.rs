//! What a forge still requires before it merges a pull request.

use serde_json::Value;

use super::request::ApiRequest;
use super::response::list_at;

/// A request for the requirements of a pull request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequirementRequest {
    /// The request.
    pub request: ApiRequest,
    /// How its response is read.
    pub reading: ResponseReading,
}

/// How a response is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseReading {
    /// One response has everything.
    Whole,
    /// The list at this JSON pointer has further pages, until one is empty.
    Pages(&'static str),
    /// The token may not be allowed to read it; the response is null then.
    IfAllowed,
}

impl RequirementRequest {
    /// Returns the request for a path.
    pub(super) fn get(path: String, reading: ResponseReading) -> Self {
        Self { request: ApiRequest::get(path), reading }
    }

    /// Returns the request whose response has everything.
    pub(super) fn whole(path: String) -> Self {
        Self::get(path, ResponseReading::Whole)
    }
}

/// Adds the elements of a further page to a list. Returns false if there are no new ones: some servers ignore the number of the
/// page.
pub(super) fn add_page(all: &mut Value, page: &Value, list: &str) -> bool {
    let (Some(more), Some(known)) = (list_at(page, list), all.pointer_mut(list).and_then(Value::as_array_mut)) else {
        return false;
    };
    let new: Vec<Value> = more.iter().filter(|item| !known.contains(item)).cloned().collect();
    known.extend(new.iter().cloned());
    !new.is_empty()
}

/// The requirements that a pull request does not meet, with reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmetRequirements {
    /// The reason if approvals are missing, or changes are requested.
    pub approvals: Option<String>,
    /// The reason if checks, or other conditions of the forge, are not met.
    pub checks: Option<String>,
    /// The required checks that have failed: another commit or another run of them is needed.
    pub failed: Option<String>,
}

impl UnmetRequirements {
    /// Joins the reasons of each kind.
    pub(super) fn from_reasons(approvals: &[String], checks: &[String], failed: &[String]) -> Self {
        let joined = |reasons: &[String]| (!reasons.is_empty()).then(|| reasons.join(", "));
        Self { approvals: joined(approvals), checks: joined(checks), failed: joined(failed) }
    }
}

/// Returns the reason if there are fewer approvals than required.
pub(super) fn missing_approvals(given: u64, required: u64) -> Option<String> {
    (given < required).then(|| format!("{given} of {required} required approvals"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_are_added_until_one_has_no_new_items() {
        let mut all = json!({"values": [1], "size": 3});
        assert!(add_page(&mut all, &json!({"values": [2, 3]}), "/values"));
        for end in [json!({"values": []}), json!({"values": [1, 2, 3]}), json!({"values": null}), json!({})] {
            assert!(!add_page(&mut all, &end, "/values"), "{end}");
        }
        assert_eq!(all["values"], json!([1, 2, 3]));
        let mut list = json!([1]);
        assert!(add_page(&mut list, &json!([2]), "") && list == json!([1, 2]));
    }
}
