//! Every command that reads and answers, with each list that it reads failing in each way: never a clean answer. The matrix
//! is made of the requests of a run without faults, and printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::support::command::{Ran, run};
use crate::support::hub;
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::weather::through;

/// Commands whose answer is clean on a healthy hub.
const COMMANDS: [&[&str]; 5] = [
    &["teardown", "rdsinstance/aws-database-postgres-instance"],
    &["conflicts"],
    &["doctor", "--severity", "error", "--only", "packages"],
    &["drift", "rdsinstances"],
    &["wait", "--all", "--timeout", "4s"],
];
/// Lists of each command that fail, spread over all that it reads.
const LISTS: usize = 2;
/// Where the lists begin that a command reads and does not need for this answer: packages depend on nothing of these.
const NOT_NEEDED: [(&str, &str); 2] = [("doctor", "/api/v1/"), ("doctor", "/apis/admissionregistration.k8s.io/")];

fn faults(path: &str) -> Vec<(&'static str, Rule)> {
    let mut faults = vec![
        ("403", Rule::on(path, Fault::forbidden())),
        ("500", Rule::on(path, Fault::internal_error())),
        ("timeout", Rule::on(path, Fault::Hang)),
        ("truncated", Rule::on(path, Fault::CutBody)),
        ("empty", Rule::on(path, Fault::empty())),
    ];
    if let Some(group) = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next()) {
        faults.push(("unlisted", Rule::at("/apis", Fault::Unlisted(group.to_owned()))));
    }
    faults
}

fn asked(arguments: &[&str], rule: Option<Rule>) -> Option<(Ran, Proxy)> {
    let proxy = Proxy::start(hub::quotes()?).unwrap();
    rule.into_iter().for_each(|rule| proxy.add(rule));
    let flags = ["--request-timeout", "1s"];
    Some((run(through(&proxy, &[arguments, &flags].concat())), proxy))
}

#[test]
fn a_list_that_fails_is_never_a_clean_answer() {
    let (mut table, mut clean) = (String::new(), Vec::new());
    for arguments in COMMANDS {
        let Some((healthy, proxy)) = asked(arguments, None) else { return };
        let mut paths: Vec<String> = proxy
            .seen()
            .into_iter()
            .filter(|seen| seen.method == "GET" && seen.uri.contains("limit="))
            .map(|seen| seen.uri.split('?').next().unwrap_or_default().to_owned())
            .collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| {
            !NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
        });
        assert!(!paths.is_empty(), "{arguments:?} lists nothing: {healthy:?}");
        let step = paths.len().div_ceil(LISTS);
        let _ = writeln!(table, "{} (healthy: {:?}, {} lists)", arguments.join(" "), healthy.code, paths.len());
        for path in paths.iter().step_by(step) {
            let mut cells: BTreeMap<&str, Option<i32>> = BTreeMap::new();
            for (name, rule) in faults(path) {
                let Some((ran, _proxy)) = asked(arguments, Some(rule)) else { return };
                if ran.code == Some(0) {
                    clean.push(format!("{} {path} {name}", arguments.join(" ")));
                }
                cells.insert(name, ran.code);
            }
            let cells: Vec<String> =
                cells.iter().map(|(name, code)| format!("{name} {}", code.unwrap_or(-1))).collect();
            let _ = writeln!(table, "  {path}: {}", cells.join(", "));
        }
    }
    println!("{table}");
    assert!(clean.is_empty(), "clean answers:\n{}\n{table}", clean.join("\n"));
}

#[test]
fn a_cluster_without_an_engine_is_not_checked() {
    let directory = tempfile::tempdir().unwrap();
    let config =
        serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}});
    let path = crate::support::objects::snapshot(&directory, "app.json", &[config]).unwrap();
    for arguments in [&["status", "--exit-code"][..], &["drift"], &["doctor"]] {
        let mut command = crate::support::command::ucp(arguments.iter().copied());
        command.arg("--from").arg(&path);
        let ran = run(command).expect(4);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("core cluster?"), "{arguments:?}: {ran:?}");
    }
}
