//! The kinds of a server in kubectl's cache. kubectl updates it on each discovery, in `~/.kube/cache/discovery`, and
//! uses it for six hours (cli-runtime's `config_flags.go`, client-go's `discovery/cached/disk`). Completion uses it to
//! save a round trip and the largest response; everything else asks the server. Nothing is written here.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use super::discovery::{DiscoveredKinds, group_versions};
use ucp_core::model::kind::ResourceKind;

/// Environment variable for the directory that replaces `~/.kube/cache`.
const DIRECTORY: &str = "KUBECACHEDIR";
/// Time for which kubectl uses its cache.
const BELIEVED: Duration = Duration::from_secs(6 * 60 * 60);

/// Returns all kinds of a server from the cache in `--cache-dir`; `None` if it is missing or incomplete.
pub(super) fn kinds(cache: Option<&Path>, server: &str) -> Option<Vec<Arc<ResourceKind>>> {
    let cache = cache.map(Path::to_path_buf).or_else(default_cache_dir)?;
    let directory = cache.join("discovery").join(directory_of(server));
    let mut kinds = DiscoveredKinds::default();
    for (group, version) in group_versions(read(&directory.join("servergroups.json"))?) {
        let list = read(&directory.join(&group).join(&version).join("serverresources.json"))?;
        kinds.add_list(&group, &version, list);
    }
    Some(kinds.finish().kinds)
}

fn default_cache_dir() -> Option<PathBuf> {
    let named = std::env::var_os(DIRECTORY).filter(|directory| !directory.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".kube").join("cache")))
}

/// The same as `computeDiscoverCacheDir` of cli-runtime.
fn directory_of(server: &str) -> String {
    let host = server.replacen("https://", "", 1).replacen("http://", "", 1);
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "_/.()".contains(letter);
    host.trim_matches('/').chars().map(|letter| if is_kept(letter) { letter } else { '_' }).collect()
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let file = File::open(path).ok()?;
    let written = file.metadata().ok()?.modified().ok()?;
    let is_believed = SystemTime::now().duration_since(written).is_ok_and(|age| age < BELIEVED);
    is_believed.then(|| serde_json::from_reader(BufReader::new(file)).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn discovery_caches_are_in_the_directories_of_kubectl() {
        assert_eq!(directory_of("https://127.0.0.1:6443/"), "127.0.0.1_6443");
        assert_eq!(
            directory_of("https://rancher.example.org/k8s/clusters/c-1"),
            "rancher.example.org/k8s/clusters/c_1"
        );
    }

    #[test]
    fn only_a_complete_and_recent_discovery_cache_is_used() {
        let cache = tempfile::tempdir().unwrap();
        let directory = cache.path().join("discovery/hub.example.org_6443");
        let file = |path: &str, content: serde_json::Value| {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content.to_string()).unwrap();
            path
        };
        let remembered = || {
            let kinds = kinds(Some(cache.path()), "https://hub.example.org:6443/");
            kinds.map(|kinds| kinds.iter().map(|kind| kind.qualified_plural()).collect::<Vec<_>>())
        };
        assert_eq!(remembered(), None);
        let version = json!({"groupVersion": "example.org/v1", "version": "v1"});
        file("servergroups.json", json!({"groups": [{"name": "example.org", "versions": [version]}]}));
        let things = json!([
            {"name": "things", "singularName": "thing", "kind": "Thing", "namespaced": true, "verbs": ["list"]},
            {"name": "things/status", "singularName": "", "kind": "Thing", "namespaced": true, "verbs": ["get"]},
        ]);
        file("v1/serverresources.json", json!({"groupVersion": "v1", "resources": []}));
        assert_eq!(remembered(), None, "a group is missing");
        let list = json!({"groupVersion": "example.org/v1", "resources": things});
        let path = file("example.org/v1/serverresources.json", list);
        assert_eq!(remembered(), Some(vec!["things.example.org".to_owned()]));
        File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - BELIEVED).unwrap();
        assert_eq!(remembered(), None, "too old");
    }
}
