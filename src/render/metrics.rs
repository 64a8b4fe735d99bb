//! A `Status` in Prometheus' text format, for the textfile collector of node_exporter
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;

use crate::model::state::Origin;
use crate::model::text::one_line;
use crate::model::verdict::Verdict;
use crate::report::status::Status;

/// The metrics of a status. Every verdict of an engine has a sample, 0 included, so that a series never ends because all
/// is well.
pub(super) fn of_status(status: &Status) -> String {
    let source = source(status);
    let mut text = String::new();
    let mut family = |name: &str, help: &str, samples: Vec<(String, f64)>| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (labels, value) in samples {
            let separator = if source.is_empty() || labels.is_empty() { "" } else { "," };
            let _ = match format!("{source}{separator}{labels}") {
                labels if labels.is_empty() => writeln!(text, "{name} {value}"),
                labels => writeln!(text, "{name}{{{labels}}} {value}"),
            };
        }
    };
    let per_engine = |value: &dyn Fn(usize, Verdict) -> usize| -> Vec<(String, f64)> {
        let engines = status.engines.iter().enumerate();
        let labelled = |(index, engine): (usize, &crate::report::status::EngineStatus)| {
            let name = escaped(&engine.name);
            let sample = move |verdict: Verdict| (format!("engine=\"{name}\",verdict=\"{verdict}\""), index, verdict);
            Verdict::ALL.map(sample)
        };
        engines.flat_map(labelled).map(|(labels, index, verdict)| (labels, value(index, verdict) as f64)).collect()
    };
    let objects = |index: usize, verdict| status.engines[index].counts.0.get(&verdict).copied().unwrap_or_default();
    family("ucp_objects", "Objects by engine and verdict.", per_engine(&objects));
    let is_verdict = |index: usize, verdict| usize::from(status.engines[index].verdict == verdict);
    family("ucp_engine_verdict", "1 for the verdict of an engine, 0 for the others.", per_engine(&is_verdict));

    let mut findings: BTreeMap<(Verdict, &str), usize> = BTreeMap::new();
    let mut oldest: BTreeMap<Verdict, Timestamp> = BTreeMap::new();
    for finding in &status.findings {
        *findings.entry((finding.verdict, &finding.code)).or_default() += 1;
        if let Some(since) = finding.since {
            oldest.entry(finding.verdict).and_modify(|oldest| *oldest = since.min(*oldest)).or_insert(since);
        }
    }
    let findings = findings
        .into_iter()
        .map(|((verdict, code), number)| (format!("code=\"{code}\",verdict=\"{verdict}\""), number as f64))
        .collect();
    family("ucp_findings", "Findings by code and verdict; 'kubectl ucp explain CODE' tells what one means.", findings);
    let by_verdict = |value: &dyn Fn(Timestamp) -> f64| -> Vec<(String, f64)> {
        oldest.iter().map(|(verdict, since)| (format!("verdict=\"{verdict}\""), value(*since))).collect()
    };
    let age = by_verdict(&|since| (status.moment.as_second() - since.as_second()).max(0) as f64);
    family("ucp_oldest_finding_age_seconds", "Age of the oldest finding of a verdict when it was read.", age);
    let since = by_verdict(&|since| since.as_second() as f64);
    family("ucp_oldest_finding_timestamp_seconds", "Since when there is the oldest finding of a verdict.", since);
    let plain = |value: f64| vec![(String::new(), value)];
    family("ucp_unreadable", "Kinds and objects that could not be read.", plain(status.unreadable.len() as f64));
    family("ucp_read_timestamp_seconds", "When the cluster was read.", plain(status.moment.as_second() as f64));
    text
}

/// The label that tells clusters apart.
fn source(status: &Status) -> String {
    match &status.header.source {
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
