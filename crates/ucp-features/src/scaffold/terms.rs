//! The parameters of a copy.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::image::NewImage;
use super::names::NewNames;
use super::subject::CopySubject;
use ucp_repo::yaml::tree::YamlNode;

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

/// The parameters of a copy.
pub struct CopyTerms<'a> {
    /// The content to copy.
    pub subject: &'a CopySubject,
    /// The new names.
    pub names: &'a NewNames,
    /// The image that replaces another one.
    pub image: Option<&'a NewImage>,
    /// Files of the service that are not copied.
    pub skipped: &'a BTreeSet<String>,
    /// Returns the path that the copy uses for a file or directory of the repository: a new one, or the same; `None` if
    /// it does not exist.
    pub place: &'a dyn Fn(&str) -> Option<String>,
    /// Places in copied content that keep the old name, with their files.
    pub left: RefCell<BTreeSet<String>>,
}

impl CopyTerms<'_> {
    /// Returns true if a file or directory is copied, or its copy has another path in a shared part of the repository.
    pub fn is_copied(&self, path: &str) -> bool {
        self.subject.new_path(path).is_some() || (self.place)(path).is_some_and(|place| place != path)
    }

    /// Returns true if no text of an entry names an environment that was not requested.
    pub fn is_wanted(&self, item: &YamlNode) -> bool {
        let values = item.entries().iter().filter_map(|(_, value)| value.text());
        item.text().into_iter().chain(values).all(|text| self.subject.is_wanted(text))
    }
}

/// Calls `question` with the parameters for copying a service `quotes` as `orders`.
#[cfg(test)]
pub(super) fn with_test_terms<T>(environments: &[&str], question: impl FnOnce(&CopyTerms<'_>) -> T) -> T {
    let mut subject = super::subject::subject(environments);
    subject.others.insert("web".to_owned());
    let mut names = NewNames::default();
    names.rename("quotes", "orders");
    names.keep("quotes-db");
    let skipped = BTreeSet::from(["quotes/base/sealed.yaml".to_owned()]);
    question(&CopyTerms {
        subject: &subject,
        names: &names,
        image: None,
        skipped: &skipped,
        place: &|_| None,
        left: RefCell::default(),
    })
}
