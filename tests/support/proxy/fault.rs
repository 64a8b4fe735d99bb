//! Faults, and their conditions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use super::Seen;

/// The effect on a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The proxy answers in the API server's place.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// The API server answers; the connection ends half-way through the body.
    CutBody,
    /// The API server is asked only after a while.
    Delay(Duration),
    /// The API server is asked once the test gives notice.
    Held(Arc<Notify>),
    /// No answer ever comes.
    Hang,
    /// The API server answers, which sets the flag, and the answer never comes.
    Unanswered(Arc<AtomicBool>),
    /// The connection ends without an answer.
    Reset,
    /// The API server answers discovery; the resources of this group and plural are not in it.
    Undiscovered { group: String, plural: String },
    /// The API server answers, and this group is not in its discovery.
    Unlisted(String),
}

impl Fault {
    /// 403, as for an account without the right to list.
    pub fn forbidden() -> Self {
        Self::failure(403, "Forbidden", "things is forbidden: User \"jane\" cannot list resource \"things\"")
    }

    /// 200 and nothing else.
    pub fn empty() -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self::Answer { status: 200, headers, body: Vec::new() }
    }

    /// A list without items, which looks complete.
    pub fn emptied() -> Self {
        let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []});
        let headers = vec![("content-type", "application/json".to_owned())];
        Self::Answer { status: 200, headers, body: list.to_string().into_bytes() }
    }

    /// 429 and how many seconds to wait.
    pub fn too_many_requests(retry_after: u32) -> Self {
        let message = "the server has received too many requests and has asked us to try again later";
        Self::status(429, "TooManyRequests", message, &[("retry-after", &retry_after.to_string())])
    }

    /// 500, as when etcd does not answer.
    pub fn internal_error() -> Self {
        Self::failure(500, "InternalError", "etcdserver: request timed out")
    }

    /// 503, as when an aggregated API server is down.
    pub fn unavailable() -> Self {
        Self::failure(503, "ServiceUnavailable", "the server is currently unable to handle the request")
    }

    /// 410, as for a `continue` token of long ago.
    pub fn expired() -> Self {
        let message = "The provided continue parameter is too old to display a consistent list result.";
        Self::failure(410, "Expired", message)
    }

    /// A watch that ends at once with a Status object.
    pub fn broken_watch(code: u16) -> Self {
        let status = json!({"kind": "Status", "status": "Failure", "code": code, "message": "it cannot go on"});
        let body = format!("{}\n", json!({"type": "ERROR", "object": status})).into_bytes();
        Self::Answer { status: 200, headers: vec![("content-type", "application/json".to_owned())], body }
    }

    /// A Status object, as the API server answers when something failed.
    pub fn failure(code: u16, reason: &str, message: &str) -> Self {
        Self::status(code, reason, message, &[])
    }

    fn status(code: u16, reason: &str, message: &str, headers: &[(&'static str, &str)]) -> Self {
        let body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {},
            "status": "Failure", "message": message, "reason": reason, "code": code,
        });
        let headers = [("content-type", "application/json")].iter().chain(headers);
        Self::Answer {
            status: code,
            headers: headers.map(|&(name, value)| (name, value.to_owned())).collect(),
            body: body.to_string().into_bytes(),
        }
    }
}

/// A fault for the requests whose path or query contain something.
#[derive(Debug, Clone)]
pub struct Rule {
    part: String,
    /// Requests that it still holds for; `None` means all.
    left: Option<usize>,
    /// Whether the path alone, without its query, must be `part`.
    is_whole_path: bool,
    /// Whether it holds for writes alone.
    is_of_writes: bool,
    /// Requests that pass before it holds.
    skipped: usize,
    fault: Fault,
}

impl Rule {
    /// For all requests that have `part` in path or query: `""` for every one,
    /// `continue=` for the later pages of lists.
    pub fn on(part: &str, fault: Fault) -> Self {
        Self { part: part.to_owned(), left: None, is_whole_path: false, is_of_writes: false, skipped: 0, fault }
    }

    /// For all requests of this path, whatever their query.
    pub fn at(path: &str, fault: Fault) -> Self {
        Self { is_whole_path: true, ..Self::on(path, fault) }
    }

    /// For all requests that change something.
    pub fn of_writes(fault: Fault) -> Self {
        Self { is_of_writes: true, ..Self::on("", fault) }
    }

    /// Not for the first `count` of them.
    pub fn after(mut self, count: usize) -> Self {
        self.skipped = count;
        self
    }

    /// Only for the first `count` of them.
    pub fn times(mut self, count: usize) -> Self {
        self.left = Some(count);
        self
    }

    pub(super) const fn left(&self) -> Option<usize> {
        self.left
    }

    pub(super) fn apply(&mut self, seen: &Seen) -> Option<Fault> {
        let uri = &seen.uri;
        if self.is_of_writes && !seen.is_write() {
            return None;
        }
        let is_meant = match self.is_whole_path {
            true => uri.split('?').next() == Some(&self.part),
            false => uri.contains(&self.part),
        };
        if !is_meant || self.left == Some(0) {
            return None;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return None;
        }
        self.left = self.left.map(|left| left - 1);
        Some(self.fault.clone())
    }
}
