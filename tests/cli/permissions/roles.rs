//! With the roles of docs/permissions.md all is shown, and with one entry less the missing one is reported.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{as_user, on};
use crate::gitops::Gitops;
use crate::granted::{self, Entry, check, cluster_role, page};
use crate::support::command::{run, ucp_on};
use crate::support::{self, Cluster, Options, hub};

/// The role that the page's own commands make, once for all tests of the cluster: of two at a time, one would fail.
fn crossplane(cluster: &Cluster) -> Vec<Entry> {
    static ROLE: OnceLock<Vec<Entry>> = OnceLock::new();
    let make = || {
        let script = granted::blocks("bash").concat();
        let mut bash = Command::new("bash");
        let made = bash.args(["-euc", &script]).env("KUBECONFIG", cluster.kubeconfig()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let role = cluster.kubectl(["get", "clusterrole", "kubectl-ucp-crossplane", "-o", "json"]).output().unwrap();
        granted::entries(&String::from_utf8(role.stdout).unwrap())
    };
    ROLE.get_or_init(make).clone()
}

#[test]
fn status_and_resources_need_every_entry_of_their_roles() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let crossplane = crossplane(cluster);
    let groups: BTreeSet<&str> = crossplane.iter().map(|entry| entry.group.as_str()).collect();
    assert!(groups.contains("s3.aws.m.upbound.io") && groups.contains("platform.example.org"), "{groups:?}");
    assert!(!groups.contains("") && !groups.contains("*"), "{groups:?}");
    let (status, projects) = without_projects("kubectl-ucp-status");
    let status = [status, crossplane.clone()].concat();
    check(cluster, "status", &status, &projects, "customresourcedefinitions", &on(cluster, &["status"]));
    let (resources, projects) = without_projects("kubectl-ucp-resources");
    let given = [crossplane, projects].concat();
    check(cluster, "resources", &resources, &given, "", &on(cluster, &["resources"]));
}

#[test]
fn any_needs_every_entry_of_its_role_and_the_printed_role_is_enough() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let any = cluster_role("kubectl-ucp-any");
    for command in ["status", "resources"] {
        let asked = [command, "--any"];
        let printed = run(ucp_on(cluster, [command, "--any", "--print-rbac"])).expect(0).stdout;
        let given: Vec<Entry> = granted::entries(&printed).into_iter().filter(|entry| !any.contains(entry)).collect();
        check(cluster, command, &any, &given, "", &on(cluster, &asked));
        let denied = as_user(cluster, "nobody-at-all", &asked).stderr;
        assert!(denied.contains(&format!("'kubectl ucp {command} --any --print-rbac'")), "{denied}");
    }
}

#[test]
fn tree_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let given = [cluster_role("kubectl-ucp-status"), crossplane(cluster)].concat();
    let tree = ["tree", "clusters.container.gcp.crossplane.io/gcp-k8s-prod"];
    check(cluster, "tree", &cluster_role("kubectl-ucp-tree"), &given, "", &on(cluster, &tree));
}

/// A role in two parts. AppProjects are asked for only if several namespaces have settings of Argo CD, so that nothing shows that
/// the right to list them is missing here.
fn without_projects(name: &str) -> (Vec<Entry>, Vec<Entry>) {
    cluster_role(name).into_iter().partition(|entry| entry.resource != "appprojects")
}

#[test]
fn history_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let given = [cluster_role("kubectl-ucp-status"), crossplane(cluster)].concat();
    // Events of other tests come and go on this cluster: they are older than a second.
    let history = ["history", "--since", "1s"];
    let role = cluster_role("kubectl-ucp-history");
    let users = granted::Users::of(cluster, &role, &given);
    let full = run(on(cluster, &history)(Some(&users.full))).expect(0);
    assert_eq!(full.json()["unreadable"], json!([]), "{full:?}");
    let unreported = granted::unreported(&users, &on(cluster, &history), |_, ran| {
        ran.code == Some(4) && ran.stdout.contains("Events could not be read")
    });
    assert!(unreported.is_empty(), "{unreported:?}");
    let role = cluster_role("kubectl-ucp-history-object");
    let given = [given, cluster_role("kubectl-ucp-history"), cluster_role("kubectl-ucp-tree")].concat();
    let users = granted::Users::of(cluster, &role, &given);
    let history = ["history", "deployment/crossplane", "-n", "crossplane-system"];
    run(on(cluster, &history)(Some(&users.full))).expect(0);
    let unreported = granted::unreported(&users, &on(cluster, &history), |entry, ran| {
        ran.code == Some(4) && entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr))
    });
    assert!(unreported.is_empty(), "{unreported:?}");
}

