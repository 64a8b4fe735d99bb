//! The global flags that each command supports. Other flags are refused and hidden from its help: a flag without effect
//! would be misleading.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args as _, Command};

use super::spec::FlagGroup::{self, Cluster, Namespace, Output, Rights, Selector, Series, Several, Snapshot};
use super::spec::{CommandSpec, FlagCondition};
use super::{Globals, specs};
use crate::render::OutputFormat;
use ucp_core::error::{Error, Result};

/// Returns the group of a flag; `None` for flags that every command supports, such as verbosity and colors.
fn flag_group(id: &str) -> Option<FlagGroup> {
    Some(match id {
        "from" => Snapshot,
        "contexts" | "all_contexts" => Several,
        "namespace" | "all_namespaces" => Namespace,
        "selector" => Selector,
        "output" | "no_headers" => Output,
        "print_rbac" => Rights,
        "quiet" | "no_pager" | "color" | "verbosity" | "cache_dir" => return None,
        _ => Cluster,
    })
}

/// Returns the declaration of a command, by the words that name it: its own, or that of the command it belongs to.
fn declaration(words: &[&str]) -> Option<&'static CommandSpec> {
    let declared = |name: String| specs().find(|spec| spec.name == name);
    (1..=words.len()).rev().find_map(|length| declared(words[..length].join(" ")))
}

/// Returns the flags that a command supports, by the words that name it; `None` if the command is not declared.
pub fn supported_flags(words: &[&str]) -> Option<&'static [FlagGroup]> {
    declaration(words).map(|spec| spec.flags)
}

/// Returns true if a command supports a global flag.
pub fn supports_flag(words: &[&str], id: &str) -> bool {
    flag_group(id).is_none_or(|group| supported_flags(words).is_some_and(|flags| flags.contains(&group)))
}

/// Hides unsupported global flags from each command's help and completion.
pub(super) fn hide_unsupported_flags(command: Command) -> Command {
    fn hide(command: Command, words: &[String], globals: &Command) -> Command {
        let mut words = words.to_vec();
        words.push(command.get_name().to_owned());
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_own = |id: &clap::Id| command.get_arguments().any(|arg| arg.get_id() == id);
        let unheeded = globals
            .get_arguments()
            .filter(|arg| !supports_flag(&names, arg.get_id().as_str()) && !is_own(arg.get_id()));
        let unheeded: Vec<_> = unheeded.map(|arg| arg.clone().hide(true)).collect();
        command.args(unheeded).mut_subcommands(|below| hide(below, &words, globals))
    }
    let globals = Globals::augment_args(Command::new("globals"));
    command.mut_subcommands(|below| hide(below, &[], &globals))
}

/// Returns the words of the parsed command, and its matches.
pub(super) fn words(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut words, mut at) = (Vec::new(), matches);
    while let Some((name, below)) = at.subcommand() {
        words.push(name);
        at = below;
    }
    (words, at)
}

/// Refuses flags on the command line that are not supported.
pub(super) fn check(matches: &ArgMatches) -> Result<()> {
    let (words, given) = words(matches);
    let globals = Globals::augment_args(Command::new("globals"));
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    let refused = globals
        .get_arguments()
        .find(|arg| !supports_flag(&words, arg.get_id().as_str()) && is_given(arg.get_id().as_str()));
    let command = words.join(" ");
    let Some(refused) = refused else {
        let snapshots = given.try_get_many::<PathBuf>("from").ok().flatten().map_or(0, Iterator::count);
        let reads_several = |flags: &[FlagGroup]| flags.contains(&Several) || flags.contains(&Series);
        if snapshots > 1 && !supported_flags(&words).is_some_and(reads_several) {
            return Err(unheeded(&command, "from", " more than once: it reads one snapshot"));
        }
        return check_dependent(&words, given);
    };
    let why = match flag_group(refused.get_id().as_str()) {
        Some(Snapshot) if supports_flag(&words, "context") => ": it needs a cluster, not a snapshot",
        _ => "",
    };
    Err(unheeded(&command, refused.get_id().as_str(), why))
}

/// Refuses flags that are supported only in combination with others.
fn check_dependent(words: &[&str], given: &ArgMatches) -> Result<()> {
    let is_given =
        |id: &str| given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine);
    let globals = GivenFlags::from_matches(given);
    for dependent in declaration(words).map_or(&[][..], |spec| spec.dependent) {
        let why = match &dependent.condition {
            FlagCondition::AnyOf(others) if others.iter().any(|id| is_given(id)) => continue,
            FlagCondition::AnyOf(others) => format!(" without --{}", long_name(others[0])),
            FlagCondition::Without(other) if !is_given(other) => continue,
            FlagCondition::Without(other) => format!(" with --{}", long_name(other)),
        };
        let flag = dependent.flags.iter().copied().find(|id| is_given(id));
        if let Some(id) = flag.or_else(|| globals.first(dependent.groups)) {
            return Err(unheeded(&words.join(" "), id, &why));
        }
    }
    Ok(())
}

