//! The ways out of a checkout that `helm`, `kustomize` and `git` have, by name. Each is in a directory of the repository that an
//! Application deploys, or in the configuration of the repository.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::hostile::{Scene, is_harmless};
use super::{application, create, stderr, stdout};
use crate::import::definition;
use crate::support::objects::snapshot;
use crate::support::{self, Options};

/// Directories of one file each. `HOST` is a server that must not be asked, `OUTSIDE` a directory out of the checkout, and `EVIL`
/// a program that must not run. Those that begin with `fine` render.
const DIRECTORIES: [(&str, &str, &str); 24] = [
    ("file-dependency", "Chart.yaml", "dependencies: [{name: d, version: '*', repository: 'file://OUTSIDE/base'}]"),
    ("oci-dependency", "Chart.yaml", "dependencies: [{name: d, version: '*', repository: 'oci://HOST/d'}]"),
    ("http-dependency", "Chart.yaml", "dependencies: [{name: d, version: '*', repository: 'http://HOST'}]"),
    ("getter-dependency", "Chart.yaml", "dependencies: [{name: d, version: '*', repository: 'evil://HOST/d'}]"),
    ("alias-dependency", "Chart.yaml", "dependencies: [{name: d, version: '*', repository: '@evil'}]"),
    (
        "getter",
        "plugin.yaml",
        "name: evil\nversion: 1.0.0\ndownloaders: [{command: EVIL, protocols: [evil, s3, secrets]}]\n",
    ),
    ("http-values", "Chart.yaml", "values: http://HOST/v.yaml"),
    ("https-values", "Chart.yaml", "values: https://HOST/v.yaml"),
    ("getter-values", "Chart.yaml", "values: evil://HOST/v.yaml"),
    ("s3-values", "Chart.yaml", "values: s3://bucket/v.yaml"),
    ("secrets-values", "Chart.yaml", "values: secrets://OUTSIDE/base/m.yaml"),
    ("file-values", "Chart.yaml", "values: file://OUTSIDE/base/m.yaml"),
    ("oci-values", "Chart.yaml", "values: oci://HOST/v"),
    (
        "container-function",
        "kustomization.yaml",
        "generators: ['{apiVersion: v1, kind: Evil, metadata: {name: e, annotations: {config.kubernetes.io/function: \"container: {image: evil, network: true}\"}}}']",
    ),
    (
        "container-transformer",
        "kustomization.yaml",
        "resources: [../good/m.yaml]\ntransformers: ['{apiVersion: v1, kind: Evil, metadata: {name: e, annotations: {config.kubernetes.io/function: \"container: {image: evil, mounts: [{type: bind, src: /, dst: /host}]}\"}}}']",
    ),
    (
        "container-validator",
        "kustomization.yaml",
        "resources: [../good/m.yaml]\nvalidators: ['{apiVersion: v1, kind: Evil, metadata: {name: e, annotations: {config.k8s.io/function: \"container: {image: evil}\"}}}']",
    ),
    (
        "starlark-function",
        "kustomization.yaml",
        "generators: ['{apiVersion: v1, kind: Evil, metadata: {name: e, annotations: {config.kubernetes.io/function: \"starlark: {path: OUTSIDE/base/m.yaml, name: e}\"}}}']",
    ),
    (
        "plugin-of-a-home",
        "kustomization.yaml",
        "generators: ['{apiVersion: evil.example.org/v1, kind: Evil, metadata: {name: e}}']",
    ),
    ("chart-of-a-server", "kustomization.yaml", "helmCharts: [{name: d, repo: 'http://HOST', version: 1.0.0}]"),
    ("chart-of-a-home", "kustomization.yaml", "helmGlobals: {chartHome: OUTSIDE}\nhelmCharts: [{name: base}]"),
    ("program-as-remote", "kustomization.yaml", "resources: ['git::ext::EVIL']"),
    ("submodule-as-base", "kustomization.yaml", "resources: [../sub]"),
    ("fine\nresources: [evil]", "m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd, namespace: default}"),
    ("--output=fine", "m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dash, namespace: default}"),
];

/// Settings of the repository that name programs, as a pipeline's `.git/config` may have them for tracked files.
const SETTINGS: [(&str, &str); 15] = [
    ("protocol.ext.allow", "always"),
    ("submodule.recurse", "true"),
    ("submodule.sub.url", "ext::EVIL"),
    ("submodule.sub.update", "!EVIL"),
    ("fetch.recurseSubmodules", "true"),
    ("url.ext::EVIL.insteadOf", "https://git.example.org/"),
    ("core.pager", "EVIL"),
    ("core.editor", "EVIL"),
    ("core.askPass", "EVIL"),
    ("core.gitProxy", "EVIL"),
    ("credential.helper", "!EVIL"),
    ("diff.external", "EVIL"),
    ("diff.evil.command", "EVIL"),
    ("merge.evil.driver", "EVIL"),
    ("gpg.program", "EVIL"),
];

