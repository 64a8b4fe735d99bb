//! The page for browsers.

use serde_json::json;

use super::{condition, history, incident};
use crate::browser::Browser;
use crate::support::command::CANARY;

fn page() -> String {
    let mut objects = incident();
    objects.push(json!({
        "apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "logs", "creationTimestamp": "2026-11-20T03:00:00Z"},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}},
        "status": {"conditions": [condition("Ready", "False", "Unavailable", "2026-11-20T03:10:00Z", "<img src=x>")]},
    }));
    let ran = history(&objects, &["-o", "html"]).expect(0);
    assert!(!ran.stdout.contains(CANARY) && !ran.stdout.contains("<img"), "{}", ran.stdout);
    ran.stdout
}

#[test]
fn each_occurrence_is_in_its_lane() {
    let page = page();
    let lane_of = |words: &str| {
        let line = page.lines().find(|line| line.starts_with("<li") && line.contains(words));
        let line = line.unwrap_or_else(|| panic!("no '{words}' in {page}"));
        line.split("<span class=\"lane\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    assert_eq!(lane_of("synced 2222222222"), "Git");
    assert_eq!(lane_of("was changed: spec.template.spec.containers[0].image"), "By hand");
    assert_eq!(lane_of("turned Degraded"), "Engines");
    assert_eq!(lane_of("bucket.s3.example.org/logs turned not Ready"), "Managed resources");
    assert_eq!(lane_of("turned not Available"), "Workloads");
    assert_eq!(lane_of("Events from this time may have expired"), "Gaps");
    assert!(page.contains("data-lane=\"3\">Managed resources (2)</li>"), "{page}");
}

#[test]
fn a_lane_can_be_hidden_and_the_page_fits_a_phone() {
    let Some(mut browser) = Browser::start("the timeline was not filtered") else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    std::fs::write(&file, page()).unwrap();
    browser.go(&format!("file://{}", file.display()));
    browser.until("document.querySelector('.lanes button')");
    let shown = "[...document.querySelectorAll('.timeline ol > li')].filter((line) => !line.hidden).length";
    let all = browser.value(shown).as_u64().unwrap();
    browser.click(".lanes [data-lane=\"3\"] button");
    browser.until(&format!("{shown} === {}", all - 2));
    browser.resize(360, 740);
    browser.until("document.documentElement.scrollWidth <= 360");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
