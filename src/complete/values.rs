//! Completion candidates at the cursor: names from the command definition, and values from a cluster or a file.

use clap::{Arg, ArgAction, FromArgMatches as _, ValueHint};

use super::answer::{Completion, CompletionCandidate, ShellAction};
use super::cursor::{Cursor, WordRole};
use super::{cluster, repository};
use crate::render::OutputFormat;
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::engine::code::Code;
use ucp_core::engine::codes;
use ucp_core::error::{Error, Result};
use ucp_core::model::verdict::Verdict;

/// Values that are not part of the definition.
#[derive(Debug, Clone, Copy)]
pub enum CompletionValues {
    Contexts,
    /// Several contexts, separated by commas.
    ContextList,
    Clusters,
    Users,
    Namespaces,
    Formats,
    Verdicts,
    /// Goals of `wait`.
    Goals,
    Codes,
    /// A kind of resource, or after a slash an object of it.
    KindsAndObjects,
    /// A claim, composite, Application, Kustomization or HelmRelease.
    Owners,
    Groups,
    Providers,
    Columns,
    /// Clusters that run workloads.
    AppClusters,
    /// Environments of the repository.
    Environments,
    /// Services of the repository.
    Services,
    /// An environment, and then `SERVICE=`.
    Assignments,
}

/// Returns the values of an argument, by the name of its command and its ID, as the command declares them.
pub type DeclaredValues = fn(&str, &str) -> Option<CompletionValues>;

/// The values of flags that commands share.
const SHARED: &[(&str, CompletionValues)] = &[
    ("context", CompletionValues::Contexts),
    ("contexts", CompletionValues::ContextList),
    ("cluster", CompletionValues::Clusters),
    ("user", CompletionValues::Users),
    ("namespace", CompletionValues::Namespaces),
    ("argocd_namespace", CompletionValues::Namespaces),
    ("flux_namespace", CompletionValues::Namespaces),
    ("output", CompletionValues::Formats),
];

/// Columns that `resources --sort-by` accepts by name.
const COLUMNS: [&str; 5] = ["verdict", "name", "kind", "age", "external-name"];

/// Goals of `wait --for` other than verdicts.
const GOALS: [&str; 3] = ["ok", "synced", "gone"];

/// Returns the candidates at the cursor.
pub(super) fn complete_cursor(cursor: &Cursor<'_>, declared: DeclaredValues) -> Completion {
    match cursor.next {
        WordRole::Command => Completion::matching(commands(cursor), cursor.typed, ShellAction::Space),
        WordRole::Flag => Completion::matching(flags(cursor), cursor.typed, ShellAction::Space),
        // Values that are currently unknown are not offered.
        WordRole::Value(arg) => complete_argument(cursor, arg, declared).unwrap_or_else(|_| Completion::empty()),
        WordRole::Nothing => Completion::empty(),
    }
}

fn commands(cursor: &Cursor<'_>) -> Vec<CompletionCandidate> {
    let commands = cursor.command.get_subcommands().filter(|command| !command.is_hide_set());
    commands.map(|command| CompletionCandidate::new(command.get_name(), described(command.get_about()))).collect()
}

fn flags(cursor: &Cursor<'_>) -> Vec<CompletionCandidate> {
    let is_given = |arg: &Arg| {
        let id = arg.get_id().as_str();
        cursor.switches.contains(&id) || cursor.flags.iter().any(|(given, _)| *given == id)
    };
    let may_repeat = |arg: &Arg| matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
    cursor
        .command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && (may_repeat(arg) || !is_given(arg)))
        .filter_map(|arg| Some(CompletionCandidate::new(format!("--{}", arg.get_long()?), described(arg.get_help()))))
        .collect()
}

fn described(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

fn complete_argument(cursor: &Cursor<'_>, arg: &Arg, declared: DeclaredValues) -> Result<Completion> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        let candidates: Vec<_> = if arg.get_value_delimiter().is_some() {
            append_to_list(cursor.typed, shown.map(|value| value.get_name()))
        } else {
            shown.map(|value| CompletionCandidate::new(value.get_name(), described(value.get_help()))).collect()
        };
        return Ok(Completion::matching(candidates, cursor.typed, ShellAction::Space));
    }
    let id = arg.get_id().as_str();
    let shared = SHARED.iter().find(|(shared, _)| *shared == id).map(|(_, values)| *values);
    match (shared.or_else(|| declared(cursor.command.get_name(), id)), arg.get_value_hint()) {
        (Some(values), _) => complete_values(cursor, values),
        (None, ValueHint::AnyPath | ValueHint::FilePath) => Ok(Completion::delegated_to_shell(ShellAction::Files)),
        (None, ValueHint::DirPath) => Ok(Completion::delegated_to_shell(ShellAction::Directories)),
        _ => Ok(Completion::empty()),
    }
}

