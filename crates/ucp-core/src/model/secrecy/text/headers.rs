//! Values of headers: cookies, credentials, and signatures of webhooks.

use std::ops::Range;

use super::value::{WordContext, assigned_value, is_opaque, typed_value, word_value};

/// No authentication scheme is longer, quotes and spaces included.
const LONGEST_SCHEME: usize = 64;
/// Length of the shortest signature.
const SHORTEST_SIGNATURE: usize = 16;

/// Returns the range of the values of cookies, without their attributes.
pub(super) fn cookie_value(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = start + (text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\', '[']).len());
    let rest = &text[begin..];
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.$%".contains(byte)).count();
    let value = rest.as_bytes().get(name).filter(|byte| **byte == b'=').map(|_| name + 1)?;
    let end = rest.find(['"', '\'', '\n', '\r', ']']).unwrap_or(rest.len());
    let attributes = ["; path=", "; domain=", "; expires=", "; max-age=", "; secure", "; httponly", "; samesite="];
    let lower = rest[..end].to_ascii_lowercase();
    let stop = attributes.iter().filter_map(|attribute| lower.find(attribute)).min().unwrap_or(end);
    (value < stop).then(|| begin + value..begin + stop)
}

pub(super) fn authorization_value(text: &str, start: usize) -> Option<Range<usize>> {
    let start = typed_value(text, start).map_or(start, |range| range.start);
    let quotes = text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\', '[']).len();
    let value = start + quotes;
    let rest = &text[value..text.floor_char_boundary(value + LONGEST_SCHEME)];
    let scheme = rest.find(char::is_whitespace).map(|end| (&rest[..end], end + 1));
    const SCHEMES: [&str; 10] =
        ["bearer", "basic", "digest", "token", "negotiate", "apikey", "genie_key", "geniekey", "ssws", "splunk"];
    match scheme {
        Some((word, length)) if SCHEMES.contains(&word.trim_end_matches(':').to_ascii_lowercase().as_str()) => {
            assigned_value(text, value + length)
        }
        // The scheme of one service.
        Some((word, length))
            if word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && let Some(value) = assigned_value(text, value + length)
                && value.len() >= SHORTEST_SIGNATURE
                && is_opaque(&text[value.clone()]) =>
        {
            Some(value)
        }
        // `authorization: rbac` is a setting.
        _ => word_value(text, value, WordContext::Sentence).filter(|range| {
            let is_setting = |c: char| c.is_ascii_alphabetic() || c == ',';
            text[..start].trim_end_matches([' ', ':', '=', '"']).ends_with("Authorization")
                || !text[range.clone()].chars().all(is_setting)
        }),
    }
}

/// Returns the range of the signature of a webhook, with its method, time, and further signatures:
/// `t=1492774577,v1=5257a8…`, `sha256=9f86d0…`.
pub(super) fn signature_value(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = start + (text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\', '[']).len());
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_.,-".contains(byte);
    let mut end = begin;
    loop {
        end += text.as_bytes()[end..].iter().take_while(|byte| is_part(byte)).count();
        // `t=1492774577, v1=5257a8…`
        if !text[begin..end].ends_with(',') || !text[end..].starts_with(' ') {
            break;
        }
        end += 1;
    }
    let value = text[begin..end].trim_end_matches(['.', ',', ' ']);
    let is_signature = |part: &str| part.len() >= SHORTEST_SIGNATURE && part.contains(|c: char| c.is_ascii_digit());
    value.split(['=', ',']).any(is_signature).then(|| begin..begin + value.len())
}
