//! Checks for references of a kustomization or chart outside the checkout. Renderers follow any path and any URL, so
//! the author of a checkout could read other files of this machine, or send requests from it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::git::content::{for_each_link, is_in_checkout};
use crate::manifests::checkout::read_file;
use crate::manifests::kustomization;
use crate::manifests::reach::{RenderError, RendererPermissions};
use crate::manifests::reference_texts::{TextRules, clean, not_in_checkout};
use ucp_client::source::snapshot::yaml;

/// Fields of a kustomization that list files and directories, or have their content inline.
const PLACES: [&str; 8] =
    ["resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators"];
/// Those of [`PLACES`] whose objects have references of their own.
const CONFIGURED: [&str; 3] = ["generators", "transformers", "validators"];
/// Fields of a kustomization that a directory of [`CONFIGURED`] may have: anything else could change the objects in it,
/// after they were checked.
const ONLY_LISTED: [&str; 5] = ["apiVersion", "kind", "metadata", "resources", "bases"];

/// The content that a reference points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReferencedContent {
    /// Objects, which are only copied.
    Objects,
    /// Objects that configure kustomize.
    Configuration,
}

/// Checks that a kustomization and its bases only reference files of their tree.
///
/// # Errors
/// Fails when there is another reference, and `reach` does not allow it.
pub fn check_references(top: &Path, directory: &Path, reach: RendererPermissions) -> Result<(), RenderError> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![(directory.to_owned(), ReferencedContent::Objects)]);
    while let Some((directory, purpose)) = open.pop() {
        if !seen.insert((directory.clone(), purpose)) {
            continue;
        }
        let files = kustomization::FILES.iter().map(|name| directory.join(name));
        for file in files.filter(|file| file.is_file()) {
            resolve_within(top, &file, &file.display().to_string())?;
            let fields = read_kustomization(&file)?;
            let texts = TextRules { top, directory: &directory, reach };
            fields.iter().try_for_each(|(name, value)| texts.check_field(name, value))?;
            if reach == RendererPermissions::Checkout && purpose == ReferencedContent::Configuration {
                check_only_listed(&fields)?;
            }
            for name in PLACES {
                let content = if CONFIGURED.contains(&name) { ReferencedContent::Configuration } else { purpose };
                for place in strings(name, fields.get(name))? {
                    let found = directory_at(top, &directory, place, content, reach)?;
                    open.extend(found.map(|directory| (directory, content)));
                }
            }
        }
    }
    Ok(())
}

/// Returns the fields of a kustomization. A file that cannot be parsed here cannot be checked, even if kustomize accepts
/// it. Values inside of the fields are those before merges.
pub(super) fn read_kustomization(file: &Path) -> Result<Map<String, Value>, RenderError> {
    let name = file.display().to_string();
    let mut documents = parse(&name, &read(file)?)?;
    let fields = documents.pop().unwrap_or_default();
    if !documents.is_empty() {
        return Err(RenderError::Broken(format!("{name}: it has more than one document")));
    }
    kustomization::fields_by_usual_names(fields).map_err(|reason| RenderError::Broken(format!("{name}: {reason}")))
}

/// Fails when a kustomization adds or changes objects, other than those of its resources.
fn check_only_listed(fields: &Map<String, Value>) -> Result<(), RenderError> {
    match fields.keys().find(|name| !ONLY_LISTED.contains(&name.as_str())) {
        Some(name) => Err(RenderError::Unsupported(format!(
            "its {name} change generators, transformers or validators, which cannot be checked then"
        ))),
        None => Ok(()),
    }
}

