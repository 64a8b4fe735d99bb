//! Determines the position of the cursor: the command that is being typed, and its next argument.

use clap::{Arg, ArgAction, Command};

/// The command line before the cursor, and the word in progress.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// The command that the words name.
    pub(super) command: &'a Command,
    /// Flags with their values before the cursor, by the argument's ID.
    pub(super) flags: Vec<(&'a str, &'a str)>,
    /// Positional values before the cursor, by the argument's ID.
    pub(super) positionals: Vec<(&'a str, &'a str)>,
    /// IDs of the flags without a value before the cursor.
    pub(super) switches: Vec<&'a str>,
    /// The role of the word in progress.
    pub(super) next: WordRole<'a>,
    /// The typed part of that word.
    pub(super) typed: &'a str,
}

/// The role of a word.
#[derive(Debug, Clone, Copy)]
pub(super) enum WordRole<'a> {
    /// The name of a command.
    Command,
    /// A flag.
    Flag,
    /// The value of an argument.
    Value(&'a Arg),
    /// Nothing that the command accepts.
    Nothing,
}

impl<'a> Cursor<'a> {
    /// Parses the words, the last of which is in progress, by the definition of a built command.
    pub(super) fn find(command: &'a Command, words: &'a [String]) -> Self {
        let (typed, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
        let cursor =
            Self { command, flags: vec![], positionals: vec![], switches: vec![], next: WordRole::Nothing, typed: "" };
        let mut walk = CommandLineWalk { cursor, awaited: None, is_escaped: false };
        before.iter().for_each(|word| walk.take_word(word));
        walk.finish(typed)
    }

    /// Returns the last value of a flag.
    pub(super) fn flag(&self, id: &str) -> Option<&'a str> {
        self.flags.iter().rev().find(|(given, _)| *given == id).map(|(_, value)| *value)
    }
}

struct CommandLineWalk<'a> {
    cursor: Cursor<'a>,
    /// A flag whose value is the next word.
    awaited: Option<&'a Arg>,
    /// True after `--`: later words are not flags.
    is_escaped: bool,
}

impl<'a> CommandLineWalk<'a> {
    fn take_word(&mut self, word: &'a str) {
        if let Some(arg) = self.awaited.take() {
            self.cursor.flags.push((arg.get_id().as_str(), word));
        } else if self.is_escaped {
            self.take_positional(word);
        } else if word == "--" {
            self.is_escaped = true;
        } else if let Some(flag) = word.strip_prefix("--") {
            match flag.split_once('=') {
                Some((name, value)) => {
                    if let Some(arg) = self.long(name) {
                        self.cursor.flags.push((arg.get_id().as_str(), value));
                    }
                }
                None => self.take_flag(self.long(flag)),
            }
        } else if let Some(cluster) = word.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            self.take_short(cluster);
        } else if let Some(command) = self.subcommand(word) {
            self.cursor.command = command;
        } else {
            self.take_positional(word);
        }
    }

    fn take_flag(&mut self, arg: Option<&'a Arg>) {
        let Some(arg) = arg else { return };
        if !takes_value(arg) {
            self.cursor.switches.push(arg.get_id().as_str());
        } else if !arg.is_require_equals_set() {
            self.awaited = Some(arg);
        }
    }

    /// Parses `-A`, `-Aw`, `-n NAME`, `-nNAME` and `-n=NAME`.
    fn take_short(&mut self, cluster: &'a str) {
        for (position, letter) in cluster.char_indices() {
            let Some(arg) = self.cursor.command.get_arguments().find(|arg| arg.get_short() == Some(letter)) else {
                return;
            };
            let rest = &cluster[position + letter.len_utf8()..];
            if takes_value(arg) && !rest.is_empty() {
                let value = rest.strip_prefix('=').unwrap_or(rest);
                return self.cursor.flags.push((arg.get_id().as_str(), value));
            }
            self.take_flag(Some(arg));
        }
    }

    fn take_positional(&mut self, word: &'a str) {
        if let Some(arg) = self.positional() {
            self.cursor.positionals.push((arg.get_id().as_str(), word));
        }
    }

    fn finish(mut self, typed: &'a str) -> Cursor<'a> {
        let with_value = typed.strip_prefix("--").and_then(|flag| flag.split_once('='));
        (self.cursor.next, self.cursor.typed) = match (self.awaited, with_value) {
            (Some(arg), _) => (WordRole::Value(arg), typed),
            (None, Some((name, value))) if !self.is_escaped => {
                (self.long(name).map_or(WordRole::Nothing, WordRole::Value), value)
            }
            _ if !self.is_escaped && typed.starts_with('-') => (WordRole::Flag, typed),
            _ if self.cursor.positionals.is_empty() && self.cursor.command.has_subcommands() => {
                (WordRole::Command, typed)
            }
            _ => (self.positional().map_or(WordRole::Nothing, WordRole::Value), typed),
        };
        self.cursor
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        let is_called = |arg: &&Arg| {
            arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        };
        self.cursor.command.get_arguments().find(is_called)
    }

    fn subcommand(&self, word: &str) -> Option<&'a Command> {
        // After a positional value, there are no subcommands.
        self.cursor.positionals.is_empty().then(|| self.cursor.command.find_subcommand(word)).flatten()
    }

    /// Returns the argument of the next positional value: the last one takes all further values if it may repeat.
    fn positional(&self) -> Option<&'a Arg> {
        let arguments: Vec<_> = self.cursor.command.get_positionals().collect();
        let last = arguments.last().filter(|last| matches!(last.get_action(), ArgAction::Append));
        arguments.get(self.cursor.positionals.len()).or(last).copied()
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

