//! Hostile repositories: large, broken, circular, with links outside.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::gitops::{Gitops, Run};

fn set(repository: &Gitops, arguments: &[&str]) -> Run {
    repository.ucp(["set-image", "--yes"].into_iter().chain(arguments.iter().copied()))
}

#[test]
fn ten_thousand_images_and_ten_megabytes() {
    let entries: Vec<String> = (0..10_000).map(|index| format!("- name: r/i{index}\n  newTag: v1\n")).collect();
    let many = format!("images:\n{}", entries.concat());
    let long = format!("# {}\nimages:\n- name: a\n  newTag: v1\n", "x".repeat(100).repeat(100_000));
    let repository = Gitops::with(&[("many/kustomization.yaml", &many), ("long/kustomization.yaml", &long)]);
    let images: Vec<String> = (0..10_000).step_by(100).map(|index| format!("r/i{index}:v2")).collect();
    let fixed = ["set-image", "--yes", "-o", "name", "--file", "many"].map(str::to_owned);
    repository.ucp(fixed.into_iter().chain(images)).exits(0);
    assert_eq!(repository.read("many/kustomization.yaml").matches("newTag: v2").count(), 100);
    set(&repository, &["--file", "long", "a:v2"]).exits(0);
    assert_eq!(repository.read("long/kustomization.yaml"), long.replace("v1", "v2"));
}

/// The CPU time of a command of the plugin.
fn cpu(repository: &Gitops, arguments: &[String]) -> Duration {
    use wait4::Wait4 as _;
    let child = repository.ucp_command(arguments).stdout(std::process::Stdio::null()).spawn().unwrap();
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "{}", arguments[0]);
    used.rusage.utime + used.rusage.stime
}

/// Distinguishes linear growth from quadratic on any machine: eight times as long for eight times as much, or 64 times.
#[test]
fn work_grows_with_the_entries_and_not_with_their_square() {
    let cost = |count: usize| {
        let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
        let containers = lines(&|index| format!("      - {{name: c{index}, image: r/i{index}}}\n"));
        let workload = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: shop}}\nspec:\n  template:\n    spec:\n      containers:\n{containers}"
        );
        let overlay = |version: &str| {
            let entries = lines(&|index| format!("- name: r/i{index}\n  newTag: {version}\n"));
            format!("resources: [../../base]\nimages:\n{entries}")
        };
        let repository = Gitops::with(&[
            ("shop/base/kustomization.yaml", "resources: [d.yaml]\n"),
            ("shop/base/d.yaml", &workload),
            ("shop/overlays/stage/kustomization.yaml", &overlay("v2")),
            ("shop/overlays/prod/kustomization.yaml", &overlay("v1")),
        ]);
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut set = words("set-image --yes -o name --file shop/overlays/prod");
        set.extend((0..count).map(|index| format!("r/i{index}:v2")));
        let promote = cpu(&repository, &words("promote stage prod --all --dry-run -o name"));
        promote + cpu(&repository, &words("images -o json")) + cpu(&repository, &set)
    };
    let (few, many) = (cost(400), cost(3200));
    assert!(many < few * 24, "{few:?} for 400 entries, {many:?} for 3,200");
}

#[test]
fn invalid_utf8_and_invalid_yaml_are_refused_and_not_changed() {
    let repository = Gitops::with(&[]);
    let bomb: String = (0..12)
        .map(|level| {
            format!("x{level}: &x{level} [{}]\n", format!("*x{},", level - 1).repeat(if level == 0 { 0 } else { 9 }))
        })
        .collect();
    let deep = format!("a: {}{}\nimages: [{{name: a, newTag: v1}}]\n", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&str, Vec<u8>); 6] = [
        ("latin", b"images: [{name: a, newTag: v1}]\n# gr\xfc\xdfe\n".to_vec()),
        ("zero", b"images: [{name: a, newTag: v1}]\n\0\n".to_vec()),
        ("broken", b"images: [{name: a, newTag: v1}\n".to_vec()),
        ("empty", Vec::new()),
        (
            "bomb",
            format!("x0: &x0 [a]\n{}images: [{{name: a, newTag: v1}}]\n", bomb.split_once('\n').unwrap().1)
                .into_bytes(),
        ),
        ("deep", deep.into_bytes()),
    ];
    for (name, bytes) in cases {
        std::fs::create_dir(repository.top().join(name)).unwrap();
        let file = repository.top().join(name).join("kustomization.yaml");
        std::fs::write(&file, &bytes).unwrap();
        let run = set(&repository, &["--file", name, "a:v2"]);
        assert!(matches!(run.code, Some(1 | 3)), "{name}: {run:?}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{name}");
    }
    let run = repository.ucp(["images"]);
    assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
}

