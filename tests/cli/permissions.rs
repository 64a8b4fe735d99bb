//! RBAC: lists that a user may not read are unknown, and the rest is shown. With the roles of docs/permissions.md all is
//! shown, and with one entry less the missing one is reported.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::gitops::Gitops;
use crate::granted::{self, Entry, check, cluster_role, page};
use crate::support::command::{Ran, run, ucp, ucp_on};
use crate::support::{self, Cluster, Options, hub};

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

/// A command line in JSON, for the admin or for a user.
fn on<'a>(cluster: &'a Cluster, arguments: &'a [&'a str]) -> impl Fn(Option<&str>) -> Command + Sync + 'a {
    move |user| {
        let mut command = ucp_on(cluster, arguments.iter().copied());
        command.args(["-o", "json"]).args(user.iter().flat_map(|user| ["--as", user]));
        command
    }
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

/// A role whose entries no test removes may have any entries.
#[test]
fn every_role_of_the_page_is_tested() {
    let tests = [
        include_str!("permissions.rs"),
        include_str!("adopt_permissions.rs"),
        include_str!("bootstrap/rights.rs"),
        include_str!("plan/compositions/forwarded.rs"),
        include_str!("plan/permissions.rs"),
        include_str!("running_elsewhere.rs"),
        include_str!("secrets/permissions.rs"),
        include_str!("secrets/sync.rs"),
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
