//! Deployments of directories and values files, as declared by Applications, ApplicationSets, and Flux Kustomizations
//! in the repository itself.

use std::collections::BTreeMap;

use crate::gitops::path;
use crate::yaml::tree::YamlNode;
use ucp_core::model::image::ImageReference;

/// Deployer in the repository with the files that it deploys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredDeployment {
    /// Kind and name, for `--explain`.
    pub title: String,
    /// Name of the engine that runs it.
    pub engine: &'static str,
    /// The file that declares it.
    pub file: String,
    /// Deployed directories, relative to the root of the repository.
    pub directories: Vec<String>,
    /// Values files outside of these directories.
    pub files: Vec<String>,
    /// Name of the destination cluster; `None` for the cluster that runs the deployer.
    pub destination: Option<String>,
    /// Images that the deployer overrides.
    pub images: Vec<String>,
    /// Helm values that the deployer overrides, as dotted paths.
    pub parameters: Vec<String>,
}

const ARGO_CD: &str = "Argo CD";
pub(super) const FLUX: &str = "Flux";

/// Returns true if a text may declare a deployer, to avoid parsing all others.
pub fn may_deploy(text: &str) -> bool {
    text.contains("argoproj.io/") && text.contains("kind: Application")
        || text.contains("kustomize.toolkit.fluxcd.io/") && text.contains("kind: Kustomization")
        || text.contains("\"Application") && text.contains("argoproj.io/")
}

/// Returns true for override files of Argo CD's image updater and `argocd app set`, by file name.
pub fn is_override(file: &str) -> bool {
    let name = path::name(file);
    name.starts_with(".argocd-source") && name.ends_with(".yaml")
}

/// Returns the settings of an override file for its directory.
pub fn override_deployment(file: &str, root: &YamlNode) -> DeclaredDeployment {
    let mut found = DeclaredDeployment {
        title: "an override".to_owned(),
        engine: ARGO_CD,
        file: file.to_owned(),
        directories: vec![path::parent(file).to_owned()],
        files: Vec::new(),
        destination: None,
        images: Vec::new(),
        parameters: Vec::new(),
    };
    found.add_settings(root);
    found
}

impl DeclaredDeployment {
    /// Adds the images and parameters of a source.
    fn add_settings(&mut self, source: &YamlNode) {
        let images = source.get("kustomize").and_then(|kustomize| kustomize.get("images"));
        for image in images.map(YamlNode::items).unwrap_or_default().iter().filter_map(YamlNode::text) {
            // `name=new-name:tag` and `name:tag`
            let name =
                image.split_once('=').map_or_else(|| ImageReference::split(image).name, |(name, _)| name.to_owned());
            self.images.push(name);
        }
        let helm = source.get("helm");
        let parameters = helm.and_then(|helm| helm.get("parameters")).map(YamlNode::items).unwrap_or_default();
        self.parameters.extend(parameters.iter().filter_map(|one| Some(one.text_at("name")?.replace("\\.", "."))));
    }
}

/// Returns the deployments that the documents of a file declare.
pub fn deployments(file: &str, documents: &[YamlNode]) -> Vec<DeclaredDeployment> {
    let mut found = Vec::new();
    for document in documents {
        let group = document.text_at("apiVersion").and_then(|version| version.split('/').next()).unwrap_or_default();
        match (group, document.text_at("kind")) {
            ("argoproj.io", Some("Application")) => {
                if let Some(spec) = document.get("spec") {
                    found.push(application(file, document, spec, &BTreeMap::new()));
                }
            }
            ("argoproj.io", Some("ApplicationSet")) => {
                let Some(spec) = document.get("spec") else { continue };
                let Some(template) = spec.get("template").and_then(|template| template.get("spec")) else { continue };
                let mut elements = Vec::new();
                list_elements(spec.get("generators"), &mut elements);
                found.extend(elements.iter().map(|element| application(file, document, template, element)));
            }
            ("kustomize.toolkit.fluxcd.io", Some("Kustomization")) => found.extend(flux(file, document)),
            _ => {}
        }
    }
    found
}

fn title(document: &YamlNode) -> String {
    let name = document.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or("?");
    format!("{} {name}", document.text_at("kind").unwrap_or_default())
}

fn application(
    file: &str,
    document: &YamlNode,
    spec: &YamlNode,
    element: &BTreeMap<String, String>,
) -> DeclaredDeployment {
    let fill = |text: &str| fill(text, element);
    let source = spec.get("source").into_iter();
    let sources: Vec<&YamlNode> = source.chain(spec.get("sources").map(YamlNode::items).unwrap_or_default()).collect();
    let mut directories = Vec::new();
    let mut files = Vec::new();
    let mut settings = Vec::new();
    for source in sources {
        settings.push(source);
        let directory = source.text_at("path").map(fill).and_then(|text| path::join("", text.trim_start_matches('/')));
        let helm = source.get("helm");
        for value in helm.and_then(|helm| helm.get("valueFiles")).map(YamlNode::items).unwrap_or_default() {
            let Some(value) = value.text().map(fill) else { continue };
            files.extend(match value.strip_prefix('$') {
                // `$values/envs/prod.yaml`: relative to the root of another source, which may be this repository.
                Some(referred) => referred.split_once('/').and_then(|(_, rest)| path::join("", rest)),
                None => path::join(directory.as_deref().unwrap_or_default(), &value),
            });
        }
        directories.extend(directory.filter(|directory| !directory.contains("{{")));
    }
    let destination = spec.get("destination").and_then(|destination| destination.text_at("name")).map(fill);
    let destination = destination.filter(|name| name != "in-cluster" && !name.contains("{{") && !name.is_empty());
    let mut found = DeclaredDeployment {
        title: title(document),
        engine: ARGO_CD,
        file: file.to_owned(),
        directories,
        files,
        destination,
        images: Vec::new(),
        parameters: Vec::new(),
    };
    settings.into_iter().for_each(|source| found.add_settings(source));
    found
}

