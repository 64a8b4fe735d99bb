//! Secrecy: one policy for secrets in texts and in objects, for every command and format.
//!
//! Text from outside is scrubbed when it is read, not when it is printed: by [`Scrubbed`] for fields that engines
//! write, and by [`scrub`] for responses of servers, Git, and other programs. Objects keep their values, since they are
//! compared and sent, and a [`SecretHider`] replaces the secret values before display.

mod ascii;
mod clean;
mod files;
mod hider;
mod innocuous;
mod literal;
mod names;
mod neutral;
mod ordinary;
mod placeholder;
mod reading;
mod registry;
mod text;
mod userinfo;

pub use clean::is_clean;
pub use hider::{
    REGISTRATION_FACTS, REGISTRATION_LABEL, SecretHider, has_secret, register_object_name, register_secret,
    register_secret_value, register_secrets_of, register_value_of_secret, replace_secrets, scrub_about, secrets_of,
};
pub use innocuous::is_innocuous;
pub use literal::{for_each_variable, is_environment, is_runner};
pub use neutral::{holds_secrets, may_be_neutral};
pub use placeholder::Placeholders;
pub use reading::{Scrubbed, optional_text, text};
pub use text::{HIDDEN, hide_known_values, is_hidden_value, scrub};
