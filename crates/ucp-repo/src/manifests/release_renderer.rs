//! Renders HelmReleases: finds the chart, merges the values, and runs `helm template` and the post-renderers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::git::content::is_in_checkout;
use crate::manifests::capabilities::ClusterCapabilities;
use crate::manifests::chart_content::chart_files;
use crate::manifests::chart_library::ChartLibrary;
use crate::manifests::chart_traits::ChartTraits;
use crate::manifests::checkout::{CheckoutTree, copy_directory, read_file};
use crate::manifests::deployment::{Deployment, DeploymentDestination};
use crate::manifests::local_charts::chart_version;
use crate::manifests::reach::{RenderError, RendererPermissions};
use crate::manifests::references;
use crate::manifests::release_recipe::{ChartOrigin, CrdPolicy, HelmReleaseIdentity, ReleaseRecipe};
use crate::manifests::release_values::{ReferencedValues, merge_values};
use crate::manifests::renderer::{
    LONGEST_NAMESPACE, LONGEST_RELEASE, ManifestRenderer, check_name, private_directory, values_flag,
};
use crate::manifests::renderer_output::{parse, without_private_paths};
use ucp_client::source::snapshot::yaml;
use ucp_core::failure::Failure;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::secrecy::scrub;
use ucp_core::scratch::Scratch;

/// What a rendering returns besides the objects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RenderRemarks {
    /// CRDs of a chart's `crds` directory, which are not part of its release.
    pub crds: Vec<Value>,
    /// Facts for the reader.
    pub facts: Vec<String>,
    /// Properties of the result that are unknown.
    pub unknown: Vec<String>,
    /// Objects with content that differs at each rendering. Their namespaces are those of their manifests.
    pub unstable: BTreeSet<ObjectKey>,
    /// The merged values of a HelmRelease, or the value files of an Application's pulled chart, which may contain secrets.
    pub values: Option<Value>,
    /// The version of its chart; `None` if each commit is another one.
    pub chart_version: Option<String>,
}

impl RenderRemarks {
    /// Adds the remarks of one of several sources.
    pub(super) fn add_part(&mut self, part: &Self) {
        self.facts.extend(part.facts.iter().cloned());
        if let Some(values) = &part.values {
            let Self { values: known, chart_version, .. } = self;
            *known = Some(json!([known, values]));
            *chart_version = Some(
                [chart_version.as_deref(), part.chart_version.as_deref()].map(Option::unwrap_or_default).join(" "),
            );
        }
    }
}

/// The objects of a HelmRelease, and remarks.
pub type RenderedRelease = (Result<Vec<Value>, RenderError>, RenderRemarks);

/// Everything for rendering a HelmRelease besides its deployment.
pub struct ReleaseRenderer<'a> {
    /// Runs helm and kustomize.
    pub renderer: ManifestRenderer,
    /// The tree with the chart.
    pub tree: &'a CheckoutTree,
    /// The tree whose charts are deployed, if it is another one.
    pub deployed: Option<&'a CheckoutTree>,
    /// Charts that are not in the checkout.
    pub charts: ChartLibrary<'a>,
    /// Capabilities of the core cluster.
    pub capabilities: &'a ClusterCapabilities,
}

/// The output of helm, sorted by how Helm treats it.
#[derive(Debug, Default)]
struct ChartOutput {
    objects: Vec<Value>,
    hooks: Vec<Value>,
    crds: Vec<Value>,
}

