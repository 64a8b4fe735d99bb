//! Renders a directory: with `kubectl kustomize`, with `helm template`, or by reading its plain manifests. The
//! directory and its Application may be from untrusted authors, so renderers can only access files of the checkout,
//! unless the user allows more.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::manifests::capabilities::ClusterCapabilities;
use crate::manifests::chart_schemas::foreign_reference;
use crate::manifests::checkout::{CheckoutTree, read_file};
use crate::manifests::deployment::{Deployment, DeploymentDestination, DeploymentPart, RenderMethod};
use crate::manifests::helm_assignment;
use crate::manifests::kustomization::{self, KustomizationEdits};
use crate::manifests::plain_directory::{
    detect_method, generate_kustomization, has_kustomization_below, kustomization_in, read_plain_manifests,
};
pub use crate::manifests::reach::{RenderError, RendererPermissions};
use crate::manifests::references;
use crate::manifests::renderer_output::{MOST_OUTPUT, parse, without_log_headers, without_private_paths};
use crate::manifests::value_files::{ApplicationFiles, ChartPlace};
use ucp_client::source::snapshot::yaml;
use ucp_core::model::body::argocd::{DirectoryOptions, HelmOptions};
use ucp_core::model::secrecy::scrub;
use ucp_core::program::{limit_file_size, limit_memory};
use ucp_core::scratch::Scratch;

/// Maximum memory of a renderer.
const MOST_MEMORY: u64 = 4 << 30;
/// helm's own limit.
pub(super) const LONGEST_RELEASE: usize = 53;
pub(super) const LONGEST_NAMESPACE: usize = 63;

/// Renders directories of trees.
#[derive(Debug, Clone, Copy)]
pub struct ManifestRenderer {
    /// Time limit for each renderer.
    pub timeout: Duration,
    /// Permissions of renderers.
    pub reach: RendererPermissions,
}

