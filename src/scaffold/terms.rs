//! What is copied, and under which terms.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::image::NewImage;
use super::names::Names;
use super::subject::Subject;
use crate::yaml::tree::Node;

/// Lists of a kustomization that name files.
pub const FILES: [&str; 10] = [
    "resources",
    "bases",
    "components",
    "crds",
    "patches",
    "patchesStrategicMerge",
    "configurations",
    "generators",
    "transformers",
    "valuesFiles",
];

/// How things are copied.
pub struct Terms<'a> {
    /// What is copied.
    pub subject: &'a Subject,
    /// What becomes of names.
    pub names: &'a Names,
    /// The image that takes the place of another.
    pub image: Option<&'a NewImage>,
    /// Files of the service that are not copied.
    pub skipped: &'a BTreeSet<String>,
    /// Where a file or directory of the repository is for the copy: elsewhere or where it was; `None` where there is none.
    pub place: &'a dyn Fn(&str) -> Option<String>,
    /// What keeps the old name in what was copied, and in which file.
    pub left: RefCell<BTreeSet<String>>,
}

impl Terms<'_> {
    /// Whether a file or directory is copied, or shared parts of the repository have a place for its copy.
    pub fn is_copied(&self, path: &str) -> bool {
        self.subject.moved(path).is_some() || (self.place)(path).is_some_and(|place| place != path)
    }

    /// Whether no text of an entry names an environment that nobody asked for.
    pub fn is_wanted(&self, item: &Node) -> bool {
        let values = item.entries().iter().filter_map(|(_, value)| value.text());
        item.text().into_iter().chain(values).all(|text| self.subject.is_wanted(text))
    }
}

/// The terms of a service `quotes` that is copied as `orders`.
#[cfg(test)]
pub(super) fn on<T>(environments: &[&str], question: impl FnOnce(&Terms<'_>) -> T) -> T {
    let mut subject = super::subject::subject(environments);
    subject.others.insert("web".to_owned());
    let mut names = Names::default();
    names.call("quotes", "orders");
    names.keep("quotes-db");
    let skipped = BTreeSet::from(["quotes/base/sealed.yaml".to_owned()]);
    question(&Terms {
        subject: &subject,
        names: &names,
        image: None,
        skipped: &skipped,
        place: &|_| None,
        left: RefCell::default(),
    })
}
