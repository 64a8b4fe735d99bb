//! A temporary directory that is deleted even when the test process is killed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Removes the directory when standard input closes. The servers that write
/// into it are being killed at the same moment, hence the second tries. Some of
/// them take the permission to read away from directories.
const JANITOR: &str = r#"
cat >/dev/null
for _ in 1 2 3 4 5; do chmod -R u+rwx -- "$1" 2>/dev/null; rm -rf -- "$1" && exit; sleep 1; done
"#;

/// A directory for one cluster's files, removed on drop and at the process' end
/// (also for a cluster in a `static`, which is never dropped).
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    janitor: Child,
}

impl Directory {
    pub fn create(name: &str) -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix(&format!("kubectl-ucp-{name}-")).tempdir()?.keep();
        let mut command = Command::new("sh");
        command
            .args(["-c", JANITOR, "janitor"])
            .arg(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let janitor = command.spawn()?;
        Ok(Self { path, janitor })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        drop(self.janitor.stdin.take());
        // Nothing to do about a directory that will not go.
        let _ = self.janitor.wait();
    }
}
