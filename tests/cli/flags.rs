//! Flags that every command is given: one that a command cannot heed is refused, whichever it is, and nothing is done.

use clap::{Arg, Command};
use ucp::cli::heed::{supported_flags, supports_flag};

use crate::command_lists::REQUIRED_ARGUMENTS;
use crate::gitops::Gitops;
use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY, QUOTES};

fn commands() -> Vec<Command> {
    let mut command = ucp::cli::command();
    command.build();
    command.get_subcommands().filter(|command| command.get_name() != "help").cloned().collect()
}

/// The flags that clap hands to every command.
fn globals(command: &Command) -> Vec<Arg> {
    command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect()
}

fn value(arg: &Arg) -> Option<&'static str> {
    Some(match arg.get_id().as_str() {
        _ if !arg.get_action().takes_values() => return None,
        "output" => "json",
        "request_timeout" => "1s",
        "impersonate_extra" | "selector" => "a=b",
        "verbosity" => "0",
        "color" => "never",
        _ => "x",
    })
}

#[test]
fn a_flag_that_a_command_does_not_support_is_refused() {
    let mut refused = 0;
    for command in commands() {
        let name = command.get_name();
        let more = REQUIRED_ARGUMENTS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, more)| more);
        for arg in globals(&command).iter().filter(|arg| !supports_flag(&[name], arg.get_id().as_str())) {
            let flag = format!("--{}", arg.get_long().unwrap());
            let words = [name].into_iter().chain(more.iter().copied()).chain([flag.as_str()]).chain(value(arg));
            let ran = run(ucp(words)).expect(2);
            let is_reported = ran.stderr.starts_with(&format!("error: '{name}"))
                && ran.stderr.contains(&format!("does not support {flag}"));
            assert!(is_reported && ran.stdout.is_empty(), "{name} {flag}: {ran:?}");
            refused += 1;
        }
    }
    assert!(refused > 40, "only {refused}");
}

