//! How an `ImageMatrix` looks.

use std::collections::HashSet;

use crate::error::Result;
use crate::model::text::one_line;
use crate::render::html::{Cell, Page, Part, Table, Tone, origin_cell, source_column};
use crate::render::promotion::short;
use crate::render::table::{Column, table};
use crate::render::words::{self, markdown_cell, markdown_origin};
use crate::render::{Detail, Report, Style};
use crate::report::images::{Explained, ImageMatrix, ImageRow, Runs, ServiceRow, Versions};
use crate::slot::artifact::What;
use crate::ui::pager::LongLines;
use crate::ui::{style as looks, styled};

/// What stands in a cell where an environment does not have the image.
const NONE: &str = "-";

/// With more environments than this, each version is a row of its own, with the environments that have it.
const MOST_COLUMNS: usize = 8;

impl Report for ImageMatrix {
    fn html(&self) -> Result<Page> {
        Ok(page(self))
    }

    fn table(&self, style: &Style) -> String {
        if let Some(discovery) = &self.discovery {
            let mut text = explain(discovery, style);
            if !self.slots.is_empty() {
                text.push('\n');
                text.push_str(&explain_slots(&self.slots, style));
            }
            return text;
        }
        let mut columns: Vec<Column<'_>> =
            self.is_of_several().then_some(Column::Fixed(words::SOURCE)).into_iter().collect();
        columns.extend([Column::Fixed("SERVICE"), Column::Flexible(self.heading())]);
        if self.environments.len() > MOST_COLUMNS {
            columns.extend([Column::Fixed("VERSION"), Column::Flexible("ENVIRONMENTS")]);
            let rows = self.by_version(style.detail).map(|(service, row)| {
                context(service).chain(row.iter().map(|text| one_line(text))).collect::<Vec<_>>()
            });
            return table(&columns, rows, style);
        }
        let names: Vec<String> = self.environments.iter().map(|name| one_line(name).to_uppercase()).collect();
        columns.extend(names.iter().map(|name| Column::Fixed(name)));
        let rows = self.services.iter().flat_map(|service| {
            service.images.iter().map(|image| {
                let mut row: Vec<String> = context(service).collect();
                row.extend([one_line(&service.name), one_line(&image.name)]);
                row.extend(
                    self.environments.iter().enumerate().map(|(index, _)| self.cell(image, index, style.detail)),
                );
                row
            })
        });
        table(&columns, rows, style)
    }

    fn long_lines(&self) -> LongLines {
        LongLines::Scroll
    }

    fn names(&self) -> Vec<String> {
        let names = self.services.iter().flat_map(|service| {
            service.images.iter().map(|image| format!("{}/{}", one_line(&service.name), one_line(&image.name)))
        });
        // Each core cluster has them all.
        let mut seen = HashSet::new();
        names.filter(|name| seen.insert(name.clone())).collect()
    }

    fn markdown(&self) -> String {
        let environments: Vec<String> = self.environments.iter().map(|name| markdown_cell(name)).collect();
        let heading = if self.heading() == "IMAGE" { "Image" } else { "Artifact" };
        let (context, line) = if self.is_of_several() { ("| Context ", "|---") } else { ("", "") };
        if environments.len() > MOST_COLUMNS {
            let head = format!("{context}| Service | {heading} | Version | Environments |\n{line}|---|---|---|---|\n");
            let line = |(service, row): (&ServiceRow, [String; 4])| {
                let cells = row.map(|text| markdown_cell(&text)).join(" | ");
                format!("{}| {cells} |\n", markdown_origin(service.core.as_deref()))
            };
            return head + &self.by_version(Detail::Normal).map(line).collect::<String>();
        }
        let mut text = format!("{context}| Service | {heading} | {} |\n", environments.join(" | "));
        text.push_str(&format!("{line}|{}\n", "---|".repeat(2 + environments.len())));
        for service in &self.services {
            for image in &service.images {
                let cells: Vec<String> = self
                    .environments
                    .iter()
                    .map(|environment| {
                        match image.versions.get(environment).map(|versions| words(versions, Detail::Normal)) {
                            None => NONE.to_owned(),
                            Some(words) if image.is_level() => markdown_cell(&words),
                            Some(words) => format!("**{}**", markdown_cell(&words)),
                        }
                    })
                    .collect();
                let core = markdown_origin(service.core.as_deref());
                let (service, name) = (markdown_cell(&service.name), markdown_cell(&image.name));
                text.push_str(&format!("{core}| {service} | {name} | {} |\n", cells.join(" | ")));
            }
        }
        text
    }
}

/// The core cluster that a row is about, as its first cell; nothing where there is one.
fn context(service: &ServiceRow) -> impl Iterator<Item = String> {
    service.core.as_deref().map(|core| one_line(core.label())).into_iter()
}

