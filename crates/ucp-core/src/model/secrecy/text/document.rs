//! Texts that are documents: settings, manifests, and values of charts. The place of a value decides, and not its words.

use std::ops::Range;

use super::super::names::may_name_secret;
use super::value::is_command_output;
use super::words::{is_prose, is_sentence};
use super::{lines, yaml};

/// Longest document that is parsed. Of a longer one, the lines are searched.
const LONGEST: usize = 1024 * 1024;
/// Limit of nesting of documents in block scalars.
const DEEPEST: usize = 4;

/// Adds the values at secret places of a document.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    if depth > DEEPEST || !may_name_secret(text) {
        return;
    }
    // A line that is ended is one of a file, and not a message.
    if memchr::memchr(b'\n', text.trim_start().as_bytes()).is_none() {
        found.extend(lines::only_value(text));
        return;
    }
    let is_whole = find_in_yaml(text, depth, found);
    lines::find(text, is_whole, found);
    if let Some(start) = lines::key_behind_message(text).filter(|_| depth == 0) {
        let mut inner = Vec::new();
        find(&text[start..], depth + 1, &mut inner);
        add_nested(start, inner, found);
    }
}

/// Adds the values at secret places of YAML. Returns true if the whole text was read.
fn find_in_yaml(text: &str, depth: usize, found: &mut Vec<Range<usize>>) -> bool {
    let bytes = text.as_bytes();
    let may_be_yaml =
        || memchr::memchr_iter(b':', bytes).any(|at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace));
    let reading = if text.len() <= LONGEST && may_be_yaml() { yaml::read(text) } else { None };
    let Some(reading) = reading else { return false };
    for place in reading.find(text, depth) {
        add_lines(text, place, found);
    }
    for block in &reading.blocks {
        let mut inner = Vec::new();
        find(&text[block.clone()], depth + 1, &mut inner);
        add_nested(block.start, inner, found);
    }
    reading.is_whole
}

/// Adds the ranges of a part of the text that begins at `start`.
fn add_nested(start: usize, inner: Vec<Range<usize>>, found: &mut Vec<Range<usize>>) {
    found.extend(inner.into_iter().map(|range| start + range.start..start + range.end));
}

/// Adds the lines of a value, without indentation, and not if it is a sentence about a value, or a template.
pub(super) fn add_lines(text: &str, value: Range<usize>, found: &mut Vec<Range<usize>>) {
    let whole = text[value.clone()].trim();
    let is_template = whole.starts_with("{{") && whole.ends_with("}}");
    let is_only_line = || memchr::memchr(b'\n', text.trim().as_bytes()).is_none();
    if is_template || is_command_output(whole) || is_message(whole) || is_sentence(whole) && is_only_line() {
        return;
    }
    let mut at = value.start;
    for line in text[value].split_inclusive('\n') {
        let content = line.trim();
        let start = at + line.len() - line.trim_start().len();
        found.extend((!content.is_empty()).then(|| start..start + content.len()));
        at += line.len();
    }
}

