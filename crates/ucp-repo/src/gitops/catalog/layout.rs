//! Environments from the names of directories, files, and keys, for files without a known deployer.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::environment::{EnvironmentWord, environment_word, is_ambiguous, is_container, is_shared};
use crate::gitops::path;
use crate::gitops::purpose::{is_plain_directory, is_plain_file};

/// Environment of a place, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnvironmentLabel {
    /// Name of the environment.
    pub name: String,
    /// Reason, for `--explain`.
    pub because: String,
    /// True if the name itself is a word for an environment, rather than only its location.
    pub by_word: bool,
    /// Index of the path component, from the left; `None` for a key.
    pub part: Option<usize>,
}

/// File names of a repository, for names that indicate an environment only in context.
#[derive(Debug, Default)]
pub struct EnvironmentLayout {
    /// Siblings in each directory: subdirectories and the stems of files.
    siblings: BTreeMap<String, SiblingNames>,
    /// Environments that are known from other sources.
    known: BTreeSet<String>,
    /// Names that stand beside words for environments in several directories: `ithc` beside `prod`.
    repeated: BTreeSet<String>,
}

/// Number of directories in which a name must stand beside environments to be one itself.
const REPEATED: usize = 3;

/// Properties of the names in one directory.
#[derive(Debug, Default)]
struct SiblingNames {
    /// Words for environments in the names.
    words: Vec<EnvironmentWord>,
    /// True if one of the names is a values file of an environment: `values-prod`.
    has_values_of_environment: bool,
    /// True if one of the names is a kustomization, which builds on the others.
    has_kustomization: bool,
    /// True if one of the names is a word for an environment and no common name of applications.
    has_certain_word: bool,
    /// True if one of the subdirectories may be an application.
    has_other_directories: bool,
    /// True if one of the files may be that of an application.
    has_other_files: bool,
    /// True if one of the subdirectories describes the structure: `apps`.
    has_structure: bool,
    /// Names before the words for environments of several: `shop` of `shop-dev` and `shop-prod`.
    subjects: BTreeSet<String>,
}

impl SiblingNames {
    /// Returns true if one of the names is certainly that of an environment.
    fn has_environment(&self) -> bool {
        self.has_certain_word || self.words.iter().any(|word| matches!(word, EnvironmentWord::Part(_)))
    }

    fn from_names(names: &BTreeSet<String>) -> Self {
        let mut siblings = Self::default();
        for name in names {
            siblings.has_kustomization |= name.eq_ignore_ascii_case("kustomization");
            let word_of_name = environment_word(name);
            if word_of_name != EnvironmentWord::None && !siblings.words.contains(&word_of_name) {
                siblings.words.push(word_of_name);
            }
            siblings.has_values_of_environment |=
                values_subject(name).is_some_and(|of| environment_word(of) == EnvironmentWord::Exact);
            siblings.has_certain_word |= word_of_name == EnvironmentWord::Exact && !is_ambiguous(name);
        }
        let mut words: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (subject, word) in names.iter().filter_map(|name| subject_and_word(name)) {
            words.entry(subject).or_default().insert(word);
        }
        let are_environments = |words: &BTreeSet<&str>| words.len() > 1 && !words.iter().all(|word| is_ambiguous(word));
        words.retain(|_, words| are_environments(words));
        siblings.subjects = words.into_keys().map(str::to_owned).collect();
        siblings
    }
}

/// Returns true for a name that is neither of an environment nor of the structure.
fn may_be_application(name: &str) -> bool {
    environment_word(name) == EnvironmentWord::None
        && !is_shared(name)
        && !is_plain_directory(name)
        && !is_plain_file(name)
}

/// Returns the subject of a values file, by its stem: `prod` for `values-prod`, `prod.values`, and `.env.prod`.
fn values_subject(stem: &str) -> Option<&str> {
    let part = stem.strip_prefix("values").or(stem.strip_suffix("values")).or(stem.strip_prefix(".env."))?;
    let part = part.trim_matches(['-', '_', '.']);
    (!part.is_empty()).then_some(part)
}

/// Returns the parts of a name that ends with a word for an environment: `shop` and `prod` for `shop-prod`.
fn subject_and_word(name: &str) -> Option<(&str, &str)> {
    let is_word = |word: &str| environment_word(word) == EnvironmentWord::Exact;
    let separators =
        name.match_indices(['-', '_', '.']).map(|(position, _)| (&name[..position], &name[position + 1..]));
    separators.filter(|(subject, _)| !subject.is_empty() && !is_word(subject)).find(|(_, word)| is_word(word))
}

