//! `--push`: the edit is applied again to the remote's tip until it is there, and the user's own tree is never touched.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::gitops::{Gitops, Run};
use crate::pull_requests::runs_at_once;

const STAGE: &str = "echo/overlays/stage/kustomization.yaml";

/// Refuses pushes to `main`, as a forge does with a protected branch.
fn protect_main(bare: &Path) {
    hook(
        bare,
        "update",
        "[ \"$1\" != refs/heads/main ] || { echo 'GH006: Protected branch update failed' >&2; exit 1; }",
    );
}

/// Writes a hook of a bare repository.
pub(crate) fn hook(bare: &Path, name: &str, script: &str) {
    let path = bare.join("hooks").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Everything about a work tree that must not change.
fn state(repository: &Gitops) -> Vec<String> {
    let ask = |arguments: &[&str]| repository.git(arguments.iter().copied());
    vec![
        ask(&["status", "--porcelain=v2", "--branch", "--untracked-files=all"]),
        ask(&["for-each-ref"]),
        ask(&["worktree", "list"]),
        ask(&["stash", "list"]),
        std::fs::read_to_string(repository.top().join(".git/HEAD")).unwrap(),
    ]
}

fn remote_file(repository: &Gitops, bare: &Path, path: &str) -> String {
    repository.git(["--git-dir", bare.to_str().unwrap(), "show", &format!("main:{path}")])
}

fn subjects(repository: &Gitops, bare: &Path, branch: &str) -> Vec<String> {
    let log = repository.git(["--git-dir", bare.to_str().unwrap(), "log", "--format=%s", branch]);
    log.lines().map(str::to_owned).collect()
}

/// A repository with `count` services, the first ten of them images of one file.
fn crowd(count: usize) -> Gitops {
    let repository = Gitops::with(&[]);
    let entries: Vec<String> = (0..10).map(|index| format!("- name: r/shared{index}\n  newTag: v1\n")).collect();
    let containers: Vec<String> = (0..10).map(|index| format!("{{name: c{index}, image: r/shared{index}}}")).collect();
    let pod = format!("kind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{}]}}\n", containers.join(", "));
    repository.write("shared/base/kustomization.yaml", "resources: [pod.yaml]\n");
    repository.write("shared/base/pod.yaml", &pod);
    let overlay = format!("resources: [../../base]\nimages:\n{}", entries.concat());
    for environment in ["stage", "prod"] {
        repository.write(&format!("shared/overlays/{environment}/kustomization.yaml"), &overlay);
    }
    for index in 10..count {
        repository.write(&format!("s{index}/base/kustomization.yaml"), "resources: [pod.yaml]\n");
        let pod = format!("kind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, image: r/s{index}}}]}}\n");
        repository.write(&format!("s{index}/base/pod.yaml"), &pod);
        for environment in ["stage", "prod"] {
            let overlay = format!("resources: [../../base]\nimages:\n- name: r/s{index}\n  newTag: v1\n");
            repository.write(&format!("s{index}/overlays/{environment}/kustomization.yaml"), &overlay);
        }
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Crowd"]);
    repository
}

fn assignment(index: usize) -> String {
    if index < 10 { format!("shared=r/shared{index}:v2") } else { format!("s{index}=v2") }
}

#[track_caller]
fn push_at_once(repository: &Gitops, count: usize) {
    let start = |index: usize| -> Child {
        let mut command = repository.ucp_command(["set-image", "stage", &assignment(index), "--push", "--yes"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..count).map(start).collect();
    for child in children {
        Run::of(child.wait_with_output().unwrap()).exits(0);
    }
}

/// Pushes for every index at once, and requires that all land, one commit each.
#[track_caller]
fn all_land(repository: &Gitops, bare: &Path, count: usize) {
    let before = state(repository);
    push_at_once(repository, count);
    assert_eq!(state(repository), before);
    let subjects = subjects(repository, bare, "main");
    assert_eq!(subjects.len(), 2 + count, "one commit each, and the two that were there:\n{}", subjects.join("\n"));
    let shared = remote_file(repository, bare, "shared/overlays/stage/kustomization.yaml");
    assert_eq!(shared.matches("newTag: v2").count(), count.min(10), "{shared}");
    for index in 10..count {
        assert!(
            remote_file(repository, bare, &format!("s{index}/overlays/stage/kustomization.yaml"))
                .contains("newTag: v2")
        );
    }
}

/// `UCP_RACES=50` runs so many at once.
#[test]
fn many_concurrent_pushes_all_succeed() {
    let count = runs_at_once(14);
    let repository = crowd(count);
    let bare = repository.publish();
    all_land(&repository, &bare, count);
}

#[test]
fn a_push_succeeds_although_a_hook_rejects_at_random() {
    let repository = crowd(12);
    let bare = repository.publish();
    // One of three pushes, by the clock: each is rejected sometimes, and none forever.
    hook(
        &bare,
        "pre-receive",
        "[ $(( $(date +%N | tr -d 0 | cut -c1-4) % 3 )) -ne 0 ] || { echo 'not now' >&2; exit 1; }",
    );
    all_land(&repository, &bare, 6);
}

#[test]
fn a_lost_response_is_resolved_by_reading_the_remote() {
    let repository = crowd(12);
    let bare = repository.publish();
    // The commit is in, and the connection is cut before the report.
    hook(&bare, "post-receive", "cat >/dev/null; kill -KILL $PPID");
    let run = repository.ucp(["set-image", "stage", "s11=v2", "--push", "--yes", "-o", "json"]).exits(0);
    let commit = run.json()["commit"].as_str().unwrap().to_owned();
    assert_eq!(repository.git(["--git-dir", bare.to_str().unwrap(), "rev-parse", "main"]), commit);
    all_land_after_loss(&repository, &bare);
}

/// Six at once over a line that never answers: none lost, none twice.
fn all_land_after_loss(repository: &Gitops, bare: &Path) {
    push_at_once(repository, 6);
    let mut bumps: Vec<String> =
        subjects(repository, bare, "main").into_iter().filter(|line| line.starts_with("Set ")).collect();
    assert_eq!(bumps.len(), 7);
    bumps.dedup();
    assert!(
        remote_file(repository, bare, "shared/overlays/stage/kustomization.yaml").matches("newTag: v2").count() == 6
    );
}

#[test]
fn a_server_that_always_rejects_ends_the_retries() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    hook(&bare, "pre-receive", "echo 'the quota is used up' >&2; exit 1");
    let before = state(&repository);
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(3).prints("the quota is used up");
    assert_eq!(state(&repository), before);
}

/// A hook that pushes a version of another author first, once.
fn overtaken_by(bare: &Path, version: &str) {
    let script = format!(
        "[ -e \"$GIT_DIR/overtaken\" ] && exit 0\ntouch \"$GIT_DIR/overtaken\"\n\
         unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n\
         other=$(mktemp -d)\ngit clone -q \"$GIT_DIR\" \"$other/w\" && cd \"$other/w\" && unset GIT_DIR\n\
         sed -i 's/newTag: [^ ]*/newTag: {version}/' {STAGE}\ngit commit -qam other && git push -q origin HEAD:main\nrm -rf \"$other\"\nexit 0"
    );
    hook(bare, "pre-receive", &script);
}

#[test]
fn a_target_with_a_newer_version_stops_the_push() {
    for (other, code) in [("v3", 1), ("v2", 0), ("v1.5", 0)] {
        let repository = Gitops::paper("v1", "v1");
        let bare = repository.publish();
        overtaken_by(&bare, other);
        let run = repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(code);
        let text = remote_file(&repository, &bare, STAGE);
        match other {
            "v3" => {
                run.prints("changed in the meantime");
                assert!(text.contains("newTag: v3"), "{text}");
            }
            "v2" => {
                run.prints("set in the meantime");
                assert_eq!(subjects(&repository, &bare, "main"), ["other", "Start"]);
            }
            _ => assert!(text.contains("newTag: v2"), "{text}"),
        }
    }
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    overtaken_by(&bare, "v3");
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes", "--allow-downgrade"]).exits(0);
    assert!(remote_file(&repository, &bare, STAGE).contains("newTag: v2"));
}

#[test]
fn commits_without_an_order_stop_when_overtaken() {
    let repository = Gitops::paper("1111111aaaa", "1111111aaaa");
    let bare = repository.publish();
    overtaken_by(&bare, "3333333cccc");
    repository
        .ucp(["set-image", "stage", "echo=2222222bbbb", "--push", "--yes"])
        .exits(1)
        .prints("changed in the meantime");
}

#[test]
fn a_push_works_with_a_dirty_tree_and_a_detached_head() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    repository.git(["checkout", "--quiet", "--detach"]);
    repository.write(STAGE, "resources: [broken\n");
    repository.write("new.txt", "mine\n");
    let before = state(&repository);
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(0);
    assert_eq!(state(&repository), before);
    assert!(remote_file(&repository, &bare, STAGE).contains("newTag: v2"));
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(0).prints("Nothing to do");
    assert_eq!(subjects(&repository, &bare, "main").len(), 2);
}

/// A branch that follows none may be meant for any.
#[test]
fn a_branch_that_follows_no_other_is_not_pushed_to_the_default_branch() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    repository.git(["checkout", "--quiet", "-b", "feature"]);
    let set = ["set-image", "stage", "echo=v2", "--yes", "--push"];
    repository.ucp(set).exits(2).prints("follows no branch of origin");
    assert_eq!(subjects(&repository, &bare, "main").len(), 1);
    repository.ucp([&set[..], &["--branch", "main"]].concat()).exits(0);
    assert_eq!(subjects(&repository, &bare, "main").len(), 2);
}

#[test]
fn the_plan_is_made_from_the_remote_and_not_from_an_old_checkout() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    repository.ucp(["set-image", "stage", "echo=v5", "--push", "--yes"]).exits(0);
    // The checkout still has v1.
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(1).prints("v2 is older than v5");
    repository.ucp(["promote", "stage", "prod", "echo", "--push", "--yes"]).exits(0);
    assert!(remote_file(&repository, &bare, "echo/overlays/prod/kustomization.yaml").contains("newTag: v5"));
}

