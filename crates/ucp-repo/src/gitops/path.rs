//! Paths inside of a repository: relative to its root, with slashes. The root itself is the empty path.

/// Resolves a relative path from a directory; returns `None` if it leaves the repository.
pub fn join(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    if relative.starts_with('/') {
        return None;
    }
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns a path in the form of rules in `.ucp.yaml`: relative to the directory, or to the root with a leading slash.
pub fn relative(directory: &str, path: &str) -> String {
    match path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if !directory.is_empty() => rest.to_owned(),
        _ => format!("/{path}"),
    }
}

/// Returns the path of a file in a directory.
pub fn inside(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns the parent directory of a path.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns the last part of a path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the innermost directory that contains both, or is one of them.
pub fn common<'p>(left: &'p str, right: &'p str) -> &'p str {
    let mut directory = left;
    while directory != right && !is_below(right, directory) {
        directory = parent(directory);
    }
    directory
}

/// Returns true if a path is below a directory.
pub fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the parent directories of a path, from the innermost to the root of the repository.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| Some(parent(path)).filter(|_| !path.is_empty())).skip(1)
}

/// Returns the name of a directory for messages.
pub fn display_name(directory: &str) -> &str {
    if directory.is_empty() { "the top of the repository" } else { directory }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_out_of_the_repository_are_refused() {
        assert_eq!(join("a/b", "../../c/./d/"), Some("c/d".into()));
        assert_eq!(join("a", ".."), Some(String::new()));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(join("a", "/etc"), None);
        assert_eq!((parent("a/b"), parent("a")), ("a", ""));
        assert_eq!((common("a/b/c", "a/b/d"), common("a/b", "a/b/c"), common("a", "b")), ("a/b", "a/b", ""));
        assert!(is_below("a/b", "a") && !is_below("ab", "a") && is_below("a", ""));
    }
}
