//! Interactive prompts on standard error: single and multiple selection, text, and secrets.

use anstream::ColorChoice;
use inquire::list_option::ListOption;
use inquire::ui::RenderConfig;
use inquire::validator::{StringValidator, Validation};
use inquire::{InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text};
use secrecy::SecretString;

use super::Ui;
use ucp_core::error::{Error, Result};
use ucp_core::model::text::one_line;

/// The maximum number of list lines that are visible.
const LINES: usize = 12;

/// An option of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickerChoice {
    /// The value of the option, as on the command line.
    pub value: String,
    /// The line in the list, which is also searched while typing.
    pub line: String,
}

/// Formats the line, which the list shows; the answer is the value.
impl std::fmt::Display for PickerChoice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.line)
    }
}

impl Ui {
    /// Prompts the user to select one option of a list, with arrow keys or by typing a part of it.
    ///
    /// # Errors
    /// Fails when the list is empty, the terminal fails, or the user cancels.
    pub fn pick(&self, question: &str, choices: Vec<PickerChoice>) -> Result<String> {
        let picked = Select::new(&one_line(question), choices)
            .with_page_size(LINES)
            .with_help_message("type to filter, ↑↓ to move, Enter to select, Esc to cancel")
            .with_formatter(&|choice| one_line(&choice.value.value))
            .with_render_config(self.looks())
            .prompt();
        Ok(picked.map_err(cancellation_error)?.value)
    }

    /// Prompts the user to select at least one option of a list.
    ///
    /// # Errors
    /// The same as for [`Ui::pick`].
    pub fn pick_some(&self, question: &str, choices: Vec<PickerChoice>) -> Result<Vec<String>> {
        let values = |picked: &[ListOption<&PickerChoice>]| {
            picked.iter().map(|choice| one_line(&choice.value.value)).collect::<Vec<_>>().join(", ")
        };
        let picked = MultiSelect::new(&one_line(question), choices)
            .with_page_size(LINES)
            .with_help_message("Space to select, → all, ← none, type to filter, Enter when done")
            .with_validator(|picked: &[ListOption<&PickerChoice>]| {
                let nothing = || Validation::Invalid("nothing is selected yet: press Space".into());
                Ok(if picked.is_empty() { nothing() } else { Validation::Valid })
            })
            .with_formatter(&values)
            .with_render_config(self.looks())
            .prompt();
        Ok(picked.map_err(cancellation_error)?.into_iter().map(|choice| choice.value).collect())
    }

    /// Prompts the user for a text. If `fault` returns a message for it, the prompt is repeated with that message.
    ///
    /// # Errors
    /// Fails when the terminal fails, or the user cancels.
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
        Ok(word.map_err(cancellation_error)?.trim().to_owned())
    }

    /// Prompts the user for a secret, which is not displayed.
    ///
    /// # Errors
    /// Fails when the terminal fails, or the user cancels.
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
        Ok(SecretString::from(word.map_err(cancellation_error)?))
    }

    fn looks(&self) -> RenderConfig<'static> {
        match self.color_on(&std::io::stderr()) {
            ColorChoice::Never => RenderConfig::empty(),
            _ => RenderConfig::default_colored(),
        }
    }
}

/// Distinguishes cancellation with Esc and Ctrl-C from failures.
fn cancellation_error(error: InquireError) -> Error {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => Error::canceled(),
        error => error.into(),
    }
}
