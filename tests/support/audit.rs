//! The API server's audit log: which requests really arrived.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

/// The harness' own client, left out of the log.
pub const HARNESS: &str = "harness";

/// Logs the user and the object of a request when it arrives and when it is answered.
pub fn policy() -> Value {
    json!({
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["ResponseStarted"],
        "rules": [
            {"level": "None", "users": [HARNESS, "system:apiserver", "system:kube-controller-manager"]},
            {"level": "Metadata"},
        ],
    })
}

/// A point in time, in the audit log.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark(u64);

/// One request to the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: String,
    /// Path and query.
    pub uri: String,
    pub user: String,
    pub user_agent: String,
    /// The object of the request; absent for discovery and `/version`.
    pub object: Option<ObjectReference>,
    /// The response's status; absent while it is being written (watches).
    pub code: Option<u16>,
}

/// The object or collection that a request named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReference {
    pub api_group: String,
    pub api_version: String,
    pub resource: String,
    pub subresource: String,
    pub namespace: String,
    pub name: String,
}

/// The end of the log as it is.
pub fn mark(log: &Path) -> Mark {
    Mark(fs::metadata(log).map_or(0, |metadata| metadata.len()))
}

/// The requests that arrived after `mark`, in order of arrival.
///
/// An answer is logged just after the client has it: waits for those, watches
/// excepted, a short while.
pub fn requests_since(log: &Path, mark: Mark) -> io::Result<Vec<Request>> {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let requests = read(log, mark)?;
        let answered = requests.iter().all(|request| request.code.is_some() || request.verb == "watch");
        if answered || Instant::now() > deadline {
            return Ok(requests);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn read(log: &Path, mark: Mark) -> io::Result<Vec<Request>> {
    let mut bytes = Vec::new();
    match fs::File::open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => {
            let mut file = result?;
            file.seek(SeekFrom::Start(mark.0))?;
            file.read_to_end(&mut bytes)?;
        }
    }
    let mut requests = Vec::new();
    let mut arrived = BTreeMap::new();
    for line in bytes.split(|b| *b == b'\n') {
        // The last line may be half written.
        let Ok(event) = serde_json::from_slice::<Event>(line) else {
            continue;
        };
        if event.stage == "RequestReceived" {
            arrived.insert(event.audit_id, requests.len());
            requests.push(Request {
                verb: event.verb,
                uri: event.request_uri,
                user: event.user.username,
                user_agent: event.user_agent,
                object: event.object_ref,
                code: None,
            });
        } else if let Some(&index) = arrived.get(&event.audit_id) {
            requests[index].code = event.response_status.map(|status| status.code);
        }
    }
    Ok(requests)
}

/// The fields we read of `audit.k8s.io/v1` Event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(rename = "auditID")]
    audit_id: String,
    stage: String,
    verb: String,
    #[serde(rename = "requestURI")]
    request_uri: String,
    user: User,
    #[serde(default)]
    user_agent: String,
    object_ref: Option<ObjectReference>,
    response_status: Option<ResponseStatus>,
}

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    username: String,
}

#[derive(Deserialize)]
struct ResponseStatus {
    #[serde(default)]
    code: u16,
}
