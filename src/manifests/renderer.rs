//! Rendering a directory: `kubectl kustomize`, `helm template`, or the plain manifests in it. Renderers run with a
//! timeout, no plugins, and flags that make them no more able than they are.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use crate::manifests::checkout::Tree;
use crate::manifests::deployment::{Deployment, Part, Recipe};
use crate::manifests::kustomization::{self, Edits};
use crate::model::body::argocd::{DirectoryOptions, HelmOptions};
use crate::model::glob;
use crate::model::secrecy::scrub;
use crate::scratch::Scratch;
use crate::source::snapshot::manifest::Manifests;
use crate::source::snapshot::yaml;

/// Why a directory came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// It is broken: the renderer's words, whole.
    Broken(String),
    /// It takes something that is not here.
    Unsupported(String),
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(text) => formatter.write_str(text),
            Self::Unsupported(reason) => write!(formatter, "it cannot be rendered here: {reason}"),
        }
    }
}

/// Renders parts of trees.
#[derive(Debug, Clone, Copy)]
pub struct Renderer {
    /// Time limit for each renderer.
    pub timeout: Duration,
}

impl Renderer {
    /// The objects of one part, as Git has them.
    ///
    /// # Errors
    /// When it cannot be rendered. Paths in the text are those of the repository.
    pub async fn render(&self, tree: &Tree, deployment: &Deployment, part: &Part) -> Result<Vec<Value>, RenderError> {
        let directory = tree.directory(&part.path).map_err(RenderError::Broken)?;
        let rendered = match &part.recipe {
            Recipe::Unsupported(reason) => Err(RenderError::Unsupported(reason.clone())),
            Recipe::Detect => match detect(&directory) {
                Recipe::Helm(options) => self.helm(tree, &directory, deployment, &options).await,
                Recipe::Directory(options) => plain(tree, &directory, &options),
                _ => self.kustomize(&directory).await,
            },
            Recipe::Kustomize(edits) if edits.is_empty() => self.kustomize(&directory).await,
            Recipe::Kustomize(edits) => self.edited(tree, &directory, edits).await,
            Recipe::KustomizeAnything(edits) => match (edits.is_empty(), kustomization_in(&directory)) {
                (true, Some(_)) => self.kustomize(&directory).await,
                (true, None) if !has_kustomization_below(&directory) => {
                    plain(tree, &directory, &DirectoryOptions { recurse: true, ..DirectoryOptions::default() })
                }
                _ => self.edited(tree, &directory, edits).await,
            },
            Recipe::Directory(options) => plain(tree, &directory, options),
            Recipe::Helm(options) => self.helm(tree, &directory, deployment, options).await,
        };
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(scrub(&without_private_paths(&text, tree)).into_owned()),
            unsupported => unsupported,
        })
    }

    /// The objects of a directory, as kustomize builds it, or as its manifests stand there.
    ///
    /// # Errors
    /// When it cannot be rendered. Paths in the text are those of the repository.
    pub async fn directory(&self, tree: &Tree, path: &str) -> Result<Vec<Value>, RenderError> {
        let directory = tree.directory(path).map_err(RenderError::Broken)?;
        let rendered = match detect(&directory) {
            Recipe::Helm(_) => Err(RenderError::Unsupported("it is a chart".to_owned())),
            Recipe::Directory(options) => plain(tree, &directory, &options),
            _ => self.kustomize(&directory).await,
        };
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(scrub(&without_private_paths(&text, tree)).into_owned()),
            unsupported => unsupported,
        })
    }

    async fn kustomize(&self, directory: &Path) -> Result<Vec<Value>, RenderError> {
        let output = match self.run(Command::new("kubectl").arg("kustomize").arg(directory)).await {
            Err(RenderError::Unsupported(_)) => self.run(Command::new("kustomize").arg("build").arg(directory)).await,
            result => result,
        };
        parse(&output?, "kustomize")
    }

    /// Builds a copy of a directory whose kustomization was edited.
    async fn edited(&self, tree: &Tree, directory: &Path, edits: &Edits) -> Result<Vec<Value>, RenderError> {
        let broken = |what: String| RenderError::Broken(what);
        let original = match kustomization_in(directory) {
            Some(file) => {
                let text = std::fs::read(&file).map_err(|error| broken(format!("{}: {error}", file.display())))?;
                yaml::one(&file.display().to_string(), &text).map_err(broken)?
            }
            None => generated(directory).map_err(|error| broken(format!("{}: {error}", directory.display())))?,
        };
        let copy = tree.editable(directory).map_err(|error| broken(format!("cannot copy it: {error}")))?;
        if let Some(file) = kustomization_in(&copy) {
            std::fs::remove_file(file).map_err(|error| broken(error.to_string()))?;
        }
        // JSON is YAML.
        let text = Value::Object(edits.apply(original)).to_string();
        std::fs::write(copy.join(kustomization::FILES[0]), text).map_err(|error| broken(error.to_string()))?;
        let rendered = self.kustomize(&copy).await;
        let (copied, meant) = (copy.display().to_string(), directory.display().to_string());
        let _ = std::fs::remove_dir_all(&copy);
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(text.replace(&copied, &meant)),
            unsupported => unsupported,
        })
    }

    async fn helm(
        &self,
        tree: &Tree,
        chart: &Path,
        deployment: &Deployment,
        options: &HelmOptions,
    ) -> Result<Vec<Value>, RenderError> {
        let release = if options.release_name.is_empty() { &deployment.object.name } else { &options.release_name };
        let namespace = Some(options.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let mut command = Command::new("helm");
        command.args(["template", release]).arg(chart);
        command.args(["--namespace", namespace.or(deployment.namespace.as_deref()).unwrap_or("default")]);
        if !options.skip_crds {
            command.arg("--include-crds");
        }
        for file in &options.value_files {
            if file.contains("://") {
                return Err(RenderError::Unsupported(format!("its value file {file} is elsewhere")));
            }
            // `$name/…` is a file of another source; those that are here are in the same repository.
            let path = match file.strip_prefix('$').and_then(|rest| rest.split_once('/')) {
                Some((_, path)) => tree.inside(&tree.top, path),
                None if file.starts_with('/') => tree.inside(&tree.top, file),
                None => tree.inside(chart, file),
            };
            match path {
                Ok(path) => drop(command.arg("--values").arg(path)),
                Err(_) if options.ignore_missing_value_files => {}
                Err(reason) => return Err(RenderError::Broken(reason)),
            }
        }
        let directory = Scratch::new().map_err(|error| RenderError::Broken(error.to_string()))?;
        let inline = match &options.values_object {
            Some(values) => values.to_string(),
            None => options.values.clone(),
        };
        if !inline.is_empty() {
            let file = directory.path().join("values.yaml");
            std::fs::write(&file, inline).map_err(|error| RenderError::Broken(error.to_string()))?;
            command.arg("--values").arg(file);
        }
        for parameter in &options.parameters {
            let flag = if parameter.force_string { "--set-string" } else { "--set" };
            command.arg(flag).arg(format!("{}={}", parameter.name, parameter.value));
        }
        parse(&self.run(&mut command).await?, "helm template")
    }

    /// Runs a renderer to its end.
    async fn run(&self, command: &mut Command) -> Result<Vec<u8>, RenderError> {
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Nobody answers a question about a password.
        command.env("GIT_TERMINAL_PROMPT", "0");
        let running = match command.spawn() {
            Ok(running) => running,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RenderError::Unsupported(format!("{program} is not installed")));
            }
            Err(error) => return Err(RenderError::Broken(format!("{program}: {error}"))),
        };
        match tokio::time::timeout(self.timeout, running.wait_with_output()).await {
            Err(_) => Err(RenderError::Broken(format!("{program} did not end within {}s", self.timeout.as_secs()))),
            Ok(Err(error)) => Err(RenderError::Broken(format!("{program}: {error}"))),
            Ok(Ok(output)) if output.status.success() => Ok(output.stdout),
            Ok(Ok(output)) => Err(RenderError::Broken(without_log_headers(&String::from_utf8_lossy(&output.stderr)))),
        }
    }
}

