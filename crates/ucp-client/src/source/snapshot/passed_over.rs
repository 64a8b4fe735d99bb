//! Files in a directory that are not read because of their names, and look like manifests: they are reported.

use std::io::Read as _;
use std::path::Path;

use ucp_core::regular_file;

/// Extensions of compressed files.
const COMPRESSED: [&str; 6] = ["gz", "bz2", "xz", "zst", "zip", "lz4"];
/// Extensions of files that quote manifests, or generate them.
const QUOTING: [&str; 8] = ["md", "log", "sh", "tpl", "tmpl", "gotmpl", "swp", "html"];
/// Enough of a file to recognize a manifest.
const BEGINNING: u64 = 2048;

/// Returns true for the names of files with manifests.
pub(super) fn may_hold_objects(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

/// Returns the reason why a file is not read, if it looks like a manifest.
pub(super) fn reason(path: &Path) -> Option<&'static str> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if may_hold_objects(path) || QUOTING.contains(&extension) {
        return None;
    }
    if COMPRESSED.contains(&extension) {
        let is_manifest = path.file_stem().is_some_and(|stem| may_hold_objects(Path::new(stem)));
        return is_manifest.then_some("it is compressed, and compressed files in a directory are not read: unpack it");
    }
    // A link may lead out of the directory.
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let is_manifest = is_file && begin(path).is_some_and(|text| begins_like_a_manifest(&text));
    is_manifest.then_some("it looks like a manifest, and its name does not end with .yaml, .yml or .json: rename it")
}

fn begin(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    regular_file::open(path).ok()?.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns true if the first field of a text is one of a manifest.
fn begins_like_a_manifest(text: &str) -> bool {
    const FIELDS: [&str; 2] = ["apiVersion", "kind"];
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(object) = text.strip_prefix('{') {
        let object = object.trim_start();
        return FIELDS.iter().any(|field| object.starts_with(&format!("\"{field}\"")));
    }
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && line.trim() != "---";
    let first = text.lines().find(is_content).unwrap_or_default();
    FIELDS.iter().any(|field| first.strip_prefix(field).is_some_and(|rest| rest.starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_look_like_manifests_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let look = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            reason(&path).is_some()
        };
        for (name, text) in [
            ("a.yaml.gz", ""),
            ("b.json.zst", ""),
            ("c.txt", "# all\n---\napiVersion: v1\nkind: List\n"),
            ("d", "{\n  \"apiVersion\": \"v1\"}"),
            ("e.out", "kind: Secret\n"),
        ] {
            assert!(look(name, text), "{name}");
        }
        for (name, text) in [
            ("a.yaml", "apiVersion: v1\n"),
            ("b.log.gz", ""),
            ("c.md", "apiVersion: v1\n"),
            ("d.txt", "the apiVersion: v1\n"),
            ("e.txt", "{\"level\": \"info\", \"apiVersion\": \"v1\"}"),
            ("f", ""),
        ] {
            assert!(!look(name, text), "{name}");
        }
    }
}
