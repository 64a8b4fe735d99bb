//! Renders an `Explanation`: a single code as a page, several codes as a list.

use crate::render::table::{TableColumn, table};
use crate::render::{Report, TableStyle, words};
use crate::report::explanation::{CodeExplanation, Explanation, ExplanationExtent};
use crate::ui::{style, styled};

/// The line width of prose.
const WIDTH: usize = 80;

impl Report for Explanation {
    fn table(&self, style: &TableStyle) -> String {
        match self.extent {
            ExplanationExtent::One => self.items.iter().map(page).collect(),
            ExplanationExtent::All => {
                let columns =
                    [TableColumn::Fixed("CODE"), TableColumn::Fixed("VERDICT"), TableColumn::Flexible("MEANING")];
                let row = |one: &CodeExplanation| {
                    vec![one.code.to_owned(), words::verdict(one.verdict), one.title.to_owned()]
                };
                table(&columns, self.items.iter().map(row), style)
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|one| one.code.to_owned()).collect()
    }

    fn markdown(&self) -> String {
        let mut text = "| Code | Verdict | Meaning |\n|---|---|---|\n".to_owned();
        for one in &self.items {
            text.push_str(&format!(
                "| {} | {} | {} |\n",
                one.code,
                one.verdict.as_str(),
                words::markdown_cell(one.title)
            ));
        }
        text
    }
}

fn page(one: &CodeExplanation) -> String {
    format!(
        "{}  {}  {}\n\n{}\n\n{}\n\n  {}\n",
        styled(style::STRONG, one.code),
        words::verdict(one.verdict),
        one.title,
        textwrap::fill(one.meaning, words::wrapping(WIDTH)),
        textwrap::fill(&one.advice, words::wrapping(WIDTH)),
        one.command,
    )
}
