//! The freshness that a LIST requires.
//!
//! For a LIST without a resource version, the API server asks etcd first, once per kind: on a hub with 1,800 kinds that
//! takes half of the time. A LIST for "not older than V" is answered from the server's memory as soon as that has
//! reached V. So the first LISTs of a run require the newest state, and the others a state that is not older than the
//! first response. That includes all objects that existed when the command started.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::apimachinery::pkg::version::Info;

use super::api::Api;
use ucp_core::model::kind::ResourceKind;

/// Since Kubernetes 1.34, pages of lists are served from memory too, and an outdated cache requests its progress from
/// etcd (KEP-2340 and KEP-4988). Before that, the cache of a kind with few writes would not catch up in time.
const SINCE: (u32, u32) = (1, 34);
/// Categories of kinds that a CRD defines. All of them are in one etcd, so versions can be compared across kinds:
/// `--etcd-servers-overrides` of kube-apiserver only applies to compiled-in resources.
const CUSTOM: [&str; 3] = ["managed", "composite", "claim"];

/// The freshness that the LISTs of one run require.
#[derive(Default)]
pub struct Freshness {
    /// The resource version of the first response.
    first: OnceLock<String>,
    /// True if every LIST requires the newest state, as the server supports nothing else.
    is_always_newest: AtomicBool,
}

impl Freshness {
    /// Every LIST requires the newest state.
    pub fn newest() -> Self {
        Self { is_always_newest: AtomicBool::new(true), ..Self::default() }
    }

    /// Returns the best freshness for a server. Without a readable version, the newest state is required.
    pub(crate) async fn for_server(api: &Api) -> Self {
        match api.version().await {
            Ok(version) if keeps_lists_in_memory(&version) => Self::default(),
            _ => Self::newest(),
        }
    }

    /// The minimum resource version for a LIST of a kind; `None` requires the newest state.
    pub(crate) fn min_version(&self, kind: &ResourceKind) -> Option<&str> {
        let applies = is_custom(kind) && !self.is_always_newest.load(Ordering::Relaxed);
        self.first.get().map(String::as_str).filter(|_| applies)
    }

    /// Records the resource version of a response.
    pub(crate) fn record_version(&self, kind: &ResourceKind, version: &str) {
        if is_custom(kind) && !version.is_empty() && version != "0" {
            // Only the first version is kept.
            let _ = self.first.set(version.to_owned());
        }
    }

    /// Requires the newest state from now on, since the server does not reach the version.
    pub(crate) fn give_up(&self) {
        self.is_always_newest.store(true, Ordering::Relaxed);
    }
}

fn is_custom(kind: &ResourceKind) -> bool {
    CUSTOM.iter().any(|category| kind.in_category(category))
}

fn keeps_lists_in_memory(version: &Info) -> bool {
    // Some clouds have minor versions such as `34+`.
    let number = |text: &str| text.trim_end_matches(|end: char| !end.is_ascii_digit()).parse::<u32>().ok();
    number(&version.major).zip(number(&version.minor)).is_some_and(|version| version >= SINCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(category: &str) -> ResourceKind {
        ResourceKind { categories: [category.to_owned()].into(), ..ResourceKind::guess("example.org", "Thing") }
    }

    #[test]
    fn the_first_response_sets_the_minimum_version_of_later_lists() {
        let freshness = Freshness::default();
        assert_eq!(freshness.min_version(&kind("managed")), None);
        freshness.record_version(&kind("argo"), "7");
        assert_eq!(freshness.min_version(&kind("managed")), None, "another store's version means nothing");
        freshness.record_version(&kind("managed"), "12");
        freshness.record_version(&kind("claim"), "15");
        assert_eq!(freshness.min_version(&kind("composite")), Some("12"));
        assert_eq!(freshness.min_version(&kind("argo")), None);
        freshness.give_up();
        assert_eq!(freshness.min_version(&kind("composite")), None);
    }

    #[test]
    fn old_servers_get_no_minimum_version() {
        let version = |major: &str, minor: &str| Info { major: major.into(), minor: minor.into(), ..Info::default() };
        assert!(keeps_lists_in_memory(&version("1", "34")) && keeps_lists_in_memory(&version("1", "36+")));
        for (major, minor) in [("1", "33"), ("1", "9+"), ("", ""), ("1", "x")] {
            assert!(!keeps_lists_in_memory(&version(major, minor)), "{major}.{minor}");
        }
    }
}
