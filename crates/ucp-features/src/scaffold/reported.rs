//! The work that is left for a person: files that are not copied, or that cannot be read.

use std::collections::{BTreeMap, BTreeSet};

use super::copy::CopyResult;
use super::names::around;
use super::shared;
use super::source::CopySource;
use super::terms::CopyTerms;
use ucp_repo::gitops::files;
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::message;
use ucp_repo::yaml::tree;

impl CopySource<'_> {
    /// Reports links and executable files, because a copy is always a regular file.
    pub(super) fn report_links(&self, copy: &mut CopyResult, copied: &BTreeMap<&str, String>) {
        for (file, new) in copied.iter().filter(|(_, new)| copy.edits.iter().any(|edit| edit.path == **new)) {
            let path = self.repository.top.join(file);
            if let Ok(target) = std::fs::read_link(&path) {
                let target = target.display();
                copy.by_hand.push(format!("{new}: it is a regular file, but {file} is a link to {target}"));
            } else if files::is_executable(&path) {
                copy.by_hand.push(format!("{new}: {file} is executable; run chmod +x {new}"));
            }
        }
    }

    /// Reports files next to those of the service that contain its name and belong to no known service.
    pub(super) fn report_unknown_files(&self, copy: &mut CopyResult, copied: &BTreeMap<&str, String>) {
        let beside: BTreeSet<&str> = copied.keys().map(|file| path::parent(file)).collect();
        let (old, new) = (&self.subject.service.old, &self.subject.service.new);
        for file in self.repository.files.iter().filter(|file| beside.contains(path::parent(file))) {
            let name = file.rsplit('/').next().unwrap_or(file);
            let is_anothers = self.subject.others.iter().chain([new]).any(|other| around(name, other).is_some());
            let is_left = self.counterpart(file).is_none() && !self.subject.is_others(file) && !is_anothers;
            if is_left && name.starts_with(&format!("{old}-")) && self.subject.is_wanted(file) {
                copy.by_hand.push(format!("{file}: it is named after {old} and is not copied"));
            }
        }
    }

    /// Returns the text of a file in which the service may have entries. If it cannot be read, that is reported.
    pub(super) fn text_with_entries(&self, copy: &mut CopyResult, file: &str, terms: &CopyTerms<'_>) -> Option<String> {
        let is_told = shared::may_have_entries(file) && self.subject.is_wanted(file) && !self.subject.is_others(file);
        let mut report = |reason: &str| {
            if is_told {
                let old = &self.subject.service.old;
                copy.by_hand.push(format!("entries in {file}: whether it lists {old} is unknown, because {reason}"));
            }
        };
        let text = match self.repository.read_text(file) {
            Ok(text) => text,
            Err(error) => {
                report(&message(&error));
                return None;
            }
        };
        // The target of a link is examined at its own path.
        if self.repository.top.join(file).is_symlink() || !self.mentions(&text) {
            return None;
        }
        if tree::parse(&text).is_err() && shared::is_yaml(file) && terms.names.in_text(&text, &[]) != text {
            report("it is not valid YAML");
        }
        Some(text)
    }
}
