//! Reasons why a version is not written, with remedies: a line of `.ucp.yaml`, or a flag or command if no line helps.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::report::promotion::{ConfigLine, Remedy};
use ucp_core::model::shell::quote_word;
use ucp_repo::gitops::effective::placement::PlacementError;

/// The reason why a version is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionRefusal {
    /// The version is older than the current one.
    Older {
        /// The current version.
        before: String,
        /// The older version.
        after: String,
    },
    /// The version has other words than the current one, which name a line of releases or an approval.
    OtherWords {
        /// The current version.
        before: String,
        /// The new version.
        after: String,
    },
    /// There is no version to write.
    Nothing,
    /// A registry would reject the version. Contains the reason.
    Faulty(String),
    /// The version is a mutable tag.
    Moving(String),
    /// The version is a range or a branch.
    Loose {
        /// The range or branch.
        version: String,
        /// A description of its type.
        what: &'static str,
    },
    /// The version is not a chart version.
    NoChartVersion {
        /// The requested version.
        version: String,
        /// The current version.
        before: String,
    },
    /// The environment deploys one image in several versions.
    Several {
        /// The name of the service.
        service: String,
        /// The name of the environment.
        environment: String,
        /// The deployed versions.
        versions: Vec<String>,
    },
    /// Another environment builds on the file.
    Shared {
        /// The path of the file.
        file: String,
        /// The overlay that builds on it.
        by: String,
        /// The environment of that overlay.
        environment: String,
    },
    /// No entry of the overlay can be used for the version.
    Entry {
        /// The name of the service.
        service: String,
        /// The reason.
        reason: PlacementError,
    },
    /// The entry would also change another image.
    AlsoReaches {
        /// The name of the service.
        service: String,
        /// The name of the entry.
        entry: String,
        /// The position in the list, if the entry exists.
        position: usize,
        /// The other image.
        other: String,
    },
    /// Another declaration determines the version.
    Decided {
        /// The declaration that determines the version.
        by: String,
        /// The file of that declaration, if known.
        by_file: Option<String>,
        /// The file in which the version would have no effect.
        file: String,
    },
    /// No workload uses the image.
    Unused {
        /// The path of the file.
        file: String,
        /// The name of the image.
        artifact: String,
    },
    /// A Git reference that must change with the image cannot be changed accordingly.
    Pinned {
        /// The reason, as a phrase.
        reason: String,
        /// The path of the reference in its kustomization.
        path: String,
    },
    /// An environment does not have the service.
    Absent {
        /// The name of the service.
        service: String,
        /// The name of the environment.
        environment: String,
    },
    /// The environments have the service in different numbers of places.
    Uneven {
        /// The name of the service.
        service: String,
        /// The environment that versions are copied from.
        from: String,
        /// The environment that versions are copied to.
        to: String,
        /// A file that contains the service.
        file: String,
    },
    /// Several values in lists have no names, so that it is not known which version belongs to which.
    Unnamed {
        /// The file of the target environment.
        file: String,
    },
    /// A rule of `promote` does not match the files.
    Rule {
        /// The reason, as a phrase.
        reason: String,
        /// The file, as written in the rule.
        file: String,
    },
    /// The file cannot be read or edited.
    File {
        /// The name of the service.
        service: String,
        /// The reason.
        reason: String,
    },
    /// A program generates the file, and would overwrite the version.
    Generated {
        /// The path of the file.
        file: String,
    },
    /// A file is encrypted for one environment. Contains the reason.
    Encrypted(String),
    /// `--verify` failed. Contains the reason.
    Unverified(String),
    /// The source environment has not declared the version for long enough. Contains the reason.
    TooFresh(String),
    /// The environments use different repositories for the image, and only one is known to have the version.
    Repository {
        /// The reference in the source environment.
        from: String,
        /// The reference in the target environment.
        to: String,
    },
    /// Aliases refer to the value. Contains their lines, as a phrase.
    Followed(String),
    /// A digest takes precedence over the tag in one environment, and the other one has no digest.
    Digest {
        /// The environment or file with the digest.
        path: String,
    },
}

impl fmt::Display for VersionRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Older { before, after } => write!(formatter, "{after} is older than {before}"),
            Self::OtherWords { before, after } => {
                write!(formatter, "{after} has other words than {before}, so it may be of another line of releases")
            }
            Self::Nothing => formatter.write_str("no version to set: neither tag nor digest"),
            Self::Faulty(reason)
            | Self::Unverified(reason)
            | Self::TooFresh(reason)
            | Self::Followed(reason)
            | Self::Encrypted(reason) => formatter.write_str(reason),
            Self::Generated { file } => {
                write!(formatter, "{file} is generated, so the version there is overwritten: set it at its source")
            }
            Self::Moving(tag) => write!(formatter, "{tag} is a mutable tag"),
            Self::Loose { version, what } => write!(formatter, "{version} is {what}"),
            Self::NoChartVersion { version, before } => {
                write!(formatter, "{version} is not a chart version such as {before}")
            }
            Self::Several { environment, versions, .. } => {
                write!(formatter, "{environment} deploys it in several versions: {}", versions.join(", "))
            }
            Self::Shared { file, by, environment } => {
                write!(formatter, "{by} ({environment}) builds on {file}: the edit would change both")
            }
            Self::Entry { reason, .. } => reason.fmt(formatter),
            Self::AlsoReaches { entry, other, .. } => {
                write!(formatter, "the entry {entry:?} would also change {other}")
            }
            Self::Decided { by, file, .. } => {
                write!(formatter, "{by} sets it instead of {file}, so a version there has no effect")
            }
            Self::Unused { file, artifact } => write!(formatter, "no workload of {file} has the image {artifact}"),
            Self::Pinned { reason, .. } | Self::Rule { reason, .. } | Self::File { reason, .. } => {
                formatter.write_str(reason)
            }
            Self::Repository { from, to } => {
                write!(
                    formatter,
                    "the repository is {from} there and {to} here: a tag is promoted only within one repository"
                )
            }
            Self::Digest { path } => write!(formatter, ".{path} pins a digest, which would remain next to the new tag"),
            Self::Absent { environment, .. } => write!(formatter, "is not declared in {environment}"),
            Self::Uneven { from, to, .. } => {
                write!(formatter, "{from} and {to} have it in different numbers of places")
            }
            Self::Unnamed { file } => write!(formatter, "the items in {file} have no names to pair them by"),
        }
    }
}

