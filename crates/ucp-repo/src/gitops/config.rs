//! `.ucp.yaml`: configuration of a repository, for cases that following its kustomizations does not cover.
//!
//! ```yaml
//! environments: [dev, stage, prod]            # columns, in the order of promotion
//! flow: {dev: [stage], stage: [prod]}         # allowed promotions; any, if absent
//! paths: ["{service}/overlays/{environment}"] # instead of detected overlays
//! ignore: [load-test]                         # services to ignore
//! names: {shop: shop-backend}                 # further names for a service or an artifact
//! versions:                                   # service and environment of versions, and their paths
//!   - file: config/{environment}/{service}.yaml
//!   - file: rings.json
//!     paths: ["{service}.{environment}"]
//! promote:                                    # further promoted files; paths are relative to the overlay,
//!   - file: version.yml                       # or to the root of the repository with a leading /
//!   - file: /charts/{service}/values-{environment}.yaml
//!     paths: [image.tag]
//! verify: {context: core, soak: 30m}          # promote --verify is the default, against this context
//! freeze: {prod: ["Fri 16:00-Mon 08:00 Europe/Berlin", 2026-12-20/2027-01-04]} # a list is for every environment
//! soak: {prod: 24h}                           # how long the source must have declared a version, by Git
//! pr: {target: main, labels: [bump], reviewers: [ada], automerge: true} # pull requests of --pr; more keys:
//!                                             # mergeWithin: 24h, requires: [approvals, checks], inFlight: 1
//! plan: {functions: cluster}                  # plan --base REV runs functions, if REV has this setting
//! bootstrap:                                  # settings that bootstrap cannot detect
//!   engine: platform/argocd                   # installation of Argo CD or Flux
//!   roots: [platform/root.yaml]               # root deployers
//!   secrets:                                  # Secrets that no object refers to
//!     - {name: argocd/repository, keys: [password], labels: {argocd.argoproj.io/secret-type: repository}}
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::git::content::is_in_checkout;
use crate::gitops::files;
use crate::gitops::freeze::FreezeSettings;
use crate::gitops::soak::SoakSettings;
use ucp_core::error::{Error, Result};
use ucp_core::model::time::parse_duration;
use ucp_core::model::weight::from_yaml;

/// File name, at the root of a repository.
pub const NAME: &str = ".ucp.yaml";

/// Configuration of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepositoryConfig {
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Allowed promotions: from an environment to others.
    pub flow: BTreeMap<String, Vec<String>>,
    /// Path patterns of overlays; `{service}` and `{environment}` match any text without a slash.
    pub paths: Vec<String>,
    /// Ignored services.
    pub ignore: Vec<String>,
    /// Aliases on the command line, each for a service, an artifact, or a marker's policy.
    pub names: BTreeMap<String, String>,
    /// Values and files that are promoted besides images.
    pub promote: Vec<PromoteRule>,
    /// Services and environments of versions in files whose names do not contain them.
    pub versions: Vec<VersionRule>,
    /// Makes `promote --verify` the default.
    pub verify: Option<VerifySettings>,
    /// Times in which versions do not change.
    pub freeze: FreezeSettings,
    /// Time for which a version must have been declared before it is promoted.
    pub soak: SoakSettings,
    /// Settings of `--pr`.
    pub pr: PullRequestSettings,
    /// Settings of `plan`.
    pub plan: PlanSettings,
    /// Settings of `bootstrap`.
    pub bootstrap: BootstrapSettings,
}

/// File that is promoted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromoteRule {
    /// Path relative to the overlay, or to the root of the repository with a leading slash. `{service}` and
    /// `{environment}` are replaced.
    pub file: String,
    /// Promoted values, as dotted paths; the whole file if empty.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Service and environment of the versions in some files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRule {
    /// File pattern, relative to the root of the repository: `{service}`, `{environment}`, and `*` match text without a
    /// slash, `**` matches any text.
    pub file: String,
    /// Service of the files, if no `{service}` matches it.
    pub service: Option<String>,
    /// Environment of the files, if no `{environment}` matches it; empty for all environments.
    pub environment: Option<String>,
    /// Paths of further versions in the files; `{service}`, `{environment}`, and `*` match a key.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Settings of pull requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct PullRequestSettings {
    /// Branch that they are to be merged into; the one that the checkout follows if absent.
    pub target: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Users or teams that are asked for a review.
    pub reviewers: Vec<String>,
    /// Merges them as soon as checks and approvals allow it.
    pub automerge: bool,
    /// Time within which an automatic merge is expected: none is scheduled if a freeze begins before.
    pub merge_within: MergeTime,
    /// Requirements of the forge that hold back a promotion whose pull request is open.
    pub requires: BTreeSet<ForgeRequirement>,
    /// Largest number of environments that have an open pull request of one service at a time; any, if absent.
    pub in_flight: Option<NonZeroUsize>,
}

