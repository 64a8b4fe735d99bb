//! `-o jsonpath`: the output of kubectl for the same object.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use ucp::render::{DetailLevel, HeaderVisibility, OutputFormat, Report, TableStyle, render};
use ucp_core::error::{ErrorKind, Result};

/// Between templates, where many are asked of kubectl at once.
const SEPARATOR: &str = "\n=====\n";

/// Templates that kubectl must render to the same bytes.
const TEMPLATES: &[&str] = &[
    "plain text",
    "{@}",
    "{$}",
    "{}",
    "{.}",
    "kind is {.kind}, name {.metadata.name}",
    "{$.metadata.name} {@.metadata.name} {['metadata']['name']} {['metadata.name']}",
    "{.spec.list[*].name}",
    "{.spec.list[*]['name','size']}",
    "{.spec.list[0,2].name}",
    "{.spec.list[0].name}{.spec.list[-1].name}{.spec.list[-2:].name}",
    "{.spec.list[1:].name}|{.spec.list[:2].name}|{.spec.list[::2].name}|{.spec.list[0:3:2].name}|{.spec.list[].name}",
    "{.spec.list[1:1].name}|{.spec.list[5:5].name}",
    "{.spec.list.name}",
    "{.spec.list}",
    "{.spec.list[*]}",
    "{.spec.map}",
    "{.spec.html}|{.spec.holder}",
    "{.spec.unicode}|{.spec.lines}|{.spec.tab}",
    "{.spec.integer} {.spec.negative} {.spec.large} {.spec.float} {.spec.million} {.spec.tiny} {.spec.yes} {.spec.no}",
    "{.spec.numbers}",
    "{.spec.empty.list}|{.spec.empty.map}|{.spec.empty.text}|",
    "{.nothing}|{.nothing.at.all}|{.spec.nothing[0]}|{.metadata.name.deeper}|{.nothing[?(@.a)]}|{.nothing.*}",
    r"{.metadata.labels.app\.kubernetes\.io/name}",
    r"{.metadata.labels['app\.kubernetes\.io/name']}",
    "{.metadata.labels['app.kubernetes.io/name']}|",
    "{.spec.single.*}|{.spec.single..inner}|{..inner}",
    "{..unknown}|{.spec.single.text.*}",
    r#"{.spec.list[?(@.name=="two")].size}"#,
    "{.spec.list[?(@.name=='two')].size}",
    r#"{.spec.list[?(@.name!="two")].name}"#,
    r#"{.spec.list[?(@.name == "two")].size}"#,
    "{.spec.list[?(@.size>1)].name}|{.spec.list[?(@.size>=2)].name}|{.spec.list[?(@.size<2)].name}|{.spec.list[?(@.size<=2)].name}",
    "{.spec.list[?(@.ready)].name}|{.spec.list[?(@.ready==true)].name}|{.spec.list[?(@.ready!=true)].name}",
    "{.spec.list[?(@.owner.kind==@.kind)].name}",
    r#"{.spec.list[?(@.note=="a) b")].name}"#,
    r#"{.spec.conditions[?(@.type=="Ready")].status}"#,
    r#"{.spec.list[?(@.tags[0]=="a")].name}"#,
    r#"{range .spec.list[*]}{.name}{"\t"}{.size}{"\n"}{end}"#,
    "{range .spec.list[*]}[{.name}{range .tags[*]} {@}{end}]{end} done",
    "{range .spec.list[*]}{range .tags[*]}{@}{end}{end}{range .spec.list[1:]}{.name}{end}",
    "{range .spec.nothing[*]}never{end}after{range .spec.empty.list[*]}never{range .a}never{end}{end}!",
    r#"{"quoted"}{'single'}{"\"\\x"}{"\u00e9\x41\101"}{1}{2.50}{-3}{true}"#,
    "{.spec.list[0].name }{ .spec.list[1].name}",
    "{.metadata.name .kind}|{.spec.html 'x'}",
    "} [ ] ' \" text",
];

/// Templates that do not fit the object, for kubectl and for us.
const UNFIT: &[&str] = &[
    "{.spec.list[3].name}",
    "{.spec.list[-4].name}",
    "{.spec.list[0:9]}",
    "{.spec.list[2:1]}",
    "{.spec.list[::0]}",
    "{.spec.empty.list[0]}",
    "{.spec.map[0]}",
    "{.spec.map[?(@.a)]}",
    r#"{.spec.list[?(@.size=="2")]}"#,
    "{.spec.list[?(@.tags==1)]}",
    "{.spec.list[?(@.size==@..name)]}",
    "{.spec.list[?(@.ready<true)]}",
];

/// Templates that kubectl refuses for every object: for some of them, only while it evaluates them.
const MALFORMED: &[&str] = &[
    "{.metadata",
    "{.spec.list[0}",
    "{.spec.list[x]}",
    r#"{.spec.list["name"]}"#,
    r#"{"open}"#,
    r#"{"\q"}"#,
    "{.spec.list[?(@.a}",
    "{...a....b}",
    "{#}",
    "{1.2.3}",
    "{name}",
    "{.kind}{end}",
    "{.spec.list[?(@.size=2)]}",
];

