//! Regular files, opened without following a link and without blocking: a directory that others write to may contain a
//! FIFO, which blocks whoever opens it, or a device.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a regular file to read it.
///
/// # Errors
/// When the path is a link, or anything but a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_anything(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

#[cfg(unix)]
fn open_anything(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(rustix::io::Errno::LOOP) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link")),
        // How a socket answers.
        Err(rustix::io::Errno::NXIO) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn open_anything(path: &Path) -> io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    File::open(path)
}

/// Whether a file belongs to the user that this process runs as.
#[cfg(unix)]
pub fn is_own(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Whether a file belongs to the user that this process runs as; not distinguished on this system.
#[cfg(not(unix))]
pub fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_regular_files_is_opened_and_nothing_blocks() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert!(open(&at("file")).is_ok());
        for other in ["link", "fifo", "socket", "."] {
            assert!(open(&at(other)).is_err(), "{other}");
        }
        assert!(open(Path::new("/dev/zero")).is_err());
    }
}
