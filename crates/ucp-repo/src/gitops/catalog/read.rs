//! Parallel read of all files of a repository that may contain versions.

use std::collections::HashSet;
use std::fs::Metadata;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::gitops::catalog::deployed::{self, DeclaredDeployment};
use crate::gitops::catalog::item::EnvironmentItem;
use crate::gitops::catalog::rule::{FileRules, VersionRules, captures};
use crate::gitops::catalog::undivided::{GeneratedDirectories, generated_directories};
use crate::gitops::purpose::is_generated;
use crate::gitops::repository::{Repository, message};
use crate::slot::format::FileFormat;
use crate::slot::site::innermost_object;
use crate::slot::{FileSlot, ScalarLocation, VersionFile};
use ucp_core::model::state::Unreadable;

/// Size limit: larger files are bundles or dashboards, not files with versions.
const LARGEST: u64 = 1 << 20;

/// Versions and deployments of files.
#[derive(Debug, Default)]
pub(super) struct CatalogFiles {
    pub(super) found: Vec<FileVersions>,
    pub(super) deployments: Vec<DeclaredDeployment>,
    pub(super) generated: Vec<GeneratedDirectories>,
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) oversized: Vec<String>,
}

/// Versions of one file.
#[derive(Debug)]
pub(super) struct FileVersions {
    pub(super) file: String,
    pub(super) slots: Vec<LocatedSlot>,
    /// True if the file says that it is generated.
    pub(super) is_generated: bool,
}

/// Version with its context.
#[derive(Debug)]
pub(super) struct LocatedSlot {
    pub(super) slot: FileSlot,
    /// Kind and name of the object that contains it.
    pub(super) object: Option<(String, String)>,
    /// List item with an environment that contains it.
    pub(super) item: Option<EnvironmentItem>,
}

/// Number of files per work unit. Large files are often adjacent, and must not all be read by one worker.
const PORTION: usize = 16;

/// Reads all files.
pub(super) fn files(repository: &Repository, rules: &VersionRules<'_>) -> CatalogFiles {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut parts = Vec::new();
        loop {
            let at = next.fetch_add(PORTION, Ordering::Relaxed);
            let Some(files) = repository.files.get(at..) else { return parts };
            parts.push((at, part_of(repository, rules, &files[..files.len().min(PORTION)])));
            if files.len() <= PORTION {
                return parts;
            }
        }
    };
    let mut parts: Vec<(usize, CatalogFiles)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    parts.sort_by_key(|(at, _)| *at);
    let mut all = CatalogFiles::default();
    for (_, part) in parts {
        all.found.extend(part.found);
        all.deployments.extend(part.deployments);
        all.generated.extend(part.generated);
        all.unreadable.extend(part.unreadable);
        all.oversized.extend(part.oversized);
    }
    all
}

fn part_of(repository: &Repository, rules: &VersionRules<'_>, files: &[String]) -> CatalogFiles {
    let mut read = CatalogFiles::default();
    for name in files {
        let path = repository.top.join(name);
        let Some(size) = std::fs::metadata(&path).ok().filter(Metadata::is_file).map(|data| data.len()) else {
            continue;
        };
        let may_have_versions = || FileFormat::by_name(name).is_some();
        if size > LARGEST {
            read.oversized.extend(may_have_versions().then(|| name.clone()));
            continue;
        }
        let text = match repository.read_text(name) {
            Ok(text) => text,
            Err(error) => {
                let unread = may_have_versions().then(|| Unreadable { what: name.clone(), reason: message(&error) });
                read.unreadable.extend(unread);
                continue;
            }
        };
        let file = match VersionFile::read(name, &text) {
            Ok(Some(file)) => file,
            Ok(None) => continue,
            Err(error) => {
                read.unreadable.push(Unreadable { what: name.clone(), reason: error.to_string() });
                continue;
            }
        };
        if deployed::is_override(name) {
            let roots = file.layers[0].documents.iter();
            read.deployments.extend(roots.map(|root| deployed::override_deployment(name, root)));
        } else if deployed::may_deploy(&text) {
            read.deployments.extend(deployed::deployments(name, &file.layers[0].documents));
            read.generated.extend(generated_directories(&file.layers[0].documents));
        }
        let slots = if is_build_manifest(name) { Vec::new() } else { file.slots() };
        let (mut slots, odd): (Vec<_>, Vec<_>) = slots.into_iter().partition(FileSlot::is_on_one_line);
        if let Some(slot) = odd.first() {
            let reason = format!("line {}: a version or name has a line break or another control character", slot.line);
            read.unreadable.push(Unreadable { what: name.clone(), reason });
        }
        if let Some(rule) = rules.for_file(name) {
            add_ruled(&file, &rule, &mut slots);
        }
        if !slots.is_empty() {
            let around = |slot: FileSlot| LocatedSlot {
                object: object(&file, &slot),
                item: EnvironmentItem::around(&file, &slot),
                slot,
            };
            read.found.push(FileVersions {
                file: name.clone(),
                slots: slots.into_iter().map(around).collect(),
                is_generated: is_generated(&text),
            });
        }
    }
    read
}

/// Files in which build tools and package managers declare what a program is compiled with, which no environment deploys.
const BUILD_MANIFESTS: [&str; 8] = [
    "Cargo.toml",
    "composer.json",
    "deno.json",
    "gradle.properties",
    "libs.versions.toml",
    "package.json",
    "pubspec.yaml",
    "pyproject.toml",
];

fn is_build_manifest(file: &str) -> bool {
    BUILD_MANIFESTS.contains(&file.rsplit('/').next().unwrap_or(file))
}

/// Adds the values that only a rule declares to be versions.
fn add_ruled(file: &VersionFile, rule: &FileRules<'_>, slots: &mut Vec<FileSlot>) {
    if rule.paths().next().is_none() {
        return;
    }
    let mut found = Vec::new();
    file.each_value(|site| {
        let path = site.path();
        if rule.paths().any(|pattern| captures(pattern, &path).is_some()) {
            found.push(path);
        }
    });
    let known: HashSet<ScalarLocation> = slots.iter().map(|slot| slot.place.clone()).collect();
    for path in found {
        let is_known = file.find(&path).iter().all(|place| known.contains(place));
        if !is_known && let Ok(slot) = file.slot_at(&path, |_| None) {
            slots.push(FileSlot { by: "rule", ..slot });
        }
    }
}

/// Returns the kind and name of the object that contains a slot.
fn object(file: &VersionFile, slot: &FileSlot) -> Option<(String, String)> {
    let (mut layer, mut document) = (slot.place.layer, slot.place.document);
    while let Some(within) = &file.layers.get(layer)?.within {
        (layer, document) = (within.layer, within.document);
    }
    let root = file.layers.get(layer)?.documents.get(document)?;
    let node = innermost_object(root, &slot.path);
    let kind = node.text_at("kind")?;
    let name = node.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
    Some((kind.to_owned(), name.to_owned()))
}