/// What Argo CD takes a directory for.
fn detect(directory: &Path) -> Recipe {
    if directory.join("Chart.yaml").is_file() {
        Recipe::Helm(Box::default())
    } else if kustomization_in(directory).is_some() {
        Recipe::Kustomize(Edits::default())
    } else {
        Recipe::Directory(DirectoryOptions::default())
    }
}

fn kustomization_in(directory: &Path) -> Option<PathBuf> {
    kustomization::FILES.iter().map(|name| directory.join(name)).find(|file| file.is_file())
}

fn has_kustomization_below(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories.any(|entry| kustomization_in(&entry.path()).is_some() || has_kustomization_below(&entry.path()))
}

/// The kustomization that Flux makes of a directory without one: every manifest below it, and the directories that are
/// kustomizations themselves.
fn generated(directory: &Path) -> std::io::Result<Value> {
    fn collect(directory: &Path, prefix: &str, resources: &mut Vec<Value>) -> std::io::Result<()> {
        let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<std::io::Result<_>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let (path, relative) = (entry.path(), format!("{prefix}{name}"));
            let kind = entry.file_type()?;
            if kind.is_dir() && kustomization_in(&path).is_some() {
                resources.push(Value::String(relative));
            } else if kind.is_dir() && !name.starts_with(".git") {
                collect(&path, &format!("{relative}/"), resources)?;
            } else if kind.is_file() && (name.ends_with(".yaml") || name.ends_with(".yml")) {
                resources.push(Value::String(relative));
            }
        }
        Ok(())
    }
    let mut resources = Vec::new();
    collect(directory, "", &mut resources)?;
    Ok(serde_json::json!({ "resources": resources }))
}

