//! All kinds of slots in all styles of YAML: only the bytes of the version change.

use super::kinds::KINDS;
use super::{FileSlot, SlotEdit, VersionFile};
use crate::yaml::YamlError;

/// Versions before and after, which occur nowhere else.
const OLD: &str = "v1.20.3";
const NEW: &str = "v1.21.0";

/// Sample files of each kind: name, kind, and text with the value in `«»` and the version as `§`.
const SAMPLES: &[(&str, &str, &str)] = &[
    ("kustomization.yaml", "kustomize images", "images:\n- name: a/b\n  newTag: «§»\n"),
    ("kustomization.yaml", "kustomize images", "images:\n- name: a/b\n  newName: «reg:5000/c/b:§»\n"),
    ("ks.yaml", "kustomize images", "kind: Kustomization\nspec:\n  images:\n    - name: a/b\n      newTag: «§»\n"),
    ("kustomization.yaml", "kustomize helmCharts", "helmCharts:\n- name: a\n  repo: https://x.y\n  version: «§»\n"),
    (
        "kustomization.yaml",
        "remote base",
        "resources:\n- «https://github.com/o/r//deploy?ref=§&timeout=90s»\n- local\n",
    ),
    ("kustomization.yaml", "remote base", "bases:\n- «https://github.com/o/r/releases/download/§/x.yaml»\n"),
    (
        "hr.yaml",
        "HelmRelease chart",
        "kind: HelmRelease\nspec:\n  chart:\n    spec:\n      chart: a\n      version: «§»\n",
    ),
    ("hr.yaml", "HelmRelease chart", "kind: HelmRelease\nspec:\n  chart:\n    name: a\n    version: «§»\n"),
    (
        "hr.yaml",
        "Helm values",
        "kind: HelmRelease\nspec:\n  values:\n    image:\n      repository: a/b\n      tag: «§»\n",
    ),
    ("oci.yaml", "Flux source", "kind: OCIRepository\nspec:\n  ref:\n    tag: «§»\n  url: oci://a.b/c\n"),
    ("git.yaml", "Flux source", "kind: GitRepository\nspec:\n  url: https://a.b/c\n  ref:\n    branch: «§»\n"),
    ("app.yaml", "Argo CD", "kind: Application\nspec:\n  source:\n    chart: a\n    targetRevision: «§»\n"),
    (
        "app.yaml",
        "Argo CD",
        "kind: Application\nspec:\n  source:\n    kustomize:\n      images:\n        - «a/b=c/b:§»\n",
    ),
    (
        "app.yaml",
        "Helm values",
        "spec:\n  source:\n    helm:\n      parameters:\n        - name: image.tag\n          value: «§»\n",
    ),
    (
        "app.yaml",
        "version",
        "spec:\n  generators:\n    - list:\n        elements:\n          - env: prod\n            chartVersion: «§»\n",
    ),
    (
        "Chart.yaml",
        "Chart.yaml",
        "apiVersion: v2\nname: a\ndependencies:\n  - name: b\n    version: «§»\n    repository: https://c\n",
    ),
    ("Chart.yaml", "Chart.yaml", "apiVersion: v2\nname: a\nversion: «§»\n"),
    ("Chart.yaml", "Chart.yaml", "apiVersion: v2\nname: a\nappVersion: «§»\n"),
    (
        "p.yaml",
        "Crossplane package",
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nspec:\n  package: «xpkg.io/a/b:§»\n",
    ),
    ("p.yaml", "Crossplane package", "spec:\n  dependsOn:\n    - provider: xpkg.io/a/b\n      version: «§»\n"),
    ("helmfile.yaml", "chart", "releases:\n  - name: a\n    chart: b/a\n    version: «§»\n"),
    ("d.yaml", "metadata", "metadata:\n  labels:\n    app.kubernetes.io/version: «§»\n"),
    ("is.yaml", "ImageStream", "spec:\n  tags:\n    - from:\n        kind: DockerImage\n        name: «a.b/c:§»\n"),
    ("d.yaml", "image", "spec:\n  containers:\n    - name: c\n      image: «a.b:5000/c:§»\n"),
    ("x.yaml", "URL", "spec:\n  from: «https://raw.githubusercontent.com/o/r/§/x.yaml»\n"),
    ("d.yaml", "argument", "spec:\n  containers:\n    - args:\n        - «--version=§»\n"),
    ("x.yaml", "Git revision", "repo: https://a/b\nrevision: «§»\n"),
    ("ks.yaml", "Flux substitute", "kind: Kustomization\nspec:\n  postBuild:\n    substitute:\n      grafana: «§»\n"),
    ("values.yaml", "version", "grafana_version: «§»\n"),
    ("table.yaml", "table", "a:\n  dev: «§»\n  prod: v1.0.0\n"),
    ("values.yaml", "marker", "# renovate: datasource=docker depName=a/b\nwhatever: «§»\n"),
];