/// A time within which a merge is expected, by default a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeTime(pub Duration);

impl Default for MergeTime {
    fn default() -> Self {
        Self(Duration::from_hours(24))
    }
}

impl<'de> Deserialize<'de> for MergeTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_duration(&text).map(Self).map_err(|reason| D::Error::custom(format!("pr.mergeWithin: {reason}")))
    }
}

/// A requirement of a forge for the merge of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ForgeRequirement {
    /// Approvals.
    Approvals,
    /// Checks, and whatever else the forge requires.
    Checks,
}

/// Settings of `plan`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanSettings {
    /// Source of functions, as for `plan --functions`.
    pub functions: Option<String>,
}

/// Settings of `bootstrap` that cannot be detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BootstrapSettings {
    /// Installation of Argo CD or Flux: a kustomization, a chart, a directory of manifests, or a file.
    pub engine: Option<String>,
    /// Namespace for its objects that have none.
    pub namespace: Option<String>,
    /// Root deployers of the engine: directories or files. Disables the detection of roots.
    pub roots: Vec<String>,
    /// Required Secrets that no object refers to, such as the credentials of a repository.
    pub secrets: Vec<SecretSettings>,
    /// Secrets, as `NAMESPACE/NAME`, that objects refer to and that are not requested.
    pub ignore: Vec<String>,
}

/// Secret that no object refers to, or additional settings of one that is referred to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretSettings {
    /// `NAMESPACE/NAME`.
    pub name: String,
    /// Keys whose values are requested from the user.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Values that are not secret, such as the URL of a repository.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Labels, such as those by which Argo CD finds repositories.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// `type` of the Secret.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Purpose of the Secret, for display.
    #[serde(default)]
    pub why: Option<String>,
}

/// Settings of the verification before a promotion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VerifySettings {
    /// Kubeconfig context of the core cluster; the current context if absent.
    pub context: Option<String>,
    /// Minimum time for which a version must have run, such as `30m`.
    pub soak: Option<String>,
}

impl RepositoryConfig {
    /// Adds the rules and names of another configuration, as if its lines stood below those of this one.
    pub fn extend(&mut self, more: Self) {
        self.paths.extend(more.paths);
        self.ignore.extend(more.ignore);
        self.names.extend(more.names);
        self.promote.extend(more.promote);
        self.versions.extend(more.versions);
    }

    /// Reads the file at the root of a repository; returns the default if it does not exist.
    ///
    /// # Errors
    /// Fails when the file cannot be read, is a link out of the repository, or contains unknown fields.
    pub fn read(top: &Path) -> Result<Self> {
        let path = top.join(NAME);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(Self::default());
        }
        let invalid = |reason: String| Error::usage(format!("{NAME}: {reason}"));
        let real = fs::canonicalize(&path).map_err(|error| invalid(error.to_string()))?;
        if !fs::canonicalize(top).is_ok_and(|top| is_in_checkout(&top, &real)) {
            return Err(invalid("it is a link that points outside of the repository".to_owned()));
        }
        let config: Self = from_yaml(&files::read(&path)?).map_err(|error| invalid(error.to_string()))?;
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

impl PromoteRule {
    /// Returns the path of the file for one overlay, relative to the root of the repository.
    pub fn path(&self, directory: &str, service: &str, environment: &str) -> Option<String> {
        let file = self.file.replace("{service}", service).replace("{environment}", environment);
        match file.strip_prefix('/') {
            Some(file) => super::path::join("", file),
            None => super::path::join(directory, &file),
        }
    }
}
