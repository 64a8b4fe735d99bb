//! The command is killed at each of its requests, before and after the server has it.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::gitea::gitea;
use super::http::{Request, Server, forward};
use super::{OnGitea, services};

#[test]
fn killed_at_every_request_to_the_api() {
    killed_at_every("killed", 5, |request| request.path.starts_with("/api/"));
}

#[test]
fn killed_at_every_request_of_git() {
    killed_at_every("killed-git", 13, |request| !request.path.starts_with("/api/"));
}

/// Kills the command at requests that `counts`, in a repository with this name. Without the workflow, which tries all, it is
/// each `step`th moment: an odd number, so that both sides of requests are tried.
fn killed_at_every(name: &str, step: usize, counts: impl Fn(&Request) -> bool + Send + Sync + 'static) {
    let Some(server) = gitea() else { return };
    let (count, stop) = (Arc::<AtomicUsize>::default(), Arc::new(AtomicUsize::new(usize::MAX)));
    let proxy = {
        let (count, stop, port) = (Arc::clone(&count), Arc::clone(&stop), server.port);
        Server::start(move |request: &Request| {
            if !counts(request) {
                return Some(forward(port, request));
            }
            // Even numbers are before the request, odd ones after it.
            let number = 2 * count.fetch_add(1, Ordering::SeqCst);
            if number == stop.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_secs(5));
                return None;
            }
            let response = forward(port, request);
            if number + 1 == stop.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_secs(5));
                return None;
            }
            Some(response)
        })
    };
    let on = OnGitea::new(server, name, services(&["echo", "web"])).through(proxy.port);
    let step = if std::env::var_os("UCP_GITEA").is_some() { 1 } else { step };
    let mut trials = 0;
    for moment in (0..).step_by(step) {
        // A pull request that the change replaces, and none of the change itself.
        let version = format!("v{}", moment + 3);
        on.stage("echo", &version);
        on.stage("web", &version);
        for pull in on.open() {
            on.edit(&pull["number"], &json!({"state": "closed"}));
        }
        stop.store(usize::MAX, Ordering::SeqCst);
        on.promote(&["echo"]).exits(0);
        count.store(0, Ordering::SeqCst);
        stop.store(moment, Ordering::SeqCst);
        let mut child = on.command(&["promote", "stage", "prod", "--all", "--pr", "--yes"]);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ended = loop {
            if 2 * count.load(Ordering::SeqCst) > moment {
                std::thread::sleep(Duration::from_millis(300));
                child.kill().unwrap();
                child.wait().unwrap();
                break false;
            }
            match child.try_wait().unwrap() {
                Some(_) => break true,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        stop.store(usize::MAX, Ordering::SeqCst);
        on.promote(&["--all"]).exits(0);
        let open = on.open();
        assert_eq!(open.len(), 1, "killed at {moment}");
        let body = open[0]["body"].as_str().unwrap();
        assert!(body.contains(&format!("| echo | r/echo | v1 | {version} |")) && body.contains("| web |"), "{body}");
        if ended {
            break;
        }
        trials += step;
    }
    assert!(trials > 8, "only {trials} moments");
    crate::support::print_notice(&format!(
        "{name}: killed at {} moments, and each time the next run leaves one pull request",
        trials / step
    ));
}