/// Styles of the value, except for the version.
const SCALARS: [fn(&str) -> String; 9] = [
    |value| value.to_owned(),
    |value| format!("'{value}'"),
    |value| format!("\"{value}\""),
    |value| format!("  {value}   "),
    |value| format!("{value} # why: 'a' \"b\" {{\"x\": 1}}"),
    |value| format!("&anchor {value}"),
    |value| format!("!!str {value}"),
    |value| format!("!!str \"{value}\"\t# tab"),
    |value| format!("\"{value}\"  "),
];

/// Styles of the text around the value.
const TEXTS: [fn(&str) -> String; 18] = [
    |text| text.to_owned(),
    |text| text.replace('\n', "\r\n"),
    |text| format!("\u{feff}{text}"),
    |text| text.trim_end().to_owned(),
    |text| text.trim_end().replace('\n', "\r\n"),
    |text| format!("---\n{text}"),
    |text| format!("# grüße 🦀\n---\n{text}...\n"),
    |text| format!("%YAML 1.1\n---\n{text}"),
    |text| format!("first: 1\n---\n{text}---\nlast: [1, 2]\n"),
    |text| text.replace('\n', "\n\n"),
    |text| text.replace('\n', "  \n"),
    |text| format!("#\tcomment {{{{ of a template\n{text}"),
    |text| format!("{text}zz: &all {{a: *none}}\n").replace("*none", "b"),
    |text| format!("{text}zz: 1\nzz: 2\n"),
    |text| format!("{text}zz: |\n  text: with\n   tabs\tand: [\nzy: >-\n  folded\n\n  text\n"),
    |text| format!("{text}# the end, no newline"),
    |text| format!("{text}'q u': \"esc\\\"aped \\u00fc\"\n\"tab\\t\": ü\n? explicit\n: key\n"),
    |text| format!("{text}zz: &x [1, 2]\nzy: *x\nzx:\n  <<: &m {{a: b}}\n"),
];

/// Texts that embed another text.
const HOLDERS: [fn(&str) -> String; 5] = [
    |text| format!("kind: ConfigMap\ndata:\n  other: x\n  file.yaml: |\n{}  after: x\n", indented(text, 4)),
    |text| format!("data:\n- text: |2-\n{}", indented(text, 6)),
    |text| format!("data:\n  file.yaml: |+ # keep\n{}\n  after: x\n", indented(text, 8)),
    |text| format!("data:\r\n  file.yaml: |\r\n{}", indented(text, 4).replace('\n', "\r\n")),
    |text| format!("data: {}\n", serde_json::Value::from(text)),
];

fn indented(text: &str, width: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(width))).collect()
}

fn slot_of_old(file: &VersionFile) -> Vec<FileSlot> {
    file.slots().into_iter().filter(|slot| slot.version == OLD).collect()
}

fn with(file: &VersionFile, slot: &FileSlot, version: &str) -> Result<String, YamlError> {
    file.apply_edits(&[SlotEdit::set_version(slot, version)]).map(|written| written.text)
}

pub(super) fn check(name: &str, kind: Option<&str>, text: &str) {
    let before = text.replace('§', OLD);
    let file = VersionFile::read(name, &before).unwrap_or_else(|error| panic!("{error} in\n{before}")).unwrap();
    let slots = slot_of_old(&file);
    assert_eq!(slots.len(), 1, "{kind:?} in\n{before}\n{:?}", file.slots());
    assert!(kind.is_none_or(|kind| kind == slots[0].by), "{kind:?} is {} in\n{before}", slots[0].by);
    let line = before.lines().nth(slots[0].line - 1).unwrap();
    assert!(line.contains(OLD), "line {} of\n{before}", slots[0].line);
    let after = with(&file, &slots[0], NEW).unwrap_or_else(|error| panic!("{error} in\n{before}"));
    assert_eq!(after, text.replace('§', NEW));
    let back = VersionFile::read(name, &after).unwrap().unwrap();
    let slot = back.slots().into_iter().find(|slot| slot.version == NEW).unwrap();
    assert_eq!(with(&back, &slot, OLD).unwrap(), before, "and back");
}

