//! Missing arguments: on a terminal, the user picks a value; otherwise they are a usage error that lists the choices.

use crate::cli::Context;
use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, HeaderVisibility, TableStyle, words};
use crate::ui::{Interaction, PickerChoice, style, styled};
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::shell::{quote_value, quote_word};
use ucp_core::model::text::{is_plain_word, one_line};

/// Columns of a picker besides its lines: a mark, a box, and the spaces between.
const MARGIN: usize = 6;
/// Number of choices that a usage error lists.
const LISTED: usize = 20;

/// A missing argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct MissingArgument<'a> {
    /// The name of the argument in the help.
    pub(super) argument: &'a str,
    /// The question of the picker.
    pub(super) question: &'a str,
    /// A command line that includes the argument.
    pub(super) usage: &'a str,
}

/// A possible value, and a note about it.
#[derive(Debug, Clone)]
pub(super) struct PickCandidate {
    /// The value on the command line.
    pub(super) value: String,
    /// The text that distinguishes it from others; may be empty.
    pub(super) note: String,
}

impl PickCandidate {
    pub(super) fn new(value: impl Into<String>, note: impl Into<String>) -> Self {
        Self { value: value.into(), note: note.into() }
    }
}

impl MissingArgument<'_> {
    /// Returns the usage error that lists the choices.
    pub(super) fn error(&self, candidates: &[PickCandidate]) -> Error {
        let values: Vec<_> = candidates.iter().map(|candidate| one_line(&candidate.value)).collect();
        let Self { argument, usage, .. } = self;
        let known = match values.as_slice() {
            [] => "there are no values to select from".to_owned(),
            values => format!("known: {}", words::join_limited(values, LISTED)),
        };
        Error::usage(format!("{argument} is missing")).hint(format!("{known}\nusage: {usage}"))
    }
}

/// Returns the interaction mode: unattended with `--yes`.
pub(super) fn interaction_mode(context: &Context, yes: bool) -> Interaction {
    if yes { Interaction::Unattended } else { context.ui.interaction() }
}

impl Context {
    /// Lets the user pick one of the candidates.
    ///
    /// # Errors
    /// Returns the usage error if the user cannot be asked or there is no candidate, and an error if the user cancels.
    pub(super) fn pick(
        &self,
        who: Interaction,
        missing: &MissingArgument<'_>,
        candidates: &[PickCandidate],
    ) -> Result<String> {
        match (who, candidates) {
            (Interaction::Unattended, _) | (_, []) => Err(missing.error(candidates)),
            _ => self.ui.pick(missing.question, choices(candidates)),
        }
    }

    /// Lets the user pick some of the candidates.
    ///
    /// # Errors
    /// Same as [`Context::pick`].
    pub(super) fn pick_some(
        &self,
        who: Interaction,
        missing: &MissingArgument<'_>,
        candidates: &[PickCandidate],
    ) -> Result<Vec<String>> {
        match (who, candidates) {
            (Interaction::Unattended, _) | (_, []) => Err(missing.error(candidates)),
            _ => self.ui.pick_some(missing.question, choices(candidates)),
        }
    }

    /// Shows the command line that would have needed no prompt: the picked values are inserted before the word
    /// `before`, or appended.
    pub(super) fn show_equivalent_command<'w>(&self, picked: impl IntoIterator<Item = &'w str>, before: Option<&str>) {
        let line = command_line(&self.typed, picked, before);
        self.ui.message(&styled(style::FAINT, &format!("To run this without prompts: {line}")));
    }
}

/// Returns the lines of a list, in columns that fit the terminal.
fn choices(candidates: &[PickCandidate]) -> Vec<PickerChoice> {
    let width = crate::ui::screen().map(|(width, _)| width.saturating_sub(MARGIN));
    let style = TableStyle { width, detail: DetailLevel::Normal, headers: HeaderVisibility::Hidden };
    let rows = candidates.iter().map(|candidate| vec![one_line(&candidate.value), one_line(&candidate.note)]);
    let lines = table(&[TableColumn::Fixed("VALUE"), TableColumn::Flexible("NOTE")], rows, &style);
    let lines = lines.lines().map(str::to_owned);
    let values = candidates.iter().map(|candidate| candidate.value.clone());
    values.zip(lines).map(|(value, line)| PickerChoice { value, line }).collect()
}

/// Returns the command line, quoted for a shell and without credentials.
fn command_line<'w>(typed: &[String], picked: impl IntoIterator<Item = &'w str>, before: Option<&str>) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in typed {
        let is_token = words.last().is_some_and(|last| last == "--token");
        words.push(match word.strip_prefix("--token=") {
            Some(_) => "--token=…".to_owned(),
            None if is_token => "…".to_owned(),
            None => scrub(word).into_owned(),
        });
    }
    let place = before.and_then(|before| words.iter().position(|word| word == before)).unwrap_or(words.len());
    let quoted = |word: &String| match is_plain_word(word) {
        true => one_line(word),
        false => one_line(&quote_value(word)),
    };
    let mut words: Vec<String> = words.iter().map(quoted).collect();
    // They are names of objects, and what was typed may be flags.
    words.splice(place..place, picked.into_iter().map(|name| quote_word(name).into_owned()));
    format!("kubectl ucp {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(typed: &[&str], picked: &[&str], before: Option<&str>) -> String {
        let typed: Vec<_> = typed.iter().map(|word| (*word).to_owned()).collect();
        command_line(&typed, picked.iter().copied(), before)
    }

    #[test]
    fn the_completed_command_line_can_be_pasted() {
        assert_eq!(
            completed(&["promote", "--push", "--message", "it's new"], &["stage", "prod"], None),
            r"kubectl ucp promote --push --message it\'s\ new stage prod"
        );
        assert_eq!(
            completed(&["set-image", "--yes", "api=v2"], &["stage"], Some("api=v2")),
            "kubectl ucp set-image --yes stage api=v2"
        );
    }

    #[test]
    fn credentials_are_not_repeated() {
        for typed in
            [&["--token", "s3cret", "promote"][..], &["promote", "--token=s3cret"], &["--repo=https://a:s3cret@b/c"]]
        {
            let completed = completed(typed, &["stage"], None);
            assert!(!completed.contains("s3cret") && completed.ends_with(" stage"), "{completed}");
        }
    }

    #[test]
    fn only_a_part_of_a_long_list_of_choices_is_shown() {
        let candidates: Vec<_> = (0..30).map(|number| PickCandidate::new(format!("c{number}"), "")).collect();
        let missing = MissingArgument { argument: "NAME", question: "Which?", usage: "kubectl ucp x NAME" };
        let report = missing.error(&candidates).report();
        assert!(report.starts_with("error: NAME is missing\nhint: known: c0, c1, "), "{report}");
        assert!(report.ends_with(", c19 and 10 more\nusage: kubectl ucp x NAME"), "{report}");
        assert!(missing.error(&[]).report().contains("there are no values to select from"));
    }
}
