//! TAB, pressed in real shells with kubectl's own completion.

use std::path::Path;
use std::time::Duration;

use crate::completion::cluster_with_gadgets;
use crate::installation::Installation;
use crate::terminal::Terminal;

/// A shell that has read nothing but kubectl's completion.
struct Shell {
    terminal: Terminal,
    // Held for its end; the shell's PATH leads there.
    _installation: Installation,
}

impl Shell {
    /// `None` where there is no such shell.
    fn start(shell: &str, kubeconfig: &Path) -> Option<Self> {
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
        let mut tmux = installation.command("tmux");
        tmux.env("KUBECONFIG", kubeconfig);
        let shell = Self { terminal: Terminal::start(tmux, (150, 40), start)?, _installation: installation };
        shell.terminal.enter(&format!("{completion}; echo read''y"));
        shell.terminal.until("ready");
        Some(shell)
    }

    /// Types, presses TAB, and waits for the line to be completed. A busy machine may miss the plugin's time limit, and
    /// then a person presses TAB again.
    fn completes(&self, typed: &str, expected: &str) {
        for _ in 0..20 {
            self.terminal.press(&["C-u"]);
            self.terminal.tmux(&["clear-history"]);
            self.terminal.press(&["C-l"]);
            self.terminal.write(typed);
            // bash lists at the second TAB.
            for _ in 0..2 {
                self.terminal.press(&["Tab"]);
                if self.terminal.shows_within(expected, Duration::from_secs(2)) {
                    return;
                }
            }
        }
        panic!("{typed:?} and TAB never gave {expected:?} but\n{}", self.terminal.screen());
    }
}

fn completes_in(shell: &str) {
    let Some(cluster) = cluster_with_gadgets() else { return };
    let Some(terminal) = Shell::start(shell, cluster.kubeconfig()) else { return };
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