/// One of every sort of value. Objects that templates list by `*` or `..` have one field: kubectl has no order there.
fn object() -> Value {
    json!({
        "apiVersion": "test.ucp/v1",
        "kind": "Sample",
        "metadata": {"name": "sample", "labels": {"app.kubernetes.io/name": "label"}},
        "spec": {
            "list": [
                {"name": "one", "size": 1, "ready": true, "tags": ["a", "b"], "kind": "X", "owner": {"kind": "X"}},
                {"name": "two", "size": 2, "ready": false, "tags": ["c"], "kind": "Y", "owner": {"kind": "X"}},
                {"name": "three", "size": 3, "tags": ["a"], "note": "a) b"},
            ],
            "conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}],
            "map": {"b": 1, "a": "x", "C": null},
            "single": {"text": {"inner": "AZ"}},
            "html": "<a href=\"x\">&</a>",
            "holder": {"html": "<&>", "separator": "\u{2028}", "bell": "\u{7}\u{8}\u{c}", "quote": "\"\\/"},
            "unicode": "größe ✓ 語",
            "lines": "one\ntwo\n",
            "tab": "a\tb",
            "integer": 1_000_000, "negative": -7, "large": 9_007_199_254_740_993_i64,
            "float": 2.5, "million": 1_234_567.5, "tiny": 0.000_001_5, "yes": true, "no": false,
            "numbers": [1, 1.5, 1_234_567.5, 0.000_000_15, 1e21],
            "empty": {"list": [], "map": {}, "text": ""},
        },
    })
}

/// kubectl's own answer, without a server: a patch that changes nothing, of a local object.
fn kubectl(object: &Value, output: &str) -> Option<Output> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("object.json");
    std::fs::write(&file, object.to_string()).unwrap();
    let ran = Command::new("kubectl")
        .args(["patch", "--local", "--type=merge", "--patch={}", "--filename"])
        .arg(&file)
        .arg(format!("--output={output}"))
        .env("KUBECONFIG", directory.path().join("none"))
        .stdin(Stdio::null())
        .output();
    match ran {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && std::env::var("CI").as_deref() != Ok("true") => {
            let _ = writeln!(std::io::stderr(), "COMPARISON WITH KUBECTL DID NOT RUN: there is no kubectl on the PATH");
            None
        }
        Err(error) => panic!("kubectl does not start: {error}"),
    }
}

/// An object as a report.
#[derive(serde::Serialize)]
struct Document(Value);

impl Report for Document {
    fn table(&self, _: &TableStyle) -> String {
        String::new()
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn markdown(&self) -> String {
        String::new()
    }
}

fn ours(object: &Value, output: &str) -> Result<String> {
    let format: OutputFormat =
        OutputFormat::parse(output, |path| std::fs::read_to_string(path)).map_err(ucp_core::error::Error::usage)?;
    let style = TableStyle { width: None, detail: DetailLevel::Normal, headers: HeaderVisibility::Shown };
    render(&Document(object.clone()), &format, &style)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn templates_render_as_kubectl_renders_them() {
    let object = object();
    let Some(theirs) = kubectl(&object, &format!("jsonpath={}", TEMPLATES.join(SEPARATOR))) else { return };
    assert!(theirs.status.success(), "{}", text(&theirs.stderr));
    let theirs = text(&theirs.stdout);
    let theirs: Vec<_> = theirs.split(SEPARATOR).collect();
    assert_eq!(theirs.len(), TEMPLATES.len());
    for (template, theirs) in TEMPLATES.iter().zip(theirs) {
        assert_eq!(ours(&object, &format!("jsonpath={template}")).unwrap(), theirs, "{template}");
    }
}

#[test]
fn an_unclosed_range_continues_as_in_kubectl() {
    let object = object();
    for template in [r#"{range .spec.list[*]}{.name}{"\n"}"#, "{range .spec.list[*]}{range .tags[*]}{@}{end}{.kind}"] {
        let output = format!("jsonpath={template}");
        let Some(theirs) = kubectl(&object, &output) else { return };
        assert_eq!(ours(&object, &output).unwrap(), text(&theirs.stdout), "{template}");
    }
}

#[test]
fn jsonpath_as_json_matches_kubectl() {
    let object = object();
    let output = "jsonpath-as-json={.spec.list}{.spec.list[*].name}{.nothing}text{.spec.empty}{.spec.numbers}";
    let Some(theirs) = kubectl(&object, output) else { return };
    assert_eq!(ours(&object, output).unwrap(), text(&theirs.stdout));
}

#[test]
fn templates_fail_where_kubectl_fails() {
    let object = object();
    let unfit = UNFIT.iter().map(|template| (template, ErrorKind::Failed));
    let malformed = MALFORMED.iter().map(|template| (template, ErrorKind::Usage));
    for (template, kind) in unfit.chain(malformed) {
        let output = format!("jsonpath={template}");
        let Some(theirs) = kubectl(&object, &output) else { return };
        assert!(!theirs.status.success(), "{template}: {}", text(&theirs.stdout));
        assert_eq!(ours(&object, &output).unwrap_err().kind(), kind, "{template}");
    }
}
