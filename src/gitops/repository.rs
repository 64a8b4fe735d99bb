//! The kustomizations of a repository, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::error::{Error, Result};
use crate::gitops::config::Config;
use crate::gitops::files;
use crate::gitops::kustomization::{Kustomization, Target};
use crate::gitops::path;

/// A checkout with kustomizations in it.
#[derive(Debug)]
pub struct Repository {
    /// The top of the checkout, with links resolved.
    pub top: PathBuf,
    /// What the repository is called: the last part of its URL or path.
    pub name: String,
    /// What it says about itself.
    pub config: Config,
    /// Kustomizations by directory.
    pub kustomizations: BTreeMap<String, Kustomization>,
    /// Directories whose kustomization cannot be read, and why.
    pub unreadable: BTreeMap<String, String>,
    /// Every directory.
    pub directories: Vec<String>,
    /// Every file.
    pub files: Vec<String>,
}

impl Repository {
    /// Reads every kustomization below a directory. Links to directories are not followed, nor are nested repositories.
    ///
    /// # Errors
    /// Where the directory itself cannot be read. A kustomization that cannot is noted, and costs its own row only.
    pub fn read(top: &Path, name: &str) -> Result<Self> {
        let top = fs::canonicalize(top).with_context(|| top.display().to_string())?;
        let mut repository = Self {
            config: Config::read(&top)?,
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

    /// Reads those kustomizations of nested repositories, such as submodules, that others here build on. Nothing is edited
    /// there, and no service looked for.
    fn read_nested(&mut self) {
        let mut open: Vec<String> = self.kustomizations.keys().cloned().collect();
        while let Some(directory) = open.pop() {
            let Some(kustomization) = self.kustomizations.get(&directory) else { continue };
            let targets = kustomization.resources.iter().chain(&kustomization.components);
            let local = targets.filter_map(Target::local).map(str::to_owned);
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

    /// Reads one directory's kustomization, and answers with the directories below.
    fn visit(&mut self, directory: &str) -> Result<Vec<String>> {
        let mut below = Vec::new();
        let mut found = Vec::new();
        let path = self.top.join(directory);
        for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let entry = entry?;
            // What is not UTF-8 cannot be named in a kustomization either.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let relative = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
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

    /// Reads the kustomization of a directory, which may have these files.
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

    /// Files that kustomizations apply as patches. They declare nothing: they change what other files declare.
    pub fn patch_files(&self) -> BTreeSet<&str> {
        self.kustomizations.values().flat_map(Kustomization::patch_files).collect()
    }

    /// Reads a file of the repository.
    ///
    /// # Errors
    /// Where it cannot be read as text, or a link leads out of the repository.
    pub fn read_text(&self, path: &str) -> Result<String> {
        self.inside(path)?;
        files::read(&self.top.join(path))
    }

    /// Makes sure that no link leads a path out of the repository.
    ///
    /// # Errors
    /// Where one does, or the path does not exist.
    pub fn inside(&self, path: &str) -> Result<()> {
        let full = self.top.join(path);
        let real = fs::canonicalize(&full).with_context(|| path.to_owned())?;
        if real.starts_with(&self.top) {
            return Ok(());
        }
        Err(Error::refused(format!("{path} is a link that leads out of the repository")))
    }
}

fn parse(file: &str, text: &str) -> Result<Kustomization> {
    Kustomization::parse(file, text).map_err(|error| Error::refused(format!("{file}: {error}")))
}

/// An error in one line, for a row of its own.
pub fn message(error: &Error) -> String {
    error.report().trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned()
}
