//! Shapes of values of Secrets: random ones, names, and ordinary words, hosts, addresses, and paths, which occur in output
//! without being secret.

/// The meaning of the name of a value: the key in a Secret, or the field of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretOrigin {
    /// A name for secrets, such as `password`: its value is hidden from 4 characters.
    Secret,
    /// A name that does not tell: its value is hidden from 8 characters.
    Any,
    /// A name for something that is shown, such as `host`: its value is hidden only if it looks random.
    Public,
}

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueShape {
    /// Occurs in ordinary output.
    Ordinary,
    /// May be a part of other words, or the name of an object.
    Name,
    /// Does not occur by chance.
    Random,
}

/// Shortest value under a name for secrets.
const SHORTEST_NAMED: usize = 4;
/// Shortest other value.
const SHORTEST: usize = 8;

/// Settings, users, and environments that Secrets hold next to secrets.
const VOCABULARY: [&str; 96] = [
    "admin",
    "administrator",
    "allow",
    "always",
    "anonymous",
    "application",
    "argocd",
    "authenticated",
    "automatic",
    "bearer",
    "basic",
    "change-me",
    "changeme",
    "client",
    "cluster",
    "cluster-admin",
    "config",
    "configuration",
    "connection",
    "credentials",
    "crossplane",
    "crossplane-system",
    "database",
    "debug",
    "default",
    "dev",
    "development",
    "disable",
    "disabled",
    "elasticsearch",
    "empty",
    "enable",
    "enabled",
    "error",
    "example",
    "external",
    "false",
    "flux-system",
    "grafana",
    "guest",
    "help",
    "https",
    "http",
    "in-cluster",
    "info",
    "information",
    "integration",
    "internal",
    "json",
    "kube-public",
    "kube-system",
    "kubernetes",
    "kubernetes-admin",
    "localhost",
    "mariadb",
    "memcached",
    "mongodb",
    "monitoring",
    "mysql",
    "namespace",
    "never",
    "none",
    "null",
    "opaque",
    "oracle",
    "password",
    "postgres",
    "postgresql",
    "prefer",
    "preproduction",
    "private",
    "prod",
    "production",
    "public",
    "rabbitmq",
    "readonly",
    "readwrite",
    "redis",
    "replication",
    "require",
    "required",
    "root",
    "secret",
    "server",
    "service",
    "stage",
    "staging",
    "superuser",
    "system",
    "test",
    "testing",
    "token",
    "true",
    "user",
    "username",
    "verify-full",
];

/// Returns the shape of a value.
pub(super) fn shape(value: &str, origin: SecretOrigin) -> ValueShape {
    let shortest = if origin == SecretOrigin::Secret { SHORTEST_NAMED } else { SHORTEST };
    if value.len() < shortest || VOCABULARY.iter().any(|word| value.eq_ignore_ascii_case(word)) {
        return ValueShape::Ordinary;
    }
    if is_random(value) {
        return ValueShape::Random;
    }
    match origin {
        SecretOrigin::Public => ValueShape::Ordinary,
        SecretOrigin::Any if is_place(value) => ValueShape::Ordinary,
        SecretOrigin::Any | SecretOrigin::Secret if is_name(value) => ValueShape::Name,
        SecretOrigin::Any | SecretOrigin::Secret => ValueShape::Random,
    }
}

fn is_name(value: &str) -> bool {
    value.chars().all(|c| c.is_alphanumeric() || "-._/:@".contains(c))
}

/// Returns true if a value mixes letters of both cases, digits, or other characters in a way that no name does.
fn is_random(value: &str) -> bool {
    let is_lower = value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._/:@".contains(c));
    let is_number = value.chars().all(|c| c.is_ascii_digit() || ".,:+- TZ".contains(c));
    let is_word = value.chars().all(char::is_alphabetic);
    let is_address = value.contains("://") || value.starts_with('/');
    // Digits before letters do not occur in ordinary names; digits at the end do: `eu-central-1`.
    let is_among = |pair: &[u8]| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic();
    let is_mixed = value.as_bytes().windows(2).any(is_among) && !value.contains(['.', '/', ':', '@']);
    value.len() >= SHORTEST && !is_number && !is_word && !is_address && (!is_lower || is_mixed && value.len() >= 12)
}

/// Returns true for a host, an address, a path of words, a time, or a version.
fn is_place(value: &str) -> bool {
    let is_number = value.chars().all(|c| c.is_ascii_digit() || ".,:+- TZ".contains(c));
    if is_number {
        return value.contains(|c: char| !c.is_ascii_digit());
    }
    let value = match value.split_once("://") {
        Some((scheme, rest))
            if scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-".contains(c)) =>
        {
            match rest.split('/').next() {
                // A host, a port, and a path of words.
                Some(host) if is_host(host) => rest,
                _ => return false,
            }
        }
        Some(_) => return false,
        None => value,
    };
    let is_segment =
        |part: &str| part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._:".contains(c));
    let is_path = value.contains('/') && value.split('/').all(|part| is_segment(part) && !is_random(part));
    is_path
        || is_host(value)
        || is_region(value)
        || value.split_once('@').is_some_and(|(user, host)| is_segment(user) && is_host(host))
}

fn is_host(value: &str) -> bool {
    let host = match value.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => host,
        _ => value,
    };
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
    };
    let labels: Vec<&str> = host.split('.').collect();
    labels.iter().all(|label| is_label(label)) && (labels.len() > 1 || host == "localhost" || host.len() < value.len())
}

/// Returns true for the region of a cloud: `eu-central-1`, `europe-west4`.
fn is_region(value: &str) -> bool {
    let ends_in_number = value.ends_with(|c: char| c.is_ascii_digit());
    let letters = value.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    ends_in_number
        && letters.contains('-')
        && letters.split('-').all(|part| part.len() >= 2 && part.chars().all(|c| c.is_ascii_lowercase()))
        && value.len() - letters.len() <= 2
        && value.len() < 20
}
