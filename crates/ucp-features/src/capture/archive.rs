//! The file or directory of a snapshot. It is either complete or absent: until it is finished, it is in a private
//! directory next to its target, which is deleted however this process ends.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;

use super::layout::SnapshotPath;
use ucp_client::source::snapshot::index::FILE;
use ucp_core::error::{Error, Result};
use ucp_core::regular_file::create_private;
use ucp_core::scratch::Scratch;

/// Prefix of the private directories of unfinished snapshots.
const UNFINISHED: &str = ".kubectl-ucp-snapshot-";
/// Suffixes of archives; all other targets are directories.
const ARCHIVES: [&str; 2] = [".tar.gz", ".tgz"];

/// Treatment of an existing snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingSnapshot {
    /// Keep it, and write nothing.
    Keep,
    /// Replace it.
    Replace,
}

/// A snapshot that is being written.
pub struct SnapshotArchive {
    target: PathBuf,
    existing: ExistingSnapshot,
    scratch: Scratch,
    form: ArchiveForm,
    begun: Timestamp,
}

enum ArchiveForm {
    Directory(PathBuf),
    Archive { file: PathBuf, tar: Box<tar::Builder<GzEncoder<BufWriter<File>>>> },
}

impl SnapshotArchive {
    /// Starts a snapshot.
    ///
    /// # Errors
    /// Fails when the target exists and is not to be replaced, or when its directory is not writable.
    pub fn create(target: &Path, existing: ExistingSnapshot) -> Result<Self> {
        check_target(target, existing)?;
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cannot = || format!("cannot write to {}", parent.display());
        let scratch = Scratch::within(parent, UNFINISHED).with_context(cannot)?;
        let form = if is_archive(target) {
            let file = scratch.path().join("snapshot.tar.gz");
            let open = create_private(&file).with_context(cannot)?;
            let gzip = GzEncoder::new(BufWriter::new(open), Compression::new(3));
            ArchiveForm::Archive { file, tar: Box::new(tar::Builder::new(gzip)) }
        } else {
            let directory = scratch.path().join("snapshot");
            make_directory(&directory).with_context(cannot)?;
            ArchiveForm::Directory(directory)
        };
        Ok(Self { target: target.to_owned(), existing, scratch, form, begun: Timestamp::now() })
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Fails when it cannot be written.
    pub fn add(&mut self, path: &SnapshotPath, bytes: &[u8]) -> Result<()> {
        let cannot = || format!("cannot write {}", self.target.display());
        match &mut self.form {
            ArchiveForm::Archive { tar, .. } => {
                let mut header = tar::Header::new_gnu();
                header.set_size(bytes.len() as u64);
                header.set_mode(0o600);
                header.set_mtime(u64::try_from(self.begun.as_second()).unwrap_or_default());
                tar.append_data(&mut header, path.as_str(), bytes).with_context(cannot)?;
            }
            ArchiveForm::Directory(directory) => {
                let file = directory.join(path.as_str());
                let parent = file.parent().unwrap_or(directory);
                make_directory(parent).and_then(|()| create_private(&file)?.write_all(bytes)).with_context(cannot)?;
            }
        }
        Ok(())
    }

    /// Moves the snapshot to its target, and returns its size in bytes.
    ///
    /// # Errors
    /// Fails when it cannot be written, or when the target was created in the meantime.
    pub fn finish(self) -> Result<u64> {
        let Self { target, existing, scratch, form, .. } = self;
        let cannot = || format!("cannot write {}", target.display());
        check_target(&target, existing)?;
        let size = match form {
            ArchiveForm::Archive { file, tar } => {
                let writer = tar.into_inner().and_then(GzEncoder::finish).with_context(cannot)?;
                let written = writer.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
                written.sync_all().with_context(cannot)?;
                let size = written.metadata().with_context(cannot)?.len();
                match existing {
                    ExistingSnapshot::Replace => fs::rename(&file, &target),
                    // Unlike a rename, a link never replaces a file that was created in the meantime.
                    ExistingSnapshot::Keep => fs::hard_link(&file, &target).or_else(|error| match error.kind() {
                        io::ErrorKind::AlreadyExists => Err(error),
                        _ => fs::rename(&file, &target),
                    }),
                }
                .with_context(cannot)?;
                size
            }
            ArchiveForm::Directory(directory) => {
                let size = directory_size(&directory).with_context(cannot)?;
                if existing == ExistingSnapshot::Replace && target.is_dir() {
                    fs::rename(&target, scratch.path().join("replaced")).with_context(cannot)?;
                }
                fs::rename(&directory, &target).with_context(cannot)?;
                size
            }
        };
        drop(scratch);
        Ok(size)
    }
}

/// Returns true if a path names an archive, and not a directory.
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ARCHIVES.iter().any(|ending| name.ends_with(ending))
}

/// Fails if an existing target would be overwritten without the user's request, or is a directory without a snapshot.
fn check_target(target: &Path, existing: ExistingSnapshot) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(target) else { return Ok(()) };
    let is_empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    let is_snapshot = !metadata.is_dir() || target.join(FILE).is_file() || is_empty();
    match existing {
        _ if metadata.is_dir() && is_empty() => Ok(()),
        ExistingSnapshot::Keep => Err(Error::refused(format!("{} already exists", target.display()))
            .hint("write to another place, or replace it with --overwrite")),
        ExistingSnapshot::Replace if !is_snapshot => {
            Err(Error::failed(format!("{} is a directory, not a snapshot: it is not replaced", target.display()))
                .hint("write to another place"))
        }
        ExistingSnapshot::Replace => Ok(()),
    }
}

pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn directory_size(directory: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        size += if metadata.is_dir() { directory_size(&entry.path())? } else { metadata.len() };
    }
    Ok(size)
}
