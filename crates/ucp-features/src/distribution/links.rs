//! Links from Secrets of the core cluster and from declarers to their copies in app clusters.

use super::state::CopyState;
use super::survey::CopyRow;
use ucp_core::graph::link::{External, ExternalHealth, Link, LinkEnd, Relation};

/// Returns the links to the copies of all rows.
pub fn copy_links(rows: &[CopyRow]) -> Vec<Link> {
    rows.iter().flat_map(row_links).collect()
}

fn row_links(row: &CopyRow) -> Vec<Link> {
    let copy = || LinkEnd::External(copy(row));
    let source =
        row.source.as_ref().map(|source| Link::new(LinkEnd::Object(source.secret()), Relation::CopiedTo, copy()));
    let declarers = row.intents.iter().filter(|intent| !intent.declarer.by.is_elsewhere());
    let declarers =
        declarers.map(|intent| Link::new(LinkEnd::Object(intent.declarer.object.clone()), Relation::Applies, copy()));
    source.into_iter().chain(declarers).collect()
}

/// Returns the graph node of a copy, which may not exist yet.
pub fn copy(row: &CopyRow) -> External {
    External {
        kind: "Secret".to_owned(),
        namespace: Some(row.target.namespace.clone()),
        name: row.target.name.clone(),
        cluster: Some(row.cluster.clone()),
        health: ExternalHealth::Known {
            verdict: row.verdict(),
            message: (row.judgement.state != CopyState::Current).then(|| row.description()),
        },
    }
}
