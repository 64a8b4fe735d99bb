//! TAB, pressed in real shells with kubectl's own completion.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::completion::cluster_with_gadgets;
use crate::installation::Installation;

/// A shell at a terminal.
struct Terminal {
    socket: String,
    // Held for its end; the shell's PATH leads there.
    _installation: Installation,
}

impl Terminal {
    /// Starts a shell that has read nothing but kubectl's completion; `None` where there is no such shell.
    fn start(shell: &str, kubeconfig: &Path) -> Option<Self> {
        for program in ["tmux", shell] {
            if !is_installed(program) {
                assert!(std::env::var("CI").as_deref() != Ok("true"), "{program} is not installed");
                return None;
            }
        }
        let (start, completion) = match shell {
            "bash" => (
                "bash --noprofile --norc -i",
                ". /usr/share/bash-completion/bash_completion; . <(kubectl completion bash); bind 'set bell-style none'",
            ),
            "zsh" => (
                "zsh -f -i",
                "autoload -Uz compinit; compinit -u; source <(kubectl completion zsh); compdef _kubectl kubectl",
            ),
            _ => ("fish --no-config --private -i", "kubectl completion fish | source"),
        };
        let installation = Installation::create();
        let socket = installation.directory().join("tmux").display().to_string();
        let terminal = Self { socket, _installation: installation };
        let mut tmux = terminal._installation.command("tmux");
        tmux.args(["-f", "/dev/null", "-S", &terminal.socket, "new-session", "-d", "-x", "150", "-y", "40"])
            .env("KUBECONFIG", kubeconfig)
            .env("TERM", "screen")
            .arg(start);
        assert!(tmux.status().unwrap().success());
        terminal.type_and_enter(&format!("{completion}; echo read''y"));
        terminal.until_shows("ready", Duration::from_secs(60)).then_some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-S", &self.socket]).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn type_and_enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    fn until_shows(&self, text: &str, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.tmux(&["capture-pane", "-p"]).contains(text) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// Types, presses TAB, and waits for the line to be completed. A busy machine may miss the plugin's time limit, and
    /// then a person presses TAB again.
    fn completes(&self, typed: &str, expected: &str) {
        for _ in 0..20 {
            self.tmux(&["send-keys", "C-u"]);
            self.tmux(&["clear-history"]);
            self.tmux(&["send-keys", "C-l"]);
            self.tmux(&["send-keys", "-l", typed]);
            // bash lists at the second TAB.
            for _ in 0..2 {
                self.tmux(&["send-keys", "Tab"]);
                if self.until_shows(expected, Duration::from_secs(2)) {
                    return;
                }
            }
        }
        panic!("{typed:?} and TAB never gave {expected:?} but\n{}", self.tmux(&["capture-pane", "-p"]));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn is_installed(program: &str) -> bool {
    Command::new("which").arg(program).output().is_ok_and(|output| output.status.success())
}

fn completes_in(shell: &str) {
    let Some(cluster) = cluster_with_gadgets() else { return };
    let Some(terminal) = Terminal::start(shell, cluster.kubeconfig()) else { return };
    terminal.completes("kubectl ucp resour", "ucp resources");
    terminal.completes("kubectl ucp resources --show-l", "--show-labels");
    terminal.completes("kubectl ucp resources --sort-by=ext", "--sort-by=external-name");
    terminal.completes("kubectl ucp resources gadgets/ri", "gadgets/right-hand");
    terminal.completes("kubectl ucp status --context ", &format!("--context {}", cluster.name()));
    terminal.completes("kubectl ucp explain UCP30", "Flux has given up on an object");
}

#[test]
fn bash_completes() {
    completes_in("bash");
}

#[test]
fn zsh_completes() {
    completes_in("zsh");
}

#[test]
fn fish_completes() {
    completes_in("fish");
}
