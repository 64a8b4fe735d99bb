//! Quoted words of a shell. A pair that is such a word ends with it: `--set 'auth.password=X Y'`.

use std::ops::Range;

use super::value::quoted_value;
use super::words::is_prose;

/// Longest quoted word.
const LONGEST: usize = 4_096;
/// Commands that take pairs without a flag.
const COMMANDS: [&str; 5] = ["export", "env", "declare", "set", "setx"];

/// Extends the value of each pair that is a quoted word to the end of the word.
pub(super) fn extend(text: &str, found: &mut [Range<usize>]) {
    for value in found {
        value.end = end_of_pair(text, value).unwrap_or(value.end);
    }
}

/// Returns the end of a quoted word that begins with the name before a value: `'name=X Y'`. The next pair in the word has its own
/// value: `'name=X,mode=b'`.
fn end_of_pair(text: &str, value: &Range<usize>) -> Option<usize> {
    let before = text.get(..value.start)?.strip_suffix('=')?;
    let name = before.trim_end_matches(is_of_name);
    let quote = name.strip_suffix(['\'', '"']).filter(|_| name.len() < before.len())?.trim_end_matches('\\');
    let word = end_of_word(text, quote.len()).filter(|end| *end > value.end)?;
    let rest = text.get(value.end..word)?;
    let rest = &rest[..next_pair(rest).unwrap_or(rest.len())];
    // Messages also quote pairs together with words of their own.
    (is_argument(quote) || !rest.split_whitespace().any(is_prose)).then(|| value.end + rest.len())
}

/// Returns the end of the content of a quoted word, which may be cut off.
pub(super) fn end_of_word(text: &str, quote: usize) -> Option<usize> {
    let near = &text[..text.floor_char_boundary(quote + LONGEST)];
    let content = quoted_value(near, quote)?;
    let is_whole = content.end < near.len();
    let is_cut_off = || near.len() == text.len() && !near[content.start..].contains('\n');
    (is_whole || is_cut_off()).then_some(content.end)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '/')
}

/// Returns the start of the next pair, at the separator before it.
fn next_pair(text: &str) -> Option<usize> {
    let is_pair = |at: usize| {
        let after = text[at + 1..].trim_start_matches(' ');
        let next = after.trim_start_matches(is_of_name);
        next.len() < after.len() && next.starts_with('=')
    };
    text.match_indices([' ', ',', ';', '&', '\n']).map(|(at, _)| at).find(|at| is_pair(*at))
}

/// Returns true if a word after this text is the value of a flag, or an argument of a command that takes pairs.
fn is_argument(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '=', ',', '"', '\'', '\\']);
    let word = &line[line.rfind(|c: char| c.is_whitespace() || "\"'[(,".contains(c)).map_or(0, |at| at + 1)..];
    word.starts_with('-') && word.len() > 1 || COMMANDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn a_pair_in_a_quoted_word_ends_with_the_word() {
        for (text, shown) in [
            ("helm upgrade a --set 'auth.password=one two three' --set b=2", "'auth.password=<hidden>' --set b=2"),
            ("helm upgrade a --set 'auth.password=one two,mode=b' x", "'auth.password=<hidden>,mode=b' x"),
            ("helm upgrade a --set auth.password=canary1,mode=b", "auth.password=<hidden>,mode=b"),
            ("terraform apply -var 'db_password=it'\"'\"'s two' -x", "'db_password=<hidden>' -x"),
            (
                "kubectl create secret generic a --from-literal='password=it'\\''s two' -o yaml",
                "'password=<hidden>' -o yaml",
            ),
            ("{\"cmd\": \"terraform apply -var \\\"db_password=one two\\\" -x\"}", "db_password=<hidden>\\\" -x\"}"),
            ("export 'DB_PASSWORD=correct for all'; run", "'DB_PASSWORD=<hidden>'; run"),
            ("mysql --password='Qz7'\"'\"'canary' -h db", "--password='<hidden>' -h db"),
            ("mysql --password=Qz7\\ canary -h db", "--password=<hidden> -h db"),
            ("psql \"password=canary1 host=db\"", "\"password=<hidden> host=db\""),
            ("curl -u 'admin:one two three' https://a", "-u 'admin:<hidden>' https://a"),
            ("curl -u admin:Qz7,canary https://a", "-u admin:<hidden> https://a"),
            ("curl -u admin:6594663920 https://a", "-u admin:<hidden> https://a"),
            ("curl -u 'admin:Qz7\"canary' https://a", "-u 'admin:<hidden>' https://a"),
            ("[\"curl\", \"-u\", \"admin:one two\", \"-k\"]", "\"admin:<hidden>\", \"-k\"]"),
        ] {
            assert!(scrub(text).ends_with(shown), "{}", scrub(text));
        }
        for text in ["docker run -u 1000:1000 a", "docker run -u app:1000 a", "docker run -u 1000660000:1000660000 a"] {
            assert_eq!(scrub(text), text);
        }
        assert_eq!(scrub("'password=canary1 is not valid'"), "'password=<hidden> is not valid'");
    }
}
