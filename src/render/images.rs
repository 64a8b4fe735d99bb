//! Renders an `ImageMatrix`.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, HtmlTable, TextTone, source_column};
use crate::render::promotion::shorten_digest;
use crate::render::table::{TableColumn, table};
use crate::render::words::{self, markdown_cell};
use crate::render::{DetailLevel, HeaderVisibility, Report, TableStyle};
use crate::report::images::{EnvironmentVersions, ImageMatrix, ImageRow, RunningState, ServiceRow, SlotExplanation};
use crate::report::promotion::RepositoryPath;
use crate::ui::pager::LongLineMode;
use crate::ui::{style as looks, styled};
use ucp_core::error::Result;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_repo::slot::artifact::ArtifactKind;

/// The cell of an environment without the image.
const NONE: &str = "-";

/// Marks a version that was not compared with what runs. The reason is printed once, below the table.
const NOT_COMPARED: &str = "*";

/// The maximum number of environments that are shown as columns. Above it, each version is a row with its environments.
const MOST_COLUMNS: usize = 8;

impl Report for ImageMatrix {
    fn repository(&self) -> Option<&RepositoryPath> {
        Some(&self.source)
    }

    fn state_moment(&self) -> Option<jiff::Timestamp> {
        self.core.as_ref()?.moment
    }

    fn cluster(&self) -> Option<&Origin> {
        self.core.as_ref().map(|core| core.origin.as_ref())
    }

    fn html(&self) -> Result<HtmlPage> {
        Ok(page(self))
    }

    fn table(&self, style: &TableStyle) -> String {
        if let Some(discovery) = &self.discovery {
            let mut text = explain(discovery, style);
            if !self.slots.is_empty() {
                text.push('\n');
                text.push_str(&explain_slots(&self.slots, style));
            }
            return text;
        }
        let mut columns: Vec<TableColumn<'_>> =
            self.has_several_sources().then_some(TableColumn::Fixed(words::SOURCE)).into_iter().collect();
        columns.extend([TableColumn::Fixed("SERVICE"), TableColumn::Flexible(self.heading())]);
        if self.environments.len() > MOST_COLUMNS {
            columns.extend([TableColumn::Fixed("VERSION"), TableColumn::Flexible("ENVIRONMENTS")]);
            let rows = self.lines().into_iter().flat_map(|line| {
                let context = line.context(style.detail);
                let rows = self.by_version(line.service, line.image, style.detail).into_iter();
                rows.map(move |row| context.iter().cloned().chain(row.iter().map(|text| one_line(text))).collect())
            });
            return table(&columns, rows, style) + &self.footnote(style);
        }
        let names: Vec<String> = self.environments.iter().map(|name| one_line(name).to_uppercase()).collect();
        columns.extend(names.iter().map(|name| TableColumn::Fixed(name)));
        let rows = self.lines().into_iter().map(|line| {
            let mut row: Vec<String> = line.context(style.detail).into_iter().collect();
            row.extend([one_line(&line.service.name), one_line(&line.image.name)]);
            row.extend(
                self.environments.iter().enumerate().map(|(index, _)| self.cell(line.image, index, style.detail)),
            );
            row
        });
        table(&columns, rows, style) + &self.footnote(style)
    }

    fn long_lines(&self) -> LongLineMode {
        LongLineMode::Scroll
    }

    fn names(&self) -> Vec<String> {
        let names = self.services.iter().flat_map(|service| {
            service.images.iter().map(|image| format!("{}/{}", one_line(&service.name), one_line(&image.name)))
        });
        // The same environments exist in each core cluster.
        let mut seen = HashSet::new();
        names.filter(|name| seen.insert(name.clone())).collect()
    }

