//! `teardown` of several core clusters at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sources::{Contexts, from, sources_at};
use crate::support::hub::{BAD_DAY, QUOTES};

/// An object of both hubs.
const IN_BOTH: &str = "application/aws-database";
/// An object of the one hub alone.
const IN_ONE: &str = "database/quotes-orders";

fn commands(plan: &Value) -> Vec<String> {
    let steps = plan["steps"].as_array().unwrap().iter();
    let commands = steps.flat_map(|step| step["commands"].as_array().unwrap());
    commands.map(|command| command.as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_plan_is_the_same_as_alone_and_the_worst_comes_first() {
    for target in ["--all", IN_BOTH] {
        let mut firsts = BTreeSet::new();
        for order in [[QUOTES, BAD_DAY], [BAD_DAY, QUOTES]] {
            let ran = from(&order, &["teardown", target, "-o", "json"]);
            let list = ran.json();
            assert_eq!((&list["kind"], &list["absent"]), (&json!("TeardownPlanList"), &json!([])));
            let items = list["items"].as_array().unwrap();
            assert_eq!(items.len(), 2);
            for item in items {
                let path = item["source"]["path"].as_str().unwrap();
                let alone = from(&[path], &["teardown", target, "-o", "json"]);
                assert!(ran.code == Some(1) || alone.code != Some(1), "{path}");
                let alone = alone.json();
                for field in ["targets", "counts", "items", "steps", "unreadable"] {
                    // Commands of this program name their source among several.
                    let text = item[field].to_string().replace(&format!(" --from {path}"), "");
                    assert_eq!(text, alone[field].to_string(), "{path} {field}");
                }
            }
            firsts.insert(items[0]["source"]["path"].as_str().unwrap().to_owned());
            let stuck = |item: &Value| (item["counts"]["stuck"].as_u64(), item["counts"]["orphaned"].as_u64());
            assert!(stuck(&items[0]) >= stuck(&items[1]), "{list}");
        }
        // Of the one object, both have as many.
        assert!(firsts.len() == 1 || target != "--all", "{target}: {firsts:?}");
    }
    let text = from(&[QUOTES, BAD_DAY], &["teardown", IN_BOTH]).stdout;
    assert!(text.starts_with("CONTEXT ") && text.contains(&format!("\n{QUOTES}\nWith application")), "{text}");
    let page = from(&[QUOTES, BAD_DAY], &["teardown", IN_BOTH, "-o", "markdown"]).stdout;
    assert!(page.contains(&format!("## {QUOTES}\n")) && page.contains(&format!("## {BAD_DAY}\n")), "{page}");
}

#[test]
fn sources_without_the_object_are_listed_and_an_unknown_object_is_an_error() {
    let both = |arguments: &[&str]| from(&[QUOTES, BAD_DAY], &[&["teardown"], arguments].concat());
    let list = both(&[IN_ONE, "-o", "json"]).json();
    assert_eq!(sources_at(&list["items"]), BTreeSet::from([BAD_DAY.to_owned()]));
    assert_eq!(sources_at(&list["absent"]), BTreeSet::from([QUOTES.to_owned()]));
    let text = both(&[IN_ONE]).stdout;
    assert!(text.contains(&format!("\n{QUOTES}: no kind is called 'database'\n")), "{text}");
    let row = text.lines().find(|line| line.starts_with(QUOTES)).unwrap_or_default();
    assert!(row.split_whitespace().skip(1).all(|cell| cell == "-"), "{text}");
    assert!(both(&["application/nothing"]).expect(3).stderr.contains("application/nothing does not exist"));
    // In addition to an existing object, too.
    let ran = both(&[IN_ONE, "application/nothing"]).expect(3);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("application/nothing does not exist in any"),
        "{}",
        ran.stderr
    );
    let ran = both(&["nothing"]).expect(3);
    assert_eq!(ran.stderr.matches("error: nothing does not exist").count(), 1, "{}", ran.stderr);
}

#[test]
fn unreadable_clusters_are_not_empty_and_commands_name_their_cluster() {
    let Some(contexts) = Contexts::start() else { return };
    let all = |of: &str, arguments: &[&str]| contexts.run_for(of, &[&["teardown"], arguments].concat());
    let list = all("hangs,well,denies,ill", &[IN_BOTH, "-o", "json"]).json();
    assert_eq!(sources_at(&list["items"]), BTreeSet::from(["ill".to_owned(), "well".to_owned()]));
    let unread = sources_at(&list["unreadable"]);
    assert!(unread.is_superset(&BTreeSet::from(["hangs".to_owned(), "denies".to_owned()])), "{unread:?}");
    assert_eq!(list["absent"], json!([]));

    // A deletion in the wrong cluster cannot be taken back.
    for target in [IN_BOTH, "--all"] {
        let list = all("well,ill", &[target, "-o", "json"]).json();
        for plan in list["items"].as_array().unwrap() {
            let place = plan["source"]["context"].as_str().unwrap();
            let lines = commands(plan);
            assert!(!lines.is_empty());
            for line in lines {
                // In an app cluster, which the line names.
                if line.contains(" -A # in ") {
                    assert!(!line.contains("context"), "{line}");
                    continue;
                }
                let asks = ["kubectl ", "flux ", "helm "].map(|program| line.matches(program).count());
                assert_eq!(line.matches(&format!("context {place}")).count(), asks.iter().sum::<usize>(), "{line}");
            }
        }
    }
    let text = all("hangs,well,denies", &[IN_BOTH]).stdout;
    let row = text.lines().find(|line| line.starts_with("hangs")).unwrap_or_default();
    assert!(
        row.split_whitespace().skip(1).all(|cell| cell == "?") && text.contains("\n  hangs: the cluster: "),
        "{text}"
    );
    // It may be in a cluster that could not be read.
    let ran = all("hangs,well", &["application/nothing"]).expect(3);
    assert!(ran.stderr.contains("does not exist") && ran.stderr.contains("hangs: "), "{}", ran.stderr);
    let ran = all("denies", &[IN_BOTH]).expect(3);
    assert!(
        ran.stdout.is_empty() && !ran.stderr.contains("application 'aws-database' does not exist\n"),
        "{}",
        ran.stderr
    );
}
