//! The request of a promotion: the command line, completed by prompts.

use std::collections::{BTreeMap, BTreeSet};

use super::Args;
use crate::cli::Context;
use crate::cli::missing::{MissingArgument, PickCandidate, interaction_mode};
use crate::cli::working_copy::RepositorySurvey;
use crate::promote::copy;
use crate::promote::policy::Policy;
use crate::promote::request::{PromotionRequest, ServiceSelection};
use crate::ui::Interaction;
use ucp_core::error::{Error, Result};
use ucp_repo::gitops::config::RepositoryConfig;

const USAGE: &str = "kubectl ucp promote FROM TO SERVICE… or --all";
const FROM: MissingArgument<'_> =
    MissingArgument { argument: "FROM", question: "Copy versions from which environment?", usage: USAGE };
const TO: MissingArgument<'_> =
    MissingArgument { argument: "TO", question: "Copy them to which environment?", usage: USAGE };
const SERVICE: MissingArgument<'_> =
    MissingArgument { argument: "SERVICE", question: "Promote which services?", usage: USAGE };

/// Completes the request. Choices for prompts need no further reads.
pub(super) fn complete(
    context: &Context,
    args: &Args,
    policy: Policy,
    survey: &RepositorySurvey,
) -> Result<PromotionRequest> {
    let who = interaction_mode(context, args.publish.consent.yes);
    let mut picked = Vec::new();
    let mut one = |missing: &MissingArgument<'_>, candidates: Vec<PickCandidate>| {
        let answer = context.pick(who, missing, &candidates)?;
        picked.push(answer.clone());
        Ok::<_, Error>(answer)
    };
    let from = match &args.from {
        Some(given) => given.clone(),
        None => one(&FROM, sources(survey)?)?,
    };
    let to = match &args.to {
        Some(given) => given.clone(),
        None => one(&TO, targets(survey, &from)?)?,
    };
    if from == to {
        return Err(Error::usage("FROM and TO are the same environment"));
    }
    let everything = PromotionRequest {
        from: from.clone(),
        to: to.clone(),
        services: ServiceSelection::All,
        only: args.only.clone(),
    };
    let services = match (args.services.as_slice(), who) {
        ([], _) if args.all || args.check => ServiceSelection::All,
        ([], Interaction::Unattended) => return Err(SERVICE.error(&services(survey, &everything))),
        ([], Interaction::Person) => match differences(survey, policy, &everything) {
            // The plan explains better why there is nothing to pick.
            none if none.is_empty() => ServiceSelection::All,
            some => {
                let answer = context.pick_some(who, &SERVICE, &some)?;
                picked.extend(answer.iter().cloned());
                ServiceSelection::Named(answer.into_iter().collect())
            }
        },
        (named, _) => ServiceSelection::Named(named.iter().cloned().collect()),
    };
    if !picked.is_empty() {
        context.show_equivalent_command(picked.iter().map(String::as_str), None);
    }
    Ok(PromotionRequest { from, to, services, only: args.only.clone() })
}

/// Returns the environments from which versions may be promoted.
fn sources(survey: &RepositorySurvey) -> Result<Vec<PickCandidate>> {
    let flow = &survey.repository.config.flow;
    let goes_on = |name: &&str| flow.is_empty() || flow.get(*name).is_some_and(|targets| !targets.is_empty());
    Ok(survey.environments()?.into_iter().filter(goes_on).map(|name| candidate(survey, name)).collect())
}

/// Returns the environments to which versions may be promoted from this one, the next one first.
fn targets(survey: &RepositorySurvey, from: &str) -> Result<Vec<PickCandidate>> {
    let RepositoryConfig { flow, .. } = &survey.repository.config;
    let mut names = survey.environments()?;
    let next = names.iter().position(|name| *name == from).map_or(0, |place| place + 1);
    let count = names.len();
    names.rotate_left(next % count);
    let may_go_to = |to: &&str| {
        *to != from && (flow.is_empty() || flow.get(from).is_some_and(|targets| targets.iter().any(|name| name == to)))
    };
    Ok(names.into_iter().filter(may_go_to).map(|name| candidate(survey, name)).collect())
}

/// Returns the services that both environments have.
fn services(survey: &RepositorySurvey, request: &PromotionRequest) -> Vec<PickCandidate> {
    let services = survey.services().into_iter();
    services
        .filter(|service| has_service(survey, service, &request.from) && has_service(survey, service, &request.to))
        .map(|service| PickCandidate::new(service, ""))
        .collect()
}

/// Returns true if an environment has a service.
fn has_service(survey: &RepositorySurvey, service: &str, environment: &str) -> bool {
    let mut places = survey.catalog.places.iter().filter(|place| place.service == service);
    survey.discovery.overlay(service, environment).is_some()
        || places.any(|place| survey.catalog.is_in(place, environment))
}

/// Returns the services with changes, and the changes.
fn differences(survey: &RepositorySurvey, policy: Policy, request: &PromotionRequest) -> Vec<PickCandidate> {
    let plan = survey.with_facts(policy, |facts| copy::plan(facts, request, None, None));
    let mut notes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for change in plan.changes {
        let before = if change.before.is_empty() { "none" } else { &change.before };
        let note = format!("{before} → {}", change.after);
        notes.entry(change.service.unwrap_or_default()).or_default().insert(note);
    }
    for refused in plan.refused {
        let note = format!("refused: {}", refused.reason_with_remedy());
        notes.entry(refused.service.unwrap_or_default()).or_default().insert(note);
    }
    let note = |notes: BTreeSet<String>| notes.into_iter().collect::<Vec<_>>().join(", ");
    notes.into_iter().map(|(service, notes)| PickCandidate::new(service, note(notes))).collect()
}

fn candidate(survey: &RepositorySurvey, environment: &str) -> PickCandidate {
    let services = survey.services().into_iter().filter(|service| has_service(survey, service, environment)).count();
    PickCandidate::new(environment, crate::render::words::count(services, "services"))
}