impl VersionRefusal {
    /// Returns the remedy.
    pub fn remedy(&self) -> Remedy {
        let line = |text: String, effect: &'static str| Remedy::from(ConfigLine { text, effect });
        let ignore = |service: &str| line(format!("ignore: [{service}]"), "excludes the service");
        let values = |paths: String| {
            line(
                format!("promote: [{{file: kustomization.yaml, paths: [{paths}]}}]"),
                "promotes only that value of the file",
            )
        };
        match self {
            Self::Older { .. } => "pass --allow-downgrade to allow it".into(),
            Self::OtherWords { after, .. } => {
                format!("if it is meant, set it: kubectl ucp set-version ENV SERVICE={after}").into()
            }
            Self::Nothing => "set a version in the source environment first".into(),
            Self::Faulty(_) => "name a tag, or a digest such as sha256:…".into(),
            Self::Moving(tag) => {
                format!("pin the running image by its digest (set-image … {tag}@sha256:…), and promote that").into()
            }
            Self::Loose { .. } | Self::NoChartVersion { .. } => "name one version".into(),
            Self::Several { service, .. } => ignore(service),
            Self::Shared { file, .. } => line(
                format!("versions: [{{file: {}, environment: \"\"}}]", quoted(file)),
                "declares it as a file of all environments, set without naming one",
            ),
            Self::Entry { service, reason } => match reason {
                PlacementError::Pattern { position, .. } | PlacementError::Suffixed { position, .. } => {
                    let key = if matches!(reason, PlacementError::Pattern { .. }) { "newTag" } else { "tagSuffix" };
                    values(format!("\"images[{position}].{key}\""))
                }
                PlacementError::InPatches { file } => {
                    line(format!("promote: [{{file: {}}}]", quoted(file)), "promotes the whole file")
                }
                PlacementError::SeveralEntries | PlacementError::SeveralNames(_) => ignore(service),
            },
            Self::AlsoReaches { position, .. } => values(format!("\"images[{position}].newTag\"")),
            Self::Decided { by_file: Some(file), .. } => Remedy {
                advice: "set it there".to_owned(),
                ..line(
                    format!("versions: [{{file: {}, paths: [PATH]}}]", quoted(file)),
                    "declares a version in that file",
                )
            },
            Self::Decided { by_file: None, file, .. } => line(
                format!("versions: [{{file: {}, service: unused}}]", quoted(file)),
                "removes that file from the service",
            ),
            Self::Unused { artifact, .. } => {
                line(format!("names: {{{}: IMAGE}}", quoted(artifact)), "defines the image that it refers to")
            }
            Self::Pinned { path, .. } => values(format!("\"{path}\"")),
            Self::Absent { .. } => {
                line("paths: [\"{service}/overlays/{environment}\"]".to_owned(), "defines where its overlays are")
            }
            Self::Uneven { service, file, .. } => line(
                format!("versions: [{{file: {}, service: {}-other}}]", quoted(file), service.replace('/', "-")),
                "declares that file as a separate service",
            ),
            Self::Rule { file, .. } => line(
                format!("promote: [{{file: {}}}]", quoted(file)),
                "is the rule: its file must exist once for each environment",
            ),
            Self::File { service, .. } => ignore(service),
            Self::Unnamed { file } => {
                format!("set each by its path: kubectl ucp set-version --file {} .PATH=VERSION", quote_word(file))
                    .into()
            }
            Self::Repository { .. } => "set newName, or the image as a whole, in the other environment first".into(),
            Self::Digest { path } => format!("pass TAG@DIGEST, or set .{path} with 'set-version --file'").into(),
            Self::Generated { file } => {
                line(format!("versions: [{{file: {}}}]", quoted(file)), "declares that its versions are set there")
            }
            Self::Encrypted(_) => {
                "remove the file from 'promote' in .ucp.yaml, and change its value with the program that encrypted it"
                    .into()
            }
            Self::Unverified(_) => "--no-verify promotes without checking the cluster".into(),
            Self::Followed(_) => "if they are meant, too, set it: kubectl ucp set-version ENV SERVICE=VERSION".into(),
            Self::TooFresh(_) => "promote it later; the time is 'soak' in .ucp.yaml".into(),
        }
    }
}

/// Returns a text as a YAML string inside of `[]` and `{}`.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let is_string = text.contains(|c: char| c.is_ascii_alphabetic())
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_ascii_lowercase().as_str())
        && text.parse::<f64>().is_err()
        && !text.starts_with(['-', '.']);
    match is_string && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}
