//! `--print-rbac`: the roles that a command needs, from the documentation of permissions, which the tests verify.

mod printed;

use std::collections::BTreeSet;

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::json;

use self::printed::{PrintedRole, print_roles, with_watch};
pub(super) use self::printed::{RoleCluster, RoleRule};
use crate::cli::Context;
use crate::render::yaml;
use ucp_client::source::live::look_up::LookUp;
use ucp_client::source::{self, Query};
use ucp_core::engine::{any, engine_of};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;

const PAGE: &str = include_str!("../../../docs/permissions.md");

/// A documented role that a command needs.
struct RequiredRole {
    command: &'static str,
    /// The flag that needs the role; `None` if the command always does.
    with: Option<&'static str>,
    role: &'static str,
}

const fn always(command: &'static str, role: &'static str) -> RequiredRole {
    RequiredRole { command, with: None, role }
}

const fn with(command: &'static str, flag: &'static str, role: &'static str) -> RequiredRole {
    RequiredRole { command, with: Some(flag), role }
}

const NEEDED: &[RequiredRole] = &[
    always("status", "kubectl-ucp-status"),
    with("status", "any", "kubectl-ucp-any"),
    with("status", "app_clusters", "kubectl-ucp-clusters"),
    with("status", "app_clusters", "kubectl-ucp-clusters-secrets"),
    with("status", "app_clusters", "kubectl-ucp-secrets"),
    with("status", "app_clusters", "kubectl-ucp-secrets-app"),
    with("status", "app_clusters", "kubectl-ucp-secrets-app-definitions"),
    always("resources", "kubectl-ucp-resources"),
    with("resources", "any", "kubectl-ucp-any"),
    always("tree", "kubectl-ucp-tree"),
    with("tree", "app_clusters", "kubectl-ucp-clusters"),
    with("tree", "app_clusters", "kubectl-ucp-clusters-secrets"),
    with("tree", "app_clusters", "kubectl-ucp-secrets"),
    with("tree", "app_clusters", "kubectl-ucp-secrets-app"),
    with("tree", "app_clusters", "kubectl-ucp-secrets-app-definitions"),
    always("history", "kubectl-ucp-status"),
    always("history", "kubectl-ucp-history"),
    with("history", "object", "kubectl-ucp-tree"),
    with("history", "cause", "kubectl-ucp-tree"),
    with("history", "object", "kubectl-ucp-history-object"),
    with("history", "cause", "kubectl-ucp-history-object"),
    with("history", "object", "kubectl-ucp-history-mentioned"),
    with("history", "cause", "kubectl-ucp-history-mentioned"),
    always("ui", "kubectl-ucp-status"),
    always("ui", "kubectl-ucp-resources"),
    always("ui", "kubectl-ucp-tree"),
    always("ui", "kubectl-ucp-drift"),
    always("ui", "kubectl-ucp-clusters"),
    always("ui", "kubectl-ucp-clusters-secrets"),
    always("ui", "kubectl-ucp-ui"),
    always("wait", "kubectl-ucp-wait"),
    always("drift", "kubectl-ucp-drift"),
    with("drift", "orphans", "kubectl-ucp-drift-orphans"),
    with("drift", "repo", "kubectl-ucp-plan"),
    with("drift", "repo", "kubectl-ucp-plan-destination"),
    always("conflicts", "kubectl-ucp-conflicts"),
    always("doctor", "kubectl-ucp-status"),
    always("doctor", "kubectl-ucp-doctor"),
    always("teardown", "kubectl-ucp-teardown"),
    with("teardown", "app_clusters", "kubectl-ucp-clusters"),
    with("teardown", "app_clusters", "kubectl-ucp-clusters-secrets"),
    with("teardown", "merge", "kubectl-ucp-plan"),
    with("teardown", "merge", "kubectl-ucp-plan-destination"),
    always("bootstrap", "kubectl-ucp-bootstrap"),
    always("plan", "kubectl-ucp-plan"),
    always("plan", "kubectl-ucp-plan-destination"),
    with("plan", "functions", "kubectl-ucp-plan-functions"),
    always("images", "kubectl-ucp-images"),
    always("images", "kubectl-ucp-images-app"),
    always("import", "kubectl-ucp-import"),
    always("pipeline", "kubectl-ucp-images"),
    always("pipeline", "kubectl-ucp-images-app"),
    always("promote", "kubectl-ucp-images"),
    always("promote", "kubectl-ucp-images-app"),
    with("promote", "pr", "kubectl-ucp-plan"),
    with("promote", "pr", "kubectl-ucp-plan-destination"),
    with("set-version", "wait", "kubectl-ucp-images"),
    with("set-version", "wait", "kubectl-ucp-images-app"),
    with("set-version", "pr", "kubectl-ucp-plan"),
    with("set-version", "pr", "kubectl-ucp-plan-destination"),
    with("set-image", "wait", "kubectl-ucp-images"),
    with("set-image", "wait", "kubectl-ucp-images-app"),
    with("set-image", "pr", "kubectl-ucp-plan"),
    with("set-image", "pr", "kubectl-ucp-plan-destination"),
    always("version", "kubectl-ucp-version"),
    always("mcp", "kubectl-ucp-status"),
    always("mcp", "kubectl-ucp-resources"),
    always("mcp", "kubectl-ucp-tree"),
    always("mcp", "kubectl-ucp-history"),
    always("mcp", "kubectl-ucp-history-object"),
    always("mcp", "kubectl-ucp-history-mentioned"),
    always("mcp", "kubectl-ucp-drift"),
    always("mcp", "kubectl-ucp-drift-orphans"),
    always("mcp", "kubectl-ucp-conflicts"),
    always("mcp", "kubectl-ucp-doctor"),
    always("mcp", "kubectl-ucp-teardown"),
    always("mcp", "kubectl-ucp-clusters"),
    always("mcp", "kubectl-ucp-clusters-secrets"),
    with("mcp", "directory", "kubectl-ucp-images"),
    with("mcp", "directory", "kubectl-ucp-images-app"),
    always("clusters", "kubectl-ucp-clusters"),
    always("clusters", "kubectl-ucp-clusters-secrets"),
    always("secrets", "kubectl-ucp-clusters"),
    always("secrets", "kubectl-ucp-clusters-secrets"),
    always("secrets", "kubectl-ucp-secrets"),
    always("secrets", "kubectl-ucp-secrets-app"),
    always("secrets", "kubectl-ucp-secrets-app-definitions"),
    always("secrets declare", "kubectl-ucp-secrets-credentials"),
    always("secrets sync", "kubectl-ucp-secrets-credentials"),
    always("secrets sync", "kubectl-ucp-secrets-sync"),
    always("secrets sync", "kubectl-ucp-secrets-sync-app"),
    always("snapshot", "kubectl-ucp-snapshot"),
    always("release-cluster", "kubectl-ucp-clusters"),
    always("release-cluster", "kubectl-ucp-clusters-secrets"),
    always("release-cluster", "kubectl-ucp-adopt"),
    always("release-cluster", "kubectl-ucp-adopt-app"),
];

