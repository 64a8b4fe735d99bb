//! `promote`: versions of one environment for another.

use std::collections::BTreeSet;

use crate::gitops::discover::Overlay;
use crate::model::image::Version;
use crate::promote::placement;
use crate::promote::plan::{Draft, Facts, Wanted};
use crate::promote::reconcile::Rows;
use crate::promote::rule;
use crate::report::promotion::{PromotionPlan, Repository};

/// Which versions go where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The environment that versions come from.
    pub from: String,
    /// The environment that they go to.
    pub to: String,
    /// The services that were named, or all.
    pub services: Selection,
}

/// Which services take part.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Every service that both environments have.
    All,
    /// These, and it is an error where one cannot.
    Named(BTreeSet<String>),
}

/// Plans a promotion. `only` narrows it to rows that were shown before.
pub fn plan(facts: &Facts<'_>, request: &Request, only: Option<&Rows>) -> PromotionPlan {
    let mut plan = PromotionPlan::new(Repository { path: facts.repository.top.display().to_string() });
    plan.from = Some(request.from.clone());
    plan.to = Some(request.to.clone());
    let mut draft = Draft::new(facts, plan);
    for service in facts.discovery.services() {
        if let Selection::Named(named) = &request.services
            && !named.contains(service)
        {
            continue;
        }
        let overlay = |environment: &str| facts.discovery.overlay(service, environment);
        match (overlay(&request.from), overlay(&request.to)) {
            (Some(from), Some(to)) => {
                copy_images(&mut draft, facts, from, to, only);
                rule::apply(&mut draft, facts, from, to, only);
            }
            (from, _) => {
                let missing = if from.is_none() { &request.from } else { &request.to };
                let reason = format!("has no overlay in {missing}");
                match &request.services {
                    Selection::All => draft.keep(service, "*", reason),
                    Selection::Named(_) => draft.refuse(service, "*", reason),
                }
            }
        }
    }
    draft.finish()
}

fn copy_images<'a>(draft: &mut Draft<'a>, facts: &Facts<'a>, from: &'a Overlay, to: &'a Overlay, only: Option<&Rows>) {
    let service = &to.service;
    let has_kustomizations =
        [from, to].iter().all(|overlay| facts.repository.kustomizations.contains_key(&overlay.directory));
    if !has_kustomizations && !facts.repository.config.promote.is_empty() {
        // Only files move here, by rule.
        return;
    }
    let built = match (facts.builder.build(&from.directory), facts.builder.build(&to.directory)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(reason), _) | (_, Err(reason)) => return draft.refuse(service, "*", reason),
    };
    let ruled = rule::files(facts, to);
    let (source, target) = (placement::by_origin(&built.0), placement::by_origin(&built.1));
    let origins: BTreeSet<&str> = source.keys().chain(target.keys()).copied().collect();
    for origin in origins {
        if only.is_some_and(|only| !only.contains(&(service.clone(), origin.to_owned()))) {
            continue;
        }
        let Some(images) = source.get(origin) else {
            draft.keep(service, origin, format!("only {} has it", to.environment));
            continue;
        };
        if target.get(origin).is_some_and(|images| rule::covers(&ruled, images)) {
            draft.is_level(service, origin, "moves with its file");
            continue;
        }
        // An entry whose workload is in an unseen base is for that base, which both environments may have.
        if !target.contains_key(origin)
            && (images.iter().any(|image| image.is_in_a_workload()) || built.1.unseen.is_empty())
        {
            draft.keep(service, origin, format!("only {} has it", from.environment));
            continue;
        }
        let versions = placement::versions(images);
        if target.get(origin).is_some_and(|images| placement::versions(images) == versions) {
            let shown: Vec<String> = versions.iter().map(Version::to_string).collect();
            draft.is_level(service, origin, format!("is {} already", shown.join(", ")));
            continue;
        }
        match versions.into_iter().collect::<Vec<_>>().as_slice() {
            [version] if version.is_empty() => {
                draft.keep(service, origin, format!("{} declares no version", from.environment));
            }
            [version] => {
                draft.want(&Wanted {
                    overlay: to,
                    origin: origin.to_owned(),
                    version: version.clone(),
                    from: Some(from),
                });
            }
            several => {
                let several: Vec<String> = several.iter().map(Version::to_string).collect();
                let reason = format!("{} deploys it in several versions: {}", from.environment, several.join(", "));
                draft.refuse(service, origin, reason);
            }
        }
    }
}
