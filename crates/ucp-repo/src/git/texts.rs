//! Texts of files at revisions, read from `git cat-file --batch` in one process.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::Stdio;

use anyhow::Context as _;

use super::Git;
use super::log::is_hash;
use ucp_core::error::Result;
use ucp_core::scratch::RegisteredChild;

/// Larger files, and files beyond this total, are not read.
const LONGEST_FILE: u64 = 256 << 10;
const MOST_TEXT: u64 = 8 << 20;

/// A file at a commit, or at its first parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAtCommit<'a> {
    /// The hash of the commit.
    pub commit: &'a str,
    /// Whether it is the file before the commit.
    pub is_before: bool,
    /// The path from the top of the repository.
    pub path: &'a str,
}

/// The content of a file at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// The commit does not have it.
    Absent,
    /// It is no text, it is large, or git did not return it.
    Unread,
    /// Its text.
    Read(String),
}

impl FileAtCommit<'_> {
    /// Returns the name of the object, unless git would read it as something else.
    fn object(&self) -> Option<String> {
        let is_plain = is_hash(self.commit) && !self.path.is_empty() && !self.path.contains(['\n', '\r', '\0']);
        is_plain.then(|| format!("{}{}:{}", self.commit, if self.is_before { "^" } else { "" }, self.path))
    }
}

/// Returns the texts of files, in their order.
///
/// # Errors
/// Fails when git cannot be started.
pub fn texts(git: &Git, files: &[FileAtCommit<'_>]) -> Result<Vec<FileText>> {
    let objects: Vec<Option<String>> = files.iter().map(FileAtCommit::object).collect();
    let asked: String = objects.iter().flatten().map(|object| format!("{object}\n")).collect();
    if asked.is_empty() {
        return Ok(vec![FileText::Unread; files.len()]);
    }
    let mut command = git.command();
    command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("git cannot be started")?;
    let working = RegisteredChild::register(&child);
    let (mut stdin, stdout) = child.stdin.take().zip(child.stdout.take()).context("git has no pipes")?;
    let asking = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let mut answers = BufReader::new(stdout);
    let mut left = MOST_TEXT;
    // After an answer that cannot be read, no later one can be found.
    let mut is_readable = true;
    let read = objects.iter().map(|object| {
        if object.is_none() || !is_readable {
            return FileText::Unread;
        }
        read_text(&mut answers, &mut left).unwrap_or_else(|| {
            is_readable = false;
            FileText::Unread
        })
    });
    let texts = read.collect();
    drop(answers);
    let _ = child.kill();
    let _ = asking.join();
    child.wait().context("git cannot be waited for")?;
    drop(working);
    Ok(texts)
}

/// Reads one answer. Returns `None` at the end.
fn read_text(answers: &mut impl BufRead, left: &mut u64) -> Option<FileText> {
    let mut header = String::new();
    if answers.read_line(&mut header).ok()? == 0 {
        return None;
    }
    // `HASH blob SIZE`, or `NAME missing`.
    let mut words = header.trim_end().rsplit(' ');
    let (size, kind) = (words.next()?, words.next()?);
    let Ok(size) = size.parse::<u64>() else { return Some(FileText::Absent) };
    let is_kept = kind == "blob" && size <= LONGEST_FILE && size <= *left;
    let mut content = answers.take(size);
    let mut text = Vec::new();
    if is_kept {
        *left -= size;
        content.read_to_end(&mut text).ok()?;
    } else {
        std::io::copy(&mut content, &mut std::io::sink()).ok()?;
    }
    answers.read_exact(&mut [0]).ok()?;
    let text = String::from_utf8(text).ok().filter(|_| is_kept);
    Some(text.map_or(FileText::Unread, FileText::Read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_before_and_after_a_commit() {
        let directory = tempfile::tempdir().unwrap();
        let git = Git::at(directory.path());
        let identity = ["-c", "user.name=Jane", "-c", "user.email=jane@example.org"];
        let commit = |path: &str, text: &[u8]| {
            std::fs::write(directory.path().join(path), text).unwrap();
            git.run(["add", "--all"]).unwrap();
            git.run(identity.iter().chain(&["commit", "--quiet", "-m", "x"])).unwrap();
            git.run(["rev-parse", "HEAD"]).unwrap()
        };
        git.run(["init", "--quiet"]).unwrap();
        commit("a b.yaml", b"size: 1\n");
        let last = commit("a b.yaml", b"size: 2\n");
        let other = commit("bytes", &[0xff, 0xfe]);
        let large = commit("large", &vec![b'x'; 300 << 10]);
        let file = |commit, is_before, path| FileAtCommit { commit, is_before, path };
        let files = [
            file(&last, true, "a b.yaml"),
            file(&last, false, "none.yaml"),
            file("--help", false, "a b.yaml"),
            file(&last, false, "a\nb"),
            file(&other, false, "bytes"),
            file(&large, false, "large"),
            file(&large, false, ""),
            file(&last, false, "a b.yaml"),
        ];
        let read = texts(&git, &files).unwrap();
        let text = |text: &str| FileText::Read(text.to_owned());
        let (absent, unread) = (FileText::Absent, FileText::Unread);
        let (others, unreadable) = (vec![absent; 1], vec![unread; 5]);
        let expected = [vec![text("size: 1\n")], others, unreadable, vec![text("size: 2\n")]].concat();
        assert_eq!(read, expected);
    }
}
