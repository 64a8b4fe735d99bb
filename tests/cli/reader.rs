//! A reader of the pages, at a terminal in a fresh checkout.

use std::path::Path;
use std::process::Command;

use crate::gitops;
use crate::installation::Installation;
use crate::terminal::Terminal;

/// Columns of the reader's terminal.
const COLUMNS: &str = "100";

/// A checkout with the fixtures that the pages speak of, and the plugin installed.
pub(crate) struct Reader {
    installation: Installation,
    checkout: tempfile::TempDir,
}

impl Reader {
    pub(crate) fn create() -> Self {
        let reader = Self { installation: Installation::create(), checkout: tempfile::tempdir().unwrap() };
        let tests = reader.checkout.path().join("tests");
        std::fs::create_dir(&tests).unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        assert!(Command::new("cp").arg("-R").arg(fixtures).arg(tests).status().unwrap().success());
        reader.sees("git init --quiet && git add --all && git commit --quiet --message Start");
        // The fixture is a repository of its own, as it represents one.
        reader
            .sees("cd tests/fixtures/apps && git init --quiet && git add --all && git commit --quiet --message Start");
        reader
    }

    /// A terminal of the reader; `None` where tmux is not installed.
    pub(crate) fn terminal(&self, size: (u16, u16)) -> Option<Terminal> {
        let mut tmux = gitops::command("tmux", self.installation.directory());
        tmux.env("PATH", self.installation.path()).current_dir(self.checkout.path());
        Terminal::plain(tmux, size)
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = gitops::command("sh", self.installation.directory());
        // One stream after the other, as a terminal shows them.
        shell.args(["-c", &format!("exec 2>&1\n{command}")]);
        shell.env("PATH", self.installation.path()).env("COLUMNS", COLUMNS).current_dir(self.checkout.path());
        shell
    }

    /// The output of a command, without colors.
    pub(crate) fn sees(&self, command: &str) -> String {
        String::from_utf8(self.shell(command).output().unwrap().stdout).unwrap()
    }

    /// The output of a command, with colors.
    pub(crate) fn sees_in_colour(&self, command: &str) -> String {
        let output = self.shell(command).env("CLICOLOR_FORCE", "1").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}
