//! Texts in base85: Ascii85 of Adobe, the alphabet of Git and Python (RFC 1924), and that of ZeroMQ (Z85).

use std::ops::Range;

use super::bytes::{is_compressed, is_secret};
use super::clues::may_be_base85;

/// Characters that encode four bytes.
const GROUP: usize = 5;
/// The shortest run that is decoded: 16 bytes.
const SHORTEST: usize = 20;
/// The longest run that is decoded. Longer ones are archives.
const LONGEST: usize = 1 << 20;
/// Bytes at the start of a decoded text that are ASCII.
const PLAIN_START: usize = 16;
/// The most places at which a word may begin to be encoded: after the separators of a name and its value.
const MOST_STARTS: usize = 8;
/// A byte that is no digit.
const NONE: u8 = u8::MAX;

const GIT: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const ZEROMQ: &[u8; 85] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const ADOBE: &[u8; 85] = &{
    let (mut digits, mut digit) = ([0; 85], 0_u8);
    while digit < 85 {
        digits[digit as usize] = b'!' + digit;
        digit += 1;
    }
    digits
};
/// The value of each byte in each alphabet.
const VALUES: [[u8; 256]; 3] = [values(GIT), values(ZEROMQ), values(ADOBE)];

const fn values(alphabet: &[u8; 85]) -> [u8; 256] {
    let (mut values, mut digit) = ([NONE; 256], 0_u8);
    while digit < 85 {
        values[alphabet[digit as usize] as usize] = digit;
        digit += 1;
    }
    values
}

/// Adds each run that encodes a text with a secret.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_graphic()).count();
        if length >= SHORTEST && may_be_base85(&bytes[at..at + length]) {
            found.extend(find_in_word(bytes, at..at + length, depth));
        }
        at += length.max(1);
    }
    find_in_patches(text, depth, found);
}

/// The start of a patch of Git with lines in base85.
const PATCH: &[u8] = b"GIT binary patch\n";
/// The line before such lines, without the number of bytes.
const HUNKS: [&str; 2] = ["literal ", "delta "];

/// Adds the lines of each patch of Git that encode a secret: a letter for the number of bytes of the line, and the bytes.
fn find_in_patches(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    for patch in memchr::memmem::find_iter(text.as_bytes(), PATCH) {
        let mut at = patch + PATCH.len();
        let (mut begin, mut plain) = (at, Vec::new());
        let end = text.floor_char_boundary(at.saturating_add(LONGEST));
        for line in text[at..end].split_inclusive('\n').chain([""]) {
            let is_hunk = HUNKS.iter().any(|hunk| line.starts_with(hunk));
            if is_hunk || line.trim().is_empty() {
                if !plain.is_empty() && is_secret(&plain, depth) {
                    found.push(begin..text[..at].trim_end().len());
                }
                begin = at + line.len();
                plain.clear();
            } else if let Some(data) = line.trim_end().as_bytes().get(1..) {
                plain.extend(decode(data, &VALUES[0]).0);
            }
            at += line.len();
        }
    }
}

/// Returns the run in a word that encodes a secret. It begins with the word, or after the separator of a name.
fn find_in_word(text: &[u8], word: Range<usize>, depth: usize) -> Option<Range<usize>> {
    let is_start = |at: &usize| *at == word.start || b"\"'`=:,([{>~".contains(&text[at - 1]);
    let last = word.end - SHORTEST;
    (word.start..=last).filter(is_start).take(MOST_STARTS).find_map(|start| {
        VALUES.iter().find_map(|values| {
            let run = &text[start..word.end.min(start + LONGEST)];
            begins_plain(run, values)?;
            let (mut plain, length) = decode(run, values);
            // What follows a text without a space is not a part of it.
            if !is_compressed(&plain) {
                plain.truncate(plain.iter().position(|byte| !is_plain(*byte)).unwrap_or(plain.len()));
                plain.truncate(std::str::from_utf8(&plain).map_or_else(|error| error.valid_up_to(), str::len));
            }
            is_secret(&plain, depth).then_some(start..start + length)
        })
    })
}

/// Returns `None` unless a run begins with an encoded ASCII text, or with compressed data. Nearly all words end here.
fn begins_plain(run: &[u8], values: &[u8; 256]) -> Option<()> {
    let first = group(run, values)?;
    if is_compressed(&first) {
        return Some(());
    }
    let groups = run.chunks(GROUP).take(PLAIN_START / first.len());
    let is_ascii_text =
        |run| group(run, values).is_some_and(|bytes| bytes.iter().all(|byte| byte.is_ascii() && is_plain(*byte)));
    groups.into_iter().all(is_ascii_text).then_some(())
}

fn is_plain(byte: u8) -> bool {
    !byte.is_ascii_control() || byte.is_ascii_whitespace()
}

/// Returns the bytes of a whole group.
fn group(run: &[u8], values: &[u8; 256]) -> Option<[u8; 4]> {
    let digits = run.get(..GROUP)?;
    let number = digits.iter().try_fold(0_u64, |number, byte| {
        let value = values[usize::from(*byte)];
        (value != NONE).then(|| number * 85 + u64::from(value))
    })?;
    u32::try_from(number).ok().map(u32::to_be_bytes)
}

/// Returns the decoded bytes of a run up to the first group that is none, and the length of that part. The last group may be
/// short.
fn decode(run: &[u8], values: &[u8; 256]) -> (Vec<u8>, usize) {
    let (mut plain, mut at) = (Vec::with_capacity(run.len() * 4 / GROUP), 0);
    while let Some(bytes) = group(&run[at..], values) {
        plain.extend(bytes);
        at += GROUP;
    }
    let rest = run[at..].iter().take(GROUP - 1).take_while(|byte| values[usize::from(**byte)] != NONE).count();
    if rest > 1 {
        let mut last = [values.iter().position(|value| *value == 84).map_or(0, |byte| byte as u8); GROUP];
        last[..rest].copy_from_slice(&run[at..at + rest]);
        plain.extend(group(&last, values).iter().flat_map(|bytes| &bytes[..rest - 1]));
    }
    // Z85 fills the last group with zeros.
    plain.truncate(plain.len() - plain.iter().rev().take_while(|byte| **byte == 0).count());
    (plain, at + rest)
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    /// Encodes a text whose length is a multiple of four.
    fn encode(text: &str, alphabet: &[u8; 85]) -> String {
        let digit = |number: u32, place: u32| char::from(alphabet[(number / 85_u32.pow(place) % 85) as usize]);
        let groups =
            text.as_bytes().chunks(4).map(|group| group.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)));
        groups.flat_map(|number| (0..5).rev().map(move |place| digit(number, place))).collect()
    }

    #[test]
    fn texts_in_base85_are_decoded() {
        let (secret, plain) = ("{\"password\": \"canary-1\"}\n ", "{\"greeting\": \"canary-1\"}\n ");
        for alphabet in [GIT, ZEROMQ, ADOBE] {
            for around in ["data: X", "X", "value=X", "<~X~>"] {
                let shown = scrub(&around.replace('X', &encode(secret, alphabet))).into_owned();
                assert!(shown.contains("<hidden>") && !shown.contains(&encode(secret, alphabet)[8..20]), "{shown}");
                let text = around.replace('X', &encode(plain, alphabet));
                assert_eq!(scrub(&text), text);
            }
        }
    }

    #[test]
    fn no_word_makes_decoding_panic() {
        for text in ["~".repeat(100), "u".repeat(100), "!".repeat(21), "{".repeat(23), format!("a={}", "=".repeat(50))]
        {
            assert_eq!(scrub(&text), text);
        }
    }
}
