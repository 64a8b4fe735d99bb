//! One grammar for objects on the command line: every command takes NAME, KIND NAME and KIND/NAME, and finds an object in another
//! namespace. Errors of the command line end with the help of their own command.

use crate::support::command::{Ran, run, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY};

/// Commands that take objects, with flags that let them end at once on a cluster.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("tree", &[]),
    ("history", &["--all"]),
    ("resources", &[]),
    ("drift", &[]),
    ("teardown", &[]),
    ("wait", &["--timeout", "0"]),
];

/// The forms of one object.
const FORMS: [&[&str]; 4] = [
    &["edge-gateway"],
    &["application", "edge-gateway"],
    &["application/edge-gateway"],
    &["applications.argoproj.io/edge-gateway"],
];

fn names(ran: &Ran) -> bool {
    ran.stdout.contains("edge-gateway") && matches!(ran.code, Some(0 | 1 | 4)) && !ran.stderr.contains("not found")
}

#[test]
fn every_command_accepts_every_form_of_a_name_in_a_snapshot() {
    for (command, more) in COMMANDS.into_iter().filter(|(command, _)| *command != "wait") {
        for form in FORMS {
            let words = [command].into_iter().chain(form.iter().copied()).chain(more.iter().copied());
            let ran = run(ucp_from(BAD_DAY, words.chain(["-o", "json"])));
            assert!(names(&ran), "{command} {form:?}: {ran:?}");
        }
        let ran = run(ucp_from(BAD_DAY, [command, "no-such-name"]));
        assert!(ran.code != Some(0) && ran.stderr.contains("no-such-name"), "{command}: {ran:?}");
    }
}

#[test]
fn every_command_accepts_every_form_of_a_name_on_a_cluster() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    for (command, more) in COMMANDS {
        for form in FORMS {
            let words = [command].into_iter().chain(form.iter().copied()).chain(more.iter().copied());
            let ran = run(ucp_on(cluster, words.chain(["-o", "json"])));
            assert!(names(&ran), "{command} {form:?}: {ran:?}");
        }
        let words = [command, "application/edge-gateway", "-n", "nope"].into_iter().chain(more.iter().copied());
        let ran = run(ucp_on(cluster, words));
        assert!(ran.stderr.contains("it is in argocd: use -n argocd"), "{command}: {ran:?}");
        assert!(!ran.stderr.contains("did you mean"), "{command}: {ran:?}");
    }
}

#[test]
fn an_object_in_another_namespace_is_found_there() {
    for (command, _) in COMMANDS.into_iter().filter(|(command, _)| *command != "wait") {
        let ran = run(ucp_from(BAD_DAY, [command, "application/edge-gateway", "-n", "nope"])).expect(3);
        assert!(ran.stderr.contains("it is in argocd: use -n argocd"), "{command}: {ran:?}");
        assert!(!ran.stderr.contains("did you mean"), "{command}: {ran:?}");
    }
    let ran = run(ucp_from(BAD_DAY, ["tree", "edge-gateway", "-n", "nope"])).expect(3);
    assert!(!ran.stderr.contains("did you mean") && ran.stderr.contains("use -n argocd"), "{ran:?}");
}

#[test]
fn several_objects_are_named_at_once() {
    let ran = run(ucp_from(BAD_DAY, ["resources", "quotes-audit", "quotes-images", "-o", "name"])).expect(0);
    assert_eq!(ran.stdout, "bucket.s3.aws.m.upbound.io/quotes-audit\nbucket.s3.aws.m.upbound.io/quotes-images\n");
    let ran = run(ucp_from(BAD_DAY, ["teardown", "bucket", "quotes-audit", "quotes-images", "-o", "name"]));
    assert!(ran.stdout.contains("quotes-audit") && ran.stdout.contains("quotes-images"), "{ran:?}");
}

#[test]
fn usage_errors_end_with_the_help_of_their_command() {
    for (words, usage, help) in [
        (&["status", "--nope"][..], "Usage: kubectl ucp status [OPTIONS]", "kubectl ucp status --help"),
        (&["status", "x"], "Usage: kubectl ucp status [OPTIONS]", "kubectl ucp status --help"),
        (
            &["secrets", "sync", "--nope"],
            "Usage: kubectl ucp secrets sync [OPTIONS]",
            "kubectl ucp secrets sync --help",
        ),
        (&["-n", "team-a", "drift", "--nope"], "Usage: kubectl ucp drift [OPTIONS]", "kubectl ucp drift --help"),
        (&["tree", "--from"], "", "kubectl ucp tree --help"),
        (&["wait", "--timeout", "soon"], "", "kubectl ucp wait --help"),
        (&["frobnicate"], "Usage: kubectl ucp [OPTIONS] <COMMAND>", "kubectl ucp --help"),
    ] {
        let ran = run(ucp(words)).expect(2);
        assert!(ran.stderr.contains(usage), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(&format!("\nSee '{help}'.\n")), "{words:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("For more information"), "{words:?}: {}", ran.stderr);
    }
    let ran = run(ucp(["status", "--verbos=1"])).expect(2);
    assert!(!ran.stderr.contains("'--v'"), "{}", ran.stderr);
    let ran = run(ucp(["resources", "--onyl", "Failed"])).expect(2);
    assert!(ran.stderr.contains("'--only'"), "{}", ran.stderr);
}