impl ReleaseRenderer<'_> {
    /// Renders a HelmRelease. `referenced` are the objects of its `valuesFrom`, or the reason why they are unknown.
    pub async fn render(
        &self,
        deployment: &Deployment,
        referenced: Result<ReferencedValues, Failure>,
    ) -> RenderedRelease {
        let mut remarks = RenderRemarks::default();
        let (Some(recipe), Some(release)) = (deployment.release_recipe(), &deployment.release) else {
            return (Err(RenderError::Unsupported("it is no HelmRelease".to_owned())), remarks);
        };
        let merged = referenced
            .and_then(|referenced| Ok((merge_values(&referenced.objects, &recipe.values)?, referenced.withheld)));
        let (values, withheld) = match merged {
            Ok(merged) => merged,
            Err(reason) => return (Err(RenderError::Unsupported(scrub(reason.as_str()).into_owned())), remarks),
        };
        remarks.values = Some(values.clone());
        remarks.unknown.clone_from(&recipe.unknown);
        let values = match withheld {
            Some(secret) => Err(RenderError::Unsupported(format!(
                "its values are in Secret {secret}, which its chart could print in any form; --allow-secret-values reads it"
            ))),
            None => Ok(values),
        };
        let rendered = self.render_objects(deployment, recipe, release, values, &mut remarks).await;
        let rendered = rendered.map_err(|error| match error {
            RenderError::Broken(text) => {
                let text = with_advice(without_private_paths(&text, self.tree));
                RenderError::Broken(scrub(&text).into_owned())
            }
            unsupported => unsupported,
        });
        (rendered, remarks)
    }

    async fn render_objects(
        &self,
        deployment: &Deployment,
        recipe: &ReleaseRecipe,
        release: &HelmReleaseIdentity,
        values: Result<Value, RenderError>,
        remarks: &mut RenderRemarks,
    ) -> Result<Vec<Value>, RenderError> {
        check_name("release", &release.name, LONGEST_RELEASE)?;
        check_name("namespace", &release.namespace, LONGEST_NAMESPACE)?;
        let (tree, chart) = self.find_chart(recipe, remarks).await?;
        remarks.chart_version = match &recipe.chart {
            ChartOrigin::Checkout { only_by_version: false, .. } => None,
            ChartOrigin::Registry(_) => chart.file_name().map(|file| file.to_string_lossy().into_owned()),
            ChartOrigin::Checkout { .. } | ChartOrigin::Unknown(_) => chart_version(&chart),
        };
        // Whether the chart changes is known in any case.
        let values = values?;
        let home = private_directory()?;
        let chart = replace_values_files(tree, chart, recipe, &home)?;
        let traits = ChartTraits::read(&chart).map_err(|error| RenderError::Broken(error.to_string()))?;
        self.report_traits(traits, deployment, remarks);
        let validation = match self.renderer.foreign_schema(&chart)? {
            None => None,
            Some(reference) => {
                remarks.unknown.push(format!(
                    "the schema of its chart's values refers to {reference:?}, which is not followed here: the values are not validated"
                ));
                Some("--skip-schema-validation")
            }
        };
        let file = home.path().join("values.json");
        std::fs::write(&file, values.to_string()).map_err(|error| RenderError::Broken(error.to_string()))?;
        let flags: Vec<String> = validation.map(str::to_owned).into_iter().chain([values_flag(&file)]).collect();
        let output = self.template(recipe, release, &chart, &flags, &home).await?;
        let mut unstable_hooks = BTreeSet::new();
        if traits.is_random {
            let again = self.template(recipe, release, &chart, &flags, &home).await?;
            remarks.unstable = unstable_objects(&output.objects, &again.objects);
            unstable_hooks = unstable_objects(&output.hooks, &again.hooks);
        }
        remarks.facts.extend(describe_hooks(&output.hooks, &unstable_hooks));
        remarks.crds = match recipe.crds {
            CrdPolicy::Skip => Vec::new(),
            CrdPolicy::Create | CrdPolicy::CreateReplace => output.crds,
        };
        self.post_render(recipe, output.objects, output.hooks, &home).await
    }

    fn report_traits(&self, traits: ChartTraits, deployment: &Deployment, remarks: &mut RenderRemarks) {
        let unknown = &mut remarks.unknown;
        if traits.looks_up {
            unknown
                .push("its chart calls 'lookup', which is evaluated here as if the objects did not exist".to_owned());
        }
        if traits.has_revision {
            unknown.push("its chart uses the number of the release, which is 1 here".to_owned());
        }
        if traits.has_capabilities && deployment.destination != DeploymentDestination::Here {
            unknown.push(
                "its chart depends on the kinds of its cluster; it is rendered with those of the core cluster"
                    .to_owned(),
            );
        }
    }

    /// Returns the chart, and the tree that contains it.
    async fn find_chart(
        &self,
        recipe: &ReleaseRecipe,
        remarks: &mut RenderRemarks,
    ) -> Result<(&CheckoutTree, PathBuf), RenderError> {
        match &recipe.chart {
            ChartOrigin::Checkout { path, only_by_version } => {
                let chart = self.tree.directory(path)?;
                references::check_links(&self.tree.top, &chart)?;
                if !only_by_version {
                    remarks.unknown.push(
                        "the version of its chart ends with the commit (reconcileStrategy: Revision), which is not known before the merge"
                            .to_owned(),
                    );
                    return Ok((self.tree, without_git(self.tree, &chart)?));
                }
                let former = self.deployed.and_then(|tree| Some((tree, tree.directory(path).ok()?)));
                match former.filter(|(_, former)| chart_version(former) == chart_version(&chart)) {
                    Some((tree, former)) => {
                        references::check_links(&tree.top, &former)?;
                        if !has_same_files(&former, &chart) {
                            remarks.facts.push(format!(
                                "the chart {path} changes and keeps its version: Flux does not deploy the change until the version in Chart.yaml changes"
                            ));
                        }
                        Ok((tree, without_git(tree, &former)?))
                    }
                    None => Ok((self.tree, without_git(self.tree, &chart)?)),
                }
            }
            ChartOrigin::Registry(chart) => {
                let found = self.charts.find(chart, GitOps::Flux).await?;
                remarks.facts.extend(found.remark);
                Ok((self.tree, found.path))
            }
            ChartOrigin::Unknown(reason) => Err(RenderError::Unsupported(reason.clone())),
        }
    }

    async fn template(
        &self,
        recipe: &ReleaseRecipe,
        release: &HelmReleaseIdentity,
        chart: &Path,
        flags: &[String],
        home: &Scratch,
    ) -> Result<ChartOutput, RenderError> {
        let mut command = Command::new("helm");
        command.arg("template").arg(format!("--namespace={}", release.namespace)).arg("--include-crds");
        command.args(recipe.is_upgrade.then_some("--is-upgrade")).args(flags);
        self.capabilities.add_flags(&mut command);
        let output = self.renderer.run(home, command.arg("--").arg(&release.name).arg(chart)).await?;
        sort_output(&output)
    }

    async fn post_render(
        &self,
        recipe: &ReleaseRecipe,
        objects: Vec<Value>,
        hooks: Vec<Value>,
        home: &Scratch,
    ) -> Result<Vec<Value>, RenderError> {
        let mut objects = objects;
        if recipe.post_renders_hooks {
            objects.extend(hooks);
        }
        for (number, post_renderer) in recipe.post_renderers.iter().enumerate() {
            let edits = kustomize_edits(post_renderer)?;
            let directory = home.path().join(format!("post-{number}"));
            let broken = |error: std::io::Error| RenderError::Broken(error.to_string());
            std::fs::create_dir(&directory).map_err(broken)?;
            let directory = std::fs::canonicalize(directory).map_err(broken)?;
            let text: Vec<String> = objects.iter().map(Value::to_string).collect();
            std::fs::write(directory.join("helm-output.yaml"), text.join("\n---\n")).map_err(broken)?;
            std::fs::write(directory.join("kustomization.yaml"), Value::Object(edits).to_string()).map_err(broken)?;
            let only_files = ManifestRenderer { reach: RendererPermissions::Checkout, ..self.renderer };
            objects = only_files.build_kustomization(&directory, &directory).await?;
        }
        objects.retain(|object| !is_hook(object));
        Ok(objects)
    }
}

