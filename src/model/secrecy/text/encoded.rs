//! Encoded texts within a text: percent-encoded, escaped as in JSON, in base64, or compressed. Secrets in the decoded
//! text are secrets of the outer text.

use std::io::Read as _;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::read::GzDecoder;

use super::{holds_secret, secrets_at};

/// Shorter runs are words.
const SHORTEST_RUN: usize = 16;
/// Limit of decompressed bytes. A longer text, such as a decompression bomb, is treated as a secret.
const LONGEST_UNPACKED: u64 = 4 * 1024 * 1024;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const ENGINES: [GeneralPurpose; 2] = [GeneralPurpose::new(&STANDARD, LENIENT), GeneralPurpose::new(&URL_SAFE, LENIENT)];

/// A decoded text, and the offset in the original text of each of its bytes.
struct DecodedText {
    bytes: Vec<u8>,
    from: Vec<usize>,
}

/// Decodes a text; returns `None` if it has no encoded part.
type Decode = fn(&str) -> Option<DecodedText>;

/// Adds the ranges that are secrets after decoding.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let decoders: [(u8, Decode); 2] = [(b'%', decode_percent), (b'\\', decode_escapes)];
    for (mark, decode) in decoders {
        if memchr::memchr(mark, text.as_bytes()).is_some()
            && let Some(DecodedText { bytes, from }) = decode(text)
            && let Ok(plain) = String::from_utf8(bytes)
        {
            found.extend(secrets_at(&plain, depth + 1).into_iter().map(|range| from[range.start]..from[range.end]));
        }
    }
    find_base64(text, depth, found);
}

fn decode_percent(text: &str) -> Option<DecodedText> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| (*byte as char).to_digit(16));
    decode(text, b'%', |rest| {
        let code = digit(rest.get(1))? * 16 + digit(rest.get(2))?;
        Some((3, vec![u8::try_from(code).ok()?]))
    })
}

fn decode_escapes(text: &str) -> Option<DecodedText> {
    decode(text, b'\\', |rest| {
        let plain = match rest.get(1)? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            quote @ (b'"' | b'\'' | b'/' | b'\\') => *quote,
            b'u' => {
                let code = u32::from_str_radix(std::str::from_utf8(rest.get(2..6)?).ok()?, 16).ok()?;
                return Some((6, char::from_u32(code)?.to_string().into_bytes()));
            }
            _ => return None,
        };
        Some((2, vec![plain]))
    })
}

/// Decodes a text; returns `None` if nothing was encoded.
fn decode(text: &str, mark: u8, at: impl Fn(&[u8]) -> Option<(usize, Vec<u8>)>) -> Option<DecodedText> {
    let source = text.as_bytes();
    let mut plain = DecodedText { bytes: Vec::with_capacity(source.len()), from: Vec::with_capacity(source.len() + 1) };
    let (mut index, mut is_changed) = (0, false);
    while index < source.len() {
        let decoded = if source[index] == mark { at(&source[index..]) } else { None };
        let (length, bytes) = decoded.unwrap_or_else(|| (1, vec![source[index]]));
        is_changed |= length > 1;
        plain.from.extend(bytes.iter().map(|_| index));
        plain.bytes.extend(bytes);
        index += length;
    }
    plain.from.push(source.len());
    is_changed.then_some(plain)
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
        if length >= SHORTEST_RUN && is_mixed(&bytes[start..end]) && encodes_secret(&text[start..end], depth) {
            found.push(start..end + padding);
        }
        start = end + padding.max(1);
    }
}

/// Returns true if a run has letters in both cases, as nearly all base64 has, and digests and most names do not.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase)
}

fn encodes_secret(run: &str, depth: usize) -> bool {
    ENGINES.iter().any(|engine| {
        // A truncated run, or one that starts with a name, may have an incomplete last byte.
        let whole = &run[..run.len() - usize::from(run.len() % 4 == 1)];
        engine.decode(whole).is_ok_and(|bytes| is_secret(&bytes, depth))
    })
}

/// Returns true if decoded bytes are or contain a secret.
fn is_secret(bytes: &[u8], depth: usize) -> bool {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let read = GzDecoder::new(bytes).take(LONGEST_UNPACKED).read_to_end(&mut unpacked);
        // Data that cannot be decompressed is treated as a secret.
        return read.is_err() || unpacked.len() as u64 == LONGEST_UNPACKED || is_secret(&unpacked, depth);
    }
    is_private_key(bytes)
        || std::str::from_utf8(bytes)
            .is_ok_and(|text| is_text(text) && (is_login(text) || holds_secret(text, depth + 1)))
}

fn is_text(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c.is_whitespace())
}

/// Returns true for a name and a password, as in Basic authentication and Docker's settings.
fn is_login(text: &str) -> bool {
    text.split_once(':').is_some_and(|(user, password)| {
        !user.is_empty()
            && password.trim().len() >= 3
            && user.chars().all(|c| c.is_alphanumeric() || "._@$|+-".contains(c))
            && !password.trim().contains(char::is_whitespace)
            && !password.starts_with("//")
    })
}

/// Returns true for a private key in DER: a sequence that begins with its version, unlike certificates and public keys.
fn is_private_key(bytes: &[u8]) -> bool {
    let content = match bytes {
        [0x30, 0x82, _, _, rest @ ..] | [0x30, 0x81, _, rest @ ..] => rest,
        [0x30, length, rest @ ..] if *length < 0x80 => rest,
        _ => return false,
    };
    matches!(content, [0x02, 0x01, 0 | 1, 0x30 | 0x02 | 0x04, ..])
}
