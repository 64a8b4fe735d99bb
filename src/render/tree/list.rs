//! Renders a `TreeList`: a tree for each core cluster, under its name.

use super::{Captioned, add_markdown_findings, add_parts, diagram, svg};
use crate::error::Result;
use crate::model::text::one_line;
use crate::render::html::{Page, Tone};
use crate::render::{Drawing, Report, Style, words};
use crate::report::document_list::Listed as _;
use crate::report::tree::{Tree, TreeList};
use crate::ui::{style as look, styled};

impl Report for TreeList {
    fn html(&self) -> Result<Page> {
        let root = self.items.first().map(|tree| tree.root.as_str()).unwrap_or_default();
        let mut page = Page::new(format!("Trees of {root}"));
        for tree in &self.items {
            page.heading(tree.place());
            add_parts(&mut page, tree);
        }
        self.absences().for_each(|line| page.line(Tone::Faint, line));
        page.unreadable(&words::unreadable(&self.unreadable));
        Ok(page)
    }

    fn table(&self, style: &Style) -> String {
        let tree =
            |tree: &Tree| format!("{}\n{}", styled(look::STRONG, &one_line(tree.place())), Report::table(tree, style));
        let mut text = self.items.iter().map(tree).collect::<Vec<_>>().join("\n");
        let absences: String = self.absences().map(|line| one_line(&line) + "\n").collect();
        if !absences.is_empty() {
            text.push('\n');
            text.push_str(&absences);
        }
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().flat_map(Report::names).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for tree in &self.items {
            let diagram = diagram::mermaid(&[(None, tree)]);
            text.push_str(&format!("### {}\n\n```mermaid\n{diagram}```\n", words::markdown_cell(tree.place())));
            add_markdown_findings(&mut text, tree);
            text.push('\n');
        }
        self.absences().for_each(|line| text.push_str(&format!("{}\n", words::markdown_cell(&line))));
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn drawing(&self, drawing: Drawing) -> Result<String> {
        let trees: Vec<Captioned<'_>> = self.items.iter().map(|tree| (Some(tree.place()), tree)).collect();
        Ok(match drawing {
            Drawing::Dot => diagram::dot(&trees),
            Drawing::Mermaid => diagram::mermaid(&trees),
            Drawing::Svg => svg::svg(&trees),
        })
    }
}
