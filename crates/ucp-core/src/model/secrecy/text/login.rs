//! A user and a password next to each other: `u=admin p=X`, `user app, password X`, `logged in as app / X`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

use super::super::ascii::ascii_regex;
use super::super::ordinary::{SecretOrigin, ValueShape, shape};
use super::clause::{ClauseForm, value_at};
use super::clues::Clues;
use super::value::{is_masked, reference_length};
use super::words::{is_compound, is_description, is_prose, is_technical};

/// `u=admin&p=X`, `u:admin p:X`.
static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?i)(?:^|[\s"'`?&(\[{,;])u(?:ser)?[=:]\s?["']?([\w.@\\+-]+)["']?(?:\s*[,;&]\s*|\s+)p[=:]\s?["']?([^\s"'&;,]{4,})"#).ok()
});
/// A user, and what may end the sentence after a password.
const USER: &str = r#"["'`]?([\w.@\\+-]+)["'`]?"#;
const END: &str = r#"(?:[.!]?\s*$|[.!]?\s*\n|[,;:)"'`\\]|\s+(?:and|on|at|in|from|for|via|failed|succeeded|was|is|were|are|did|worked)\b)"#;
/// `user app, database password X`: the first group is the user, and the second one is the password.
static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let words = "and|with|has|had|using|the|a|its|his|their|initial|default|temporary|database|db|admin|master|plain";
    compile(&[format!(
        r#"\b(?:\w*user|username|login|account|uid)\s+{USER}(?:\s*[,;:]\s*|\s+)(?:(?:{words})\s+){{0,3}}(?:password|passwd|pass|pwd)(?:\s*[:=]\s*|\s+)["'`]?([^\s"'`,;:]{{4,}})"#
    )])
});
/// `logged in as app / X`, `app / X logged in`, with the same groups.
static SLASHED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let verbs = "(?:logged|signed|logging|signing|log|sign)[ -](?:in|on)|login|connected|authenticated";
    compile(&[
        format!(r#"\b(?:{verbs})\s+(?:as|with)\s+{USER}\s+/\s+([^\s"'`,;:]{{4,}}?){END}"#),
        format!(r#"(?:^|[\s"'(]){USER}\s+/\s+([^\s"'`,;:/]{{4,}})\s+(?:logged|signed)[ -](?:in|on)\b"#),
    ])
});
/// `tried app/X`, with the same groups.
static TRIED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let verbs = "tried|trying|combinations?|default login(?: is)?";
    compile(&[format!(r#"\b(?:{verbs})\s+{USER}\s?/\s?([^\s"'`,;:/]{{4,}}?){END}"#)])
});
/// `connect app/X@orders`, as in Oracle's programs, with the same groups.
static CONNECT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let programs = "conn(?:ect)?|sqlplus|sqlldr|rman target|expdp|impdp";
    compile(&[format!(r#"\b(?:{programs})\s+(?:-\w+\s+)*["']?([a-z][\w$#]*)/["']?([^\s"'@/]{{3,}})["']?@[\w/]"#)])
});
/// `credentials admin/X`, `logged in: root:X`, with the same groups: the name of an account that no object has.
static ACCOUNT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let verbs = "logins?|(?:log(?:ged|ging)?|sign(?:ed|ing)?)[ -](?:in|on)|authenticat\\w+|connect(?:ed|ing)?|auth|credentials?|creds|guess\\w*|brute-?forced?|cracked";
    let before =
        format!(r#"\b(?:{verbs})\b\s*[:=]?(?:\s+(?:is|are|was|were|as|with|using|login))*\s*["'`(\[<]?({ACCOUNTS})"#);
    compile(&[
        format!(r#"{before}[/:]([^\s"'`,;:)\]>/]{{4,}})"#),
        format!(r#"{before}["'`]?\s+and\s+["'`]?([^\s"'`,;:)\]>/]{{4,}}?){END}"#),
    ])
});
/// The names of accounts.
const ACCOUNTS: &str = "admin(?:istrator)?|root|postgres|sa|guest|superuser|ubuntu";
/// A text that [`ACCOUNT`] may match.
static ACCOUNT_MENTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(&format!("(?i-u:(?:{ACCOUNTS})(?:[/:]|[\"'`]? and ))")).ok());
/// `snmp-server community X`.
static COMMUNITY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[r#"\bsnmp(?:-server|v\d\w*)?\s+(community)(?:\s+string)?\s+["']?([^\s"',;:]{4,})"#.to_owned()])
});
/// Length of the longest word in parentheses before the password of a refused login, and these words.
const LONGEST_TRY: usize = 16;
const TRIES: [&str; 7] = ["tried", "used", "using", "with", "got", "received", "attempted"];
/// Words for logins, and for refusals, in front of the parentheses.
const REFUSED: [&str; 6] = ["access", "auth", "login", "log-in", "credential", "password"];
const REFUSALS: [&str; 9] = ["denied", "fail", "error", "refused", "rejected", "invalid", "wrong", "incorrect", "bad "];
/// Bytes in front of the parentheses in which these words are.
const NEAR: usize = 96;
/// A word of which one is in every text of [`TRIED`].
static MENTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex("(?i-u:tried|trying|combination|default login)").ok());

