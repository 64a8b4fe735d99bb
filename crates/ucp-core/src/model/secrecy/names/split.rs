//! Splitting of names into words: `DB_PASS`, `dbPass`, `redispwd`.

use super::words::{self, FOREIGN, FOREIGN_KEYS, JOINT, JOINT_PAIRS, KEYS, OTHER_WORDS};

/// Splits a name into words, in lower case and singular.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let characters: Vec<char> = name.chars().collect();
    let mut flush = |word: &mut String| {
        if !word.is_empty() {
            split_joint(&singular(&std::mem::take(word).to_lowercase()), &mut words);
        }
    };
    for (index, &character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(index + 1);
        let begins = character.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase) && after.is_some_and(|c| c.is_lowercase() && *c != 's'));
        // Marks of Thai belong to a word.
        let is_letter = character.is_alphabetic() || matches!(character, '\u{e47}'..='\u{e4e}');
        if !is_letter || begins {
            flush(&mut word);
        }
        if is_letter {
            word.push(character);
        }
    }
    flush(&mut word);
    words
}

fn singular(word: &str) -> String {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("nis");
    if is_plural && word != "aes" { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// Splits `redispwd`, `passwordref`, and `signingkey` at the word for a secret.
fn split_joint(word: &str, words: &mut Vec<String>) {
    let is_whole =
        words::is_noun(word) || JOINT_PAIRS.contains(&word) || OTHER_WORDS.iter().any(|other| word.ends_with(other));
    if is_whole || word.len() < 4 {
        words.push(word.to_owned());
        return;
    }
    if let Some(noun) = FOREIGN.iter().chain(&FOREIGN_KEYS).find(|noun| noun.len() > 4 && word.ends_with(**noun)) {
        words.push((*noun).to_owned());
        return;
    }
    let key = word.strip_suffix("key").filter(|before| KEYS.iter().any(|kind| before.ends_with(kind)));
    if let Some(before) = key {
        split_joint(before, words);
        words.push("key".to_owned());
        return;
    }
    let within = |noun: &&&str| match noun.len() {
        0..=4 => word.ends_with(**noun),
        _ => word.contains(**noun),
    };
    match JOINT.iter().find(within).and_then(|noun| Some((noun, word.rfind(*noun)?))) {
        Some((noun, at)) => {
            let (before, after) = (&word[..at], &word[at + noun.len()..]);
            words.extend(
                [before, noun, after.trim_start_matches('s')]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned),
            );
        }
        None => words.push(word.to_owned()),
    }
}
