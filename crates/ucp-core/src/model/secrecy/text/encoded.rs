//! Encoded texts within a text: percent-encoded, escaped as in JSON, as in mails, in
//! base64 or base85, or compressed. Secrets in the decoded
//! text are secrets of the outer text.

use std::ops::Range;

use super::bytes::{Decoded, hexadecimal};
use super::clues::Clues;
use super::{base85, numbers, quoted_printable, runs, secrets_at};

/// A decoded text, and the offset in the original text of each of its bytes.
struct DecodedText {
    bytes: Vec<u8>,
    from: Vec<usize>,
}

/// Adds the ranges that are secrets after decoding.
pub(super) fn find(text: &str, depth: usize, clues: &Clues, found: &mut Vec<Range<usize>>) {
    // All encodings are decoded at once, so that the work grows with the depth and not with its combinations.
    let is_mail = !clues.is_word && quoted_printable::is_in(text);
    if (clues.has_escapes || is_mail)
        && let Some(DecodedText { bytes, from }) = decode(text, is_mail)
        && let Ok(plain) = String::from_utf8(bytes)
    {
        found.extend(secrets_at(&plain, depth + 1).into_iter().map(|range| from[range.start]..from[range.end]));
    }
    if !clues.is_word {
        numbers::find(text, depth, found);
    }
    if clues.has_run {
        runs::find(text, depth, found);
    }
    if clues.has_base85 {
        base85::find(text, depth, found);
    }
}

/// Decodes a text; returns `None` if nothing was encoded.
fn decode(text: &str, is_mail: bool) -> Option<DecodedText> {
    let source = text.as_bytes();
    let mut plain = DecodedText { bytes: Vec::with_capacity(source.len()), from: Vec::with_capacity(source.len() + 1) };
    let (mut index, mut is_changed) = (0, false);
    while index < source.len() {
        let decoded = match source[index] {
            b'%' => decode_percent(&source[index..]),
            b'=' if is_mail => quoted_printable::decode(&source[index..]),
            b'\\' => decode_escape(&source[index..]),
            b'[' | b'^' | 0x1b => decode_terminal(&source[index..]),
            byte if byte.is_ascii_control() && !byte.is_ascii_whitespace() => Some((1, Vec::new())),
            b'&' => decode_entity(&text[index..]),
            0xc2..=0xf4 => decode_lookalike(&text[index..]),
            _ => None,
        };
        let length = decoded.as_ref().map_or(1, |(length, _)| *length);
        is_changed |= decoded.is_some();
        let start = plain.bytes.len();
        match decoded {
            Some((_, bytes)) => plain.bytes.extend(bytes),
            None => plain.bytes.push(source[index]),
        }
        plain.from.extend(std::iter::repeat_n(index, plain.bytes.len() - start));
        index += length;
    }
    plain.from.push(source.len());
    // Bytes that are no text do not end the search in the rest.
    let mut valid = 0;
    let invalid: Vec<Range<usize>> = plain
        .bytes
        .utf8_chunks()
        .map(|chunk| {
            let start = valid + chunk.valid().len();
            valid = start + chunk.invalid().len();
            start..valid
        })
        .collect();
    invalid.into_iter().for_each(|range| plain.bytes[range].fill(b'?'));
    is_changed.then_some(plain)
}

fn decode_percent(rest: &[u8]) -> Option<Decoded> {
    Some((3, vec![u8::try_from(hexadecimal(rest.get(1..3)?)?).ok()?]))
}

fn decode_escape(rest: &[u8]) -> Option<Decoded> {
    let plain = match rest.get(1)? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        quote @ (b'"' | b'\'' | b'/' | b'\\') => *quote,
        b'e' => 0x1b,
        b'0'..=b'3' if rest.len() > 3 && rest[1..4].iter().all(|byte| (b'0'..=b'7').contains(byte)) => {
            let code = rest[1..4].iter().fold(0_u8, |code, byte| code << 3 | (byte - b'0'));
            return Some((4, vec![code]));
        }
        b'0' => return Some((2, Vec::new())),
        b'x' => return Some((4, vec![u8::try_from(hexadecimal(rest.get(2..4)?)?).ok()?])),
        // Rust and JavaScript: a code in braces.
        b'u' if rest.get(2) == Some(&b'{') => {
            let length = rest.iter().take(12).position(|byte| *byte == b'}')?;
            let code = hexadecimal(rest.get(3..length)?)?;
            return Some((length + 1, char::from_u32(code)?.to_string().into_bytes()));
        }
        b'u' => {
            let code = hexadecimal(rest.get(2..6)?)?;
            return Some((6, char::from_u32(code)?.to_string().into_bytes()));
        }
        _ => return None,
    };
    Some((2, vec![plain]))
}

