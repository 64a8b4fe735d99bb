//! Addresses that are a credential: webhooks, and URLs of senders of logs, alerts, and charts with a random step in their path.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::super::names::is_secret_name;
use super::value::is_identifier;

/// The word for hooks. Every text is searched for it.
static HOOK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("hook"));
/// The end of a scheme.
static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));

/// Schemes of the Web.
const WEB: [&str; 4] = ["http", "https", "ws", "wss"];
/// Steps of a path after which a random one authenticates the sender.
const STEPS: [&str; 5] = ["hook", "hooks", "webhook", "webhooks", "webhookb2"];
/// The same in a URL: words for what takes data from anyone who knows the address, and for links that work once.
const ENTRANCES: [&str; 34] = [
    "activate",
    "activation",
    "capture",
    "collect",
    "collector",
    "collectors",
    "confirm",
    "confirmation",
    "heartbeat",
    "heartbeats",
    "import",
    "imports",
    "inbound",
    "incoming",
    "ingest",
    "ingestion",
    "input",
    "inputs",
    "intake",
    "integration",
    "integrations",
    "invitation",
    "invitations",
    "invite",
    "join",
    "magic",
    "ping",
    "push",
    "receiver",
    "receivers",
    "reset",
    "trigger",
    "unsubscribe",
    "verify",
];
/// Shortest random step. Shorter ones are numbers of hooks.
const SHORTEST: usize = 12;
/// Digits of a step without upper-case letters; fewer are those of a version.
const LEAST_DIGITS: usize = 3;
/// Steps after the word for hooks.
const MOST_STEPS: usize = 6;
/// Longest path behind the word for hooks.
const LONGEST_PATH: usize = 1_024;
/// Shortest random step with letters of both cases after any other step, and without.
const SHORTEST_MIXED: usize = 15;
const SHORTEST_LOWER: usize = 20;
/// Length of a key in hexadecimal digits. Commits and digests are longer.
const KEY: usize = 32;
/// Longest identifier behind the prefix that names its type: `run-CZcmD7eagjhyX0vN`.
const LONGEST_TYPED: usize = 17;

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
    // Any step of a long path may be the word again.
    let path = &text[start..start + text[start..].bytes().take(LONGEST_PATH).take_while(is_inner).count()];
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

/// Adds the random steps of the paths of Web URLs.
pub(super) fn find_in_urls(text: &str, found: &mut Vec<Range<usize>>) {
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~@%+=:/,$!*[]".contains(byte);
    let mut colons = SCHEME.find_iter(text.as_bytes()).peekable();
    while let Some(colon) = colons.next() {
        let scheme = text[..colon].bytes().rev().take_while(u8::is_ascii_alphabetic).take(WEB.len() + 2).count();
        if !WEB.iter().any(|web| text[colon - scheme..colon].eq_ignore_ascii_case(web)) {
            continue;
        }
        // The next URL of a list is read on its own.
        let start = colon + 3;
        let near = &text.as_bytes()[start..colons.peek().copied().unwrap_or(text.len()).max(start)];
        let url = &text[start..start + near.iter().take_while(|byte| is_of_path(byte)).count()];
        let url = url.trim_end_matches([':', ',', '.', '!', '*', ']']);
        let mut steps = url.split('/');
        let Some(authority) = steps.next() else { continue };
        let is_sender = |label: &str| STEPS.contains(&label) || matches!(label, "inbound" | "ingest" | "intake");
        let mut is_entered = authority.split(['.', '-']).any(is_sender);
        let (mut at, mut before) = (start + authority.len() + 1, "");
        for step in steps {
            if let Some(secret) = secret_of_step(step, before, is_entered) {
                found.push(at + secret.start..at + secret.end);
            }
            let is_entrance = |word: &str| ENTRANCES.iter().chain(&STEPS).any(|one| word.eq_ignore_ascii_case(one));
            is_entered |= step.split(['-', '_']).any(is_entrance);
            at += step.len() + 1;
            before = step;
        }
    }
}

/// Returns the range of the secret in a step of a path, behind another step, and maybe behind an entrance.
fn secret_of_step(step: &str, before: &str, is_entered: bool) -> Option<Range<usize>> {
    if step.len() < SHORTEST || step.contains("sha") && step.contains(':') {
        return None;
    }
    let is_hexadecimal = step.bytes().all(|byte| byte.is_ascii_hexdigit());
    // `/v3/KEY`: a version is followed by a kind of object, and not by its identifier.
    let is_version =
        before.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()));
    if is_entered && is_random(step) || is_version && is_hexadecimal && step.len() == KEY {
        return Some(0..step.len());
    }
    // `/workspaces/ID`: an identifier behind a kind of objects.
    let is_kind = before.len() > 3
        && before.ends_with('s')
        && before.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(&byte))
        && !is_secret_name(before);
    if is_hexadecimal || is_identifier(step) || is_typed(step) || !is_entered && is_kind {
        return None;
    }
    let (mut secret, mut at): (Option<Range<usize>>, usize) = (None, 0);
    for part in step.split('.') {
        if is_mixed(part) || part.split(['-', '_', ':', '@']).any(is_lower) {
            secret = Some(secret.map_or(at, |known| known.start)..at + part.len());
        }
        at += part.len() + 1;
    }
    secret
}

