//! `doctor` of several core clusters at once.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::sources::{Contexts, from, sources_at};
use crate::support::hub::{BAD_DAY, QUOTES};

/// Findings as they are where nothing but one source was asked.
fn bare(findings: &[Value], path: &str) -> Vec<Value> {
    let of = findings.iter().filter(|finding| finding["source"]["path"] == path || finding.get("source").is_none());
    let bare = |finding: &Value| {
        let mut finding = finding.clone();
        finding.as_object_mut().unwrap().remove("source");
        let flag = format!(" --from {path}");
        let hint = finding["hint"].as_str().unwrap();
        finding["hint"] = hint.strip_suffix(&flag).unwrap_or(hint).into();
        finding
    };
    of.map(bare).collect()
}

#[test]
fn each_source_has_the_same_findings_as_alone_and_errors_come_first() {
    for order in [[QUOTES, BAD_DAY], [BAD_DAY, QUOTES]] {
        let both = from(&order, &["doctor", "-o", "json"]).expect(1).json();
        let findings = both["findings"].as_array().unwrap();
        for path in order {
            let alone = from(&[path], &["doctor", "-o", "json"]).json();
            assert_eq!(bare(findings, path), *alone["findings"].as_array().unwrap(), "{path}");
        }
        let severities: Vec<_> = findings.iter().map(|finding| finding["severity"].as_str().unwrap()).collect();
        let rank = |severity: &&str| ["error", "warning", "info"].iter().position(|known| known == severity);
        assert!(severities.is_sorted_by_key(rank) && severities.len() > 2, "{severities:?}");
        // For a snapshot, reading commands get the flag, and commands without it do not.
        let hints = findings.iter().filter_map(|finding| finding["hint"].as_str());
        assert!(hints.filter(|hint| !hint.starts_with("kubectl ucp ")).all(|hint| !hint.contains("--from")));

        let text = from(&order, &["doctor"]).expect(1).stdout;
        let rows: Vec<_> = text.lines().take(3).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(rows, ["CONTEXT", BAD_DAY, QUOTES], "{text}");
        assert!(text.contains(&format!("ERROR UCP101 {BAD_DAY}  ")) && text.contains("checks in 2 core clusters, "));
        let wide = from(&order, &["doctor", "-o", "wide"]).expect(1).stdout;
        assert!(wide.contains(&format!("{BAD_DAY}: Passed: ")) && wide.contains(&format!("{QUOTES}: Passed: ")));
        let page = from(&order, &["doctor", "-o", "markdown"]).expect(1).stdout;
        assert!(
            page.contains("| Context | Severity |") && page.contains(&format!("\n| {BAD_DAY} | error |")),
            "{page}"
        );
        assert!(page.contains(&format!("Not known: {QUOTES}: ")), "{page}");
    }
    let alone = from(&[QUOTES], &["doctor"]).stdout;
    assert!(!alone.contains("CONTEXT") && !alone.contains(QUOTES) && !alone.contains("core cluster"), "{alone}");
}

#[test]
fn a_typo_is_reported_once_before_the_first_request() {
    let ran = from(&[QUOTES, BAD_DAY], &["doctor", "--only", "upgrades"]).expect(2);
    assert_eq!(ran.stderr.matches("is called 'upgrades'").count(), 1, "{}", ran.stderr);
}

#[test]
fn clusters_that_hang_or_deny_are_never_a_clean_answer() {
    let Some(contexts) = Contexts::start() else { return };
    let all = |of: &str, arguments: &[&str]| contexts.run_for(of, &[&["doctor"], arguments].concat());
    let document = all("well,hangs,denies,ill", &["-o", "json"]).expect(1).json();
    assert_eq!(document["sources"].as_array().unwrap().len(), 4);
    let places = sources_at(&document["findings"]);
    assert!(places.contains("ill") && !places.contains("hangs"), "{places:?}");
    let unread = sources_at(&document["unreadable"]);
    assert!(unread.is_superset(&BTreeSet::from(["hangs".to_owned(), "denies".to_owned()])), "{unread:?}");
    // A fix is for the cluster of its finding, in every part of the command.
    for finding in document["findings"].as_array().unwrap() {
        let (hint, place) = (finding["hint"].as_str().unwrap(), finding["source"]["context"].as_str().unwrap());
        let commands = hint.matches("kubectl ").count();
        assert_eq!(hint.matches(&format!("--context {place}")).count(), commands, "{hint}");
    }

    let text = all("well,hangs,denies,ill", &[]).expect(1).stdout;
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let cells = |name: &str| row(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells("hangs"), ["hangs", "-", "-", "-", "all", "-"], "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("ill ") && text.contains("\n  hangs: the cluster: "), "{text}");

    // No finding is an error, and one cluster does not answer.
    let only = ["--only", "upgrade-path"];
    let ran = all("well,hangs", &only).expect(4);
    assert!(ran.stdout.contains("Nothing found. Of 1 check in 1 of 2 core clusters, "), "{}", ran.stdout);
    all("well", &only).expect(0);
    all("hangs", &[]).expect(3);
}
