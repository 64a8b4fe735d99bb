//! The ways out of a checkout that `helm`, `kustomize` and `git` have, by name. Each is in a directory of the repository that an
//! Application deploys, or in the configuration of the repository.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::hostile::Scene;
use super::{application, create};
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

/// Objects that render in spite of their odd directories are in the plan: what is refused is refused for its reason.
#[test]
fn each_way_out_is_refused_for_its_reason() {
    let Some(cluster) = support::start(Options::named("plan-ways-refused")) else { return };
    let scene = Scene::new();
    create(&cluster, write(&scene));
    scene.forget_programs();
    let plan: Value = serde_json::from_slice(&scene.ucp(&cluster, &["plan", ".", "-o", "json"]).stdout).unwrap();
    scene.is_untouched("plan");
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
