//! The output of renderers: manifests, and messages without headers and private paths.

use serde_json::Value;

use crate::manifests::checkout::CheckoutTree;
use crate::manifests::reach::RenderError;
use ucp_client::source::snapshot::manifest::Manifests;

/// Maximum size of a renderer's output, and of the manifests of a directory: far more than a cluster would store.
pub(super) const MOST_OUTPUT: u64 = 256 << 20;

/// Parses the manifests that a renderer wrote.
pub(super) fn parse(output: &[u8], renderer: &str) -> Result<Vec<Value>, RenderError> {
    let mut manifests = Manifests::default();
    manifests
        .add(&format!("output of {renderer}"), output)
        .map_err(|entry| RenderError::Broken(format!("{}: {}", entry.what, entry.reason)))?;
    objects(manifests)
}

/// Returns all objects. Fails on documents that are not objects, which an engine would reject too.
pub(super) fn objects(manifests: Manifests) -> Result<Vec<Value>, RenderError> {
    if let Some(entry) = manifests.unreadable.first() {
        return Err(RenderError::Broken(format!("{}: {}", entry.what, entry.reason)));
    }
    Ok(manifests.documents.into_iter().map(|document| document.object).collect())
}

/// Removes log headers. Some builds of kubectl log their last message with the time and the process, which differ with
/// each run.
pub(super) fn without_log_headers(text: &str) -> String {
    let is_header = |header: &str| {
        let day = header.strip_prefix(['E', 'F', 'I', 'W']).and_then(|rest| rest.split(' ').next());
        day.is_some_and(|day| day.len() == 4 && day.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let words = |line: &str| match line.split_once("] ") {
        Some((header, words)) if is_header(header) => words.to_owned(),
        _ => line.to_owned(),
    };
    text.trim().lines().map(words).collect::<Vec<_>>().join("\n")
}

/// Replaces private paths by those in the repository, which are meaningful to readers of a pull request.
pub(super) fn without_private_paths(text: &str, tree: &CheckoutTree) -> String {
    let top = tree.top.display().to_string();
    text.replace(&format!("{top}/"), "").replace(&top, "the repository")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_log_lines_are_removed_and_their_messages_kept() {
        let text = "E1121 12:45:11.009712    3042 run.go:72] \"command failed\" err=\"x] y\"\nError: [a] b\n";
        assert_eq!(without_log_headers(text), "\"command failed\" err=\"x] y\"\nError: [a] b");
    }
}
