//! Commits of a repository that only change files, and its trees.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A commit of the first-parent history.
pub(crate) struct Commit {
    pub(crate) id: String,
    /// Subject and body.
    pub(crate) message: String,
    /// Changed files, with their blobs before and after.
    pub(crate) files: Vec<ChangedBlob>,
}

#[derive(Clone)]
pub(crate) struct ChangedBlob {
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A private clone of a repository.
pub(crate) struct History {
    pub(crate) top: PathBuf,
    blobs: BlobReader,
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// Blobs of the written files, by path.
    written: HashMap<String, String>,
    _directory: tempfile::TempDir,
}

const FORMATS: [&str; 4] = ["yaml", "yml", "json", "env"];

/// Larger commits are migrations.
const MOST_FILES: usize = 12;

impl History {
    pub(crate) fn read(repository: &Path, limit: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().join("tree");
        let clone = ["clone", "--quiet", "--shared", "--no-checkout"];
        let status = Command::new("git").args(clone).arg(repository).arg(&top).status().unwrap();
        assert!(status.success(), "{} cannot be cloned", repository.display());
        let limit = format!("--max-count={limit}");
        let log =
            ["log", "--first-parent", "-m", "--raw", "--no-renames", "--no-abbrev", "--format=%x01%H%x02%s %b%x03"];
        let text = git(&top, &[&log[..], &[&limit, "HEAD"]].concat());
        let commits = text.split('\u{1}').filter_map(commit).collect();
        Self { blobs: BlobReader::new(&top), top, commits, written: HashMap::new(), _directory: directory }
    }

    /// Writes the files of a commit, by its index, and returns its blobs by path. A snapshot may be missing large files.
    pub(crate) fn check_out(&mut self, commit: usize) -> HashMap<String, String> {
        let listed = git(&self.top, &["ls-tree", "-r", "-z", &self.commits[commit].id]);
        let entry = |line: &str| {
            let (data, path) = line.split_once('\t')?;
            let blob = data.strip_prefix("100644 blob ").or(data.strip_prefix("100755 blob "))?;
            Some((path.to_owned(), blob.to_owned()))
        };
        let blobs: HashMap<String, String> = listed.split('\0').filter_map(entry).collect();
        for path in self.written.keys().filter(|path| !blobs.contains_key(*path)) {
            let _ = std::fs::remove_file(self.top.join(path));
        }
        for (path, blob) in &blobs {
            if self.written.get(path) != Some(blob)
                && let Some(text) = self.blobs.read(blob)
            {
                let file = self.top.join(path);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, text).unwrap();
            }
        }
        self.written.clone_from(&blobs);
        blobs
    }

    /// Returns the names in a directory of a commit; none if it does not exist.
    pub(crate) fn names_in(&self, commit: &str, directory: &str) -> Vec<String> {
        let place = format!("{commit}:{directory}");
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(&self.top).args(["ls-tree", "--name-only", &place]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Returns the text of a blob, by its ID or as COMMIT:PATH, if it is one.
    pub(crate) fn blob(&mut self, id: &str) -> Option<String> {
        self.blobs.read(id)
    }
}

fn git(top: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(top).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Parses a commit, if it does nothing but change files of known formats.
fn commit(text: &str) -> Option<Commit> {
    let (id, rest) = text.split_once('\u{2}')?;
    let (message, raw) = rest.split_once('\u{3}')?;
    let mut files = Vec::new();
    for line in raw.lines().filter(|line| line.starts_with(':')) {
        let (data, path) = line.split_once('\t')?;
        let data: Vec<&str> = data.split(' ').collect();
        let is_known = path.rsplit_once('.').is_some_and(|(_, ending)| FORMATS.contains(&ending));
        if data.get(4) != Some(&"M") || data[1] != "100644" || !is_known || path.contains('"') {
            return None;
        }
        files.push(ChangedBlob { path: path.to_owned(), before: data[2].to_owned(), after: data[3].to_owned() });
    }
    let fits = (1..=MOST_FILES).contains(&files.len());
    fits.then(|| Commit { id: id.to_owned(), message: message.chars().take(400).collect(), files })
}

struct BlobReader {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl BlobReader {
    fn new(top: &Path) -> Self {
        let mut command = Command::new("git");
        command.arg("-C").arg(top).args(["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    fn read(&mut self, id: &str) -> Option<String> {
        writeln!(self.child.stdin.as_mut()?, "{id}").ok()?;
        let mut header = String::new();
        self.output.read_line(&mut header).ok()?;
        let size: usize = header.trim().rsplit(' ').next()?.parse().ok()?;
        let mut content = vec![0; size + 1];
        self.output.read_exact(&mut content).ok()?;
        content.pop();
        String::from_utf8(content).ok()
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
