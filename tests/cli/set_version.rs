//! `set-version --file`: one file of any kind, with no repository around it.

use crate::gitops::{Gitops, Run};

struct Plain {
    repository: Gitops,
}

impl Plain {
    fn create() -> Self {
        let repository = Gitops::with(&[]);
        std::fs::create_dir(repository.outside().join("plain")).unwrap();
        Self { repository }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.repository.outside().join("plain").join(name)
    }

    fn run(&self, command: &str, name: &str, arguments: &[&str]) -> Run {
        let path = self.path(name);
        let fixed = [command, "--yes", "--file", path.to_str().unwrap()];
        self.repository.ucp(fixed.into_iter().chain(arguments.iter().copied()))
    }

    /// Sets versions in a file with this text; the text after it is the expected one.
    fn sets(&self, name: &str, before: &str, arguments: &[&str], after: &str) {
        std::fs::write(self.path(name), before).unwrap();
        self.run("set-version", name, arguments).exits(0);
        assert_eq!(std::fs::read_to_string(self.path(name)).unwrap(), after, "{arguments:?}");
        self.run("set-version", name, arguments).exits(0).prints("Nothing to do");
    }

    /// A refusal, by exit code and message; the file stays as it is.
    fn refuses(&self, command: &str, name: &str, text: &str, arguments: &[&str], code: i32, reason: &str) {
        std::fs::write(self.path(name), text).unwrap();
        self.run(command, name, arguments).exits(code).prints(reason);
        assert_eq!(std::fs::read_to_string(self.path(name)).unwrap(), text, "{arguments:?}");
    }
}

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: podinfo\nspec:\n  chart:\n    spec:\n      chart: podinfo\n      version: 6.5.0 # {\"$imagepolicy\": \"flux-system:podinfo-chart:tag\"}\n  values:\n    image:\n      repository: ghcr.io/stefanprodan/podinfo\n      tag: 6.5.0\n";

#[test]
fn a_version_is_named_by_artifact_policy_object_and_path() {
    let plain = Plain::create();
    let chart = RELEASE.replacen("version: 6.5.0", "version: 6.5.1", 1);
    for name in ["podinfo", "flux-system:podinfo-chart", ".spec.chart.spec.version"] {
        plain.sets("release.yaml", RELEASE, &[&format!("{name}=6.5.1")], &chart);
    }
    let image = RELEASE.replace("tag: 6.5.0", "tag: 6.5.1");
    for name in ["ghcr.io/stefanprodan/podinfo", ".spec.values.image.tag"] {
        plain.sets("release.yaml", RELEASE, &[&format!("{name}=6.5.1")], &image);
    }
    let path = plain.path("release.yaml").display().to_string();
    let shown = plain.repository.ucp(["set-version", "--dry-run", "--file", &path, "podinfo=7.0.0"]).exits(0);
    shown.prints(&format!("+++ b{path}\n"));
    let plan = plain.run("set-version", "release.yaml", &["podinfo=7.0.0", "-o", "json"]).exits(0).json();
    assert_eq!((&plan["changes"][0]["line"], &plan["changes"][0]["direction"]), (&9.into(), &"upgrade".into()));
    assert!(plan["warnings"][0].as_str().unwrap().contains("Flux"), "{plan}");
}

