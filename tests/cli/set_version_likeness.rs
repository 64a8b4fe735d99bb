//! `set-version` by name, if the form and the numbers of versions tell which one is meant.

use crate::gitops::{Gitops, deployment};

/// The lines that changed.
fn changed(repository: &Gitops) -> Vec<String> {
    let diff = repository.git(["diff", "--unified=0", "--no-color"]);
    let lines = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    lines.map(|line| line[1..].trim().to_owned()).collect()
}

/// A release of a chart with an image in its values.
fn release(name: &str, chart: &str, image: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart: {{spec: {{chart: template, \
         version: {chart}}}}}\n  values:\n    image: {{repository: r.example.org/player, tag: {image}}}\n"
    )
}

#[test]
fn a_name_of_a_location_means_the_only_version_that_the_new_one_continues() {
    for (chart, image, requested) in
        [("5.0.1", "4.0.19.2995", "4.0.19.2997"), ("3.2.1", "20.20.14", "20.21.0"), ("18.0.0", "0.7.2", "0.7.3")]
    {
        let repository = Gitops::with(&[("media/films.yaml", &release("films", chart, image))]);
        repository.ucp(["set-version", &format!("films={requested}"), "--yes"]).exits(0);
        let expected = format!("image: {{repository: r.example.org/player, tag: {requested}}}");
        assert_eq!(changed(&repository), [expected], "{chart} {image}");
    }
    // Both can be followed, or none is near.
    for (chart, image, requested) in [
        ("5.0.2", "6.1.0", "5.2.0"),
        ("0.22.1", "1.26.0", "0.24.0"),
        ("2.0.0", "3.0.0", "8.0.0"),
        ("1.4.0", "1.2.0", "1.5.0"),
    ] {
        let repository = Gitops::with(&[("media/films.yaml", &release("films", chart, image))]);
        let run = repository.ucp(["set-version", &format!("films={requested}"), "--yes"]);
        assert_ne!(run.code, Some(0), "{chart} {image}");
        assert!(changed(&repository).is_empty(), "{chart} {image}");
    }
}

#[test]
fn words_of_a_tag_select_the_line_of_an_image() {
    let tags = ["proxy-0a1b2c3d", "lobby-1b2c3d4e"];
    let files = tags.map(|tag| deployment("games", &format!("r.example.org/o/games:{tag}")));
    let repository = Gitops::with(&[("games/proxy.yaml", &files[0]), ("games/lobby.yaml", &files[1])]);
    for name in ["games", "r.example.org/o/games"] {
        repository.ucp(["set-version", &format!("{name}=lobby-2c3d4e5f"), "--yes"]).exits(0);
        assert_eq!(changed(&repository), ["image: r.example.org/o/games:lobby-2c3d4e5f"], "{name}");
        repository.git(["checkout", "."]);
    }
    // A line that nothing follows is none of them.
    let run = repository.ucp(["set-version", "games=arena-2c3d4e5f", "--yes"]);
    assert!(run.code != Some(0) && changed(&repository).is_empty());
}

#[test]
fn an_annotation_of_a_pod_does_not_make_a_name_ambiguous() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: news}\nspec:\n  template:\n    metadata:\n      annotations:\n        \
                agent.example.org/library.version: v1.24.2\n    spec:\n      containers:\n      - {name: app, image: 'r.example.org/o/data:v0.0.4'}\n";
    let repository = Gitops::with(&[("news/app.yaml", text)]);
    repository.ucp(["set-version", "news=v0.0.5", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["- {name: app, image: 'r.example.org/o/data:v0.0.5'}"]);
    let run = repository.ucp(["images"]).exits(0);
    assert!(!run.stdout.contains("v1.24.2"), "{}", run.stdout);
}

#[test]
fn a_commit_by_the_name_of_a_collection_is_refused() {
    let commit = |byte: &str| byte.repeat(20);
    let image = |name: &str, byte: &str| format!("- r.example.org/o/{name}:{}\n", commit(byte));
    let list = |others: &[&str]| {
        let others: Vec<String> = others.iter().enumerate().map(|(n, name)| image(name, &format!("{n}b"))).collect();
        format!("image: r.example.org/o/cache:{}\nimages:\n{}", commit("0a"), others.concat())
    };
    let new = format!("cache={}", commit("3c"));
    let many = Gitops::with(&[("cache/values.yaml", &list(&["web", "api", "job", "bot"]))]);
    let run = many.ucp(["set-version", &new, "--yes"]).exits(2);
    run.prints("cache/values.yaml");
    assert!(changed(&many).is_empty());
    let few = Gitops::with(&[("cache/values.yaml", &list(&["web"]))]);
    few.ucp(["set-version", &new, "--yes"]).exits(0);
    assert_eq!(changed(&few), [format!("image: r.example.org/o/cache:{}", commit("3c"))]);
}

#[test]
fn a_name_may_be_spelled_with_other_capitals_and_dashes() {
    let repository = Gitops::with(&[("apps/core/app.yaml", &deployment("core", "r.example.org/o/newskb:1.2.0"))]);
    for name in ["NewsKB", "news-kb", "NEWSKB"] {
        repository.ucp(["set-version", &format!("{name}=1.3.0"), "--yes"]).exits(0);
        assert_eq!(changed(&repository), ["image: r.example.org/o/newskb:1.3.0"], "{name}");
        repository.git(["checkout", "."]);
    }
    repository.ucp(["set-version", "newskbs=1.3.0", "--yes"]).exits(2).prints("did you mean");
}

