//! Globs as Argo CD writes them: `*`, `?` and `{one,other}`.

/// Whether a text matches a pattern as a whole. `*` matches slashes, too, as it does in Argo CD.
pub fn matches(pattern: &str, text: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| matches_plain(pattern.as_bytes(), text.as_bytes()))
}

fn matches_plain(pattern: &[u8], text: &[u8]) -> bool {
    // Where the last star stood, and how much of the text it has taken.
    let mut star = None;
    let (mut at, mut read) = (0, 0);
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at + 1, read));
                at += 1;
            }
            Some(expected) if *expected == b'?' || *expected == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                (at, read) = (after, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == b'*')
}

/// The patterns that braces stand for.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![pattern.to_owned()] };
    choices.split(',').flat_map(|choice| alternatives(&format!("{before}{choice}{after}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_argo_cd_does() {
        for (pattern, text) in [
            ("*", "anything"),
            ("*.yaml", "a.yaml"),
            ("*.yaml", "b/a.yaml"),
            ("{*.yml,*.yaml}", "a.yml"),
            ("{config,env}/*.yaml", "env/a.yaml"),
            ("a?c*e", "abcde"),
            ("*a*b", "xaxab"),
            ("", ""),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("*.yaml", "a.yml"), ("", "apps"), ("a", "ab"), ("a?", "a"), ("{a,b}", "c")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