/// Returns the kustomization of a post-renderer: as helm-controller, with inline patches and images only.
fn kustomize_edits(post_renderer: &Value) -> Result<Map<String, Value>, RenderError> {
    let unsupported = || RenderError::Unsupported("it has a post-renderer other than patches and images".to_owned());
    let fields = post_renderer.as_object().filter(|fields| fields.keys().all(|key| key == "kustomize"));
    let Some(kustomize) = fields.and_then(|fields| fields.get("kustomize")?.as_object()) else {
        return Err(unsupported());
    };
    if kustomize.keys().any(|key| key != "patches" && key != "images") {
        return Err(unsupported());
    }
    let mut edits = Map::from_iter([
        ("apiVersion".to_owned(), json!("kustomize.config.k8s.io/v1beta1")),
        ("kind".to_owned(), json!("Kustomization")),
        ("resources".to_owned(), json!(["helm-output.yaml"])),
    ]);
    if let Some(images) = kustomize.get("images") {
        edits.insert("images".to_owned(), images.clone());
    }
    let patches = kustomize.get("patches").and_then(Value::as_array).into_iter().flatten();
    let patches: Vec<Value> = patches
        .map(|patch| match patch.get("target") {
            Some(target) => json!({"patch": patch.get("patch"), "target": target}),
            None => json!({"patch": patch.get("patch")}),
        })
        .collect();
    if !patches.is_empty() {
        edits.insert("patches".to_owned(), Value::Array(patches));
    }
    Ok(edits)
}

