//! Changes that a commit makes in manifests and values: fields with their values before and after. Secrets are hidden.

use std::collections::BTreeMap;

use serde_json::Value;

use super::compare::compare;
use super::hidden_values::SecretMarks;
use ucp_core::model::path::FieldPath;
use ucp_core::model::weight::{from_yaml_documents, yaml_options};

/// A change of one field of a document, or of a whole object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommittedChange {
    /// The object of the document, as `deployment/web`; empty for values and other documents.
    pub object: String,
    /// The path of the field; `None` if the commit adds or removes the object.
    pub field: Option<String>,
    /// The value before, if it is short.
    pub before: Option<String>,
    /// The value after, if it is short.
    pub after: Option<String>,
    /// True if it is the whole object, and the commit removes it.
    is_removed: bool,
}

/// The highest number of changes that a sentence lists.
const LISTED: usize = 2;
/// The highest number of changes of one file that are kept.
const MOST: usize = 50;

impl CommittedChange {
    /// Returns the change as words, without its values: `deployment/web spec.replicas`.
    pub(super) fn subject(&self) -> String {
        match &self.field {
            Some(field) if self.object.is_empty() => field.clone(),
            Some(field) => format!("{} {field}", self.object),
            None if self.is_removed => format!("removes {}", self.object),
            None => format!("adds {}", self.object),
        }
    }

    fn to_words(&self) -> String {
        let subject = self.subject();
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("{subject} {before} → {after}"),
            (None, Some(after)) => format!("{subject} = {after}"),
            (Some(before), None) => format!("{subject} was {before}"),
            (None, None) => subject,
        }
    }
}

/// Returns the first changes as words, and the number of the others.
pub(super) fn describe(changes: &[CommittedChange]) -> String {
    let listed: Vec<String> = changes.iter().take(LISTED).map(CommittedChange::to_words).collect();
    match changes.len().saturating_sub(LISTED) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// Returns the changes between two versions of a file; `None` for a file that does not exist. A file that is not YAML, such as a
/// template, has no known changes.
pub fn committed_changes(before: Option<&str>, after: Option<&str>) -> Vec<CommittedChange> {
    let mut marks = SecretMarks::default();
    let mut documents = |text: Option<&str>| text.map_or(Some(BTreeMap::new()), |text| documents(text, &mut marks));
    let (Some(before), Some(after)) = (documents(before), documents(after)) else { return Vec::new() };
    let mut changes = Vec::new();
    for (name, new) in &after {
        match before.get(name) {
            Some(old) => add_changed_fields(name, old, new, &mut changes),
            None if !name.object.is_empty() => changes.push(whole(name, false)),
            None => {}
        }
    }
    let removed = before.keys().filter(|name| !name.object.is_empty() && !after.contains_key(name));
    changes.extend(removed.map(|name| whole(name, true)));
    changes.truncate(MOST);
    changes
}

/// The identity of a document in its file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DocumentName {
    object: String,
    namespace: String,
    /// The place among documents without an object, or with the same one.
    place: usize,
}

fn documents(text: &str, marks: &mut SecretMarks) -> Option<BTreeMap<DocumentName, Value>> {
    let documents = from_yaml_documents(text, yaml_options(text.len())).ok()?;
    let mut named = BTreeMap::new();
    for mut document in documents.into_iter().filter(|document| !document.is_null()) {
        let text = |path: &str| document.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("/kind"), text("/metadata/name"));
        let object = if kind.is_empty() || name.is_empty() {
            String::new()
        } else {
            format!("{}/{name}", kind.to_ascii_lowercase())
        };
        let mut key = DocumentName { object, namespace: text("/metadata/namespace").to_owned(), place: 0 };
        while named.contains_key(&key) {
            key.place += 1;
        }
        marks.hide(&mut document);
        named.insert(key, document);
    }
    Some(named)
}

fn whole(name: &DocumentName, is_removed: bool) -> CommittedChange {
    CommittedChange { object: name.object.clone(), field: None, before: None, after: None, is_removed }
}

fn add_changed_fields(name: &DocumentName, old: &Value, new: &Value, changes: &mut Vec<CommittedChange>) {
    let mut fields = Vec::new();
    compare(&FieldPath::default(), old, new, &mut fields);
    changes.extend(fields.into_iter().map(|(path, before, after)| CommittedChange {
        object: name.object.clone(),
        field: Some(path.to_string()),
        before,
        after,
        is_removed: false,
    }));
}

