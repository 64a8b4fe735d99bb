//! Bytes as numbers: `[112 97 115]` of Go, `[112, 97, 115]` of JSON, `{0x70, 0x61}` of C, `70:61:73` of OpenSSL.

use std::ops::Range;

use super::SHORTEST_TOKEN;
use super::bytes::is_secret;

/// Longest number: `0x7f`.
const LONGEST_NUMBER: usize = 4;

/// Adds each list of numbers that encodes a text with a secret.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(u8::is_ascii_hexdigit) {
        let start = at + next;
        let is_inner = start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'.');
        let length = digits(&bytes[start..]);
        if is_inner || length > LONGEST_NUMBER {
            at = start + length;
            continue;
        }
        let decimal = list(bytes, start, |digits| digits.parse().ok());
        let hexadecimal = list(bytes, start, |digits| {
            let plain = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
            let digits = plain.unwrap_or(digits);
            (plain.is_some() || digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok())?
        });
        at = decimal.end.max(hexadecimal.end).max(start + length);
        for list in [decimal, hexadecimal] {
            let is_plain = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
            if list.plain.len() >= SHORTEST_TOKEN && list.plain.iter().all(is_plain) && is_secret(&list.plain, depth) {
                found.push(start..list.end);
            }
        }
    }
}

struct NumberList {
    plain: Vec<u8>,
    end: usize,
}

/// Reads a list of numbers up to the first text that is none.
fn list(bytes: &[u8], start: usize, number: impl Fn(&str) -> Option<u8>) -> NumberList {
    let mut list = NumberList { plain: Vec::new(), end: start };
    let mut at = start;
    loop {
        let length = digits(&bytes[at..]);
        let one = std::str::from_utf8(&bytes[at..at + length]).ok().filter(|_| (1..=LONGEST_NUMBER).contains(&length));
        let Some(byte) = one.and_then(&number) else { return list };
        list.plain.push(byte);
        list.end = at + length;
        let separator = bytes[list.end..].iter().take_while(|byte| b", :\n\t".contains(byte)).count();
        at = list.end + separator;
        if separator == 0 {
            return list;
        }
    }
}

fn digits(bytes: &[u8]) -> usize {
    let prefix = if matches!(bytes, [b'0', b'x' | b'X', ..]) { 2 } else { 0 };
    prefix + bytes[prefix..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count()
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn bytes_as_numbers_are_hidden() {
        for text in [
            "data is [112 97 115 115 119 111 114 100 61 99 97 110 97 114 121 45 49]",
            "{\"body\": [112,97,115,115,119,111,114,100,61,99,97,110,97,114,121,45,49]}",
            "[]byte{0x70, 0x61, 0x73, 0x73, 0x77, 0x6f, 0x72, 0x64, 0x3d, 0x63, 0x61, 0x6e, 0x61, 0x72, 0x79, 0x31}",
            "70:61:73:73:77:6f:72:64:3d:63:61:6e:61:72:79:2d:31",
        ] {
            let shown = scrub(text).into_owned();
            assert!(shown.contains("<hidden>") && !shown.contains("110") && !shown.contains("6e"), "{shown}");
        }
        for text in [
            "ports [80 443 8080 8443 9090 9091 9092 9093 9094 9095 9096 9097 9098 9099 9100 9101 9102]",
            "SHA1 Fingerprint=AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01",
            "weights [10 20 30 40 50 60 70 80 90 100 110 120 10 20 30 40 50 60 70 80]",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
