//! Clues to secrets: what one pass over the bytes of a text shows. Without its clue, a search finds nothing, and most
//! texts have none.

use std::sync::LazyLock;

use regex::Regex;

use super::super::names::may_name_secret;
use super::SHORTEST_TOKEN;

/// A character of base64 or hexadecimal digits.
const ENCODED: u8 = 1;
/// A character that a single word does not contain.
const BREAK: u8 = 2;
/// The start of an escaped, a percent-encoded, or a look-alike character.
const ESCAPE: u8 = 4;

/// Classes of bytes.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut class = 0;
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_') {
            class |= ENCODED;
        }
        if !byte.is_ascii()
            || matches!(
                byte,
                b' ' | b'\t'
                    | b'\n'
                    | b':'
                    | b'='
                    | b'>'
                    | b'@'
                    | b'%'
                    | b'\\'
                    | b'{'
                    | b'['
                    | b'|'
                    | b'"'
                    | b'\''
                    | b'('
                    | b'<'
                    | b','
                    | b';'
                    | b'&'
            )
        {
            class |= BREAK;
        }
        if !byte.is_ascii() || matches!(byte, b'%' | b'\\' | b'&') {
            class |= ESCAPE;
        }
        classes[byte as usize] = class;
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

/// Matches every text in which a command or a protocol of [`super::program`] may be.
static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let exact =
        r"AUTH|auth-pass|_auth|:_password|UGFzc3dvcmQ6|PASS|LOGIN|(?:SETUSER|setuser|user)\s(?s:.)*[>#]|-stdin|<<<";
    let words = r"net\s|securestring|bindpw|rootpw|binddn_pw|requirepass|masterauth|rabbitmqctl|htpasswd|login\s|unseal|sqlplus|impdp|expdp|\bimp\b|\bexp\b|rman|sqlldr|sqlcl|tnsping|echo\s|printf\s|snmp|(?:enable|shared|radius|username\s+\S+)\s+(?:secret|password|key)|--from-literal|\bcurl|(?:https?|xh)\b[^\n|;&]*?\s-|useradd|usermod|openssl|\bzip\s|ldap|TSIG|identified\s|set\s+password|ssh-keygen|passwd|lftp|\bmc\s|/hooks?/|/with/key/|secrets?\s|\sas\s+(?:the\s+|a\s+|its\s+)?pass|(?:mis)?match[:,]?\s+(?:got|have|expected|want)|kv\s+p|\s-b[\s=]|--(?:value|body|string-value|secret|plain-?text|payload)";
    Regex::new(&format!("{exact}|(?i:{words})")).ok()
});

/// What a text shows of its contents.
pub(super) struct Clues {
    /// One word of ASCII characters, which can only be a token.
    pub(super) is_word: bool,
    /// Escaped, percent-encoded, or look-alike characters.
    pub(super) has_escapes: bool,
    /// A run of characters that is long enough to encode a secret.
    pub(super) has_run: bool,
    /// A part that may be the name of a secret.
    pub(super) names_secret: bool,
    /// A part that may be a command with a secret.
    pub(super) has_command: bool,
}

impl Clues {
    pub(super) fn read(text: &str) -> Self {
        let (mut seen, mut run, mut longest) = (0, 0_usize, 0);
        for byte in text.bytes() {
            let class = CLASSES[usize::from(byte)];
            seen |= class;
            run = if class & ENCODED == 0 { 0 } else { run + 1 };
            longest = longest.max(run);
        }
        let is_word = seen & BREAK == 0;
        Self {
            is_word,
            has_escapes: seen & ESCAPE != 0,
            has_run: longest >= SHORTEST_TOKEN,
            names_secret: !is_word && may_name_secret(text),
            has_command: !is_word && COMMAND.as_ref().is_none_or(|pattern| pattern.is_match(text)),
        }
    }

    /// Returns clues to everything, for a search that leaves out nothing.
    #[cfg(test)]
    pub(super) fn everything() -> Self {
        Self { is_word: false, has_escapes: true, has_run: true, names_secret: true, has_command: true }
    }
}

#[cfg(test)]
#[test]
fn the_pattern_is_one() {
    assert!(COMMAND.is_some());
}
