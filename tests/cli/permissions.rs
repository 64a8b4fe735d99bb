//! RBAC: what a user may not list is unknown, and the rest is shown.

use serde_json::json;

use crate::support::Cluster;
use crate::support::command::{Ran, run, ucp};
use crate::support::hub;

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
fn what_may_not_be_listed_is_unknown_and_the_rest_is_shown() {
    let Some(cluster) = hub::quotes() else { return };
    let groups = ["container.gcp.crossplane.io", "pkg.crossplane.io", "database.aws.crossplane.io", "apps"];
    allow(cluster, "half-blind", &groups, &["*"]);
    let status = as_user(cluster, "half-blind", &["status", "-o", "json"]).expect(4);
    let is_unknown = |kind: &str| status.unknown().iter().any(|what| what == kind);
    assert!(is_unknown("networks.compute.gcp.crossplane.io") && is_unknown("applications.argoproj.io"));
    assert!(!is_unknown("clusters.container.gcp.crossplane.io"));
    assert_eq!(status.json()["counts"], json!({"OK": 7}));

    let page = as_user(cluster, "half-blind", &["status", "--exit-code"]).expect(4).stdout;
    assert!(page.contains("\nNo problems in what could be read.\n"), "{page}");
    assert!(page.contains("\nCould not be read, so it is unknown:\n"), "{page}");
    assert!(page.contains(r#"User "half-blind" cannot list resource"#), "{page}");
    assert!(page.lines().count() < 20, "{page}");

    let list = as_user(cluster, "half-blind", &["resources"]).expect(4);
    assert_eq!(list.stdout.lines().count(), 1 + 5);
    assert!(list.stderr.starts_with("warning: could not be read, so it is unknown: "), "{}", list.stderr);
    // Who applied it is part of the answer, so that gap is one, too.
    as_user(cluster, "half-blind", &["resources", "rdsinstance", "--no-headers"]).expect(4);
}

#[test]
fn findings_count_for_more_than_gaps() {
    let Some(cluster) = hub::bad_day() else { return };
    allow(cluster, "half-blind", &["dns.gcp.crossplane.io"], &["*"]);
    as_user(cluster, "half-blind", &["status"]).expect(4);
    as_user(cluster, "half-blind", &["status", "--exit-code"]).expect(1);
}

#[test]
fn without_any_permission_nothing_is_well_and_all_is_unknown() {
    let Some(cluster) = hub::quotes() else { return };
    let ran = as_user(cluster, "mallory", &["status"]).expect(4);
    assert!(ran.stdout.contains("No engine was found in what could be read.\n"), "{ran:?}");
    assert!(!ran.stdout.contains("No problems.") && ran.stdout.lines().count() < 20, "{ran:?}");
    let ran = as_user(cluster, "mallory", &["resources"]).expect(4);
    assert!(ran.stderr.starts_with("No resources found in what could be read.\n"), "{ran:?}");
}

#[test]
fn who_may_read_one_namespace_reads_that() {
    let Some(cluster) = hub::bad_day() else { return };
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
    assert_eq!(list.stdout.lines().count(), 3, "{list:?}");
    let list = as_user(cluster, "tenant", &["resources", "bucket", "--no-headers"]).expect(4);
    assert_eq!(list.stdout, "");
}
