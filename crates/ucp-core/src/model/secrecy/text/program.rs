//! Values in commands and protocols where their position marks them: `setx NAME X`, `net use \\h\s X`, `AUTH X`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::super::names::is_secret_name;
use super::clues::Clues;
use super::value::{is_masked, is_opaque, quoted_value, reference_length};
use super::words::is_prose;

/// A word of which at least one is in every such text.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "otp|2fa|mfa|pin|one-time|verification|ssh-key|kinit|lftp|mc |ldap|set|env|arg|net |securestring|bindpw|rootpw|auth|pass|login|>|unseal|vault|htpasswd|rabbitmqctl|sql|dp |rman|echo|printf|snmp|npm|literal|curl|http|useradd|usermod|openssl|zip|docker|podman|secret|community|psk|shared-key|cred|user|hooks/|/hook/|with/key|tsig|identified|salt|match";
    Regex::new(&format!("(?i-u:{words})")).ok()
});
/// An assignment without a separator: the name and the value.
static ASSIGNMENTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r#"(?:^|[\s;&|"'>`])(?:setx|SETX|setenv|ENV|ARG|set -x|set -gx)\s+([A-Za-z_][\w.-]*)\s+("[^"]+"|'[^']+'|\S+)"#,
        r#"(?:^|[\s;&|"'>`])(?:set|config set|config set-secret|config set --secret|secret set|env set|vars? set|secrets? put|variable set)\s+(?://\S+?:)?([\w./-]*[A-Z_][\w.-]*)\s+("[^"]+"|'[^']+'|\S+)"#,
        // A line of settings: the quoted value is its end.
        r#"(?m)(?:^|: ["'])\s*(?:[\w-]+ )?([\w-]+)\s+("[^"\n]+"|'[^'\n]+');?["']?\s*$"#,
        r#"[{;]\s*(\w+)\s+("[^"\n]+"|'[^'\n]+')\s*;"#,
        // `DB_PASSWORD is set to X`
        r#"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s+(?:is|was|has been)\s+(?:set|changed|reset|updated)\s+to\s+("[^"]+"|'[^']+'|\S+)"#,
        // The serialization of PHP.
        r#"s:\d+:"([^"]+)";s:\d+:("[^"]*")"#,
        // A line that consists of a name of several words and a value.
        r#"(?m)(?:^|: ["'])\s*([A-Za-z]+(?:[-_][A-Za-z]+)+)\s+([^\s"']+)["']?\s*$"#,
    ])
});
/// Commands with a secret at a fixed position: words of which at least one is in every such text, in any case, and the
/// pattern. Compiling a pattern costs more than matching it, so it waits for a text with its word.
const COMMANDS: &[(&[&str], &str)] = &[
    (&[r"\\"], r"(?i)\bnet\s+use\s+(?:\w:\s+)?\\\\\S+\s+([^\s/]\S*)"),
    (&["/user:"], r"(?i)\bnet\s+use\s[^\n|&]*?/user:\S+\s+([^\s/]\S*)"),
    (&["net"], r"(?i)\bnet\s+user\s+[^\s/]+\s+([^\s/]\S*)"),
    (&["securestring"], r"(?i)\bConvertTo-SecureString\s+(?:-String\s+)?([^\s-]\S*)"),
    (
        &["pw", "requirepass", "masterauth"],
        r"(?i)\b(?:bindpw|rootpw|rootbindpw|binddn_pw|requirepass|masterauth|olcRootPW)\s+(\S+)",
    ),
    // SMTP, IMAP, POP3, Redis.
    (&["auth"], r"\bAUTH\s+(?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5)\s+([A-Za-z0-9+/=]{6,})"),
    (&["auth"], r#"(?m)\bAUTH(?:[ \t]+[\w.@-]+)?[ \t]+([^\s:"']+)["']?[ \t]*(?:$|\r|\\r|\\n)"#),
    (&["ugfzc3dvcmq6"], r"334 UGFzc3dvcmQ6\s+(?:>\s*|C:\s*)?(\S+)"),
    (&["pass"], r#"(?m)(?:^|["'])(?:>|C:|\s|\d+:)*PASS\s+([^\s/:"']+)["']?\s*$"#),
    (&["login"], r"\b[A-Za-z]?\d+\s+LOGIN\s+\S+\s+(\S+)"),
    (&[">", "#"], r"\b(?:SETUSER|setuser|user)\s+\S+\s+(?:\S+\s+){0,8}?[>#]([^\s>]\S*)"),
    (&["auth-pass"], r"\bauth-pass\s+\S+\s+(\S+)"),
    (&["rabbitmqctl"], r"\brabbitmqctl\s+(?:-\S+\s+)*(?:add_user|change_password|authenticate_user)\s+\S+\s+(\S+)"),
    (&["htpasswd"], r"\bhtpasswd\s+-\w*n\w*\s+\S+\s+(\S+)"),
    (&["htpasswd"], r"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+(\S+)"),
    (&["vault", "bao"], r#"\b(?:vault|bao)\s+login\s+([^\s=-][^\s=]{5,})(?:[\s"']|$)"#),
    (&["unseal"], r#"\bunseal\s+([A-Za-z0-9+/]{8,}=*)(?:[\s"']|$)"#),
    (&["unseal key"], r"(?i)\bunseal key(?: \d+)?:\s*(\S+)"),
    (&["@"], r"(?i)\b(?:sqlplus|impdp|expdp|imp|exp|rman|sqlldr|sqlcl|tnsping)\b[^\n|;&]*?\s[\w$#]+/([^@\s/]+)@"),
    (
        &["-stdin", "sudo", "chpasswd", "smbpasswd"],
        r#"\becho\s+(?:-\w+\s+)*("[^"]+"|'[^']+'|\S+)\s*\|[^|\n]*(?:-stdin|sudo\s+-\S*S|chpasswd|smbpasswd)"#,
    ),
    (
        &["-stdin", "sudo", "chpasswd", "smbpasswd"],
        r#"\bprintf\s+(?:['"]?%s\S*\s+)?("[^"]+"|'[^']+'|\S+)\s*\|[^|\n]*(?:-stdin|sudo\s+-\S*S|chpasswd|smbpasswd)"#,
    ),
    (&["<<<"], r#"-stdin\b[^|\n]*<<<\s*("[^"]+"|'[^']+'|\S+)"#),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-A\s+(\S+)"),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-X\s+(\S+)"),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-c\s+(\S+)"),
    (&["snmp-server"], r"\bsnmp-server\s+community\s+(\S+)"),
    (
        &["enable", "shared", "radius", "username"],
        r"\b(?:enable|shared|radius|username \S+)\s+(?:secret|password|key)\s+(?:\d\s+)?([^\s:=]+)\s*(?:$|\n|;)",
    ),
    (&[":_", "_auth"], r#":_(?:authToken|auth|password)\s+(\S+)|\bset\s+_auth\s+(\S+)"#),
    (&["--from-literal"], r#"--from-literal[=\s]["']?[\w.-]+=("[^"]+"|'[^']+'|[^\s"']+)"#),
    (&["curl"], r"\bcurl\b[^\n|;&]*?\s-u\w[^\s:]*:(\S+)"),
    (
        &["curl", "http", "xh"],
        r"\b(?:curl|https?|xh)\b[^\n|;&]*?\s(?:-E|--cert|-a|--auth|--proxy-cert)\s+[^\s:]+:(\S+)",
    ),
    (&["useradd", "usermod"], r"\b(?:useradd|usermod)\b[^\n|;&]*?\s-p\s+(\S+)"),
    (&["openssl"], r"\bopenssl\s+\w+\b[^\n|;&]*?\s-(?:k|K|hmac)\s+(\S+)"),
    (&["zip"], r"\bzip\b[^\n|;&]*?\s-P\s+(\S+)"),
    (&["docker", "podman", "nerdctl"], r"\b(?:docker|podman|nerdctl)\s+login\b[^\n|;&]*?\s-p([^\s-]\S+)"),
    (&["ldap"], r"\bldap\w+\b[^\n|;&]*?\s-w([^\s-]\S+)"),
    (&["tsig"], r"\bTSIG\s+[\w-]+:[\w.-]+:(\S+)"),
    (&["identified"], r#"(?i)\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?BY\s+([^\s"'`;]+)"#),
    (&["password"], r#"(?i)\bSET\s+PASSWORD\s+(?:FOR\s+\S+\s*)?=\s*(?:PASSWORD\s*\(\s*)?("[^"]+"|'[^']+')"#),
    (&["ssh-keygen"], r#"\bssh-keygen\b[^\n|;&]*?\s-[NP]\s+("[^"]+"|'[^']+'|\S+)"#),
    (&["<<<"], r#"\b(?:kinit|login|passwd)\b[^\n|]*<<<\s*("[^"]+"|'[^']+'|\S+)"#),
    (&["lftp"], r"\blftp\b[^\n|;&]*?\s-u\s+[^\s,]+,(\S+)"),
    (&["alias", "host"], r"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+(\S+)"),
    // `gh secret set NAME VALUE`, and the same with a flag before or after the name.
    (
        &["secret"],
        r#"(?i)\bsecrets?\s+(?:set|put|create|add|update)\b[^\n|;&]*?\s(?-i:[A-Z_])\w*[=\s]+("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)"#,
    ),
    (
        &["-b", "--body", "--value", "--string-value", "--secret-", "--plain", "--payload"],
        r#"(?i)(?:secret|credential|password|token)[^\n|;&]*?\s(?:-b|--body|--value|--string-value|--secret-value|--secret-string|--plain-?text|--payload)(?:\s*=\s*|\s+)("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)"#,
    ),
    // `login failed with 'X' as password`, `password mismatch: got X, want Y`
    (&["pass"], r#"(?i)("[^"\s]+"|'[^'\s]+')\s+as\s+(?:the\s+|a\s+|its\s+)?(?:password|passphrase|passcode)\b"#),
    (
        &["match"],
        r#"(?i)\b(?:passwords?|passphrase|passcode|tokens?|secrets?)\s+(?:mismatch|do(?:es)?\s+not\s+match|don't\s+match)[:,]?\s+(?:got|have|expected|want)\s+("[^"]+"|'[^']+'|[^\s"',;]+)"#,
    ),
    (
        &["match"],
        r#"(?i)\b(?:passwords?|passphrase|passcode|tokens?|secrets?)\s+(?:mismatch|do(?:es)?\s+not\s+match|don't\s+match)[:,]?\s+(?:got|have|expected|want)\s+\S+\s+(?:but\s+)?(?:got|have|expected|want)\s+("[^"]+"|'[^']+'|[^\s"',;]+)"#,
    ),
    (&["vault", "bao"], r#"\b(?:vault|bao)\s+kv\s+(?:put|patch)\s+(?:-\S+\s+)*[\w/.-]+\s+([\w.-]+=[^\n|;&]+)"#),
    (&["securestring"], r#"--value[=\s]("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)[^\n|;&]*?\bSecureString\b"#),
    (&["securestring"], r#"\bSecureString\b[^\n|;&]*?--value[=\s]("[^"]+"|'[^']+'|[^\s"']+)"#),
    (&["patch"], r#"\bpatch\s+secrets?\b[^\n]*?\\*"data\\*"\s*:\s*\{\s*\\*"[^"]*"\s*:\s*("[^"]+")"#),
    // Webhooks whose path is the credential.
    (&["/open-apis/"], r"(?-u)/open-apis/bot/v\d/hook/([\w-]+)"),
    (&["/hooks/"], r"(?-u)/hooks/(?:\w{6,}/)?([a-z0-9]{16,})\b"),
    (&["/with/key/"], r"(?-u)/with/key/([\w-]+)"),
];
static COMPILED: [OnceLock<Option<Regex>>; COMMANDS.len()] = [const { OnceLock::new() }; COMMANDS.len()];
/// The words of [`COMMANDS`].
static WORDS: LazyLock<Option<CommandWords>> = LazyLock::new(CommandWords::build);

struct CommandWords {
    automaton: AhoCorasick,
    /// The commands of each word, as bits.
    commands: Vec<u64>,
}

impl CommandWords {
    fn build() -> Option<Self> {
        let words: BTreeSet<&str> = COMMANDS.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        let bits = |word: &&str| -> u64 {
            let is_of = |(index, (words, _)): (usize, &(&[&str], &str))| u64::from(words.contains(word)) << index;
            COMMANDS.iter().enumerate().map(is_of).sum()
        };
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok()?;
        Some(Self { automaton, commands: words.iter().map(bits).collect() })
    }
}

/// The commands of [`find`] that a text may contain, as bits.
#[derive(Clone, Copy)]
pub(super) struct CommandClues(u64);

impl CommandClues {
    /// Returns clues to every command.
    pub(super) const ALL: Self = Self(u64::MAX);
    /// Returns clues to no command.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn read(text: &str) -> Self {
        let Some(words) = WORDS.as_ref() else { return Self::ALL };
        let found = words.automaton.find_overlapping_iter(text);
        Self(found.fold(0, |bits, word| bits | words.commands[word.pattern().as_usize()]))
    }

    /// Returns the patterns of the commands.
    fn patterns(self) -> impl Iterator<Item = &'static Regex> {
        let mentioned = COMMANDS.iter().zip(&COMPILED).enumerate().filter(move |(index, _)| self.0 >> index & 1 == 1);
        mentioned.filter_map(|(_, ((_, pattern), compiled))| compiled.get_or_init(|| Regex::new(pattern).ok()).as_ref())
    }
}
/// One-time codes.
static CODES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?i:otp|2fa|mfa|one-time|verification)(?i:[ _-](?:code|token|password|passcode))?(?: is)?[ :=]+(\d{4,8})\b|\bPIN(?: is)?[ :=]+(\d{4,8})\b").ok()
});
/// A user and a password: `user/password: x/y`, `credentials x:y`.
static LOGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)\b(?:(user(?:name)?\s?[/:|,&]\s?pass(?:word|wd)?)|logins?|credentials?|creds|basic[ -]auth(?:entication)?)\b["']?(?:\s+(?:is|are|was|were))?(?:\s*[:=]\s*|\s+)["'(]?([\w.@+\\-]+)(:|/| / | : )([^\s"',;)]+)"#).ok()
});

fn compile(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Adds the values of commands and protocols.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    if !MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        return;
    }
    for pattern in ASSIGNMENTS.iter().filter(|_| clues.names_secret) {
        for captures in pattern.captures_iter(text) {
            if let (Some(name), Some(value)) = (captures.get(1), captures.get(2))
                && is_secret_name(name.as_str())
            {
                found.extend(value_at(text, value.range()));
            }
        }
    }
    for pattern in clues.commands.patterns() {
        for captures in pattern.captures_iter(text) {
            let value = captures.iter().skip(1).flatten().next();
            found.extend(value.and_then(|value| value_at(text, value.range())));
        }
    }
    for captures in CODES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        found.extend(captures.get(1).or_else(|| captures.get(2)).map(|code| code.range()));
    }
    for captures in LOGIN.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(user), Some(separator), Some(value)) = (captures.get(2), captures.get(3), captures.get(4)) else {
            continue;
        };
        let names_both = captures.get(1).is_some();
        // `credentials shop/db` is the name of a Secret.
        let is_login = names_both || separator.as_str() != "/" || is_opaque(value.as_str());
        if is_login && (names_both || !is_prose(user.as_str())) && !value.as_str().starts_with('/') {
            found.extend(value_at(text, value.range()));
        }
    }
}

/// Returns the range of a value without quotes, unless it is a word of a sentence, a reference, or a number.
fn value_at(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    if text[range.start..].starts_with(['"', '\'']) {
        let value = quoted_value(text, range.start)?;
        return (!is_prose(&text[value.clone()])).then_some(value);
    }
    let value = text[range.clone()].trim_end_matches(['"', '\'', ',', ';', ')', '.', '`']);
    let is_number = value.len() < 6 && value.chars().all(|c| c.is_ascii_digit());
    let is_harmless = value.is_empty()
        || is_number
        || value.starts_with(['-', '$', '<', '{', '*', '%', '(', '['])
        || value.contains("://")
        || is_masked(value)
        || is_prose(value)
        || reference_length(value).is_some();
    (!is_harmless).then(|| range.start..range.start + value.len())
}

#[cfg(test)]
#[test]
fn every_pattern_is_one() {
    assert!(MENTION.is_some() && LOGIN.is_some() && CODES.is_some());
    assert_eq!((ASSIGNMENTS.len(), CommandClues::ALL.patterns().count()), (7, COMMANDS.len()));
    assert!(WORDS.is_some() && COMMANDS.len() <= 64);
}
