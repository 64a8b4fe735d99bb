//! `--print-rbac`: the roles that a command needs, from the documentation of permissions, which the tests verify.

mod printed;

use std::collections::BTreeSet;

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::json;

use self::printed::{PrintedRole, print_roles, with_watch};
pub(super) use self::printed::{RoleCluster, RoleRule};
use crate::cli::spec::CommandSpec;
use crate::cli::{Context, specs};
use crate::render::yaml;
use ucp_client::source::live::look_up::LookUp;
use ucp_client::source::{self, Query};
use ucp_core::engine::{any, engine_of};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;

const PAGE: &str = include_str!("../../../docs/permissions.md");

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
    let specs: Vec<&CommandSpec> = specs().filter(|spec| is_meant(spec.name)).collect();
    let followed = specs.iter().find(|spec| spec.name == command).map_or(&[][..], |spec| spec.followed);
    let needed = specs.iter().flat_map(|spec| spec.roles).filter(|needed| needed.with.is_none_or(is_given));
    for role in needed.flat_map(|needed| needed.names) {
        for document in documents(PAGE, role) {
            let is_followed = watches && followed.contains(role);
            roles.push(PrintedRole::from_text(if is_followed { with_watch(&document) } else { document })?);
        }
    }
    let mut notes = "";
    if specs.iter().any(|spec| spec.reads_crossplane) {
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
    let asked = specs().filter(|spec| spec.name == command).flat_map(|spec| spec.roles).filter_map(|roles| roles.with);
    let asked: BTreeSet<&str> = asked.filter(is_on).collect();
    asked.into_iter().fold(command.to_owned(), |text, flag| format!("{text} --{}", flag.replace('_', "-")))
}

/// Returns the roles that each command always needs: the command, the role's name, and its YAML documents.
pub(super) fn roles() -> impl Iterator<Item = (&'static str, &'static str, Vec<String>)> {
    let needed = specs().flat_map(|spec| spec.roles.iter().map(move |roles| (spec.name, roles)));
    let always = needed.filter(|(_, roles)| roles.with.is_none());
    always.flat_map(|(command, roles)| roles.names.iter().map(move |role| (command, *role, documents(PAGE, role))))
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
                let query = Query::all(&want);
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

    fn all_roles() -> impl Iterator<Item = &'static str> {
        specs().flat_map(|spec| spec.roles.iter().flat_map(|roles| roles.names).chain(spec.followed)).copied()
    }

    #[test]
    fn every_command_that_prints_rights_has_roles_on_the_page() {
        for role in all_roles() {
            assert!(!documents(PAGE, role).is_empty(), "{role}");
        }
        for command in crate::cli::command().get_subcommands() {
            let name = command.get_name();
            let prints = crate::cli::heed::supports_flag(&[name], "print_rbac");
            let has_own = command.get_arguments().any(|arg| arg.get_id() == "print_rbac");
            let is_known = specs().any(|spec| spec.name == name && !spec.roles.is_empty());
            assert_eq!(prints && !has_own, is_known, "{name}");
        }
    }

    #[test]
    fn every_rule_of_the_page_has_a_reason_and_every_role_can_be_bound() {
        for block in PAGE.split("\n```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            let rules: Vec<_> = block.lines().filter(|line| line.starts_with("- ")).collect();
            assert!(!rules.is_empty(), "{block}");
            rules.iter().for_each(|rule| assert!(rule.contains(" # "), "{rule}"));
        }
        for name in all_roles() {
            for document in documents(PAGE, name) {
                let role = PrintedRole::from_text(document.clone()).unwrap();
                assert!(print_roles(&[role], "").contains(&format!("role={name} --user=USER")), "{document}");
            }
        }
    }

    #[test]
    fn a_role_may_consist_of_several_documents() {
        assert_eq!(documents(PAGE, "kubectl-ucp-plan").len(), 3);
        assert_eq!(documents(PAGE, "kubectl-ucp-status").len(), 1);
    }
}
