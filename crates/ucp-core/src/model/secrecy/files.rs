//! Names of files that hold secrets, as keys of ConfigMaps and in paths: `auth.json`, `.netrc`, `id_rsa`, `.env`.

/// What a file holds by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileContent {
    /// Credentials, all of which are secret.
    Secrets,
    /// Variables, of which any may be secret.
    Variables,
}

/// Files of programs with credentials, without the dot at the start.
const CREDENTIALS: [&str; 20] = [
    "auth.json",
    "boto",
    "dockercfg",
    "dockerconfigjson",
    "git-credentials",
    "gshadow",
    "htpasswd",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "kubeconfig",
    "netrc",
    "pgpass",
    "s3cfg",
    "shadow",
    "terraformrc",
    "vault-token",
];
/// Names that mean credentials with any ending for documents.
const DOCUMENTS: [&str; 13] = [
    "application_default_credentials",
    "credential",
    "credentials",
    "gcp-key",
    "keyfile",
    "kubeconfig",
    "sa-key",
    "secret",
    "secrets",
    "service-account",
    "service_account",
    "service-account-key",
    "serviceaccount",
];
const ENDINGS: [&str; 9] = ["json", "yaml", "yml", "toml", "ini", "csv", "xml", "properties", "txt"];
/// Endings of key stores and of files with passwords.
const STORES: [&str; 8] = ["htpasswd", "jks", "kdbx", "keystore", "keytab", "p12", "pfx", "ppk"];
/// Files whose directory makes them those of a client.
const CLIENTS: [(&str, &str); 5] = [
    (".docker", "config.json"),
    (".kube", "config"),
    (".aws", "credentials"),
    (".aws", "config"),
    (".ssh", "identity"),
];
/// Directories of the core of a name: longer ones are those of no file.
const LONGEST: usize = 256;

/// Returns what a file with this name or path holds, if that is known.
pub(super) fn content(path: &str) -> Option<FileContent> {
    if path.len() > LONGEST || path.contains(char::is_whitespace) {
        return None;
    }
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = directory.rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let plain = lower.trim_start_matches(['.', '_']);
    let (stem, ending) = plain.rsplit_once('.').unwrap_or((plain, ""));
    let is_secret = CREDENTIALS.contains(&plain)
        || DOCUMENTS.contains(&stem) && ENDINGS.contains(&ending)
        || !stem.is_empty() && STORES.contains(&ending)
        || CLIENTS.contains(&(parent, lower.as_str()));
    let is_variables = matches!(lower.as_str(), ".env" | ".envrc")
        || lower.starts_with(".env.")
        || matches!(ending, "env" | "tfvars")
        || lower.ends_with(".tfvars.json");
    match () {
        () if is_secret => Some(FileContent::Secrets),
        // A template has no values.
        () if is_variables && !matches!(ending, "example" | "sample" | "template" | "dist") => {
            Some(FileContent::Variables)
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognized_by_their_names() {
        for name in [
            "auth.json",
            "/config/auth.json",
            ".netrc",
            "_netrc",
            "users.htpasswd",
            "/root/.docker/config.json",
            "/home/app/.kube/config",
            "id_rsa",
            "Credentials.JSON",
        ] {
            assert!(content(name) == Some(FileContent::Secrets), "{name}");
        }
        for name in [".env", "app.env", ".env.production", "terraform.tfvars", "a.auto.tfvars", "x.tfvars.json"] {
            assert!(content(name) == Some(FileContent::Variables), "{name}");
        }
        for name in
            ["env", "config.json", "config", "id_rsa.pub", "known_hosts", ".env.example", "app.json", "ca.crt", ""]
        {
            assert!(content(name).is_none(), "{name}");
        }
    }
}