fn written(sample: &str, scalar: impl Fn(&str) -> String) -> String {
    let (before, rest) = sample.split_once('«').unwrap();
    let (value, after) = rest.split_once('»').unwrap();
    format!("{before}{}{after}", scalar(value))
}

#[test]
fn every_kind_has_a_sample() {
    for kind in KINDS {
        assert!(SAMPLES.iter().any(|(_, name, _)| *name == kind.name), "{}", kind.name);
    }
}

#[test]
fn only_the_version_changes_in_every_style_of_file() {
    for &(name, kind, sample) in SAMPLES {
        for scalar in SCALARS {
            for around in TEXTS {
                // An empty line separates a comment from the value that it marks.
                check(name, Some(kind).filter(|kind| *kind != "marker"), &around(&written(sample, scalar)));
            }
        }
    }
}

#[test]
fn an_object_inside_of_another_is_read_as_an_object() {
    const HEADS: [&str; 3] = [
        "apiVersion: v1\nkind: List\nitems:\n",
        "apiVersion: a.b/v1\nkind: Set\nmetadata:\n  name: a\nspec:\n  resources:\n",
        "apiVersion: a.b/v1\nkind: Composition\nspec:\n  pipeline:\n  - input:\n      resources:\n",
    ];
    for (name, kind, sample) in SAMPLES.iter().copied().filter(|(_, _, sample)| sample.starts_with("kind: ")) {
        let object = format!("apiVersion: a.b/v1\n{}", written(sample, str::to_owned));
        for head in HEADS {
            check(name, Some(kind), &format!("{head}        -\n{}", indented(&object, 12)));
            check(name, Some(kind), &format!("{head}        - base:\n{}", indented(&object, 14)));
        }
    }
}

#[test]
fn flow_style_and_json_have_the_same_slots() {
    for &(name, kind, sample) in SAMPLES {
        if kind == "marker" {
            continue;
        }
        let plain = written(sample, str::to_owned);
        let meaning: serde_json::Value = yaml_serde::from_str(&plain).unwrap();
        let compact = serde_json::to_string(&meaning).unwrap();
        let pretty = serde_json::to_string_pretty(&meaning).unwrap();
        check(name, Some(kind), &compact);
        check(name, Some(kind), &format!("{pretty}\n"));
        check(name, Some(kind), &pretty.replace("  ", "\t").replace("\": ", "\" : "));
        let json = name.replace(".yaml", ".json");
        if name != "Chart.yaml" {
            check(&json, Some(kind), &pretty);
            check(&json, Some(kind), &pretty.replace('\n', "\r\n"));
        }
    }
}

#[test]
fn text_inside_of_text_is_edited_in_its_place() {
    for &(name, kind, sample) in SAMPLES {
        for scalar in &SCALARS[..3] {
            for holder in HOLDERS {
                // A chart is recognized by its file name; an embedded one is a generic version.
                let kind = Some(kind).filter(|kind| *kind != "Chart.yaml" && *kind != "table");
                let text = holder(&written(sample, scalar));
                check(name, kind.filter(|_| !text.contains("\\n")), &text);
            }
        }
    }
}

#[test]
fn versions_in_block_scalars_are_found() {
    for &(name, kind, sample) in SAMPLES {
        // A marker comment is directly above the value, and not above its key.
        for header in ["|-", ">-", "|", ">"].into_iter().filter(|_| kind != "marker") {
            let deep = |value: &str| format!("{header}\n              {value}");
            check(name, Some(kind), &written(sample, deep));
        }
    }
}

#[test]
fn changing_an_anchor_changes_its_aliases_and_editing_an_alias_is_refused() {
    let text =
        "a:\n  image: &image\n    repository: a/b\n    tag: &tag §\nb: *image\nc:\n  repository: a/b\n  tag: *tag\n";
    check("values.yaml", None, text);
    let file = VersionFile::read("values.yaml", &text.replace('§', OLD)).unwrap().unwrap();
    let path = super::path::ValuePath::parse(".c.tag").unwrap();
    assert!(file.slot_at(&path, |_| None).unwrap_err().as_str().contains("alias"));
}