/// Returns the directory of the tree that a reference points to.
fn directory_at(
    top: &Path,
    from: &Path,
    place: &str,
    content: ReferencedContent,
    reach: RendererPermissions,
) -> Result<Option<PathBuf>, RenderError> {
    let is_checked = content == ReferencedContent::Configuration && reach == RendererPermissions::Checkout;
    let texts = TextRules { top, directory: from, reach };
    let path = clean(&from.join(place));
    // As in kustomize, an object may be inline instead of a path.
    if content == ReferencedContent::Configuration {
        let documents = match parse("kustomization", place.as_bytes()) {
            Err(error) if is_checked => return Err(error),
            documents => documents.unwrap_or_default(),
        };
        if documents.iter().any(|document| document.is_object() || document.is_array()) && !path.exists() {
            return documents.iter().try_for_each(|document| texts.check_object(document)).map(|()| None);
        }
    }
    // kustomize takes some texts for URLs, even if they are paths of the tree.
    if reach == RendererPermissions::Checkout && (place.contains(':') || names_host(place)) {
        return Err(not_in_checkout(place));
    }
    if !path.exists() {
        return match reach == RendererPermissions::Checkout && is_remote(place) {
            true => Err(not_in_checkout(place)),
            false => Ok(None),
        };
    }
    let path = resolve_within(top, &path, place)?;
    if path.is_dir() {
        return Ok(Some(path));
    }
    if content == ReferencedContent::Configuration {
        let documents = parse(&path.display().to_string(), &read(&path)?);
        match documents {
            Err(error) if is_checked => return Err(error),
            documents => documents.unwrap_or_default().iter().try_for_each(|document| texts.check_object(document))?,
        }
    }
    Ok(None)
}

fn read(file: &Path) -> Result<Vec<u8>, RenderError> {
    read_file(file).map_err(|error| RenderError::Broken(format!("{}: {error}", file.display())))
}

/// Parses YAML that kustomize reads too. Fails where its parser would read something else: it has more line breaks, and
/// merges in another order.
fn parse(name: &str, bytes: &[u8]) -> Result<Vec<Value>, RenderError> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']) {
        return Err(RenderError::Broken(format!("{name}: it has line breaks that programs read differently")));
    }
    yaml::parse_unmerged(name, bytes).map_err(RenderError::from)
}

fn resolve_within(top: &Path, path: &Path, shown: &str) -> Result<PathBuf, RenderError> {
    match fs::canonicalize(path) {
        Ok(full) if is_in_checkout(top, &full) => Ok(full),
        _ => Err(RenderError::Broken(format!("'{shown}' points outside of the repository"))),
    }
}

/// Returns true if kustomize would treat a reference as remote: with a scheme, a host, or in the form of scp.
fn is_remote(place: &str) -> bool {
    let first = place.split('/').next().unwrap_or_default();
    let has_host = place.contains('/') && !first.starts_with('.') && first.contains('.');
    has_host || place.contains([':', '?']) || place.trim_start_matches('/').contains("//")
}

/// Returns true if kustomize takes a reference for a repository on this host, even if there is such a directory.
fn names_host(place: &str) -> bool {
    let first = place.split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case("github.com") || first.contains('@')
}

/// Returns the entries of a list. Fails when kustomize could read other texts than these.
fn strings<'a>(name: &str, list: Option<&'a Value>) -> Result<Vec<&'a str>, RenderError> {
    let broken = || RenderError::Broken(format!("its {name} are not a list of texts"));
    match list {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(entries)) => entries.iter().map(|entry| entry.as_str().ok_or_else(broken)).collect(),
        Some(_) => Err(broken()),
    }
}

