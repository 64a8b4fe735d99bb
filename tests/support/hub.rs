//! Hubs in fixtures and in clusters, which any number of tests read and none writes to.

use std::path::Path;
use std::sync::OnceLock;

use super::{Cluster, Options, load};

/// The control plane of the paper's demonstration, all well.
pub const QUOTES: &str = "tests/fixtures/quotes";
/// A snapshot with several problems.
pub const NIGHT: &str = "tests/fixtures/night";
/// The same hub with every kind of trouble, each once.
pub const BAD_DAY: &str = "tests/fixtures/bad-day";

/// [`QUOTES`], live.
pub fn quotes() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| start("quotes", QUOTES)).as_ref()
}

/// [`BAD_DAY`], live.
pub fn bad_day() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| start("bad-day", BAD_DAY)).as_ref()
}

fn start(name: &str, fixture: &str) -> Option<Cluster> {
    let cluster = super::start(Options::named(name))?;
    load::load_as_of_now(&cluster, &Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture)).expect("the fixture loads");
    Some(cluster)
}