/// Returns true if a value has several words, and all of them occur in error messages: `not found`.
fn is_message(value: &str) -> bool {
    value.contains(' ') && value.split_whitespace().all(is_prose)
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    /// Texts in which each word with `canary` is a part of a secret.
    const SECRETS: &[&str] = &[
        // Values of several words, whatever the words are.
        "db:\n  adminPassword: Blue canary1 tea\n  port: 1\n",
        "a: 1\npassword: set canary1\n",
        "a: 1\npassword: is canary1\n",
        "a: 1\npassword: not so canary1\n",
        "a: 1\npassword: invalid canary1x\n",
        "password: green canary1",
        "password: set canary1",
        "password: set canary\n",
        "password: \"one\" + \"canary1\",",
        "values:\n- auth.password=one canary1\n",
        "password: tree horse canary1 staple",
        // Plain scalars of several lines.
        "a: 1\npassword: one\n  canary1\nb: 2\n",
        "users:\n- name: x\n  password: one\n    canary1\n",
        "{a: 1, password: one\n  canary1, b: 2}",
        "password: \"one\n\n  canary1\"\n",
        // Block scalars.
        "password: | # of the shop\n  one\n\n  canary1\nb: 2\n",
        "password: >- # of the shop\n  one\n\n  canary1\nb: 2\n",
        "password: |1\n one\n canary1\nb: 1\n",
        // Anchors.
        "shared: &pw canary1\npassword: *pw\n",
        "base: &b {k: canary1}\nsecret: {<<: *b}\n",
        "password: &q\n  canary1\nb: *q\n",
        "other: &deep\n  x: [canary1]\ncredentials: {login: *deep}\n",
        // Names and values of variables.
        "- name: DB_PASSWORD\n  value: one canary1\n",
        "parameters:\n- name: auth.password\n  forceString: true\n  value: one canary1\n",
        // Settings of other forms.
        "[db]\npassword = one canary1\nport = 1\n",
        "MODE=1\nDB_PASSWORD=one canary1\n",
        "export DB_PASSWORD=one canary1\nx\n",
        "db.password=one\\\n  canary1\nx=1\n",
        "db.password=one\r\n  canary1\r\nx=1\r\n",
        "PASSWORD=$(echo canary1)",
        "PASSWORD=$(printf '%s' 'canary1 two' | base64)",
        "password:\n\ncanary1",
        "password:\r\n\r\ncanary1\r\n",
        "password: \"one\" canary1\nb: [\n",
        "password: \"one\" + \"canary1\"\n}",
        "password: # of the shop\n  canary1\n",
        // YAML with templates, with lines of another form, and within a message.
        "{{- if .Values.on }}\nshared: &pw canary1\npassword: *pw\n{{- end }}\n",
        "a: {{ .Values.a }}\npassword: one\n  canary1\n",
        "a: \"x\" y\nshared: &pw canary1\nother: {password: *pw}\npassword: one\n  canary1\n",
        "cannot parse [db]\npassword = one canary1",
        "key: |\n  base: &b canary1\n  password: *b\n",
        // Documents behind the words of a message.
        "cannot parse password: one\n  canary1\nport: 1\n",
        "cannot parse user: x\npassword: &p one canary1\nother: *p\n",
        "cannot parse db:\n  password: |1\n   one\n\n   canary1\n",
        "yaml: line 3: could not find expected ':' in \"shared: &pw canary1\npassword: *pw\n\"",
        "error converting YAML to JSON: password: |\n  one\n  canary1\nport: 1",
        "invalid values: shared: &pw canary1\npassword: *pw",
        "failed to apply values x: &pw canary1\npassword: *pw\n",
        "cannot parse {user: x, password: one canary1}",
        "{user: x, password: one canary1, port: 1}",
        "cannot parse - name: DB_PASSWORD\n  value: one canary1\n",
        "cannot parse users:\n- name: x\n  password: one\n    canary1\n",
    ];

    #[test]
    fn the_whole_value_at_a_secret_place_is_hidden() {
        let shown: Vec<String> = SECRETS
            .iter()
            .map(|text| (text, scrub(text)))
            .filter(|(_, shown)| shown.contains("canary") || scrub(shown) != *shown)
            .map(|(text, shown)| format!("{text:?} -> {shown:?}"))
            .collect();
        assert!(shown.is_empty(), "{shown:#?}");
    }

    #[test]
    fn other_values_and_messages_are_not_changed() {
        for text in [
            "a: 1\nsecretName: web tls\npassword: ${DB_PASSWORD}\n",
            "password:\n  secretKeyRef:\n    name: db\n    key: password\nimage: x y\n",
            "password: {{ .Values.password | quote }}\nport: 1\n",
            "shared: &a web one\nother: *a\npassword: \"\"\n",
            "cannot start:\npassword: not found\n",
            "1 error:\n* password: must be set\n",
            "PASSWORD=$(kubectl get secret db -o json)\nmake\n",
            "export TOKEN=$TOKEN\nrun --all now\n",
            "password = os.getenv(\"DB_PASSWORD\")\nrun(1)\n",
            "token: must be set before the first login",
            "password: must be set before the first login\n",
            "password: expired after 10m30s",
            "secret: shop/db not found",
            "credentials: options must be provided",
            "error: --for current applies to the copies of Secrets: name them as secret/NAME\nhint: select the namespace with -n\nSee help.\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }

    #[test]
    fn a_repeated_value_is_hidden_only_at_its_own_place() {
        for (text, shown) in [
            (
                "a: b\npassword: one two # c\nshared: &pw three\nother: {password: *pw, x: y z}\n",
                "a: b\npassword: <hidden> # c\nshared: &pw <hidden>\nother: {password: <hidden>, x: y z}\n",
            ),
            ("[db]\npassword = one Two3\nhost = a b\n", "[db]\npassword = <hidden>\nhost = a b\n"),
        ] {
            assert_eq!(scrub(text), shown);
        }
    }

    #[test]
    fn nested_aliases_are_scrubbed_in_linear_time() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for number in 1..40 {
            text.push_str(&format!("a{number}: &a{number} [*a{0}, *a{0}, *a{0}]\n", number - 1));
        }
        text.push_str("password: one Canary1\n");
        assert!(!scrub(&text).contains("Canary1"));
    }
}
