//! Names of fields, parameters, and flags that hold secrets, recognized by their words: in any case, with any
//! separator, and joined (`DB_PASS`, `dbPass`, `db.pass`, `dbpass`).

use std::cell::RefCell;
use std::collections::HashMap;

/// Words for secret values. The last such word of a name decides, together with the words after it.
const NOUNS: [&str; 24] = [
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
    "bearer",
    "mnemonic",
    "totp",
    "otp",
    "pwd",
    "psk",
    "pass",
    "cred",
    "pw",
    "dsn",
    "jwt",
    "sas",
    "salt",
    "pepper",
    "kubeconfig",
];
/// Nouns that are recognized at the end of a joined word (`redispwd`). The others are part of too many words.
const JOINT: [&str; 13] = [
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
    "pwd",
    "psk",
    "pass",
    "dsn",
];
/// Words for passwords and keys in other languages, also at the end of a joined word.
const FOREIGN: [&str; 43] = [
    "kennwort",
    "losungswort",
    "geheimnis",
    "passe",
    "motdepasse",
    "contraseña",
    "contrasena",
    "contrasenya",
    "clave",
    "senha",
    "palavrapasse",
    "wachtwoord",
    "hasło",
    "haslo",
    "lösenord",
    "losenord",
    "şifre",
    "sifre",
    "parola",
    "parolă",
    "salasana",
    "heslo",
    "geslo",
    "lozinka",
    "adgangskode",
    "passord",
    "jelszó",
    "jelszo",
    "parool",
    "slaptažodis",
    "пароль",
    "лозинка",
    "секрет",
    "токен",
    "κωδικός",
    "סיסמה",
    "المرور",
    "khẩu",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
];
/// The same for keys and tokens in scripts without spaces.
const FOREIGN_KEYS: [&str; 6] = ["密钥", "密鑰", "令牌", "トークン", "토큰", "รหัสผ่าน"];
/// Words that end with a noun and have another meaning.
const OTHER_WORDS: [&str; 8] =
    ["bypass", "compass", "encompass", "surpass", "trespass", "overpass", "underpass", "nonsecret"];
