//! Tickets: random texts that prove that a request comes from the person who started the server. Other users of the
//! machine can reach its port, too.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

use ucp_core::error::{Error, Result};

/// A random text of 256 bits, in characters that need no escape in URLs.
#[derive(Clone)]
pub struct Ticket(String);

impl Ticket {
    /// Draws a ticket.
    ///
    /// # Errors
    /// Fails when the system has no random numbers.
    pub fn draw() -> Result<Self> {
        let mut bytes = [0; 32];
        let no_random = |_| Error::failed("the system returned no random numbers");
        SystemRandom::new().fill(&mut bytes).map_err(no_random)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns the text, for the person and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Compares a text with the ticket, in a time that does not depend on where they differ.
    pub fn is(&self, text: &str) -> bool {
        let digest = |text: &str| ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        digest(text).as_ref() == digest(&self.0).as_ref()
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Ticket")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_only_equals_itself_and_is_never_printed() {
        let (one, other) = (Ticket::draw().unwrap(), Ticket::draw().unwrap());
        assert!(one.is(one.expose()) && !one.is(other.expose()) && !one.is(""));
        assert!(!format!("{one:?}").contains(one.expose()));
    }
}
