//! Flags that a command supports only in combination with others.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::{GivenFlags, long_name, unheeded};
use crate::cli::spec::FlagGroup::{self, Cluster, Namespace, Rights, Snapshot};
use ucp_core::error::Result;

/// Flags, and the condition under which commands support them.
struct DependentFlags {
    commands: &'static [&'static str],
    /// Groups of global flags. The other flags of the command are in `flags`.
    groups: &'static [FlagGroup],
    flags: &'static [&'static str],
    beside: FlagCondition,
}

/// The condition under which flags are supported.
enum FlagCondition {
    /// One of these must be present; messages name the first.
    AnyOf(&'static [&'static str]),
    /// This must be absent.
    Without(&'static str),
}

/// Flags for the access to app clusters.
const REACH: &[&str] = &[
    "context_map",
    "use_registration",
    "app_from",
    "allow_exec",
    "allow_proxy",
    "allow_insecure",
    "allow_localhost",
    "allow_http",
    "allow_link_local",
];

/// Flags for the namespaces of the engines, which reaching app clusters and comparing a checkout need.
const ENGINE_NAMESPACES: &[&str] = &["argocd_namespace", "flux_namespace"];

/// Flags for the comparison of a checkout with clusters.
pub(in crate::cli) const COMPARISON: &[&str] = &[
    "target_revision",
    "repo_url",
    "destination",
    "charts",
    "allow_secret_values",
    "render_timeout",
    "allow_remote_bases",
    "allow_plugins",
];

const DEPENDENT: &[DependentFlags] = &[
    DependentFlags {
        commands: &["images", "pipeline"],
        groups: &[Cluster, Namespace],
        flags: &[],
        beside: FlagCondition::AnyOf(&[
            "running",
            "from",
            "context",
            "contexts",
            "all_contexts",
            "kubeconfig",
            "server",
            "cluster",
            "print_rbac",
        ]),
    },
    DependentFlags { commands: &["version"], groups: &[Cluster], flags: &[], beside: FlagCondition::Without("client") },
    DependentFlags { commands: &["drift"], groups: &[], flags: COMPARISON, beside: FlagCondition::AnyOf(&["repo"]) },
    DependentFlags {
        commands: &["drift"],
        groups: &[],
        flags: ENGINE_NAMESPACES,
        beside: FlagCondition::AnyOf(&["repo"]),
    },
    DependentFlags {
        commands: &["teardown"],
        groups: &[],
        flags: ENGINE_NAMESPACES,
        beside: FlagCondition::AnyOf(&["app_clusters", "merge"]),
    },
    DependentFlags {
        commands: &["status", "tree"],
        groups: &[],
        flags: ENGINE_NAMESPACES,
        beside: FlagCondition::AnyOf(&["app_clusters"]),
    },
    DependentFlags {
        commands: &["bootstrap"],
        groups: &[],
        flags: ENGINE_NAMESPACES,
        beside: FlagCondition::Without("rehearse"),
    },
    DependentFlags {
        commands: &["teardown"],
        groups: &[],
        flags: COMPARISON,
        beside: FlagCondition::AnyOf(&["merge"]),
    },
    DependentFlags {
        commands: &["secrets", "secrets verify", "secrets sync", "secrets declare", "status", "tree", "wait"],
        groups: &[],
        flags: &["app_from"],
        beside: FlagCondition::AnyOf(&["from"]),
    },
    DependentFlags {
        commands: &["status", "tree", "teardown"],
        groups: &[],
        flags: REACH,
        beside: FlagCondition::AnyOf(&["app_clusters"]),
    },
    DependentFlags {
        commands: &["status"],
        groups: &[],
        flags: &["app_clusters"],
        beside: FlagCondition::Without("selector"),
    },
    DependentFlags { commands: &["ui"], groups: &[], flags: &["port"], beside: FlagCondition::AnyOf(&["web"]) },
    DependentFlags {
        commands: &["bootstrap"],
        groups: &[Snapshot],
        flags: &[],
        beside: FlagCondition::AnyOf(&["rehearse"]),
    },
    // A rehearsal asks for nothing, waits for nothing, and adopts nothing.
    DependentFlags {
        commands: &["bootstrap"],
        groups: &[],
        flags: &["secret_file", "secret_env", "timeout"],
        beside: FlagCondition::Without("rehearse"),
    },
    DependentFlags { commands: &["bootstrap"], groups: &[], flags: REACH, beside: FlagCondition::Without("rehearse") },
    DependentFlags {
        commands: &["promote", "set-version", "set-image", "import", "new service"],
        groups: &[],
        flags: &["message"],
        beside: FlagCondition::AnyOf(&["commit", "branch", "push", "pr"]),
    },
    // A pull request shows what changes in the cluster, and --wait waits for it.
    DependentFlags {
        commands: &["set-version", "set-image"],
        groups: &[Cluster, Namespace, Rights],
        flags: &[],
        beside: FlagCondition::AnyOf(&["pr"]),
    },
    DependentFlags {
        commands: &["promote", "set-version", "set-image"],
        groups: &[],
        flags: &["timeout"],
        beside: FlagCondition::AnyOf(&["wait"]),
    },
    // The reason is recorded in the commit.
    DependentFlags {
        commands: &["promote", "set-version", "set-image"],
        groups: &[],
        flags: &["override_freeze"],
        beside: FlagCondition::AnyOf(&["commit", "branch", "push", "pr"]),
    },
];

/// Refuses flags that are supported only in combination with others.
pub(super) fn check(command: &str, given: &ArgMatches) -> Result<()> {
    let is_given =
        |id: &str| given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine);
    for dependent in DEPENDENT.iter().filter(|dependent| dependent.commands.contains(&command)) {
        let why = match &dependent.beside {
            FlagCondition::AnyOf(others) if others.iter().any(|id| is_given(id)) => continue,
            FlagCondition::AnyOf(others) => format!(" without --{}", long_name(others[0])),
            FlagCondition::Without(other) if !is_given(other) => continue,
            FlagCondition::Without(other) => format!(" with --{}", long_name(other)),
        };
        let globals = GivenFlags::from_matches(given);
        let flag = dependent.flags.iter().copied().find(|id| is_given(id));
        if let Some(id) = flag.or_else(|| globals.first(dependent.groups)) {
            return Err(unheeded(command, id, &why));
        }
    }
    Ok(())
}
