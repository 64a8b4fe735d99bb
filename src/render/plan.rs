//! Renders a `Plan` for a terminal: the change of each object as a diff, and its external effects.

use std::fmt::Write as _;

use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, TextTone};
use crate::render::plan_words::{RemarkImportance, about_composite, composite_line, remarks, summary, title, yaml};
use crate::render::{DetailLevel, HeaderVisibility, Report, TableStyle, diff, plan_markdown, words};
use crate::report::plan::MergePlan;
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::{one_line, plain};
use ucp_features::plan::outcome::{CompositePlan, PlanAction, PlanItem};

impl Report for MergePlan {
    fn is_published(&self) -> bool {
        true
    }

    fn html(&self) -> Result<HtmlPage> {
        Ok(page(self))
    }

    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        if style.headers == HeaderVisibility::Shown {
            let _ = writeln!(text, "{}\n", styled(look::STRONG, &title(self)));
        }
        for item in &self.items {
            add_item(&mut text, item, style);
            text.push('\n');
        }
        for composite in &self.composites {
            add_composite(&mut text, composite, style);
        }
        for entry in &self.remarks {
            let object = styled(look::STRONG, &words::object(&entry.object));
            let _ = writeln!(text, "{object}: {}", one_line(&entry.remark));
        }
        if !self.remarks.is_empty() {
            text.push('\n');
        }
        for entry in &self.unreadable {
            add_unreadable(&mut text, entry);
        }
        let _ = writeln!(text, "{}", summary(&self.counts));
        if !self.unreadable.is_empty() {
            let lost = words::count(self.unreadable.len(), "things");
            let _ = writeln!(text, "{}", styled(look::WARN, &format!("{lost} could not be checked.")));
        }
        text
    }

    fn names(&self) -> Vec<String> {
        let composed = self.composites.iter().flat_map(|composite| &composite.items);
        self.items.iter().chain(composed).map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        plan_markdown::comment(self)
    }
}

fn add_composite(text: &mut String, composite: &CompositePlan, style: &TableStyle) {
    let name = styled(look::STRONG, &words::object(&composite.object));
    let _ = writeln!(text, "{} {name}: {}", styled(look::STRONG, "composite"), composite_line(composite));
    add_remarks(text, about_composite(composite));
    text.push('\n');
    for item in &composite.items {
        add_item(text, item, style);
        text.push('\n');
    }
}

fn add_item(text: &mut String, item: &PlanItem, style: &TableStyle) {
    let (sign, colour) = match item.action {
        PlanAction::Add => ("+ add", look::GOOD),
        PlanAction::Change => ("~ change", look::WARN),
        PlanAction::Remove => ("- remove", look::BAD),
        PlanAction::Abandon => ("- abandon", look::FAINT),
    };
    let place = item.cluster.as_deref().map(|cluster| format!(" in {}", one_line(cluster))).unwrap_or_default();
    let _ = writeln!(
        text,
        "{} {}{place}  {}",
        styled(colour, sign),
        styled(look::STRONG, &words::object(&item.object)),
        styled(look::FAINT, &changing_deployer(item))
    );
    add_remarks(text, remarks(item));
    if item.action != PlanAction::Remove && item.action != PlanAction::Abandon || style.detail == DetailLevel::Wide {
        text.push_str(&diff::unified(&yaml(item.before.as_ref()), &yaml(item.after.as_ref()), "live", "planned"));
    }
}

fn add_remarks(text: &mut String, remarks: Vec<(RemarkImportance, String)>) {
    for (importance, remark) in remarks {
        let colour = match importance {
            RemarkImportance::Bad => look::BAD,
            RemarkImportance::Warning => look::WARN,
            RemarkImportance::Plain => look::FAINT,
        };
        for line in remark.lines() {
            let _ = writeln!(text, "  {}", styled(colour, line));
        }
    }
}

fn add_unreadable(text: &mut String, entry: &Unreadable) {
    let _ = writeln!(
        text,
        "{} {}",
        styled(look::BAD, "could not be checked:"),
        styled(look::STRONG, &one_line(&entry.what))
    );
    // Messages of a renderer are shown in full.
    for line in plain(&entry.reason).lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
}

fn page(plan: &MergePlan) -> HtmlPage {
    let mut page = HtmlPage::new(title(plan));
    page.line(TextTone::Strong, summary(&plan.counts));
    page.parts.extend(plan.items.iter().map(folded));
    for composite in &plan.composites {
        let head = vec![
            HtmlCell::new("composite"),
            HtmlCell::toned(TextTone::Strong, words::object(&composite.object)),
            HtmlCell::new(composite_line(composite)),
        ];
        let about = about_composite(composite).into_iter().map(remark);
        let body = about.chain(composite.items.iter().map(folded)).collect();
        page.parts.push(HtmlPagePart::Fold { head, is_open: true, body });
    }
    for entry in &plan.remarks {
        page.line(TextTone::Faint, format!("{}: {}", entry.object, entry.remark));
    }
    let lines = plan.unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason));
    page.unreadable(&lines.collect::<Vec<_>>());
    page
}

fn remark((importance, remark): (RemarkImportance, String)) -> HtmlPagePart {
    let tone = match importance {
        RemarkImportance::Bad => TextTone::Bad,
        RemarkImportance::Warning => TextTone::Warning,
        RemarkImportance::Plain => TextTone::Faint,
    };
    HtmlPagePart::Line(tone, remark)
}

fn folded(item: &PlanItem) -> HtmlPagePart {
    let (sign, tone) = match item.action {
        PlanAction::Add => ("add", TextTone::Good),
        PlanAction::Change => ("change", TextTone::Warning),
        PlanAction::Remove => ("remove", TextTone::Bad),
        PlanAction::Abandon => ("abandon", TextTone::Faint),
    };
    let place = item.cluster.as_deref().map(|cluster| format!("in {cluster}")).unwrap_or_default();
    let head = vec![
        HtmlCell::toned(tone, sign),
        HtmlCell::toned(TextTone::Strong, words::object(&item.object)),
        HtmlCell::new(place),
        HtmlCell::toned(TextTone::Faint, changing_deployer(item)),
    ];
    let mut body: Vec<HtmlPagePart> = remarks(item).into_iter().map(remark).collect();
    let [before, after] = [&item.before, &item.after].map(|side| yaml(side.as_ref()));
    body.push(HtmlPagePart::Code(diff::unified(&before, &after, "live", "planned")));
    HtmlPagePart::Fold { head, is_open: item.action != PlanAction::Add, body }
}

/// Returns the deployer that would change an object.
fn changing_deployer(item: &PlanItem) -> String {
    match &item.resource {
        Some(resource) => format!("resource {} of {}", one_line(resource), one_line(&item.deployed_by.name)),
        None => format!("by {} {}", item.deployed_by.kind, one_line(&item.deployed_by.name)),
    }
}
