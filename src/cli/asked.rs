//! The requested kinds and objects of commands that list, in the forms that kubectl accepts: `KIND`, `KIND,KIND`, `CATEGORY`,
//! `KIND NAME…` and `KIND/NAME…`, and `NAME…` of objects of any kind. For commands about single objects, see
//! [`crate::cli::naming`].

use ucp_core::engine::is_selected_by;
use ucp_core::model::glob;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::pattern::ObjectPattern;

/// The words on the command line.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestedObjects {
    /// Words without a slash: kinds, and names of objects of the first kind.
    plain: Vec<String>,
    /// `KIND/NAME`.
    objects: Vec<ObjectPattern>,
    extent: RequestExtent,
}

/// The kinds that have to be read for a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum RequestExtent {
    /// Those that are named.
    #[default]
    NamedKinds,
    /// All, to find objects whose kinds are not named.
    AllKinds,
}

/// A requested kind, or requested objects of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectChoice {
    /// The kind or category, as typed.
    pub(super) kind: String,
    /// The name; `None` for all objects.
    pub(super) name: Option<String>,
}

impl ObjectChoice {
    /// Returns true if the choice includes an object.
    pub(super) fn includes(&self, kind: &ResourceKind, name: &str) -> bool {
        is_selected_by(kind, &self.kind) && self.name.as_ref().is_none_or(|wanted| glob::matches(wanted, name))
    }

    /// Returns the name of an object that must exist; a pattern may match nothing.
    pub(super) fn exact_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| !name.contains(['*', '?']))
    }
}

impl RequestedObjects {
    pub(super) fn parse(words: &[String]) -> Self {
        let mut asked = Self::default();
        for word in words {
            match word.split_once('/') {
                Some((kind, name)) => {
                    asked.objects.push(ObjectPattern { kind: kind.to_owned(), name: Some(name.to_owned()) })
                }
                None => asked.plain.push(word.clone()),
            }
        }
        asked
    }

    /// Returns true if any kind or object is requested.
    pub(super) fn has_requests(&self) -> bool {
        !self.plain.is_empty() || !self.objects.is_empty()
    }

    /// Returns true if a kind has to be read. A word that may be a name counts as a kind, too.
    pub(super) fn may_include_kind(&self, kind: &ResourceKind) -> bool {
        self.extent == RequestExtent::AllKinds
            || self.plain.iter().any(|word| word.split(',').any(|part| is_selected_by(kind, part)))
            || self.objects.iter().any(|pattern| is_selected_by(kind, &pattern.kind))
    }

    /// Returns the request that also finds objects of kinds that are not named, if the words are no kinds: `NAME…`.
    pub(super) fn for_names<'k>(&self, mut kinds: impl Iterator<Item = &'k ResourceKind>) -> Option<Self> {
        let first = self.plain.first()?;
        let is_kind = kinds.any(|kind| first.split(',').any(|part| is_selected_by(kind, part)));
        (!is_kind).then(|| Self { extent: RequestExtent::AllKinds, ..self.clone() })
    }

    /// Returns the request with the objects that have the names, each with its kind. If a name has no object, the words
    /// stay as they are.
    pub(super) fn with_kinds_of_names<'o>(
        &self,
        objects: impl Iterator<Item = (&'o ResourceKind, &'o str)> + Clone,
    ) -> Self {
        let mut named = self.objects.clone();
        for word in &self.plain {
            let known = named.len();
            for (kind, name) in objects.clone().filter(|(_, name)| glob::matches(word, name)) {
                let one = ObjectPattern { kind: kind.qualified_plural(), name: Some(name.to_owned()) };
                if !named.contains(&one) {
                    named.push(one);
                }
            }
            if named.len() == known {
                return self.clone();
            }
        }
        Self { plain: Vec::new(), objects: named, extent: self.extent }
    }

    /// Resolves the words, given the known kinds and the existing objects. A word after the first is a name of the
    /// first kind if such an object exists, or if no kind has that name.
    pub(super) fn resolve<'k>(
        &self,
        kinds: impl Iterator<Item = &'k ResourceKind> + Clone,
        exists: impl Fn(&ObjectChoice) -> bool,
    ) -> Vec<ObjectChoice> {
        let is_known = |word: &str| word.split(',').all(|part| kinds.clone().any(|kind| is_selected_by(kind, part)));
        let all = |word: &str| {
            word.split(',').map(|part| ObjectChoice { kind: part.to_owned(), name: None }).collect::<Vec<_>>()
        };
        let mut choices = Vec::new();
        if let Some((first, rest)) = self.plain.split_first() {
            let named = |name: &str| {
                first
                    .split(',')
                    .map(|kind| ObjectChoice { kind: kind.to_owned(), name: Some(name.to_owned()) })
                    .collect::<Vec<_>>()
            };
            let (names, more): (Vec<&String>, Vec<&String>) =
                rest.iter().partition(|word| !is_known(word) || named(word).iter().any(&exists));
            if names.is_empty() {
                choices.extend(all(first));
            }
            choices.extend(names.into_iter().flat_map(|name| named(name)));
            choices.extend(more.into_iter().flat_map(|word| all(word)));
        }
        let objects = self.objects.iter().map(|one| ObjectChoice { kind: one.kind.clone(), name: one.name.clone() });
        choices.extend(objects);
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(words: &str) -> String {
        let kinds = [ResourceKind::guess("a.example.org", "Bucket"), ResourceKind::guess("b.example.org", "Queue")];
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let exists =
            |choice: &ObjectChoice| choice.includes(&kinds[0], "queue-1") || choice.includes(&kinds[1], "bucket");
        let choices = RequestedObjects::parse(&words).resolve(kinds.iter(), exists);
        let shown = choices.iter().map(|choice| match &choice.name {
            Some(name) => format!("{}/{name}", choice.kind),
            None => choice.kind.clone(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn arguments_are_kinds_or_names_as_in_kubectl() {
        for (words, expected) in [
            ("bucket", "bucket"),
            ("bucket,queue", "bucket queue"),
            ("bucket queue", "bucket queue"),
            ("bucket queue-1", "bucket/queue-1"),
            ("bucket queue-1 nope", "bucket/queue-1 bucket/nope"),
            ("bucket,queue nope", "bucket/nope queue/nope"),
            // An object with the name of a kind.
            ("queue bucket", "queue/bucket"),
            ("bucket/x queue", "queue bucket/x"),
        ] {
            assert_eq!(resolved(words), expected, "{words}");
        }
    }
}
