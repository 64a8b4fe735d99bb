//! Kustomizations of a repository, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::git::content::is_in_checkout;
use crate::gitops::config::RepositoryConfig;
use crate::gitops::files;
use crate::gitops::kustomization::{Kustomization, KustomizationTarget};
use crate::gitops::path;
use ucp_core::error::{Error, Result};
use ucp_core::regular_file;

/// The limit of [`Repository::read_lossily`].
const LONGEST_BEGINNING: u64 = 64 << 20;

/// Checkout with kustomizations.
#[derive(Debug)]
pub struct Repository {
    /// Root of the checkout, with links resolved.
    pub top: PathBuf,
    /// Name of the repository: the last part of its URL or path.
    pub name: String,
    /// Configuration from `.ucp.yaml`.
    pub config: RepositoryConfig,
    /// Kustomizations by directory.
    pub kustomizations: BTreeMap<String, Kustomization>,
    /// Directories whose kustomization cannot be read, with the reason.
    pub unreadable: BTreeMap<String, String>,
    /// All directories.
    pub directories: Vec<String>,
    /// All files.
    pub files: Vec<String>,
}

impl Repository {
    /// Reads all kustomizations below a directory. Links to directories are not followed, and nested repositories are
    /// skipped.
    ///
    /// # Errors
    /// Fails when the directory itself cannot be read. A kustomization that cannot be read is recorded as unreadable.
    pub fn read(top: &Path, name: &str) -> Result<Self> {
        let top = fs::canonicalize(top).with_context(|| top.display().to_string())?;
        let mut repository = Self {
            config: RepositoryConfig::read(&top)?,
            name: name.to_owned(),
            kustomizations: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            directories: Vec::new(),
            files: Vec::new(),
            top,
        };
        let mut open = vec![String::new()];
        while let Some(directory) = open.pop() {
            match repository.visit(&directory) {
                Ok(below) => open.extend(below),
                Err(error) if directory.is_empty() => return Err(error),
                Err(error) => drop(repository.unreadable.insert(directory.clone(), message(&error))),
            }
            repository.directories.push(directory);
        }
        repository.read_nested();
        repository.directories.sort();
        repository.files.sort();
        Ok(repository)
    }

    /// Reads kustomizations of nested repositories, such as submodules, that others in this repository build on. They
    /// are never edited, and not searched for services.
    fn read_nested(&mut self) {
        let mut open: Vec<String> = self.kustomizations.keys().cloned().collect();
        while let Some(directory) = open.pop() {
            let Some(kustomization) = self.kustomizations.get(&directory) else { continue };
            let targets = kustomization.resources.iter().chain(&kustomization.components);
            let local = targets.filter_map(KustomizationTarget::local).map(str::to_owned);
            let unknown =
                |path: &String| !self.kustomizations.contains_key(path) && !self.unreadable.contains_key(path);
            let nested: Vec<String> = local.filter(unknown).filter(|path| self.top.join(path).is_dir()).collect();
            for path in nested {
                let names = files::KUSTOMIZATION_NAMES.iter().map(|name| path::inside(&path, name));
                let found: Vec<String> = names.filter(|file| self.top.join(file).is_file()).collect();
                self.add_kustomization(&path, &found);
                open.push(path);
            }
        }
    }

    /// Reads the kustomization of one directory, and returns its subdirectories.
    fn visit(&mut self, directory: &str) -> Result<Vec<String>> {
        let mut below = Vec::new();
        let mut found = Vec::new();
        let path = self.top.join(directory);
        for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let entry = entry?;
            // A path that is not UTF-8 cannot be named in a kustomization either.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let relative = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            // A line break could pass for a line of our output.
            if name.contains(char::is_control) {
                let shown = relative.escape_default().to_string();
                self.unreadable.insert(shown, "its name has a control character".to_owned());
                continue;
            }
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && name != "node_modules" && !entry.path().join(".git").exists() {
                    below.push(relative);
                }
                continue;
            }
            if files::is_kustomization(&name) {
                found.push(relative.clone());
            }
            self.files.push(relative);
        }
        self.add_kustomization(directory, &found);
        Ok(below)
    }

    /// Reads the kustomization of a directory, from the candidate files found in it.
    fn add_kustomization(&mut self, directory: &str, found: &[String]) {
        match found {
            [] => {}
            [file] => match self.read_text(file).and_then(|text| parse(file, &text)) {
                Ok(kustomization) => drop(self.kustomizations.insert(directory.to_owned(), kustomization)),
                Err(error) => drop(self.unreadable.insert(directory.to_owned(), message(&error))),
            },
            several => {
                let reason =
                    format!("{} are in the same directory, so kustomize reads none of them", several.join(" and "));
                self.unreadable.insert(directory.to_owned(), reason);
            }
        }
    }

    /// Returns the files that kustomizations apply as patches. They declare no objects, and only change those of other
    /// files.
    pub fn patch_files(&self) -> BTreeSet<&str> {
        self.kustomizations.values().flat_map(Kustomization::patch_files).collect()
    }

    /// Reads a file of the repository.
    ///
    /// # Errors
    /// Fails when the file cannot be read as text, or is a link to a path outside of the repository.
    pub fn read_text(&self, path: &str) -> Result<String> {
        self.inside(path)?;
        files::read(&self.top.join(path))
    }

    /// Returns the beginning of a file as text: its first 64 MiB, with a placeholder for everything that is no UTF-8.
    ///
    /// # Errors
    /// Fails when the path is a link out of the repository, or the file cannot be read.
    pub fn read_lossily(&self, path: &str) -> Result<String> {
        self.inside(path)?;
        let file = fs::canonicalize(self.top.join(path)).and_then(|full| regular_file::open(&full));
        let mut bytes = Vec::new();
        file.and_then(|file| file.take(LONGEST_BEGINNING).read_to_end(&mut bytes)).with_context(|| path.to_owned())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the text of a file that is to be edited.
    ///
    /// # Errors
    /// Fails like [`Self::read_text`], and when the path leads through a link: the edit would change another file.
    pub fn read_for_edit(&self, path: &str) -> Result<String> {
        let text = self.read_text(path)?;
        let full = self.top.join(path);
        let real = fs::canonicalize(&full).with_context(|| path.to_owned())?;
        match real.strip_prefix(&self.top) {
            Ok(target) if real != full => Err(Error::refused(format!(
                "{path} leads through a link to {}, which the edit would change",
                target.display()
            ))
            .hint("replace the link by a file, or set the version in the other file")),
            _ => Ok(text),
        }
    }

    /// Verifies that a path does not leave the repository through a link.
    ///
    /// # Errors
    /// Fails when it does, or when the path does not exist.
    pub fn inside(&self, path: &str) -> Result<()> {
        let full = self.top.join(path);
        let real = fs::canonicalize(&full).with_context(|| path.to_owned())?;
        if is_in_checkout(&self.top, &real) {
            return Ok(());
        }
        Err(Error::refused(format!("{path} is a link that points outside of the repository")))
    }
}

fn parse(file: &str, text: &str) -> Result<Kustomization> {
    Kustomization::parse(file, text).map_err(|error| Error::refused(format!("{file}: {error}")))
}

/// Returns the first line of an error, for a table row.
pub fn message(error: &Error) -> String {
    error.report().trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned()
}