#[test]
fn a_flag_that_requires_another_flag_is_refused_without_it() {
    let repository = Gitops::paper("v2", "v1");
    let refused = |arguments: &[&str], flag: &str, why: &str| {
        let ran = repository.ucp(arguments).exits(2);
        let expected = format!("error: '{}' does not support {flag} {why}", arguments[0]);
        assert!(ran.stderr.starts_with(&expected) && ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
    };
    refused(&["images", "-n", "default"], "--namespace", "without --running");
    refused(&["images", "-A"], "--all-namespaces", "without --running");
    refused(&["images", "--as", "jane"], "--as", "without --running");
    refused(&["images", "--external-controllers", "argocd"], "--external-controllers", "without --running");
    let promote = ["promote", "stage", "prod", "--all", "--dry-run"];
    for (given, flag) in [
        (&["--context", "core"][..], "--context"),
        (&["--from", "x"], "--from"),
        (&["-n", "default"], "--namespace"),
        (&["--no-verify", "--kubeconfig", "x"], "--kubeconfig"),
    ] {
        refused(&[&promote, given].concat(), flag, "without --verify");
    }
    refused(&[&promote[..], &["--message", "x"]].concat(), "--message", "without --commit");
    refused(&["set-image", "stage", "echo=v3", "--message", "x", "--yes"], "--message", "without --commit");
    refused(&["set-version", "stage", "echo=v3", "--message", "x", "--yes"], "--message", "without --commit");
    refused(&["version", "--client", "--context", "core"], "--context", "with --client");
    refused(&["drift", "--from", QUOTES, "--repo-url", "x"], "--repo-url", "without --repo");
    refused(&["drift", "--from", QUOTES, "--render-timeout", "1m"], "--render-timeout", "without --repo");
    refused(&["teardown", "--all", "--from", QUOTES, "--repo-url", "x"], "--repo-url", "without --merge");
    refused(&["bootstrap", "--from", QUOTES], "--from", "without --rehearse");
    refused(&["ui", "--from", QUOTES, "--port", "0"], "--port", "without --web");
    let rehearse = ["bootstrap", "--rehearse", "--from", QUOTES];
    for (flag, value) in [
        ("--secret-env", Some("a/b=C")),
        ("--secret-file", Some("a/b=c")),
        ("--timeout", Some("1m")),
        ("--argocd-namespace", Some("x")),
        ("--flux-namespace", Some("x")),
        ("--allow-exec", None),
        ("--allow-localhost", None),
    ] {
        refused(&rehearse.into_iter().chain([flag]).chain(value).collect::<Vec<_>>(), flag, "with --rehearse");
    }
    let adopt = ["adopt-cluster", "prod", "--dry-run"];
    refused(&[&adopt[..], &["--auth", "aws", "--token-ttl", "1h"]].concat(), "--token-ttl", "without --auth");
    refused(&[&adopt[..], &["--engine", "flux", "--shard", "1"]].concat(), "--shard", "without --engine argocd");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    // Where .ucp.yaml asks the cluster, they count.
    let snapshot = repository.outside().join("empty.yaml");
    std::fs::write(&snapshot, "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n").unwrap();
    repository.write(".ucp.yaml", "verify: {}\n");
    let from = ["--from", snapshot.to_str().unwrap()];
    repository.ucp([&promote[..], &from].concat()).exits(1).prints("no Application or Kustomization deploys");
}

#[test]
fn help_lists_exactly_the_supported_flags() {
    for command in commands() {
        let name = command.get_name();
        assert!(supported_flags(&[name]).is_some(), "{name} does not declare its flags");
        for arg in globals(&command) {
            let id = arg.get_id().as_str();
            if id != "cache_dir" {
                assert_eq!(arg.is_hide_set(), !supports_flag(&[name], id), "{name} {id}");
            }
        }
    }
    let help = run(ucp(["explain", "--help"])).expect(0).stdout;
    assert!(help.contains("--output") && !help.contains("--kubeconfig"), "{help}");
}

#[test]
fn flags_are_accepted_before_and_after_the_command() {
    run(ucp(["--context", "x", "explain"])).expect(2);
    run(ucp(["explain", "--no-pager", "-q"])).expect(0);
}

fn bad_day(arguments: &[&str]) -> Ran {
    run(ucp_from(BAD_DAY, arguments.iter().copied()))
}

#[test]
fn status_with_a_selector_only_counts_matching_objects() {
    let all = bad_day(&["status", "-o", "json"]).expect(0).json();
    let some = bad_day(&["status", "-l", "service=gke", "-o", "json"]).expect(0).json();
    assert_eq!(some["selector"], "service=gke");
    let total = |status: &serde_json::Value| {
        status["counts"].as_object().unwrap().values().map(|number| number.as_u64().unwrap()).sum::<u64>()
    };
    let listed = bad_day(&["resources", "-l", "service=gke", "-o", "name"]).expect(0).stdout.lines().count() as u64;
    assert_eq!(total(&some), listed);
    assert!(total(&some) > 0 && total(&some) < total(&all));
    let findings = |status: &serde_json::Value| status["findings"].as_array().unwrap().len();
    assert!(findings(&some) < findings(&all));
}

#[test]
fn a_selector_that_matches_nothing_is_no_success() {
    for format in ["table", "markdown"] {
        let ran = bad_day(&["status", "-l", "team=nobody", "-o", format]).expect(0);
        assert!(!ran.stdout.contains("No problems") && ran.stdout.contains("No objects match"), "{ran:?}");
    }
    bad_day(&["status", "-l", "team=nobody", "--exit-code"]).expect(4);
    let ran = run(ucp_from(QUOTES, ["status", "-l", "a=b=c"])).expect(2);
    assert!(ran.stderr.contains("'a=b=c' is not a label selector"), "{ran:?}");
}

#[test]
fn all_namespaces_takes_precedence_over_namespace() {
    let names = |more: &[&str]| bad_day(&[&["resources", "-o", "name"], more].concat()).expect(0).stdout;
    assert_ne!(names(&["-n", "elsewhere"]), names(&[]));
    assert_eq!(names(&["-n", "elsewhere", "-A"]), names(&[]));
    assert_eq!(names(&["-n", "elsewhere", "-A=true"]), names(&[]));
    assert_eq!(names(&["-n", "elsewhere", "--all-namespaces=false"]), names(&["-n", "elsewhere"]));
}

#[test]
fn every_reading_command_prints_its_rights() {
    let kubeconfig = "/nonexistent";
    for command in commands().iter().filter(|command| supports_flag(&[command.get_name()], "print_rbac")) {
        let name = command.get_name();
        let more = REQUIRED_ARGUMENTS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, more)| more);
        let words = [name].into_iter().chain(more.iter().copied()).chain(["--print-rbac", "--kubeconfig", kubeconfig]);
        let ran = run(ucp(words)).expect(0);
        let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&ran.stdout).unwrap();
        assert!(documents.iter().any(|document| document["rules"].is_array()), "{name}: {}", ran.stdout);
    }
    let with_kinds = bad_day(&["status", "--print-rbac"]).expect(0).stdout;
    assert!(with_kinds.contains("name: kubectl-ucp-crossplane") && with_kinds.contains("- container.gcp.upbound.io"));
    let watching = bad_day(&["status", "--watch", "--print-rbac"]).expect(0).stdout;
    assert!(watching.contains("[list, watch]"), "{watching}");
}

