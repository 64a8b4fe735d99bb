//! What is never shown: one policy for secrets in texts and in objects, for every command and format.
//!
//! Text that others wrote is scrubbed where it comes in, not where it is printed: [`Scrubbed`] for what engines write into
//! objects, [`scrub`] for what servers, Git and other programs say. Objects keep their values, since they are compared and
//! sent on, and a [`Hider`] replaces the secret ones before anything is shown.

mod clean;
mod hider;
mod names;
mod placeholder;
mod reading;
mod registry;
mod text;
mod userinfo;

pub use clean::is_clean;
pub use hider::{Hider, has_secret, remember, replace_secrets, scrub_about, secrets_of};
pub use placeholder::Placeholders;
pub use reading::{Scrubbed, optional_text, text};
pub use text::{HIDDEN, scrub};
