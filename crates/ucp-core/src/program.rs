//! Environments of programs that this one starts. A program that processes untrusted input gets an environment without
//! credentials: CI passes its tokens to every program in variables.

use std::ffi::OsString;
use std::path::Path;

/// Variables that every program needs: paths of certificates and proxies, and the language of messages.
const NEUTRAL: [&str; 20] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
];

/// Returns a variable of the current environment.
pub fn inherited(name: &str) -> Option<(OsString, OsString)> {
    std::env::var_os(name).map(|value| (name.into(), value))
}

/// Returns the environment of a program that needs nothing of the user's. It replaces the inherited environment.
pub fn minimal_environment(home: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A relative entry would be resolved in the program's working directory.
    let directories = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let path = std::env::join_paths(directories).unwrap_or(path.clone());
    let neutral = NEUTRAL.iter().filter_map(|name| inherited(name));
    neutral.chain([("PATH".into(), path), ("HOME".into(), home.into()), ("USERPROFILE".into(), home.into())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_a_path_and_a_home_and_nothing_else_of_ours() {
        let environment = minimal_environment(Path::new("/private"));
        let value = |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        assert_eq!(value("HOME"), Some("/private".into()));
        assert!(value("PATH").is_some_and(|path| std::env::split_paths(&path).all(|one| one.is_absolute())));
        // Cargo sets it for every test.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && value("CARGO_MANIFEST_DIR").is_none());
    }
}