/// The parsed roles of `--print-rbac`, and the commands that bind them.
fn printed_roles(command: &[&str]) -> (Vec<serde_json::Value>, Vec<String>, String) {
    let text = run(ucp([command, &["--print-rbac", "--kubeconfig", "/nonexistent"]].concat())).expect(0).stdout;
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&text).unwrap();
    let commands = text.lines().filter_map(|line| line.strip_prefix("# kubectl ")).map(str::to_owned).collect();
    (documents, commands, text)
}

/// A user who follows the printed commands has all printed roles, each in its cluster and namespace.
#[test]
fn every_printed_role_is_bound_as_its_kind_in_its_namespace() {
    for command in [
        &["status"][..],
        &["resources", "--any"],
        &["tree"],
        &["history"],
        &["ui"],
        &["wait"],
        &["drift"],
        &["teardown"],
        &["clusters"],
        &["secrets"],
        &["secrets", "sync"],
        &["images"],
        &["release-cluster"],
        &["doctor"],
        &["mcp"],
    ] {
        let (roles, mut commands, text) = printed_roles(command);
        for role in &roles {
            let (name, namespace) =
                (role["metadata"]["name"].as_str().unwrap(), role["metadata"]["namespace"].as_str());
            let binding = match namespace {
                Some(namespace) => {
                    format!("create rolebinding {name} --namespace={namespace} --role={name} --user=USER")
                }
                None => format!("create clusterrolebinding {name} --clusterrole={name} --user=USER"),
            };
            let elsewhere = if name.contains("-app") { " --context=APP-CLUSTER" } else { "" };
            let position = commands.iter().position(|line| *line == format!("{binding}{elsewhere}"));
            commands.remove(position.unwrap_or_else(|| panic!("{command:?}: {binding}: {text}")));
        }
        assert!(commands.is_empty(), "{command:?}: {commands:?}");
    }
    // A role in block style, which this cluster's kinds make.
    let text = bad_day(&["status", "--print-rbac"]).expect(0).stdout;
    assert!(text.contains(" kubectl-ucp-crossplane --clusterrole=kubectl-ucp-crossplane --user=USER\n"), "{text}");
}

#[test]
fn a_printed_role_that_can_read_all_secrets_has_a_warning() {
    for (command, is_open) in [("tree", true), ("ui", true), ("clusters", true), ("status", false), ("drift", false)] {
        let (_, _, text) = printed_roles(&[command]);
        assert_eq!(text.contains("can read all values of all Secrets in all namespaces"), is_open, "{text}");
    }
}

/// Only kinds that are followed are watched: no Secrets and no ConfigMaps.
#[test]
fn printed_roles_grant_watch_only_for_watched_kinds() {
    for command in [&["ui"][..], &["status", "--watch"], &["history", "--watch"], &["resources", "--watch", "--any"]] {
        let (roles, _, text) = printed_roles(command);
        let rules: Vec<_> = roles.iter().flat_map(|role| role["rules"].as_array().unwrap()).collect();
        let watched = rules.iter().filter(|rule| rule["verbs"].to_string().contains("watch"));
        let resources: String = watched.map(|rule| rule["resources"].to_string()).collect();
        assert!(resources.contains("providers") && resources.contains("deployments"), "{text}");
        assert!(!resources.contains("secrets") && !resources.contains("configmaps"), "{command:?}: {text}");
    }
}

#[test]
fn drift_of_a_nonexistent_object_is_an_error_with_a_suggestion() {
    let ran = bad_day(&["drift", "nodepool/nope"]).expect(3);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("nodepool \"nope\" not found"), "{ran:?}");
    let ran = run(ucp_from(QUOTES, ["drift", "nodepool/gcp-k8s-np-pord"])).expect(3);
    assert!(ran.stderr.contains("did you mean 'gcp-k8s-np-prod'?"), "{ran:?}");
}