fn complete_values(cursor: &Cursor<'_>, values: CompletionValues) -> Result<Completion> {
    let typed = cursor.typed;
    let among = |candidates: Vec<CompletionCandidate>| Ok(Completion::matching(candidates, typed, ShellAction::Space));
    match values {
        CompletionValues::Contexts => among(words(kubeconfig::names(&connection(cursor)?)?.contexts)),
        CompletionValues::ContextList => {
            let contexts = kubeconfig::names(&connection(cursor)?)?.contexts;
            among(append_to_list(typed, contexts.iter().map(String::as_str)))
        }
        CompletionValues::Clusters => among(words(kubeconfig::names(&connection(cursor)?)?.clusters)),
        CompletionValues::Users => among(words(kubeconfig::names(&connection(cursor)?)?.users)),
        CompletionValues::Namespaces => among(cluster::namespaces(&connection(cursor)?)?),
        CompletionValues::Groups => among(cluster::groups(&connection(cursor)?)?),
        CompletionValues::Owners => among(cluster::owners(&connection(cursor)?)?),
        CompletionValues::Providers => among(cluster::providers(&connection(cursor)?)?),
        CompletionValues::Columns => among(words(COLUMNS)),
        CompletionValues::Codes => {
            let codes = codes().into_iter().map(Code::info);
            let typed = typed.to_ascii_uppercase();
            let candidates = codes.map(|info| CompletionCandidate::new(info.code, info.title));
            Ok(Completion::matching(candidates, &typed, ShellAction::Space))
        }
        CompletionValues::Verdicts => among(append_to_list(typed, Verdict::ALL.map(Verdict::as_str))),
        CompletionValues::Goals => {
            let verdicts = Verdict::ALL.map(Verdict::as_str).into_iter().filter(|word| *word != Verdict::Ok.as_str());
            among(words(GOALS.into_iter().chain(["current"]).chain(verdicts)))
        }
        CompletionValues::Formats => {
            let of_templates = OutputFormat::TEMPLATES.map(|name| format!("{name}="));
            let names = OutputFormat::names_for(cursor.command.get_name());
            match names.iter().any(|name| name.starts_with(typed)) {
                true => among(words(names).into_iter().chain(words(of_templates)).collect()),
                false => Ok(Completion::matching(words(of_templates), typed, ShellAction::MoreToCome)),
            }
        }
        CompletionValues::AppClusters => among(cluster::app_clusters(&connection(cursor)?)?),
        CompletionValues::Environments => among(repository::environments(repository_of(cursor)?)?),
        CompletionValues::Services => among(repository::services(repository_of(cursor)?)?),
        CompletionValues::Assignments if cursor.flag("file").is_some() || typed.contains('=') => {
            Ok(Completion::empty())
        }
        CompletionValues::Assignments if cursor.positionals.is_empty() => {
            among(repository::environments(repository_of(cursor)?)?)
        }
        CompletionValues::Assignments => {
            let services = repository::services(repository_of(cursor)?)?;
            let assigned = services.into_iter().map(|service| format!("{}=", service.value).into());
            Ok(Completion::matching(assigned, typed, ShellAction::MoreToCome))
        }
        CompletionValues::KindsAndObjects => {
            let (connection, namespace) = (connection(cursor)?, cursor.flag("namespace"));
            match typed.split_once('/') {
                Some((kind, _)) => among(cluster::objects(&connection, namespace, kind)?),
                None => {
                    let resources = cluster::ResourceCompletions::from_connection(&connection)?;
                    let mut candidates = resources.kinds();
                    // A completely typed kind may be continued with one of its objects.
                    if candidates.iter().any(|candidate| candidate.value == typed) {
                        candidates.extend(resources.objects(namespace, typed));
                    }
                    among(candidates)
                }
            }
        }
    }
}

fn words<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Vec<CompletionCandidate> {
    words.into_iter().map(|word| CompletionCandidate::from(word.into())).collect()
}

/// Returns candidates that append a word to a list with commas.
fn append_to_list<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<CompletionCandidate> {
    let (before, _) = typed.rsplit_once(',').map_or(("", typed), |(before, _)| typed.split_at(before.len() + 1));
    let is_new = |word: &&str| !before.split(',').any(|given| given.eq_ignore_ascii_case(word));
    words.into_iter().filter(is_new).map(|word| format!("{before}{word}").into()).collect()
}

