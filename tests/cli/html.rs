//! `-o html`: one file without dependencies, in which text from outside is always escaped.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use ucp::render::format::HTML;

use crate::browser::program;
use crate::gitops::Gitops;
use crate::support::command::{run, ucp, ucp_from};
use crate::support::hub::{BAD_DAY, QUOTES};

const DRIFT: &str = "tests/fixtures/drift";
/// Markup that a browser would interpret if it were not escaped.
const HOSTILE: &str =
    "</td></table><img src=x onerror=\"document.title='obeyed'\"><script>document.title='obeyed'</script>";

fn page(snapshot: &str, arguments: &[&str]) -> String {
    let ran = run(ucp_from(snapshot, arguments.iter().copied().chain(["-o", "html"])));
    assert!(matches!(ran.code, Some(0 | 1 | 4)), "{ran:?}");
    assert!(ran.stdout.starts_with("<!doctype html>") && ran.stdout.ends_with("</html>\n"), "{arguments:?}");
    ran.stdout
}

/// A file in which nothing is from elsewhere, and no script but the page's own.
fn is_alone(text: &str) {
    assert!(text.contains("Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"));
    assert_eq!((text.matches("<script").count(), text.matches("<style").count()), (1, 1));
    for tag in ["<img", "<link", "<iframe", "<a ", "<object", "<form", "@import"] {
        assert!(!text.contains(tag), "{tag}");
    }
}

#[test]
fn a_page_contains_the_rows_of_the_table() {
    let text = page(BAD_DAY, &["status"]);
    is_alone(&text);
    for part in ["Crossplane", "UCP110", "resourcerecordset.dns.gcp.crossplane.io/", "kubectl describe "] {
        assert!(text.contains(part), "{part}");
    }
    let text = page(BAD_DAY, &["resources"]);
    is_alone(&text);
    let listed = run(ucp_from(BAD_DAY, ["resources", "-o", "name"])).expect(0).stdout;
    assert!(listed.lines().count() > 20 && listed.lines().all(|name| text.contains(name)));
    assert_eq!(text.matches("<tr>").count(), listed.lines().count() + 1);
    let text = page(DRIFT, &["drift"]);
    is_alone(&text);
    assert!(text.contains("<span class=\"bad\">-    location: b</span>"), "{text}");
    let text = page(QUOTES, &["tree", "application/application-bootstrap-prod"]);
    is_alone(&text);
    assert!(text.matches("<details open>").count() > 2, "{text}");
    let both = run(ucp(["status", "--from", QUOTES, "--from", BAD_DAY, "-o", "html"])).expect(0).stdout;
    assert!(both.contains("<th scope=\"col\">Context</th>"));
}

#[test]
fn every_document_of_a_snapshot_names_it_and_its_time() {
    for arguments in
        [&["resources"][..], &["tree", "application/application-bootstrap-prod"], &["clusters"], &["conflicts"]]
    {
        let markdown = run(ucp_from(QUOTES, arguments.iter().copied().chain(["-o", "markdown"]))).stdout;
        let line = markdown.lines().last().unwrap();
        assert!(line.starts_with("<sub>snapshot ") && line.ends_with(" UTC</sub>"), "{arguments:?}: {line}");
        let line = line.trim_start_matches("<sub>").trim_end_matches("</sub>");
        if HTML.contains(&arguments[0]) {
            assert!(page(QUOTES, arguments).contains(&line.replace('\\', "")), "{arguments:?}: {line}");
        }
    }
    let snapshot = std::path::absolute(QUOTES).unwrap();
    let ran = Gitops::paper("v2", "v1").ucp(["images", "--from", snapshot.to_str().unwrap(), "-o", "markdown"]);
    let line = ran.stdout.lines().last().unwrap();
    assert!(line.starts_with("<sub>snapshot ") && line.ends_with(" UTC</sub>"), "{line}");
}

#[test]
fn images_can_be_a_page_and_commands_without_a_page_refuse_html() {
    let repository = Gitops::paper("v2", "v1");
    let ran = repository.ucp(["images", "-o", "html"]).exits(0);
    is_alone(&ran.stdout);
    assert!(ran.stdout.contains("v2") && ran.stdout.contains("prod"), "{}", ran.stdout);
    for command in ["clusters", "conflicts"] {
        let ran = run(ucp_from(QUOTES, [command, "-o", "html"])).expect(2);
        assert!(ran.stderr.contains("-o html is a page for a browser") && ran.stdout.is_empty(), "{}", ran.stderr);
        assert!(!HTML.contains(&command));
    }
}

/// Names that an API server would refuse come from a snapshot of another person, next to objects with plain names.
pub(crate) fn hostile(directory: &Path) -> String {
    let condition = |kind: &str| json!({"type": kind, "status": "False", "reason": HOSTILE, "message": HOSTILE});
    let object = |name: &str| {
        json!({
            "apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket",
            "metadata": {"name": name, "creationTimestamp": "2026-11-01T09:00:00Z", "labels": {"a": HOSTILE}},
            "spec": {"forProvider": {"region": HOSTILE}, "providerConfigRef": {"name": HOSTILE}},
            "status": {"atProvider": {"region": "other"}, "conditions": [condition("Ready"), condition("Synced")]},
        })
    };
    let items: Vec<_> = [HOSTILE, "plain", "second", "third"].into_iter().map(object).collect();
    let path = directory.join("hostile.json");
    std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn names_with_markup_are_escaped() {
    let directory = tempfile::tempdir().unwrap();
    let snapshot = hostile(directory.path());
    for command in ["status", "resources", "drift"] {
        let text = page(&snapshot, &[command]);
        is_alone(&text);
        assert!(text.contains("&lt;/td&gt;&lt;/table&gt;&lt;img"), "{command}");
    }
}

#[test]
fn a_real_browser_shows_the_page_and_executes_nothing_from_names() {
    let Some(browser) = program("the page was not shown") else { return };
    let directory = tempfile::tempdir().unwrap();
    let snapshot = hostile(directory.path());
    let file = directory.path().join("page.html");
    for command in ["status", "resources", "drift"] {
        std::fs::write(&file, page(&snapshot, &[command])).unwrap();
        let mut shown = Command::new(browser);
        shown.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]);
        shown.arg(format!("--user-data-dir={}", directory.path().join("profile").display()));
        shown.arg(format!("file://{}", file.display()));
        let output = shown.output().unwrap();
        let dom = String::from_utf8_lossy(&output.stdout);
        assert!(!dom.contains("<title>obeyed</title>") && !dom.contains("<img"), "{command}: {dom}");
        // The policy permits the page's own script.
        if command == "resources" {
            assert!(dom.contains("aria-label=\"Search this table\""), "{command}: {dom}");
        }
        if command != "drift" {
            assert!(dom.contains("<button type=\"button\">"), "{command}: {dom}");
        }
    }
}