/// Returns the promotion that a commit of `promote` made, from its first line: `Promote web to prod: 1.2.3`, or `Promote 3 versions
/// from stage to prod`. Forges append the number of a pull request.
pub(super) fn promotion(subject: &str) -> Option<String> {
    let rest = subject.strip_prefix("Promote ")?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(' ');
    if let Some((subject, _version)) = rest.split_once(": ") {
        let (service, to) = subject.rsplit_once(" to ")?;
        return (is_name(service) && is_name(to)).then(|| format!("promotion to {to}"));
    }
    let (count, environments) = rest.split_once(" from ")?;
    let (number, versions) = count.split_once(' ')?;
    let (from, to) = environments.split_once(" to ")?;
    let to = to.split_once(" (#").map_or(to, |(to, _)| to);
    let is_count = number.parse::<usize>().is_ok() && versions.starts_with("version");
    (is_count && is_name(from) && is_name(to)).then(|| format!("promotion from {from} to {to}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(before: &str, after: &str) -> String {
        describe(&committed_changes(Some(before), Some(after)))
    }

    const WEB: &str =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, image: 'a:1'}\n";

    #[test]
    fn a_commit_shows_its_fields_and_the_objects_that_it_adds_and_removes() {
        assert_eq!(words(WEB, &WEB.replace("replicas: 1", "replicas: 3")), "deployment/web spec.replicas 1 → 3");
        let job = WEB.replace("Deployment", "Job").replace("web", "sync");
        assert_eq!(words(WEB, &format!("{WEB}---\n{job}")), "adds job/sync");
        assert_eq!(words(&format!("{job}---\n{WEB}"), WEB), "removes job/sync");
        assert_eq!(
            words("image: {tag: v1}\nold: x\n", "image: {tag: v2}\nnew: 5\n"),
            "image.tag v1 → v2, new = 5 and 1 more"
        );
        assert_eq!(describe(&committed_changes(None, Some(WEB))), "adds deployment/web");
        assert_eq!(words("{{ if .Values.x }}\na: 1\n", "a: 2\n"), "", "a template is not YAML");
        assert_eq!(words(WEB, WEB), "");
    }

    #[test]
    fn secrets_of_a_commit_stay_hidden() {
        let secret = |value: &str| format!("kind: Secret\nmetadata: {{name: login}}\nstringData: {{token: {value}}}\n");
        let changed = words(&secret("canary-one"), &secret("canary-two"));
        assert_eq!(changed, "secret/login stringData.token <hidden> → <hidden> (changed)");
        assert_eq!(words(&secret("canary-one"), &secret("canary-one")), "");
        let values = |value: &str| format!("db:\n  password: {value}\n  size: {}\n", value.len());
        let changed = words(&values("canary-one"), &values("canary-three"));
        assert_eq!(changed, "db.password <hidden> → <hidden> (changed), db.size 10 → 12");
        let variable = |password: &str, level: &str| {
            let variables = format!("[{{name: DB_PASSWORD, value: {password}}}, {{name: LOG_LEVEL, value: {level}}}]");
            WEB.replace("image: 'a:1'", &format!("env: {variables}"))
        };
        let changed = words(&variable("canary-one", "info"), &variable("canary-three", "debug"));
        assert_eq!(
            changed,
            "deployment/web spec.env[0].value <hidden> → <hidden> (changed), deployment/web spec.env[1].value info → debug"
        );
        // Whether the new value equals that of another field stays hidden.
        let pair = |one: &str, two: &str| format!("password: {one}\ntoken: {two}\n");
        let changed = words(&pair("canary-one", "canary-two"), &pair("canary-two", "canary-two"));
        assert_eq!(changed, "password <hidden> → <hidden> (changed)");
    }

    #[test]
    fn the_first_line_names_the_promotion() {
        let of = |subject: &str| promotion(subject).unwrap_or_default();
        assert_eq!(of("Promote web to prod: 1.2.3"), "promotion to prod");
        assert_eq!(of("Promote 3 versions from stage to prod (#12)"), "promotion from stage to prod");
        for other in [
            "Promote web",
            "Promote our new app to users: finally",
            "Revert \"Promote web to prod: 1\"",
            "Promote x from y",
        ] {
            assert_eq!(of(other), "", "{other}");
        }
    }
}