fn compile(patterns: &[String]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| ascii_regex(&format!("(?i){pattern}")).ok()).collect()
}

/// Adds the passwords next to users.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    if has_letter(text) {
        for captures in LETTERS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            if let (Some(user), Some(value)) = (captures.get(1), captures.get(2))
                && user.as_str().contains(char::is_alphabetic)
                && user.as_str() != "rw"
                && !is_number(value.as_str())
            {
                found.extend(password(value));
            }
        }
    }
    find_paired(text, found);
    find_refused(text, found);
    let has_slash = memchr::memchr(b'/', text.as_bytes()).is_some();
    let is_tried = || has_slash && MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text));
    let is_slashed = || has_slash && memchr::memmem::find(text.as_bytes(), b" / ").is_some();
    let of_kind = |is_one: bool, patterns: &'static LazyLock<Vec<Regex>>| is_one.then_some(patterns);
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let is_connected = has_slash && memchr::memchr(b'@', text.as_bytes()).is_some();
    let kinds = [
        of_kind(clues.names_secret, &NAMED),
        of_kind(is_slashed(), &SLASHED),
        of_kind(is_tried(), &TRIED),
        of_kind(is_connected, &CONNECT),
        of_kind(has("community"), &COMMUNITY),
        of_kind(ACCOUNT_MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)), &ACCOUNT),
    ];
    for captures in
        kinds.into_iter().flatten().flat_map(|kind| kind.iter()).flat_map(|pattern| pattern.captures_iter(text))
    {
        if let (Some(user), Some(value)) = (captures.get(1), captures.get(2))
            && !is_prose(user.as_str())
            // `login admin and root`
            && !ACCOUNTS.split('|').any(|account| value.as_str().eq_ignore_ascii_case(account))
            // The digest of an image.
            && !text[value.end()..].starts_with("@sha")
        {
            found.extend(password(value));
        }
    }
}

/// Adds the passwords of `login with admin:X`, `authenticated as app:X`.
fn find_paired(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for colon in memchr::memchr_iter(b':', bytes) {
        let is_user = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.@-".contains(byte);
        let Some(space) = bytes[..colon].iter().rposition(|byte| !is_user(byte)) else { continue };
        // The ends of the prepositions exclude nearly all colons.
        let may_be_paired =
            bytes[space] == b' ' && space > 0 && space + 1 < colon && b"shga".contains(&bytes[space - 1]);
        if !may_be_paired
            || bytes.get(colon + 1).is_none_or(|next| next.is_ascii_whitespace() || b"/:\"'`,;".contains(next))
        {
            continue;
        }
        let mut words = text[text.floor_char_boundary(space.saturating_sub(NEAR))..space].rsplit(' ');
        let preposition = words.next().unwrap_or_default();
        if !matches!(preposition, "as" | "with" | "using" | "via") {
            continue;
        }
        let verb = words.next().unwrap_or_default().to_ascii_lowercase();
        let verb = match verb.as_str() {
            "in" | "on" => words.next().unwrap_or_default().to_ascii_lowercase(),
            _ => verb,
        };
        let form = match () {
            () if verb.starts_with("log") || verb.starts_with("sign") => match preposition {
                "as" => ClauseForm::Word,
                _ => ClauseForm::Mixed,
            },
            () if verb.starts_with("auth") || verb.starts_with("connect") => ClauseForm::Issued,
            () => continue,
        };
        // A path or a further part follows the name of an object.
        let value = value_at(text, colon + 1, form);
        found.extend(value.filter(|value| !text[value.clone()].contains([':', '/'])));
    }
}