#[test]
fn a_kustomization_that_includes_itself_only_affects_its_own_row() {
    let repository = Gitops::paper("v2", "v1");
    repository
        .write("loop/overlays/stage/kustomization.yaml", "resources: [../../base]\nimages: [{name: a, newTag: v1}]\n");
    repository
        .write("loop/overlays/prod/kustomization.yaml", "resources: [../../base]\nimages: [{name: a, newTag: v1}]\n");
    repository.write("loop/base/kustomization.yaml", "resources: [../middle]\n");
    repository.write("loop/middle/kustomization.yaml", "resources: [../base, .]\n");
    repository.write("own/overlays/stage/kustomization.yaml", "components: [.]\nresources: [../../../echo/base]\n");
    let run = repository.ucp(["images"]).exits(4);
    run.prints("includes itself").prints("dagandersen/echo-server");
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(0);
}

#[test]
fn links_out_of_the_repository_are_not_followed() {
    let repository = Gitops::paper("v2", "v1");
    let outside = repository.outside().join("secret.yaml");
    std::fs::write(&outside, "images: [{name: dagandersen/echo-server, newTag: s3cret}]\n").unwrap();
    let prod = repository.top().join("echo/overlays/prod/kustomization.yaml");
    std::fs::remove_file(&prod).unwrap();
    symlink(&outside, &prod).unwrap();
    let run = repository.ucp(["images"]).exits(4);
    run.prints("points outside of the repository");
    assert!(!run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"));
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(1).prints("outside of the repository");
    assert!(std::fs::read_to_string(&outside).unwrap().contains("s3cret"));
    // A directory, a resource and a rule that lead out.
    symlink(repository.outside(), repository.top().join("away")).unwrap();
    repository.write("out/overlays/stage/kustomization.yaml", "resources: [../../../../secret.yaml]\n");
    repository.write("link/overlays/stage/kustomization.yaml", "resources: [../../../away/secret.yaml]\n");
    let run = repository.ucp(["images"]).exits(4);
    run.prints("leaves the repository");
    assert!(!run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"));
    repository.write(".ucp.yaml", "promote: [{file: /../secret.yaml}]\n");
    repository.ucp(["images"]).exits(2).prints("leaves the repository");
}

/// Errors about settings quote their names, and settings open gates.
#[test]
fn settings_are_not_read_through_a_link_out_of_the_repository() {
    let repository = Gitops::paper("v2", "v1");
    let secret = repository.outside().join("credentials.yaml");
    std::fs::write(&secret, "canary-of-a-file: 1\n").unwrap();
    let settings = repository.top().join(".ucp.yaml");
    let missing = repository.outside().join("missing");
    for (target, words) in [
        (secret.as_path(), "it is a link that points outside"),
        (missing.as_path(), "No such file"),
        (std::path::Path::new(".git/config"), "it is a link that points outside"),
    ] {
        let _ = std::fs::remove_file(&settings);
        symlink(target, &settings).unwrap();
        for arguments in [&["images"][..], &["promote", "stage", "prod", "--all", "--dry-run"]] {
            let run = repository.ucp(arguments.iter().copied()).exits(2);
            run.prints(words);
            assert!(!format!("{}{}", run.stdout, run.stderr).contains("canary"), "{}", run.stderr);
        }
    }
    // A link within the repository may be another name of a shared file.
    repository.write("shared/ucp.yaml", "ignore: [echo]\n");
    std::fs::remove_file(&settings).unwrap();
    symlink("shared/ucp.yaml", &settings).unwrap();
    repository.ucp(["images"]).exits(0);
}

#[test]
fn names_with_spaces_newlines_and_control_characters() {
    let overlay = "resources: [../../base]\nimages:\n- name: r/a\n  newTag: v2\n";
    let base = "resources: [pod.yaml]\n";
    let pod = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: r/a}]}\n";
    let service = "a b\u{202e}";
    let repository = Gitops::with(&[]);
    for (path, text) in
        [("base/kustomization.yaml", base), ("base/pod.yaml", pod), ("overlays/stage/kustomization.yaml", overlay)]
    {
        repository.write(&format!("{service}/{path}"), text);
    }
    repository.write(&format!("{service}/overlays/prod/kustomization.yaml"), &overlay.replace("v2", "v1"));
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Odd"]);
    for arguments in [
        &["images"][..],
        &["images", "--explain"],
        &["images", "-o", "json"],
        &["promote", "stage", "prod", service, "--commit", "--yes"],
    ] {
        let run = repository.ucp(arguments).exits(0);
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{arguments:?}: {text:?}");
        }
    }
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    assert!(repository.read(&format!("{service}/overlays/prod/kustomization.yaml")).contains("newTag: v2"));
    // A line break in a name would pass for a line of the output.
    let forged = "x\nkubectl delete namespace prod";
    repository.write(&format!("{forged}/overlays/prod/kustomization.yaml"), overlay);
    repository.write(
        "x/overlays/dev/kustomization.yaml",
        &overlay
            .replace("r/a", "r/a\\nkubectl delete namespace prod")
            .replace("- name: r", "- name: \"r")
            .replace("prod\n", "prod\"\n"),
    );
    for arguments in
        [&["images"][..], &["images", "--explain"], &["set-version", "a=v3", "--yes"], &["set-image", "dev", "x=v3"]]
    {
        let run = repository.ucp(arguments);
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.lines().any(|line| line.trim_start().starts_with("kubectl delete")), "{arguments:?}: {text}");
        }
    }
    std::fs::remove_dir_all(repository.top().join("x")).unwrap();
    std::fs::remove_dir_all(repository.top().join(forged)).unwrap();
    // A name that is no text at all is passed over.
    let name = std::ffi::OsStr::from_bytes(b"gr\xfc\xdfe");
    std::fs::create_dir(repository.top().join(name)).unwrap();
    repository.ucp(["images"]).exits(0);
}

