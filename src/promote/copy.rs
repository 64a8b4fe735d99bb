//! `promote`: versions of one environment for another.

use std::collections::BTreeSet;

use crate::gitops::discover::Overlay;
use crate::model::image::Version;
use crate::promote::facts::Facts;
use crate::promote::placement;
use crate::promote::plan::{Draft, Wanted};
use crate::promote::reconcile::Rows;
use crate::promote::request::{Request, Selection};
use crate::promote::{rule, slots};
use crate::report::promotion::{Change, Left, PromotionPlan, Repository, Weight};

/// Answers why a change must wait, if it must.
pub type Gate<'g> = dyn Fn(&Facts<'_>, &Change) -> Result<(), String> + 'g;

/// Plans a promotion. `rows` narrows it to those that were shown before.
///
/// A service moves whole or not at all. Where all services are asked for, those that cannot are left out; where they are
/// named, one refusal refuses them all.
pub fn plan(facts: &Facts<'_>, request: &Request, rows: Option<&Rows>, gate: Option<&Gate<'_>>) -> PromotionPlan {
    let mut out: BTreeSet<String> = BTreeSet::new();
    let mut refused = Vec::new();
    loop {
        let mut plan = plan_without(facts, request, rows, &out);
        if let Some(gate) = gate {
            hold_back(facts, gate, &mut plan);
        }
        let newly: BTreeSet<String> = plan.refused.iter().filter_map(|left| left.service.clone()).collect();
        let partial = matches!(request.services, Selection::All);
        if !partial || newly.is_subset(&out) {
            plan.refused.extend(refused);
            plan.leaves_out = partial;
            return plan;
        }
        refused.extend(plan.refused);
        out.extend(newly);
    }
}

/// Refuses what the gate does not let through.
fn hold_back(facts: &Facts<'_>, gate: &Gate<'_>, plan: &mut PromotionPlan) {
    let mut refused = Vec::new();
    plan.changes.retain(|change| match gate(facts, change) {
        Ok(()) => true,
        Err(reason) => {
            let (service, image) = (change.service.clone(), change.image.clone());
            refused.push(Left { service, image, reason, weight: Weight::Telling });
            false
        }
    });
    // A diff of what is refused would look like a promise.
    plan.files.retain(|file| plan.changes.iter().any(|change| change.file == file.path));
    plan.refused.extend(refused);
}

fn plan_without<'a>(
    facts: &'a Facts<'a>,
    request: &Request,
    rows: Option<&Rows>,
    out: &BTreeSet<String>,
) -> PromotionPlan {
    let mut plan = PromotionPlan::new(Repository { path: facts.repository.top.display().to_string() });
    plan.from = Some(request.from.clone());
    plan.to = Some(request.to.clone());
    let mut draft = Draft::new(facts, plan);
    let pairs = slots::Pairs::of(facts, &request.from, &request.to);
    let services: BTreeSet<&str> = facts.discovery.services().into_iter().chain(pairs.services()).collect();
    for service in services.into_iter().filter(|service| !out.contains(*service)) {
        if let Selection::Named(named) = &request.services
            && !named.contains(service)
        {
            continue;
        }
        let overlay = |environment: &str| facts.discovery.overlay(service, environment);
        let has_slots = pairs.has(service);
        match (overlay(&request.from), overlay(&request.to)) {
            (Some(from), Some(to)) => {
                copy_images(&mut draft, facts, from, to, request, rows);
                if request.only.is_empty() {
                    rule::apply(&mut draft, facts, from, to, rows);
                }
            }
            _ if has_slots => {}
            (None, None) if matches!(request.services, Selection::All) => {}
            (from, _) => {
                let missing = if from.is_none() { &request.from } else { &request.to };
                let reason = format!("has no overlay in {missing}");
                match &request.services {
                    Selection::All => draft.keep(service, "*", reason),
                    Selection::Named(_) => draft.refuse(service, "*", reason),
                }
            }
        }
        // Of a file that a rule speaks of, only what the rule names moves.
        let ruled = overlay(&request.to).map(|to| rule::named(facts, to)).unwrap_or_default();
        pairs.copy(&mut draft, service, request, rows, &ruled);
    }
    draft.finish()
}

fn copy_images<'a>(
    draft: &mut Draft<'a>,
    facts: &Facts<'a>,
    from: &'a Overlay,
    to: &'a Overlay,
    request: &Request,
    only: Option<&Rows>,
) {
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
    for origin in origins.into_iter().filter(|origin| request.wants(origin)) {
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