#[test]
fn explanations_are_documents() {
    let one = run(ucp(["explain", "UCP110", "-o", "json"])).expect(0).json();
    assert_eq!((&one["apiVersion"], &one["kind"]), (&"ucp/v1".into(), &"Explanation".into()));
    assert_eq!((&one["items"][0]["code"], &one["items"][0]["verdict"]), (&"UCP110".into(), &"Failed".into()));
    let all = run(ucp(["explain", "-o", "name"])).expect(0).stdout;
    assert!(all.lines().count() > 20 && all.lines().any(|line| line == "UCP110"), "{all}");
}

#[test]
fn help_of_a_command_is_its_help() {
    let asked = run(ucp(["help", "status"])).expect(0).stdout;
    assert_eq!(asked, run(ucp(["status", "--help"])).expect(0).stdout);
    run(ucp(["help", "nonsense"])).expect(2);
}

/// The same cause has the same words and the same exit code, whichever command meets it.
#[test]
fn an_unreachable_server_is_the_same_error_for_all_commands() {
    for command in ["status", "resources", "drift", "clusters", "images --running", "version", "plan"] {
        let words = || command.split(' ').chain(["--request-timeout", "5s"]);
        let ran = run(ucp(words().chain(["--server", "http://127.0.0.1:1"]))).expect(3);
        assert!(
            ran.stderr.contains("cannot reach http://127.0.0.1:1: nothing listens there (connection refused)"),
            "{ran:?}"
        );
        assert!(!ran.stderr.contains("client error") && !ran.stderr.contains("ServiceError"), "{ran:?}");
        let ran = run(ucp(words().chain(["--server", "https://no-such-host.invalid"]))).expect(3);
        assert!(ran.stderr.contains("its host name cannot be resolved"), "{command}: {ran:?}");
        let ran = run(ucp(words().chain(["--context", "nowhere"]))).expect(2);
        assert!(ran.stderr.contains("context 'nowhere' is not in "), "{command}: {ran:?}");
    }
}

#[test]
fn the_reason_for_a_rejected_certificate_is_reported() {
    let Some(cluster) = hub::quotes() else { return };
    let status =
        |more: &[&str]| run(ucp(["status", "--server", &cluster.server()].into_iter().chain(more.iter().copied())));
    let unknown = status(&[]).expect(3);
    assert!(
        unknown.stderr.contains("its certificate is signed by an authority that is not trusted here"),
        "{unknown:?}"
    );
    let mut named = ucp_on(cluster, ["status", "--tls-server-name", "elsewhere.example.org"]);
    named.env("NO_COLOR", "1");
    let named = run(named).expect(3);
    assert!(named.stderr.contains("its certificate is for another name"), "{named:?}");
    let plain = run(ucp(["status", "--server", &cluster.server().replace("https://", "http://")])).expect(3);
    assert!(plain.stderr.starts_with("error: cannot "), "{plain:?}");
}

/// Duplicates that a person may have typed, or that a script put together by mistake.
#[test]
fn duplicate_objects_and_keys_on_standard_input_are_reported() {
    let bucket = |more: &str| {
        format!(
            "apiVersion: s3.aws.upbound.io/v1\nkind: Bucket\nmetadata: {{name: logs{more}}}\n\
             spec: {{forProvider: {{}}}}\nstatus: {{conditions: [{{type: Ready, status: 'True'}}, {{type: Synced, status: 'True'}}]}}\n"
        )
    };
    let read = |text: String| run_with_input(ucp(["resources", "--from", "-"]), text);
    let once = read(bucket("")).expect(0);
    assert_eq!(once.stderr, "");
    let twice = read(format!("{}---\n{}", bucket(""), bucket(", labels: {a: b}"))).expect(0);
    assert_eq!(twice.stdout, once.stdout);
    assert!(
        twice.stderr.contains("bucket.s3.aws.upbound.io/logs occur more than once; the last one is used"),
        "{twice:?}"
    );
    let keys = read(format!("{}spec: {{forProvider: {{}}}}\n", bucket(""))).expect(0);
    assert!(keys.stderr.contains("standard input:") && keys.stderr.contains("a key occurs twice"), "{keys:?}");
}