#[test]
fn an_unreadable_file_may_contain_another_version_of_the_artifact() {
    let overlay = |version: &str| format!("resources: [../../base]\nimages:\n- name: r/web\n  newTag: {version}\n");
    let stage = "overlays/stage/kustomization.yaml";
    for (text, reason) in [("{v1\n", "unclosed bracket"), ("\"v1\\nkubectl delete namespace prod\"", "line break")] {
        let repository = Gitops::with(&[
            ("base/kustomization.yaml", "resources: [pod.yaml]\n"),
            ("base/pod.yaml", "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: r/web}]}\n"),
            ("overlays/prod/kustomization.yaml", &overlay("v1")),
            (stage, &overlay(text)),
        ]);
        let before = repository.read("overlays/prod/kustomization.yaml");
        repository.ucp(["set-version", "web=v2", "--yes"]).exits(1).prints(stage).prints(reason);
        assert_eq!(repository.read("overlays/prod/kustomization.yaml"), before);
        // Its environment, or another name.
        repository.ucp(["set-version", "prod", "web=v2", "--yes"]).exits(0);
        assert_eq!(repository.read("overlays/prod/kustomization.yaml"), overlay("v2"));
    }
}

#[test]
fn a_non_utf8_kustomization_may_contain_another_version_of_the_artifact() {
    let prod = "resources: []\nimages:\n- {name: r/web, newTag: v1}\n";
    let repository = Gitops::with(&[("web/overlays/prod/kustomization.yaml", prod), ("web/overlays/stage/a", "")]);
    let stage = repository.top().join("web/overlays/stage/kustomization.yaml");
    std::fs::write(stage, [prod.as_bytes(), b"# \xff\n"].concat()).unwrap();
    repository.ucp(["set-version", "web=v2", "--yes"]).exits(1).prints("web/overlays/stage").prints("UTF-8");
    assert_eq!(repository.read("web/overlays/prod/kustomization.yaml"), prod);
    repository.ucp(["set-version", "prod", "web=v2", "--yes"]).exits(0);
}

#[test]
fn non_utf8_or_too_large_values_may_contain_another_version() {
    let prod = "image: {repository: r/web, tag: v1}\n";
    let filler = "# a line of a file that grows\n".repeat(40_000);
    let latin = [prod.as_bytes(), b"# gr\xfc\xdfe\n"].concat();
    for (stage, reason) in [(latin, "UTF-8"), ([prod.as_bytes(), filler.as_bytes()].concat(), "too large")] {
        let repository = Gitops::with(&[("web/values-prod.yaml", prod)]);
        let path = repository.top().join("web/values-stage.yaml");
        std::fs::write(&path, &stage).unwrap();
        repository.ucp(["set-version", "web=v2", "--yes"]).exits(1).prints("web/values-stage.yaml").prints(reason);
        assert_eq!(repository.read("web/values-prod.yaml"), prod);
        assert_eq!(std::fs::read(&path).unwrap(), stage);
    }
    // Bundles of definitions mention many words.
    let repository = Gitops::with(&[("web/values-prod.yaml", prod)]);
    std::fs::write(repository.top().join("crds.yaml"), format!("description: the web\n{filler}")).unwrap();
    repository.ucp(["set-version", "web=v2", "--yes"]).exits(0);
}