/// Returns the directory of the repository. A clone would take too long.
fn repository_of<'a>(cursor: &Cursor<'a>) -> Result<Option<&'a str>> {
    match cursor.flag("repo") {
        Some(_) => Err(Error::usage("a repository elsewhere is not cloned for this")),
        None => Ok(cursor.flag("directory")),
    }
}

/// Returns the connection from the flags before the cursor.
fn connection(cursor: &Cursor<'_>) -> Result<ConnectionArgs> {
    let mut flags = <ConnectionArgs as clap::Args>::augment_args(clap::Command::new("ucp"));
    flags.build();
    let mut arguments = vec!["ucp".to_owned()];
    for arg in flags.get_arguments() {
        let Some(long) = arg.get_long() else { continue };
        let id = arg.get_id().as_str();
        let mut given = cursor.flags.iter().filter(|(given, _)| *given == id);
        match arg.get_action() {
            ArgAction::Append => arguments.extend(given.map(|(_, value)| format!("--{long}={value}"))),
            // The command line may repeat a flag by mistake; the last one applies.
            _ => arguments.extend(given.next_back().map(|(_, value)| format!("--{long}={value}"))),
        }
        if cursor.switches.contains(&id) {
            arguments.push(format!("--{long}"));
        }
    }
    let mut connection = ConnectionArgs::from_arg_matches(&flags.try_get_matches_from(arguments)?)?;
    connection.settle();
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    fn offered(words: &[&str]) -> String {
        let mut command = cli::command();
        command.build();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        complete_cursor(&Cursor::find(&command, &words), cli::declared_values).to_string()
    }

    #[test]
    fn the_shared_flags_exist() {
        let mut command = cli::command();
        command.build();
        for (id, _) in SHARED {
            let has_it = |command: &clap::Command| command.get_arguments().any(|arg| arg.get_id() == *id);
            assert!(command.get_subcommands().any(has_it), "{id}");
        }
    }

    #[test]
    fn commands_and_flags_are_offered_from_the_definition() {
        assert!(offered(&["st"]).starts_with("status\tShow whether the control plane is healthy"));
        assert_eq!(offered(&["status", "--exit"]).lines().count(), 2);
        assert_eq!(offered(&["status", "--exit-code", "--exit"]), ":4\n", "given once is enough");
        assert_eq!(offered(&["--color", "al"]).lines().next(), Some("always"));
        assert_eq!(offered(&["frobnicate", "--from", ""]), ":0\n");
    }

    #[test]
    fn values_of_flags_are_offered_from_the_code() {
        assert_eq!(offered(&["-o", "js"]), "json\njsonpath-as-json=\njsonpath-file=\njsonpath=\n:4\n");
        assert_eq!(offered(&["-o", "jsonp"]), "jsonpath-as-json=\njsonpath-file=\njsonpath=\n:6\n");
        assert_eq!(offered(&["resources", "--only=Failed,P"]), "Failed,Paused\nFailed,Progressing\n:4\n");
        assert!(offered(&["explain", "ucp11"]).starts_with("UCP110\ta managed resource cannot be reconciled\n"));
        assert_eq!(offered(&["resources", "--sort-by", "ex"]), "external-name\n:4\n");
    }

    #[test]
    fn offered_columns_can_be_sorted_by() {
        for column in COLUMNS {
            let arguments = ["ucp", "resources", "--sort-by", column];
            assert!(cli::command().try_get_matches_from(arguments).is_ok(), "{column}");
        }
    }

    #[test]
    fn lists_of_known_words_are_completed_after_a_comma() {
        assert_eq!(offered(&["adopt-cluster", "--engine", "argocd,"]), "argocd,flux\n:4\n");
    }

    #[test]
    fn objects_are_offered_from_a_snapshot() {
        let from = "--from=tests/fixtures/quotes";
        assert!(offered(&[from, "resources", "nodep"]).starts_with("nodepool"));
        assert!(offered(&[from, "resources", "nodepool/"]).contains("nodepool/gcp-k8s-np-prod"));
        assert!(offered(&[from, "drift", "application"]).contains("\napplication/stage-echo-server\n"));
        assert!(offered(&[from, "drift", "application/stage-e"]).contains("application/stage-echo-server\n"));
        assert!(offered(&[from, "resources", "--owner", "aws-d"]).starts_with("aws-database"));
        assert_ne!(offered(&[from, "-n", ""]), ":4\n");
        assert!(offered(&[from, "release-cluster", "gcp-k8s-p"]).starts_with("gcp-k8s-prod\n"));
        assert_eq!(offered(&["--from=/nonexistent", "resources", ""]), ":4\n");
    }
}