/// Arguments of git for making the checkout without its programs.
const QUIET: [&str; 8] = [
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "filter.evil.clean=",
    "-c",
    "filter.evil.required=false",
];

/// A service for the commands that change files.
fn service(name: &str) -> Vec<(String, String)> {
    let overlay = |tag: &str| format!("resources: [../../base]\nimages:\n- name: acme/{name}\n  newTag: {tag}\n");
    let image = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: '{name}-p'}}\nspec: {{containers: [{{name: c, image: acme/{name}}}]}}\n"
    );
    let file = |path: &str, text: String| (format!("{name}/{path}"), text);
    vec![
        file("base/kustomization.yaml", "resources: [pod.yaml]\n".to_owned()),
        file("base/pod.yaml", image),
        file("overlays/stage/kustomization.yaml", overlay("v2")),
        file("overlays/prod/kustomization.yaml", overlay("v1")),
    ]
}

/// A repository in the checkout, which becomes a submodule, with a filter of its own and a changed file of the same size.
fn write_module(scene: &Scene, evil: &str) {
    let directory = scene.repository.path().join("module");
    std::fs::create_dir(&directory).unwrap();
    let git = |words: &[&str]| scene.repository.git(&[&["-C", "module"][..], &QUIET, words].concat());
    let write = |text: &str| std::fs::write(directory.join("m.yaml"), text).unwrap();
    git(&["init", "--quiet"]);
    write("a: 1\n");
    git(&["add", "m.yaml"]);
    git(&["commit", "--quiet", "--message", "module"]);
    git(&["config", "filter.module.clean", evil]);
    std::fs::write(directory.join(".git/info/attributes"), "* filter=module\n").unwrap();
    write("a: 2\n");
}

fn write(scene: &Scene) -> Vec<Value> {
    let (host, evil) = (scene.address(), scene.repository.path().join("evil.sh").display().to_string());
    let fill = |text: &str| {
        let text = text.replace("HOST", &host).replace("EVIL", &evil);
        text.replace("OUTSIDE", &scene.outside("").display().to_string())
    };
    let mut applications = Vec::new();
    let mut files: Vec<(String, String)> = Vec::new();
    for (index, (directory, file, text)) in DIRECTORIES.into_iter().enumerate() {
        let text = fill(text);
        let values = text.strip_prefix("values: ").map(str::to_owned);
        let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\n";
        let text = match (file, &values) {
            ("Chart.yaml", Some(_)) => chart.to_owned(),
            ("Chart.yaml", None) => format!("{chart}{text}\n"),
            _ => format!("{text}\n"),
        };
        files.push((format!("{directory}/{file}"), text));
        let spec = match values {
            Some(url) => json!({"source": {"repoURL": super::URL, "path": directory, "helm": {"valueFiles": [url]}}}),
            None => json!({}),
        };
        applications.push(application(&format!("case-{index}"), directory, spec));
    }
    files.extend([service("shop"), service("--all")].concat());
    files.push((".gitmodules".to_owned(), fill("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::EVIL\n")));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    scene.repository.write(&borrowed);
    scene.program(&scene.repository.path().join("plugins/evil.example.org/v1/evil/Evil"), "touch EXECUTED");
    // Versions of this environment are in a file out of the checkout.
    let prod = scene.repository.path().join("linked-out/overlays/prod");
    std::fs::create_dir_all(&prod).unwrap();
    symlink(scene.outside("planted"), prod.join("kustomization.yaml")).unwrap();
    for (key, value) in SETTINGS {
        scene.repository.git(&["config", key, &fill(value)]);
    }
    write_module(scene, &evil);
    std::fs::create_dir(scene.repository.path().join("sub")).unwrap();
    let head = scene.repository.git(&["rev-parse", "HEAD"]);
    let module = format!("160000,{},sub", head.trim());
    for words in [
        &["update-index", "--add", "--cacheinfo", &module][..],
        &["add", "--all", "--", ".", ":!sub"],
        &["commit", "--quiet", "--message", "cases"],
    ] {
        scene.repository.git(&[&QUIET, words].concat());
    }
    applications
}

