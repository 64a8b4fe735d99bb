//! How fresh a LIST has to be.
//!
//! For a LIST that names no version the API server asks etcd first, once for every kind: on a hub with 1,800 kinds that is
//! half of the time. A LIST that says "not older than V" is answered out of the server's memory as soon as that has seen
//! V. So the first LISTs of a run are of the newest state, and the others of nothing older than the first answer:
//! whatever was there when the command began is in them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::apimachinery::pkg::version::Info;

use super::api::Api;
use crate::model::kind::ResourceKind;

/// Since Kubernetes 1.34 a page of a list comes out of memory too, and memory that lags asks etcd how far it is
/// (KEP-2340 and KEP-4988). Before that, a kind that is seldom written to would not catch up in time.
const SINCE: (u32, u32) = (1, 34);
/// Categories of kinds that a CRD defines. All of them are in one etcd, so one version speaks of all:
/// `--etcd-servers-overrides` of kube-apiserver is for compiled-in resources only.
const CUSTOM: [&str; 3] = ["managed", "composite", "claim"];

/// How fresh the LISTs of one run have to be.
#[derive(Default)]
pub(crate) struct Freshness {
    /// The version of the first answer.
    first: OnceLock<String>,
    /// Whether every LIST is of the newest state, since the server knows no better.
    is_always_newest: AtomicBool,
}

impl Freshness {
    /// Every LIST is of the newest state.
    pub(crate) fn newest() -> Self {
        Self { is_always_newest: AtomicBool::new(true), ..Self::default() }
    }

    /// What serves a server best. One that does not tell its version is asked for the newest state.
    pub(crate) async fn for_server(api: &Api) -> Self {
        match api.version().await {
            Ok(version) if keeps_lists_in_memory(&version) => Self::default(),
            _ => Self::newest(),
        }
    }

    /// The version that a LIST of a kind must not be older than; `None` asks for the newest.
    pub(crate) fn floor(&self, kind: &ResourceKind) -> Option<&str> {
        let applies = is_custom(kind) && !self.is_always_newest.load(Ordering::Relaxed);
        self.first.get().map(String::as_str).filter(|_| applies)
    }

    /// Takes note of an answer's version.
    pub(crate) fn learn(&self, kind: &ResourceKind, version: &str) {
        if is_custom(kind) && !version.is_empty() && version != "0" {
            // Whoever comes first wins.
            let _ = self.first.set(version.to_owned());
        }
    }

    /// The server does not get there: from now on the newest is asked for.
    pub(crate) fn give_up(&self) {
        self.is_always_newest.store(true, Ordering::Relaxed);
    }
}

fn is_custom(kind: &ResourceKind) -> bool {
    CUSTOM.iter().any(|category| kind.in_category(category))
}

fn keeps_lists_in_memory(version: &Info) -> bool {
    // Clouds write a minor version as `34+`.
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
    fn the_first_answer_is_the_floor_of_all_further_ones() {
        let freshness = Freshness::default();
        assert_eq!(freshness.floor(&kind("managed")), None);
        freshness.learn(&kind("argo"), "7");
        assert_eq!(freshness.floor(&kind("managed")), None, "another store's version means nothing");
        freshness.learn(&kind("managed"), "12");
        freshness.learn(&kind("claim"), "15");
        assert_eq!(freshness.floor(&kind("composite")), Some("12"));
        assert_eq!(freshness.floor(&kind("argo")), None);
        freshness.give_up();
        assert_eq!(freshness.floor(&kind("composite")), None);
    }

    #[test]
    fn old_servers_are_asked_for_the_newest() {
        let version = |major: &str, minor: &str| Info { major: major.into(), minor: minor.into(), ..Info::default() };
        assert!(keeps_lists_in_memory(&version("1", "34")) && keeps_lists_in_memory(&version("1", "36+")));
        for (major, minor) in [("1", "33"), ("1", "9+"), ("", ""), ("1", "x")] {
            assert!(!keeps_lists_in_memory(&version(major, minor)), "{major}.{minor}");
        }
    }
}
