//! Where the files land: in the work tree, a commit, a branch, the remote; whole or not at all.

use std::os::unix::process::CommandExt as _;

use super::{files, quotes};
use crate::gitops::Gitops;
use crate::interrupted::{trials, try_files};
use crate::pull_requests::{publish_by_ssh, stub::StubForge};

const ORDERS: [&str; 4] = ["orders", "--like", "quotes", "--yes"];

fn with(more: &[&'static str]) -> Vec<&'static str> {
    [&ORDERS[..], more].concat()
}

#[test]
fn a_dry_run_shows_all_and_writes_nothing() {
    let repository = quotes();
    let before = files(&repository);
    let shown = repository.new_service(&["orders", "--like", "quotes", "--dry-run"]).exits(0);
    shown.prints("+++ b/orders/base/deployment.yaml").prints("+- prod-orders.yaml").prints("nothing was written");
    assert_eq!(files(&repository), before);
}

#[test]
fn a_branch_and_a_push_leave_the_work_tree_alone() {
    let repository = quotes();
    let bare = repository.publish();
    repository.write("quotes/base/deployment.yaml", "half: done\n");
    let before = files(&repository);
    repository.new_service(&with(&["--branch", "orders"])).exits(0).prints("on orders");
    assert_eq!(repository.git(["diff", "--name-only", "main", "orders"]).lines().count(), 9);
    repository.new_service(&with(&["--push"])).exits(0).prints("Pushed");
    let pushed = repository.git(["-C", bare.to_str().unwrap(), "log", "-1", "--format=%B", "main"]);
    assert!(pushed.starts_with("Add orders like quotes\n\n- change argocd/prod/kustomization.yaml\n"), "{pushed}");
    assert_eq!(files(&repository), before);
}

/// The pull request is of the service, so that a change of its version sees it.
#[test]
fn a_pull_request_of_a_new_service() {
    let repository = quotes();
    publish_by_ssh(&repository);
    let forge = StubForge::start();
    let new = ["new", "service", "orders", "--like", "quotes", "--pr", "--yes"];
    forge.run(&repository, &new).exits(0).prints("Opened pull request #1");
    forge.run(&repository, &new).exits(0).prints("Pull request #1 is open");
    let branch = forge.open()[0]["head"]["ref"].as_str().unwrap().to_owned();
    assert!(branch.starts_with("ucp/pr/change/orders-"), "{branch}");
    // The service gets to the base by another way, and its version is bumped while the pull request is open.
    repository.new_service(&ORDERS).exits(0);
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Orders"]);
    repository.git(["push", "--quiet", repository.outside().join("origin.git").to_str().unwrap(), "main"]);
    let bump = ["set-image", "stage", "orders=v9", "--pr", "--yes"];
    forge.run(&repository, &bump).exits(1).prints("pull request #1 is open and changes orders");
    let other = ["set-image", "stage", "echo=v9", "--pr", "--yes"];
    forge.run(&repository, &other).exits(0).prints("Opened pull request #2");
}

#[test]
fn files_with_uncommitted_changes_are_not_committed() {
    let repository = quotes();
    let list = repository.read("argocd/prod/kustomization.yaml");
    repository.write("argocd/prod/kustomization.yaml", &format!("# mine\n{list}"));
    let before = files(&repository);
    repository.new_service(&with(&["--commit"])).exits(1).prints("argocd/prod/kustomization.yaml");
    assert_eq!(files(&repository), before);
    repository.new_service(&ORDERS).exits(0);
    assert!(repository.read("argocd/prod/kustomization.yaml").starts_with("# mine\n"));
}

#[test]
fn unchecked_and_uncommitted_files_are_not_copied_into_a_commit() {
    let repository = quotes();
    let overlay = "quotes/overlays/stage/kustomization.yaml";
    let before = repository.read(overlay);
    repository.write(overlay, &format!("# draft\n{before}"));
    repository.new_service(&with(&["--commit"])).exits(1).prints(&format!("{overlay} has uncommitted changes"));
    repository.write(overlay, &before.replace("resources:", "resources:\n- https://example.org/base?ref=v1"));
    repository.git(["commit", "--quiet", "--all", "-m", "A remote base"]);
    repository.new_service(&with(&["--commit"])).exits(1).prints("so its copy was not checked");
    // A person checks files.
    repository.new_service(&ORDERS).exits(0).prints("so its copy was not checked");
}

/// Files that a run wrote before it was killed are committed with the rest, whether all or half of them.
#[test]
fn files_of_an_earlier_run_are_committed_with_the_rest() {
    // Without lists, git knows none of the files.
    let start = |lists: bool| {
        let repository = quotes();
        if !lists {
            repository.git(["rm", "--quiet", "argocd/prod/kustomization.yaml", "argocd/stage/kustomization.yaml"]);
            repository.git(["commit", "--quiet", "-m", "No lists"]);
        }
        repository
    };
    let lost: [(bool, &[&str]); 3] = [
        (false, &[]),
        (false, &["orders/overlays/stage/kustomization.yaml"]),
        (true, &["orders/overlays/stage/kustomization.yaml", "argocd/prod/prod-orders.yaml"]),
    ];
    for (lists, lost) in lost {
        let reference = start(lists);
        reference.new_service(&with(&["--commit"])).exits(0);
        let whole = reference.git(["rev-parse", "HEAD^{tree}"]);
        let repository = start(lists);
        repository.new_service(&ORDERS).exits(0);
        lost.iter().for_each(|file| std::fs::remove_file(repository.top().join(file)).unwrap());
        repository.new_service(&with(&["--commit"])).exits(0).prints("An earlier run wrote some of these files");
        assert_eq!(repository.git(["rev-parse", "HEAD^{tree}"]), whole);
        assert_eq!(repository.git(["status", "--porcelain"]), "");
        repository.new_service(&with(&["--commit"])).exits(0).prints("Nothing to do");
    }
    // The original may be new itself.
    let repository = quotes();
    repository.new_service(&ORDERS).exits(0);
    repository.git(["commit", "--quiet", "--all", "-m", "The lists alone"]);
    repository.new_service(&["bills", "--like", "orders", "--yes", "--commit"]).exits(0).prints("Committed");
    assert!(repository.git(["status", "--porcelain"]).contains("?? orders/"));
}

/// Removes locks that a killed git leaves for people to remove: of the index, of HEAD, of a branch.
fn remove_locks(directory: &std::path::Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            remove_locks(&path);
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

/// Killed at any time, files are whole, nothing or all is committed, and the same command completes it.
#[test]
fn a_killed_run_is_completed_by_the_next_run() {
    let reference = quotes();
    reference.new_service(&with(&["--commit"])).exits(0);
    let whole = files(&reference);
    for step in 0..u64::try_from(trials()).unwrap() {
        let repository = quotes();
        let start = repository.git(["rev-parse", "HEAD"]);
        let arguments = ["new", "service"].into_iter().chain(with(&["--commit"]));
        let mut run = repository.ucp_command(arguments);
        run.process_group(0).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut run = run.spawn().unwrap();
        // Somewhere between the first file and the commit; where that is too late, all is done.
        let first = repository.top().join("argocd/prod/prod-orders.yaml");
        while !first.exists() && run.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_millis(step * 4 % 20));
        // With the git that it started, as when the machine ends.
        let group = format!("-{}", run.id());
        let kill =
            |signal: &str| std::process::Command::new("kill").args([signal, "--", &group]).output().unwrap().status;
        kill("-9");
        run.wait().unwrap();
        // A lock that git was creating when it was killed may still appear; then it is for people to remove.
        let is_gone = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            !kill("-0").success()
        });
        assert!(is_gone, "all of it ends");
        remove_locks(&repository.top().join(".git"));
        for (path, text) in whole.iter().filter(|(path, _)| path.contains("orders")) {
            if repository.top().join(path).exists() {
                assert_eq!(&repository.read(path), text, "{path} is whole");
            }
        }
        if repository.git(["rev-parse", "HEAD"]) != start {
            assert_eq!(repository.git(["rev-parse", "HEAD^{tree}"]), reference.git(["rev-parse", "HEAD^{tree}"]));
            // Git moves the branch before it replaces the index, and leaves that to people as well.
            repository.git(["reset", "--quiet"]);
        }
        repository.new_service(&with(&["--commit"])).exits(0);
        assert_eq!(repository.git(["rev-parse", "HEAD^{tree}"]), reference.git(["rev-parse", "HEAD^{tree}"]));
        assert_eq!(repository.git(["status", "--porcelain"]), "");
    }
}

#[test]
fn a_new_service_has_the_same_result_after_any_interruption() {
    let create = |repository: &Gitops| repository.ucp_command(["new", "service"].into_iter().chain(ORDERS));
    try_files("new service", &quotes, &create, &[]);
}
