//! `set-image`: in one file, and in a repository.

use crate::gitops::{Gitops, deployment};
use crate::support::command::CANARY;

const STAGE: &str = "echo/overlays/stage/kustomization.yaml";

#[test]
fn a_file_is_edited_in_place_without_git() {
    let repository = Gitops::with(&[]);
    let outside = repository.outside().join("plain");
    std::fs::create_dir(&outside).unwrap();
    let file = outside.join("kustomization.yaml");
    let set = |arguments: &[&str]| {
        let fixed = ["set-image", "--yes", "--file", outside.to_str().unwrap()];
        repository.ucp(fixed.into_iter().chain(arguments.iter().copied()))
    };
    std::fs::write(&file, "images:\n- name: localhost:5000/a\n  newTag: v1\n- name: alpine:3\n  newTag: v1").unwrap();
    set(&["localhost:5000/a:v2", "alpine:3:v3"]).exits(0);
    let text = || std::fs::read_to_string(&file).unwrap();
    assert_eq!(text(), "images:\n- name: localhost:5000/a\n  newTag: v2\n- name: alpine:3\n  newTag: v3");
    set(&["localhost:5000/a:v2", "alpine:3:v3"]).exits(0).prints("Nothing to do");
    set(&["localhost:5000/a:v1"]).exits(1).prints("--allow-downgrade");
    set(&["new:v1"]).exits(0).prints("no entry yet");
    assert!(text().ends_with("\n- name: new\n  newTag: v1"));
    set(&["localhost:5000/a"]).exits(2);
    set(&["a:b c"]).exits(2);
    set(&["a:v1", "a:v2"]).exits(2).prints("twice");
    let plan = set(&["new:v2", "-o", "json"]).exits(0).json();
    assert_eq!((&plan["changes"][0]["line"], &plan["changes"][0]["before"]), (&7.into(), &"v1".into()));
}

#[test]
fn permissions_and_links_of_the_file_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Gitops::with(&[("real.yaml", "images: [{name: a, newTag: v1}]\n")]);
    let link = repository.top().join("kustomization.yaml");
    std::os::unix::fs::symlink("real.yaml", &link).unwrap();
    std::fs::set_permissions(&link, std::fs::Permissions::from_mode(0o640)).unwrap();
    repository.ucp(["set-image", "--yes", "--file", "kustomization.yaml", "a:v2"]).exits(0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&link).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(repository.read("real.yaml"), "images: [{name: a, newTag: v2}]\n");
}

#[test]
fn links_out_of_the_repository_and_keys_written_twice_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    let text = "images: [{name: a, newTag: v1}]\n";
    std::fs::write(outside.path().join("kustomization.yaml"), text).unwrap();
    let twice = "images:\n- name: a\n  newTag: v1\n  newTag: v0\n";
    let repository = Gitops::with(&[("twice.yaml", twice), ("digest.yaml", &format!("kind: Kustomization\n{twice}"))]);
    std::os::unix::fs::symlink(outside.path(), repository.top().join("overlay")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("kustomization.yaml"), repository.top().join("link.yaml")).unwrap();
    for path in ["overlay", "overlay/kustomization.yaml", "link.yaml"] {
        repository
            .ucp(["set-image", "--yes", "--file", path, "a:v2"])
            .exits(1)
            .prints("points outside of the repository");
    }
    assert_eq!(std::fs::read_to_string(outside.path().join("kustomization.yaml")).unwrap(), text);
    for (path, version) in [("twice.yaml", "a:v2".to_owned()), ("digest.yaml", format!("a@sha256:{}", "0".repeat(64)))]
    {
        let before = repository.read(path);
        // Two tags are two places; a digest next to them is one edit.
        let run = repository.ucp(["set-image", "--yes", "--file", path, &version]);
        let reasons = ["'newTag' is written twice", "is found in several places"];
        assert!(reasons.iter().any(|reason| run.stderr.contains(reason)) && run.code != Some(0), "{run:?}");
        assert_eq!(repository.read(path), before);
    }
}