#[test]
fn a_push_to_a_new_branch_prints_the_url_for_a_pull_request() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    hook(
        &bare,
        "post-receive",
        "echo 'Create a pull request by visiting:' >&2; echo '  https://example.org/pull/new/x' >&2",
    );
    let promote = || {
        repository.ucp([
            "promote",
            "stage",
            "prod",
            "echo",
            "--push",
            "--branch",
            "promote-echo",
            "--yes",
            "-o",
            "json",
        ])
    };
    let plan = promote().exits(0).json();
    assert_eq!(plan["pushed"], "promote-echo");
    assert_eq!(plan["pullRequest"], "https://example.org/pull/new/x");
    assert_eq!(subjects(&repository, &bare, "main"), ["Start"]);
    assert_eq!(subjects(&repository, &bare, "promote-echo"), ["Promote echo to prod: v2", "Start"]);
    promote().exits(0).prints("is waiting to be merged into main");
}

#[test]
fn push_options_request_a_merge_request_of_gitlab() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    let gitlab = bare.with_file_name("gitlab.git");
    std::fs::rename(&bare, &gitlab).unwrap();
    repository.git(["remote", "set-url", "origin", gitlab.to_str().unwrap()]);
    let promote =
        |branch: &str| repository.ucp(["promote", "stage", "prod", "echo", "--push", "--branch", branch, "--yes"]);
    promote("without").exits(0);
    repository.git(["--git-dir", gitlab.to_str().unwrap(), "config", "receive.advertisePushOptions", "true"]);
    hook(&gitlab, "pre-receive", "env | grep ^GIT_PUSH_OPTION_ > \"$GIT_DIR/options\"; exit 0");
    promote("with").exits(0);
    let options = std::fs::read_to_string(gitlab.join("options")).unwrap();
    for option in ["merge_request.create", "merge_request.target=main", "merge_request.title=Promote echo to prod: v2"]
    {
        assert!(options.contains(option), "{option} is not in {options}");
    }
}

