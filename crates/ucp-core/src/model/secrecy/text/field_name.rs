//! Secrets as names of fields: `remotes: {"https://user:X@host": …}`, `passwords: {X: alice}`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::super::names::{is_reference_name, is_secret_name};
use super::super::ordinary::{SecretOrigin, ValueShape, shape};
use super::super::registry;
use super::clues::Clues;
use super::doubtful::is_issued;
use super::{SHORTEST_TOKEN, disjoint_ranges, recognize, replace_ranges};

/// Number of names without secrets that are remembered per thread.
const REMEMBERED: usize = 4_096;

/// The parent of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldsOf {
    /// A field with a name for secrets, so that the names of its fields may be secrets as well.
    Secret,
    Other,
}

/// Returns true if a part of the name of a field is recognizable as a secret.
pub(in super::super) fn has_secret_in_name(name: &str) -> bool {
    !secrets_in_name(name).is_empty()
}

/// Replaces the secrets in the names of fields.
pub(super) fn replace_names(
    fields: &mut Map<String, Value>,
    parent: FieldsOf,
    replacement: &mut dyn FnMut(&str) -> String,
) {
    let is_value = |name: &str| parent == FieldsOf::Secret && is_secret_itself(name);
    if !fields.keys().any(|name| is_value(name) || has_secret_in_name(name)) {
        return;
    }
    let renamed = std::mem::take(fields).into_iter().map(|(name, value)| {
        let name = match is_value(&name) {
            true => replacement(&name),
            false => replace_ranges(&name, secrets_in_name(&name), &mut *replacement),
        };
        (name, value)
    });
    *fields = renamed.collect();
}

/// Returns true for a name below a field for secrets that is a secret, and not the name of one or of a setting.
fn is_secret_itself(name: &str) -> bool {
    // Managed fields have prefixes.
    let name = name.strip_prefix("f:").unwrap_or(name);
    let is_key_of_item = name.starts_with("k:") || name.starts_with("v:");
    !is_key_of_item && is_issued(name) && !is_field(name) && !is_reference_name(name) && !is_secret_name(name)
}

/// Returns true for a name as APIs and programs have them: `oauth2Client`, `DB_HOST_1`.
fn is_field(name: &str) -> bool {
    let is_upper = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count();
    let is_camel = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && numbers == 1;
    is_upper && name.contains('_') || is_camel
}

thread_local! {
    static CLEAN: RefCell<HashSet<Box<str>>> = RefCell::default();
}

/// Returns the secrets in the name of a field. A word of ordinary output is none, even if it is also the value of a Secret.
fn secrets_in_name(name: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    registry::find(name, &mut found);
    found.retain(|range| shape(&name[range.clone()], SecretOrigin::Any) == ValueShape::Random);
    let is_plain =
        name.len() < SHORTEST_TOKEN && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
    if !is_plain && !CLEAN.with_borrow(|clean| clean.contains(name)) {
        let mut recognized = Vec::new();
        recognize(name, 0, &Clues::read(name), &mut recognized);
        if recognized.is_empty() {
            CLEAN.with_borrow_mut(|clean| {
                if clean.len() >= REMEMBERED {
                    clean.clear();
                }
                clean.insert(name.into());
            });
        }
        found.extend(recognized);
    }
    disjoint_ranges(name, found)
}

/// Returns true if two steps of a path are the words of a name for a key: `fs.s3a.secret.key`,
/// `account.key.shop.example.org`.
pub(super) fn names_key_by_steps(path: &str) -> bool {
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        let is_key = steps.peek().is_some_and(|next| next.eq_ignore_ascii_case("key"));
        if is_key && is_secret_name(&format!("{step}.key")) {
            return true;
        }
    }
    false
}
