//! Credentials in the URLs of remotes. Git passes a URL to its helpers as an argument, which every user of the machine
//! can read, and a clone writes it into its configuration. So git gets a URL without credentials, and gets them by its
//! credential protocol from its environment.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;

/// Variable for the user in a URL.
const USER: &str = "KUBECTL_UCP_GIT_USER";
/// Variable for the password in a URL.
const PASSWORD: &str = "KUBECTL_UCP_GIT_PASSWORD";

/// A URL that contains credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UrlCredentials<'a> {
    /// The URL without user and password.
    pub(super) url: String,
    user: Cow<'a, str>,
    password: Option<Cow<'a, str>>,
}

/// Names and values of settings or environment variables.
type Variables = Vec<(String, String)>;

impl<'a> UrlCredentials<'a> {
    /// Parses a URL; returns `None` if it has no user or is not an HTTP URL.
    ///
    /// # Errors
    /// Fails when the URL contains a control character, encoded or not: in git's credential protocol, a line break
    /// starts the next field.
    pub(super) fn parse(url: &'a str) -> Result<Option<Self>> {
        let decoded = |text: &'a str| percent_decode_str(text).decode_utf8_lossy();
        if decoded(url).contains(char::is_control) {
            let shown = one_line(&scrub(url));
            return Err(Error::usage(format!("the URL {shown} of a remote contains a control character"))
                .hint("check 'git remote -v', and remove control characters such as %0A from the URL"));
        }
        Ok(Self::split_url(url, decoded))
    }

    fn split_url(url: &'a str, decoded: impl Fn(&'a str) -> Cow<'a, str>) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        if !matches!(scheme.to_ascii_lowercase().as_str(), "https" | "http") {
            return None;
        }
        let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        let (user, _) = authority.rsplit_once('@')?;
        let (user, password) = match user.split_once(':') {
            Some((user, password)) => (decoded(user), Some(decoded(password))),
            None => (decoded(user), None),
        };
        let url = format!("{scheme}://{}", &rest[authority.rfind('@')? + 1..]);
        Some(Self { url, user, password })
    }

    /// Returns settings and environment variables by which the clean URL authenticates as the original would. `number`
    /// distinguishes it from other logins.
    fn settings(&self, number: usize) -> (Variables, Variables) {
        let key = |name: &str| format!("credential.{}.{name}", self.url);
        let mut settings = vec![(key("username"), self.user.to_string())];
        let mut environment = Vec::new();
        if let Some(password) = &self.password {
            let (user, word) = (format!("{USER}_{number}"), format!("{PASSWORD}_{number}"));
            let answer = format!("printf 'username=%s\\npassword=%s\\n' \"${user}\" \"${word}\"");
            // An empty helper clears all others, so that none stores these credentials.
            settings.push((key("helper"), String::new()));
            settings.push((key("helper"), format!("!f() {{ if test \"$1\" = get; then {answer}; fi; }}; f")));
            // A path in the key is used only with this setting.
            settings.push((key("useHttpPath"), "true".to_owned()));
            environment.extend([(user, self.user.to_string()), (word, password.to_string())]);
        }
        (settings, environment)
    }
}

/// Returns the environment in which git can access these URLs without a credential in any argument. Each item is the
/// URL as configured, and as resolved by git (`insteadOf`).
///
/// # Errors
/// Fails when a URL contains a control character.
pub(super) fn environment<'a>(urls: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Vec<(String, String)>> {
    let (mut settings, mut environment) = (Vec::new(), Vec::new());
    for (number, (written, resolved)) in urls.into_iter().enumerate() {
        let Some(login) = UrlCredentials::parse(resolved)? else { continue };
        // The longest match wins, also over the user's own rule.
        settings.push((format!("url.{}.insteadOf", login.url), written.to_owned()));
        let (more, variables) = login.settings(number);
        settings.extend(more);
        environment.extend(variables);
    }
    if settings.is_empty() {
        return Ok(environment);
    }
    // The inherited environment may already pass settings in this way.
    let known = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0_usize);
    environment.push(("GIT_CONFIG_COUNT".to_owned(), (known + settings.len()).to_string()));
    for (index, (key, value)) in settings.into_iter().enumerate() {
        environment.push((format!("GIT_CONFIG_KEY_{}", known + index), key));
        environment.push((format!("GIT_CONFIG_VALUE_{}", known + index), value));
    }
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_separated_from_its_credentials() {
        let login = UrlCredentials::parse("https://oauth2:p%40ss@git.example.org:8443/a/b.git").unwrap().unwrap();
        assert_eq!(login.url, "https://git.example.org:8443/a/b.git");
        assert_eq!((login.user.as_ref(), login.password.as_deref()), ("oauth2", Some("p@ss")));
        let token = UrlCredentials::parse("https://ghp_x@github.com/a/b").unwrap().unwrap();
        assert_eq!((token.user.as_ref(), token.password), ("ghp_x", None));
        for plain in ["https://github.com/a@b", "git@github.com:a/b", "ssh://git@github.com/a/b", "/srv/a@b"] {
            assert_eq!(UrlCredentials::parse(plain).unwrap(), None, "{plain}");
        }
    }

    #[test]
    fn no_line_enters_the_credential_protocol() {
        for url in [
            "https://u%0Ahost=evil.example:p@git.example.org/a",
            "https://u:p%0d%0ahost=x@git.example.org/a",
            "https://u:p@git.example.org%0ahost=evil/a",
            "https://git.example.org/a%0Aurl=x",
            "ssh://git@h/a\u{0}b",
        ] {
            assert!(UrlCredentials::parse(url).is_err() && environment([(url, url)]).is_err(), "{url}");
        }
    }

    #[test]
    fn the_password_is_only_in_values_and_never_in_names() {
        let url = "https://u:canary@git.example.org/a";
        let environment = environment([(url, url)]).unwrap();
        let with = |part: &str| environment.iter().filter(|(_, value)| value.contains(part)).count();
        // Once as the URL to be replaced, and once for the helper.
        assert_eq!(with("canary"), 2, "{environment:?}");
        assert!(environment.iter().all(|(key, _)| !key.contains("canary")));
        assert!(super::environment([("https://a/b", "https://a/b")]).unwrap().is_empty());
    }
}