#[test]
fn a_protected_branch_diverts_to_a_branch() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    protect_main(&bare);
    let run = repository.ucp(["promote", "stage", "prod", "echo", "--push", "--yes"]).exits(0);
    run.prints("protected");
    assert!(run.stdout.contains("to ucp/promote-echo-to-prod-v2 of origin"), "{}", run.stdout);
    assert_eq!(subjects(&repository, &bare, "ucp/promote-echo-to-prod-v2").len(), 2);
    assert_eq!(subjects(&repository, &bare, "main"), ["Start"]);
}

/// The change is on a branch, and not on the requested one: another run of the command reports which.
#[test]
fn the_branch_that_a_change_waits_on_is_reported_and_used_again() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    protect_main(&bare);
    let promote = ["promote", "stage", "prod", "echo", "--push", "--yes"];
    repository.ucp(promote).exits(0);
    let branch = "ucp/promote-echo-to-prod-v2";
    let again = repository.ucp(promote).exits(0);
    again.prints(&format!(
        "{branch} of {} already has this change and is waiting to be merged into main",
        bare.display()
    ));
    assert!(!again.stderr.contains("were set in the meantime"), "{}", again.stderr);
    let plan = repository.ucp(promote.into_iter().chain(["-o", "json"])).exits(0).json();
    assert_eq!((&plan["waiting"]["branch"], &plan["waiting"]["into"]), (&branch.into(), &"main".into()), "{plan:#}");
    assert_eq!(plan["waiting"]["url"], bare.to_str().unwrap());
    // The same change by another command, or with another message.
    repository.ucp(["set-image", "prod", "echo=v2", "--push", "--yes"]).exits(0).prints(branch);
    repository.ucp(promote.into_iter().chain(["--message", "Again"])).exits(0).prints(branch);
    let branches = |repository: &Gitops| {
        repository.git(["--git-dir", bare.to_str().unwrap(), "for-each-ref", "--format=%(refname)", "refs/heads"])
    };
    assert_eq!(branches(&repository).lines().count(), 2, "{}", branches(&repository));
    // Another change gets a branch of its own.
    repository.ucp(["set-image", "prod", "echo=v3", "--push", "--yes"]).exits(0).prints("Pushed");
    assert_eq!(branches(&repository).lines().count(), 3, "{}", branches(&repository));
}