#[test]
fn history_needs_every_entry_for_objects_that_failures_mention() {
    let Some(cluster) = support::start(Options::named("history-rights")) else { return };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "nodeName": "worker", "serviceAccountName": "web", "containers": [{"name": "web", "image": "example.org/web"}],
            "volumes": [
                {"name": "login", "secret": {"secretName": "login"}}, {"name": "files", "configMap": {"name": "files"}},
                {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
            ],
        },
    });
    cluster.apply(&pod);
    cluster.apply(&json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "policy", "namespace": "default"},
        "spec": {"selector": {"app": "policy"}, "ports": [{"port": 443}]},
    }));
    let account = "User \"system:serviceaccount:default:web\" cannot list resource \"pods\" in API group \"\"";
    let messages = [
        "exceeded quota: compute, requested: pods=1; failed calling webhook \"a.example.org\": Post \"https://policy.default.svc:443/\": EOF; unable to create new content \
         in namespace default because it is being terminated; pods \"web\" is forbidden: minimum memory usage per Container \
         is 1Gi; no matches for kind \"Widget\" in version \"example.org/v1\""
            .to_owned(),
        format!("{account} in the namespace \"default\""),
        format!("{account} at the cluster scope"),
    ];
    let kinds = ["Ready", "ContainersReady", "Initialized"].into_iter().zip(messages);
    let conditions: Vec<Value> = kinds
        .map(|(kind, message)| json!({"type": kind, "status": "False", "reason": "Failed", "message": message}))
        .collect();
    let status = json!({"status": {"conditions": conditions}}).to_string();
    let patched =
        cluster.kubectl(["patch", "pod", "web", "--subresource=status", "--type=merge", "-p", &status]).output();
    assert!(patched.unwrap().status.success());
    let history = ["history", "pod/web", "-n", "default"];
    let role = cluster_role("kubectl-ucp-history-mentioned");
    let roles = ["kubectl-ucp-status", "kubectl-ucp-history", "kubectl-ucp-tree", "kubectl-ucp-history-object"];
    let given: Vec<Entry> = roles.into_iter().flat_map(cluster_role).collect();
    let users = granted::Users::of(&cluster, &role, &given);
    let full = run(on(&cluster, &history)(Some(&users.full)));
    assert_eq!(full.json()["unreadable"], json!([]), "{full:?}");
    let unreported = granted::unreported(&users, &on(&cluster, &history), |entry, ran| {
        ran.code == Some(4) && entry.is_named_in(&format!("{}{}", ran.stdout, ran.stderr))
    });
    assert!(unreported.is_empty(), "{unreported:?}");
}

#[test]
fn wait_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (role, projects) = without_projects("kubectl-ucp-wait");
    let (mut lists, watches): (Vec<Entry>, Vec<Entry>) = role.into_iter().partition(|entry| entry.verb == "list");
    lists.retain(|entry| entry.resource != "*");
    let flux = cluster_role("kubectl-ucp-wait").into_iter().filter(|entry| entry.resource == "*");
    let given = [watches, crossplane(cluster), flux.collect(), projects].concat();
    // One look: who may list and not watch is tested with `wait` itself.
    check(cluster, "wait", &lists, &given, "", &on(cluster, &["wait", "--all", "--timeout", "0"]));
}

#[test]
fn drift_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (role, projects) = without_projects("kubectl-ucp-drift");
    let given = [crossplane(cluster), projects].concat();
    check(cluster, "drift", &role, &given, "events customresourcedefinitions", &on(cluster, &["drift"]));
    let everything = cluster_role("kubectl-ucp-drift-orphans");
    // Other tests create and delete Roles here, which are orphans too; to report these alone, all must be read.
    let orphans = ["drift", "--orphans", "deployment", "application", "gitrepository", "xdatabase"];
    check(cluster, "drift --orphans", &everything, &[], "", &on(cluster, &orphans));
}

