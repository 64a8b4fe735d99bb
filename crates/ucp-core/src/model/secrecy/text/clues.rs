//! Clues to secrets: what one pass over the bytes of a text shows. Without its clue, a search finds nothing, and most
//! texts have none.

use super::super::names::may_name_secret;
use super::SHORTEST_TOKEN;
use super::positional::CommandClues;

/// A character of base64 or hexadecimal digits.
const ENCODED: u8 = 1;
/// A character that a single word does not contain.
const BREAK: u8 = 2;
/// The start of an escaped, a percent-encoded, a look-alike, or an invisible character, or of a terminal's colors.
const ESCAPE: u8 = 4;
/// Characters that every text in base85 has: letters in both cases, and those that are rare in names, paths, and addresses.
const UPPER: u8 = 8;
const LOWER: u8 = 16;
const RARE: u8 = 32;

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
        let is_control = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
        if !byte.is_ascii() || is_control || matches!(byte, b'%' | b'\\' | b'&' | b'[' | b'^') {
            class |= ESCAPE;
        }
        class |= match byte {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'+' | b';' | b'<' | b'>' | b'?' | b'@' | b'^' | b'|' | b'~' => {
                RARE
            }
            _ => 0,
        };
        classes[byte as usize] = class;
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

/// Returns true if a word may be in base85 by the classes of its characters.
fn is_base85(seen: u8) -> bool {
    seen & (UPPER | LOWER | RARE) == UPPER | LOWER | RARE
}

/// Returns true if a word may be in base85.
pub(super) fn may_be_base85(word: &[u8]) -> bool {
    is_base85(word.iter().fold(0, |seen, byte| seen | CLASSES[usize::from(*byte)]))
}

/// What a text shows of its contents.
pub(super) struct Clues {
    /// One word of ASCII characters, which can only be a token.
    pub(super) is_word: bool,
    /// Escaped, percent-encoded, look-alike, or invisible characters.
    pub(super) has_escapes: bool,
    /// A run of characters that is long enough to encode a secret.
    pub(super) has_run: bool,
    /// Characters of which each text in base85 has some.
    pub(super) has_base85: bool,
    /// A part that may be the name of a secret.
    pub(super) names_secret: bool,
    /// The commands with a secret that it may contain.
    pub(super) commands: CommandClues,
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
        // Dots between a name and its value.
        let is_word = seen & BREAK == 0 && memchr::memmem::find(text.as_bytes(), b"....").is_none();
        Self {
            is_word,
            has_escapes: seen & ESCAPE != 0,
            has_run: longest >= SHORTEST_TOKEN,
            has_base85: is_base85(seen) && text.len() >= SHORTEST_TOKEN,
            names_secret: !is_word && may_name_secret(text),
            commands: if is_word { CommandClues::NONE } else { CommandClues::read(text) },
        }
    }

    /// Returns clues to everything, for a search that leaves out nothing.
    #[cfg(test)]
    pub(super) fn everything() -> Self {
        Self {
            is_word: false,
            has_escapes: true,
            has_run: true,
            has_base85: true,
            names_secret: true,
            commands: CommandClues::ALL,
        }
    }
}