#[test]
fn hostile_versions_are_refused_and_shown_plainly() {
    let repository = Gitops::paper("\"v2\\x1b[31m\"", "v1");
    let run = repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(1);
    run.prints("control character");
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'));
    let injected = Gitops::paper("\"v2\\n  newName: evil\"", "v1");
    injected.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(1).prints("control character");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let inner = Gitops::paper("v2", "v1");
    let repository = Gitops::with(&[]);
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.top().to_str().unwrap(), "inner"];
    repository.git(add);
    repository.git(["commit", "--quiet", "-m", "Submodule"]);
    repository.ucp(["images"]).exits(0).prints("No versions found");
    let module = repository.top().join("inner");
    repository.ucp(["images", "-C", module.to_str().unwrap()]).exits(0).prints("v2");
    repository
        .ucp(["promote", "stage", "prod", "echo", "--branch", "x", "--yes", "-C", module.to_str().unwrap()])
        .exits(0);
    assert_eq!(
        repository.git(["-C", module.to_str().unwrap(), "log", "--format=%s", "main..x"]),
        "Promote echo to prod: v2"
    );
}

#[test]
fn without_git_files_can_be_read_and_edited() {
    let repository = Gitops::paper("v2", "v1");
    std::fs::remove_dir_all(repository.top().join(".git")).unwrap();
    repository.ucp(["images"]).exits(0).prints("v2");
    repository
        .ucp(["promote", "stage", "prod", "echo", "--push", "--yes"])
        .exits(2)
        .prints("is not in a Git repository");
    repository.ucp(["promote", "stage", "prod", "echo", "--yes"]).exits(0);
    assert!(repository.read("echo/overlays/prod/kustomization.yaml").contains("v2"));
}

#[test]
fn git_variables_of_a_surrounding_hook_are_ignored() {
    let repository = Gitops::paper("v1", "v1");
    let other = Gitops::paper("v1", "v1");
    let mut command = repository.ucp_command(["set-image", "stage", "echo=v2", "--commit", "--yes"]);
    command.env("GIT_DIR", other.top().join(".git")).env("GIT_INDEX_FILE", other.top().join(".git/index"));
    Run::of(command.output().unwrap()).exits(0);
    assert_eq!(repository.git(["log", "--format=%s", "-1"]), "Set echo in stage to v2");
    assert_eq!(other.git(["log", "--format=%s", "-1"]), "Start");
}

#[test]
fn a_push_includes_bases_in_submodules() {
    let library = Gitops::with(&[
        ("base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("base/deployment.yaml", &crate::gitops::deployment("shop", "r/shop")),
    ]);
    let repository = Gitops::with(&[]);
    let url = library.top().to_str().unwrap();
    repository.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "library"]);
    for environment in ["stage", "prod"] {
        let text = "resources: [../../../library/base]\nimages: [{name: r/shop, newTag: v1}]\n";
        repository.write(&format!("shop/overlays/{environment}/kustomization.yaml"), text);
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Shop"]);
    repository.publish();
    repository.ucp(["set-image", "prod", "shop=r/shop:v2", "--push", "--yes"]).exits(0).prints("Pushed");
    let typo = repository.ucp(["set-image", "prod", "shop=r/shopp:v3", "--push", "--yes"]).exits(2);
    typo.prints("no workload has the image r/shopp");
    assert!(
        repository.read("shop/overlays/prod/kustomization.yaml").contains("newTag: v1"),
        "the work tree is left alone"
    );
}

/// Configures `evil.sh` of the checkout everywhere git can start it for reading or writing files.
pub(crate) fn run_programs_of_the_checkout(repository: &Gitops) {
    let program = repository.top().join("evil.sh");
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
        "merge.evil.driver",
        "gpg.program",
    ] {
        repository.git(["config", key, program.to_str().unwrap()]);
    }
    repository.git(["config", "filter.evil.required", "true"]);
    repository.git(["config", "core.hooksPath", "hooks"]);
}

