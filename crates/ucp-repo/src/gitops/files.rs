//! Reads and replaces files, with size limits and atomically.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Serialize as _, Serializer};

use crate::gitops::path;
use ucp_core::error::{Error, Result};
use ucp_core::model::grounds::Grounds;
use ucp_core::model::hash::sha256_of;
use ucp_core::regular_file;

/// File names that kustomize accepts for a kustomization.
pub const KUSTOMIZATION_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns true if kustomize treats a file as a kustomization, by its path.
pub fn is_kustomization(file: &str) -> bool {
    KUSTOMIZATION_NAMES.contains(&path::name(file))
}

/// Returns true if a file is executable for any user.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Content of a file before and after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Path relative to the root of the repository, or as given.
    pub path: String,
    /// Current content; `None` if the file is new.
    pub before: Option<String>,
    /// New content.
    pub after: String,
}

impl FileEdit {
    /// Returns the grounds of edits: the content of each file as it was read. An edit of a file with other content fails.
    pub fn grounds(edits: &[Self]) -> Grounds {
        let content = |edit: &Self| match &edit.before {
            Some(before) => format!("{} (sha256 {})", edit.path, &sha256_of(before.as_bytes())[..SHOWN_DIGITS]),
            None => format!("{} (does not exist)", edit.path),
        };
        Grounds { objects: edits.iter().map(content).collect(), ..Grounds::default() }
    }

    /// Serializes edits as their grounds: plans show their changes, and not whole files.
    ///
    /// # Errors
    /// Fails when the serializer fails.
    pub fn serialize_grounds<S: Serializer>(edits: &[Self], serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Self::grounds(edits).serialize(serializer)
    }
}

/// The number of digits of a hash that distinguish two contents of one file.
const SHOWN_DIGITS: usize = 16;
/// Size limit: larger files are not manifests.
const LARGEST: u64 = 64 << 20;

/// Prefix of Git LFS pointers, from their specification (git-lfs, docs/spec.md).
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Reads a text file.
///
/// # Errors
/// Fails when the file cannot be read, is too large, or is not UTF-8.
pub fn read(path: &Path) -> Result<String> {
    let open = || -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        // A link may lead to a regular file; opening a FIFO would block.
        let file = regular_file::open(&fs::canonicalize(path)?)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            anyhow::bail!("larger than {} MiB", LARGEST >> 20);
        }
        if bytes.starts_with(LFS_POINTER) {
            anyhow::bail!("a Git LFS pointer, not the file itself: fetch it with 'git lfs pull'");
        }
        String::from_utf8(bytes)
            .map_err(|error| anyhow::anyhow!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
    };
    Ok(open().with_context(|| path.display().to_string())?)
}

/// Replaces the content of a file atomically, and preserves its permissions. A symbolic link remains a link.
///
/// # Errors
/// Fails when the current content is not `before`, or the new file cannot be written beside it. The old file is
/// unchanged then.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<()> {
    if read(path)? != before {
        return Err(
            Error::refused(format!("{} changed while the plan was made", path.display())).hint("run the command again")
        );
    }
    let write = || -> anyhow::Result<()> {
        let path = fs::canonicalize(path)?;
        let directory = path.parent().context("a file without a directory")?;
        let mut file = new_file(directory, FileAccess::Private)?;
        file.write_all(after.as_bytes())?;
        file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    Ok(write().with_context(|| format!("cannot write {}", path.display()))?)
}

/// Creates a new file and its parent directories.
///
/// # Errors
/// Fails when the path exists already, or the file cannot be written. No file is created then.
pub fn create(path: &Path, text: &str) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::refused(format!("{} was created while the plan was made", path.display()))
            .hint("run the command again, or choose another name"));
    }
    let write = || -> anyhow::Result<()> {
        let directory = path.parent().context("a file without a directory")?;
        fs::create_dir_all(directory)?;
        let mut file = new_file(directory, FileAccess::AsAnyFile)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path)?;
        Ok(())
    };
    Ok(write().with_context(|| format!("cannot write {}", path.display()))?)
}

/// Removes a file that [`create`] wrote, and parent directories that become empty, below `top`.
///
/// # Errors
/// Fails when the content has changed, or the file cannot be removed.
pub fn remove_created(top: &Path, path: &Path, text: &str) -> Result<()> {
    if read(path)? != text {
        return Err(Error::refused(format!("{} changed in the meantime", path.display())));
    }
    fs::remove_file(path).with_context(|| path.display().to_string())?;
    let above = path.ancestors().skip(1).take_while(|directory| *directory != top);
    // Stops at the first directory that is not empty.
    let _ = above.map(fs::remove_dir).take_while(std::result::Result::is_ok).count();
    Ok(())
}

/// Name prefix of files that are not completely written yet.
const UNFINISHED: &str = ".kubectl-ucp-";

/// Permissions of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileAccess {
    /// Only for the user, until it receives the permissions of the file that it replaces.
    Private,
    /// According to the umask.
    AsAnyFile,
}

/// Creates a file that is locked while it is written.
fn new_file(directory: &Path, access: FileAccess) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    if access == FileAccess::AsAnyFile {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    loop {
        let file = builder.tempfile_in(directory)?;
        file.as_file().lock()?;
        // Another run may have removed it as unfinished before it was locked.
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes unfinished files of killed runs below a directory. Files of active runs are locked, and kept.
pub fn remove_unfinished(top: &Path) {
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // Entries that cannot be read or removed are left to the next run. Links are not followed.
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && name != ".git" {
                open.push(entry.path());
            } else if kind.is_file()
                && name.to_string_lossy().starts_with(UNFINISHED)
                && fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Finds the kustomization of a directory.
///
/// # Errors
/// Fails when there are several, which kustomize would reject.
pub fn kustomization_in(directory: &Path) -> Result<Option<PathBuf>> {
    let mut found = KUSTOMIZATION_NAMES.iter().map(|name| directory.join(name)).filter(|path| path.is_file());
    let first = found.next();
    if let (Some(first), Some(second)) = (&first, found.next()) {
        // A case-insensitive file system lists one file under two names.
        if fs::canonicalize(first).ok() != fs::canonicalize(&second).ok() {
            return Err(Error::refused(format!(
                "{} and {} are in the same directory",
                first.display(),
                second.display()
            ))
            .hint("kustomize reads neither; remove one"));
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_files_of_ended_processes_are_deleted_and_others_kept() {
        let top = tempfile::tempdir().unwrap();
        let overlay = top.path().join("echo/overlays/stage");
        fs::create_dir_all(&overlay).unwrap();
        let dead = overlay.join(".kubectl-ucp-dead");
        fs::write(&dead, "half").unwrap();
        let living = new_file(&overlay, FileAccess::Private).unwrap();
        remove_unfinished(top.path());
        assert!(!dead.exists() && living.path().exists());
    }
}