impl ManifestRenderer {
    /// Returns the rendered objects of one part. `capabilities` are those of the core cluster.
    ///
    /// # Errors
    /// Fails when it cannot be rendered. Paths in the message are relative to the repository.
    pub async fn render(
        &self,
        tree: &CheckoutTree,
        deployment: &Deployment,
        part: &DeploymentPart,
        capabilities: Option<&ClusterCapabilities>,
    ) -> Result<Vec<Value>, RenderError> {
        let directory = tree.directory(&part.path)?;
        let rendered = match &part.recipe {
            RenderMethod::Unsupported(reason) => Err(RenderError::Unsupported(reason.clone())),
            RenderMethod::Detect => match detect_method(&directory) {
                RenderMethod::Helm(options) => {
                    self.render_own_chart(tree, &directory, deployment, &options, capabilities).await
                }
                RenderMethod::Directory(options) => read_plain_manifests(tree, &directory, &options),
                _ => self.build_kustomization(&tree.top, &directory).await,
            },
            RenderMethod::Kustomize(edits) if edits.is_empty() => self.build_kustomization(&tree.top, &directory).await,
            RenderMethod::Kustomize(edits) => self.build_edited(tree, &directory, edits).await,
            RenderMethod::KustomizeAnything(edits) => match (edits.is_empty(), kustomization_in(&directory)) {
                (true, Some(_)) => self.build_kustomization(&tree.top, &directory).await,
                (true, None) if !has_kustomization_below(&directory) => read_plain_manifests(
                    tree,
                    &directory,
                    &DirectoryOptions { recurse: true, ..DirectoryOptions::default() },
                ),
                _ => self.build_edited(tree, &directory, edits).await,
            },
            RenderMethod::Directory(options) => read_plain_manifests(tree, &directory, options),
            RenderMethod::Helm(options) => {
                self.render_own_chart(tree, &directory, deployment, options, capabilities).await
            }
            RenderMethod::Release(_) => Err(RenderError::Unsupported("it is a HelmRelease".to_owned())),
            RenderMethod::Pulled(_) => Err(RenderError::Unsupported("its chart is in another repository".to_owned())),
        };
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(scrub(&without_private_paths(&text, tree)).into_owned()),
            unsupported => unsupported,
        })
    }

    /// Returns the objects of a directory, built by kustomize or read from its plain manifests.
    ///
    /// # Errors
    /// Fails when it cannot be rendered. Paths in the message are relative to the repository.
    pub async fn render_directory(&self, tree: &CheckoutTree, path: &str) -> Result<Vec<Value>, RenderError> {
        let directory = tree.directory(path)?;
        let rendered = match detect_method(&directory) {
            RenderMethod::Helm(_) => Err(RenderError::Unsupported("it is a chart".to_owned())),
            RenderMethod::Directory(options) => read_plain_manifests(tree, &directory, &options),
            _ => self.build_kustomization(&tree.top, &directory).await,
        };
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(scrub(&without_private_paths(&text, tree)).into_owned()),
            unsupported => unsupported,
        })
    }

    /// Returns the objects of a kustomization whose references stay below `top`.
    pub(super) async fn build_kustomization(&self, top: &Path, directory: &Path) -> Result<Vec<Value>, RenderError> {
        references::check_references(top, directory, self.reach)?;
        let home = private_directory()?;
        // Only kustomize itself can run programs.
        let (kubectl, kustomize) = (["kubectl", "kustomize"].as_slice(), ["kustomize", "build"].as_slice());
        let programs = match self.reach {
            RendererPermissions::Plugins => [
                &["kustomize", "build", "--enable-alpha-plugins", "--enable-exec", "--enable-helm"],
                &["kubectl", "kustomize", "--enable-alpha-plugins", "--enable-helm"][..],
            ],
            RendererPermissions::Checkout | RendererPermissions::RemoteBases => [kubectl, kustomize],
        };
        let build = async |words: &[&str]| {
            self.run(&home, Command::new(words[0]).args(&words[1..]).arg("--").arg(directory)).await
        };
        let output = match build(programs[0]).await {
            Err(RenderError::Unsupported(_)) => build(programs[1]).await,
            result => result,
        };
        parse(&output?, "kustomize")
    }

    /// Builds a copy of a directory with an edited kustomization.
    async fn build_edited(
        &self,
        tree: &CheckoutTree,
        directory: &Path,
        edits: &KustomizationEdits,
    ) -> Result<Vec<Value>, RenderError> {
        let broken = |what: String| RenderError::Broken(what);
        let mut links = kustomization::FILES.iter().filter(|name| directory.join(name).is_symlink());
        if let Some(name) = links.find(|name| tree.resolve_inside(directory, name).is_err()) {
            return Err(broken(format!("{name} is a link that points outside of the repository, or is broken")));
        }
        let original = match kustomization_in(directory) {
            Some(file) => {
                let name = file.display().to_string();
                references::read_kustomization(&file)?;
                let text = read_file(&file).map_err(|error| broken(format!("{name}: {error}")))?;
                yaml::parse_document(&name, &text)?
            }
            None => generate_kustomization(directory)
                .map_err(|error| broken(format!("{}: {error}", directory.display())))?,
        };
        let original = kustomization::fields_by_usual_names(original)?;
        let copy = tree.editable_copy(directory).map_err(|error| broken(format!("cannot copy it: {error}")))?;
        for file in kustomization::FILES.iter().map(|name| copy.join(name)) {
            // A link is removed, but its target is not.
            if file.is_symlink() || file.is_file() {
                std::fs::remove_file(file).map_err(|error| broken(error.to_string()))?;
            }
        }
        // JSON is valid YAML.
        let text = Value::Object(edits.apply(original)).to_string();
        // Creates a new file, so that nothing is written through a link.
        File::create_new(copy.join(kustomization::FILES[0]))
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| broken(error.to_string()))?;
        let top = tree.private_top().map_err(|error| broken(error.to_string()))?;
        let rendered = self.build_kustomization(&top, &copy).await;
        let (copied, meant) = (copy.display().to_string(), directory.display().to_string());
        let _ = std::fs::remove_dir_all(&copy);
        rendered.map_err(|error| match error {
            RenderError::Broken(text) => RenderError::Broken(text.replace(&copied, &meant)),
            unsupported => unsupported,
        })
    }

    /// Renders a chart of the checkout.
    async fn render_own_chart(
        &self,
        tree: &CheckoutTree,
        chart: &Path,
        deployment: &Deployment,
        options: &HelmOptions,
        capabilities: Option<&ClusterCapabilities>,
    ) -> Result<Vec<Value>, RenderError> {
        references::check_links(&tree.top, chart)?;
        let readable = tree.chart_without_git(chart);
        let readable = readable.map_err(|error| RenderError::Broken(format!("cannot copy its chart: {error}")))?;
        let home = private_directory()?;
        let files = ApplicationFiles::find(tree, ChartPlace::Checkout(chart), deployment, options)?;
        self.render_chart(&readable, (deployment, options, &files), capabilities, &home).await
    }

    /// Renders the chart of an Application.
    pub(super) async fn render_chart(
        &self,
        chart: &Path,
        (deployment, options, files): (&Deployment, &HelmOptions, &ApplicationFiles),
        capabilities: Option<&ClusterCapabilities>,
        home: &Scratch,
    ) -> Result<Vec<Value>, RenderError> {
        let release = if options.release_name.is_empty() { &deployment.object.name } else { &options.release_name };
        let namespace = Some(options.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let namespace = namespace.or(deployment.namespace.as_deref()).unwrap_or("default");
        check_name("release", release, LONGEST_RELEASE)?;
        check_name("namespace", namespace, LONGEST_NAMESPACE)?;
        if !options.skip_schema_validation
            && let Some(reference) = self.foreign_schema(chart)?
        {
            return Err(RenderError::Unsupported(format!(
                "the schema of its chart's values refers to {reference:?}, which is not followed here"
            )));
        }
        let mut command = Command::new("helm");
        command.arg("template").arg(format!("--namespace={namespace}"));
        for (is_set, flag) in [
            (!options.skip_crds, "--include-crds"),
            (options.skip_tests, "--skip-tests"),
            (options.skip_schema_validation, "--skip-schema-validation"),
        ] {
            command.args(is_set.then_some(flag));
        }
        self.add_capabilities(&mut command, deployment, options, capabilities);
        command.args(files.values.iter().map(|path| values_flag(path)));
        let inline = match &options.values_object {
            Some(values) => values.to_string(),
            None => options.values.clone(),
        };
        if !inline.is_empty() {
            let file = home.path().join("values.yaml");
            std::fs::write(&file, inline).map_err(|error| RenderError::Broken(error.to_string()))?;
            command.arg(values_flag(&file));
        }
        for parameter in &options.parameters {
            let flag = if parameter.force_string { "--set-string" } else { "--set" };
            command.arg(format!("{flag}={}", helm_assignment::of_value(&parameter.name, &parameter.value)?));
        }
        for (name, path) in &files.parameters {
            command.arg(format!("--set-file={}", helm_assignment::of_file(name, path)?));
        }
        parse(&self.run(home, command.arg("--").arg(release).arg(chart)).await?, "helm template")
    }

    /// Returns the reference of a chart's schemas that helm would follow out of the chart, and may not.
    pub(super) fn foreign_schema(&self, chart: &Path) -> Result<Option<String>, RenderError> {
        if self.reach == RendererPermissions::Plugins {
            return Ok(None);
        }
        foreign_reference(chart).map_err(|error| RenderError::Broken(format!("its chart: {error}")))
    }

    /// Adds the capabilities of the destination, or those that the Application names.
    fn add_capabilities(
        &self,
        command: &mut Command,
        deployment: &Deployment,
        options: &HelmOptions,
        capabilities: Option<&ClusterCapabilities>,
    ) {
        let mut known = match capabilities {
            Some(capabilities) if deployment.destination == DeploymentDestination::Here => capabilities.clone(),
            _ => ClusterCapabilities::default(),
        };
        if !options.kube_version.is_empty() {
            known.version.clone_from(&options.kube_version);
        }
        if !options.api_versions.is_empty() {
            known.api_versions = options.api_versions.iter().cloned().collect();
        }
        known.add_flags(command);
    }

    /// Runs a renderer in a private directory until it exits.
    pub(super) async fn run(&self, home: &Scratch, command: &mut Command) -> Result<Vec<u8>, RenderError> {
        self.reach.set_environment(command, home.path());
        self.run_prepared(command, None).await
    }

    /// Runs a program whose environment is set until it exits. `most_file` limits the files that it writes, in bytes.
    pub(super) async fn run_prepared(
        &self,
        command: &mut Command,
        most_file: Option<u64>,
    ) -> Result<Vec<u8>, RenderError> {
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut running = match command.spawn() {
            Ok(running) => running,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RenderError::Unsupported(format!("{program} is not installed")));
            }
            Err(error) => return Err(RenderError::Broken(format!("{program}: {error}"))),
        };
        // Without a limit, a template could take the memory of the whole machine.
        let _ = running.id().map(|process| limit_memory(process, MOST_MEMORY));
        let _ = running.id().zip(most_file).map(|(process, bytes)| limit_file_size(process, bytes));
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let ended = async {
            let (output, words) = tokio::join!(read(stdout, MOST_OUTPUT), read(stderr, MOST_OUTPUT));
            let (output, words) = (output?, words?);
            Ok::<_, std::io::Error>((running.wait().await?, output, words))
        };
        match tokio::time::timeout(self.timeout, ended).await {
            Err(_) => Err(RenderError::Broken(format!("{program} did not end within {}s", self.timeout.as_secs()))),
            Ok(Err(error)) => Err(RenderError::Broken(format!("{program}: {error}"))),
            Ok(Ok((status, output, _))) if status.success() => Ok(output),
            Ok(Ok((.., words))) => Err(RenderError::Broken(without_log_headers(&String::from_utf8_lossy(&words)))),
        }
    }
}

