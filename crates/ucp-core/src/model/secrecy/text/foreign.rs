//! Passwords in sentences of other languages: `Passwort 'X' ist falsch`, `mot de passe « X »`, `密码 X 不正确`, `senha inválida: X`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::phrases::is_value;
use super::words::{is_compound, is_description, is_foreign_description};

/// Nouns for passwords in other languages that mean nothing else.
const NOUN: &str = r"(?:passwort|kennwort|wachtwoord|\b(?:mot de passe|contrase[ñn]a|senha|has[łl]o|l[öo]senord|parola|salasana|heslo)|пароль|密码|密碼|口令|パスワード|비밀번호)";
/// Verbs and adjectives after a password that is the subject.
const PREDICATE: &str = r"(?:ist|war|wurde|muss|stimmt|passt|ungültig|falsch|abgelaufen|no|es|n['’]est|est|ne|incorrecte?|invalide|не|неверен|неверный|nie|jest|klopt|niet|is|werd|é|não|è|non|är|inte|on|ei|je|není)(?:\s|[.,;!?]|$)";
const QUOTED: &str = "[\"'`«„“‚‹「『]\\s*([^\\s\"'`«»„“”‚‘’‹›「」『』]{4,})\\s*[\"'`»“”‘’›」』]";
/// Endings of participles and nouns after a noun: `contraseña introducida`, `mot de passe utilisateur`.
const ENDINGS: [&str; 12] = ["ada", "ado", "ida", "ido", "ata", "ato", "uta", "uto", "eur", "uel", "isi", "rni"];

static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(&format!("(?i){NOUN}")).ok());
/// Patterns whose group is a value.
static VALUES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        format!(r"{NOUN}[\s:：]*{QUOTED}"),
        format!(r"{NOUN}\s+([a-z0-9][!-~]{{3,}}?)\s+{PREDICATE}"),
        // In scripts without spaces, only a value is written in ASCII.
        r#"(?:密码|密碼|口令|パスワード|비밀번호)[\s"'“(（]*([!-~]{4,})"#.to_owned(),
    ];
    patterns.iter().filter_map(|pattern| ascii_regex(&format!("(?i){pattern}")).ok()).collect()
});
/// A noun in any language, its description, and a value at the end of the line.
static DESCRIBED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(&format!(
        r"(?i)(?:{NOUN}|\b(?:password|passphrase))\s+([^\s:：]{{3,}})\s?[:：]\s*([a-z0-9][!-~]{{3,}}?)[.!]?(?:\n|$)"
    ))
    .ok()
});

/// Adds the passwords in sentences of other languages.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        for captures in VALUES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            found.extend(captures.get(1).and_then(|value| password(value.as_str(), value.start())));
        }
    }
    for captures in DESCRIBED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(word), Some(value)) = (captures.get(1), captures.get(2)) else { continue };
        let is_described = is_foreign_description(word.as_str())
            || ["incorrect", "invalid", "wrong", "rejected", "weak"].contains(&word.as_str());
        found.extend(password(value.as_str(), value.start()).filter(|_| is_described));
    }
}

/// Returns the range of a value without the end of its sentence, unless it describes a password, or names an object.
fn password(value: &str, start: usize) -> Option<Range<usize>> {
    let value = value.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '`']);
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_described = is_foreign_description(value)
        || is_description(value)
        || is_compound(value)
        || ENDINGS.iter().any(|ending| value.ends_with(ending));
    let is_name = is_secret_name(value) || value.contains(['/', ':', '=']);
    let is_one = value.len() >= 4 && is_value(value) && (has_digit || !is_described) && !is_name;
    is_one.then(|| start..start + value.len())
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn passwords_in_sentences_of_other_languages_are_hidden() {
        assert_eq!((VALUES.len(), MENTION.is_some(), DESCRIBED.is_some()), (3, true, true));
        for text in [
            "Passwort 'canarybird' ist falsch",
            "Das Datenbankpasswort canarybird ist abgelaufen",
            "Anmeldung fehlgeschlagen: Kennwort canarybird ungültig",
            "mot de passe « canarybird » incorrect",
            "Le mot de passe canarybird n'est pas valide",
            "La contraseña canarybird no es válida",
            "senha inválida: canarybird",
            "password incorrect: canarybird",
            "пароль canarybird не подходит",
            "パスワード「canarybird」が正しくありません",
            "密码 canarybird 不正确",
            "wachtwoord canarybird klopt niet",
            "hasło canarybird jest nieprawidłowe",
        ] {
            let shown = scrub(text).into_owned();
            assert!(!shown.contains("canary"), "{shown}");
            assert_eq!(scrub(&shown), shown);
        }
        for text in [
            "Passwort-Authentifizierung ist fehlgeschlagen",
            "Passwort Manager ist nicht installiert",
            "Kennwort ist abgelaufen",
            "mot de passe incorrect",
            "Le mot de passe actuel n'est pas valide",
            "Le mot de passe utilisateur est vide",
            "La contraseña introducida no es válida",
            "contraseña incorrecta: autenticación fallida",
            "password invalid: too short",
            "password rejected: PasswordTooShort",
            "password policy: default",
            "密码错误",
            "密码 password 不正确",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