#[test]
fn no_command_follows_a_path_out_of_a_checkout() {
    let Some(cluster) = support::start(Options::named("plan-ways-out")) else { return };
    let scene = Scene::new();
    for name in ["docker", "podman", "sops", "git-remote-evil"] {
        scene.program(&scene.outside(&format!("bin/{name}")), "touch EXECUTED");
    }
    let applications = write(&scene);
    scene.forget_programs();
    create(&cluster, applications);
    let kinds = tempfile::tempdir().unwrap();
    let kinds =
        snapshot(&kinds, "kinds.json", &[definition("rds.hostile.example.org", "Database", "databases", "Cluster")])
            .unwrap();
    let kinds = kinds.to_str().unwrap();
    // As large as before, so that only its content shows the change.
    scene.repository.write(&[("shop/base/pod.yaml", &service("shop")[1].1.replace("name: c", "name: d"))]);
    let mark = cluster.audit_mark();
    for arguments in [
        &["plan", "."][..],
        &["plan", ".", "--base", "HEAD~1", "-o", "json"],
        &["drift", "--repo", "."],
        &["bootstrap", ".", "--dry-run"],
        &["images"],
        &["promote", "stage", "prod", "--check"],
        &["promote", "stage", "prod", "--all", "--dry-run"],
        &["set-version", "prod", "shop=v3", "--dry-run"],
        &["new", "service", "b", "--like", "shop", "--dry-run"],
        &["import", "--from", kinds, "database=Old", "--set", "region=eu", "--into", "shop/base", "--dry-run"],
        &["promote", "stage", "prod", "--all", "--yes"],
        &["set-version", "prod", "shop=v3", "--yes"],
        &["new", "service", "b", "--like", "shop", "--yes"],
        &["import", "--from", kinds, "database=Old", "--set", "region=eu", "--into", "shop/base", "--yes"],
    ] {
        let output = scene.ucp(&cluster, arguments);
        let printed = format!("{}{}", stdout(&output), stderr(&output));
        scene.is_untouched(&format!("{arguments:?}: {printed}"));
        assert!(matches!(output.status.code(), Some(0..=4)), "{arguments:?}: {:?}\n{printed}", output.status);
        let leaks = ["canary-of", "of-this-machine"].into_iter().find(|text| printed.contains(text));
        assert_eq!(leaks, None, "{arguments:?}: {printed}");
        let is_forged = printed.lines().any(|line| line.trim_end() == "resources: [evil]");
        assert!(!is_forged, "{arguments:?}: {printed}");
    }
    // The commands that change files did so.
    let read = |path: &str| std::fs::read_to_string(scene.repository.path().join(path)).unwrap();
    assert!(read("shop/overlays/prod/kustomization.yaml").contains("newTag: v3"));
    assert!(read("--all/overlays/prod/kustomization.yaml").contains("newTag: v2"));
    assert!(read("shop/base/kustomization.yaml").contains("old"));
    assert!(scene.repository.path().join("b/overlays/prod/kustomization.yaml").exists());
    let harmful: Vec<_> = cluster.requests_since(mark).into_iter().filter(|request| !is_harmless(request)).collect();
    assert!(harmful.is_empty(), "{harmful:#?}");
    // helm renders files of the checkout, and fetches nothing.
    let calls = std::fs::read_to_string(scene.outside("helm-calls")).unwrap();
    let lines: Vec<_> = calls.lines().filter(|line| line.starts_with("ARGS ")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.starts_with("ARGS template ")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("://") || line.contains("m.yaml")), "{lines:#?}");
    assert!(!calls.contains("HELM_PLUGINS") && !calls.contains("canary-of"), "{calls}");
}

/// Objects that render in spite of their odd directories are in the plan: each refusal has its own reason.
#[test]
fn each_path_out_of_a_checkout_is_refused_for_its_own_reason() {
    let Some(cluster) = support::start(Options::named("plan-ways-refused")) else { return };
    let scene = Scene::new();
    create(&cluster, write(&scene));
    let plan: Value = serde_json::from_slice(&scene.ucp(&cluster, &["plan", ".", "-o", "json"]).stdout).unwrap();
    for name in ["odd", "dash"] {
        assert_eq!(super::item(&plan, "ConfigMap", name)["action"], "add");
    }
    let unread = plan["unreadable"].as_array().unwrap();
    for (index, (directory, ..)) in DIRECTORIES.into_iter().enumerate() {
        let what = format!("/case-{index} ");
        let found = unread.iter().filter(|entry| entry["what"].as_str().unwrap().contains(&what));
        let reasons: Vec<&str> = found.map(|entry| entry["reason"].as_str().unwrap()).collect();

        let expected = match directory.rsplit_once('-') {
            Some((_, "values")) => "is on another server",
            Some((_, "dependency" | "output=fine")) | None => continue,
            Some(_) if directory.starts_with("--") => continue,
            Some(_) => "",
        };
        assert!(reasons.iter().any(|reason| reason.contains(expected)), "{directory}: {reasons:?} {unread:#?}");
    }
}
