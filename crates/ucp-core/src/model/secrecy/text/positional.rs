//! Commands with a secret at a fixed position: `net use \\h\s X`, `AUTH X`.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

/// Words of which at least one is in every text with the command, in any case, and the pattern of the command. Compiling a
/// pattern costs more than matching it, so it waits for a text with its word.
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
    (&["signtool"], r"\bsigntool\b[^\n|;&]*?\s/p\s+(\S+)"),
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

/// The commands that a text may contain, as bits.
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
    pub(super) fn patterns(self) -> impl Iterator<Item = &'static Regex> {
        let mentioned = COMMANDS.iter().zip(&COMPILED).enumerate().filter(move |(index, _)| self.0 >> index & 1 == 1);
        mentioned.filter_map(|(_, ((_, pattern), compiled))| compiled.get_or_init(|| Regex::new(pattern).ok()).as_ref())
    }
}

#[cfg(test)]
#[test]
fn every_pattern_is_one() {
    assert_eq!(CommandClues::ALL.patterns().count(), COMMANDS.len());
    assert!(WORDS.is_some() && COMMANDS.len() <= 64);
}
