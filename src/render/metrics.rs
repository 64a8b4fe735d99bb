//! Renders a `Status` in the Prometheus text format, for node_exporter's textfile collector
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;

use crate::report::sources::{DocumentSources, Sourced};
use crate::report::status::{EngineStatus, StatusReport};
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;

/// Returns the metrics of a status. Each verdict of an engine has a sample, including 0, so that series do not end when
/// everything is OK.
pub(super) fn of_status<'status>(status: &'status StatusReport) -> String {
    let mut text = String::new();
    let mut family = |name: &str, help: &str, samples: Vec<(Option<&Origin>, String, f64)>| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (source, labels, value) in samples {
            let source = source.map(label).unwrap_or_default();
            let separator = if source.is_empty() || labels.is_empty() { "" } else { "," };
            let _ = match format!("{source}{separator}{labels}") {
                labels if labels.is_empty() => writeln!(text, "{name} {value}"),
                labels => writeln!(text, "{name}{{{labels}}} {value}"),
            };
        }
    };
    let per_engine = |value: &dyn Fn(usize, Verdict) -> usize| -> Vec<(Option<&Origin>, String, f64)> {
        let engines = status.engines.iter().enumerate();
        let labelled = |(index, engine): (usize, &'status Sourced<EngineStatus>)| {
            let (source, name) = (status.source_of(engine), escaped(&engine.name));
            let labels = move |verdict| format!("engine=\"{name}\",verdict=\"{verdict}\"");
            Verdict::ALL.map(|verdict| (source, labels(verdict), value(index, verdict) as f64))
        };
        engines.flat_map(labelled).collect()
    };
    let objects = |index: usize, verdict| status.engines[index].counts.0.get(&verdict).copied().unwrap_or_default();
    family("ucp_objects", "Objects by engine and verdict.", per_engine(&objects));
    let is_verdict = |index: usize, verdict| usize::from(status.engines[index].verdict == verdict);
    family("ucp_engine_verdict", "1 for the verdict of an engine, 0 for the others.", per_engine(&is_verdict));

    // The sources that were read, with the time of their state.
    let sources: Vec<(Option<&Origin>, Option<Timestamp>)> = match &status.header.source {
        DocumentSources::One(source) => vec![(Some(source), Some(status.moment))],
        DocumentSources::Several(sources) => {
            sources.iter().map(|source| (Some(source.origin.as_ref()), source.moment)).collect()
        }
    };
    let number = |source: Option<&Origin>| sources.iter().position(|(known, _)| *known == source).unwrap_or_default();
    let mut findings: BTreeMap<(usize, Verdict, &str), usize> = BTreeMap::new();
    let mut oldest: BTreeMap<(usize, Verdict), Timestamp> = BTreeMap::new();
    for finding in &status.findings {
        let source = number(status.source_of(finding));
        *findings.entry((source, finding.verdict, &finding.code)).or_default() += 1;
        if let Some(since) = finding.since {
            oldest.entry((source, finding.verdict)).and_modify(|oldest| *oldest = since.min(*oldest)).or_insert(since);
        }
    }
    let findings = findings.into_iter().map(|((source, verdict, code), number)| {
        (sources[source].0, format!("code=\"{code}\",verdict=\"{verdict}\""), number as f64)
    });
    let help = "Findings by code and verdict; 'kubectl ucp explain CODE' shows the meaning.";
    family("ucp_findings", help, findings.collect());
    let by_verdict = |value: &dyn Fn(Timestamp, Timestamp) -> f64| -> Vec<(Option<&Origin>, String, f64)> {
        let sample = |(&(source, verdict), since): (&(usize, Verdict), &Timestamp)| {
            let (origin, moment) = sources[source];
            (origin, format!("verdict=\"{verdict}\""), value(*since, moment.unwrap_or(status.moment)))
        };
        oldest.iter().map(sample).collect()
    };
    let age = by_verdict(&|since, moment| (moment.as_second() - since.as_second()).max(0) as f64);
    family("ucp_oldest_finding_age_seconds", "Age of the oldest finding of a verdict when it was read.", age);
    let since = by_verdict(&|since, _| since.as_second() as f64);
    family("ucp_oldest_finding_timestamp_seconds", "Time since which the oldest finding of a verdict exists.", since);
    let unreadable = sources.iter().map(|(source, _)| {
        let of_source = status.unreadable.iter().filter(|entry| status.source_of(entry) == *source);
        (*source, String::new(), of_source.count() as f64)
    });
    family("ucp_unreadable", "Kinds and objects that could not be read.", unreadable.collect());
    let read = sources
        .iter()
        .filter_map(|(source, moment)| Some((*source, String::new(), moment.as_ref()?.as_second() as f64)));
    family("ucp_read_timestamp_seconds", "When the cluster was read.", read.collect());
    text
}

/// Returns the label that distinguishes clusters.
fn label(source: &Origin) -> String {
    match source {
        Origin::Cluster { context, server } => {
            let name = if context.is_empty() { server } else { context };
            format!("context=\"{}\"", escaped(name))
        }
        Origin::Snapshot { path } => format!("snapshot=\"{}\"", escaped(path)),
    }
}

fn escaped(value: &str) -> String {
    one_line(value).replace('\\', "\\\\").replace('"', "\\\"")
}
