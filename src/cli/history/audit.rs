//! Reads the file of an audit log.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use ucp_core::error::{Error, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::regular_file;
use ucp_features::history::AuditedChanges;

/// Longer lines are no entries of an audit log.
const LONGEST_LINE: u64 = 16 << 20;

/// Returns the changes since a time in an audit log. Lines that are no entries are skipped.
///
/// # Errors
/// Fails when the file cannot be read, or has no entry at all.
pub(super) fn read(path: &Path, kinds: &[Arc<ResourceKind>], since: Timestamp) -> Result<AuditedChanges> {
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
        found.add_line(&text, kinds, since);
    }
    if entries == 0 {
        let message = format!("no audit records in {}: no line is an Event of audit.k8s.io", path.display());
        return Err(Error::failed(message).hint("pass a log with one JSON object per line"));
    }
    Ok(found)
}