/// Collects the elements of list generators, nested in matrix and merge generators at any depth.
fn list_elements(generators: Option<&YamlNode>, found: &mut Vec<BTreeMap<String, String>>) {
    for generator in generators.map(YamlNode::items).unwrap_or_default() {
        for element in
            generator.get("list").and_then(|list| list.get("elements")).map(YamlNode::items).unwrap_or_default()
        {
            let pairs = element.entries().iter();
            found.push(
                pairs.filter_map(|(key, value)| Some((key.text()?.to_owned(), value.text()?.to_owned()))).collect(),
            );
        }
        for nested in ["matrix", "merge"] {
            list_elements(generator.get(nested).and_then(|nested| nested.get("generators")), found);
        }
    }
}

/// Replaces `{{key}}` and `{{ .key }}` with the values of an element.
fn fill(text: &str, element: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some(end) = rest[start..].find("}}") else { break };
        let key = rest[start + 2..start + end].trim().trim_start_matches('.');
        filled.push_str(&rest[..start]);
        match element.get(key) {
            Some(value) => filled.push_str(value),
            None => filled.push_str(&rest[start..start + end + 2]),
        }
        rest = &rest[start + end + 2..];
    }
    filled.push_str(rest);
    filled
}

fn flux(file: &str, document: &YamlNode) -> Option<DeclaredDeployment> {
    let spec = document.get("spec")?;
    let directory = path::join("", spec.text_at("path").unwrap_or(".").trim_start_matches('/'))?;
    let secret = spec.get("kubeConfig").and_then(|config| config.get("secretRef").or(config.get("configMapRef")));
    let secret = secret.and_then(|reference| reference.text_at("name"));
    let destination = secret.map(|name| {
        let name = name.strip_suffix("kubeconfig").or(name.strip_prefix("kubeconfig")).unwrap_or(name);
        name.trim_matches('-').to_owned()
    });
    // An entry without a version only renames its image, and the root is more often that of another repository.
    let entries = spec.get("images").map(YamlNode::items).unwrap_or_default().iter();
    let is_pinned = |entry: &YamlNode| ["newTag", "digest"].iter().any(|key| entry.get(key).is_some());
    let pinned = entries.filter(|entry| !directory.is_empty() && is_pinned(entry));
    let images = pinned.filter_map(|entry| entry.text_at("name").map(str::to_owned)).collect();
    Some(DeclaredDeployment {
        title: title(document),
        engine: FLUX,
        file: file.to_owned(),
        directories: vec![directory],
        files: Vec::new(),
        destination: destination.filter(|name| !name.is_empty()),
        images,
        parameters: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::tree;

    fn deployments_in(text: &str) -> Vec<DeclaredDeployment> {
        deployments("f.yaml", &tree::parse(text).unwrap())
    }

    #[test]
    fn applications_name_directories_values_files_and_clusters() {
        let found = deployments_in(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source: {path: ./charts/a/, \
                        helm: {valueFiles: [values.yaml, ../../envs/prod.yaml, $values/x/y.yaml]}}\n  destination: {name: prod}\n",
        );
        assert_eq!(found[0].directories, ["charts/a"]);
        assert_eq!(found[0].files, ["charts/a/values.yaml", "envs/prod.yaml", "x/y.yaml"]);
        assert_eq!(found[0].destination.as_deref(), Some("prod"));
    }

    #[test]
    fn list_generators_are_filled_in() {
        let found = deployments_in(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  generators:\n  - matrix: {generators: \
                        [{list: {elements: [{env: dev}, {env: prod}]}}]}\n  template: {spec: {source: {path: 'apps/{{ .env }}'}, destination: \
                        {name: '{{env}}'}}}\n",
        );
        let seen: Vec<_> =
            found.iter().map(|f| (f.directories[0].as_str(), f.destination.as_deref().unwrap())).collect();
        assert_eq!(seen, [("apps/dev", "dev"), ("apps/prod", "prod")]);
    }

    #[test]
    fn flux_kustomizations_name_a_path_and_a_kubeconfig() {
        let found = deployments_in(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./apps/a, kubeConfig: \
                        {secretRef: {name: prod-kubeconfig}}}\n---\nkind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n",
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].directories[0].as_str(), found[0].destination.as_deref()), ("apps/a", Some("prod")));
    }
}
