//! The versions to set and their places: the command line, completed by prompts.

use std::path::Path;

use super::VersionArguments;
use crate::cli::Context;
use crate::cli::missing::{MissingArgument, PickCandidate, interaction_mode};
use crate::cli::working_copy::RepositorySurvey;
use crate::cli::writing::ConsentArgs;
use crate::promote::assign::ambiguous::{self, AmbiguousName, PlaceChoice, ambiguous_name};
use crate::promote::assign::{ArtifactAssignment, AssignmentRequest};
use crate::promote::facts::PlanningFacts;
use crate::promote::matrix::{ALL, MatrixFilter, matrix};
use crate::promote::policy::Policy;
use crate::ui::Interaction;
use ucp_core::error::{Error, Result};
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_core::model::shell::quote_word;
use ucp_core::model::text::one_line;
use ucp_repo::gitops::catalog::query::PlaceSpread;
use ucp_repo::gitops::names::add_name;
use ucp_repo::slot::artifact::ArtifactKind;

/// The parsed command line.
pub(super) struct ParsedVersionArguments {
    environment: Option<String>,
    assignments: Vec<ArtifactAssignment>,
    kinds: Vec<ArtifactKind>,
    spread: PlaceSpread,
    /// The first word after the environment.
    next: Option<String>,
    usage: String,
}

/// Offers to declare the meaning of a name in `.ucp.yaml`.
fn declare_name(context: &Context, top: &Path, alias: &str, name: &str) -> Result<()> {
    let line = one_line(&format!("names: {{{alias}: {name}}}"));
    if context
        .ui
        .confirm(&format!("Next time, {alias} can mean this without a question. Write '{line}' to .ucp.yaml?"))?
    {
        add_name(top, alias, name)?;
        context.ui.message("Added the line to .ucp.yaml.");
    }
    Ok(())
}

/// Returns true for `web:v2` and `web@sha256:…`, which is neither an environment nor an assignment.
fn is_image_with_version(word: &str) -> bool {
    let image = ImageReference::split(word);
    !word.contains('=') && !image.name.is_empty() && !image.version.is_empty()
}

/// Returns the error for an image in place of an assignment, with the assignment.
fn image_instead_of_name(command: &str, environment: Option<&str>, word: &str) -> Error {
    let ImageReference { name, version } = ImageReference::split(word);
    let instead_of = if environment.is_some() { "not NAME=VERSION" } else { "no environment" };
    let environment = environment.map(|name| format!("{} ", quote_word(name))).unwrap_or_default();
    Error::usage(format!("{word} is an image, and {instead_of}")).hint(format!(
        "a version is given as NAME=VERSION: kubectl ucp {command} {environment}{}",
        quote_word(&format!("{name}={version}"))
    ))
}

impl ParsedVersionArguments {
    /// Parses the words. The first one is the environment, unless it is an assignment.
    pub(super) fn parse(words: &VersionArguments<'_>) -> Result<Self> {
        let (environment, assigned) = match words.arguments {
            [first, rest @ ..] if !first.contains('=') && !is_image_with_version(first) => (Some(first.clone()), rest),
            all => (None, all),
        };
        if let Some(image) = assigned.iter().find(|word| is_image_with_version(word)) {
            return Err(image_instead_of_name(words.command, environment.as_deref(), image));
        }
        let assignments = assigned.iter().map(|text| text.parse().map_err(Error::usage)).collect::<Result<_>>()?;
        let usage = format!("kubectl ucp {} ENV NAME=VERSION…", words.command);
        let spread = words.spread;
        Ok(Self {
            environment,
            assignments,
            kinds: words.kinds.to_vec(),
            spread,
            next: assigned.first().cloned(),
            usage,
        })
    }

