//! Where a document comes from, for people who get it without its command: clusters, snapshots or a repository, revision, and time.

use jiff::Timestamp;
use serde_json::Value;
use ucp_core::model::text::{join_limited, one_line};

/// More sources are counted.
const MOST: usize = 3;

/// Returns the line about the sources of a document, without secrets and control characters; `None` if it has none. The time of
/// a live cluster is `now`, unless the document has its own.
pub(super) fn provenance(document: &Value, now: Timestamp) -> Option<String> {
    let several = document.get("sources").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let sources: Vec<&Value> = document.get("source").into_iter().chain(several).collect();
    let names: Vec<String> = sources.iter().copied().filter_map(name).collect();
    if names.is_empty() {
        return None;
    }
    let own = text(document, "moment").or_else(|| sources.iter().find_map(|source| text(source, "moment")));
    let is_live = sources.iter().all(|source| source.get("server").is_some());
    let time = own.and_then(|time| time.parse().ok()).or(is_live.then_some(now));
    let time = time.map(|time: Timestamp| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string());
    let revision = ["revision", "head"].into_iter().find_map(|field| text(document, field));
    let revision = revision.map(|revision| format!("revision {revision}"));
    let parts = [Some(join_limited(&names, MOST)), revision, time];
    Some(one_line(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")))
}

fn name(source: &Value) -> Option<String> {
    if let Some(path) = text(source, "path") {
        return Some(format!("snapshot {path}"));
    }
    if let Some(path) = text(source, "repository") {
        return Some(format!("repository {path}"));
    }
    let server = text(source, "server")?;
    Some(match text(source, "context").filter(|context| !context.is_empty()) {
        Some(context) => format!("cluster {context} ({server})"),
        None => format!("cluster {server}"),
    })
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_names_the_sources_and_the_time() {
        let now = "2026-11-20T03:12:05Z".parse().unwrap();
        let line = |document: Value| provenance(&document, now);
        let live = json!({"source": {"context": "core", "server": "https://192.0.2.1"}});
        assert_eq!(line(live).as_deref(), Some("cluster core (https://192.0.2.1) · 2026-11-20 03:12:05 UTC"));
        let snapshot = json!({"source": {"path": "night.tar.gz"}, "moment": "2026-11-19T00:00:00Z"});
        assert_eq!(line(snapshot).as_deref(), Some("snapshot night.tar.gz · 2026-11-19 00:00:00 UTC"));
        // The time of a snapshot is not that of the command.
        assert_eq!(line(json!({"source": {"path": "a"}})).as_deref(), Some("snapshot a"));
        assert_eq!(line(json!({"source": {"repository": "apps"}})).as_deref(), Some("repository apps"));
        assert_eq!(line(json!({"kind": "ImageMatrix"})), None);
    }
}
