//! Regular files, opened without following a link and without blocking: a directory that others can write to may
//! contain a FIFO, on which opening blocks, or a device.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// Fails when the path is a link, or not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_anything(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// Creates a file that only its owner can read.
///
/// # Errors
/// Fails when the path exists.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn open_anything(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(rustix::io::Errno::LOOP) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link")),
        // Error of opening a socket.
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

/// Returns true if the file belongs to the user of this process.
#[cfg(unix)]
pub fn is_own(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Returns true: owners are not distinguished on this system.
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
