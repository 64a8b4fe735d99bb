//! Boolean flags in the forms of kubectl: `--watch`, `--watch=true`, `--watch=false`.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::{ArgAction, Command};

/// The flags that take no value in any command.
struct Switches {
    longs: BTreeSet<String>,
    shorts: BTreeSet<char>,
    /// Each short flag with its long form.
    pairs: BTreeSet<(char, String)>,
}

impl Switches {
    fn from_command(command: &Command) -> Self {
        let mut all = Vec::new();
        collect(command, &mut all);
        let is_switch = |arg: &clap::Arg| matches!(arg.get_action(), ArgAction::SetTrue);
        let (switches, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|arg| is_switch(arg));
        let is_free = |long: &str| others.iter().all(|arg| arg.get_long() != Some(long));
        let is_free_short = |short: char| others.iter().all(|arg| arg.get_short() != Some(short));
        let longs = switches.iter().filter_map(|arg| arg.get_long()).filter(|long| is_free(long));
        let shorts = switches.iter().filter_map(|arg| arg.get_short()).filter(|short| is_free_short(*short));
        let pairs = switches.iter().filter_map(|arg| Some((arg.get_short()?, arg.get_long()?.to_owned())));
        Self { longs: longs.map(str::to_owned).collect(), shorts: shorts.collect(), pairs: pairs.collect() }
    }

    /// Splits a word such as `--watch=true` into flag and value, if the flag is a switch.
    fn split<'w>(&self, word: &'w str) -> Option<(&'w str, &'w str)> {
        let (flag, value) = word.split_once('=')?;
        let known = match (flag.strip_prefix("--"), flag.strip_prefix('-')) {
            (Some(long), _) => self.longs.contains(long),
            (None, Some(short)) => {
                let mut letters = short.chars();
                letters.next().is_some_and(|letter| self.shorts.contains(&letter)) && letters.next().is_none()
            }
            (None, None) => false,
        };
        known.then_some((flag, value))
    }

    /// Returns true if two words are the same flag, in short or long form.
    fn is_same_flag(&self, left: &str, right: &str) -> bool {
        let is_pair = |short: &str, long: &str| {
            self.pairs.iter().any(|(letter, name)| short == format!("-{letter}") && long == format!("--{name}"))
        };
        left == right || is_pair(left, right) || is_pair(right, left)
    }
}

fn collect<'c>(command: &'c Command, all: &mut Vec<&'c clap::Arg>) {
    all.extend(command.get_arguments());
    command.get_subcommands().for_each(|below| collect(below, all));
}

/// Parses a boolean like Go's `strconv.ParseBool`, which kubectl's flags use.
fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Removes the values of boolean flags from the command line: `=true` is dropped, and `=false` removes the flag too. A
/// value that is not a boolean is kept, so that the parser reports it.
pub(super) fn strip_boolean_values(command: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let has_value = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with('-') && word.contains('='));
    if !arguments.iter().any(has_value) {
        return arguments;
    }
    let switches = Switches::from_command(command);
    let mut kept: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut words = arguments.into_iter();
    for word in words.by_ref() {
        if word == "--" {
            kept.push(word);
            break;
        }
        let split = word.to_str().and_then(|text| switches.split(text));
        match split.and_then(|(flag, value)| Some((flag, parse_bool(value)?))) {
            Some((flag, true)) => kept.push(flag.into()),
            // The last occurrence of a flag takes precedence.
            Some((flag, false)) => {
                kept.retain(|word| !word.to_str().is_some_and(|word| switches.is_same_flag(word, flag)))
            }
            None => kept.push(word),
        }
    }
    kept.extend(words);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let kept = strip_boolean_values(&crate::cli::command(), words);
        kept.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn booleans_are_parsed_as_by_kubectl() {
        for (line, expected) in [
            ("ucp status --watch=true", "ucp status --watch"),
            ("ucp status --watch=false -w=1", "ucp status -w"),
            ("ucp status --watch -w=false", "ucp status"),
            ("ucp status -A=T --quiet=0", "ucp status -A"),
            ("ucp status --watch=maybe", "ucp status --watch=maybe"),
            ("ucp status --from=true", "ucp status --from=true"),
            ("ucp plan -- --watch=true", "ucp plan -- --watch=true"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }
}
