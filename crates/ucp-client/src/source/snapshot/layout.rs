//! File layouts of programs that collect clusters, including files without objects: `oc adm inspect` (must-gather) in
//! `cluster-scoped-resources` and `namespaces`, troubleshoot in `cluster-resources`
//! (`pkg/collect/cluster_resources.go`), and `kubectl ucp snapshot` with must-gather's layout.

use super::index::{APP_CLUSTERS, FILE};

const MUST_GATHER: &str = "cluster-scoped-resources";
const TROUBLESHOOT: &str = "cluster-resources";
const NAMESPACES: &str = "namespaces";
/// The file of troubleshoot with the server's version (`pkg/collect/cluster_info.go`).
const VERSION: &str = "cluster-info/cluster_version.json";
/// Files of troubleshoot that list a server's APIs and a user's rights.
const NO_OBJECTS: [&str; 4] = ["resources.json", "groups.json", "auth-cani-list", "image-pull-secrets"];
/// Directories of troubleshoot for built-in kinds: `apiVersion` and kind, which older bundles leave out, and the name
/// that errors use for all objects of the kind.
const BUILT_IN: [(&str, &str, &str, &str); 10] = [
    ("namespaces", "v1", "Namespace", "namespaces"),
    ("nodes", "v1", "Node", "nodes"),
    ("pods", "v1", "Pod", "pods"),
    ("services", "v1", "Service", "services"),
    ("events", "v1", "Event", "events"),
    ("configmaps", "v1", "ConfigMap", "configmaps"),
    ("deployments", "apps/v1", "Deployment", "deployments.apps"),
    ("statefulsets", "apps/v1", "StatefulSet", "statefulsets.apps"),
    ("daemonsets", "apps/v1", "DaemonSet", "daemonsets.apps"),
    (
        "custom-resource-definitions",
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions.apiextensions.k8s.io",
    ),
];

/// The content of a file, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileContent {
    /// Objects with `apiVersion` and kind.
    Objects,
    /// Objects of this `apiVersion` and kind, if they have none themselves.
    ObjectsOf(&'static str, &'static str),
    /// The server's version.
    ServerVersion,
    /// The reasons for missing objects: a list, or one for each namespace or kind.
    Errors(String),
    /// No content that is read.
    Elsewhere,
}

/// The layout of a snapshot, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct SnapshotLayout {
    /// True if a known program collected the files, so that objects are in directories of their own.
    is_collection: bool,
    /// True if there are files of app clusters, whose objects are separate.
    pub(super) has_app_clusters: bool,
}

impl SnapshotLayout {
    /// Returns the content of the file at a path below the top.
    pub(super) fn place(&mut self, path: &str) -> FileContent {
        let parts: Vec<&str> = path.split('/').collect();
        let Some((file, directories)) = parts.split_last() else { return FileContent::Objects };
        if directories.contains(&APP_CLUSTERS) {
            self.has_app_clusters = true;
            return FileContent::Elsewhere;
        }
        self.is_collection |= *file == FILE || directories.iter().any(|one| [MUST_GATHER, TROUBLESHOOT].contains(one));
        if path.ends_with(VERSION) {
            return FileContent::ServerVersion;
        }
        let Some(top) = directories.iter().position(|one| *one == TROUBLESHOOT) else { return FileContent::Objects };
        let first = parts[top + 1];
        if NO_OBJECTS.contains(&first) || path.contains("/pods/logs/") {
            return FileContent::Elsewhere;
        }
        let stem = first.strip_suffix(".json").unwrap_or(first);
        if let Some(what) = file.strip_suffix("-errors.json") {
            let built_in = BUILT_IN.iter().find(|(directory, ..)| *directory == what);
            return FileContent::Errors(built_in.map_or(what, |(.., plural)| plural).to_owned());
        }
        match BUILT_IN.iter().find(|(directory, ..)| *directory == stem) {
            Some((_, version, kind, _)) => FileContent::ObjectsOf(version, kind),
            None => FileContent::Objects,
        }
    }

    /// Returns true for files beside the objects of a collection, which may have no objects.
    pub(super) fn is_beside(&self, path: &str) -> bool {
        let is_inside = path.split('/').any(|part| [MUST_GATHER, TROUBLESHOOT, NAMESPACES, FILE].contains(&part));
        self.is_collection && !is_inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_a_file_follows_from_its_path() {
        let mut layout = SnapshotLayout::default();
        assert_eq!(layout.place("any/where.yaml"), FileContent::Objects);
        assert!(!layout.is_beside("any/where.yaml"), "it may be a manifest");
        for (path, expected) in [
            ("bundle/cluster-resources/pods/default.json", FileContent::ObjectsOf("v1", "Pod")),
            ("bundle/cluster-resources/custom-resources/buckets.example.org.yaml", FileContent::Objects),
            ("bundle/cluster-resources/deployments-errors.json", FileContent::Errors("deployments.apps".to_owned())),
            (
                "bundle/cluster-resources/custom-resources/custom-resources-errors.json",
                FileContent::Errors("custom-resources".to_owned()),
            ),
            ("bundle/cluster-resources/resources.json", FileContent::Elsewhere),
            ("bundle/cluster-info/cluster_version.json", FileContent::ServerVersion),
            ("x/app-clusters/prod/cluster-scoped-resources/core/nodes.yaml", FileContent::Elsewhere),
            ("must-gather/img/namespaces/shop/core/configmaps.yaml", FileContent::Objects),
        ] {
            assert_eq!(layout.place(path), expected, "{path}");
        }
        assert!(layout.is_beside("bundle/analysis.json") && layout.is_beside("bundle/version.yaml"));
        assert!(!layout.is_beside("bundle/cluster-resources/x/broken.yaml"));
    }
}