    fn markdown(&self) -> String {
        let environments: Vec<String> = self.environments.iter().map(|name| markdown_cell(name)).collect();
        let heading = if self.heading() == "IMAGE" { "Image" } else { "Artifact" };
        let (context, line) = if self.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        if environments.len() > MOST_COLUMNS {
            let head = format!("{context}| Service | {heading} | Version | Environments |\n{line}|---|---|---|---|\n");
            let of_line = |line: ImageLine<'_>| {
                let rows = self.by_version(line.service, line.image, DetailLevel::Normal).into_iter();
                let rows = rows.map(|row| row.map(|text| markdown_cell(&text)).join(" | "));
                rows.map(|cells| format!("{}| {cells} |\n", line.markdown_context())).collect::<String>()
            };
            return head + &self.lines().into_iter().map(of_line).collect::<String>() + &self.markdown_note();
        }
        let mut text = format!("{context}| Service | {heading} | {} |\n", environments.join(" | "));
        text.push_str(&format!("{line}|{}\n", "---|".repeat(2 + environments.len())));
        for line in self.lines() {
            let image = line.image;
            let cell = |environment| match image
                .versions
                .get(environment)
                .map(|versions| version_text(versions, DetailLevel::Normal))
            {
                None => NONE.to_owned(),
                Some(words) if image.has_equal_versions() => markdown_cell(&words),
                Some(words) => format!("**{}**", markdown_cell(&words)),
            };
            let cells: Vec<String> = self.environments.iter().map(cell).collect();
            let (service, name) = (markdown_cell(&line.service.name), markdown_cell(&image.name));
            text.push_str(&format!("{}| {service} | {name} | {} |\n", line.markdown_context(), cells.join(" | ")));
        }
        text + &self.markdown_note()
    }
}

/// The maximum number of core clusters that are named in one row.
const NAMED: usize = 3;

/// An image of a service with the core clusters that have the same versions; no core clusters if there is only one.
struct ImageLine<'m> {
    cores: Vec<&'m Origin>,
    service: &'m ServiceRow,
    image: &'m ImageRow,
}

impl ImageLine<'_> {
    /// Returns the first cell of a row, if the matrix covers several core clusters.
    fn context(&self, detail: DetailLevel) -> Option<String> {
        let names: Vec<String> = self.cores.iter().map(|core| one_line(core.label())).collect();
        let most = if detail == DetailLevel::Wide { usize::MAX } else { NAMED };
        (!names.is_empty()).then(|| words::join_limited(&names, most))
    }

    fn markdown_context(&self) -> String {
        self.context(DetailLevel::Wide).map(|cores| format!("| {} ", markdown_cell(&cores))).unwrap_or_default()
    }
}