#[test]
fn every_format_keeps_the_surrounding_text() {
    let plain = Plain::create();
    plain.sets("a.json", "{\"a\": {\"dev\":\t\"1.0.0\"}}", &[".a.dev=1.1.0"], "{\"a\": {\"dev\":\t\"1.1.0\"}}");
    plain.sets(
        "a.toml",
        "[tool]\r\nversion = '1.0.0' # x",
        &[".tool.version=1.1.0"],
        "[tool]\r\nversion = '1.1.0' # x",
    );
    plain.sets(
        "versions.env",
        "# renovate: depName=a/b\nA_VERSION=v1\n",
        &["a/b=v2"],
        "# renovate: depName=a/b\nA_VERSION=v2\n",
    );
    plain.sets(
        "map.yaml",
        "data:\n  \"app.yaml\": |\n    image: {repository: a/b, tag: v1}  # x\n",
        &[".data[\"app.yaml\"]|.image.tag=v2"],
        "data:\n  \"app.yaml\": |\n    image: {repository: a/b, tag: v2}  # x\n",
    );
    plain.sets("two.yaml", "tag: v1\n---\ntag: v1\n", &[".#1.tag=v2"], "tag: v1\n---\ntag: v2\n");
    let base = "resources:\n- https://github.com/o/r//deploy?ref=v1\n";
    plain.sets("kustomization.yaml", base, &["https://github.com/o/r//deploy=v2"], &base.replace("v1", "v2"));
    let one = format!("images:\n- name: a\n  newTag: v1@sha256:{}\n", "0a".repeat(32));
    let version = format!("a=v2@sha256:{}", "0b".repeat(32));
    plain.sets("kustomization.yaml", &one, &[&version], &one.replace("v1", "v2").replace("0a", "0b"));
}

#[test]
fn names_without_a_place_or_with_several_are_refused() {
    let plain = Plain::create();
    let chart = "apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies:\n- name: prometheus\n  version: 25.0.0\n  repository: https://c\n";
    plain.refuses("set-image", "Chart.yaml", chart, &["prometheus:25.1.0"], 2, "set-version");
    plain.refuses("set-version", "Chart.yaml", chart, &["prometeus=25.1.0"], 2, "did you mean 'prometheus'?");
    plain.refuses("set-version", "Chart.yaml", chart, &["prometheus=24.0.0"], 1, "--allow-downgrade");
    plain.refuses("set-version", "Chart.yaml", chart, &[".dependencies[7].version=1"], 2, "no value at");
    plain.refuses("set-version", "Chart.yaml", chart, &["prometheus"], 2, "NAME=VERSION");
    plain.refuses("set-version", "Dockerfile.txt", "FROM a/b:v1\n", &["a/b=v2"], 1, "is not supported");
    plain.refuses("set-version", "script.sh", "VERSION=v1\n", &[".VERSION=v2"], 1, "is not supported");
    let twice = "a:\n  image: a/b:v1\nc:\n  image: a/b:v2\n";
    plain.refuses("set-version", "values.yaml", twice, &["a/b=v3"], 2, ".c.image (line 4)");
    plain.refuses("set-version", "two.yaml", "tag: v1\n---\ntag: v1\n", &[".tag=v2"], 2, ".#1.tag");
    plain.refuses("set-version", "x.yaml", "tag: \"{{ .Values.tag }}\"\n", &[".tag=v2"], 2, "template");
    plain.refuses("set-version", "x.yaml", "a: &v v1\nb: *v\n", &[".b=v2"], 2, "alias");
    plain.refuses(
        "set-version",
        "kustomization.yaml",
        "images:\n- name: a\n  newTag: v1\n",
        &["b=v2"],
        2,
        "no version of b",
    );
    let pinned = format!("image:\n  repository: a/b\n  tag: v1\n  digest: sha256:{}\n", "0a".repeat(32));
    plain.refuses("set-version", "values.yaml", &pinned, &["a/b=v2"], 1, "takes precedence over the tag");
}

#[test]
fn setting_a_range_of_versions_is_reported() {
    let plain = Plain::create();
    let text = "spec:\n  dependsOn:\n  - provider: xpkg.io/a/b\n    version: \">=v1.0.0\"\n";
    std::fs::write(plain.path("crossplane.yaml"), text).unwrap();
    plain.run("set-version", "crossplane.yaml", &["xpkg.io/a/b=>=v1.2.0"]).exits(0).prints("a range of versions");
    assert_eq!(std::fs::read_to_string(plain.path("crossplane.yaml")).unwrap(), text.replace("v1.0.0", "v1.2.0"));
}