/// Reads the output of a program, up to a limit.
async fn read(from: Option<impl AsyncRead + Unpin>, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        from.take(most + 1).read_to_end(&mut bytes).await?;
    }
    match bytes.len() as u64 > most {
        true => Err(std::io::Error::other(format!("it writes more than {} MB", most >> 20))),
        false => Ok(bytes),
    }
}

pub(super) fn private_directory() -> Result<Scratch, RenderError> {
    Scratch::new().map_err(|error| RenderError::Broken(error.to_string()))
}

/// Returns the flag for a values file. helm expects a list in CSV format.
pub(super) fn values_flag(path: &Path) -> String {
    format!("--values=\"{}\"", path.display().to_string().replace('"', "\"\""))
}

/// Fails unless a name is valid in Kubernetes, so that helm does not read it as a flag or a template.
pub(super) fn check_name(what: &str, name: &str, longest: usize) -> Result<(), RenderError> {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let ends = [label.bytes().next(), label.bytes().last()];
        ends.into_iter().all(|end| end.is_some_and(is_alphanumeric))
            && label.bytes().all(|byte| is_alphanumeric(byte) || byte == b'-')
    };
    match name.len() <= longest && name.split('.').all(is_label) {
        true => Ok(()),
        false => Err(RenderError::Broken(format!("{name:?} is not a valid name of a {what}: helm was not run"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_neither_flags_nor_templates() {
        for name in ["shop", "shop-2.prod"] {
            assert_eq!(check_name("release", name, LONGEST_RELEASE), Ok(()), "{name}");
        }
        for name in ["", "--post-renderer=./x", "-a", "a-", "{{ env }}", "a b", "a\n", "A", "a..b", &"a".repeat(54)] {
            assert!(check_name("release", name, LONGEST_RELEASE).is_err(), "{name}");
        }
    }

    #[test]
    fn a_comma_in_a_path_does_not_add_a_second_file() {
        assert_eq!(values_flag(Path::new("/a,\"b\",http://x")), r#"--values="/a,""b"",http://x""#);
    }

    #[tokio::test]
    async fn the_output_of_a_renderer_is_limited() {
        assert_eq!(read(Some(&b"abc"[..]), 3).await.unwrap(), b"abc");
        assert!(read(Some(tokio::io::repeat(b'x')), 1 << 20).await.is_err());
    }
}
