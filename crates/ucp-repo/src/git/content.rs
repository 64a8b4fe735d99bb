//! Files of a commit, as stored by Git. This program writes them instead of `git checkout`, which would run filters
//! that attributes in the tree select.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, anyhow, bail};

use crate::git::{Git, summarize_error};
use ucp_core::error::Result;
use ucp_core::scratch::RegisteredChild;

/// Size limit of an error message of git.
const LONGEST_MESSAGE: u64 = 64 << 10;

/// Type of a tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeEntryKind {
    File,
    Executable,
    Link,
    /// A submodule, of which only the path is known.
    Submodule,
}

/// An entry of a tree.
#[derive(Debug, PartialEq, Eq)]
struct TreeEntry {
    kind: TreeEntryKind,
    id: String,
    path: PathBuf,
}

/// Limits of what is written for one commit. A commit of a few kilobytes can contain the same tree or blob any number of
/// times.
#[derive(Debug, Clone, Copy)]
struct ContentLimits {
    /// Maximum number of files, links, and submodules.
    entries: usize,
    /// Maximum size of the list of their paths, in bytes.
    listing: u64,
    /// Maximum size of all files together, in bytes.
    content: u64,
}

const LIMITS: ContentLimits = ContentLimits { entries: 1_000_000, listing: 512 << 20, content: 8 << 30 };

/// Writes the files of a commit into a directory, without filters, hooks, or conversions. Links that point out of the
/// directory are omitted.
///
/// # Errors
/// Fails when git fails, or the tree contains paths that a checkout cannot have.
pub fn write_commit(git: &Git, commit: &str, top: &Path) -> Result<()> {
    write_within(git, commit, top, LIMITS)
}

fn write_within(git: &Git, commit: &str, top: &Path, limits: ContentLimits) -> Result<()> {
    let entries = list(git, commit, limits)?;
    let mut left = limits.content;
    let mut directories = BTreeSet::new();
    for entry in &entries {
        let directory =
            if entry.kind == TreeEntryKind::Submodule { Some(entry.path.as_path()) } else { entry.path.parent() };
        directories.extend(directory.map(Path::to_owned));
    }
    for directory in directories {
        fs::create_dir_all(top.join(&directory)).with_context(|| directory.display().to_string())?;
    }
    let (links, files): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .filter(|entry| entry.kind != TreeEntryKind::Submodule)
        .partition(|entry| entry.kind == TreeEntryKind::Link);
    // All files are written before the first link, so that none is written through a link.
    write(git, &files, top, &mut left)?;
    write(git, &links, top, &mut left)?;
    confine_links(top, top).context("cannot write a revision")?;
    Ok(())
}

/// Lists the entries of a commit.
fn list(git: &Git, commit: &str, limits: ContentLimits) -> anyhow::Result<Vec<TreeEntry>> {
    let mut command = git.command();
    command.args(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit]).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("git cannot be started")?;
    let working = RegisteredChild::register(&child);
    let (stdout, stderr) = child.stdout.take().zip(child.stderr.take()).context("git has no pipes")?;
    let result = read_list(BufReader::new(stdout.take(limits.listing + 1)), limits);
    if result.is_err() {
        let _ = child.kill();
    }
    let mut words = String::new();
    let _ = stderr.take(LONGEST_MESSAGE).read_to_string(&mut words);
    let status = child.wait().context("git cannot be waited for")?;
    drop(working);
    let entries = result?;
    if !status.success() {
        bail!("git ls-tree failed: {}", summarize_error(&words));
    }
    Ok(entries)
}

fn read_list(mut listing: impl BufRead, limits: ContentLimits) -> anyhow::Result<Vec<TreeEntry>> {
    let (mut entries, mut size) = (Vec::new(), 0_u64);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = listing.read_until(0, &mut line)?;
        size += length as u64;
        if length == 0 {
            return Ok(entries);
        }
        if entries.len() == limits.entries || size > limits.listing {
            bail!(
                "the commit contains more than {} files, or paths of more than {} bytes",
                entries.len(),
                limits.listing
            );
        }
        entries.push(parse(&String::from_utf8_lossy(line.strip_suffix(&[0]).unwrap_or(&line)))?);
    }
}

