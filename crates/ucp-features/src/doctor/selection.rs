//! Selects the checks to run.

use super::check::{CheckGroup, DoctorCheck, RequiredData};
use super::definitions;
use super::groups::{DEFINITIONS, GROUPS};
use ucp_core::engine::code::Code;

/// Selects the checks to run.
#[derive(Debug, Clone, Default)]
pub struct CheckSelection {
    /// Groups, checks or codes to run; all if empty.
    pub only: Vec<String>,
    /// Groups, checks or codes to skip.
    pub skip: Vec<String>,
    /// The checks to run by default.
    pub purpose: CheckPurpose,
}

/// The checks that run by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckPurpose {
    /// All that need no new definitions.
    #[default]
    Installed,
    /// Those of new definitions.
    NewDefinitions,
}

impl CheckSelection {
    /// Returns a word that names no group, check or code.
    pub fn unknown_word(&self) -> Option<&str> {
        self.only
            .iter()
            .chain(&self.skip)
            .map(String::as_str)
            .find(|word| !GROUPS.iter().any(|group| group.checks.iter().any(|check| matches_word(word, group, check))))
    }

    /// Returns true if only checks of new definitions are named.
    pub fn names_only_new_definitions(&self) -> bool {
        let is_new = |word: &String| {
            definitions::CHECKS
                .iter()
                .any(|check| GROUPS.iter().any(|group| group.name == DEFINITIONS && matches_word(word, group, check)))
        };
        !self.only.is_empty() && self.only.iter().all(is_new)
    }

    /// Returns true if a selected check requires the rights of the credentials in use.
    pub fn requires_rights(&self) -> bool {
        self.selected().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, RequiredData::Rights)))
    }

    /// Returns true if a selected check requires the version of the API server.
    pub fn requires_version(&self) -> bool {
        self.selected().any(|(_, check)| check.reads.iter().any(|reads| matches!(reads, RequiredData::ServerVersion)))
    }

    /// Returns the selected checks with their groups.
    pub(super) fn selected(&self) -> impl Iterator<Item = (&'static CheckGroup, &'static DoctorCheck)> {
        let all = GROUPS.iter().flat_map(|group| group.checks.iter().map(move |check| (group, check)));
        all.filter(|(group, check)| self.selects(group, check))
    }

    fn selects(&self, group: &CheckGroup, check: &DoctorCheck) -> bool {
        let is_in = |words: &[String]| words.iter().any(|word| matches_word(word, group, check));
        let is_default = match self.purpose {
            CheckPurpose::Installed => group.name != DEFINITIONS,
            CheckPurpose::NewDefinitions => group.name == DEFINITIONS,
        };
        let is_selected = if self.only.is_empty() { is_default } else { is_in(&self.only) };
        let is_possible = group.name != DEFINITIONS || self.purpose == CheckPurpose::NewDefinitions;
        is_selected && is_possible && !is_in(&self.skip)
    }
}

fn matches_word(word: &str, group: &CheckGroup, check: &DoctorCheck) -> bool {
    let is_code = |code: &Code| code.info().code.eq_ignore_ascii_case(word);
    word == group.name || word == check.name || check.codes.iter().any(is_code)
}

#[cfg(test)]
mod tests {
    use super::super::upgrade;
    use super::*;

    #[test]
    fn groups_checks_and_codes_are_chosen_by_name() {
        let chosen = |only: &[&str], skip: &[&str]| {
            let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            let selection = CheckSelection { only: words(only), skip: words(skip), ..CheckSelection::default() };
            selection.selected().count()
        };
        let all = chosen(&[], &[]);
        assert_eq!(chosen(&["upgrade"], &[]), upgrade::CHECKS.len());
        assert_eq!(chosen(&["ucp412"], &[]), 1);
        assert_eq!(chosen(&[], &["storage-versions", "upgrade"]), all - upgrade::CHECKS.len() - 1);
        let typo = CheckSelection { only: vec!["upgrades".to_owned()], ..CheckSelection::default() };
        assert_eq!(typo.unknown_word(), Some("upgrades"));
    }

    #[test]
    fn rights_are_requested_only_if_a_check_needs_them() {
        let only = |word: &str| CheckSelection { only: vec![word.to_owned()], ..CheckSelection::default() };
        assert!(CheckSelection::default().requires_rights() && only("rights").requires_rights());
        assert!(!only("certificates").requires_rights() && !only("rights").requires_version());
        let without = CheckSelection { skip: vec!["own-rights".to_owned()], ..CheckSelection::default() };
        assert!(!without.requires_rights() && without.requires_version());
    }
}
