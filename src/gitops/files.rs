//! Reading and replacing files: within limits, whole or not at all.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::error::{Error, Result};

/// The names under which kustomize looks for a kustomization.
pub const KUSTOMIZATION_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Whether kustomize takes a file for a kustomization, by its path.
pub fn is_kustomization(file: &str) -> bool {
    KUSTOMIZATION_NAMES.contains(&file.rsplit('/').next().unwrap_or(file))
}

/// Whether anybody may execute a file.
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

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The path from the top of the repository, or as it was given.
    pub path: String,
    /// What it holds; none where it is new.
    pub before: Option<String>,
    /// What it shall hold.
    pub after: String,
}

/// No manifest is larger; what is, is something else.
const LARGEST: u64 = 64 << 20;

/// What a pointer of Git LFS begins with, by its specification (git-lfs, docs/spec.md).
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Reads a file of text.
///
/// # Errors
/// Where it cannot be read, is too large, or is not UTF-8.
pub fn read(path: &Path) -> Result<String> {
    let open = || -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        let file = fs::File::open(path)?;
        if !file.metadata()?.is_file() {
            anyhow::bail!("not a file");
        }
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            anyhow::bail!("larger than {} MiB", LARGEST >> 20);
        }
        if bytes.starts_with(LFS_POINTER) {
            anyhow::bail!("a pointer of Git LFS, and not the file itself: 'git lfs pull' fetches it");
        }
        String::from_utf8(bytes)
            .map_err(|error| anyhow::anyhow!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
    };
    Ok(open().with_context(|| path.display().to_string())?)
}

/// Replaces what a file holds in one step, and keeps its permissions. A symbolic link stays one.
///
/// # Errors
/// Where the file holds something else than `before` by now, or the new one cannot be written beside it. The old one is
/// then as it was.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<()> {
    if read(path)? != before {
        return Err(
            Error::refused(format!("{} changed while the plan was made", path.display())).hint("run the command again")
        );
    }
    let write = || -> anyhow::Result<()> {
        let path = fs::canonicalize(path)?;
        let directory = path.parent().context("a file without a directory")?;
        let mut file = new_file(directory, Access::Private)?;
        file.write_all(after.as_bytes())?;
        file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    Ok(write().with_context(|| format!("cannot write {}", path.display()))?)
}

/// Writes a file that is new, and the directories that lead there.
///
/// # Errors
/// Where there is something of that name already, or it cannot be written. Then there is no such file.
pub fn create(path: &Path, text: &str) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::refused(format!("{} came while the plan was made", path.display()))
            .hint("run the command again, or choose another name"));
    }
    let write = || -> anyhow::Result<()> {
        let directory = path.parent().context("a file without a directory")?;
        fs::create_dir_all(directory)?;
        let mut file = new_file(directory, Access::AsAnyFile)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path)?;
        Ok(())
    };
    Ok(write().with_context(|| format!("cannot write {}", path.display()))?)
}

/// Takes away a file that [`create`] wrote, and directories that are empty without it, below `top`.
///
/// # Errors
/// Where it holds something else by now, or cannot be taken away.
pub fn take_back(top: &Path, path: &Path, text: &str) -> Result<()> {
    if read(path)? != text {
        return Err(Error::refused(format!("{} changed in the meantime", path.display())));
    }
    fs::remove_file(path).with_context(|| path.display().to_string())?;
    let above = path.ancestors().skip(1).take_while(|directory| *directory != top);
    // The first that is not empty stays, and so does all above it.
    let _ = above.map(fs::remove_dir).take_while(std::result::Result::is_ok).count();
    Ok(())
}

/// What the names of new files begin with, until they are whole.
const UNFINISHED: &str = ".kubectl-ucp-";

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Nobody else, until it is given the permissions of the file that it replaces.
    Private,
    /// Whoever the umask lets.
    AsAnyFile,
}

/// A new file that is locked as long as it is written.
fn new_file(directory: &Path, access: Access) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    if access == Access::AsAnyFile {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    loop {
        let file = builder.tempfile_in(directory)?;
        file.as_file().lock()?;
        // Somebody may have taken it for left behind before it was locked.
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes the unfinished files of runs that were killed, below a directory. Those of a run that is still at work stay.
pub fn remove_left_behind(top: &Path) {
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // What cannot be looked at or removed is left to the next one. No link is followed.
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

/// The kustomization of a directory.
///
/// # Errors
/// Where there are several, as kustomize would refuse them.
pub fn kustomization_in(directory: &Path) -> Result<Option<PathBuf>> {
    let mut found = KUSTOMIZATION_NAMES.iter().map(|name| directory.join(name)).filter(|path| path.is_file());
    let first = found.next();
    if let (Some(first), Some(second)) = (&first, found.next()) {
        // A file system that ignores case shows one file under two names.
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
    fn unfinished_files_of_the_dead_go_and_those_of_the_living_stay() {
        let top = tempfile::tempdir().unwrap();
        let overlay = top.path().join("echo/overlays/stage");
        fs::create_dir_all(&overlay).unwrap();
        let dead = overlay.join(".kubectl-ucp-dead");
        fs::write(&dead, "half").unwrap();
        let living = new_file(&overlay, Access::Private).unwrap();
        remove_left_behind(top.path());
        assert!(!dead.exists() && living.path().exists());
    }
}
