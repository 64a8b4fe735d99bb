//! Characters in mails: `=3D`, and `=` at the end of a line that goes on (RFC 2045).

use super::bytes::{Decoded, hexadecimal};

/// Returns true if a text has a character that is encoded as in mails. Encoders leave letters and digits, and `=20` may be a
/// number.
pub(super) fn is_in(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_code = |digits: &[u8]| {
        let byte = byte(digits).filter(|_| digits[..2].iter().any(u8::is_ascii_alphabetic));
        byte.is_some_and(|byte| !byte.is_ascii_alphanumeric() && (!byte.is_ascii_control() || b"\n\r".contains(&byte)))
    };
    memchr::memchr_iter(b'=', bytes).any(|at| is_code(&bytes[at + 1..]))
}

/// Returns the byte of two digits, as encoders write them: in upper case.
fn byte(rest: &[u8]) -> Option<u8> {
    let digits = rest.get(..2)?;
    let is_upper = digits.iter().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(digit));
    is_upper.then(|| u8::try_from(hexadecimal(digits)?).ok())?
}

/// Decodes the character at the start of a text, or a line break that belongs to the encoding.
pub(super) fn decode(rest: &[u8]) -> Option<Decoded> {
    match rest {
        [_, b'\n', ..] => Some((2, Vec::new())),
        // The line break may be escaped itself.
        [_, b'\r', b'\n', ..] | [_, b'\\', b'n', ..] => Some((3, Vec::new())),
        [_, b'\\', b'r', b'\\', b'n', ..] => Some((5, Vec::new())),
        // A number has more digits.
        [_, a, b, next, ..] if [a, b, next].iter().all(|digit| digit.is_ascii_digit()) => None,
        [_, digits @ ..] => byte(digits).map(|byte| (3, vec![byte])),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn characters_in_mails_are_decoded() {
        for (text, shown) in [
            ("password=3Dcanary-1=20and more", "password=<hidden> more"),
            ("=?utf-8?Q?password=3A_canary-1?=", "=?utf-8?Q?password=<hidden>"),
            ("your pass=\nword=3D=22canary-1=22", "your pass=\nword=3D=22<hidden>=22"),
        ] {
            assert_eq!(scrub(text), shown);
        }
        for text in ["replicas=3D", "x=10=20=41", "Bericht_f=C3=BCr_M=C3=A4rz", "a=\nb"] {
            assert_eq!(scrub(text), text);
        }
    }
}
