//! `set-image`: versions that were named, for one environment.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::gitops::effective::Built;
use crate::model::image::{Reference, Version};
use crate::promote::plan::{Draft, Facts, Wanted};
use crate::promote::reconcile::Rows;
use crate::report::promotion::{PromotionPlan, Repository};

/// `SERVICE=[IMAGE:]TAG[@DIGEST]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The service.
    pub service: String,
    /// The image, where the service has several.
    pub image: Option<String>,
    /// The version.
    pub version: Version,
}

impl std::str::FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (service, image) = text
            .split_once('=')
            .filter(|(service, image)| !service.is_empty() && !image.is_empty())
            .ok_or_else(|| format!("{text:?} is no SERVICE=[IMAGE:]TAG[@DIGEST]"))?;
        let (left, digest) = image.split_once('@').map_or((image, None), |(left, digest)| (left, Some(digest)));
        let colon = left.rfind(':').filter(|colon| !left[*colon..].contains('/'));
        let (image, tag) = match colon {
            Some(colon) => (Some(&left[..colon]), Some(&left[colon + 1..])),
            None if left.contains('/') => (Some(left), None),
            None => (None, Some(left).filter(|tag| !tag.is_empty())),
        };
        let version = Version { tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) };
        if version.is_empty() {
            return Err(format!("{text:?} names no version"));
        }
        match version.fault() {
            Some(fault) => Err(fault),
            None => Ok(Self { service: service.to_owned(), image: image.map(str::to_owned), version }),
        }
    }
}

/// Plans these versions for an environment. `only` narrows the plan to rows that were shown before.
///
/// # Errors
/// A usage error where a service has several images and none was named, or not the one that was.
pub fn plan(
    facts: &Facts<'_>,
    environment: &str,
    assignments: &[Assignment],
    only: Option<&Rows>,
) -> Result<PromotionPlan> {
    let mut plan = PromotionPlan::new(Repository { path: facts.repository.top.display().to_string() });
    plan.to = Some(environment.to_owned());
    let mut draft = Draft::new(facts, plan);
    let mut seen: BTreeMap<(String, String), &Version> = BTreeMap::new();
    for assignment in assignments {
        let Some(overlay) = facts.discovery.overlay(&assignment.service, environment) else {
            draft.refuse(&assignment.service, "*", format!("has no overlay in {environment}"));
            continue;
        };
        let built = match facts.builder.build(&overlay.directory) {
            Ok(built) => built,
            Err(reason) => {
                draft.refuse(&assignment.service, "*", reason);
                continue;
            }
        };
        let origin = origin(assignment, &built, &overlay.directory)?;
        if only.is_some_and(|only| !only.contains(&(assignment.service.clone(), origin.clone()))) {
            continue;
        }
        match seen.insert((assignment.service.clone(), origin.clone()), &assignment.version) {
            Some(other) if *other != assignment.version => {
                return Err(Error::usage(format!("{}: {origin} is given two versions", assignment.service)));
            }
            _ => draft.want(&Wanted { overlay, origin, version: assignment.version.clone(), from: None }),
        }
    }
    Ok(draft.finish())
}

/// The image that an assignment is about: the one it names, the only one, or the only one with an entry in the overlay.
fn origin(assignment: &Assignment, built: &Built, directory: &str) -> Result<String> {
    let origins: BTreeSet<&str> = built.images.iter().map(|image| image.origin.as_str()).collect();
    let several = |what: String| {
        let names: Vec<&str> = origins.iter().copied().collect();
        Error::usage(format!("{}: {what}", assignment.service)).hint(format!("its images are {}", names.join(", ")))
    };
    if let Some(name) = &assignment.image {
        let named = |image: &&crate::gitops::effective::Deployed| {
            [&image.origin, &image.incoming.name, &image.reference.name].contains(&name)
        };
        return match built.images.iter().find(named) {
            Some(image) => Ok(image.origin.clone()),
            None if !built.unseen.is_empty() => Ok(Reference::split(name).name),
            None => Err(several(format!("no workload has the image {name}"))),
        };
    }
    let own: BTreeSet<&str> =
        built.images.iter().filter(|image| image.is_set_in(directory)).map(|image| image.origin.as_str()).collect();
    for candidates in [&origins, &own] {
        if let [origin] = candidates.iter().copied().collect::<Vec<_>>().as_slice() {
            return Ok((*origin).to_owned());
        }
    }
    match origins.is_empty() {
        true => Err(Error::usage(format!("{}: none of its images is known", assignment.service))
            .hint("name it: SERVICE=IMAGE:TAG")),
        false => Err(several("it has several images; say which: SERVICE=IMAGE:TAG".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_name_a_tag_a_digest_or_an_image() {
        let parse = |text: &str| text.parse::<Assignment>().map(|a| (a.image, a.version.to_string()));
        let digest = format!("sha256:{}", "0a".repeat(32));
        assert_eq!(parse("echo=v1.2"), Ok((None, "v1.2".into())));
        assert_eq!(parse("echo=r:5000/a/b:v1"), Ok((Some("r:5000/a/b".into()), "v1".into())));
        assert_eq!(parse(&format!("echo=@{digest}")), Ok((None, format!("@{digest}"))));
        assert_eq!(parse(&format!("echo=a/b@{digest}")), Ok((Some("a/b".into()), format!("@{digest}"))));
        assert_eq!(parse(&format!("echo=v1@{digest}")), Ok((None, format!("v1@{digest}"))));
        for wrong in ["echo", "=v1", "echo=", "echo=r:5000/a/b", "echo=a b", "echo=v1@sha256:x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
