//! Webhooks whose path is the credential: `/hooks/X`, `/webhook/GROUP/X`.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::value::is_identifier;

/// The word for hooks. Every text is searched for it.
static HOOK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("hook"));

/// Steps of a path after which a random one authenticates the sender.
const STEPS: [&str; 5] = ["hook", "hooks", "webhook", "webhooks", "webhookb2"];
/// Shortest random step. Shorter ones are numbers of hooks.
const SHORTEST: usize = 12;
/// Digits of a step without upper-case letters; fewer are those of a version.
const LEAST_DIGITS: usize = 3;
/// Steps after the word for hooks.
const MOST_STEPS: usize = 6;

/// Adds the part of each path of a webhook that begins with a random step.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    for at in HOOK.find_iter(text.as_bytes()) {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let start = before.len();
        let step = text[start..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let is_step = STEPS.iter().any(|word| text[start..start + step].eq_ignore_ascii_case(word));
        if is_step && before.ends_with('/') {
            found.extend(random_steps(text, start + step));
        }
    }
}

/// Returns the steps of a path from the first random one on.
fn random_steps(text: &str, start: usize) -> Option<Range<usize>> {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_~@%+=:/".contains(byte);
    let path = &text[start..start + text[start..].bytes().take_while(is_inner).count()];
    let path = path.trim_end_matches([':', '/']);
    let mut at = start;
    for step in path.strip_prefix('/')?.split('/').take(MOST_STEPS) {
        at += 1;
        if is_random(step) {
            return Some(at..start + path.len());
        }
        at += step.len();
    }
    None
}

/// Returns true for a UUID, or for letters and digits as no name has them.
fn is_random(step: &str) -> bool {
    let count = |is_one: fn(&u8) -> bool| step.as_bytes().iter().filter(|byte| is_one(byte)).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_mixed = digits > 0 && upper > 1 && lower > 1;
    let is_one_word = digits + upper + lower == step.len();
    let is_code = is_mixed || is_one_word && digits >= LEAST_DIGITS && upper + lower >= LEAST_DIGITS;
    step.len() == 36 && is_identifier(step) || step.len() >= SHORTEST && is_code && !is_identifier(step)
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn random_steps_of_webhooks_are_hidden() {
        for (text, shown) in [
            ("https://ci.example.org/hook/9ab3kd92mslq01xz: 403", "https://ci.example.org/hook/<hidden>: 403"),
            ("/webhooks/shop/Zx81KqPw20LmTr95/alert", "/webhooks/shop/<hidden>"),
            ("POST /webhook/6ba7b810-9dad-11d1-80b4-00c04fd430c8", "POST /webhook/<hidden>"),
        ] {
            assert_eq!(scrub(text), shown);
        }
        for text in [
            "https://example.org/api/hooks/12345678",
            "/webhook/validate-apps-v1beta1-deployment",
            "/webhooks/v1alpha1deployments",
            "scripts/hooks/pre-commit",
            "https://example.org/hooks/shop-migrate-20260101",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