fn parse(line: &str) -> anyhow::Result<TreeEntry> {
    let (fields, path) = line.split_once('\t').context("git ls-tree: a line without a path")?;
    let mut fields = fields.split(' ');
    let (mode, id) = (fields.next().unwrap_or_default(), fields.nth(1).unwrap_or_default());
    let kind = match mode {
        "120000" => TreeEntryKind::Link,
        "160000" => TreeEntryKind::Submodule,
        "100755" => TreeEntryKind::Executable,
        _ => TreeEntryKind::File,
    };
    let path = PathBuf::from(path);
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.to_string_lossy().eq_ignore_ascii_case(".git"),
        _ => false,
    };
    if path.as_os_str().is_empty() || !path.components().all(is_plain) {
        bail!("the commit contains {path:?}, which is not a path of a checkout");
    }
    Ok(TreeEntry { kind, id: id.to_owned(), path })
}

/// Writes entries, read from `git cat-file --batch`.
fn write(git: &Git, entries: &[TreeEntry], top: &Path, left: &mut u64) -> anyhow::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut command = git.command();
    command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("git cannot be started")?;
    let working = RegisteredChild::register(&child);
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (mut stdin, stdout) = stdin.zip(stdout).context("git has no pipes")?;
    let ids: String = entries.iter().map(|entry| format!("{}\n", entry.id)).collect();
    let asking = std::thread::spawn(move || stdin.write_all(ids.as_bytes()));
    let mut answers = BufReader::new(stdout);
    let mut result = Ok(());
    for entry in entries {
        result = write_entry(&mut answers, entry, top, left);
        if result.is_err() {
            break;
        }
    }
    // After an error, git may still have output to write.
    if result.is_err() {
        let _ = child.kill();
    }
    drop(answers);
    let _ = asking.join();
    child.wait().context("git cannot be waited for")?;
    drop(working);
    result
}

fn write_entry(answers: &mut impl BufRead, entry: &TreeEntry, top: &Path, left: &mut u64) -> anyhow::Result<()> {
    let mut header = String::new();
    answers.read_line(&mut header)?;
    let missing = || anyhow!("git has no content for {}: it may not be fetched yet", entry.path.display());
    let size: u64 = header.trim_end().rsplit_once(' ').and_then(|(_, size)| size.parse().ok()).ok_or_else(missing)?;
    *left = left.checked_sub(size).ok_or_else(|| anyhow!("the files of the commit are too large together"))?;
    let mut content = answers.take(size);
    let path = top.join(&entry.path);
    let about = || format!("cannot write {}", entry.path.display());
    if entry.kind == TreeEntryKind::Link {
        let mut target = Vec::new();
        content.read_to_end(&mut target)?;
        link(target, &path).with_context(about)?;
    } else {
        // A file that exists belongs to another entry with the same name.
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path).with_context(about)?;
        io::copy(&mut content, &mut file).with_context(about)?;
        #[cfg(unix)]
        if entry.kind == TreeEntryKind::Executable {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).with_context(about)?;
        }
    }
    answers.read_exact(&mut [0])?;
    Ok(())
}

#[cfg(unix)]
fn link(target: Vec<u8>, path: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStringExt as _;
    std::os::unix::fs::symlink(std::ffi::OsString::from_vec(target), path)
}

/// Writes the target to a file, as git does on systems without links.
#[cfg(not(unix))]
fn link(target: Vec<u8>, path: &Path) -> io::Result<()> {
    fs::write(path, target)
}

/// Breaks the links below a directory of a private tree that point out of the tree: they lead nowhere.
///
/// # Errors
/// Fails when the directory cannot be read, or a link cannot be replaced.
pub fn confine_links(directory: &Path, top: &Path) -> io::Result<()> {
    let top = fs::canonicalize(top)?;
    for_each_link(directory, &mut |link| {
        let stays = fs::canonicalize(link).is_ok_and(|target| is_in_checkout(&top, &target));
        if stays { Ok(()) } else { break_link(link) }
    })
}

