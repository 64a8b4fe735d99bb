//! A live cluster as it changes: its whole state, again and again.

use std::sync::Arc;
use std::time::Duration;

use super::follow::Following;
use super::{Interest, wanted};
use crate::error::Result;
use crate::model::body::{Shape, Want};
use crate::model::state::ClusterState;
use crate::source::{ConnectionArgs, Query};

pub use super::follow::Occasion;

/// Ages grow, and progress becomes stuck, with no change at all.
pub const AGEING: Duration = Duration::from_secs(10);

/// Takes a state each time that it is handed over.
pub type Show<'a> = dyn FnMut(Occasion, &ClusterState) -> Result<()> + 'a;

/// Everything that a query asks for, and what tells that an empty kind came alive.
pub fn interests(kinds: &[Arc<crate::model::kind::ResourceKind>], query: &Query<'_>) -> Vec<Interest> {
    let usages = kinds.iter().map(|kind| Interest {
        kind: Arc::clone(kind),
        want: Want::all(Shape::Conditions),
        namespace: None,
        name: None,
    });
    wanted(kinds, query).into_iter().chain(usages.filter(super::follow::is_usage)).collect()
}

/// Reads a live cluster and hands over its state, again and again, whenever it changed. Ends only with an error.
///
/// # Errors
/// When the first reading fails, or `show` does. A server that goes away later is waited for.
pub fn watch(flags: &ConnectionArgs, query: &Query<'_>, show: &mut Show<'_>) -> Result<()> {
    let Some(mut following) = Following::open(flags, None)? else { return Ok(()) };
    following.add(interests(following.kinds(), query), query.progress, None);
    let mut occasion = Occasion::Change;
    loop {
        let mut state = following.state();
        state.namespace = query.namespace.map(str::to_owned);
        show(occasion, &state)?;
        occasion = following.change(AGEING);
    }
}
