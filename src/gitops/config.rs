//! `.ucp.yaml`: what a repository says about itself, where following its kustomizations is not enough.
//!
//! ```yaml
//! environments: [dev, stage, prod]            # columns, in the order of promotion
//! flow: {dev: [stage], stage: [prod]}         # allowed promotions; any, if absent
//! paths: ["{service}/overlays/{environment}"] # instead of what is detected
//! ignore: [load-test]                         # services to leave out
//! names: {shop: shop-backend}                 # further names for a service or an artifact
//! versions:                                   # whose the versions of a file are, and where they stand
//!   - file: config/{environment}/{service}.yaml
//!   - file: rings.json
//!     paths: ["{service}.{environment}"]
//! promote:                                    # what else is promoted; paths are relative to the overlay,
//!   - file: version.yml                       # or to the top of the repository with a leading /
//!   - file: /charts/{service}/values-{environment}.yaml
//!     paths: [image.tag]
//! verify: {context: core, soak: 30m}          # promote --verify is the default, against this context
//! plan: {functions: cluster}                  # plan --base REV asks functions, if it stands in REV
//! bootstrap:                                  # what bootstrap cannot see
//!   engine: platform/argocd                   # what installs Argo CD or Flux
//!   roots: [platform/root.yaml]               # what it begins with
//!   secrets:                                  # what nothing refers to
//!     - {name: argocd/repository, keys: [password], labels: {argocd.argoproj.io/secret-type: repository}}
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::gitops::files;

/// The name of the file at the top of a repository.
pub const NAME: &str = ".ucp.yaml";

/// What a repository says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// From an environment to those that its versions may go to.
    pub flow: BTreeMap<String, Vec<String>>,
    /// Where overlays are; `{service}` and `{environment}` stand for any text without a slash.
    pub paths: Vec<String>,
    /// Services to leave out.
    pub ignore: Vec<String>,
    /// Further names on the command line, each for a service, an artifact, or a marker's policy.
    pub names: BTreeMap<String, String>,
    /// What moves besides images.
    pub promote: Vec<Rule>,
    /// Whose the versions of a file are, where its name does not say.
    pub versions: Vec<VersionRule>,
    /// Makes `promote --verify` the default.
    pub verify: Option<Verify>,
    /// How changes are planned.
    pub plan: PlanSettings,
    /// How a core cluster is begun.
    pub bootstrap: BootstrapSettings,
}

/// A file that takes part in a promotion.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Seen from the overlay, or from the top of the repository with a leading slash. `{service}` and `{environment}` stand
    /// for theirs.
    pub file: String,
    /// The values that move, as dotted paths; the whole file where there are none.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Whose the versions of some files are.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRule {
    /// The files, from the top of the repository: `{service}`, `{environment}` and `*` stand for text without a slash, `**`
    /// for any.
    pub file: String,
    /// Their service, where no `{service}` names it.
    pub service: Option<String>,
    /// Their environment, where no `{environment}` names it; empty for all environments.
    pub environment: Option<String>,
    /// Where else versions stand in them: paths, in which `{service}`, `{environment}` and `*` stand for a key.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// How changes are planned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanSettings {
    /// Whose functions are asked, in the words of `plan --functions`.
    pub functions: Option<String>,
}

/// What a repository says about the first day of a core cluster, and nobody can see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BootstrapSettings {
    /// What installs Argo CD or Flux: a kustomization, a chart, a directory of manifests or a file.
    pub engine: Option<String>,
    /// The namespace for objects of it that name none.
    pub namespace: Option<String>,
    /// What the engine begins with: directories or files. Nothing else is looked for then.
    pub roots: Vec<String>,
    /// Secrets that are needed and that nothing refers to, such as the credentials of a repository.
    pub secrets: Vec<SecretSettings>,
    /// Secrets, as `NAMESPACE/NAME`, that something refers to and that are not asked for.
    pub ignore: Vec<String>,
}

/// A Secret that nothing refers to, or more of one that something does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretSettings {
    /// `NAMESPACE/NAME`.
    pub name: String,
    /// What is asked for.
    #[serde(default)]
    pub keys: Vec<String>,
    /// What is no secret, such as the URL of a repository.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Labels, such as those by which Argo CD knows a repository.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Its type.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// What it is for.
    #[serde(default)]
    pub why: Option<String>,
}

/// Where and how to look before a promotion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Verify {
    /// The kubeconfig context of the core cluster; the current one where it is absent.
    pub context: Option<String>,
    /// How long a version must have run, such as `30m`.
    pub soak: Option<String>,
}

impl Config {
    /// Reads the file at the top of a repository; a missing one is empty.
    ///
    /// # Errors
    /// Where it cannot be read, or says what this version does not know.
    pub fn read(top: &Path) -> Result<Self> {
        let path = top.join(NAME);
        if !path.exists() {
            return Ok(Self::default());
        }
        let invalid = |reason: String| Error::usage(format!("{NAME}: {reason}"));
        let config: Self = serde_saphyr::from_str(&files::read(&path)?).map_err(|error| invalid(error.to_string()))?;
        for pattern in &config.paths {
            if !pattern.contains("{environment}") {
                return Err(invalid(format!("the pattern {pattern:?} has no {{environment}}")));
            }
        }
        for rule in &config.promote {
            if rule.file.split('/').any(|part| part == "..") && rule.file.starts_with('/') {
                return Err(invalid(format!("{:?} leaves the repository", rule.file)));
            }
        }
        let secrets = &config.bootstrap.secrets;
        for name in secrets.iter().map(|secret| &secret.name).chain(&config.bootstrap.ignore) {
            if name.split('/').filter(|part| !part.is_empty()).count() != 2 || name.split('/').count() != 2 {
                return Err(invalid(format!("bootstrap: {name:?} is not NAMESPACE/NAME of a Secret")));
            }
        }
        Ok(config)
    }
}

impl Rule {
    /// The path of the file for one overlay, from the top of the repository.
    pub fn path(&self, directory: &str, service: &str, environment: &str) -> Option<String> {
        let file = self.file.replace("{service}", service).replace("{environment}", environment);
        match file.strip_prefix('/') {
            Some(file) => super::path::join("", file),
            None => super::path::join(directory, &file),
        }
    }
}
