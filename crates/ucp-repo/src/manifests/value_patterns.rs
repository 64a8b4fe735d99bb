//! Patterns of value files, as Argo CD expands them since version 3.4: `*` and `?` match within a name, and `**` any directories.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use crate::git::content::is_in_checkout;
use crate::manifests::checkout::CheckoutTree;
use crate::manifests::reach::RenderError;
use ucp_core::model::glob;

/// Letters that make a value file a pattern.
const META: [char; 3] = ['*', '?', '['];
/// Letters whose meaning in a pattern is not evaluated.
const UNSUPPORTED: [char; 4] = ['[', '{', '}', '\\'];
/// The largest number of directories that a pattern may look into.
const MOST_DIRECTORIES: usize = 100_000;

/// Returns true if Argo CD expands the name of a value file.
pub(super) fn is_pattern(file: &str) -> bool {
    file.contains(META)
}

/// Returns the files that a pattern below a directory matches, in the order of Argo CD: the files of a directory before those of
/// the directories in it. Those that exist may be directories, which helm does not read.
pub(super) fn matching_files(tree: &CheckoutTree, base: &Path, pattern: &str) -> Result<Vec<PathBuf>, RenderError> {
    let unsupported = |why: &str| RenderError::Unsupported(format!("its value file {pattern} is a pattern {why}"));
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let first = parts.iter().position(|part| is_pattern(part)).unwrap_or(parts.len());
    let (fixed, parts) = parts.split_at(first);
    if pattern.contains(UNSUPPORTED) || parts.contains(&"..") {
        return Err(unsupported("with classes, alternatives, escapes or '..', which is not evaluated"));
    }
    let Ok(start) = std::fs::canonicalize(base.join(fixed.join("/"))) else { return Ok(Vec::new()) };
    if !is_in_checkout(&tree.top, &start) {
        return Err(RenderError::Broken(format!("'{pattern}' points outside of the repository")));
    }
    let mut found = vec![start];
    for (position, part) in parts.iter().enumerate() {
        let is_last = position + 1 == parts.len();
        let mut next = Vec::new();
        for directory in found {
            match *part {
                "**" => add_below(&directory, is_last, &mut next).map_err(unsupported)?,
                part => {
                    for (name, path, is_directory) in entries(&directory).map_err(unsupported)? {
                        if glob::matches(part, &name) && (is_last || is_directory) {
                            next.push(path);
                        }
                    }
                }
            }
            if next.len() > MOST_DIRECTORIES {
                return Err(unsupported("that matches too much"));
            }
        }
        let mut seen = std::collections::HashSet::new();
        next.retain(|path| seen.insert(path.clone()));
        found = next;
    }
    let resolve = |path: PathBuf| match std::fs::canonicalize(&path) {
        Ok(path) if is_in_checkout(&tree.top, &path) => Ok(path),
        _ => Err(RenderError::Broken(format!("a file that '{pattern}' matches is outside of the repository"))),
    };
    found.into_iter().map(resolve).collect()
}

/// Adds a directory and all below it, each before those in it; with their files, if it is the end of a pattern.
fn add_below(directory: &Path, with_files: bool, found: &mut Vec<PathBuf>) -> Result<(), &'static str> {
    found.push(directory.to_owned());
    for (_, path, is_directory) in entries(directory)? {
        if found.len() > MOST_DIRECTORIES {
            return Err("that matches too much");
        }
        if is_directory {
            add_below(&path, with_files, found)?;
        } else if with_files {
            found.push(path);
        }
    }
    Ok(())
}

/// Returns the entries of a directory in their order, without Git's own: names, paths, and whether they are directories.
fn entries(directory: &Path) -> Result<Vec<(String, PathBuf, bool)>, &'static str> {
    // A file has no entries.
    let Ok(read) = std::fs::read_dir(directory) else { return Ok(Vec::new()) };
    let mut entries: Vec<DirEntry> =
        read.collect::<Result<_, _>>().map_err(|_| "in a directory that cannot be read")?;
    entries.retain(|entry| entry.file_name() != ".git");
    entries.sort_by_key(DirEntry::file_name);
    let described = entries.into_iter().map(|entry| {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        // A link to a directory could lead in a circle.
        match entry.file_type().is_ok_and(|kind| kind.is_symlink()) && path.is_dir() {
            true => Err("next to a link to a directory"),
            false => Ok((name, entry.path(), path.is_dir())),
        }
    });
    described.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::checkout::tree_with;

    fn expand(tree: &CheckoutTree, base: &str, pattern: &str) -> Result<Vec<String>, RenderError> {
        let found = matching_files(tree, &tree.top.join(base), pattern)?;
        Ok(found.iter().map(|path| path.strip_prefix(&tree.top).unwrap().display().to_string()).collect())
    }

    /// The cases of Argo CD's own test.
    #[test]
    fn files_are_matched_in_the_order_of_argo_cd() {
        let (_directory, tree) = tree_with(&[
            "prod/a.yaml=",
            "prod/b.yaml=",
            "prod/nested/c.yaml=",
            "prod/nested/d.yaml=",
            "staging/e.yaml=",
            "envs/a.yaml=",
            "envs/z.yaml=",
            "envs/nested/c.yaml=",
            "chart/Chart.yaml=",
        ]);
        for (base, pattern, expected) in [
            ("", "prod/*.yaml", &["prod/a.yaml", "prod/b.yaml"][..]),
            ("", "./prod/?.yaml", &["prod/a.yaml", "prod/b.yaml"]),
            ("", "prod/a*.yaml", &["prod/a.yaml"]),
            ("chart", "../prod/*.yaml", &["prod/a.yaml", "prod/b.yaml"]),
            ("", "dev/*.yaml", &[]),
            ("", "prod/*.json", &[]),
            ("", "prod/**/*.yaml", &["prod/a.yaml", "prod/b.yaml", "prod/nested/c.yaml", "prod/nested/d.yaml"]),
            ("", "envs/**/*.yaml", &["envs/a.yaml", "envs/z.yaml", "envs/nested/c.yaml"]),
            ("", "**/nested/*.yaml", &["envs/nested/c.yaml", "prod/nested/c.yaml", "prod/nested/d.yaml"]),
            ("", "**/**/e.yaml", &["staging/e.yaml"]),
            ("", "*/nested/c*", &["envs/nested/c.yaml", "prod/nested/c.yaml"]),
            ("", "prod/n*", &["prod/nested"]),
            ("", "staging/**", &["staging", "staging/e.yaml"]),
        ] {
            assert_eq!(expand(&tree, base, pattern).unwrap(), expected, "{pattern}");
        }
        for pattern in ["prod/[ab].yaml", "{prod,envs}/*.yaml", "*/../prod/a.yaml"] {
            assert!(matches!(expand(&tree, "", pattern), Err(RenderError::Unsupported(_))), "{pattern}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pattern_does_not_leave_the_repository() {
        let (_directory, tree) = tree_with(&["prod/a.yaml="]);
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.yaml"), "a: b").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.yaml"), tree.top.join("prod/link.yaml")).unwrap();
        std::os::unix::fs::symlink("..", tree.top.join("circle")).unwrap();
        assert!(matches!(expand(&tree, "", "prod/*.yaml"), Err(RenderError::Broken(_))));
        assert!(matches!(expand(&tree, "", "**/*.yaml"), Err(RenderError::Unsupported(_))));
        assert!(matches!(expand(&tree, "", "../*/*.yaml"), Err(RenderError::Broken(_))));
    }
}