/// A branch of the user's own is reported in the same way, and found by a run without its name.
#[test]
fn a_named_branch_that_is_not_merged_is_waited_for() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    protect_main(&bare);
    let promote = ["promote", "stage", "prod", "echo", "--push", "--yes"];
    let named = [promote.as_slice(), &["--branch", "mine"]].concat();
    repository.ucp(named.iter().copied()).exits(0).prints("Pushed");
    let waits = format!("mine of {} already has this change and is waiting to be merged into main", bare.display());
    repository.ucp(named.iter().copied()).exits(0).prints(&waits);
    let plan = repository.ucp(named.iter().copied().chain(["-o", "json"])).exits(0).json();
    assert_eq!((&plan["waiting"]["branch"], &plan["waiting"]["into"]), (&"mine".into(), &"main".into()), "{plan:#}");
    repository.ucp(promote).exits(0).prints(&waits);
    let branches =
        repository.git(["--git-dir", bare.to_str().unwrap(), "for-each-ref", "--format=%(refname)", "refs/heads"]);
    assert_eq!(branches.lines().count(), 2, "{branches}");
    // Once the base has it, there is nothing to do.
    std::fs::remove_file(bare.join("hooks/update")).unwrap();
    repository.git(["--git-dir", bare.to_str().unwrap(), "update-ref", "refs/heads/main", "refs/heads/mine"]);
    repository.ucp(named.iter().copied()).exits(0).prints("Nothing to do");
}

#[test]
fn a_checkout_that_a_push_left_behind_is_reported() {
    let repository = Gitops::paper("v2", "v1");
    repository.publish();
    let run = repository.ucp(["promote", "stage", "prod", "echo", "--push", "--yes"]).exits(0);
    run.prints("The checkout is now behind origin/main: run 'git pull' before the next --commit.");
    let run = repository.ucp(["set-image", "prod", "echo=v3", "--push", "--yes", "-o", "json"]).exits(0).json();
    assert_eq!(run["checkoutBehind"], "origin/main");
}