/// Sorts the documents of `helm template --include-crds`. A document without a source of its own is in the file of the
/// one before it.
fn sort_output(output: &[u8]) -> Result<ChartOutput, RenderError> {
    let text = String::from_utf8_lossy(output);
    let (mut source, mut sorted) = (String::new(), ChartOutput::default());
    for document in format!("\n{text}").split("\n---") {
        if let Some(line) = document.lines().find_map(|line| line.strip_prefix("# Source: ")) {
            line.clone_into(&mut source);
        }
        let is_crd_file = source.split("/templates/").next().is_some_and(|start| start.contains("/crds/"));
        for object in parse(document.as_bytes(), "helm template")? {
            let kind = object.get("kind").and_then(Value::as_str);
            match is_crd_file {
                true if kind == Some("CustomResourceDefinition") => sorted.crds.push(object),
                // helm-controller ignores other objects of this directory.
                true => {}
                false if is_hook(&object) => sorted.hooks.push(object),
                false => sorted.objects.push(object),
            }
        }
    }
    Ok(sorted)
}

fn hook_events(object: &Value) -> Option<&str> {
    object.pointer("/metadata/annotations")?.get("helm.sh/hook")?.as_str()
}

fn is_hook(object: &Value) -> bool {
    hook_events(object).is_some()
}

fn describe_hooks(hooks: &[Value], unstable: &BTreeSet<ObjectKey>) -> Vec<String> {
    let describe = |object: &Value| {
        let name = ObjectName::from_manifest(object);
        // The name itself may be random.
        let name = if unstable.contains(&ObjectKey::from(&name)) { name.full_kind() } else { name.kind_and_name() };
        format!("{name} ({})", hook_events(object).unwrap_or_default())
    };
    let (tests, others): (Vec<&Value>, Vec<&Value>) =
        hooks.iter().partition(|hook| hook_events(hook).is_some_and(|events| events.starts_with("test")));
    let list = |title: &str, hooks: Vec<&Value>| {
        (!hooks.is_empty())
            .then(|| format!("{title}: {}", hooks.into_iter().map(describe).collect::<Vec<_>>().join(", ")))
    };
    list("hooks, which are not compared", others)
        .into_iter()
        .chain(list("tests, which are not compared", tests))
        .collect()
}

fn unstable_objects(once: &[Value], again: &[Value]) -> BTreeSet<ObjectKey> {
    let changed = once.iter().filter(|object| !again.contains(object));
    changed.map(|object| ObjectKey::from(&ObjectName::from_manifest(object))).collect()
}

