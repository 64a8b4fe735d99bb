//! Decoded bytes: compressed or in UTF-16, a key, or a text with a secret.

use std::io::Read as _;

use flate2::read::{GzDecoder, ZlibDecoder};

use super::{DEEPEST, SHORTEST_TOKEN, holds_secret};

/// Limit of decompressed bytes. A longer text, such as a decompression bomb, is treated as a secret.
const LONGEST_UNPACKED: u64 = 4 * 1024 * 1024;

/// Returns true if decoded bytes are or contain a secret.
pub(super) fn is_secret(bytes: &[u8], depth: usize) -> bool {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let read = GzDecoder::new(bytes).take(LONGEST_UNPACKED).read_to_end(&mut unpacked);
        // Data that cannot be decompressed is treated as a secret.
        return read.is_err() || unpacked.len() as u64 == LONGEST_UNPACKED || is_secret(&unpacked, depth);
    }
    if is_zlib(bytes) {
        let mut unpacked = Vec::new();
        // Two bytes are an uncertain mark, so that only what could be decompressed counts.
        let read = ZlibDecoder::new(bytes).take(LONGEST_UNPACKED).read_to_end(&mut unpacked);
        if read.is_ok() && unpacked.len() as u64 == LONGEST_UNPACKED || is_secret(&unpacked, depth) {
            return true;
        }
    }
    if let Some(text) = from_wide(bytes) {
        return is_secret(text.as_bytes(), depth);
    }
    is_private_key(bytes)
        || std::str::from_utf8(bytes).is_ok_and(|text| {
            is_text(text) && (is_login(text) || is_too_deep(text, depth) || holds_secret(text, depth + 1))
        })
}

/// Returns true for the header of zlib: its method, and a check of the header itself.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [0x78, flags, _, ..] if (0x7800 + u16::from(*flags)).is_multiple_of(31))
}

/// Returns a text in UTF-16, as Windows and PowerShell encode it, with or without its mark. Most of its bytes are zero in
/// one half of each pair.
fn from_wide(bytes: &[u8]) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    let zeros = |half: usize| pairs.clone().filter(|pair| pair[half] == 0).count();
    let least = pairs.len() / 2 + 1;
    let is_big = match (zeros(0) >= least, zeros(1) >= least) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let units = pairs.map(|pair| match is_big {
        true => u16::from_be_bytes([pair[0], pair[1]]),
        false => u16::from_le_bytes([pair[0], pair[1]]),
    });
    let text: String = char::decode_utf16(units).collect::<Result<_, _>>().ok()?;
    Some(text.trim_start_matches('\u{feff}').to_owned())
}

/// Returns true if a text is one more run of base64, deeper than any program nests.
fn is_too_deep(text: &str, depth: usize) -> bool {
    let run = text.trim().trim_end_matches('=');
    depth >= DEEPEST
        && run.len() >= SHORTEST_TOKEN
        && is_mixed(run.as_bytes())
        && run.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte))
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

/// Returns true if a run has letters in both cases, as nearly all base64 has, and digests and most names do not.
pub(super) fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase)
}

pub(super) fn hexadecimal(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |number, byte| number.checked_mul(16)?.checked_add((*byte as char).to_digit(16)?))
}
