//! Runs a pipeline as core does: step by step, calling each function until its requirements are stable.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;
use prost_types::Struct;
use serde_json::Value;

use crate::composition::answer::{DesiredComposite, SentSecrets, is_fatal, sanitize_message, warnings};
use crate::composition::blueprint::{CompositionPipeline, CompositionStep, RequiredResource};
use crate::composition::function::Functions;
use crate::composition::protocol::{
    Capability, CredentialData, CredentialSource, FunctionResource, FunctionResources, FunctionState, Match,
    MatchLabels, RequestMeta, Requirements, ResourceSelector, RunFunctionRequest, RunFunctionResponse, StepCredentials,
};
use crate::composition::sent::FunctionView;
use crate::composition::value::to_struct;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::hash::sha256_of;
use ucp_core::model::object::ObjectName;

/// Maximum number of times that a function may change its requirements (`xfn.MaxRequirementsIterations`).
const MOST_ROUNDS: usize = 5;

/// The result of running a pipeline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PipelineResult {
    /// The desired state.
    pub wanted: DesiredComposite,
    /// Warnings of the functions.
    pub warnings: Vec<String>,
    /// Objects that the functions required.
    pub required: BTreeSet<ObjectName>,
}

/// Runs a pipeline on the observed state.
///
/// # Errors
/// Fails where core would: a function cannot be called, returns a fatal result, or its requirements do not stabilize.
pub async fn run_pipeline(
    blueprint: &CompositionPipeline,
    observed: &FunctionState,
    functions: &Functions,
    source: &FunctionView<'_>,
) -> Result<PipelineResult, Failure> {
    let mut ran = PipelineResult::default();
    let (mut desired, mut context) = (FunctionState::default(), Struct::default());
    for step in &blueprint.steps {
        let mut request = RunFunctionRequest {
            observed: Some(observed.clone()),
            desired: Some(desired),
            context: Some(context),
            input: step.input.as_ref().map(to_struct),
            credentials: credentials(step, source).await?,
            required_resources: fetch_composition_requirements(step, source, &mut ran.required).await?,
            ..RunFunctionRequest::default()
        };
        let answer = call_until_stable(step, &mut request, functions, source, &mut ran.required).await;
        source.record_secrets(&request);
        // Without messages, there is nothing to redact.
        let says = answer.as_ref().map_or(true, |answer| !answer.results.is_empty());
        let told = if says { source.sent_secrets() } else { SentSecrets::default() };
        let answer = answer.map_err(|reason| {
            let (step, function) = (sanitize_message(&step.step), sanitize_message(&step.function_ref.name));
            format!("step {step:?}, function {function}: {}", told.redact(reason.as_str()))
        })?;
        ran.warnings.extend(warnings(&step.step, &answer, &told)?);
        desired = answer.desired.unwrap_or_default();
        context = answer.context.unwrap_or_default();
    }
    ran.wanted = DesiredComposite::from_state(&desired)?;
    Ok(ran)
}

async fn credentials(
    step: &CompositionStep,
    source: &FunctionView<'_>,
) -> Result<BTreeMap<String, StepCredentials>, Failure> {
    let mut all = BTreeMap::new();
    for wanted in step.credentials.iter().filter(|wanted| wanted.source == "Secret") {
        let Some(secret) = &wanted.secret_ref else { continue };
        let data = source.step_credentials(&secret.namespace, &secret.name).await;
        let data =
            data.map_err(|reason| format!("step {:?} is given credentials: {reason}", sanitize_message(&step.step)))?;
        let source = Some(CredentialSource::Data(CredentialData { data }));
        all.insert(wanted.name.clone(), StepCredentials { source });
    }
    Ok(all)
}

/// Fetches the objects that the Composition itself requires for a step.
async fn fetch_composition_requirements(
    step: &CompositionStep,
    source: &FunctionView<'_>,
    required: &mut BTreeSet<ObjectName>,
) -> Result<BTreeMap<String, FunctionResources>, Failure> {
    let mut all = BTreeMap::new();
    for entry in &step.requirements.required_resources {
        let found = fetch(&selector(entry), source, required).await?;
        all.insert(entry.requirement_name.clone(), found);
    }
    Ok(all)
}