#[test]
fn a_secret_next_to_the_image_is_not_shown() {
    let text =
        format!("images:\n- name: a\n  newTag: v1\nsecretGenerator:\n- name: db\n  literals:\n  - password={CANARY}\n");
    let repository = Gitops::with(&[("kustomization.yaml", &text)]);
    let run = repository.ucp(["set-image", "--dry-run", "--file", "kustomization.yaml", "a:v2"]).exits(0);
    run.prints("+  newTag: v2").prints("literals:");
    assert!(!format!("{}{}", run.stdout, run.stderr).contains(CANARY), "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_service_with_several_images_requires_the_name_of_an_image() {
    let repository = Gitops::paper("v1", "v1");
    repository.ucp(["set-image", "stage", "echo=v2", "--yes"]).exits(0);
    assert!(repository.read(STAGE).contains("newTag: v2 # ours"));
    let sidecar = deployment("echo", "dagandersen/echo-server") + "      - name: proxy\n        image: envoy:v1\n";
    repository.write("echo/base/deployment.yaml", &sidecar);
    // One of two has an entry in the overlay: that is the service's own.
    repository.ucp(["set-image", "stage", "echo=v3", "--yes"]).exits(0);
    repository.ucp(["set-image", "stage", "echo=envoy:v2", "--yes"]).exits(0);
    assert!(repository.read(STAGE).ends_with("newTag: v3 # ours\n- name: envoy\n  newTag: v2"));
    repository.ucp(["set-image", "stage", "echo=v4", "--yes"]).exits(2).prints("several images");
    repository.ucp(["set-image", "stage", "echo=nginx:v4", "--yes"]).exits(2).prints("envoy");
    repository.ucp(["set-image", "stage", "echo=envoy:v3", "echo=envoy:v4", "--yes"]).exits(2).prints("two versions");
    repository.ucp(["set-image", "stage", "echo", "--yes"]).exits(2);
    repository.ucp(["set-image", "prod", "ecko=v1", "--yes"]).exits(2).prints("did you mean 'echo'?");
}

#[test]
fn a_mutable_tag_in_an_argument_is_written_with_a_warning() {
    let repository = Gitops::paper("v1", "v1");
    repository.ucp(["set-image", "stage", "echo=latest", "--yes"]).exits(0).prints("a mutable tag");
}

#[test]
fn a_commit_contains_only_the_edited_file() {
    let repository = Gitops::paper("v1", "v1");
    repository.write("notes.txt", "mine\n");
    repository.write("staged.txt", "mine\n");
    repository.git(["add", "staged.txt"]);
    repository.ucp(["set-image", "stage", "echo=v2", "--commit", "--yes"]).exits(0);
    assert_eq!(
        repository.git(["show", "--stat", "--format=%s", "HEAD"]).lines().next(),
        Some("Set echo in stage to v2")
    );
    assert_eq!(repository.git(["diff", "--name-only", "HEAD~", "HEAD"]), STAGE);
    assert_eq!(repository.git(["status", "--porcelain"]), "A  staged.txt\n?? notes.txt");
    repository.write(STAGE, &repository.read(STAGE).replace("ours", "mine"));
    repository.ucp(["set-image", "stage", "echo=v3", "--commit", "--yes"]).exits(1).prints("not committed");
    assert!(repository.read(STAGE).contains("v2"));
}

#[test]
fn a_branch_is_made_without_touching_the_work_tree() {
    let repository = Gitops::paper("v1", "v1");
    repository.write("notes.txt", "mine\n");
    let set = |version: &str| {
        repository.ucp(["set-image", "stage", version, "--branch", "bump", "--yes", "--message", "Mine"])
    };
    set("echo=v2").exits(0);
    set("echo=v3").exits(0);
    set("echo=v3").exits(0).prints("Nothing to do");
    assert_eq!(repository.git(["log", "--format=%s", "main..bump"]), "Mine\nMine");
    assert_eq!(repository.git(["status", "--porcelain", "--branch"]), "## main\n?? notes.txt");
    repository.ucp(["set-image", "stage", "echo=v4", "--branch", "main", "--yes"]).exits(1).prints("checked out");
    repository.ucp(["set-image", "stage", "echo=v4", "--branch", "-x", "--yes"]).exits(2);
    assert_eq!(repository.git(["worktree", "list"]).lines().count(), 1);
}
