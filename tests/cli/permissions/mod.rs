//! RBAC: lists that a user may not read are unknown, and the rest is shown. With the roles of docs/permissions.md all is
//! shown, and with one entry less the missing one is reported.

mod roles;

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::json;

use crate::granted::{self, cluster_role, page};
use crate::support::command::{Ran, run, ucp, ucp_on};
use crate::support::{Cluster, hub};

/// Lets a user list some groups, or resources of them.
fn allow(cluster: &Cluster, user: &str, groups: &[&str], resources: &[&str]) {
    let name = json!({"name": user});
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": name,
            "rules": [{"apiGroups": groups, "resources": resources, "verbs": ["list"]}],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": name,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        },
    ]}));
}

fn as_user(cluster: &Cluster, user: &str, arguments: &[&str]) -> Ran {
    let mut command = ucp(arguments);
    command.env("KUBECONFIG", cluster.kubeconfig_for(user, None));
    run(command)
}

#[test]
fn forbidden_lists_are_unknown_and_the_rest_is_shown() {
    let Some(cluster) = hub::governed_quotes() else { return };
    let groups = ["container.gcp.crossplane.io", "pkg.crossplane.io", "database.aws.crossplane.io", "apps"];
    allow(cluster, "half-blind", &groups, &["*"]);
    let status = as_user(cluster, "half-blind", &["status", "-o", "json"]).expect(4);
    let is_unknown = |kind: &str| status.unknown().iter().any(|what| what == kind);
    assert!(is_unknown("networks.compute.gcp.crossplane.io") && is_unknown("applications.argoproj.io"));
    assert!(!is_unknown("clusters.container.gcp.crossplane.io"));
    assert_eq!(status.json()["counts"], json!({"OK": 7}));

    let page = as_user(cluster, "half-blind", &["status", "--exit-code"]).expect(4).stdout;
    assert!(page.contains("\nNo problems in what could be read.\n"), "{page}");
    assert!(page.contains("\nCould not be read (unknown):\n"), "{page}");
    assert!(page.contains(r#"User "half-blind" cannot list resource"#), "{page}");
    assert!(page.lines().count() < 20, "{page}");

    let list = as_user(cluster, "half-blind", &["resources"]).expect(4);
    assert_eq!(list.stdout.lines().count(), 1 + 5);
    assert!(list.stderr.starts_with("warning: could not be read (unknown): "), "{}", list.stderr);
    // The appliers of an object are part of the answer, so that gap is reported, too.
    as_user(cluster, "half-blind", &["resources", "rdsinstance", "--no-headers"]).expect(4);
}

/// A list that may not be read is not empty: without StatefulSets an application-controller is unknown.
#[test]
fn a_denied_list_of_workloads_is_not_an_absence() {
    let Some(cluster) = hub::governed_quotes() else { return };
    let all_but_stateful_sets = [
        "applications",
        "applicationsets",
        "clusters",
        "configurationrevisions",
        "configurations",
        "deployments",
        "functionrevisions",
        "functions",
        "networks",
        "nodepools",
        "providerconfigs",
        "providerrevisions",
        "providers",
        "rdsinstances",
        "resourcerecordsets",
        "subnetworks",
    ];
    allow(cluster, "no-statefulsets", &["*"], &all_but_stateful_sets);
    let status = as_user(cluster, "no-statefulsets", &["status", "-o", "json"]).expect(4).json();
    assert_eq!(status["findings"], json!([]));
    assert_eq!(status["counts"], json!({"OK": 43}));
    let argocd = status["engines"].as_array().unwrap().iter().find(|engine| engine["name"] == "Argo CD").unwrap();
    assert_eq!(argocd["verdict"], "Unknown");
    assert!(argocd["reason"].as_str().unwrap().starts_with("not all workloads could be read"), "{argocd}");
}

/// With kinds denied, an engine's row is unknown, in JSON too.
#[test]
fn a_row_with_forbidden_kinds_is_unknown() {
    let Some(cluster) = hub::governed_quotes() else { return };
    allow(cluster, "only-engines", &["apps", "pkg.crossplane.io", "argoproj.io"], &["*"]);
    let status = as_user(cluster, "only-engines", &["status", "-o", "json"]).expect(4).json();
    let rows: Vec<_> =
        status["engines"].as_array().unwrap().iter().map(|row| (&row["name"], &row["verdict"])).collect();
    assert_eq!(rows, [(&json!("Crossplane"), &json!("Unknown")), (&json!("Argo CD"), &json!("OK"))]);
    let page = as_user(cluster, "only-engines", &["status"]).expect(4).stdout;
    assert!(page.contains("more kinds could not be read\n"), "{page}");
}

#[test]
fn findings_take_precedence_over_gaps() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    allow(cluster, "half-blind", &["sql.gcp.upbound.io"], &["*"]);
    as_user(cluster, "half-blind", &["status"]).expect(4);
    as_user(cluster, "half-blind", &["status", "--exit-code"]).expect(1);
}

#[test]
fn without_any_permission_everything_is_unknown_and_nothing_is_ok() {
    let Some(cluster) = hub::governed_quotes() else { return };
    let ran = as_user(cluster, "mallory", &["status"]).expect(4);
    assert!(ran.stdout.contains("No engine was found in what could be read.\n"), "{ran:?}");
    assert!(!ran.stdout.contains("No problems.") && ran.stdout.lines().count() < 20, "{ran:?}");
    let ran = as_user(cluster, "mallory", &["resources"]).expect(4);
    assert!(ran.stderr.starts_with("No resources found in what could be read.\n"), "{ran:?}");
}

#[test]
fn a_user_with_rights_in_one_namespace_reads_that_namespace() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (group, name) = ("rbac.authorization.k8s.io", json!({"name": "tenant", "namespace": "quotes"}));
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": name,
            "rules": [{"apiGroups": ["s3.aws.m.upbound.io"], "resources": ["buckets"], "verbs": ["list"]}],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": name,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "tenant"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": "tenant"}],
        },
    ]}));
    let list = as_user(cluster, "tenant", &["resources", "bucket", "-n", "quotes", "--no-headers"]).expect(4);
    assert_eq!(list.stdout.lines().count(), 4, "{list:?}");
    let list = as_user(cluster, "tenant", &["resources", "bucket", "--no-headers"]).expect(4);
    assert_eq!(list.stdout, "");
}