/// Plain manifests, as Argo CD reads a directory: only those at its top unless told otherwise.
fn plain(tree: &Tree, directory: &Path, options: &DirectoryOptions) -> Result<Vec<Value>, RenderError> {
    let mut files = Vec::new();
    list_files(directory, options.recurse, &mut files)
        .map_err(|error| RenderError::Broken(format!("{}: {error}", directory.display())))?;
    let mut manifests = Manifests::default();
    for file in files {
        let relative = file.strip_prefix(directory).unwrap_or(&file).to_string_lossy().into_owned();
        let is_left_out = !options.exclude.is_empty() && glob::matches_with_braces(&options.exclude, &relative);
        if is_left_out || !options.include.is_empty() && !glob::matches_with_braces(&options.include, &relative) {
            continue;
        }
        if relative.ends_with(".jsonnet") {
            return Err(RenderError::Unsupported(format!("{relative} is Jsonnet")));
        }
        let name = file.display().to_string();
        let file = tree.inside(directory, &relative).map_err(RenderError::Broken)?;
        let bytes = std::fs::read(file).map_err(|error| RenderError::Broken(format!("{name}: {error}")))?;
        manifests
            .add(&name, &bytes)
            .map_err(|entry| RenderError::Broken(format!("{}: {}", entry.what, entry.reason)))?;
    }
    objects(manifests)
}

fn list_files(directory: &Path, recurse: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_manifest = || {
            let known = ["yaml", "yml", "json", "jsonnet"];
            path.extension().is_some_and(|extension| known.iter().any(|known| extension == *known))
        };
        if entry.file_type()?.is_dir() {
            if recurse && entry.file_name() != ".git" {
                list_files(&path, recurse, files)?;
            }
        } else if is_manifest() {
            files.push(path);
        }
    }
    Ok(())
}

fn parse(output: &[u8], renderer: &str) -> Result<Vec<Value>, RenderError> {
    let mut manifests = Manifests::default();
    manifests
        .add(&format!("output of {renderer}"), output)
        .map_err(|entry| RenderError::Broken(format!("{}: {}", entry.what, entry.reason)))?;
    objects(manifests)
}

/// Every object, or what is none: an engine would refuse it as well.
fn objects(manifests: Manifests) -> Result<Vec<Value>, RenderError> {
    if let Some(entry) = manifests.unreadable.first() {
        return Err(RenderError::Broken(format!("{}: {}", entry.what, entry.reason)));
    }
    Ok(manifests.documents.into_iter().map(|document| document.object).collect())
}

/// Some builds of kubectl say their last words through a log, with the time and the process, which tell nothing and
/// differ with each run.
fn without_log_headers(text: &str) -> String {
    let is_header = |header: &str| {
        let day = header.strip_prefix(['E', 'F', 'I', 'W']).and_then(|rest| rest.split(' ').next());
        day.is_some_and(|day| day.len() == 4 && day.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let words = |line: &str| match line.split_once("] ") {
        Some((header, words)) if is_header(header) => words.to_owned(),
        _ => line.to_owned(),
    };
    text.trim().lines().map(words).collect::<Vec<_>>().join("\n")
}

/// Paths as they are in the repository: those on this machine say nothing to whoever reads a pull request.
fn without_private_paths(text: &str, tree: &Tree) -> String {
    let top = tree.top.display().to_string();
    text.replace(&format!("{top}/"), "").replace(&top, "the repository")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logs_header_goes_and_its_words_stay() {
        let text = "E1121 12:45:11.009712    3042 run.go:72] \"command failed\" err=\"x] y\"\nError: [a] b\n";
        assert_eq!(without_log_headers(text), "\"command failed\" err=\"x] y\"\nError: [a] b");
    }
}
