//! Long work shows progress at a terminal, and nowhere else.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::fleet::{Corner, fleet};
use crate::gitops::Gitops;
use crate::support::hub;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::terminal::{Terminal, line};

/// Everything that a terminal is sent while a command runs, and the screen at the end.
fn sent(home: &Path, command: &str) -> Option<(String, String)> {
    let mut tmux = Command::new("tmux");
    tmux.current_dir(home);
    let terminal = Terminal::plain(tmux, (120, 30))?;
    let log = home.join("log");
    terminal.tmux(&["pipe-pane", &format!("cat > {}", log.display())]);
    // Exit code 4 if other namespaces contain objects that are not read.
    terminal.run(&format!("{command} || test $? = 4"));
    let screen = terminal.until("ended=0");
    Some((String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned(), screen))
}

fn is_shown_and_disappears(words: &str, command: &Command) {
    let home = tempfile::tempdir().unwrap();
    let Some((log, screen)) = sent(home.path(), &line(command)) else { return };
    assert!(log.contains(words) && !screen.contains(words), "{log}");
    let Some((log, _)) = sent(home.path(), &format!("{} --quiet", line(command))) else { return };
    assert!(!log.contains(words), "{log}");
    let Some((log, _)) = sent(home.path(), &format!("{} 2> said", line(command))) else { return };
    assert!(!log.contains(words), "{log}");
    let printed = std::fs::read_to_string(home.path().join("said")).unwrap();
    assert!(printed.lines().all(|line| line.starts_with("hint: ")), "{printed}");
}

#[test]
fn reading_a_cluster() {
    let Some(cluster) = hub::quotes() else { return };
    let mut status = Command::new(crate::support::command::program());
    status.args(["status", "--kubeconfig"]).arg(cluster.kubeconfig());
    is_shown_and_disappears("reading kinds", &status);
}

#[test]
fn waiting_for_a_slow_server() {
    let Some(cluster) = hub::quotes() else { return };
    let proxy = Proxy::start(cluster).unwrap();
    // One kind takes its time; everything else is there at once.
    proxy.add(Rule::on("compute.gcp.crossplane.io/v1beta1/networks", Fault::Delay(Duration::from_secs(6))));
    let mut status = Command::new(crate::support::command::program());
    status.args(["status", "--kubeconfig"]).arg(proxy.kubeconfig());
    is_shown_and_disappears("waiting for https://127.0.0.1:", &status);
}

#[test]
fn probing_app_clusters() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "waited");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    is_shown_and_disappears("asking the clusters 0/", &corner.ucp(&["clusters", "--probe"]));
}

#[test]
fn cloning_a_repository() {
    let repository = Gitops::paper("v2", "v1");
    let url = format!("file://{}", repository.top().display());
    let mut images = Command::new(crate::support::command::program());
    images.args(["images", "--repo", &url]);
    is_shown_and_disappears("cloning the repository", &images);
}