#[test]
fn images_and_promote_need_every_entry_of_their_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (repository, role) = (Gitops::paper("v2", "v1"), cluster_role("kubectl-ucp-images"));
    let top = repository.top().to_str().unwrap();
    check(
        cluster,
        "images",
        &role,
        &[],
        "customresourcedefinitions",
        &on(cluster, &["images", "--running", "-C", top]),
    );
    let promote = ["promote", "stage", "prod", "--all", "--verify", "--dry-run", "-C", top];
    check(cluster, "promote", &role, &[], "customresourcedefinitions", &on(cluster, &promote));
}

#[test]
fn import_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (repository, crossplane) = (Gitops::paper("v2", "v1"), crossplane(cluster));
    let top = repository.top().to_str().unwrap();
    let wanted = ["import", "bucket.s3.aws.m.upbound.io=acme", "-n", "default", "--provider-config", "default"];
    let import = [&wanted[..], &["--into", "infra", "--dry-run", "-C", top]].concat();
    check(cluster, "import", &cluster_role("kubectl-ucp-import"), &crossplane, "", &on(cluster, &import));
}

#[test]
fn clusters_needs_every_entry_of_its_role_for_served_kinds() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let served = cluster.kubectl(["api-resources", "-o", "name"]).output().unwrap();
    let served = String::from_utf8(served.stdout).unwrap();
    let is_served = |entry: &Entry| {
        let name =
            if entry.group.is_empty() { entry.resource.clone() } else { format!("{}.{}", entry.resource, entry.group) };
        served.lines().any(|line| line == name)
    };
    let namespaces = [None, Some("crossplane-system"), Some("argocd"), Some("flux-system")];
    let mut role = page("kubectl-ucp-clusters", &namespaces);
    role.retain(is_served);
    check(cluster, "clusters -n", &role, &[], "", &on(cluster, &["clusters", "-n", "crossplane-system"]));
    let secrets = cluster_role("kubectl-ucp-clusters-secrets");
    check(cluster, "clusters", &secrets, &cluster_role("kubectl-ucp-clusters"), "", &on(cluster, &["clusters"]));
}

/// Discovery and the server's version are everybody's; those of the engines are not.
#[test]
fn conflicts_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let crossplane = crossplane(cluster);
    let role = cluster_role("kubectl-ucp-conflicts");
    check(cluster, "conflicts", &role, &crossplane, "customresourcedefinitions", &on(cluster, &["conflicts"]));
}

/// The check of the user's own rights differs with the user, and is omitted.
#[test]
fn doctor_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let given = [cluster_role("kubectl-ucp-status"), crossplane(cluster)].concat();
    let doctor = ["doctor", "--skip", "rights"];
    check(cluster, "doctor", &cluster_role("kubectl-ucp-doctor"), &given, "", &on(cluster, &doctor));
}

#[test]
fn teardown_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let (role, projects) = without_projects("kubectl-ucp-teardown");
    let given = [crossplane(cluster), projects].concat();
    check(cluster, "teardown", &role, &given, "", &on(cluster, &["teardown", "--all"]));
}

#[test]
fn snapshot_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    let snapshot = ["snapshot", path.as_str(), "--overwrite"];
    check(cluster, "snapshot", &cluster_role("kubectl-ucp-snapshot"), &[], "", &on(cluster, &snapshot));
}

#[test]
fn version_needs_every_entry_of_its_role() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    check(cluster, "version", &cluster_role("kubectl-ucp-version"), &[], "", &on(cluster, &["version"]));
}

/// `ui` needs a terminal, so the server is asked for the request that the key `h` makes.
#[test]
fn ui_lists_events_with_its_role_only() {
    let Some(cluster) = hub::governed_bad_day() else { return };
    let users = granted::Users::of(cluster, &cluster_role("kubectl-ucp-ui"), &[]);
    let may_list_events = |user: &str| {
        let question = ["auth", "can-i", "list", "events", "-A", "--as", user];
        cluster.kubectl(question).output().unwrap().status.success()
    };
    assert!(may_list_events(&users.full));
    assert!(users.restricted.iter().all(|(_, user)| !may_list_events(user)));
}