/// Sequences that set the colors of a terminal, or a link: as they are, without the escape character that a log
/// removed, or with it as `^[`.
fn decode_terminal(rest: &[u8]) -> Option<Decoded> {
    // Longer sequences are text.
    const LONGEST: usize = 256;
    let near = &rest[..rest.len().min(LONGEST)];
    let end_of = |start: usize, is_inner: fn(&u8) -> bool| {
        near[start..].iter().position(|byte| !is_inner(byte)).map(|length| start + length + 1)
    };
    let length = match near {
        [b'^', b'[', ..] => return Some((2, vec![0x1b])),
        [b'[', b'0'..=b'9', ..] => {
            end_of(1, |byte| byte.is_ascii_digit() || *byte == b';').filter(|end| near[end - 1] == b'm')
        }
        [0x1b, b'[', ..] => end_of(2, |byte| matches!(byte, b' '..=b'?')),
        [0x1b, b']' | b'P' | b'_', ..] => end_of(2, |byte| !matches!(byte, 0x07 | 0x1b)),
        [0x1b, b'(' | b')' | b'#', set, ..] if set.is_ascii() => Some(3),
        [0x1b, ..] => Some(1),
        _ => None,
    };
    length.filter(|length| near[..*length].is_ascii()).map(|length| (length, Vec::new()))
}

/// Entities of HTML and XML.
fn decode_entity(rest: &str) -> Option<Decoded> {
    const NAMED: [(&str, u8); 10] = [
        ("quot", b'"'),
        ("apos", b'\''),
        ("amp", b'&'),
        ("lt", b'<'),
        ("gt", b'>'),
        ("colon", b':'),
        ("equals", b'='),
        ("nbsp", b' '),
        ("Tab", b'\t'),
        ("NewLine", b'\n'),
    ];
    let end = rest.bytes().take(12).position(|byte| byte == b';')?;
    let name = rest.get(1..end)?;
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    });
    let bytes = match number {
        Some(code) => char::from_u32(code)?.to_string().into_bytes(),
        None => vec![NAMED.iter().find(|(known, _)| *known == name)?.1],
    };
    Some((end + 1, bytes))
}

/// Characters that look like others or cannot be seen: wide spaces and forms, typographic quotes, letters of other
/// scripts between Latin letters.
fn decode_lookalike(rest: &str) -> Option<Decoded> {
    let character = rest.chars().next()?;
    let plain = match character {
        '\u{a0}' | '\u{2800}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Some(' ')
        }
        '\u{2028}' | '\u{2029}' | '\u{85}' => Some('\n'),
        '\u{ad}'
        | '\u{61c}'
        | '\u{80}'..='\u{9a}'
        | '\u{9c}'..='\u{9f}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffc}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{300}'..='\u{36f}'
        | '\u{fe00}'..='\u{fe0f}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        // Letters in other styles: alphabets in both cases, one after the other.
        '\u{1d400}'..='\u{1d6a3}' => styled_letter(u32::from(character) - 0x1d400),
        '\u{24b6}'..='\u{24e9}' => styled_letter(u32::from(character) - 0x24b6),
        '\u{241b}' => Some('\u{1b}'),
        '\u{9b}' => Some('['),
        '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '″' => Some('"'),
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => Some('\''),
        '‐'..='―' | '−' => Some('-'),
        'а' | 'А' | 'α' => Some('a'),
        'е' | 'Е' | 'ε' => Some('e'),
        'о' | 'О' | 'ο' | 'σ' => Some('o'),
        'р' | 'Р' | 'ρ' => Some('p'),
        'с' | 'С' | 'ϲ' => Some('c'),
        'ѕ' | 'Ѕ' => Some('s'),
        'ԁ' => Some('d'),
        'і' | 'І' | 'ι' => Some('i'),
        'к' | 'К' | 'κ' => Some('k'),
        'т' | 'Т' | 'τ' => Some('t'),
        'у' | 'У' => Some('y'),
        'ԝ' | 'ω' => Some('w'),
        'һ' | 'Н' => Some('h'),
        '꞉' | 'ː' | '∶' | '﹕' | '︓' | '︰' => Some(':'),
        '﹦' | '→' | '⇒' | '➜' | '⟶' | '⟹' | '➔' => Some('='),
        _ => return None,
    };
    Some((character.len_utf8(), plain.map(|plain| plain.to_string().into_bytes()).unwrap_or_default()))
}

fn styled_letter(offset: u32) -> Option<char> {
    char::from_u32(offset % 26 + u32::from('a'))
}
