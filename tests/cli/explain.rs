//! `explain`: the meaning of a finding's code.

use ucp_core::engine::codes;

use crate::support::command::{run, ucp, ucp_from};
use crate::support::hub::BAD_DAY;

#[test]
fn every_code_is_listed_and_explained() {
    let mut list = ucp(["explain"]);
    list.env("COLUMNS", "80");
    let list = run(list).expect(0).stdout;
    assert!(list.starts_with("CODE     VERDICT      MEANING\n"), "{list}");
    // A title has room on 80 columns.
    assert!(list.lines().all(|line| line.chars().count() <= 80 && !line.contains('…')), "{list}");
    for code in codes() {
        let info = code.info();
        assert!(list.contains(&format!("\n{}   ", info.code)));
        let text = run(ucp(["explain", &info.code.to_lowercase()])).expect(0).stdout;
        assert!(text.starts_with(&format!("{}  {}  {}\n\n", info.code, info.verdict, info.title)), "{text}");
        // Prose is wrapped; a command is to be copied.
        let fits = |line: &str| line.starts_with("  ") || line.chars().count() <= 80;
        assert!(text.lines().all(|line| fits(line) && !line.contains("{object}")), "{text}");
    }
}

#[test]
fn every_code_of_a_finding_can_be_explained() {
    let status = run(ucp_from(BAD_DAY, ["status", "-o", "jsonpath={.findings[*].code}"])).expect(0).stdout;
    for code in status.split(' ') {
        run(ucp(["explain", code])).expect(0);
    }
}

#[test]
fn an_unknown_code_is_a_usage_error() {
    let ran = run(ucp(["explain", "UCP999"])).expect(2);
    assert!(ran.stderr.starts_with("error: unknown code 'UCP999'\nhint: 'kubectl ucp explain' lists all codes\n"));
    assert_eq!(run(ucp(["explain", "UCP104", "--no-headers", "-o", "table"])).code, Some(0));
}
