//! Scalars: texts that are safe without quotes, and quoting.
//!
//! kustomize parses with Go's YAML library, which supports YAML 1.1: plain `1.10`, `0777`, `on`, `1e3`, `2024-01-02`,
//! and `1_000` are not strings, and `newTag: 1.10` fails or is read as `1.1`.

use granit_parser::ScalarStyle;

/// Quotes of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteStyle {
    /// None, if the text is safe without.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
}

impl QuoteStyle {
    /// Returns the quotes of a scalar on one line; `None` for block scalars.
    pub fn from_scalar_style(style: ScalarStyle) -> Option<Self> {
        match style {
            ScalarStyle::Plain => Some(Self::Plain),
            ScalarStyle::SingleQuoted => Some(Self::Single),
            ScalarStyle::DoubleQuoted => Some(Self::Double),
            ScalarStyle::Literal | ScalarStyle::Folded => None,
        }
    }
}

/// Writes a text with these quotes, or in double quotes if it would otherwise be read as another value.
pub fn write(text: &str, quotes: QuoteStyle) -> String {
    match quotes {
        QuoteStyle::Plain if is_plain_safe(text) => text.to_owned(),
        QuoteStyle::Single if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', "''")),
        // A JSON string is a YAML double-quoted scalar.
        _ => serde_json::Value::from(text).to_string(),
    }
}

/// Returns true if a plain text is a string for every relevant YAML parser: Go's (YAML 1.1 with parts of 1.2), and
/// those for 1.2, in block and in flow style.
pub fn is_plain_safe(text: &str) -> bool {
    let first_is_fine = text.chars().next().is_some_and(|first| first.is_ascii_alphanumeric() || "/._".contains(first));
    let rest_is_fine =
        text.chars().all(|character| character.is_ascii_alphanumeric() || "/._-@:+?=&%~".contains(character));
    first_is_fine
        && rest_is_fine
        && !text.ends_with(':')
        // libyaml, and Go's library after it, fails at `[a:?]`.
        && !text.contains(":?")
        && !is_boolean_or_null(text)
        && !is_number(text)
        && !is_date(text)
}

/// Returns true for booleans and nulls of YAML 1.1 and 1.2.
fn is_boolean_or_null(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// Returns true if any parser reads the text as a number. Go first removes all underscores.
fn is_number(text: &str) -> bool {
    let text = text.replace('_', "").to_ascii_lowercase();
    if text.is_empty() || matches!(text.as_str(), ".inf" | ".nan") {
        return true;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if text.strip_prefix(prefix).is_some_and(|digits| digits.chars().all(|digit| digit.is_digit(radix))) {
            return true;
        }
    }
    // Sexagesimal numbers of YAML 1.1, such as 190:20:30.
    if text.contains(':') && text.chars().all(|character| character.is_ascii_digit() || ":.".contains(character)) {
        return true;
    }
    let (mantissa, exponent) = text.split_once('e').map_or((text.as_str(), None), |(m, e)| (m, Some(e)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa = (digits(whole) || whole.is_empty()) && (digits(fraction) || fraction.is_empty());
    let exponent = exponent.is_none_or(|exponent| digits(exponent.trim_start_matches(['+', '-'])));
    mantissa && (digits(whole) || digits(fraction)) && exponent
}

/// Returns true for dates of YAML 1.1, with or without a time.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut digits = |lengths: std::ops::RangeInclusive<usize>| {
        parts.next().is_some_and(|part| {
            let number: String = part.chars().take_while(char::is_ascii_digit).collect();
            let rest = &part[number.len()..];
            lengths.contains(&number.len()) && (rest.is_empty() || rest.starts_with(['T', 't', ' ']))
        })
    };
    digits(4..=4) && digits(1..=2) && digits(1..=2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_go_would_misread_are_quoted() {
        let unsafe_texts = [
            "1.10",
            "0777",
            "08",
            "on",
            "Off",
            "NO",
            "y",
            "~",
            "null",
            "",
            "1e3",
            "12e4567",
            "1E-5",
            "1_000",
            "0x1F",
            "0o7",
            "0b11",
            "2024-01-02",
            "2024-1-2",
            "2024-01-02T03",
            "190:20:30",
            "a:?",
            ".5",
            "5.",
            ".inf",
            ".NaN",
            "_",
            "a:",
            "-1",
            "a b",
            "a#b",
            "*x",
            "!x",
            "{x}",
            "ä",
            "0x_",
            "20240102",
            "+1",
        ];
        for text in unsafe_texts {
            assert!(!is_plain_safe(text), "{text}");
        }
        let safe = [
            "v1.10",
            "1.2.3",
            "v0.1.3-x86",
            "071fe76320413530144da8722b550746dfbf1f4a",
            "1.10-alpine",
            "main",
            "sha256:0a1b",
            "2024-01-02-abc",
            "12e4567a",
            "20240102-1",
            "0xfg",
            "latest",
            "docker.io/a/b:1",
            "e3",
            "1.2.3.4",
        ];
        for text in safe {
            assert!(is_plain_safe(text), "{text}");
        }
    }

    #[test]
    fn the_style_of_quotes_is_kept_and_text_is_escaped() {
        assert_eq!(write("it's", QuoteStyle::Single), "'it''s'");
        assert_eq!(write("a\"b\n", QuoteStyle::Single), r#""a\"b\n""#);
        assert_eq!(write("1.10", QuoteStyle::Plain), "\"1.10\"");
        assert_eq!(write("v1", QuoteStyle::Plain), "v1");
    }

    proptest::proptest! {
        #[test]
        fn every_parser_reads_back_the_written_text(text in "\\PC{0,20}|[0-9eE_.+x-]{1,8}|[a-z]{1,5}") {
            for quotes in [QuoteStyle::Plain, QuoteStyle::Single, QuoteStyle::Double] {
                let document = format!("a: {}\nb: [{}]\n", write(&text, quotes), write(&text, quotes));
                let root = crate::yaml::tree::parse_one(&document).unwrap();
                proptest::prop_assert_eq!(&root.get("a").unwrap().content.clone(), &root.get("b").unwrap().items()[0].content);
                let other: yaml_serde::Value = yaml_serde::from_str(&document).unwrap();
                proptest::prop_assert_eq!(other["a"].as_str(), Some(text.as_str()), "{}", document);
                let third: serde_json::Value = serde_saphyr::from_str(&document).unwrap();
                proptest::prop_assert_eq!(third["b"][0].as_str(), Some(text.as_str()), "{}", document);
            }
        }
    }
}