#[test]
fn new_versions_are_quoted_if_go_would_misread_them() {
    let cases = [
        ("values.yaml", "image:\n  tag: v1\n", "1.30", "image:\n  tag: \"1.30\"\n"),
        ("values.yaml", "image:\n  tag: 1.29\n", "1.28", "image:\n  tag: 1.28\n"),
        ("values.yaml", "image:\n  tag: 1.29\n", "1.30", "image:\n  tag: \"1.30\"\n"),
        // A number stays one.
        ("values.yaml", "image:\n  tag: 1.30\n", "1.31", "image:\n  tag: 1.31\n"),
        ("values.yaml", "image:\n  tag: 001\n", "2", "image:\n  tag: 2\n"),
        ("values.yaml", "image:\n  tag: '001'\n", "2", "image:\n  tag: '2'\n"),
        ("values.yaml", "image:\n  tag: 2\n", "001", "image:\n  tag: \"001\"\n"),
        ("values.yaml", "image:\n  tag: 'v1'\n", "1e3", "image:\n  tag: '1e3'\n"),
        ("values.yaml", "image:\n  tag: v1 # x\n", "0123", "image:\n  tag: \"0123\" # x\n"),
        (
            "hr.yaml",
            "spec: {chart: {spec: {chart: a, version: 1.2}}}",
            "1.3",
            "spec: {chart: {spec: {chart: a, version: \"1.3\"}}}",
        ),
        ("a.json", "{\"a\": {\"version\": 5}}", "6", "{\"a\": {\"version\": 6}}"),
        ("a.json", "{\"a\": {\"version\": 5}}", "6.1.0", "{\"a\": {\"version\": \"6.1.0\"}}"),
        ("a.env", "export A_VERSION=v1 # x\nB='y'\n", "2", "export A_VERSION=2 # x\nB='y'\n"),
        ("a.env", "A_VERSION: \"v1\"\n", "v2", "A_VERSION: \"v2\"\n"),
        (".env", "A_IMAGE=\"a/b:v1\"\r\n", "v2", "A_IMAGE=\"a/b:v2\"\r\n"),
        ("a.toml", "[tool]\nversion = 'v1' # x\n", "1.30", "[tool]\nversion = '1.30' # x\n"),
        ("a.toml", "[image]\ntag = \"v1\"", "v2", "[image]\ntag = \"v2\""),
        ("data.yaml", "data:\n  x: |\n    tag: v1\n", "1.30", "data:\n  x: |\n    tag: \"1.30\"\n"),
    ];
    for (name, before, version, after) in cases {
        let file = VersionFile::read(name, before).unwrap().unwrap();
        let slots = file.slots();
        assert_eq!(slots.len(), 1, "{before}");
        assert_eq!(with(&file, &slots[0], version).unwrap(), after);
    }
}

#[test]
fn templates_are_edited_around_their_expressions() {
    let text = "image:\n  tag: §\n{{- if .Values.x }}\nhosts:\n  {{- range .paths }}\n  - {{ . | quote }}\n  {{- end }}\n{{- end }}\nhost: {{ .host }}\n";
    check("values.yaml.gotmpl", Some("Helm values"), text);
}

#[test]
fn placeholders_are_not_slots() {
    for text in [
        "tag: \"{{ .Values.tag }}\"\n",
        "image: a/b:${TAG}\n",
        "image: a/b\n",
        "apiVersion: v1\n",
        "tag: |\n  many\n  lines\n",
    ] {
        assert!(VersionFile::read("values.yaml", text).unwrap().unwrap().slots().is_empty(), "{text}");
    }
    assert!(VersionFile::read("script.sh", "VERSION=v1\n").unwrap().is_none());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_an_edit_panic_or_change_another_place(
        text in "[ \\-:#&*!|>'\"{}\\[\\],~a-c.0-9\n\r\t\u{feff}ü]{0,60}", version in "[a-z0-9.@:~^-]{1,12}",
    ) {
        for source in [text.clone(), format!("image:\n  tag: {text}\n"), format!("data:\n  x: |\n    tag: {text}\n")] {
            let Ok(Some(file)) = VersionFile::read("values.yaml", &source) else { continue };
            for slot in file.slots() {
                let Ok(after) = with(&file, &slot, &version) else { continue };
                let again = VersionFile::read("values.yaml", &after).unwrap().unwrap();
                let same = again.slots().into_iter().find(|other| other.path == slot.path);
                proptest::prop_assert!(same.is_none_or(|same| same.value.contains(&version)), "{after}");
            }
        }
    }
}
