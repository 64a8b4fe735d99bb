//! Which versions are set, and where: by the command line, and by a person where it leaves something out.

use std::collections::BTreeSet;

use crate::cli::Context;
use crate::cli::checkout::Survey;
use crate::cli::missing::{Candidate, Missing, who_answers};
use crate::error::{Error, Result};
use crate::promote::assign::Assignment;
use crate::promote::matrix::matrix;
use crate::promote::policy::Policy;

const USAGE: &str = "kubectl ucp set-image ENV SERVICE=[IMAGE:]TAG[@DIGEST]…";
const ENV: Missing<'_> = Missing { argument: "ENV", question: "Set a version in which environment?", usage: USAGE };
const SERVICE: Missing<'_> = Missing { argument: "SERVICE=TAG", question: "Of which service?", usage: USAGE };

/// What the command line says.
pub(super) struct Request {
    environment: Option<String>,
    assignments: Vec<Assignment>,
    /// The first word behind the environment.
    next: Option<String>,
}

impl Request {
    /// Takes the first word for the environment unless it assigns something.
    pub(super) fn parse(arguments: &[String]) -> Result<Self> {
        let (environment, assigned) = match arguments {
            [first, rest @ ..] if !first.contains('=') => (Some(first.clone()), rest),
            all => (None, all),
        };
        let assignments = assigned.iter().map(|text| text.parse().map_err(Error::usage)).collect::<Result<_>>()?;
        Ok(Self { environment, assignments, next: assigned.first().cloned() })
    }

    /// The environment, and what is set in it. What is picked was read anyway.
    pub(super) fn complete(
        &self,
        context: &Context,
        yes: bool,
        policy: Policy,
        survey: &Survey,
    ) -> Result<(String, Vec<Assignment>)> {
        let who = who_answers(context, yes);
        let mut picked = Vec::new();
        let environment = match &self.environment {
            Some(given) => given.clone(),
            None => {
                let known: Vec<_> = survey.environments()?.into_iter().map(|name| Candidate::new(name, "")).collect();
                picked.push(context.pick(who, &ENV, &known)?);
                picked[0].clone()
            }
        };
        let mut assignments = self.assignments.clone();
        if assignments.is_empty() {
            survey.check([environment.as_str()], [])?;
            let service = context.pick(who, &SERVICE, &services(survey, policy, &environment))?;
            let assigned = move |version: &str| format!("{service}={version}");
            let fault = {
                let assigned = assigned.clone();
                move |version: &str| assigned(version).parse::<Assignment>().err()
            };
            let assigned = assigned(&context.ui.ask("Which version? [IMAGE:]TAG[@DIGEST]", fault)?);
            assignments.push(assigned.parse().map_err(Error::usage)?);
            picked.push(assigned);
        }
        if !picked.is_empty() {
            context.teach(picked.iter().map(String::as_str), self.next.as_deref());
        }
        Ok((environment, assignments))
    }
}

/// Services of an environment, with their versions so far.
fn services(survey: &Survey, policy: Policy, environment: &str) -> Vec<Candidate> {
    let matrix = survey.with_facts(policy, |facts| matrix(facts, &BTreeSet::new(), None));
    let services = matrix.services.into_iter();
    services
        .filter(|service| survey.discovery.overlay(&service.name, environment).is_some())
        .map(|service| {
            let versions = service.images.iter().filter_map(|image| image.versions.get(environment)?.declared.clone());
            Candidate::new(service.name, versions.collect::<Vec<_>>().join(", "))
        })
        .collect()
}