impl ImageMatrix {
    /// What the second column is called: most repositories know images alone.
    fn heading(&self) -> &'static str {
        let mut images = self.services.iter().flat_map(|service| &service.images);
        if images.all(|image| image.kind == What::Image) { "IMAGE" } else { "ARTIFACT" }
    }

    /// Service, artifact, version, and the environments that have it.
    fn by_version(&self, detail: Detail) -> impl Iterator<Item = (&ServiceRow, [String; 4])> {
        let images = self.services.iter().flat_map(|service| service.images.iter().map(move |image| (service, image)));
        images.flat_map(move |(service, image)| {
            let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
            for environment in &self.environments {
                let Some(words) = image.versions.get(environment).map(|versions| words(versions, detail)) else {
                    continue;
                };
                match groups.iter_mut().find(|(other, _)| *other == words) {
                    Some((_, environments)) => environments.push(environment),
                    None => groups.push((words, vec![environment])),
                }
            }
            let row = |(version, environments): (String, Vec<&str>)| {
                (service, [service.name.clone(), image.name.clone(), version, environments.join(", ")])
            };
            groups.into_iter().map(row).collect::<Vec<_>>()
        })
    }

    /// A version stands out where it is not that of the environment before, and more so where it does not run.
    fn cell(&self, image: &ImageRow, index: usize, detail: Detail) -> String {
        let Some(versions) = image.versions.get(&self.environments[index]) else {
            return styled(looks::FAINT, NONE);
        };
        let before = self.environments[..index].iter().rev().find_map(|environment| image.versions.get(environment));
        let text = one_line(&words(versions, detail));
        if versions.runs == Some(Runs::NotCompared) {
            styled(looks::FAINT, &text)
        } else if versions.runs.is_some_and(|runs| runs != Runs::Declared) {
            styled(looks::BUSY, &text)
        } else if before.is_some_and(|before| before.declared != versions.declared) {
            styled(looks::WARN, &text)
        } else {
            text
        }
    }
}

/// The declared version; beside it the one that runs, where that is another.
fn words(versions: &Versions, detail: Detail) -> String {
    let version = |text: &String| if detail == Detail::Wide { text.clone() } else { short(text) };
    let declared = versions.declared.as_ref().map_or_else(|| NONE.to_owned(), version);
    let running = versions.running.as_ref().map(version);
    match (versions.runs, running) {
        (None | Some(Runs::Declared), _) => declared,
        (Some(Runs::NotCompared), None) => format!("{declared} (not compared)"),
        (Some(Runs::NotCompared), Some(running)) => format!("{declared} (runs {running}, not compared everywhere)"),
        (Some(Runs::RollingOut), _) => format!("{declared} (rolling out)"),
        (Some(Runs::Unknown), None) => format!("{declared} (runs unknown)"),
        (Some(Runs::Unknown), Some(running)) => format!("{declared} (runs {running}, some unknown)"),
        (Some(Runs::Nothing), Some(running)) => format!("{declared} (runs {running}, not everywhere)"),
        (Some(Runs::Other | Runs::Nothing), None) => format!("{declared} (not running)"),
        (Some(Runs::Other), Some(running)) => format!("{declared} (runs {running})"),
    }
}

fn explain(discovery: &crate::gitops::discover::Discovery, style: &Style) -> String {
    let columns =
        [Column::Fixed("SERVICE"), Column::Fixed("ENVIRONMENT"), Column::Fixed("DIRECTORY"), Column::Fixed("BECAUSE")];
    let found = discovery.overlays.iter().map(|overlay| {
        [&overlay.service, &overlay.environment, &overlay.directory, &overlay.because]
            .map(|text| one_line(text))
            .to_vec()
    });
    let others = discovery.others.iter().map(|(directory, reason)| {
        let directory = if directory.is_empty() { "." } else { directory };
        vec![NONE.to_owned(), NONE.to_owned(), one_line(directory), one_line(reason)]
    });
    table(&columns, found.chain(others), &Style { width: None, ..*style })
}

/// Every place, with what says that it is one.
fn explain_slots(slots: &[Explained], style: &Style) -> String {
    let columns = [
        Column::Fixed("SERVICE"),
        Column::Fixed("ENVIRONMENT"),
        Column::Fixed("ARTIFACT"),
        Column::Fixed("VERSION"),
        Column::Fixed("FILE"),
        Column::Fixed("KNOWN BY"),
        Column::Fixed("BECAUSE"),
    ];
    let rows = slots.iter().map(|slot| {
        let environments = if slot.environments.is_empty() { NONE.to_owned() } else { slot.environments.join(",") };
        let place = format!("{}:{}", slot.slot.file, slot.slot.line);
        [&slot.service, &environments, &slot.name, &short(&slot.version), &place, &slot.slot.by, &slot.because]
            .map(|text| one_line(text))
            .to_vec()
    });
    table(&columns, rows, &Style { width: None, ..*style })
}

fn page(matrix: &ImageMatrix) -> Page {
    let mut page = Page::new("Versions");
    let mut columns: Vec<String> =
        source_column(matrix.is_of_several()).chain(["Service", matrix.heading()]).map(str::to_owned).collect();
    columns.extend(matrix.environments.iter().cloned());
    let mut rows = Vec::new();
    for service in &matrix.services {
        for image in &service.images {
            let versions = matrix.environments.iter().map(|environment| match image.versions.get(environment) {
                None => Cell::toned(Tone::Faint, "-"),
                Some(versions) => {
                    let tone = if image.is_level() { Tone::Plain } else { Tone::Warning };
                    Cell::toned(tone, words(versions, Detail::Normal))
                }
            });
            let head = origin_cell(service.core.as_deref()).chain([Cell::new(&service.name), Cell::new(&image.name)]);
            rows.push(head.chain(versions).collect());
        }
    }
    page.parts.push(Part::Table(Table { columns, rows }));
    page.unreadable(&words::unreadable(&matrix.unreadable));
    page
}