/// Commands that read the kinds that providers and XRDs define.
const READS_CROSSPLANE: &[&str] = &[
    "status",
    "ui",
    "resources",
    "drift",
    "tree",
    "history",
    "wait",
    "conflicts",
    "doctor",
    "secrets",
    "teardown",
    "import",
    "mcp",
];

/// The roles whose kinds a command with `--watch` follows. It reads the kinds of its other roles again from time to time.
const FOLLOWED: &[(&str, &[&str])] = &[
    ("status", &["kubectl-ucp-status", "kubectl-ucp-any"]),
    ("resources", &["kubectl-ucp-resources", "kubectl-ucp-any"]),
    ("history", &["kubectl-ucp-status", "kubectl-ucp-history"]),
    ("ui", &["kubectl-ucp-status", "kubectl-ucp-resources"]),
    ("secrets sync", &["kubectl-ucp-clusters", "kubectl-ucp-clusters-secrets", "kubectl-ucp-secrets-app"]),
];

/// Returns true if a command follows the kinds of a role.
fn is_followed(command: &str, role: &str) -> bool {
    FOLLOWED.iter().any(|(name, roles)| *name == command && roles.contains(&role))
}

/// Prints the roles of a command and, if they are known, the groups of Crossplane's kinds.
///
/// # Errors
/// Fails when standard output cannot be written.
pub(super) fn print(context: &Context, given: &ArgMatches) -> Result<()> {
    let command = context.command.as_str();
    let is_given =
        |flag: &str| given.try_contains_id(flag).is_ok() && given.value_source(flag) == Some(ValueSource::CommandLine);
    let watches = is_given("watch") || command == "ui";
    let mut roles = Vec::new();
    let is_meant = |name: &str| command == name || command.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    for needed in NEEDED.iter().filter(|needed| is_meant(needed.command) && needed.with.is_none_or(is_given)) {
        for document in documents(PAGE, needed.role) {
            let is_followed = watches && is_followed(command, needed.role);
            roles.push(PrintedRole::from_text(if is_followed { with_watch(&document) } else { document })?);
        }
    }
    let mut notes = "";
    if READS_CROSSPLANE.iter().any(|name| is_meant(name)) {
        let watches = watches || command == "wait";
        let verbs: &[&str] = if watches { &["list", "watch"] } else { &["list"] };
        let kinds = if is_given("any") { ExtraKinds::Any } else { ExtraKinds::OfEngines };
        match current_groups_role(context, kinds, verbs)? {
            Some(role) => roles.push(PrintedRole::from_text(role)?),
            None => {
                notes = "# The kinds of providers and XRDs are not included: bind Crossplane's ClusterRole crossplane-view, or\n\
                         # run this command with a cluster to include their groups.\n";
            }
        }
    }
    context.ui.data(&print_roles(&roles, notes))
}