fn unheeded(command: &str, id: &str, why: &str) -> Error {
    Error::usage(format!("'{command}' does not support --{}{why}", long_name(id)))
        .hint(format!("'kubectl ucp {command} --help' lists its options"))
}

fn is_switch(id: &str) -> bool {
    let globals = Globals::augment_args(Command::new("globals"));
    globals.get_arguments().any(|arg| arg.get_id() == id && matches!(arg.get_action(), ArgAction::SetTrue))
}

/// Returns the long name of a flag.
fn long_name(id: &str) -> String {
    let globals = Globals::augment_args(Command::new("globals"));
    let flag = globals.get_arguments().find(|arg| arg.get_id() == id).and_then(|arg| arg.get_long());
    flag.map_or_else(|| id.replace('_', "-"), str::to_owned)
}

/// The global flags of a command line, for a command that decides later which of them it supports.
#[derive(Debug, Clone, Default)]
pub struct GivenFlags(Vec<GivenFlag>);

/// A global flag on the command line.
#[derive(Clone)]
struct GivenFlag {
    group: FlagGroup,
    id: String,
    /// The values are not part of `Debug`, since one of them may be a token.
    values: Vec<OsString>,
}

impl fmt::Debug for GivenFlag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.id)
    }
}

impl GivenFlags {
    /// Returns the global flags on the command line.
    pub(super) fn from_matches(given: &ArgMatches) -> Self {
        let globals = Globals::augment_args(Command::new("globals"));
        let typed = globals
            .get_arguments()
            .map(|arg| arg.get_id().as_str())
            .filter(|id| given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine));
        let flag = |id: &str| {
            let values = given.get_raw(id).into_iter().flatten().map(ToOwned::to_owned).collect();
            Some(GivenFlag { group: flag_group(id)?, id: id.to_owned(), values })
        };
        Self(typed.filter_map(flag).collect())
    }

    fn first(&self, groups: &[FlagGroup]) -> Option<&str> {
        self.0.iter().find(|given| groups.contains(&given.group)).map(|given| given.id.as_str())
    }

    /// Returns the flags of a group except `--context`, for another process of this program.
    pub(super) fn group_arguments(&self, group: FlagGroup) -> Vec<OsString> {
        let of_group = self.0.iter().filter(|given| given.group == group && given.id != "context");
        let word = |id: &str, value: &OsString| match value.to_str() {
            // clap does not accept `--flag=true` for a switch.
            Some("true" | "false") if is_switch(id) => {
                (value == "true").then(|| OsString::from(format!("--{}", long_name(id))))
            }
            _ => {
                let mut word = OsString::from(format!("--{}=", long_name(id)));
                word.push(value);
                Some(word)
            }
        };
        of_group.flat_map(|given| given.values.iter().filter_map(|value| word(&given.id, value))).collect()
    }

    /// Refuses flags that select a cluster or snapshot, for a command that reads none.
    ///
    /// # Errors
    /// Returns a usage error with the first of them, and the flag that would enable it.
    pub(super) fn refuse_sources(&self, command: &str, without: &str) -> Result<()> {
        match self.first(&[Cluster, Snapshot, Several, Namespace]) {
            Some(id) => Err(unheeded(command, id, &format!(" without {without}"))),
            None => Ok(()),
        }
    }
}

/// Refuses a format that the command's document does not have, before anything is done.
pub(super) fn check_format(words: &[&str], format: &OutputFormat) -> Result<()> {
    match format.only_for() {
        Some((commands, what)) if !matches!(words, [word] if commands.contains(word)) => {
            let names: Vec<_> = commands.iter().map(|command| format!("'kubectl ucp {command}'")).collect();
            Err(Error::usage(format!("{what}: it is for {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_declares_its_supported_flags() {
        let command = crate::cli::command();
        for name in command.get_subcommands().map(Command::get_name) {
            assert!(supported_flags(&[name]).is_some(), "{name} is not in GROUPS");
        }
        for spec in specs() {
            let found = spec.name.split(' ').try_fold(&command, |at, word| at.find_subcommand(word));
            assert!(found.is_some(), "{} is declared, and no command", spec.name);
        }
    }

    #[test]
    fn next_commands_for_a_snapshot_support_snapshots() {
        let live = specs().filter(|spec| spec.flags.contains(&Cluster) && !spec.flags.contains(&Snapshot));
        let live: BTreeSet<_> = live.map(|spec| spec.name).collect();
        assert_eq!(live, BTreeSet::from_iter(crate::report::command::LIVE_ONLY.iter().copied()));
    }

    #[test]
    fn the_longest_matching_command_name_decides() {
        assert_eq!(supported_flags(&["completion", "bash"]), supported_flags(&["completion"]));
        assert_eq!(supported_flags(&["nonsense"]), None);
        assert!(supports_flag(&["explain"], "no_pager") && !supports_flag(&["explain"], "context"));
    }
}