    /// Completes the request. Choices for prompts need no further reads.
    pub(super) fn complete(
        &self,
        context: &Context,
        consent: &ConsentArgs,
        policy: Policy,
        (survey, top): (&RepositorySurvey, &Path),
    ) -> Result<AssignmentRequest> {
        let who = interaction_mode(context, consent.yes);
        let mut picked = Vec::new();
        let mut environment = self.environment.clone();
        let mut assignments = self.assignments.clone();
        if assignments.is_empty() {
            let missing = |argument, question| MissingArgument { argument, question, usage: &self.usage };
            let named = match environment.clone() {
                Some(named) => named,
                None => {
                    let question = missing("ENV", "Set a version in which environment?");
                    let names = survey.environments()?.into_iter();
                    let name = context.pick(
                        who,
                        &question,
                        &names.map(|name| PickCandidate::new(name, "")).collect::<Vec<_>>(),
                    )?;
                    picked.push(name.clone());
                    name
                }
            };
            survey.check([named.as_str()], [])?;
            let question = missing("NAME=VERSION", "Of which service?");
            let service = context.pick(who, &question, &self.services(survey, policy, &named))?;
            let assigned = move |version: &str| format!("{service}={version}");
            let fault = {
                let assigned = assigned.clone();
                let is_image = self.kinds == [ArtifactKind::Image];
                move |version: &str| match assigned(version).parse::<ArtifactAssignment>() {
                    Ok(assignment) if is_image => ImageVersion::parse(&assignment.version).fault(),
                    parsed => parsed.err().map(String::from),
                }
            };
            let assigned = assigned(&context.ui.ask("Which version? [IMAGE:]TAG[@DIGEST]", fault)?);
            assignments.push(assigned.parse().map_err(Error::usage)?);
            picked.push(assigned);
            environment = Some(named);
        }
        if !picked.is_empty() {
            context.show_equivalent_command(picked.iter().map(String::as_str), self.next.as_deref());
        }
        let mut request = AssignmentRequest {
            environment: environment.filter(|name| name != ALL),
            assignments,
            kinds: self.kinds.clone(),
            spread: self.spread,
        };
        if who != Interaction::Unattended {
            let top = Some(top).filter(|_| !consent.dry_run);
            self.pick_places(context, who, policy, (survey, top), &mut request)?;
        }
        Ok(request)
    }

    /// Lets the user pick a place for each name that has several, and declare it as the meaning of the name in the
    /// repository at `top`.
    fn pick_places(
        &self,
        context: &Context,
        who: Interaction,
        policy: Policy,
        (survey, top): (&RepositorySurvey, Option<&Path>),
        request: &mut AssignmentRequest,
    ) -> Result<()> {
        while let Some(AmbiguousName { index, choices }) =
            survey.with_facts(policy, |facts| ambiguous_name(facts, request))
        {
            let Some(assignment) = request.assignments.get(index).cloned() else { return Ok(()) };
            let question = format!("{} has several places. Set {} in which one?", assignment.name, assignment.version);
            let missing = MissingArgument { argument: "ENV", question: &question, usage: &self.usage };
            let written = |choice: &PlaceChoice| format!("{} .{}", choice.address.file, choice.address.path);
            let candidates: Vec<PickCandidate> =
                choices.iter().map(|choice| PickCandidate::new(written(choice), &choice.description)).collect();
            let picked = context.pick(who, &missing, &candidates)?;
            let Some(choice) = choices.into_iter().find(|choice| written(choice) == picked) else { return Ok(()) };
            let version = &assignment.version;
            let command = survey.with_facts(policy, |facts| ambiguous::command(facts, &choice.address, version));
            if let Some(command) = command {
                context.ui.message(&format!("To set only this place without prompts: {}", one_line(&command)));
            }
            if let Some(top) = top {
                let meant =
                    |facts: &PlanningFacts<'_>| ambiguous::meant_name(facts, request, &assignment, &choice.address);
                let meant = survey.with_facts(policy, meant);
                meant.map_or(Ok(()), |meant| declare_name(context, top, &assignment.name, &meant))?;
            }
            request.assignments[index].place = Some(choice.address);
        }
        Ok(())
    }

    /// Returns the services of an environment, with their current versions.
    fn services(&self, survey: &RepositorySurvey, policy: Policy, environment: &str) -> Vec<PickCandidate> {
        let filter = MatrixFilter { kinds: self.kinds.clone(), ..MatrixFilter::default() };
        let (matrix, _) = survey.with_facts(policy, |facts| matrix(facts, &filter, None));
        let services = matrix.services.into_iter();
        services
            .filter(|service| service.images.iter().any(|image| image.versions.contains_key(environment)))
            .map(|service| {
                let versions =
                    service.images.iter().filter_map(|image| image.versions.get(environment)?.declared.clone());
                PickCandidate::new(service.name.clone(), versions.collect::<Vec<_>>().join(", "))
            })
            .collect()
    }
}