#[test]
fn a_commit_on_a_checkout_that_a_push_left_behind_is_reported() {
    let repository = Gitops::paper("v2", "v1");
    repository.publish();
    let commit =
        |version: &str| repository.ucp(["set-image", "prod", version, "--commit", "--yes", "-o", "json"]).exits(0);
    let level = commit("echo=v2");
    assert!(!level.stderr.contains("diverges") && level.json()["checkoutBehind"].is_null(), "{}", level.stderr);
    repository.git(["push", "--quiet", "origin", "main"]);
    repository.ucp(["set-image", "prod", "echo=v3", "--push", "--yes"]).exits(0);
    let behind = commit("echo=v4");
    behind.prints("origin/main has commits that the checkout does not have");
    assert_eq!(behind.json()["checkoutBehind"], "origin/main");
    repository.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    repository.git(["pull", "--quiet", "--ff-only"]);
    let pulled = commit("echo=v4");
    assert!(!pulled.stderr.contains("diverges") && pulled.json()["checkoutBehind"].is_null(), "{}", pulled.stderr);
    // Commits of others are known after a fetch.
    repository.git(["push", "--quiet", "origin", "HEAD:refs/heads/main"]);
    repository.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    commit("echo=v6").prints("origin/main has commits that the checkout does not have");
    // A branch of its own follows nothing, and commits to it are not late.
    repository.git(["switch", "--quiet", "--create", "mine"]);
    let own = commit("echo=v7");
    assert!(!own.stderr.contains("diverges") && !own.stderr.contains("detached"), "{}", own.stderr);
    repository.git(["checkout", "--quiet", "--detach"]);
    commit("echo=v8").prints("HEAD is detached, so no branch contains this commit");
}

#[test]
fn a_clone_that_is_shallow_bare_or_private_pushes_too() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let url = format!("file://{}", bare.display());
    let outside = |name: &str| repository.outside().join(name).to_str().unwrap().to_owned();
    repository.git(["clone", "--quiet", "--depth=1", &url, &outside("shallow")]);
    repository.git(["clone", "--quiet", "--bare", &url, &outside("mirror")]);
    let push = |arguments: &[&str]| {
        let fixed = ["set-image", "stage", "--push", "--yes"];
        repository.ucp(fixed.into_iter().chain(arguments.iter().copied())).exits(0);
    };
    push(&["echo=v2", "-C", &outside("shallow")]);
    push(&["echo=v3", "-C", &outside("mirror")]);
    push(&["echo=v4", "--repo", &url]);
    assert!(remote_file(&repository, &bare, STAGE).contains("newTag: v4"));
    assert_eq!(subjects(&repository, &bare, "main").len(), 4);
    repository.ucp(["images", "-C", &outside("mirror")]).exits(0).prints("v1");
    repository.ucp(["images", "--repo", &url]).exits(0).prints("v4");
    repository.ucp(["set-image", "stage", "echo=v5", "--yes", "--repo", &url]).exits(2).prints("--push");
    repository
        .ucp(["images", "--repo", "https://user:s3cret@localhost:1/x"])
        .exits(3)
        .stderr
        .contains("s3cret")
        .then(|| panic!("a password was printed"));
}

#[test]
fn hooks_and_signing_of_the_user_apply() {
    let repository = Gitops::paper("v1", "v1");
    repository.publish();
    let hooks = repository.top().join(".git");
    hook(&hooks, "commit-msg", "grep -q Change-Id \"$1\" || { echo 'no Change-Id' >&2; exit 1; }");
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(3).prints("no Change-Id");
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes", "--message", "Bump\n\nChange-Id: 1"]).exits(0);
}

/// `actions/checkout` keeps the token in a file that git reads only where the repository is at a certain path.
#[test]
fn configuration_for_the_path_of_the_checkout_applies_to_the_push() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let forge = "https://forge.invalid/apps.git";
    repository.git(["remote", "set-url", "origin", forge]);
    let kept = repository.outside().join("kept.config");
    std::fs::write(&kept, format!("[url \"{}\"]\n\tinsteadOf = {forge}\n", bare.display())).unwrap();
    let condition = format!("includeIf.gitdir:{}.path", repository.git(["rev-parse", "--absolute-git-dir"]));
    repository.git(["config", &condition, kept.to_str().unwrap()]);
    repository.ucp(["set-image", "stage", "echo=v2", "--push", "--yes"]).exits(0).prints("Pushed");
    assert!(remote_file(&repository, &bare, STAGE).contains("newTag: v2"));
}
