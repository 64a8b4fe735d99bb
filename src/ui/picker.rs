//! Questions to a person at a terminal, drawn on standard error: one of a list, some of it, a word or a secret.

use anstream::ColorChoice;
use inquire::list_option::ListOption;
use inquire::ui::RenderConfig;
use inquire::validator::{StringValidator, Validation};
use inquire::{InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text};
use secrecy::SecretString;

use super::Ui;
use crate::error::{Error, Result};
use crate::model::text::one_line;

/// Lines of a list that are shown at once.
const LINES: usize = 12;

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What the command line would name.
    pub value: String,
    /// How the list shows it; typing looks for it here.
    pub line: String,
}

/// A list shows the line, and an answer the value.
impl std::fmt::Display for Choice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.line)
    }
}

impl Ui {
    /// Lets a person pick one of a list, by moving or by typing some of its letters.
    ///
    /// # Errors
    /// When there is nothing to pick, the terminal fails, or the person leaves.
    pub fn pick(&self, question: &str, choices: Vec<Choice>) -> Result<String> {
        let picked = Select::new(&one_line(question), choices)
            .with_page_size(LINES)
            .with_help_message("type to filter, ↑↓ to move, Enter to select, Esc to cancel")
            .with_formatter(&|choice| one_line(&choice.value.value))
            .with_render_config(self.looks())
            .prompt();
        Ok(picked.map_err(left)?.value)
    }

    /// Lets a person pick some of a list, at least one.
    ///
    /// # Errors
    /// As [`Ui::pick`].
    pub fn pick_some(&self, question: &str, choices: Vec<Choice>) -> Result<Vec<String>> {
        let values = |picked: &[ListOption<&Choice>]| {
            picked.iter().map(|choice| one_line(&choice.value.value)).collect::<Vec<_>>().join(", ")
        };
        let picked = MultiSelect::new(&one_line(question), choices)
            .with_page_size(LINES)
            .with_help_message("Space to select, → all, ← none, type to filter, Enter when done")
            .with_validator(|picked: &[ListOption<&Choice>]| {
                let nothing = || Validation::Invalid("nothing is selected yet: press Space".into());
                Ok(if picked.is_empty() { nothing() } else { Validation::Valid })
            })
            .with_formatter(&values)
            .with_render_config(self.looks())
            .prompt();
        Ok(picked.map_err(left)?.into_iter().map(|choice| choice.value).collect())
    }

    /// Asks a person for a word. `fault` says what is wrong with one, and then it is asked for again.
    ///
    /// # Errors
    /// When the terminal fails, or the person leaves.
    pub fn ask(&self, question: &str, fault: impl Fn(&str) -> Option<String> + Clone + 'static) -> Result<String> {
        let validator = move |word: &str| {
            Ok(match fault(word.trim()) {
                Some(fault) => Validation::Invalid(one_line(&fault).into()),
                None => Validation::Valid,
            })
        };
        let word = Text::new(&one_line(question))
            .with_validators(&[Box::new(validator) as Box<dyn StringValidator>])
            .with_render_config(self.looks())
            .prompt();
        Ok(word.map_err(left)?.trim().to_owned())
    }

    /// Asks a person for a secret, which the terminal does not show.
    ///
    /// # Errors
    /// When the terminal fails, or the person leaves.
    pub fn ask_secret(&self, question: &str) -> Result<SecretString> {
        let is_given = |word: &str| {
            let nothing = || Validation::Invalid("nothing was typed".into());
            Ok(if word.is_empty() { nothing() } else { Validation::Valid })
        };
        let word = Password::new(&one_line(question))
            .with_display_mode(PasswordDisplayMode::Hidden)
            .without_confirmation()
            .with_validator(is_given)
            .with_render_config(self.looks())
            .prompt();
        Ok(SecretString::from(word.map_err(left)?))
    }

    fn looks(&self) -> RenderConfig<'static> {
        match self.color_on(&std::io::stderr()) {
            ColorChoice::Never => RenderConfig::empty(),
            _ => RenderConfig::default_colored(),
        }
    }
}

/// Esc and Ctrl-C are no mistakes, and an error besides.
fn left(error: InquireError) -> Error {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => Error::left(),
        error => Error::failed(error),
    }
}