/// Returns true for an identifier behind the prefix of its type.
fn is_typed(step: &str) -> bool {
    step.split_once(['-', '_']).is_some_and(|(prefix, id)| {
        (2..=8).contains(&prefix.len())
            && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
            && id.len() <= LONGEST_TYPED
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns how often the kind of character changes within a word: from a digit to a letter, from a letter to a digit, or to
/// upper case. Words of names do so at their beginnings only.
fn changes(word: &str) -> usize {
    let is_change = |pair: &[u8]| {
        let (before, after) = (pair[0], pair[1]);
        before.is_ascii_digit() && after.is_ascii_alphabetic()
            || before.is_ascii_alphabetic() && after.is_ascii_digit()
            || before.is_ascii_lowercase() && after.is_ascii_uppercase()
    };
    word.as_bytes().windows(2).filter(|pair| is_change(pair)).count()
}

/// Returns true for a word with digits and letters of both cases in no order.
fn is_mixed(word: &str) -> bool {
    let word = word.trim_end_matches("%3D").trim_end_matches('=');
    let count = |is_one: fn(&u8) -> bool| word.as_bytes().iter().filter(|byte| is_one(byte)).count();
    word.len() >= SHORTEST_MIXED
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+".contains(&byte))
        && count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_uppercase) > 1
        && count(u8::is_ascii_lowercase) > 1
        && changes(word) * 3 >= word.len()
}

/// Returns true for a word with digits and lower-case letters in no order, which is not hexadecimal.
fn is_lower(word: &str) -> bool {
    word.len() >= SHORTEST_LOWER
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase() && !byte.is_ascii_hexdigit())
        && changes(word) * 4 >= word.len()
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

    #[test]
    fn random_steps_of_urls_are_hidden() {
        for (text, shown) in [
            ("https://dl.example.org/Xk8Vq2Lm7Rt4Wz9P/org/charts/", "https://dl.example.org/<hidden>/org/charts/"),
            (
                "\"https://rpc.example.org/v3/4c1f0b9d2e7a86354c1f0b9d2e7a8635\": EOF",
                "\"https://rpc.example.org/v3/<hidden>\": EOF",
            ),
            (
                "https://logs.example.org/inputs/6ba7b810-9dad-11d1-80b4-00c04fd430c8/tag/a/",
                "https://logs.example.org/inputs/<hidden>/tag/a/",
            ),
            (
                "https://a.example.org/v3/import/q7w2e9r4t1y8u3i6o5p0a7s2d9f4_c-m-abc.yaml",
                "https://a.example.org/v3/import/<hidden>.yaml",
            ),
            (
                "https://a.example.org/build_hooks/5f1e2d3c4b5a69788f7e6d5c",
                "https://a.example.org/build_hooks/<hidden>",
            ),
            (
                "http://u.example.org/api/push/k3Jd92MsLq?status=up",
                "http://u.example.org/api/push/k3Jd92MsLq?status=up",
            ),
            (
                "https://webhook.example.org/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "https://webhook.example.org/<hidden>",
            ),
            ("wss://s.example.org/Zx81KqPw20LmTr95", "wss://s.example.org/<hidden>"),
        ] {
            assert_eq!(scrub(text), shown);
        }
        for text in [
            "https://github.com/example/apps/commit/8b0c7d659a2feaa0c55ad015a3bf4f1b2b0b822c",
            "https://ghcr.io/v2/example/app/manifests/sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "https://10.0.0.1/api/v1/namespaces/shop/pods/web-7d9f8b6c5d-x2x4z/log",
            "https://example.org/objects/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "https://app.terraform.io/app/shop/runs/run-CZcmD7eagjhyX0vN",
            "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF",
            "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123",
            "https://example.org/users/00u1abcDEFghiJKL5d7x",
            "https://example.org/docs/GetObject2023V4Response.html",
            "https://example.org/k8s/clusters/c-m-x7k2mq9t/v1",
            "https://proxy.golang.org/example.org/a/@v/v0.0.0-20230101120000-abcdef123456.mod",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