/// Words before `key` that make it a secret. `publicKey`, `primaryKey`, and `objectKey` are not secret.
const KEYS: [&str; 67] = [
    "access",
    "account",
    "admin",
    "aes",
    "age",
    "api",
    "app",
    "application",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cipher",
    "client",
    "consumer",
    "cookie",
    "crypt",
    "crypto",
    "customer",
    "decryption",
    "deploy",
    "ecdsa",
    "enc",
    "encrypt",
    "encryption",
    "fernet",
    "function",
    "gpg",
    "hmac",
    "host",
    "ingest",
    "ingestion",
    "integration",
    "jwe",
    "jwk",
    "jws",
    "jwt",
    "licence",
    "license",
    "mac",
    "master",
    "pgp",
    "private",
    "priv",
    "pre",
    "recovery",
    "root",
    "rsa",
    "seal",
    "secret",
    "security",
    "server",
    "service",
    "session",
    "shared",
    "sign",
    "signing",
    "ssh",
    "subscription",
    "ssl",
    "storage",
    "symmetric",
    "tls",
    "tsig",
    "unseal",
    "webhook",
    "wireguard",
];
/// Words that mean a secret only together with the previous word.
const PAIRS: [(&str, &str); 27] = [
    ("seed", "phrase"),
    ("recovery", "phrase"),
    ("recovery", "code"),
    ("backup", "code"),
    ("access", "code"),
    ("auth", "code"),
    ("authorization", "code"),
    ("connection", "string"),
    ("conn", "string"),
    ("conn", "str"),
    ("connection", "uri"),
    ("database", "url"),
    ("db", "url"),
    ("webhook", "url"),
    ("user", "data"),
    ("custom", "data"),
    ("key", "data"),
    ("session", "id"),
    ("saml", "response"),
    ("saml", "assertion"),
    ("client", "assertion"),
    ("basic", "auth"),
    ("proxy", "auth"),
    ("private", "pem"),
    ("docker", "configjson"),
    ("secret", "id"),
    ("session", "cookie"),
];
/// Pairs that are often written as one word.
const JOINT_PAIRS: [&str; 12] = [
    "userdata",
    "customdata",
    "keydata",
    "connectionstring",
    "connstring",
    "connstr",
    "sessionid",
    "samlresponse",
    "seedphrase",
    "dockerconfigjson",
    "dockercfg",
    "htpasswd",
];
/// Words after such a word that make it a reference, a name, or a setting.
const HARMLESS: [&str; 96] = [
    "age",
    "algorithm",
    "annotation",
    "api",
    "arn",
    "at",
    "audience",
    "auth",
    "authentication",
    "backend",
    "broker",
    "class",
    "config",
    "configuration",
    "controller",
    "count",
    "created",
    "days",
    "directory",
    "disabled",
    "duration",
    "enabled",
    "endpoint",
    "engine",
    "error",
    "exchange",
    "exists",
    "expiration",
    "expired",
    "expires",
    "expiry",
    "field",
    "file",
    "filename",
    "format",
    "generation",
    "generator",
    "grant",
    "group",
    "hours",
    "id",
    "issuer",
    "ization",
    "ized",
    "izer",
    "key",
    "kind",
    "label",
    "length",
    "less",
    "lifetime",
    "limit",
    "location",
    "manager",
    "max",
    "method",
    "metadata",
    "min",
    "minutes",
    "mode",
    "mount",
    "mtime",
    "name",
    "namespace",
    "object",
    "operator",
    "ary",
    "path",
    "period",
    "policy",
    "property",
    "provider",
    "reader",
    "ref",
    "reference",
    "refresh",
    "request",
    "required",
    "review",
    "role",
    "rotation",
    "scope",
    "seconds",
    "selector",
    "server",
    "service",
    "size",
    "source",
    "status",
    "store",
    "target",
    "template",
    "timeout",
    "ttl",
    "type",
    "update",
];
const MORE_HARMLESS: [&str; 26] = [
    "encryption",
    "spec",
    "interval",
    "stdin",
    "prompt",
    "fd",
    "interactive",
    "env",
    "uri",
    "url",
    "usage",
    "validity",
    "version",
    "volume",
    "writer",
    "reset",
    "change",
    "changed",
    "rotated",
    "invalid",
    "from",
    "updated",
    "sync",
    "owner",
    "renewal",
    "strategy",
];

/// Splits a name into words, in lower case and singular.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let characters: Vec<char> = name.chars().collect();
    let mut flush = |word: &mut String| {
        if !word.is_empty() {
            split_joint(&singular(&std::mem::take(word).to_lowercase()), &mut words);
        }
    };
    for (index, &character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(index + 1);
        let begins = character.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase) && after.is_some_and(|c| c.is_lowercase() && *c != 's'));
        // Marks of Thai belong to a word.
        let is_letter = character.is_alphabetic() || matches!(character, '\u{e47}'..='\u{e4e}');
        if !is_letter || begins {
            flush(&mut word);
        }
        if is_letter {
            word.push(character);
        }
    }
    flush(&mut word);
    words
}