impl EnvironmentLayout {
    /// Creates the layout of files with these paths and known environments.
    pub fn from_files<'p>(
        files: impl IntoIterator<Item = &'p str>,
        known: impl IntoIterator<Item = &'p String>,
    ) -> Self {
        let mut siblings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let (mut with_directories, mut with_files) = (BTreeSet::new(), BTreeSet::new());
        let mut with_structure = BTreeSet::new();
        for file in files {
            siblings.entry(path::parent(file).to_owned()).or_default().insert(stem(file).to_owned());
            if stem(file) != path::name(file) && may_be_application(stem(file)) {
                with_files.insert(path::parent(file));
            }
            let mut directory = path::parent(file);
            while !directory.is_empty() {
                let name = path::name(directory).to_owned();
                let parent = path::parent(directory);
                if may_be_application(&name) {
                    with_directories.insert(parent);
                } else if is_plain_directory(&name) && !is_shared(&name) {
                    with_structure.insert(parent);
                }
                if !siblings.entry(parent.to_owned()).or_default().insert(name) {
                    break;
                }
                directory = parent;
            }
        }
        let repeated = repeated(siblings.values());
        let properties = |directory: &str, names: &BTreeSet<String>| SiblingNames {
            has_other_directories: with_directories.contains(directory),
            has_other_files: with_files.contains(directory),
            has_structure: with_structure.contains(directory),
            ..SiblingNames::from_names(names)
        };
        let siblings = siblings
            .into_iter()
            .map(|(directory, names)| {
                let properties = properties(&directory, &names);
                (directory, properties)
            })
            .collect();
        Self { siblings, known: known.into_iter().cloned().collect(), repeated }
    }

    /// Returns the environments in a path, from the left.
    pub fn labels(&self, file: &str) -> Vec<EnvironmentLabel> {
        let mut labels = Vec::new();
        let parts: Vec<&str> = file.split('/').collect();
        let mut above = String::new();
        for (index, part) in parts.iter().take(parts.len().saturating_sub(1)).enumerate() {
            let contained = index > 0 && self.are_environments(&above, part);
            let by_word = self.is_environment(part, &above, contained);
            // Subdirectories of an environment are parts of it.
            let inside = !labels.is_empty();
            if by_word || contained && !inside && !is_shared(part) {
                let because = match by_word {
                    true => format!("the directory {part} has the name of an environment"),
                    false => format!("{part} is below {}", parts[index - 1]),
                };
                labels.push(EnvironmentLabel { name: (*part).to_owned(), because, by_word, part: Some(index) });
            }
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(part);
        }
        labels.extend(self.file_label(file, parts.len() - 1));
        labels
    }

    /// Returns true if a directory is an environment because of its parent. Overlays count only if they were
    /// discovered. What is in `cluster` is of one cluster, and divided by topics or namespaces, unless some of it is of
    /// environments.
    fn are_environments(&self, parent: &str, name: &str) -> bool {
        let container = path::name(parent).to_ascii_lowercase();
        let siblings = self.siblings.get(parent);
        let is_divided = match container.as_str() {
            "overlays" | "overlay" => return self.known.contains(name),
            "cluster" => !siblings.is_some_and(SiblingNames::has_environment),
            container => !container.ends_with('s') && siblings.is_some_and(|names| names.has_structure),
        };
        is_container(&container) && !is_plain_directory(name) && !is_divided
    }

    /// Returns the label of a file: `prod` for `prod.yaml`, `values-prod.yaml`, `prod.values.yaml`, `prod.env`.
    fn file_label(&self, file: &str, index: usize) -> Option<EnvironmentLabel> {
        let stem = stem(file);
        let directory = path::parent(file);
        let (name, is_values) = match values_subject(stem) {
            Some(name) => (name.to_owned(), true),
            None => (stem.to_owned(), false),
        };
        let word = environment_word(&name) == EnvironmentWord::Exact;
        let is_doubtful = || self.is_doubtful(&name, directory, |siblings| siblings.has_other_files);
        let exact = word && (is_values || !is_doubtful());
        let partial = is_values && matches!(environment_word(&name), EnvironmentWord::Part(_));
        // `clusters/eu.yaml`
        let parent = path::name(directory);
        let is_contained = || {
            is_container_of_files(parent)
                && !is_shared(stem)
                && !is_plain_file(stem)
                && self.siblings.get(directory).is_some_and(|names| !names.has_kustomization)
        };
        if !is_values && !exact && is_contained() {
            let because = format!("the file is in {parent}");
            return Some(EnvironmentLabel { name, because, by_word: false, part: Some(index) });
        }
        // `values-eu.yaml` beside `values-prod.yaml`, or in several directories.
        let repeated = || self.repeated.contains(&format!("values-{name}"));
        let beside = || self.siblings.get(directory).is_some_and(|names| names.has_values_of_environment);
        let is_family = is_values && (beside() || repeated());
        let by_word = exact || partial;
        // `shop-prod.yaml` beside `shop-dev.yaml`.
        let of_subject = || {
            let (subject, word) = subject_and_word(stem).filter(|_| !is_values)?;
            self.siblings.get(directory).filter(|names| names.subjects.contains(subject)).map(|_| word.to_owned())
        };
        let (name, by_word) = match (by_word, of_subject()) {
            (false, Some(word)) => (word, true),
            (by_word, _) => (name, by_word),
        };
        (by_word || is_family).then(|| EnvironmentLabel {
            because: format!("the file is named {}", path::name(file)),
            name,
            by_word,
            part: Some(index),
        })
    }

    /// Returns true if at least one name in a directory is a word for an environment.
    fn stands_beside_words(&self, parent: &str) -> bool {
        self.siblings.get(parent).is_some_and(|names| names.words.contains(&EnvironmentWord::Exact))
    }

    /// Returns true if a name ends with a word for an environment, and others with the same beginning do so, one of them
    /// unmistakably: `shop-test` beside `shop-dev` and `shop-prod`.
    fn is_of_family(&self, name: &str, parent: &str) -> bool {
        let Some((subject, _)) = subject_and_word(name) else { return false };
        self.siblings.get(parent).is_some_and(|names| names.subjects.contains(subject) && names.has_environment())
    }

    /// Returns true if a word for an environment may be the name of an application: others are beside it, and nothing
    /// else indicates environments.
    fn is_doubtful(&self, name: &str, parent: &str, has_others: impl Fn(&SiblingNames) -> bool) -> bool {
        let is_known = !is_ambiguous(name) || self.known.contains(name) || self.repeated.contains(name);
        !is_known && self.siblings.get(parent).is_some_and(|names| !names.has_certain_word && has_others(names))
    }

    /// Returns true if a directory is an environment by its name: a word for one, or a name that contains one and has
    /// siblings that do, too.
    fn is_environment(&self, name: &str, parent: &str, contained: bool) -> bool {
        match environment_word(name) {
            EnvironmentWord::Exact => {
                contained || !self.is_doubtful(name, parent, |siblings| siblings.has_other_directories)
            }
            EnvironmentWord::None => {
                self.repeated.contains(name) && self.stands_beside_words(parent) || self.is_of_family(name, parent)
            }
            EnvironmentWord::Part(own) => {
                let tells = |siblings: &SiblingNames| {
                    siblings.words.iter().any(|word| match word {
                        EnvironmentWord::Exact => true,
                        EnvironmentWord::Part(rank) => *rank != own,
                        EnvironmentWord::None => false,
                    })
                };
                contained || self.siblings.get(parent).is_some_and(tells)
            }
        }
    }
}

