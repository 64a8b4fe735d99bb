//! Reads the file of an audit log.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use ucp_core::error::{Error, Result};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::text::join_limited;
use ucp_core::regular_file;
use ucp_features::history::{AuditedChanges, HistoryGap, UnreadDeletion};

/// Longer lines are no entries of an audit log.
const LONGEST_LINE: u64 = 16 << 20;

/// Returns the changes since a time in an audit log, of kinds that were read and of the named objects. Lines that are no entries are
/// counted.
///
/// # Errors
/// Fails when the file cannot be read, or has no entry at all.
pub(super) fn read(
    path: &Path,
    kinds: &[Arc<ResourceKind>],
    named: &BTreeSet<ObjectKey>,
    since: Timestamp,
) -> Result<AuditedChanges> {
    let kinds = [kinds, &kinds_of(named)].concat();
    let cannot =
        |error: std::io::Error| Error::failed(format!("cannot read the audit log {}: {error}", path.display()));
    let mut reader = BufReader::new(regular_file::open(path).map_err(cannot)?);
    let (mut found, mut line, mut entries) = (AuditedChanges::default(), Vec::new(), 0_usize);
    loop {
        line.clear();
        if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(cannot)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        entries += usize::from(text.contains("\"audit.k8s.io/"));
        found.add_line(&text, &kinds, since);
    }
    if entries == 0 {
        let message = format!("no audit records in {}: no line is an Event of audit.k8s.io", path.display());
        return Err(Error::failed(message).hint("pass a log with one JSON object per line"));
    }
    Ok(found)
}

/// Returns the kinds of some objects, which may not have been read.
fn kinds_of(named: &BTreeSet<ObjectKey>) -> Vec<Arc<ResourceKind>> {
    let kind = |key: &ObjectKey| {
        let scope = if key.namespace.is_some() { ResourceScope::Namespaced } else { ResourceScope::Cluster };
        let version = if key.group.is_empty() { "v1".to_owned() } else { String::new() };
        Arc::new(ResourceKind { scope, version, ..ResourceKind::guess(&key.group, &key.kind) })
    };
    named.iter().map(kind).collect()
}

/// Returns the gaps for what an audit log has and the timeline does not show.
pub(super) fn gaps(audited: &AuditedChanges, from: Timestamp, to: Timestamp) -> Vec<HistoryGap> {
    let changes: Vec<String> = audited.unnamed.iter().map(|(change, count)| format!("{count} {change}")).collect();
    let listed = join_limited(&changes, 5);
    let reason = format!("the audit log has changes of kinds that were not read, or without a name: {listed}");
    let unnamed = (!changes.is_empty()).then_some(HistoryGap { from, to, reason });
    let unread = match audited.unreadable {
        0 => None,
        1 => Some("1 line of the audit log is no entry, and was skipped".to_owned()),
        number => Some(format!("{number} lines of the audit log are no entries, and were skipped")),
    };
    let unread = unread.map(|reason| HistoryGap { from, to, reason });
    let deletion = |UnreadDeletion { time, object, by }: &UnreadDeletion| {
        let reason = format!("the audit log has the deletion of {object} by {by}, whose kind was not read");
        HistoryGap { from: *time, to: *time, reason }
    };
    unnamed.into_iter().chain(unread).chain(audited.unread_deletions.iter().map(deletion)).collect()
}