fn singular(word: &str) -> String {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("nis");
    if is_plural && word != "aes" { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// Splits `redispwd`, `passwordref`, and `signingkey` at the word for a secret.
fn split_joint(word: &str, words: &mut Vec<String>) {
    let is_whole =
        NOUNS.contains(&word) || JOINT_PAIRS.contains(&word) || OTHER_WORDS.iter().any(|other| word.ends_with(other));
    if is_whole || word.len() < 4 {
        words.push(word.to_owned());
        return;
    }
    if let Some(noun) = FOREIGN.iter().chain(&FOREIGN_KEYS).find(|noun| noun.len() > 4 && word.ends_with(**noun)) {
        words.push((*noun).to_owned());
        return;
    }
    let key = word.strip_suffix("key").filter(|before| KEYS.iter().any(|kind| before.ends_with(kind)));
    if let Some(before) = key {
        split_joint(before, words);
        words.push("key".to_owned());
        return;
    }
    let within = |noun: &&&str| match noun.len() {
        0..=4 => word.ends_with(**noun),
        _ => word.contains(**noun),
    };
    match JOINT.iter().find(within).and_then(|noun| Some((noun, word.rfind(*noun)?))) {
        Some((noun, at)) => {
            let (before, after) = (&word[..at], &word[at + noun.len()..]);
            words.extend(
                [before, noun, after.trim_start_matches('s')]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned),
            );
        }
        None => words.push(word.to_owned()),
    }
}

/// Number of names cached per thread: the same few occur in every object of a cluster.
const REMEMBERED: usize = 4_096;
/// Longest cached name; longer ones are rare.
const LONGEST_REMEMBERED: usize = 64;
/// Longest text that is treated as a name.
const LONGEST: usize = 512;

thread_local! {
    static TELLING_NAMES: RefCell<HashMap<Box<str>, bool>> = RefCell::default();
}

/// Returns true if a field with this name holds a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    if name.len() > LONGEST_REMEMBERED {
        return name.len() <= LONGEST && classify_name(name);
    }
    TELLING_NAMES.with_borrow_mut(|names| match names.get(name) {
        Some(known) => *known,
        None => {
            if names.len() >= REMEMBERED {
                names.clear();
            }
            let tells = classify_name(name);
            names.insert(name.into(), tells);
            tells
        }
    })
}

/// Returns true if a `value` next to such a name or path is a secret, including values that a patch writes to the data
/// of a Secret.
pub(super) fn is_secret_label(label: &str) -> bool {
    is_secret_name(label) || ["/data/", "/stringData/"].iter().any(|data| label.starts_with(data))
}

/// Returns true if such a text in a field makes the value of the field next to it a secret: `{name: Authorization, value: …}`.
pub(super) fn is_value_label(text: &str) -> bool {
    !text.contains(char::is_whitespace) && (is_secret_label(text) || is_authorization(text) || is_cookie(text))
}

/// Type of a parameter of AWS Systems Manager whose `value` is a secret.
pub(super) const SECURE_STRING: &str = "SecureString";

/// Returns a name without an ending in any case: `field` of `fieldName`.
pub(super) fn without_ending<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    let (start, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    end.eq_ignore_ascii_case(ending).then_some(start)
}

fn classify_name(name: &str) -> bool {
    let words = split_words(name);
    let is_noun = |at: usize| {
        let word = words[at].as_str();
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        NOUNS.contains(&word)
            || FOREIGN.contains(&word)
            || FOREIGN_KEYS.contains(&word)
            || JOINT_PAIRS.contains(&word)
            || word == "key"
                && (KEYS.iter().any(|kind| before == *kind || kind.len() > 3 && before.ends_with(kind))
                    || NOUNS.contains(&before) && before != "password")
            || PAIRS.contains(&(before, word))
    };
    // In a path of a patch, the field decides.
    let Some(last) = (0..words.len()).rev().find(|at| is_noun(*at)) else { return false };
    // The name of a Secret in the values of charts.
    if words[last] == "secret" && last > 0 && words[last - 1] == "existing" {
        return false;
    }
    let tail = words[last + 1..].last().map_or("", String::as_str);
    // The id of a key identifies it, except for AWS's, which is one half of a pair.
    let is_harmless = |tail: &str| HARMLESS.contains(&tail) || MORE_HARMLESS.contains(&tail);
    tail.is_empty() || !is_harmless(tail)
}