/// The target of a link that led out of a tree. It never exists.
const OUTSIDE: &str = ".outside-of-the-repository";

/// Replaces a link by one that leads nowhere: without any, its absence would look like a deletion.
fn break_link(link: &Path) -> io::Result<()> {
    fs::remove_file(link)?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(OUTSIDE, link)?;
    #[cfg(not(unix))]
    let _ = OUTSIDE;
    Ok(())
}

/// Returns true if a path without links is one of the files of a checkout: below its top, and not one of Git's own, which
/// hold credentials in CI.
pub fn is_in_checkout(top: &Path, path: &Path) -> bool {
    let is_git = |part: Component<'_>| part.as_os_str().to_string_lossy().eq_ignore_ascii_case(".git");
    path.strip_prefix(top).is_ok_and(|relative| !relative.components().any(is_git))
}

/// Calls a function for every link below a directory. Links are not followed.
///
/// # Errors
/// Fails when the directory cannot be read, and returns errors of the function.
pub fn for_each_link(directory: &Path, found: &mut dyn FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            found(&entry.path())?;
        } else if kind.is_dir() {
            for_each_link(&entry.path(), found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_no_checkout_are_refused() {
        let line = |path: &str| parse(&format!("100644 blob abc\t{path}"));
        assert_eq!(line("-a/b\nc").unwrap().path, Path::new("-a/b\nc"));
        for hostile in ["", "/etc/x", "../x", "a/../../x", ".git/config", "a/.GIT/hooks/x"] {
            assert!(line(hostile).is_err(), "{hostile}");
        }
    }

    #[test]
    fn a_commit_that_exceeds_a_limit_is_refused() {
        let (repository, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let git = Git::at(repository.path());
        git.run(["init", "--quiet"]).unwrap();
        fs::write(repository.path().join("x"), "0123456789").unwrap();
        let blob = git.run(["hash-object", "-w", "x"]).unwrap();
        let mktree = |kind: &str, id: &str| {
            let mode = if kind == "blob" { "100644" } else { "040000" };
            let lines: String = (0..4).map(|number| format!("{mode} {kind} {id}\t{number}\n")).collect();
            let file = repository.path().join("lines");
            fs::write(&file, lines).unwrap();
            let mut command = git.command();
            let output = command.arg("mktree").stdin(fs::File::open(file).unwrap()).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        };
        // 64 files of 10 bytes.
        let tree = (0..2).fold(mktree("blob", &blob), |tree, _| mktree("tree", &tree));
        let write = |entries, listing, content| {
            let top = tempfile::tempdir_in(top.path()).unwrap();
            write_within(&git, &tree, top.path(), ContentLimits { entries, listing, content })
        };
        assert!(write(64, 1 << 20, 640).is_ok());
        for (result, words) in [
            (write(63, 1 << 20, 640), "more than 63 files"),
            (write(64, 1000, 640), "1000 bytes"),
            (write(64, 1 << 20, 639), "too large"),
        ] {
            assert!(format!("{:?}", result.unwrap_err()).contains(words));
        }
        assert!(format!("{:?}", write_commit(&git, "none", top.path()).unwrap_err()).contains("ls-tree failed"));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_tree_are_refused() {
        use std::os::unix::fs::symlink;
        let (outside, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(top.path().join("a/b")).unwrap();
        let away = outside.path().to_string_lossy().into_owned();
        // By its text alone, `a/b/through` remains inside.
        let links = [
            ("a/up", "..", true),
            ("a/b/file", "../up", true),
            ("away", away.as_str(), false),
            ("a/b/through", "../up/../x", false),
            ("nowhere", "/nonexistent/kustomization.yaml", false),
            ("loop", "loop", false),
        ];
        for (path, target, _) in links {
            symlink(target, top.path().join(path)).unwrap();
        }
        confine_links(top.path(), top.path()).unwrap();
        for (path, _, stays) in links {
            // Its place shows that there was one.
            assert_eq!(fs::read_link(top.path().join(path)).unwrap() != Path::new(OUTSIDE), stays, "{path}");
            assert!(stays || !top.path().join(path).exists(), "{path}");
        }
    }
}
