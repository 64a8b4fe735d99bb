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

/// [`BAD_DAY`], live, filled by the first test of verdicts that depend on time. A snapshot is as old as its newest object,
/// and the hub of [`bad_day`] may be older than half an hour by then.
pub fn young_bad_day() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| start("young-bad-day", BAD_DAY)).as_ref()
}

/// [`QUOTES`], live, where roles come and go: for tests that write those, and look at nothing else that changes.
pub fn governed_quotes() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| Some(filled(super::start(Options::named("governed-quotes"))?, QUOTES))).as_ref()
}

/// [`BAD_DAY`], live, with all kinds that tests know, where roles come and go.
pub fn governed_bad_day() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let start = || {
        let cluster = super::start(Options::named("governed-bad-day"))?;
        load::install_all_crds(&cluster).expect("all kinds are made");
        Some(filled(cluster, BAD_DAY))
    };
    CLUSTER.get_or_init(start).as_ref()
}

fn start(name: &str, fixture: &str) -> Option<Cluster> {
    let cluster = filled(super::start(Options::named(name))?, fixture);
    cluster.share();
    Some(cluster)
}

fn filled(cluster: Cluster, fixture: &str) -> Cluster {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    load::load_as_of_now(&cluster, &fixture).expect("the fixture loads");
    cluster
}