/// Commands that only read or edit files run no program from the checkout's configuration. `commit` and `push` run hooks, as
/// the user's own git does.
#[test]
fn commands_that_do_not_commit_start_no_program_of_the_checkout() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Gitops::paper("v2", "v1");
    let trace = repository.outside().join("executed");
    for name in ["evil.sh", "hooks/post-checkout", "hooks/post-index-change", "hooks/reference-transaction"] {
        repository.write(name, &format!("#!/bin/sh\ntouch {}\n", trace.display()));
        let file = repository.top().join(name);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    repository.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Hooks"]);
    run_programs_of_the_checkout(&repository);
    let _ = std::fs::remove_file(&trace);
    for arguments in [
        &["images"][..],
        &["promote", "stage", "prod", "--all", "--dry-run"],
        &["promote", "stage", "prod", "echo", "--yes"],
        &["set-version", "prod", "echo=v3", "--yes"],
    ] {
        repository.ucp(arguments).exits(0);
        assert!(!trace.exists(), "{arguments:?}");
    }
}

#[test]
fn configuration_of_a_bare_repository_in_a_checkout_is_ignored() {
    let repository = Gitops::paper("v2", "v1");
    let trace = repository.outside().join("executed");
    let bare = repository.top().join("vendor");
    repository.git(["clone", "--quiet", "--bare", ".", "vendor"]);
    let program = format!("sh -c 'touch {}; cat'", trace.display());
    for key in ["core.fsmonitor", "filter.evil.smudge"] {
        repository.git(["-C", bare.to_str().unwrap(), "config", key, &program]);
    }
    std::fs::write(bare.join("info/attributes"), "* filter=evil\n").unwrap();
    let run = repository.ucp(["images", "-C", bare.to_str().unwrap()]);
    assert_eq!(run.code, Some(2), "{run:?}");
    run.prints("a bare repository inside of the checkout");
    assert!(!trace.exists());
}

/// The configuration of an unpacked archive is that of its author.
#[test]
fn a_configuration_does_not_move_the_files_out_of_the_checkout() {
    let (repository, other) = (Gitops::paper("v2", "v1"), Gitops::paper("v2", "v1"));
    let above = repository.top().parent().unwrap().to_owned();
    for place in [other.top().to_owned(), above] {
        repository.git(["config", "core.worktree", place.to_str().unwrap()]);
        for arguments in [&["images"][..], &["set-version", "prod", "echo=v3", "--yes"]] {
            repository.ucp(arguments).exits(2).prints("moves its files to");
        }
        assert_eq!(other.git(["status", "--porcelain"]), "");
        repository.git(["config", "--unset", "core.worktree"]);
    }
    repository.git(["worktree", "add", "--quiet", "-b", "linked", "linked"]);
    let linked = repository.top().join("linked");
    repository.ucp(["images", "-C", linked.to_str().unwrap()]).exits(0);
}

#[test]
fn a_line_break_in_a_remote_does_not_reach_gits_credential_protocol() {
    let repository = Gitops::paper("v2", "v1");
    repository.git(["remote", "add", "origin", "https://user%0Ahost=evil.example:s3cret@git.example.org/a"]);
    let run = repository.ucp(["set-image", "stage", "echo=v3", "--push", "--yes"]).exits(2);
    run.prints("contains a control character");
    assert!(!run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"));
}

#[test]
fn a_remote_that_is_a_program_or_a_descriptor_is_refused() {
    let repository = Gitops::paper("v2", "v1");
    let mark = repository.outside().join("executed");
    for url in [format!("ext::touch {}", mark.display()), "fd::0".to_owned(), "fd::3,4/x".to_owned()] {
        for command in [&["images"][..], &["promote", "stage", "prod", "--all", "--push", "--yes"]] {
            let run = repository.ucp(command.iter().copied().chain(["--repo", url.as_str()])).exits(3);
            assert!(run.stderr.contains("not allowed"), "{run:?}");
        }
    }
    assert!(!mark.exists());
}

#[test]
fn a_pipe_in_the_place_of_a_file_does_not_block() {
    let repository = Gitops::paper("v2", "v1");
    let directory = repository.top().join("echo/overlays/qa");
    std::fs::create_dir_all(&directory).unwrap();
    let pipe = directory.join("kustomization.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = repository.ucp_command(["images"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                panic!("it blocks");
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    assert!(matches!(status.code(), Some(0 | 4)), "{status:?}");
}
