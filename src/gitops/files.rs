//! Reading and replacing files: within limits, whole or not at all.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::error::{Error, Result};

/// The names under which kustomize looks for a kustomization.
pub const KUSTOMIZATION_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// No manifest is larger; what is, is something else.
const LARGEST: u64 = 64 << 20;

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
        let mut file = tempfile::Builder::new().prefix(".kubectl-ucp-").tempfile_in(directory)?;
        file.write_all(after.as_bytes())?;
        file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    Ok(write().with_context(|| format!("cannot write {}", path.display()))?)
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
            return Err(Error::refused(format!("{} and {} stand side by side", first.display(), second.display()))
                .hint("kustomize reads neither; remove one"));
        }
    }
    Ok(first)
}