/// A command line in JSON, for the admin or for a user.
fn on<'a>(cluster: &'a Cluster, arguments: &'a [&'a str]) -> impl Fn(Option<&str>) -> Command + Sync + 'a {
    move |user| {
        let mut command = ucp_on(cluster, arguments.iter().copied());
        command.args(["-o", "json"]).args(user.iter().flat_map(|user| ["--as", user]));
        command
    }
}

/// The page and the program have the same roles.
#[test]
fn the_printed_rbac_matches_the_page() {
    let printed = |arguments: &[&str]| {
        let all = [&["adopt-cluster", "--print-rbac"], arguments].concat();
        granted::entries(&run(ucp(all)).expect(0).stdout).into_iter().collect::<BTreeSet<_>>()
    };
    let homes = [Some("argocd"), Some("flux-system")];
    let mut written = page("kubectl-ucp-adopt", &homes);
    written.retain(|entry| entry.verb != "delete");
    let namespaces = [&homes[..], &[None, Some("crossplane-system")]].concat();
    let narrow = page("kubectl-ucp-clusters", &namespaces).into_iter().chain(written.clone());
    assert_eq!(printed(&["-n", "crossplane-system"]), narrow.collect());
    let wide = [cluster_role("kubectl-ucp-clusters"), cluster_role("kubectl-ucp-clusters-secrets"), written].concat();
    assert_eq!(printed(&[]), wide.into_iter().collect());
}

/// A user who only has the rights of `doctor` gets a list of the commands that will not work.
#[test]
fn doctor_reports_missing_rights_of_other_commands() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let users = granted::Users::of(cluster, &cluster_role("kubectl-ucp-doctor"), &cluster_role("kubectl-ucp-status"));
    let ran = run(on(cluster, &["doctor", "--only", "rights"])(Some(&users.full)));
    let findings = ran.json()["findings"].clone();
    let messages: Vec<_> = findings.as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    assert!(
        messages
            .iter()
            .any(|text| text.starts_with("rights that 'kubectl ucp snapshot' needs are missing: list everything")),
        "{messages:?}"
    );
    assert!(!messages.iter().any(|text| text.contains("'kubectl ucp status'")), "{messages:?}");
    let admin = run(on(cluster, &["doctor", "--only", "rights"])(None));
    assert_eq!(admin.json()["findings"], serde_json::json!([]), "{admin:?}");
}

/// A role whose entries no test removes may have any entries.
#[test]
fn every_role_of_the_page_is_tested() {
    let tests = [
        include_str!("roles.rs"),
        include_str!("../adopt_permissions.rs"),
        include_str!("../bootstrap/rights.rs"),
        include_str!("../plan/compositions/forwarded.rs"),
        include_str!("../plan/permissions.rs"),
        include_str!("../running_elsewhere.rs"),
        include_str!("../secrets/permissions.rs"),
        include_str!("../secrets/sync.rs"),
    ];
    for name in granted::names() {
        assert!(tests.iter().any(|test| test.contains(&format!("\"{name}\""))), "{name}");
    }
}

#[test]
fn a_missing_right_is_reported_with_the_command_that_prints_it() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    for (arguments, role) in [
        (&["status"][..], "kubectl-ucp-status"),
        (&["resources"], "kubectl-ucp-resources"),
        (&["drift"], "kubectl-ucp-drift"),
        (&["clusters"], "kubectl-ucp-clusters"),
    ] {
        let ran = as_user(cluster, "stranger", arguments).expect(4);
        assert!(ran.stderr.contains(&format!("'kubectl ucp {} --print-rbac'", arguments[0])), "{ran:?}");
        assert!(cluster_role(role).iter().all(|entry| entry.verb == "list"));
    }
}
