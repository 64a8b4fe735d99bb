//! Servers that can not outlive the test process.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Ends the server when standard input closes, which it does when the test
/// process drops its end or dies, however it dies. Exits when the server does.
const WATCHDOG: &str = r#"
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ cat <&3; kill -9 "$server"; } >/dev/null 2>&1 & watch=$!
exec 3<&-
wait "$server"; code=$?
kill "$watch" 2>/dev/null
exit "$code"
"#;

/// One running server; ended when dropped.
#[derive(Debug)]
pub struct Process {
    watchdog: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `binary`, its output going to the end of the file `log`.
    pub fn start(binary: &Path, arguments: &[String], log: &Path) -> io::Result<Self> {
        Self::start_with(binary, arguments, &[], log)
    }

    /// The same with more in its environment.
    pub fn start_with(
        binary: &Path,
        arguments: &[String],
        environment: &[(String, String)],
        log: &Path,
    ) -> io::Result<Self> {
        let output = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new("sh");
        command
            .args(["-c", WATCHDOG, "watchdog"])
            .arg(binary)
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output);
        // Ctrl-C is for the foreground process, which then ends its servers in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Self { watchdog: command.spawn()?, log: log.to_owned() })
    }

    /// How the server ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.watchdog.try_wait()
    }

    /// The last lines that the server printed.
    pub fn last_words(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        // A failure means that it has ended already, which is intended.
        let _ = self.watchdog.wait();
    }
}
