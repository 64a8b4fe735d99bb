//! Renders a `Pipeline`.

use jiff::Timestamp;

use crate::render::promotion::shorten_digest;
use crate::render::table::{TableColumn, table};
use crate::render::words::markdown_cell as cell;
use crate::render::{Report, TableStyle};
use crate::report::pipeline::{BuildCommit, Pipeline, PipelinePlace, PlaceState};
use crate::report::promotion::RepositoryPath;
use crate::ui::{style as looks, styled};
use ucp_core::model::text::one_line;
use ucp_core::model::time::human_duration;

const COLUMNS: [&str; 5] = ["VERSION", "ENVIRONMENT", "STATE", "SINCE", "DETAILS"];

/// Returns one row for each place. A version is named in its first row.
fn rows(pipeline: &Pipeline, now: Timestamp) -> Vec<[String; 5]> {
    let is_one = pipeline.versions.iter().all(|version| version.name == pipeline.versions[0].name);
    let mut rows = Vec::new();
    for version in &pipeline.versions {
        let shown = one_line(&shorten_digest(&version.version));
        let shown = if is_one { shown } else { format!("{}:{shown}", one_line(&version.name)) };
        for (index, place) in version.places.iter().enumerate() {
            let opened = place.pull_request.as_ref().and_then(|request| request.since);
            let since = place.since.or(opened).map(|since| human_duration(now.as_second() - since.as_second()));
            rows.push([
                if index == 0 { shown.clone() } else { String::new() },
                one_line(&place.environment),
                place.state.as_str().to_owned(),
                since.unwrap_or_else(|| "-".to_owned()),
                details(version.built_from.as_ref().filter(|_| index == 0), place),
            ]);
        }
    }
    rows
}

/// Returns the commits, the pull request, and the gates.
fn details(built_from: Option<&BuildCommit>, place: &PipelinePlace) -> String {
    let built_from = built_from.map(|built| {
        let hash = &built.commit[..built.commit.len().min(12)];
        format!("built from {hash} of {}", one_line(&built.repository))
    });
    let commit = place.by.as_ref().map(|by| {
        let hash = &by.commit[..by.commit.len().min(7)];
        format!("{hash} {} ({})", one_line(&by.subject), one_line(&by.author))
    });
    let request = place.pull_request.as_ref().map(|request| {
        let author = request.author.as_ref().map(|author| format!(" ({})", one_line(author))).unwrap_or_default();
        format!("#{} {}{author}", request.number, one_line(&request.url))
    });
    let gates = place.held_back_by.iter().map(|held| {
        let until = held.until.map(|until| format!("{until:.0}")).filter(|until| !held.reason.contains(until));
        let until = until.map(|until| format!(", until {until}")).unwrap_or_default();
        format!("{}: {}{until}", held.gate.as_str(), one_line(&held.reason))
    });
    let all: Vec<String> = built_from.into_iter().chain(commit).chain(request).chain(gates).collect();
    if all.is_empty() { "-".to_owned() } else { all.join("; ") }
}

impl Report for Pipeline {
    fn repository(&self) -> Option<&RepositoryPath> {
        Some(&self.source)
    }

    fn table(&self, style: &TableStyle) -> String {
        if self.versions.is_empty() {
            return String::new();
        }
        let states = self.versions.iter().flat_map(|version| &version.places).map(|place| match place.state {
            PlaceState::Runs | PlaceState::Ready => looks::GOOD,
            PlaceState::NotRunning | PlaceState::Held => looks::BAD,
            _ => looks::BUSY,
        });
        let rows = rows(self, Timestamp::now()).into_iter().zip(states).map(|(mut row, look)| {
            row[2] = styled(look, &row[2]);
            row.to_vec()
        });
        // Gates and pull requests are never truncated, since they are the next step.
        table(&COLUMNS.map(TableColumn::Fixed), rows.collect::<Vec<_>>(), &TableStyle { width: None, ..*style })
    }

    fn names(&self) -> Vec<String> {
        self.versions.iter().map(|version| one_line(&version.version)).collect()
    }

    fn markdown(&self) -> String {
        let head = "| Version | Environment | State | Since | Details |\n|---|---|---|---|---|\n".to_owned();
        let rows = rows(self, Timestamp::now()).into_iter();
        let rows = rows.map(|row| format!("| {} |\n", row.map(|text| cell(&text)).join(" | ")));
        std::iter::once(head).chain(rows).collect()
    }
}
