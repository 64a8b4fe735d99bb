//! Decoded bytes: compressed or in UTF-16, a key, or a text with a secret.

use std::cell::RefCell;
use std::io::Read as _;

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};
use flate2::{Decompress, FlushDecompress};

use super::{DEEPEST, SHORTEST_TOKEN, holds_secret};

/// A decoded character: the length of its encoding, and its bytes.
pub(super) type Decoded = (usize, Vec<u8>);

/// Limit of decompressed bytes. A longer text, such as a decompression bomb, is treated as a secret.
const LONGEST_UNPACKED: u64 = 4 * 1024 * 1024;

/// Returns true if decoded bytes are or contain a secret.
pub(super) fn is_secret(bytes: &[u8], depth: usize) -> bool {
    if is_gzip(bytes) {
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
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) => is_login(text) || is_too_deep(text, depth) || holds_secret(text, depth + 1),
        _ => is_private_key(bytes) || is_deflated_secret(bytes, depth),
    }
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Returns true for the mark of compressed data.
pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8]) || is_zlib(bytes)
}

/// The shortest deflated text, and the bytes at its start that are decompressed first.
const SHORTEST_DEFLATED: usize = 18;
const DEFLATED_START: usize = 64;

thread_local! {
    /// Its memory is larger than the texts that it is tried with.
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Returns true if bytes are deflated without a mark, as in SAML and in HTTP, and contain a secret. Other bytes end at
/// once, or give no text.
fn is_deflated_secret(bytes: &[u8], depth: usize) -> bool {
    if !begins_deflated(bytes) {
        return false;
    }
    let mut start = [0; DEFLATED_START];
    let length = INFLATER.with_borrow_mut(|inflater| {
        inflater.reset(false);
        inflater.decompress(bytes, &mut start, FlushDecompress::None).ok()?;
        usize::try_from(inflater.total_out()).ok()
    });
    let is_plain = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    if !length.is_some_and(|length| length >= SHORTEST_DEFLATED && start[..length].iter().all(is_plain)) {
        return false;
    }
    let mut unpacked = Vec::new();
    // A part of it may be cut off.
    let _ = DeflateDecoder::new(bytes).take(LONGEST_UNPACKED).read_to_end(&mut unpacked);
    unpacked.len() as u64 == LONGEST_UNPACKED || holds_secret(&String::from_utf8_lossy(&unpacked), depth + 1)
}

/// Returns true for the first block of deflated ASCII text (RFC 1951). Of other bytes, one in ten has this form.
fn begins_deflated(bytes: &[u8]) -> bool {
    let Some(first) = bytes.first_chunk::<SHORTEST_DEFLATED>() else { return false };
    let bits = first[..16].iter().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let field = |at: usize, width: u32| (bits >> at) as u32 & ((1 << width) - 1);
    match field(1, 2) {
        // Stored: the length, and its complement.
        0 => first[1] == !first[3] && first[2] == !first[4],
        // The fixed code: a character of ASCII has eight bits.
        1 => {
            let code = |at: usize| (field(at, 8) as u8).reverse_bits();
            let is_plain = |code: u8| (0x30..0xaf).contains(&code) && is_plain_ascii(&(code - 0x30));
            // The second code may also be that of a length.
            is_plain(code(3)) && (is_plain(code(11)) || code(11) < 0x30)
        }
        // A code of its own: the lengths of the code for its lengths, which leave no code unused.
        2 => {
            let lengths = (0..field(13, 4) as usize + 4).map(|index| field(17 + 3 * index, 3));
            let used: u32 = lengths.filter(|length| *length > 0).map(|length| 128 >> length).sum();
            used == 128 && field(3, 5) < 30 && field(8, 5) < 30
        }
        _ => false,
    }
}

fn is_plain_ascii(byte: &u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::super::scrub;

    #[test]
    fn deflated_texts_are_decompressed() {
        for (text, is_secret) in
            [("{\"user\":\"a\",\"password\":\"canary-1\"}", true), ("just a greeting, no more", false)]
        {
            for level in [Compression::none(), Compression::best()] {
                let mut encoder = DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(text.as_bytes()).unwrap();
                let message = format!("frame {} refused", STANDARD.encode(encoder.finish().unwrap()));
                assert_eq!(scrub(&message) == "frame <hidden> refused", is_secret, "{message}");
                assert_eq!(scrub(&message) == message, !is_secret, "{message}");
            }
        }
    }
}