/// Checks that no link below a chart points out of the tree: helm follows links, and a chart may print any of its
/// files.
///
/// # Errors
/// Fails when a link does, or when the chart cannot be read.
pub fn check_links(top: &Path, chart: &Path) -> Result<(), RenderError> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![chart.to_owned()]);
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        let mut found = |link: &Path| {
            let target = fs::canonicalize(link).ok().filter(|target| is_in_checkout(top, target));
            let shown = link.strip_prefix(top).unwrap_or(link).display();
            let target =
                target.ok_or_else(|| io::Error::other(format!("'{shown}' points outside of the repository")))?;
            if target.is_dir() {
                open.push(target);
            }
            Ok(())
        };
        for_each_link(&directory, &mut found).map_err(|error| RenderError::Broken(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_other_servers_are_recognized() {
        for remote in [
            "https://example.org/base",
            "HTTP://169.254.169.254/latest",
            "github.com/org/repo//base?ref=v1",
            "git@github.com:org/repo",
            "git::https://example.org/x",
            "ssh://git@example.org/x",
            "example.org/org/repo.git",
        ] {
            assert!(is_remote(remote), "{remote}");
        }
        for local in ["base", "../base", "./a/b", "deployment.yaml", "a.b", "/top"] {
            assert!(!is_remote(local), "{local}");
        }
    }

    #[test]
    fn references_are_followed_through_every_kustomization() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(top.join(name)).unwrap();
            fs::write(top.join(name).join("kustomization.yaml"), text).unwrap();
        };
        write("base", "resources: []\n");
        write("overlay", "Resources: [../base]\ncommonAnnotations: {docs: 'https://example.org'}\n");
        // The directories are inside of the tree, whose top is two levels up by the links of the file system.
        write("base/directory", "resources: [../odd.yaml]\n");
        write("base/changed", "resources: [../fine.yaml]\npatches: [{patch: 'x', target: {kind: A}}]\n");
        write("base/imageTags:/x", "resources: []\n");
        for name in ["base/github.com/evil/base", "base/GitHub.com/evil/base", "base/git@host/base"] {
            write(name, "resources: []\n");
        }
        for name in ["base/0o17", "base/{}"] {
            write(name, "resources: ['../../../..']\n");
        }
        write("deep/a/b/c/d", "resources: []\n");
        fs::write(top.join("base/odd.yaml"), "apiVersion: a/v1\nkind: A\nmetadata: {name: a}\npath: https://h/x\n")
            .unwrap();
        fs::write(top.join("base/fine.yaml"), "apiVersion: a/v1\nkind: A\nmetadata: {name: a}\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../deep/a/b/c/d", top.join("base/link")).unwrap();
        assert_eq!(check_references(&top, &top.join("overlay"), RendererPermissions::Checkout), Ok(()));
        let builtin = "apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n  path: https://h/x\n";
        for hostile in [
            "resources: ['https://example.org/x']\n".to_owned(),
            "components: ['/']\n".to_owned(),
            "resources: ['../../..']\n".to_owned(),
            format!("transformers:\n- |\n  {builtin}"),
            "resources: []\n---\nresources: ['https://example.org/x']\n".to_owned(),
            "resources: [\n".to_owned(),
            "Resources: ['https://example.org/x']\n".to_owned(),
            "reſourceſ: ['../../..']\n".to_owned(),
            "BASES: ['../../..']\n".to_owned(),
            "Components: ['../../..']\n".to_owned(),
            "resources: []\nResources: ['../../..']\n".to_owned(),
            "resources: []\nresources: ['../../..']\n".to_owned(),
            "resources: []\n<<: {resources: ['../../..']}\n".to_owned(),
            "resources: [!!binary Li4vLi4vLi4=]\n".to_owned(),
            "resources: [0o17]\n".to_owned(),
            "resources: \"../../..\"\n".to_owned(),
            "resources: [\"x\\n/../../../..\"]\n".to_owned(),
            "resources: [link/../../../..]\n".to_owned(),
            "resources: ['imageTags:/x']\n".to_owned(),
            "# a\u{85}resources: ['../../..']\n".to_owned(),
            "# a\u{2028}resources: ['../../..']\n".to_owned(),
            "# a\rresources: ['../../..']\n".to_owned(),
            "transformers: [\"x\\n/../../../..\"]\n".to_owned(),
            "transformers: ['0o17']\n".to_owned(),
            "generators: ['{}']\n".to_owned(),
            "transformers: [\"# a\\N{path: 'http://h/x'}\"]\n".to_owned(),
            "transformers: [\"# a\\n{path: 'http://h/x'\"]\n".to_owned(),
            "Transformers: [odd.yaml]\n".to_owned(),
            "Generators: [directory]\n".to_owned(),
            "validators: [changed]\n".to_owned(),
            "transformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: p}, path: \"http://h/x\"}']\n"
                .to_owned(),
            "configMapGenerator: [{name: a, Files: ['a:b=http://127.0.0.1:9000/x']}]\n".to_owned(),
            "Patches: [{Path: 'http:127.0.0.1/x'}]\n".to_owned(),
            "CRDS: ['https://h/x']\n".to_owned(),
            "openAPI: {path: 'https://h/x'}\n".to_owned(),
            "Configurations: ['https://h/x']\n".to_owned(),
            "helmcharts: [{name: a, repo: 'https://h/x'}]\n".to_owned(),
            "resources: [github.com/evil/base]\n".to_owned(),
            "resources: [GitHub.com/evil/base]\n".to_owned(),
            "resources: [git@host/base]\n".to_owned(),
        ] {
            write("base", &hostile);
            assert!(check_references(&top, &top.join("overlay"), RendererPermissions::Checkout).is_err(), "{hostile}");
        }
        write("base", "transformers: [fine.yaml]\nvalidators: [directory]\n");
        fs::write(top.join("base/odd.yaml"), "apiVersion: a/v1\nkind: A\nmetadata: {name: a}\n").unwrap();
        assert_eq!(check_references(&top, &top.join("overlay"), RendererPermissions::Checkout), Ok(()));
        write("base", "resources: ['https://example.org/x']\n");
        assert_eq!(check_references(&top, &top.join("overlay"), RendererPermissions::RemoteBases), Ok(()));
    }

    /// A pipeline keeps the token of its checkout in `.git/config`, which is below the top's kustomization.
    #[cfg(unix)]
    #[test]
    fn no_kustomization_reads_the_files_of_git() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir_all(top.join("app/nested/.git")).unwrap();
        fs::create_dir_all(top.join(".git")).unwrap();
        for file in [".git/config", "app/nested/.git/config", "plain"] {
            fs::write(top.join(file), "token").unwrap();
        }
        std::os::unix::fs::symlink(".git/config", top.join("link")).unwrap();
        std::os::unix::fs::symlink(".git", top.join("links")).unwrap();
        let generator =
            "kind: ConfigMapGenerator\n  apiVersion: builtin\n  metadata: {name: g}\n  files: [.git/config]\n";
        fs::write(top.join("generator.yaml"), generator.replace("\n  ", "\n")).unwrap();
        let build = |place: &str, text: &str, reach| {
            fs::write(top.join(place).join("kustomization.yaml"), text).unwrap();
            check_references(&top, &top.join(place), reach)
        };
        for text in [
            "configMapGenerator: [{name: x, files: [.git/config]}]\n",
            "configMapGenerator: [{name: x, files: ['key=./a/../.git/config']}]\n",
            "configMapGenerator: [{<<: {files: [link]}, name: x}]\n",
            "configMapGenerator: [{name: x, envs: [links/config]}]\n",
            "secretGenerator: [{name: x, env: .git/config}]\n",
            "resources: [.git/config]\n",
            "patches: [{path: .git/config}]\n",
            "replacements: [{path: link}]\n",
            "generators: [generator.yaml]\n",
            &format!("generators:\n- |\n  {generator}"),
        ] {
            for reach in [RendererPermissions::Checkout, RendererPermissions::Plugins] {
                assert!(build("", text, reach).is_err(), "{text}");
            }
        }
        let nested = "configMapGenerator: [{name: x, files: [nested/.git/config]}]\n";
        assert!(build("app", nested, RendererPermissions::Checkout).is_err());
        let fine = "configMapGenerator: [{name: x, files: [plain, .gitignore], literals: [a=.git/config]}]\n";
        assert_eq!(build("", fine, RendererPermissions::Checkout), Ok(()));
    }
}