impl ImageMatrix {
    /// Returns the heading of the second column: most repositories only have images.
    fn heading(&self) -> &'static str {
        let mut images = self.services.iter().flat_map(|service| &service.images);
        if images.all(|image| image.kind == ArtifactKind::Image) { "IMAGE" } else { "ARTIFACT" }
    }

    /// Returns the meaning of [`NOT_COMPARED`], if a cell has it.
    fn note(&self) -> Option<&'static str> {
        let mut images = self.services.iter().flat_map(|service| &service.images);
        let is_marked = |versions: &EnvironmentVersions| {
            (versions.runs, &versions.running) == (Some(RunningState::NotCompared), &None)
        };
        images
            .any(|image| image.versions.values().any(is_marked))
            .then_some("not compared: no object that was read deploys this version")
    }

    fn footnote(&self, style: &TableStyle) -> String {
        let note = self.note().filter(|_| style.headers == HeaderVisibility::Shown);
        note.map(|note| format!("\n{}\n", styled(looks::FAINT, &format!("{NOT_COMPARED} {note}")))).unwrap_or_default()
    }

    fn markdown_note(&self) -> String {
        self.note().map(|note| format!("\n{} {note}\n", markdown_cell(NOT_COMPARED))).unwrap_or_default()
    }

    /// Returns the rows. With several core clusters, the worst come first, and clusters that do not deploy an image
    /// share a row.
    fn lines(&self) -> Vec<ImageLine<'_>> {
        let mut lines: Vec<ImageLine<'_>> = Vec::new();
        let mut idle: HashMap<(&str, ArtifactKind, &str), usize> = HashMap::new();
        for service in &self.services {
            for image in &service.images {
                let core = service.core.as_deref();
                if core.is_some() && !image.is_compared() {
                    let line = *idle.entry((&service.name, image.kind, &image.name)).or_insert(lines.len());
                    if let Some(line) = lines.get_mut(line) {
                        line.cores.extend(core);
                        continue;
                    }
                }
                lines.push(ImageLine { cores: core.into_iter().collect(), service, image });
            }
        }
        if self.has_several_sources() {
            lines.sort_by_key(|line| (Reverse(line.image.worst()), &line.service.name, &line.image.name));
        }
        lines
    }

    /// Returns rows of service, artifact, version, and the environments with that version.
    fn by_version(&self, service: &ServiceRow, image: &ImageRow, detail: DetailLevel) -> Vec<[String; 4]> {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for environment in &self.environments {
            let Some(words) = image.versions.get(environment).map(|versions| version_text(versions, detail)) else {
                continue;
            };
            match groups.iter_mut().find(|(other, _)| *other == words) {
                Some((_, environments)) => environments.push(environment),
                None => groups.push((words, vec![environment])),
            }
        }
        let row = |(version, environments): (String, Vec<&str>)| {
            [service.name.clone(), image.name.clone(), version, environments.join(", ")]
        };
        groups.into_iter().map(row).collect()
    }

    /// Renders a version. It is highlighted if it differs from the previous environment, and more strongly if it is not
    /// running.
    fn cell(&self, image: &ImageRow, index: usize, detail: DetailLevel) -> String {
        let Some(versions) = image.versions.get(&self.environments[index]) else {
            return styled(looks::FAINT, NONE);
        };
        let before = self.environments[..index].iter().rev().find_map(|environment| image.versions.get(environment));
        let text = one_line(&version_text(versions, detail));
        if versions.runs == Some(RunningState::NotCompared) {
            styled(looks::FAINT, &text)
        } else if versions.runs.is_some_and(|runs| runs != RunningState::Declared) {
            styled(looks::BUSY, &text)
        } else if before.is_some_and(|before| before.declared != versions.declared) {
            styled(looks::WARN, &text)
        } else {
            text
        }
    }
}

/// Renders the declared version, followed by the running version if that differs.
fn version_text(versions: &EnvironmentVersions, detail: DetailLevel) -> String {
    let version = |text: &String| if detail == DetailLevel::Wide { text.clone() } else { shorten_digest(text) };
    let declared = versions.declared.as_ref().map_or_else(|| NONE.to_owned(), version);
    let running = versions.running.as_ref().map(version);
    match (versions.runs, running) {
        (None | Some(RunningState::Declared), _) => declared,
        (Some(RunningState::NotCompared), None) => format!("{declared}{NOT_COMPARED}"),
        (Some(RunningState::NotCompared), Some(running)) => {
            format!("{declared} (runs {running}, not compared everywhere)")
        }
        (Some(RunningState::RollingOut), _) => format!("{declared} (rolling out)"),
        (Some(RunningState::Unknown), None) => format!("{declared} (runs unknown)"),
        (Some(RunningState::Unknown), Some(running)) => format!("{declared} (runs {running}, some unknown)"),
        (Some(RunningState::Nothing), Some(running)) => format!("{declared} (runs {running}, not everywhere)"),
        (Some(RunningState::Other | RunningState::Nothing), None) => format!("{declared} (not running)"),
        (Some(RunningState::Other), Some(running)) => format!("{declared} (runs {running})"),
    }
}

fn explain(discovery: &ucp_repo::gitops::discover::Discovery, style: &TableStyle) -> String {
    let columns = [
        TableColumn::Fixed("SERVICE"),
        TableColumn::Fixed("ENVIRONMENT"),
        TableColumn::Fixed("DIRECTORY"),
        TableColumn::Fixed("BECAUSE"),
    ];
    let found = discovery.overlays.iter().map(|overlay| {
        [&overlay.service, &overlay.environment, &overlay.directory, &overlay.because]
            .map(|text| one_line(text))
            .to_vec()
    });
    let others = discovery.others.iter().map(|(directory, reason)| {
        let directory = if directory.is_empty() { "." } else { directory };
        vec![NONE.to_owned(), NONE.to_owned(), one_line(directory), one_line(reason)]
    });
    table(&columns, found.chain(others), &TableStyle { width: None, ..*style })
}

