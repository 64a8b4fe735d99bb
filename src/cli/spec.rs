//! The declaration of a command, which stands next to its arguments. Help, completion, `--print-rbac`, and `mcp` read it.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::complete::CompletionValues;

/// A command or subcommand.
pub(super) struct CommandSpec {
    /// The words that name it, such as `secrets sync`.
    pub(super) name: &'static str,
    /// The global flags that it supports.
    pub(super) flags: &'static [FlagGroup],
    /// The flags that it supports only in combination with others.
    pub(super) dependent: &'static [DependentFlags],
    /// The roles that it needs. A subcommand needs those of its command, too.
    pub(super) roles: &'static [RequiredRoles],
    /// The roles whose kinds it follows with `--watch`. It reads the kinds of its other roles again from time to time.
    pub(super) followed: &'static [&'static str],
    /// True if it reads the kinds that providers and XRDs define.
    pub(super) reads_crossplane: bool,
    /// The values of its arguments, by ID.
    pub(super) completions: &'static [(&'static str, CompletionValues)],
    /// The tool of the same name that `mcp` offers.
    pub(super) tool: Option<ToolSpec>,
    /// Subcommands with a declaration of their own. The others have the one of the command.
    pub(super) subcommands: &'static [&'static CommandSpec],
}

impl CommandSpec {
    /// Declares a command that reads no cluster, and whose arguments are completed from their definition.
    pub(super) const fn new(name: &'static str, flags: &'static [FlagGroup]) -> Self {
        Self {
            name,
            flags,
            dependent: &[],
            roles: &[],
            followed: &[],
            reads_crossplane: false,
            completions: &[],
            tool: None,
            subcommands: &[],
        }
    }
}

/// Flags that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagGroup {
    /// The choice of the cluster, and the connection to it.
    Cluster,
    /// `--from`.
    Snapshot,
    /// `--contexts`, `--all-contexts`, and `--from` more than once.
    Several,
    /// `--from` more than once, for snapshots of one cluster at several times.
    Series,
    /// `-n` and `-A`.
    Namespace,
    /// `-l`.
    Selector,
    /// `-o` and `--no-headers`.
    Output,
    /// `--print-rbac`.
    Rights,
}

/// Flags, and the condition under which a command supports them.
pub(super) struct DependentFlags {
    /// Groups of global flags.
    pub(super) groups: &'static [FlagGroup],
    /// Other flags.
    pub(super) flags: &'static [&'static str],
    pub(super) condition: FlagCondition,
}

/// The condition under which flags are supported.
pub(super) enum FlagCondition {
    /// One of these must be present; messages name the first.
    AnyOf(&'static [&'static str]),
    /// This must be absent.
    Without(&'static str),
}

/// Returns flags that a command supports only with one of the others.
pub(super) const fn only_with(flags: &'static [&'static str], others: &'static [&'static str]) -> DependentFlags {
    DependentFlags { groups: &[], flags, condition: FlagCondition::AnyOf(others) }
}

/// Returns flags that a command supports only without another one.
pub(super) const fn only_without(flags: &'static [&'static str], other: &'static str) -> DependentFlags {
    DependentFlags { groups: &[], flags, condition: FlagCondition::Without(other) }
}

/// Returns groups of global flags that a command supports only with one of the others.
pub(super) const fn groups_only_with(groups: &'static [FlagGroup], others: &'static [&'static str]) -> DependentFlags {
    DependentFlags { groups, flags: &[], condition: FlagCondition::AnyOf(others) }
}

/// Flags that choose the way into app clusters.
pub(super) const WAYS: &[&str] = &["context_map", "use_registration", "app_from"];
/// Flags that allow hazards in the access to app clusters.
pub(super) const HAZARDS: &[&str] =
    &["allow_exec", "allow_proxy", "allow_insecure", "allow_localhost", "allow_http", "allow_link_local"];
/// Flags for the namespaces of the engines, which reaching app clusters and comparing a checkout need.
pub(super) const ENGINE_NAMESPACES: &[&str] = &["argocd_namespace", "flux_namespace"];
/// Flags for the comparison of a checkout with clusters.
pub(super) const COMPARISON: &[&str] = &[
    "target_revision",
    "repo_url",
    "destination",
    "charts",
    "allow_secret_values",
    "render_timeout",
    "allow_remote_bases",
    "allow_plugins",
];
/// Snapshots of app clusters, next to one of the core cluster.
pub(super) const SNAPSHOTS_OF_APPS: DependentFlags = only_with(&["app_from"], &["from"]);
/// Flags that a command needs only to read running versions.
pub(super) const RUNNING: DependentFlags = groups_only_with(
    &[FlagGroup::Cluster, FlagGroup::Namespace],
    &["running", "from", "context", "contexts", "all_contexts", "kubeconfig", "server", "cluster", "print_rbac"],
);
/// Flags that make a commit.
const COMMITS: &[&str] = &["commit", "branch", "push", "pr"];
/// The text of a commit.
pub(super) const COMMIT_MESSAGE: DependentFlags = only_with(&["message"], COMMITS);
/// The reason is recorded in the commit.
pub(super) const FREEZE_OVERRIDE: DependentFlags = only_with(&["override_freeze"], COMMITS);
/// A command with `--file` makes no commit, and asks to record it.
pub(super) const FREEZE_OVERRIDE_OR_FILE: DependentFlags =
    only_with(&["override_freeze"], &["commit", "branch", "push", "pr", "file"]);
/// The time that a command waits for the effect of a commit.
pub(super) const WAIT_TIMEOUT: DependentFlags = only_with(&["timeout"], &["wait"]);
/// A pull request shows what changes in the cluster, and `--wait` waits for it.
pub(super) const PULL_REQUEST: DependentFlags =
    groups_only_with(&[FlagGroup::Cluster, FlagGroup::Namespace, FlagGroup::Rights], &["pr"]);

/// Roles of `docs/permissions.md` that a command needs.
pub(super) struct RequiredRoles {
    /// The flag that needs the roles; `None` if the command always does.
    pub(super) with: Option<&'static str>,
    pub(super) names: &'static [&'static str],
}