#[test]
fn a_variant_changes_only_by_the_whole_name_of_an_image() {
    let repository = Gitops::with(&[("home/app.yaml", &deployment("home", "ghcr.io/o/hub:4.3.1-arm64"))]);
    let run = repository.ucp(["set-version", "hub=4.3.2", "--yes"]).exits(1);
    run.prints("probably another artifact");
    repository.ucp(["set-version", "ghcr.io/o/hub=8.3.2", "--yes"]).exits(1);
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "ghcr.io/o/hub=4.3.2", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: ghcr.io/o/hub:4.3.2"]);
}

#[test]
fn an_ambiguous_environment_is_proposed_with_the_whole_command() {
    let values = |tag: &str| {
        format!("image: {{repository: r.example.org/web, tag: {tag}}}\njob: {{image: 'r.example.org/web:{tag}'}}\n")
    };
    let files = [("web/values-stage.yaml", values("1.3.0")), ("web/values-prod.yaml", values("1.2.0"))];
    let repository = Gitops::with(&files.each_ref().map(|(file, text)| (*file, text.as_str())));
    let run = repository.ucp(["set-version", "web=1.3.1", "--yes"]).exits(2);
    let command =
        run.stderr.lines().find_map(|line| line.trim().strip_prefix("kubectl ucp set-version ")).unwrap_or_default();
    assert_eq!(command, "stage web=1.3.1", "{}", run.stderr);
    let words: Vec<&str> = ["set-version"].into_iter().chain(command.split(' ')).chain(["--yes"]).collect();
    repository.ucp(words).exits(0);
    assert_eq!(changed(&repository).len(), 2);
}

#[test]
fn a_proposed_line_of_the_settings_is_valid_as_printed() {
    let file = "apps/list.yaml";
    let text = "files:\n- https://github.com/o/schemas/releases/download/v1.2.0/all.zip\n- https://github.com/p/schemas/releases/download/v1.1.0/all.zip\n";
    let repository = Gitops::with(&[(file, text)]);
    let run = repository.ucp(["set-version", "schemas=v1.3.0", "--yes"]).exits(2);
    let lines: Vec<&str> =
        run.stderr.lines().filter_map(|line| line.split("in .ucp.yaml, '").nth(1)?.split('\'').next()).collect();
    assert!(!lines.is_empty(), "{}", run.stderr);
    repository.write(".ucp.yaml", &format!("{}\n", lines[0]));
    repository.ucp(["set-version", "schemas=v1.3.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 1, "{lines:?}");
}

#[test]
fn an_unreadable_file_mentions_an_image_with_its_owner() {
    let broken = |text: &str| format!("storage: {{pool: {text}}}\n}}: [\n");
    let image = ("store/app.yaml", deployment("store", "quay.io/seal/seal:v18.2.2"));
    for (text, code) in
        [("seal.block.example.org", 0), ("image: quay.io/seal/seal:v18.2.2", 1), ("repository: seal/seal", 1)]
    {
        let repository = Gitops::with(&[(image.0, image.1.as_str()), ("class/app.yaml", &broken(text))]);
        let run = repository.ucp(["set-version", "quay.io/seal/seal=v18.2.3", "--yes"]);
        assert_eq!(
            (run.code, changed(&repository).len()),
            (Some(code), usize::from(code == 0)),
            "{text}: {}",
            run.stderr
        );
    }
}

#[test]
fn the_refusal_of_a_version_names_the_difference() {
    let repository = Gitops::with(&[("web/app.yaml", &deployment("web", "r.example.org/o/web:19.0.1"))]);
    repository
        .ucp(["set-version", "web=50.3.1", "--yes"])
        .exits(1)
        .prints("its first number is far from the current one");
    repository.ucp(["set-version", "web=sha-0a1b2c3", "--yes"]).exits(1).prints("the forms of the versions differ");
    assert!(changed(&repository).is_empty());
}

#[test]
fn a_version_after_two_equals_signs_is_not_a_git_reference() {
    let bases = "resources:\n- https://github.com/o/tracing//kustomize/base?ref=tracing-v12.35.0\n";
    let repository = Gitops::with(&[("apps/tracing/kustomization.yaml", bases)]);
    for name in ["tracing", "o/tracing"] {
        let run = repository.ucp(["set-version", &format!("{name}==tracing-v12.36.0"), "--yes"]).exits(1);
        run.prints("not the name of a Git reference");
    }
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "tracing=tracing-v12.36.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 1);
}

#[test]
fn an_environment_may_be_part_of_the_name_of_another() {
    let chart = "apiVersion: v2\nname: prod-login\nversion: 0.1.0\ndependencies:\n- {name: login, version: 0.0.7, repository: \
                 'https://charts.example.org'}\n";
    let list = |version: &str| {
        format!(
            "applications:\n  login: {{source: {{repoURL: 'https://charts.example.org', chart: generic, targetRevision: {version}}}}}\n"
        )
    };
    let with = |version: &str| {
        Gitops::with(&[("prod/prod-login/Chart.yaml", chart), ("apps/values-team-prod.yaml", &list(version))])
    };
    let nearer = with("1.0.1");
    nearer.ucp(["set-version", "prod", "login=1.0.4", "--yes"]).exits(2).prints("apps/values-team-prod.yaml");
    assert!(changed(&nearer).is_empty());
    let other = with("6.0.1");
    other.ucp(["set-version", "prod", "login=0.0.8", "--yes"]).exits(0);
    assert_eq!(changed(&other).len(), 1);
}