/// Adds the passwords of `access denied for app (tried X)`.
fn find_refused(text: &str, found: &mut Vec<Range<usize>>) {
    for open in memchr::memchr_iter(b'(', text.as_bytes()) {
        let near = &text[open + 1..text.floor_char_boundary(open + LONGEST_TRY)];
        let word = &near[..near.find(' ').unwrap_or_default()];
        let is_named = matches!(word, "password" | "passphrase" | "pwd");
        if !is_named && !TRIES.contains(&word) {
            continue;
        }
        let before = text[text.floor_char_boundary(open.saturating_sub(NEAR))..open].to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| before.contains(word));
        let form = if is_named { ClauseForm::Word } else { ClauseForm::Issued };
        let value = value_at(text, open + 2 + word.len(), form).filter(|_| has(&REFUSED) && has(&REFUSALS));
        found.extend(value.filter(|value| text[value.end..].starts_with(')')));
    }
}

/// Returns the range of a password without the end of its sentence.
fn password(value: Match<'_>) -> Option<Range<usize>> {
    let password = value.as_str().trim_end_matches(['.', '!', '?', ')']);
    is_password(password).then(|| value.start()..value.start() + password.len())
}

/// Returns true if a text has a field with the name `p`.
fn has_letter(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_field = |at: usize| {
        matches!(bytes[at], b'=' | b':')
            && matches!(bytes[at - 1], b'p' | b'P')
            && at.checked_sub(2).is_none_or(|before| !bytes[before].is_ascii_alphanumeric())
    };
    memchr::memchr2_iter(b'=', b':', bytes).any(|at| at > 0 && is_field(at))
}

fn is_number(value: &str) -> bool {
    value.len() < 6 && value.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Returns true unless a word belongs to the sentence, or is the name of a role or an environment.
fn is_password(value: &str) -> bool {
    let is_word = value.split(['-', '/', '_']).all(|word| is_prose(word) || is_compound(word)) || is_description(value);
    let is_ordinary = shape(value, SecretOrigin::Secret) == ValueShape::Ordinary;
    let is_template = value.starts_with(['$', '{', '%', '<', '(', '[']) || value.contains("://");
    let is_other = is_word || is_ordinary || is_template || is_technical(value) || is_masked(value);
    !is_other && reference_length(value).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn passwords_next_to_users_are_hidden() {
        assert_eq!((NAMED.len(), SLASHED.len(), TRIED.len(), LETTERS.is_some()), (1, 2, 1, true));
        assert!(ACCOUNT.len() == 2 && ACCOUNT_MENTION.is_some());
        assert_eq!((CONNECT.len(), COMMUNITY.len()), (1, 1));
        for text in [
            "connect with u=admin p=canarybird",
            "GET /query?db=x&u=reader&p=canarybird&q=1",
            "logged in as app / canarybird",
            "app / canarybird signed in",
            "user app, database password canarybird",
            "login app with pass canarybird refused",
            "tried admin/canarybird on port 22",
            "credentials admin/canarybird",
            "credentials admin and canarybird",
            "the credentials are 'root' and 'canarybird'.",
            "logged in with admin and canarybird on port 22",
            "logged in as root:canarybird",
            "ORA-01017: connect app/canarybird@orders",
            "sqlplus -S app/canarybird@//db:1521/orders",
            "snmp-server community canarybird RO",
            "snmp community string canarybird rejected",
            "login with admin:Canarybird on first start",
            "sign in as admin:canarybird please",
            "authenticated as app:canarybird7Qx",
            "Access denied for user app (tried canarybird7Qx)",
            "login failed for user app (password canarybird)",
        ] {
            assert!(!scrub(text).contains("canarybird"), "{text}");
        }
        for text in [
            "u=1000 p=0.95 n=3",
            "perm u=rw p=rw",
            "logged in as admin / administrator",
            "logged in as app / production environment",
            "logged in as system:admin / 3 sessions",
            "user app, password policy requires digits",
            "for user app, password expired",
            "user app password authentication failed",
            "snmp community string is not set",
            "snmp community string must be set",
            "logged in with google:openid",
            "running as user root:root",
            "credentials admin and root are disabled",
            "login of admin and guest accounts is disabled",
            "log in as admin and configure the backup",
            "authenticated as system:serviceaccount:shop:default",
            "connect using tcp:localhost",
            "Access denied for user app (using password: YES)",
            "login failed for user app (timeout after 30s)",
            "invalid credentials (got 401)",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