/// Returns roles that a command always needs.
pub(super) const fn always(names: &'static [&'static str]) -> RequiredRoles {
    RequiredRoles { with: None, names }
}

/// Returns roles that a command needs with a flag.
pub(super) const fn with_flag(flag: &'static str, names: &'static [&'static str]) -> RequiredRoles {
    RequiredRoles { with: Some(flag), names }
}

/// The roles for the app clusters of a core cluster.
pub(super) const CLUSTER_ROLES: &[&str] = &["kubectl-ucp-clusters", "kubectl-ucp-clusters-secrets"];
/// The roles for the Secrets in app clusters.
pub(super) const SECRETS_ROLES: &[&str] = &[
    "kubectl-ucp-clusters",
    "kubectl-ucp-clusters-secrets",
    "kubectl-ucp-secrets",
    "kubectl-ucp-secrets-app",
    "kubectl-ucp-secrets-app-definitions",
];
/// The roles for the effects of a merge.
pub(super) const PLAN_ROLES: &[&str] =
    &["kubectl-ucp-plan", "kubectl-ucp-plan-accounts", "kubectl-ucp-plan-destination"];
/// The roles for running versions.
pub(super) const IMAGE_ROLES: &[&str] = &["kubectl-ucp-images", "kubectl-ucp-images-app"];

/// A command that is a tool of the same name.
pub(super) struct ToolSpec {
    /// The position in the list of tools.
    pub(super) position: u8,
    /// The flags and positional arguments that a call may set. None of them selects a cluster or file, and none writes.
    pub(super) takes: &'static [&'static str],
    /// Returns the schema of the answer.
    pub(super) answers: fn() -> JsonObject,
    /// True if the document for several sources is another one, so that a call has to name one.
    pub(super) is_of_one_source: bool,
    pub(super) repository: ToolRepository,
}

impl ToolSpec {
    /// Declares a tool that answers with a document `T`, and reads no repository.
    pub(super) const fn new<T: JsonSchema>(position: u8, takes: &'static [&'static str]) -> Self {
        Self {
            position,
            takes,
            answers: output_schema::<T>,
            is_of_one_source: false,
            repository: ToolRepository::Unused,
        }
    }
}

/// The use that a tool has for the repository of `mcp --directory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolRepository {
    Unused,
    /// Commits of the repository are part of the answer, if there is one.
    Optional,
    /// Without a repository, the tool is not offered.
    Required,
}

/// Returns the JSON Schema of a tool's answer: the types of the document's own fields, and which are always present.
/// The instructions of the server describe `page` once for all. A complete schema of ten
/// documents would add 80 kB to every conversation, most of it repeated.
fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut generator = SchemaSettings::draft2020_12().for_serialize();
    generator.meta_schema = None;
    let whole = generator.into_generator().into_root_schema_for::<T>().to_value();
    let outline = |(name, field): (&String, &Value)| {
        // Fields that do not apply are left out, and never null.
        let kind = match field.get("type") {
            Some(Value::Array(kinds)) => kinds.first(),
            kind => kind,
        };
        (name.clone(), kind.map_or_else(|| json!({}), |kind| json!({"type": kind})))
    };
    let fields = whole.get("properties").and_then(Value::as_object);
    let mut properties: Map<String, Value> = fields.into_iter().flatten().map(outline).collect();
    properties.insert("page".to_owned(), json!({"type": "object"}));
    let mut required = whole.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    required.push("page".into());
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{command, specs};
    use crate::report::status::StatusReport;

    #[test]
    fn declared_arguments_exist() {
        let mut definition = command();
        definition.build();
        for spec in specs() {
            let found = spec.name.split(' ').try_fold(&definition, |at, word| at.find_subcommand(word)).unwrap();
            let flags = spec.roles.iter().filter_map(|roles| roles.with);
            let dependent = spec.dependent.iter().flat_map(|dependent| match dependent.condition {
                FlagCondition::AnyOf(others) => [dependent.flags, others].concat(),
                FlagCondition::Without(other) => [dependent.flags, &[other]].concat(),
            });
            for id in flags.chain(spec.completions.iter().map(|(id, _)| *id)).chain(dependent) {
                assert!(found.get_arguments().any(|arg| arg.get_id() == id), "{} {id}", spec.name);
            }
        }
    }

    #[test]
    fn an_answer_has_the_fields_of_its_document_and_its_page() {
        let schema = output_schema::<StatusReport>();
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().unwrap();
        for field in ["apiVersion", "kind", "engines", "findings", "unreadable", "page"] {
            assert!(properties.contains_key(field), "{field}");
        }
    }
}