/// Returns the names that stand beside words for environments in several directories, and suffixes of values files that
/// several directories have.
fn repeated<'n>(directories: impl Iterator<Item = &'n BTreeSet<String>>) -> BTreeSet<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for names in directories {
        let is_word = |name: &&String| environment_word(name) == EnvironmentWord::Exact;
        let has_words = names.iter().filter(is_word).take(2).count() > 1;
        let may_be = |name: &&String| {
            let is_values = name.strip_prefix("values-").is_some_and(|suffix| !is_shared(suffix));
            is_values || has_words && !is_shared(name)
        };
        names.iter().filter(may_be).for_each(|name| *counts.entry(name.as_str()).or_default() += 1);
    }
    counts.into_iter().filter(|(_, count)| *count >= REPEATED).map(|(name, _)| name.to_owned()).collect()
}

/// Returns true if the files in a directory with this name are environments.
fn is_container_of_files(directory: &str) -> bool {
    is_container(directory) && directory.ends_with('s')
}

/// Returns the name of a file without extensions for its format: `api` for `api.values.yaml.gotmpl`.
pub fn stem(file: &str) -> &str {
    let mut name = path::name(file);
    const ENDINGS: [&str; 10] =
        [".gotmpl", ".tmpl", ".tpl", ".yaml", ".yml", ".json", ".tfvars", ".env", ".toml", ".properties"];
    while let Some(rest) = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).filter(|rest| !rest.is_empty()) {
        name = rest;
    }
    name
}

/// Returns the environments in the keys above a value: `staging: {tag: …}`.
pub fn key_labels<'k>(keys: impl IntoIterator<Item = &'k str>) -> Vec<EnvironmentLabel> {
    let exact = keys.into_iter().filter(|key| matches!(environment_word(key), EnvironmentWord::Exact));
    exact
        .map(|key| EnvironmentLabel {
            name: key.to_owned(),
            because: format!("it is below the key {key}"),
            by_word: true,
            part: None,
        })
        .collect()
}