/// Renders all slots, each with the evidence for it.
fn explain_slots(slots: &[SlotExplanation], style: &TableStyle) -> String {
    let columns = [
        TableColumn::Fixed("SERVICE"),
        TableColumn::Fixed("ENVIRONMENT"),
        TableColumn::Fixed("ARTIFACT"),
        TableColumn::Fixed("VERSION"),
        TableColumn::Fixed("FILE"),
        TableColumn::Fixed("KNOWN BY"),
        TableColumn::Fixed("BECAUSE"),
    ];
    let rows = slots.iter().map(|slot| {
        let environments = if slot.environments.is_empty() { NONE.to_owned() } else { slot.environments.join(",") };
        let place = format!("{}:{}", slot.slot.file, slot.slot.line);
        [&slot.service, &environments, &slot.name, &shorten_digest(&slot.version), &place, &slot.slot.by, &slot.because]
            .map(|text| one_line(text))
            .to_vec()
    });
    table(&columns, rows, &TableStyle { width: None, ..*style })
}

fn page(matrix: &ImageMatrix) -> HtmlPage {
    let mut page = HtmlPage::new("Versions");
    let mut columns: Vec<String> =
        source_column(matrix.has_several_sources()).chain(["Service", matrix.heading()]).map(str::to_owned).collect();
    columns.extend(matrix.environments.iter().cloned());
    let mut rows = Vec::new();
    for line in matrix.lines() {
        let image = line.image;
        let versions = matrix.environments.iter().map(|environment| match image.versions.get(environment) {
            None => HtmlCell::toned(TextTone::Faint, "-"),
            Some(versions) => {
                let tone = if image.has_equal_versions() { TextTone::Plain } else { TextTone::Warning };
                HtmlCell::toned(tone, version_text(versions, DetailLevel::Normal))
            }
        });
        let head = line.context(DetailLevel::Wide).map(HtmlCell::new).into_iter();
        rows.push(
            head.chain([HtmlCell::new(&line.service.name), HtmlCell::new(&image.name)]).chain(versions).collect(),
        );
    }
    page.parts.push(HtmlPagePart::Table(HtmlTable { columns, rows }));
    if let Some(note) = matrix.note() {
        page.line(TextTone::Faint, format!("{NOT_COMPARED} {note}"));
    }
    page.unreadable(&words::unreadable(&matrix.unreadable));
    page
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::report::sources::DocumentSource;

    #[test]
    fn the_worst_image_of_all_core_clusters_comes_first() {
        let origin = Arc::new(Origin::Snapshot { path: "core".to_owned() });
        let image = |name: &str, runs: RunningState| ImageRow {
            name: name.to_owned(),
            kind: ArtifactKind::Image,
            versions: BTreeMap::from([(
                "stage".to_owned(),
                EnvironmentVersions { runs: Some(runs), ..EnvironmentVersions::default() },
            )]),
        };
        let service = |name: &str, images: Vec<ImageRow>| ServiceRow {
            name: name.to_owned(),
            core: Some(Arc::clone(&origin)),
            images,
        };
        let services = vec![
            service("a", vec![image("well", RunningState::Declared), image("gone", RunningState::Nothing)]),
            service("b", vec![image("other", RunningState::Other)]),
        ];
        let mut matrix = ImageMatrix::new(".".to_owned(), vec!["stage".to_owned()], services, Vec::new());
        let names =
            |matrix: &ImageMatrix| matrix.lines().into_iter().map(|line| line.image.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&matrix), ["well", "gone", "other"], "of one core cluster, by service");
        matrix.sources = vec![DocumentSource { origin, moment: None }];
        assert_eq!(names(&matrix), ["gone", "other", "well"]);
    }
}
