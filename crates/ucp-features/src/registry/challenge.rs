//! `WWW-Authenticate: Bearer` of registries.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::reference::split_origin;
use ucp_core::failure::Failure;

/// The request for a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenChallenge {
    realm: String,
    service: Option<String>,
}

impl TokenChallenge {
    /// Parses the header, or returns `None` if the registry asks for something else.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let parameters = header.strip_prefix("Bearer ").or_else(|| header.strip_prefix("bearer "))?;
        let mut values = BTreeMap::new();
        let mut rest = parameters;
        while let Some((name, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"')?;
            values.insert(name.trim_matches([',', ' ']).to_ascii_lowercase(), value.to_owned());
            rest = after;
        }
        Some(Self { realm: values.remove("realm")?, service: values.remove("service") })
    }

    /// Returns the server of tokens, and the path of the request for a token with a scope.
    ///
    /// # Errors
    /// Fails when the realm is no URL.
    pub(super) fn address(&self, scope: &str) -> Result<(String, String), Failure> {
        let (origin, path) = split_origin(&self.realm)?;
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let service = self.service.as_deref().map(|service| format!("service={}&", encode(service)));
        let separator = if path.contains('?') { '&' } else { '?' };
        Ok((origin, format!("{path}{separator}{}scope={}", service.unwrap_or_default(), encode(scope))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_name_the_server_of_tokens() {
        let header =
            "Bearer realm=\"https://auth.example.org/token\",service=\"registry & co\",scope=\"repository:a:pull\"";
        let challenge = TokenChallenge::parse(header).unwrap();
        let address = challenge.address("repository:a/b:pull").unwrap();
        let path = "/token?service=registry%20%26%20co&scope=repository%3Aa%2Fb%3Apull";
        assert_eq!(address, ("https://auth.example.org".to_owned(), path.to_owned()));
        for header in ["Basic realm=\"a\"", "Bearer service=\"a\"", "Bearer realm=\"a", ""] {
            assert_eq!(TokenChallenge::parse(header), None, "{header}");
        }
    }
}
