//! Renders a `Plan` for a terminal: the change of each object as a diff, and its external effects.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, TextTone};
use crate::render::plan_groups::{
    ChangeFolding, ChangeGroup, PlanSection, change_groups, changing_deployer, ordered_items,
};
use crate::render::plan_words::{
    RemarkImportance, about_composite, composite_line, group_remarks, hidden_changes, remarks, summary, title,
    unknown_consequences, yaml,
};
use crate::render::{DetailLevel, HeaderVisibility, Report, TableStyle, diff, plan_markdown, words};
use crate::report::plan::MergePlan;
use crate::ui::{style as look, styled};
use ucp_core::error::Result;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::{one_line, plain};
use ucp_features::plan::outcome::{CompositePlan, PlanAction, PlanItem};

/// Number of changes whose diffs are shown.
const MOST_DIFFS: usize = 25;
/// Number of composites with the same result that are named.
const NAMED: usize = 20;

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
        add_changes(&mut text, self, style);
        for (composites, first) in equal_composites(self, style) {
            add_composite(&mut text, &composites, first);
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
        for sentence in [hidden_changes(self), unknown_consequences(self)].into_iter().flatten() {
            let _ = writeln!(text, "{}", styled(look::WARN, &sentence));
        }
        if !self.unreadable.is_empty() {
            let lost = words::count(self.unreadable.len(), "things");
            let _ = writeln!(text, "{}", styled(look::WARN, &format!("{lost} could not be checked.")));
        }
        text
    }

    fn names(&self) -> Vec<String> {
        self.all_items().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        plan_markdown::comment(self)
    }
}

/// Adds all changes: by section, equal ones as one. If there are more than a screen has room for, their diffs are left out.
fn add_changes(text: &mut String, plan: &MergePlan, style: &TableStyle) {
    let is_wide = style.detail == DetailLevel::Wide;
    let mut folding = if is_wide { ChangeFolding::Separate } else { ChangeFolding::Equal };
    let mut groups = change_groups(plan, folding);
    if groups.len() > MOST_DIFFS && !is_wide {
        folding = ChangeFolding::Brief;
        groups = change_groups(plan, folding);
    }
    let has_sections = groups.iter().any(|group| group.section != PlanSection::Other);
    let mut section = None;
    for group in &groups {
        if has_sections && section.replace(group.section) != Some(group.section) {
            let gap = if folding == ChangeFolding::Brief && !text.ends_with("\n\n") { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}\n", styled(look::STRONG, group.section.title()));
        }
        add_group(text, group, folding, style);
        if folding != ChangeFolding::Brief {
            text.push('\n');
        }
    }
    if folding == ChangeFolding::Brief {
        text.push_str("\nDiffs are left out; -o wide shows them, and each object.\n\n");
    }
}

fn add_group(text: &mut String, group: &ChangeGroup<'_>, folding: ChangeFolding, style: &TableStyle) {
    let (sign, colour) = match group.first.action {
        PlanAction::Add => ("+ add", look::GOOD),
        PlanAction::Change => ("~ change", look::WARN),
        PlanAction::Remove => ("- remove", look::BAD),
        PlanAction::Abandon => ("- abandon", look::FAINT),
    };
    let place = match group.cluster() {
        cluster if cluster.is_empty() => cluster,
        cluster => format!(" in {cluster}"),
    };
    let fields = match folding {
        ChangeFolding::Brief => group.changed_paths().filter(|_| !group.is_folded()),
        ChangeFolding::Separate | ChangeFolding::Equal => None,
    };
    let _ = writeln!(
        text,
        "{} {}{place}  {}{}",
        styled(colour, sign),
        styled(look::STRONG, &group.subject()),
        styled(look::FAINT, &group.deployers()),
        fields.map(|fields| format!("  {fields}")).unwrap_or_default()
    );
    let lines = group.field_lines();
    for line in lines.iter().flatten() {
        let _ = writeln!(text, "  {line}");
    }
    if group.is_folded() {
        words::add_wrapped(text, &group.names(folding), "  ", style, usize::MAX);
    }
    add_remarks(text, group_remarks(group));
    let item = group.first;
    let is_gone = item.action == PlanAction::Remove || item.action == PlanAction::Abandon;
    let has_diff = !is_gone || style.detail == DetailLevel::Wide;
    // The paths of the fields are not enough if a value is too long for a line.
    if has_diff
        && lines.is_none()
        && (folding != ChangeFolding::Brief || group.is_folded() && item.action == PlanAction::Change)
    {
        text.push_str(&diff::unified(&yaml(item.before.as_ref()), &yaml(item.after.as_ref()), "live", "planned"));
    }
}

/// Returns the composites with the same result as one, with the name of all.
fn equal_composites<'plan>(plan: &'plan MergePlan, style: &TableStyle) -> Vec<(String, &'plan CompositePlan)> {
    let mut groups: Vec<Vec<&CompositePlan>> = Vec::new();
    let mut positions: BTreeMap<String, usize> = BTreeMap::new();
    for composite in &plan.composites {
        let likeness =
            format!("{} {} {:?}", composite.object.kind, composite_line(composite), about_composite(composite));
        match positions.get(&likeness).filter(|_| style.detail != DetailLevel::Wide) {
            Some(position) => groups[*position].push(composite),
            None => {
                positions.insert(likeness, groups.len());
                groups.push(vec![composite]);
            }
        }
    }
    let named = |same: &[&CompositePlan]| {
        let names: Vec<String> = same.iter().map(|composite| words::object(&composite.object)).collect();
        words::join_limited(&names, NAMED)
    };
    groups.into_iter().filter_map(|same| Some((named(&same), *same.first()?))).collect()
}

fn add_composite(text: &mut String, names: &str, composite: &CompositePlan) {
    let _ = writeln!(
        text,
        "{} {}: {}",
        styled(look::STRONG, "composite"),
        styled(look::STRONG, names),
        composite_line(composite)
    );
    add_remarks(text, about_composite(composite));
    text.push('\n');
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
    for sentence in [hidden_changes(plan), unknown_consequences(plan)].into_iter().flatten() {
        page.line(TextTone::Warning, sentence);
    }
    let own = ordered_items(plan).into_iter().filter(|(_, item)| item.resource.is_none());
    page.parts.extend(own.map(|(_, item)| folded(item)));
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
