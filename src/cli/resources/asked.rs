//! Which objects are asked for, in the words that kubectl takes: `KIND`, `KIND,KIND`, `CATEGORY`, `KIND NAME…` and
//! `KIND/NAME…`.

use crate::engine::is_meant;
use crate::model::glob;
use crate::model::kind::ResourceKind;
use crate::model::pattern::ObjectPattern;

/// The words of the command line.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// Words without a slash: kinds, and names of the first of them.
    plain: Vec<String>,
    /// `KIND/NAME`.
    objects: Vec<ObjectPattern>,
}

/// A kind, or objects of it, that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    /// The kind or category, as it was typed.
    pub(super) kind: String,
    /// The name; all where absent.
    pub(super) name: Option<String>,
}

impl Choice {
    /// Whether it means an object.
    pub(super) fn takes(&self, kind: &ResourceKind, name: &str) -> bool {
        is_meant(kind, &self.kind) && self.name.as_ref().is_none_or(|wanted| glob::matches(wanted, name))
    }

    /// The one name that must exist: a pattern may find nothing.
    pub(super) fn exact_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| !name.contains(['*', '?']))
    }
}

impl Asked {
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

    /// Whether anything in particular is asked for.
    pub(super) fn is_anything(&self) -> bool {
        !self.plain.is_empty() || !self.objects.is_empty()
    }

    /// Whether a kind has to be read for it. What may be a name is taken for a kind as well.
    pub(super) fn may_mean(&self, kind: &ResourceKind) -> bool {
        self.plain.iter().any(|word| word.split(',').any(|part| is_meant(kind, part)))
            || self.objects.iter().any(|pattern| is_meant(kind, &pattern.kind))
    }

    /// What the words mean, where these kinds are known and these objects exist. A word behind the first is a name of the
    /// first's kind where such an object exists or no kind is called so.
    pub(super) fn resolve<'k>(
        &self,
        kinds: impl Iterator<Item = &'k ResourceKind> + Clone,
        exists: impl Fn(&Choice) -> bool,
    ) -> Vec<Choice> {
        let is_known = |word: &str| word.split(',').all(|part| kinds.clone().any(|kind| is_meant(kind, part)));
        let all =
            |word: &str| word.split(',').map(|part| Choice { kind: part.to_owned(), name: None }).collect::<Vec<_>>();
        let mut choices = Vec::new();
        if let Some((first, rest)) = self.plain.split_first() {
            let named = |name: &str| {
                first
                    .split(',')
                    .map(|kind| Choice { kind: kind.to_owned(), name: Some(name.to_owned()) })
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
        let objects = self.objects.iter().map(|one| Choice { kind: one.kind.clone(), name: one.name.clone() });
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
        let exists = |choice: &Choice| choice.takes(&kinds[0], "queue-1") || choice.takes(&kinds[1], "bucket");
        let choices = Asked::parse(&words).resolve(kinds.iter(), exists);
        let shown = choices.iter().map(|choice| match &choice.name {
            Some(name) => format!("{}/{name}", choice.kind),
            None => choice.kind.clone(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_kinds_or_names_as_kubectl_takes_them() {
        for (words, expected) in [
            ("bucket", "bucket"),
            ("bucket,queue", "bucket queue"),
            ("bucket queue", "bucket queue"),
            ("bucket queue-1", "bucket/queue-1"),
            ("bucket queue-1 nope", "bucket/queue-1 bucket/nope"),
            ("bucket,queue nope", "bucket/nope queue/nope"),
            // An object that is called like a kind.
            ("queue bucket", "queue/bucket"),
            ("bucket/x queue", "queue bucket/x"),
        ] {
            assert_eq!(resolved(words), expected, "{words}");
        }
    }
}
