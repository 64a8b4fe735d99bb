//! Runs of characters that encode bytes: base64, also over several lines, hexadecimal digits, and base32.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::SHORTEST_TOKEN;
use super::bytes::{hexadecimal, is_compressed, is_mixed, is_secret};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const ENGINES: [GeneralPurpose; 2] = [GeneralPurpose::new(&STANDARD, LENIENT), GeneralPurpose::new(&URL_SAFE, LENIENT)];

/// Adds the runs that encode a secret.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    find_base64(text, depth, found);
    find_wrapped_base64(text, depth, found);
    find_hexadecimal(text, depth, found);
    find_base32(text, depth, found);
}

/// Adds each run of base64 that encodes a text with a secret, a compressed one, or a private key.
fn find_base64(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        if !is_base64(bytes[start]) {
            start += 1;
            continue;
        }
        let length = bytes[start..].iter().position(|byte| !is_base64(*byte)).unwrap_or(bytes.len() - start);
        let end = start + length;
        let padding = bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        if length >= SHORTEST_TOKEN && is_mixed(&bytes[start..end]) {
            if encodes_secret(&text[start..end], depth) {
                found.push(start..end + padding);
            } else {
                find_in_parts(text, start..end, depth, found);
            }
        }
        start = end + padding.max(1);
    }
}

/// Adds each part of a run that encodes a secret: a name may be joined with base64 by a character of its other alphabet.
fn find_in_parts(text: &str, run: Range<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
    if !text[run.clone()].contains(['-', '_']) {
        return;
    }
    let mut at = run.start;
    for part in text[run].split(['-', '_']) {
        if part.len() >= SHORTEST_TOKEN && is_mixed(part.as_bytes()) && encodes_secret(part, depth) {
            found.push(at..at + part.len());
        }
        at += part.len() + 1;
    }
}

/// Adds each run of base64 that is wrapped over several lines, if its lines alone show nothing.
fn find_wrapped_base64(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let (mut at, mut start, mut end, mut joined, mut lines) = (0, 0, 0, String::new(), 0);
    let mut finish = |joined: &mut String, range: Range<usize>, lines: usize| {
        if lines > 1 && is_mixed(joined.as_bytes()) && encodes_secret(joined, depth) {
            found.push(range);
        }
        joined.clear();
    };
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        let first = body
            .trim_end_matches('=')
            .rfind(|c| !is_base64(c))
            .map_or(0, |last| last + body[last..].chars().next().map_or(1, char::len_utf8));
        let run = body[first..].trim_end_matches('=');
        let continues = lines > 0 && body[..first].trim().is_empty() && !run.is_empty();
        if !continues {
            finish(&mut joined, start..end, lines);
            (start, lines) = (at + first, 0);
        }
        // The last line may be short, and ends with its padding.
        let is_line = run.len() >= SHORTEST_TOKEN || continues;
        if is_line {
            joined.push_str(run);
            (end, lines) = (at + body.len(), lines + 1);
        }
        if is_line && (run.len() < SHORTEST_TOKEN || body.ends_with('=')) {
            finish(&mut joined, start..end, lines);
            lines = 0;
        }
        at += line.len();
    }
    finish(&mut joined, start..end, lines);
}

fn encodes_secret(run: &str, depth: usize) -> bool {
    let engine = &ENGINES[usize::from(run.contains(['-', '_']))];
    // A truncated run, or one that starts with a name, may have an incomplete last byte.
    let whole = &run[..run.len() - usize::from(run.len() % 4 == 1)];
    engine.decode(whole).is_ok_and(|bytes| is_secret(&bytes, depth))
}

/// Returns true for the number of hexadecimal digits of a usual digest.
fn is_digest(length: usize) -> bool {
    matches!(length, 32 | 40 | 56 | 64 | 96 | 128)
}

/// Adds each run of hexadecimal digits that encodes a text with a secret, or a compressed one. Digests hardly ever encode a
/// text.
fn find_hexadecimal(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if length >= SHORTEST_TOKEN && length % 2 == 0 {
            let digits = bytes[start..start + length].chunks(2).map(hexadecimal);
            let plain: Option<Vec<u8>> = digits.map(|digits| u8::try_from(digits?).ok()).collect();
            let is_plain = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
            let is_code = |plain: &[u8]| plain.iter().all(is_plain) || !is_digest(length) || is_compressed(plain);
            if plain.is_some_and(|plain| is_code(&plain) && is_secret(&plain, depth)) {
                found.push(start..start + length);
            }
        }
        start += length.max(1);
    }
}

/// Adds each run of base32 that encodes a text with a secret.
fn find_base32(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let run = bytes[start..].iter().take_while(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7')).count();
        let is_whole = bytes.get(start + run).is_none_or(|next| !next.is_ascii_alphanumeric());
        if run >= SHORTEST_TOKEN && is_whole {
            let mut plain = Vec::new();
            let (mut buffer, mut bits) = (0_u32, 0);
            for byte in &bytes[start..start + run] {
                let digit = if byte.is_ascii_uppercase() { byte - b'A' } else { byte - b'2' + 26 };
                (buffer, bits) = ((buffer << 5 | u32::from(digit)) & 0xfff, bits + 5);
                if bits >= 8 {
                    bits -= 8;
                    plain.extend(u8::try_from(buffer >> bits & 0xff));
                }
            }
            let is_plain = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
            if plain.iter().all(is_plain) && is_secret(&plain, depth) {
                let padding = bytes[start + run..].iter().take(6).take_while(|byte| **byte == b'=').count();
                found.push(start..start + run + padding);
            }
        }
        start += run.max(1);
    }
}