/// Returns a command with its switches that need a role.
pub(super) fn command_with_switches(command: &str, given: &ArgMatches) -> String {
    let is_on = |flag: &&str| matches!(given.try_get_one::<bool>(flag), Ok(Some(true)));
    let asked = NEEDED.iter().filter(|needed| needed.command == command).filter_map(|needed| needed.with);
    let asked: BTreeSet<&str> = asked.filter(is_on).collect();
    asked.into_iter().fold(command.to_owned(), |text, flag| format!("{text} --{}", flag.replace('_', "-")))
}

/// Returns the roles that each command always needs: the command, the role's name, and its YAML documents.
pub(super) fn roles() -> impl Iterator<Item = (&'static str, &'static str, Vec<String>)> {
    let always = NEEDED.iter().filter(|needed| needed.with.is_none());
    always.map(|needed| (needed.command, needed.role, documents(PAGE, needed.role)))
}

/// Returns the YAML documents of the page that have this name.
fn documents(page: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let blocks = page.split("\n```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    for document in blocks.flat_map(|block| block.split("\n---\n")) {
        let is_named = |line: &str| {
            let name_of = |rest: &str| rest.split([',', '}', ' ']).next().map(str::to_owned);
            line.strip_prefix("metadata: {name: ").and_then(name_of).as_deref() == Some(name)
        };
        if document.lines().any(is_named) {
            found.push(format!("{}\n", document.trim_end()));
        }
    }
    found
}

/// Returns true for groups that the documented roles include.
fn is_on_the_page(group: &str) -> bool {
    const GROUPS: [&str; 5] = [
        "pkg.crossplane.io",
        "argoproj.io",
        "source.toolkit.fluxcd.io",
        "kustomize.toolkit.fluxcd.io",
        "helm.toolkit.fluxcd.io",
    ];
    GROUPS.contains(&group)
}

/// The kinds that a command reads in addition to those of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtraKinds {
    /// Kinds that an engine knows.
    OfEngines,
    /// Every custom resource.
    Any,
}

impl ExtraKinds {
    fn include(self, kind: &ResourceKind) -> bool {
        engine_of(kind).is_some()
            || self == Self::Any && any::want(kind).is_some() && !any::is_of_kubernetes(&kind.group)
    }
}

/// Returns a role for the groups of the other kinds that exist now; `None` if there are none.
fn current_groups_role(context: &Context, which: ExtraKinds, verbs: &[&str]) -> Result<Option<String>> {
    let answers = context.read_each_source(|context| {
        let connection = &context.globals.connection;
        match connection.from {
            None => LookUp::connect(connection).and_then(|cluster| cluster.kinds()),
            Some(_) => {
                let want = |kind: &ResourceKind| which.include(kind).then(|| KindRequest::all(BodyShape::Metadata));
                let query = Query { want: &want, namespace: None, progress: &|_, _| {} };
                source::read(connection, &query).map(|state| state.kinds)
            }
        }
    })?;
    let kinds = answers.iter().filter_map(|answer| answer.result.as_ref().ok()).flatten();
    let groups: BTreeSet<String> = kinds
        .filter(|kind| which.include(kind) && (which == ExtraKinds::Any || !is_on_the_page(&kind.group)))
        .map(|kind| kind.group.clone())
        .collect();
    if groups.is_empty() {
        return Ok(None);
    }
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "kubectl-ucp-crossplane"},
        "rules": [{"apiGroups": groups, "resources": ["*"], "verbs": verbs}],
    });
    Ok(Some(format!(
        "# For the kinds that providers and XRDs define now. Print it again after you add providers or XRDs.\n{}",
        yaml(&role)?
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_prints_rights_has_roles_on_the_page() {
        for needed in NEEDED {
            assert!(!documents(PAGE, needed.role).is_empty(), "{}", needed.role);
        }
        for command in crate::cli::command().get_subcommands() {
            let name = command.get_name();
            let prints = crate::cli::heed::supports_flag(&[name], "print_rbac");
            let has_own = command.get_arguments().any(|arg| arg.get_id() == "print_rbac");
            let is_known = NEEDED.iter().any(|needed| needed.command == name);
            assert_eq!(prints && !has_own, is_known, "{name}");
        }
    }

    #[test]
    fn every_rule_of_the_page_says_why_and_every_role_can_be_bound() {
        for block in PAGE.split("\n```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            let rules: Vec<_> = block.lines().filter(|line| line.starts_with("- ")).collect();
            assert!(!rules.is_empty(), "{block}");
            rules.iter().for_each(|rule| assert!(rule.contains(" # "), "{rule}"));
        }
        for needed in NEEDED {
            for document in documents(PAGE, needed.role) {
                let role = PrintedRole::from_text(document.clone()).unwrap();
                assert!(print_roles(&[role], "").contains(&format!("role={} --user=USER", needed.role)), "{document}");
            }
        }
    }

    #[test]
    fn one_role_may_be_several_documents() {
        assert_eq!(documents(PAGE, "kubectl-ucp-plan").len(), 3);
        assert_eq!(documents(PAGE, "kubectl-ucp-status").len(), 1);
    }
}
