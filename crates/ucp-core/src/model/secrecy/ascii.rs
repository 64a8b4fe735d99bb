//! Expressions whose words and digits are ASCII: those of Unicode take most of the start of a command to compile.

use regex::{Error, Regex};

/// Compiles an expression with `\w`, `\d`, and `\b` for ASCII. Whitespace and negated classes are those of Unicode.
pub(super) fn ascii_regex(expression: &str) -> Result<Regex, Error> {
    let mut ascii = String::with_capacity(expression.len() + 64);
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            ascii.push(character);
            continue;
        }
        match characters.next() {
            Some('w') => ascii.push_str("[0-9A-Za-z_]"),
            Some('d') => ascii.push_str("[0-9]"),
            Some('b') => ascii.push_str(r"(?-u:\b)"),
            other => ascii.extend(std::iter::once('\\').chain(other)),
        }
    }
    Regex::new(&ascii)
}

#[cfg(test)]
mod tests {
    use super::ascii_regex;

    #[test]
    fn only_words_and_digits_are_ascii() {
        let found = |expression: &str, text: &str| {
            ascii_regex(expression).unwrap().find(text).map(|found| found.as_str().to_owned())
        };
        assert_eq!(found(r"[\w.-]+", "ä-x.1ß").as_deref(), Some("-x.1"));
        assert_eq!(found(r"[^\w\\\d]+", r"a1\ßé2").as_deref(), Some("ßé"));
        assert_eq!(found(r"\\d\b", r"5\d ").as_deref(), Some(r"\d"));
        assert_eq!(found(r"\bx\s+\S+", "x\u{a0}ß").as_deref(), Some("x\u{a0}ß"));
        assert!(ascii_regex(r"(\").is_err());
    }
}
