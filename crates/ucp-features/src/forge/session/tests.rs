use super::change::{add_listed, judge_open};
use super::ensure::describes;
use super::error::{LONGEST_REASON, server_reason};
use super::*;
use crate::forge::scope::BRANCHES;

fn opened(number: u64, scope: &ChangeScope, source: &str) -> PullRequest {
    PullRequest::opened(number, source, scope.write_body("", "", 60_000))
}

fn scope(services: &[&str]) -> ChangeScope {
    ChangeScope {
        environment: Some("prod".to_owned()),
        services: services.iter().map(|name| (*name).to_owned()).collect(),
        ..ChangeScope::default()
    }
}

#[test]
fn the_pull_request_of_the_branch_is_updated_and_smaller_ones_are_replaced() {
    let (echo, both) = (scope(&["echo"]), scope(&["echo", "web"]));
    let source = both.branch("main");
    let open = vec![
        opened(1, &echo, &echo.branch("main")),
        opened(2, &both, &source),
        opened(3, &scope(&["api"]), "ucp/pr/x"),
    ];
    let standing = judge_open(open, &both, &source, "main").unwrap();
    assert_eq!(standing.current.map(|one| one.number), Some(2));
    assert_eq!(standing.superseded.iter().map(|one| one.number).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_oldest_of_several_pull_requests_is_kept() {
    let echo = scope(&["echo"]);
    let source = echo.branch("main");
    for numbers in [[1, 2, 3], [3, 1, 2], [2, 3, 1]] {
        let open = numbers.iter().map(|number| opened(*number, &echo, &source)).collect();
        let standing = judge_open(open, &echo, &source, "main").unwrap();
        let mut doubles: Vec<u64> = standing.doubles.iter().map(|one| one.number).collect();
        doubles.sort_unstable();
        assert_eq!((standing.current.map(|one| one.number), doubles), (Some(1), vec![2, 3]));
    }
}

#[test]
fn a_pull_request_is_not_replaced_by_a_part_of_it() {
    let (echo, both) = (scope(&["echo"]), scope(&["echo", "web"]));
    let refused = judge_open(vec![opened(1, &both, &both.branch("main"))], &echo, &echo.branch("main"), "main");
    assert!(matches!(refused, Err(ForgeError::Overlap(one, _)) if one.number == 1));
}

#[test]
fn pull_requests_of_others_are_left_alone() {
    let (echo, both) = (scope(&["echo"]), scope(&["echo", "web"]));
    let source = both.branch("main");
    let fork = PullRequest { is_own_repository: false, ..opened(1, &both, &source) };
    let person = opened(2, &echo, "feature/echo");
    let elsewhere = PullRequest { target: "release".to_owned(), ..opened(3, &echo, &echo.branch("main")) };
    let other = PullRequest { body: String::new(), ..opened(4, &echo, &format!("{BRANCHES}stage/by-hand")) };
    let standing = judge_open(vec![fork, person, elsewhere, other], &both, &source, "main").unwrap();
    assert!(standing.current.is_none() && standing.superseded.is_empty(), "{standing:?}");
}

#[test]
fn a_pull_request_with_replaced_text_blocks_a_new_one() {
    let (echo, both) = (scope(&["echo"]), scope(&["echo", "web"]));
    let replaced = PullRequest { body: "By hand.".to_owned(), ..opened(4, &echo, &echo.branch("main")) };
    let source = both.branch("main");
    let refused = judge_open(vec![replaced.clone()], &both, &source, "main");
    assert!(matches!(&refused, Err(ForgeError::Unmarked(one)) if one.number == 4), "{refused:?}");
    // Its own change, and one that is open already, are updated.
    let own = judge_open(vec![replaced.clone()], &echo, &echo.branch("main"), "main").unwrap();
    assert_eq!(own.current.map(|one| one.number), Some(4));
    let open = judge_open(vec![replaced, opened(5, &both, &source)], &both, &source, "main").unwrap();
    assert!(open.current.is_some_and(|one| one.number == 5) && open.superseded.is_empty());
}

#[test]
fn a_pull_request_on_two_pages_counts_once() {
    let echo = scope(&["echo"]);
    let mut listed = Vec::new();
    for number in [3, 2, 2, 1, 3] {
        add_listed(&mut listed, opened(number, &echo, &echo.branch("main")));
    }
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [3, 2, 1]);
}

#[test]
fn messages_of_servers_are_short_and_without_secrets() {
    let reason = |value: Value| server_reason(&value);
    assert_eq!(
        reason(serde_json::json!({"message": "Validation Failed", "errors": [{"message": "No commits"}]})).unwrap(),
        "Validation Failed: No commits"
    );
    assert_eq!(reason(serde_json::json!({"type": "error", "error": {"message": "no"}})).unwrap(), "no");
    assert_eq!(reason(serde_json::json!({"message": ["a", "b"]})).unwrap(), "[\"a\",\"b\"]");
    assert_eq!(reason(serde_json::json!([{"message": "disabled"}])).unwrap(), "disabled");
    assert_eq!(reason(serde_json::json!({"message": ""})), None);
    assert!(reason(serde_json::json!({"message": "x".repeat(5000)})).unwrap().len() <= LONGEST_REASON);
}

#[test]
fn a_text_with_details_describes_the_same_change() {
    let mine = scope(&["echo"]);
    let text = |description: &str| mine.write_body("By hand.", description, 60_000);
    assert!(describes(&text("| v2 |\n\nCommits: 3"), &text("| v2 |")));
    assert!(describes(&text("| v2 |").replace('\n', "\r\n"), &text("| v2 |")));
    assert!(!describes(&text("| v3 |\n\nCommits: 3"), &text("| v2 |")));
}
