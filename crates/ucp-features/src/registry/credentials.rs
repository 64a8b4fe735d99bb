//! Logins for registries from docker's configuration, as `docker login` writes it: in the file, or in the store of a
//! `docker-credential-…` program.

use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::SecretString;
use serde_json::Value;

use super::reference::PackageReference;
use ucp_core::model::secrecy::register_secret;
use ucp_core::program;

/// Size limit of the configuration.
const LARGEST: u64 = 1 << 20;
/// Time limit of a program of credentials.
const PATIENCE: Duration = Duration::from_secs(15);

/// A login for one registry.
#[derive(Debug)]
pub struct RegistryLogin {
    /// The user.
    pub user: String,
    /// The password or token.
    pub password: SecretString,
}

impl RegistryLogin {
    fn new(user: &str, password: &str) -> Option<Self> {
        register_secret(password);
        (!password.is_empty()).then(|| Self { user: user.to_owned(), password: SecretString::from(password) })
    }

    /// Finds the login for the registry of a package in a directory with docker's configuration.
    pub fn find(reference: &PackageReference, directory: &Path) -> Option<Self> {
        let mut text = String::new();
        let file = std::fs::File::open(directory.join("config.json")).ok()?;
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let configuration: Value = serde_json::from_str(&text).ok()?;
        let name = reference.login_name();
        let helper = configuration["credHelpers"][name].as_str().or(configuration["credsStore"].as_str());
        helper.and_then(|helper| of_program(helper, name)).or_else(|| of_file(&configuration, name))
    }
}

/// Returns the login that is stored in the configuration itself.
fn of_file(configuration: &Value, name: &str) -> Option<RegistryLogin> {
    let spellings =
        [name.to_owned(), format!("https://{name}"), format!("https://{name}/v2/"), format!("https://{name}/v1/")];
    let entry = spellings.iter().find_map(|spelling| configuration["auths"].get(spelling))?;
    if let Some(auth) = entry["auth"].as_str().filter(|auth| !auth.is_empty()) {
        register_secret(auth);
        let decoded = String::from_utf8(BASE64.decode(auth.trim()).ok()?).ok()?;
        let (user, password) = decoded.split_once(':')?;
        return RegistryLogin::new(user, password.trim_end_matches('\0'));
    }
    RegistryLogin::new(entry["username"].as_str()?, entry["password"].as_str()?)
}

/// Returns the login in the store of a program. Source: `docker/docker-credential-helpers`.
fn of_program(helper: &str, name: &str) -> Option<RegistryLogin> {
    if !helper.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one)) {
        return None;
    }
    let mut command = Command::new(format!("docker-credential-{helper}"));
    command.arg("get").current_dir(std::env::home_dir()?);
    let answer: Value = serde_json::from_str(&program::short_output(command, name, PATIENCE)?).ok()?;
    RegistryLogin::new(answer["Username"].as_str()?, answer["Secret"].as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::json;

    #[test]
    fn a_login_is_found_for_its_registry_only() {
        let directory = tempfile::tempdir().unwrap();
        let auth = BASE64.encode("robot:canary:with:colons");
        let auths = json!({"xpkg.example.org": {"auth": auth}, "https://index.docker.io/v1/": {"username": "u", "password": "canary2"}});
        std::fs::write(directory.path().join("config.json"), json!({"auths": auths}).to_string()).unwrap();
        let find = |image: &str| {
            let login = RegistryLogin::find(&PackageReference::parse(image).unwrap(), directory.path())?;
            Some(format!("{} {}", login.user, login.password.expose_secret()))
        };
        assert_eq!(find("xpkg.example.org/a:v1").as_deref(), Some("robot canary:with:colons"));
        assert_eq!(find("docker.io/a/b:v1").as_deref(), Some("u canary2"));
        assert_eq!(find("xpkg.example.org:8443/a:v1"), None);
        assert_eq!(find("example.org/a:v1"), None);
        std::fs::write(directory.path().join("config.json"), "no JSON").unwrap();
        assert_eq!(find("xpkg.example.org/a:v1"), None);
    }
}