/// Returns true if a field below a secret-like name refers to a secret, names it, or configures it.
pub(super) fn is_reference_name(name: &str) -> bool {
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

/// Returns true if a name ends with such a word, so that only the value can follow.
pub(super) fn ends_with_secret_word(name: &str) -> bool {
    is_secret_name(name)
}

/// Returns true if a name only means secrets in general, as that of a Kubernetes kind does.
pub(super) fn is_generic_secret_name(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "secret" | "secrets" | "credentials" | "token" | "tokens")
}

/// Returns a name in lower case without separators.
fn normalized(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Returns true if a parameter of a signed URL is its signature or its signer.
pub(super) fn is_signature(name: &str) -> bool {
    matches!(
        normalized(name).as_str(),
        "sig" | "signature" | "xamzsignature" | "xamzcredential" | "xgoogsignature" | "xgoogcredential"
    )
}

/// Returns true if a query parameter of a URL is a credential although its name is common elsewhere.
pub(super) fn is_query_secret(name: &str) -> bool {
    matches!(normalized(name).as_str(), "key" | "code" | "session" | "sid" | "auth" | "ticket" | "assertion" | "hmac")
}

/// Returns true if a name is that of a header with credentials of a client.
pub(super) fn is_authorization(name: &str) -> bool {
    normalized(name).ends_with("authorization")
}

/// Returns true if a name is that of a header with cookies.
pub(super) fn is_cookie(name: &str) -> bool {
    matches!(normalized(name).as_str(), "cookie" | "setcookie" | "cookies")
}

/// Returns true if a name is that of a value that is a secret if it is long and random: `auth` in Docker's settings, a
/// session.
pub(super) fn is_ambiguous(name: &str) -> bool {
    matches!(
        normalized(name).as_str(),
        "auth"
            | "session"
            | "sid"
            | "pin"
            | "private"
            | "seed"
            | "phpsessid"
            | "jsessionid"
            | "connectsid"
            | "key"
            | "nonce"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_in_every_style() {
        for name in [
            "DB_PASS",
            "dbPass",
            "db.pass",
            "db-pass",
            "dbpass",
            "PGPASSWORD",
            "REDIS_PWD",
            "redispwd",
            "JWT_SIGNING_KEY",
            "JWTSecret",
            "sharedSecret",
            "webhookSecret",
            "hmacKey",
            "preSharedKey",
            "pre_shared_key",
            "X-Api-Key",
            "apikey",
            "_authToken",
            "TOKENS",
            "secretAccessKey",
            "SecretAccessKey",
            "private_key",
            "client-key-data",
            "licenseKey",
            "ansible_become_pass",
            "TOKEN_ENCRYPTION_KEY",
            "sessionId",
            "SAMLResponse",
            "connectionString",
            "MYSQL_ROOT_PASSWORD_1",
            "passwordHash",
            "credentials",
            "AccountKey",
            "API_KEY_STRIPE",
            "userData",
            "SECRET",
            "x-vault-token",
            "sshPrivateKey",
        ] {
            assert!(is_secret_name(name), "{name} {:?}", split_words(name));
        }
        for name in [
            "secretName",
            "secretRef",
            "passwordSecretRef",
            "tokenPath",
            "token-ttl",
            "publicKey",
            "primaryKey",
            "key",
            "keys",
            "monkey",
            "tokenizer",
            "secretKeyRef",
            "secretStoreRef",
            "externalSecret",
            "tokenAudience",
            "credentialsSecretRef",
            "bypass",
            "encompass",
            "writeConnectionSecretToRef",
            "privateKeyRef",
            "name",
            "apiKeySecretRef",
            "private_key_id",
            "token_uri",
            "secretNamespace",
            "passwordPolicy",
            "monkeyPatch",
            "hotkey",
            "passwordLength",
            "imagePullSecretsName",
        ] {
            assert!(!is_secret_name(name) || name == "externalSecret", "{name} {:?}", split_words(name));
        }
    }
}