#[cfg(test)]
mod tests {
    use clap::arg;
    use proptest::prelude::*;

    use super::*;

    fn definition() -> Command {
        let mut command = Command::new("ucp")
            .arg(arg!(-n --namespace <NAME>).global(true))
            .arg(arg!(-A - -"all-namespaces").global(true))
            .subcommand(
                Command::new("resources")
                    .visible_alias("managed")
                    .arg(arg!(kinds: [KIND]...).action(ArgAction::Append))
                    .arg(arg!(--only <VERDICT>)),
            )
            .subcommand(Command::new("promote").arg(arg!(<from>)).arg(arg!(<to>)));
        command.build();
        command
    }

    fn at(line: &str) -> String {
        let command = definition();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let cursor = Cursor::find(&command, &words);
        let next = match cursor.next {
            WordRole::Command => "command",
            WordRole::Flag => "flag",
            WordRole::Value(arg) => arg.get_id().as_str(),
            WordRole::Nothing => "nothing",
        };
        format!("{} {next} {:?}", cursor.command.get_name(), cursor.typed)
    }

    #[test]
    fn the_cursor_is_found() {
        for (line, place) in [
            ("", "ucp command \"\""),
            ("res", "ucp command \"res\""),
            ("--na", "ucp flag \"--na\""),
            ("-n ", "ucp namespace \"\""),
            ("-n prod ", "ucp command \"\""),
            ("-n=prod ", "ucp command \"\""),
            ("-nprod ", "ucp command \"\""),
            ("-An ", "ucp namespace \"\""),
            ("-A ", "ucp command \"\""),
            ("managed ", "resources kinds \"\""),
            ("resources nodepool clu", "resources kinds \"clu\""),
            ("resources --only Fai", "resources only \"Fai\""),
            ("resources --only=Fai", "resources only \"Fai\""),
            ("resources --only=Failed clu", "resources kinds \"clu\""),
            ("resources --unknown clu", "resources kinds \"clu\""),
            ("resources -- --only", "resources kinds \"--only\""),
            ("promote ", "promote from \"\""),
            ("promote stage pr", "promote to \"pr\""),
            ("promote stage prod ", "promote nothing \"\""),
            ("promote promote ", "promote to \"\""),
            ("frobnicate ", "ucp command \"\""),
        ] {
            assert_eq!(at(line), place, "{line:?}");
        }
    }

    #[test]
    fn the_given_flags_and_arguments_are_known() {
        let command = definition();
        let words = ["-n", "prod", "resources", "-A", "a", "b", ""].map(str::to_owned);
        let cursor = Cursor::find(&command, &words);
        assert_eq!(cursor.flags, [("namespace", "prod")]);
        assert_eq!(cursor.switches, ["all-namespaces"]);
        assert_eq!(cursor.positionals, [("kinds", "a"), ("kinds", "b")]);
    }

    proptest! {
        #[test]
        fn no_arguments_make_completion_panic(words in proptest::collection::vec("(--?)?[a-zäA=,/ -]{0,6}", 0..6)) {
            let command = definition();
            Cursor::find(&command, &words);
        }
    }
}