fn selector(entry: &RequiredResource) -> ResourceSelector {
    let labels = entry.match_labels.clone().map(|labels| Match::Labels(MatchLabels { labels }));
    ResourceSelector {
        api_version: entry.api_version.clone(),
        kind: entry.kind.clone(),
        matching: entry.name.clone().map(Match::Name).or(labels),
        namespace: entry.namespace.clone(),
    }
}

async fn call_until_stable(
    step: &CompositionStep,
    request: &mut RunFunctionRequest,
    functions: &Functions,
    source: &FunctionView<'_>,
    required: &mut BTreeSet<ObjectName>,
) -> Result<RunFunctionResponse, Failure> {
    let own = request.required_resources.clone();
    let mut before: Option<Requirements> = None;
    for _ in 0..=MOST_ROUNDS {
        request.meta = None;
        let capabilities =
            [Capability::Capabilities, Capability::RequiredResources, Capability::Credentials, Capability::Conditions];
        request.meta = Some(RequestMeta {
            tag: sha256_of(&request.encode_to_vec()),
            capabilities: capabilities.map(|capability| capability as i32).to_vec(),
        });
        let answer = functions.call(&step.function_ref.name, request).await?;
        // Fatal results are reported by the caller.
        if is_fatal(&answer) || answer.requirements == before {
            return Ok(answer);
        }
        let wanted = answer.requirements.clone().unwrap_or_default();
        if let Some(name) = wanted.schemas.keys().next() {
            return fail!("it requires schema {:?}, which a preview does not provide", sanitize_message(name));
        }
        request.extra_resources = fetch_all(&wanted.extra_resources, BTreeMap::new(), source, required).await?;
        request.required_resources = fetch_all(&wanted.resources, own.clone(), source, required).await?;
        request.context = answer.context;
        before = answer.requirements;
    }
    fail!("requirements didn't stabilize after the maximum number of iterations ({MOST_ROUNDS})")
}

async fn fetch_all(
    selectors: &BTreeMap<String, ResourceSelector>,
    mut into: BTreeMap<String, FunctionResources>,
    source: &FunctionView<'_>,
    required: &mut BTreeSet<ObjectName>,
) -> Result<BTreeMap<String, FunctionResources>, Failure> {
    for (name, selector) in selectors {
        into.insert(name.clone(), fetch(selector, source, required).await?);
    }
    Ok(into)
}

/// Fetches the objects that match a selector. Missing objects yield an empty result.
async fn fetch(
    selector: &ResourceSelector,
    source: &FunctionView<'_>,
    required: &mut BTreeSet<ObjectName>,
) -> Result<FunctionResources, Failure> {
    let what = || sanitize_message(&format!("{} {}", selector.api_version, selector.kind));
    let named = |name: &str| ObjectName {
        api_version: selector.api_version.clone(),
        kind: selector.kind.clone(),
        namespace: selector.namespace.clone().filter(|namespace| !namespace.is_empty()),
        name: name.to_owned(),
    };
    let none = BTreeMap::new();
    let found = match &selector.matching {
        Some(Match::Name(name)) => {
            required.insert(named(name));
            source.required_object(named(name)).await.map(|found| found.into_iter().collect())
        }
        matching => {
            let labels = match matching {
                Some(Match::Labels(labels)) => &labels.labels,
                _ => &none,
            };
            // Any object of the kind may match later, so all of them are recorded as required.
            required.insert(named(""));
            source.required_objects(&selector.api_version, &selector.kind, selector.namespace.as_deref(), labels).await
        }
    };
    let found: Vec<Value> = found.map_err(|reason| format!("it requires {}: {reason}", what()))?;
    let items = found
        .iter()
        .map(|object| FunctionResource { resource: Some(to_struct(object)), ..FunctionResource::default() });
    Ok(FunctionResources { items: items.collect() })
}
