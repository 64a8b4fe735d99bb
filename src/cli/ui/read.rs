//! Reads what a key of `ui` asks for, as the command does that prints the same.

use std::sync::Arc;

use super::SourcePart;
use crate::browse::{ObjectPlace, ReadAnswer, ReadRequest, RenderText};
use crate::cli::reading::PatienceArgs;
use crate::cli::{Context, clusters, drift, explain, history, images, parsed, tree};
use crate::render::diff::CONTEXT;
use crate::render::drift::DriftView;
use crate::render::events::event_text;
use crate::render::{self, DetailLevel, HeaderVisibility, Report, TableStyle};
use crate::report::events::ObjectEvents;
use jiff::Timestamp;
use serde_json::Value;
use ucp_client::source::live::session::Session;
use ucp_core::error::{Error, Result};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::ClusterState;

/// Answers a request.
///
/// # Errors
/// Fails when it cannot be read.
pub(super) fn answer(
    context: &Context,
    parts: &[SourcePart],
    patience: PatienceArgs,
    request: ReadRequest,
) -> Result<ReadAnswer> {
    Ok(match request {
        ReadRequest::Tree(place) => {
            let tree = tree::tree_of_object(part(parts, &place)?, &place.object, patience)?;
            ReadAnswer::Tree(Box::new(tree))
        }
        ReadRequest::Yaml(place) => yaml(part(parts, &place)?, &place.object)?,
        ReadRequest::Events(place) => events(part(parts, &place)?, &place.object)?,
        ReadRequest::ObjectDrift(place) => object_drift(part(parts, &place)?, &place.object)?,
        ReadRequest::Causes(place) => {
            let mut context = part(parts, &place)?.clone();
            context.globals.scope.namespace.clone_from(&place.object.namespace);
            text_of(history::gather(&context, &parsed(["--cause", place.object.kind_and_name().as_str()])?)?)
        }
        ReadRequest::Explanation(code) => text_of(explain::explanation(Some(&code))?),
        ReadRequest::AppClusters => {
            let args = parsed([])?;
            ReadAnswer::AppClusters(context.combine_sources(|context| clusters::gather(context, &args))?)
        }
        ReadRequest::Drift => {
            let args = parsed([])?;
            ReadAnswer::Drift(context.combine_sources(|context| drift::compare(context, &args))?)
        }
        ReadRequest::History(source) => {
            let found = source.and_then(|source| parts.iter().find(|(origin, _)| *origin == source));
            let context = found.map_or(context, |(_, context)| context);
            ReadAnswer::History(Box::new(history::gather(context, &parsed([])?)?))
        }
        ReadRequest::Versions => {
            let has_cluster = context.names_a_cluster();
            let args = parsed(["--running"].into_iter().filter(|_| has_cluster))?;
            text_of(images::gather(context, &args)?)
        }
    })
}

/// Returns the context of the source that holds an object.
fn part<'a>(parts: &'a [SourcePart], place: &ObjectPlace) -> Result<&'a Context> {
    let found = parts.iter().find(|(origin, _)| place.source.as_ref().is_none_or(|source| source == origin));
    found.map(|(_, context)| context).ok_or_else(|| Error::failed("this source is not shown any more"))
}

fn style(width: usize) -> TableStyle {
    TableStyle { width: Some(width), detail: DetailLevel::Normal, headers: HeaderVisibility::Shown }
}

fn text_of(report: impl Report + Send + Sync + 'static) -> ReadAnswer {
    ReadAnswer::Text(Arc::new(move |width| report.table(&style(width))))
}

fn yaml(context: &Context, object: &ObjectName) -> Result<ReadAnswer> {
    let mut whole = match context.globals.connection.from {
        None => Session::open(&context.globals.connection)?.object(object)?,
        Some(_) => {
            let state = read_kind(context, object.namespace.as_deref(), object.group(), &object.kind)?;
            let mut found = state.resources.iter().filter(|resource| resource.metadata.name == object.name);
            let whole = found.find_map(|resource| resource.whole.as_ref());
            let absent = || Error::absent(format!("{object} is not in the snapshot"));
            Value::clone(whole.ok_or_else(absent)?)
        }
    };
    if let Some(metadata) = whole.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    SecretHider::new()?.hide_whole(&mut whole);
    let text = render::yaml(&whole)?;
    Ok(ReadAnswer::Text(Arc::new(move |_| text.clone())))
}

fn events(context: &Context, object: &ObjectName) -> Result<ReadAnswer> {
    let namespace = object.namespace.as_deref().unwrap_or("default");
    let events = match context.globals.connection.from {
        None => {
            let found = Session::open(&context.globals.connection)?.events(object, namespace)?;
            ObjectEvents::from_objects(&found, Timestamp::now())
        }
        Some(_) => {
            let state = read_kind(context, Some(namespace), "", "Event")?;
            let is_about = |event: &&Value| {
                let field = |path: &str| event.pointer(path).and_then(Value::as_str);
                field("/involvedObject/kind") == Some(&object.kind)
                    && field("/involvedObject/name") == Some(&object.name)
            };
            let wholes = state.resources.iter().filter_map(|resource| resource.whole.as_deref());
            ObjectEvents::from_objects(wholes.filter(is_about), state.moment)
        }
    };
    let mut context = context.clone();
    context.globals.scope.namespace.clone_from(&object.namespace);
    let name = object.kind_and_name();
    let history = history::gather(&context, &parsed([name.as_str()])?);
    let render: RenderText = Arc::new(move |width| {
        let history = match &history {
            Ok(history) => history.table(&style(width)),
            Err(error) => format!("The history could not be read: {}\n", error.message()),
        };
        format!("{}\n{history}", event_text(&events, &style(width)))
    });
    Ok(ReadAnswer::Text(render))
}

/// Reads whole objects of one kind from a snapshot.
fn read_kind(context: &Context, namespace: Option<&str>, group: &str, kind: &str) -> Result<ClusterState> {
    context.read_in(namespace, &|known| {
        (known.group == group && known.kind == kind).then(|| KindRequest::whole(BodyShape::Conditions))
    })
}

fn object_drift(context: &Context, object: &ObjectName) -> Result<ReadAnswer> {
    let mut context = context.clone();
    context.globals.scope.namespace.clone_from(&object.namespace);
    let name = object.kind_and_name();
    let report = drift::compare(&context, &parsed([name.as_str()])?)?;
    Ok(ReadAnswer::Text(Arc::new(move |width| {
        DriftView { report: &report, context_lines: CONTEXT }.table(&style(width))
    })))
}
