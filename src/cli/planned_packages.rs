//! Packages whose version a plan changes: the checks of `doctor --package`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

use crate::cli::{Context, doctor};
use crate::report::doctor::DoctorReport;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::join_limited;
use ucp_features::plan::outcome::{PlanAction, PlanItem, PlanOutcome, ServerCheck};
use ucp_features::registry::PackageReference;

/// Maximum number of objects of a remark that are named.
const NAMED: usize = 5;

/// Where new versions of packages are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PackageSource {
    /// Their registries, with the user's logins.
    Registry,
    /// A directory with files `NAME-VERSION.xpkg`.
    Directory(PathBuf),
}

impl FromStr for PackageSource {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "registry" => Self::Registry,
            directory => Self::Directory(directory.into()),
        })
    }
}

impl PackageSource {
    /// Returns the image or file for `doctor --package`. The author of a change chooses the image.
    fn locate(&self, image: &str) -> Result<String, Failure> {
        let reference = PackageReference::parse(image)?;
        match self {
            Self::Registry if Path::new(image).exists() => fail!("there is a file of this name"),
            Self::Registry => Ok(image.to_owned()),
            Self::Directory(directory) => {
                let name = reference.repository.rsplit('/').next().unwrap_or_default();
                let file = directory.join(format!("{name}-{}.xpkg", reference.version));
                match file.is_file() {
                    true => Ok(file.display().to_string()),
                    false => fail!("{} was not found", file.display()),
                }
            }
        }
    }
}

/// Adds the effects of the packages of a plan on live objects and Compositions; without a source, the command that shows
/// them. `top` is the checkout after the merge.
pub(super) fn add_package_effects(
    context: &Context,
    source: Option<&PackageSource>,
    top: &Path,
    outcome: &mut PlanOutcome,
) {
    let mut unknown = Vec::new();
    for item in &mut outcome.items {
        let Some(image) = new_package(item) else { continue };
        let Some(source) = source else {
            item.notes.push(format!(
                "to see its effects on live objects, run 'kubectl ucp doctor --package {image}', or pass --packages registry"
            ));
            continue;
        };
        let examined = source.locate(&image).and_then(|package| {
            let args = doctor::Args::about_package(package, top.to_owned());
            doctor::examine(context, &args).map_err(|error| Failure::from(error.message()))
        });
        match examined {
            Ok(report) => {
                item.unevaluated = None;
                add_findings(item, &report);
                unknown.extend(gaps(&item.object, &report));
            }
            Err(reason) => unknown.push(Unreadable {
                what: item.object.to_string(),
                reason: format!("its package {image} cannot be evaluated: {reason}"),
            }),
        }
    }
    outcome.unreadable.extend(unknown);
}

/// Returns the image of a package of the core cluster, if the plan changes it.
fn new_package(item: &PlanItem) -> Option<String> {
    let is_package = item.object.group() == "pkg.crossplane.io"
        && ["Provider", "Function", "Configuration"].contains(&item.object.kind.as_str());
    let is_applied = matches!(item.action, PlanAction::Add | PlanAction::Change) && item.check != ServerCheck::Rejected;
    let image = |object: &Option<Value>| object.as_ref()?.pointer("/spec/package")?.as_str().map(str::to_owned);
    let after = image(&item.after).filter(|_| is_package && is_applied && item.cluster.is_none())?;
    (image(&item.before).as_ref() != Some(&after)).then_some(after)
}

/// Adds the findings of `doctor` to a package's remarks.
fn add_findings(item: &mut PlanItem, report: &DoctorReport) {
    for finding in &report.findings {
        let found = &finding.finding;
        let names: Vec<String> = std::iter::once(&found.object).chain(&found.also).map(ToString::to_string).collect();
        item.notes.push(format!(
            "{} {} {}: {}",
            finding.severity.as_str(),
            found.code,
            found.message,
            join_limited(&names, NAMED)
        ));
    }
}

/// Returns the gaps of the checks.
fn gaps(package: &ObjectName, report: &DoctorReport) -> Vec<Unreadable> {
    let checks =
        report.checks.iter().flat_map(|check| check.unknown.iter().map(|reason| (check.name.clone(), reason.clone())));
    let kinds = report.unreadable.iter().map(|entry| (entry.what.clone(), entry.reason.clone()));
    checks
        .chain(kinds)
        .map(|(what, reason)| Unreadable { what: format!("effects of {package}"), reason: format!("{what}: {reason}") })
        .collect()
}
