//! The plugin as a person installs it: on a PATH of its own, with completion, next to the real kubectl.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory with `kubectl-ucp` and the files that `completion install` adds.
#[derive(Debug)]
pub(crate) struct Installation {
    directory: tempfile::TempDir,
}

impl Installation {
    /// Installs by link, and then completion by the plugin's own means.
    pub(crate) fn create() -> Self {
        let installation = Self { directory: tempfile::tempdir().expect("a directory") };
        let binary = crate::support::command::program();
        std::os::unix::fs::symlink(binary, installation.directory().join("kubectl-ucp")).expect("a link");
        let output = installation.kubectl(["ucp", "completion", "install"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        installation
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The directory, followed by the previous PATH.
    pub(crate) fn path(&self) -> OsString {
        let mut path = self.directory().as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        path
    }

    /// A program, in the package's directory, that finds the installation and no kubeconfig.
    pub(crate) fn command(&self, program: impl Into<PathBuf>) -> Command {
        let mut command = Command::new(program.into());
        command
            .env("PATH", self.path())
            .env("HOME", self.directory())
            .env_remove("KUBECONFIG")
            .env_remove("COLUMNS")
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        command
    }

    /// Runs kubectl to its end.
    pub(crate) fn kubectl<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Output {
        self.command("kubectl").args(arguments).output().expect("kubectl runs")
    }
}
