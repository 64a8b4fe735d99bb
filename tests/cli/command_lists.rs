//! The lists that tests compare with the command line, so that a new command is in all of them.

/// The least that each command has to be given, where its name is not enough.
pub(crate) const REQUIRED_ARGUMENTS: &[(&str, &[&str])] = &[
    ("promote", &["dev", "stage"]),
    ("pipeline", &["web"]),
    ("set-version", &["dev", "web=v2", "--pr"]),
    ("set-image", &["dev", "web=v2", "--pr"]),
    ("import", &["bucket=x"]),
    ("new", &["service", "orders", "--like", "quotes"]),
    ("tree", &["x"]),
    ("teardown", &["x"]),
    ("snapshot", &["x.tar.gz"]),
    ("completion", &["bash"]),
];

/// Everything that reads a cluster: the same of a snapshot as live.
pub(crate) const COMPARED_WITH_SNAPSHOTS: &[&[&str]] = &[
    &["status"],
    &["status", "-n", "crossplane-system"],
    &["status", "-l", "app=nothing"],
    &["resources"],
    &["resources", "--any"],
    &["resources", "-o", "name"],
    &["tree", "application/quotes"],
    &["tree", "provider/provider-gcp"],
    &["drift"],
    &["drift", "--orphans"],
    &["clusters"],
    &["conflicts"],
    &["conflicts", "--certain"],
    &["doctor", "--skip", "rights"],
    &["doctor", "--for", "2.9", "--only", "upgrade"],
    &["teardown", "--all"],
    &["teardown", "provider/provider-gcp"],
    &["teardown", "application/quotes"],
    &["images", "--running"],
    &["promote", "stage", "prod", "--all", "--dry-run", "--verify"],
    &["pipeline", "echo", "--running", "--no-pull-requests"],
];

/// Commands whose output depends on more than the core cluster: on responses of app clusters (`secrets::states` compares that), on values of their
/// credentials or on schemas, which a snapshot does not contain, on a repository that creates all of it
/// (`tests/engines/first_day.rs` compares that), on the user, or on the time at which a period ends.
pub(crate) const COMPARED_ELSEWHERE: [&str; 7] =
    ["secrets", "adopt-cluster", "import", "bootstrap", "mcp", "history", "ui"];

/// Commands whose examples run on a snapshot.
pub(crate) const EXAMPLES_ON_A_SNAPSHOT: &[&str] =
    &["status", "resources", "drift", "clusters", "conflicts", "doctor", "teardown"];

/// Commands whose examples read nothing.
pub(crate) const EXAMPLES_ALONE: &[&str] = &["explain", "completion"];

/// Commands whose answer is clean on a healthy hub.
pub(crate) const CLEAN_ON_A_HEALTHY_HUB: [&[&str]; 9] = [
    &["status", "--exit-code"],
    &["teardown", "rdsinstance/aws-database-postgres-instance"],
    &["teardown", "application/gcp-database"],
    &["teardown", "namespace/kube-node-lease"],
    &["conflicts"],
    &["doctor", "--severity", "error", "--only", "packages"],
    &["drift", "rdsinstances"],
    &["wait", "--all", "--timeout", "3s"],
    &["wait", "rdsinstance/gone", "--for", "gone", "--timeout", "3s"],
];

/// Every command, over objects and files with secrets in all places: `TOP` is a checkout, `ARCHIVE` a snapshot. Adoptions come
/// before them.
pub(crate) const OVER_SECRETS: &[&[&str]] = &[
    &["adopt-cluster", "--print-rbac"],
    &["clusters", "--probe", "-o", "yaml"],
    &["status", "-o", "json"],
    &["status", "--any", "-o", "json"],
    &["status", "-o", "prometheus"],
    &["status", "-o", "html"],
    &["resources", "--any", "-o", "html"],
    &["drift", "--orphans", "-o", "html"],
    &["resources", "-o", "json"],
    &["resources", "--any", "-o", "yaml"],
    &["drift", "-o", "json"],
    &["drift", "--orphans", "-o", "yaml"],
    &["drift", "--repo", "TOP"],
    &["plan", "TOP", "-o", "json"],
    &["bootstrap", "TOP", "--dry-run", "-o", "json"],
    &["bootstrap", "TOP", "--rehearse", "-o", "json"],
    &["images", "--running", "-C", "TOP"],
    &["promote", "stage", "prod", "--all", "--verify", "--dry-run", "-C", "TOP"],
    &["pipeline", "echo", "--running", "-C", "TOP"],
    &["import", "bucket=secretive", "--dry-run", "-C", "TOP", "-o", "json"],
    &["set-image", "stage", "echo=v3", "--dry-run", "-C", "TOP"],
    &["set-version", "stage", "echo=v3", "--dry-run", "-C", "TOP"],
    &["new", "service", "shop", "--like", "echo", "--dry-run", "-C", "TOP"],
    &["tree", "secret/cluster-prod", "-o", "json"],
    &["history", "--all", "-o", "json"],
    &["history", "--cause", "bucket/secretive", "--all", "-o", "json"],
    &["history", "bucket/secretive", "-o", "html"],
    &["history", "secret/login", "-o", "yaml"],
    &["wait", "application/echo", "bucket/secretive", "secret/login", "--timeout", "0", "-o", "json"],
    &["conflicts", "-o", "json"],
    &["doctor", "-o", "json"],
    &["secrets", "--use-registration", "-o", "json"],
    &["secrets", "verify", "--use-registration", "-o", "yaml"],
    &["secrets", "sync", "--use-registration", "--dry-run", "-o", "yaml"],
    &["teardown", "--all", "-o", "json"],
    &["secrets", "declare", "prod", "--as", "object", "--app-cluster", "prod", "--to-namespace", "shop"],
    &["snapshot", "ARCHIVE", "-o", "json"],
    &["snapshot", "diff", "ARCHIVE", "ARCHIVE", "-o", "json"],
    &["snapshot", "serve", "ARCHIVE", "--", "kubectl", "get", "secrets,configmaps,managed,deployments", "-o", "json"],
    &["snapshot", "serve", "ARCHIVE", "--", "kubectl", "describe", "secrets,configmaps,managed,deployments"],
    &["explain", "UCP101"],
    // The output of its tools: mcp::no_tool_returns_a_secret.
    &["mcp"],
    // It needs a terminal, and reads with the functions of these commands.
    &["ui", "--print-rbac"],
    &["options"],
    &["completion", "bash"],
    &["version"],
    &["release-cluster", "prod", "--yes"],
];
