//! A terminal that a test types into: tmux, with a shell in it.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// The longest that a test waits for something to be shown.
const LIMIT: Duration = Duration::from_secs(60);

/// A shell at a terminal.
pub(crate) struct Terminal {
    directory: tempfile::TempDir,
}

impl Terminal {
    /// Starts a shell; `None` where it or tmux is not installed. `tmux` is the program with an environment and a directory,
    /// which become the shell's.
    pub(crate) fn start(mut tmux: Command, (columns, lines): (u16, u16), shell: &str) -> Option<Self> {
        for program in ["tmux", shell.split(' ').next().unwrap()] {
            if !is_installed(program) {
                return None;
            }
        }
        let terminal = Self { directory: tempfile::tempdir().unwrap() };
        tmux.args(["-f", "/dev/null", "-S"]).arg(terminal.socket()).args(["new-session", "-d"]);
        tmux.args(["-x", &columns.to_string(), "-y", &lines.to_string(), shell]).env("TERM", "screen");
        assert!(tmux.status().unwrap().success());
        Some(terminal)
    }

    /// A plain shell, as most tests need it. Its programs find no pager but those that the test names, or `less`.
    pub(crate) fn plain(mut tmux: Command, size: (u16, u16)) -> Option<Self> {
        for variable in ["PAGER", "LESS", "NO_COLOR", "COLUMNS", "LINES"] {
            tmux.env_remove(variable);
        }
        let terminal = Self::start(tmux, size, "env PS1='ready$ ' LC_ALL=C.UTF-8 bash --noprofile --norc -i")?;
        terminal.until("ready$");
        Some(terminal)
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("tmux")
    }

    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(self.socket()).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Presses keys, by tmux's names.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Presses a key, again every second, until the screen shows a text: a program that is at work on an interrupt may drop
    /// the key that follows it.
    #[track_caller]
    pub(crate) fn press_until(&self, key: &str, text: &str) {
        for _ in 0..LIMIT.as_secs() {
            self.press(&[key]);
            if self.shows_within(text, Duration::from_secs(1)) {
                return;
            }
        }
        panic!("{key} never shows {text:?}, but\n{}", self.history());
    }

    /// Types text as it is.
    pub(crate) fn write(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Types a line, and Enter.
    pub(crate) fn enter(&self, line: &str) {
        self.write(line);
        self.press(&["Enter"]);
    }

    /// Runs a command line on an empty screen; when it ends, `ended=` and its exit code are shown.
    pub(crate) fn run(&self, line: &str) {
        // By tmux and not by the shell, which may take its time: previous output is never taken for new output.
        self.tmux(&["send-keys", "-R", ";", "clear-history"]);
        self.enter(&format!("{line}; echo \"ended=$?\""));
    }

    /// The text on the screen.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// All output, including the lines that were scrolled off the screen; wrapped lines are joined.
    pub(crate) fn history(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// Whether the screen shows a text in time.
    pub(crate) fn shows_within(&self, text: &str, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.screen().contains(text) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// Waits until the screen shows a text, and returns it.
    #[track_caller]
    pub(crate) fn until(&self, text: &str) -> String {
        assert!(self.shows_within(text, LIMIT), "{text:?} is never shown, but\n{}", self.history());
        self.screen()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// A command for a shell.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    shlex::try_join(words.map(|word| word.to_str().unwrap())).unwrap()
}

/// Whether there is such a program. Where `CI` is `true` there must be.
pub(crate) fn is_installed(program: &str) -> bool {
    let is_there = Command::new("which").arg(program).output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var("CI").as_deref() != Ok("true"), "{program} is not installed");
    is_there
}
