//! Words in the messages of failures.

/// Returns true if a text has a word that is not a part of a longer one, such as the `replicas` of a reason.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    // The name of a Pod begins with that of its workload.
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let is_end = |character: Option<char>| !character.is_some_and(is_part);
    text.match_indices(word).any(|(start, _)| {
        is_end(text[..start].chars().next_back()) && is_end(text[start + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_word_is_not_mentioned() {
        assert!(has_word("cannot pull web:v2, image", "web:v2"));
        assert!(!has_word("minimumreplicasunavailable: no availability", "replicas"));
        assert!(!has_word("pods \"fight-aaa-x\" is forbidden", "fight"));
        assert!(has_word("größe replicas", "replicas") && !has_word("", "replicas"));
    }
}
