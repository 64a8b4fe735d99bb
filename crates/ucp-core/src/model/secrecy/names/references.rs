//! Names of references to secrets, of settings, and of other values that are shown.

use super::harmless::{HARMLESS, MORE_HARMLESS};
use super::split::split_words;

/// Returns true if a field below a secret-like name refers to a secret, names it, or configures it.
pub(in super::super) fn is_reference_name(name: &str) -> bool {
    const REFERENCES: [&str; 37] = [
        "key",
        "ref",
        "item",
        "from",
        "by",
        "title",
        "description",
        "display",
        "user",
        "username",
        "email",
        "region",
        "zone",
        "host",
        "hostname",
        "port",
        "account",
        "tenant",
        "subscription",
        "project",
        "client",
        "url",
        "uri",
        "label",
        "annotation",
        "phase",
        "reason",
        "message",
        "condition",
        "hint",
        "version",
        "create",
        "existing",
        "tag",
        "prefix",
        "suffix",
        "dns",
    ];
    let words = split_words(name);
    let last = words.last().map_or("", String::as_str);
    // `existingSecret`, `secretName`, `remoteRef`.
    words.iter().any(|word| matches!(word.as_str(), "ref" | "existing" | "selector"))
        || HARMLESS.contains(&last)
        || MORE_HARMLESS.contains(&last)
        || REFERENCES.contains(&last)
}

/// Returns true if the value with this name is shown in output, such as a host: a key of a Secret with the other
/// settings of a connection.
pub(in super::super) fn is_public_name(name: &str) -> bool {
    const SETTINGS: [&str; 42] = [
        "address",
        "audience",
        "bucket",
        "ca",
        "cert",
        "certificate",
        "class",
        "cluster",
        "crt",
        "database",
        "date",
        "db",
        "dbname",
        "domain",
        "driver",
        "endpoint",
        "engine",
        "env",
        "environment",
        "group",
        "id",
        "image",
        "issuer",
        "level",
        "location",
        "login",
        "mode",
        "name",
        "namespace",
        "organization",
        "owner",
        "path",
        "protocol",
        "provider",
        "queue",
        "realm",
        "role",
        "schema",
        "scheme",
        "server",
        "topic",
        "type",
    ];
    let words = split_words(name);
    words.last().is_some_and(|last| SETTINGS.contains(&last.as_str())) || is_reference_name(name) && name != "key"
}