/// Returns true if the directories of two charts have the same files with the same content.
fn has_same_files(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (chart_files(one), chart_files(other)) else { return false };
    let is_same = |(one, other): (&PathBuf, &PathBuf)| {
        read_file(one).ok().is_some_and(|bytes| read_file(other).ok() == Some(bytes))
    };
    one.keys().eq(other.keys()) && one.values().zip(other.values()).all(is_same)
}

/// Returns a chart of a checkout as helm may read it.
fn without_git(tree: &CheckoutTree, chart: &Path) -> Result<PathBuf, RenderError> {
    tree.chart_without_git(chart).map_err(|error| RenderError::Broken(format!("cannot copy its chart: {error}")))
}

/// Returns the chart with `values.yaml` replaced by values files, if there are any.
fn replace_values_files(
    tree: &CheckoutTree,
    chart: PathBuf,
    recipe: &ReleaseRecipe,
    home: &Scratch,
) -> Result<PathBuf, RenderError> {
    if recipe.values_files.is_empty() {
        return Ok(chart);
    }
    let broken = |error: std::io::Error| RenderError::Broken(error.to_string());
    let is_of_checkout = matches!(recipe.chart, ChartOrigin::Checkout { .. });
    if !is_of_checkout && chart.is_file() {
        return Err(RenderError::Unsupported(
            "its valuesFiles are in the archive of the chart; run 'helm pull' with --untar".to_owned(),
        ));
    }
    let top = if is_of_checkout { tree.top.clone() } else { chart.clone() };
    let mut files = Vec::new();
    for file in &recipe.values_files {
        let found = std::fs::canonicalize(top.join(file.trim_start_matches('/')));
        match found {
            Ok(path) if is_in_checkout(&top, &path) => {
                let text = read_file(&path).map_err(broken)?;
                files.push(yaml::parse_document(file, &text)?);
            }
            Ok(_) => return Err(RenderError::Broken(format!("'{file}' points outside of the repository"))),
            Err(_) if recipe.ignore_missing_values_files => {}
            Err(_) => return Err(RenderError::Broken(format!("its values file '{file}' was not found"))),
        }
    }
    let copy = home.path().join("chart");
    copy_directory(&chart, &copy, &copy).map_err(broken)?;
    let merged = crate::manifests::release_values::merge_all(&files);
    let target = copy.join("values.yaml");
    let _ = std::fs::remove_file(&target);
    std::fs::write(target, merged.to_string()).map_err(broken)?;
    std::fs::canonicalize(copy).map_err(broken)
}

/// Adds advice to a message of helm.
fn with_advice(message: String) -> String {
    match message.contains("missing in charts/ directory") {
        true => format!("{message}\nrun 'helm dependency build' in the directory of the chart"),
        false => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crds_hooks_and_objects_are_separated() {
        let output = b"---\n# Source: web/crds/all.yaml\napiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n---\napiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: b}\n---\n# Source: web/templates/crds/c.yaml\napiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\n---\n# Source: web/templates/hook.yaml\napiVersion: v1\nkind: Job\nmetadata: {name: d, annotations: {helm.sh/hook: pre-upgrade}}\n---\n# Source: web/templates/web.yaml\napiVersion: v1\nkind: Service\nmetadata: {name: e}\n";
        let sorted = sort_output(output).unwrap();
        let names = |objects: &[Value]| -> Vec<String> {
            objects.iter().map(|object| object["metadata"]["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(
            (names(&sorted.crds), names(&sorted.hooks), names(&sorted.objects)),
            (vec!["a".to_owned(), "b".to_owned()], vec!["d".to_owned()], vec!["c".to_owned(), "e".to_owned()],)
        );
    }

    #[test]
    fn only_patches_and_images_are_understood() {
        assert!(kustomize_edits(&json!({"kustomize": {"images": [{"name": "a", "newTag": "2"}]}})).is_ok());
        assert!(kustomize_edits(&json!({"kustomize": {"patchesStrategicMerge": []}})).is_err());
        assert!(kustomize_edits(&json!({"exec": {}})).is_err());
    }
}
