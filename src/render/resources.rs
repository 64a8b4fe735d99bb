//! Renders a `ResourceList`.

use std::collections::{BTreeSet, HashMap};

use crate::render::cut::cut_in_the_middle;
use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, HtmlTable, TextTone, source_cell, source_column};
use crate::render::table::{GAP, TableColumn, table};
use crate::render::{DetailLevel, HeaderVisibility, Report, TableStyle, words};
use crate::report::resources::{ResourceItem, ResourceList, ResourceNaming};
use crate::report::sources::Sourced;
use crate::ui::pager::LongLineMode;
use crate::ui::{style, styled};
use ucp_core::error::Result;
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::{columns, one_line};
use ucp_core::model::verdict::Verdict;

impl Report for ResourceList {
    fn state_moment(&self) -> Option<jiff::Timestamp> {
        (!self.header.has_several_sources()).then_some(self.moment)
    }

    fn html(&self) -> Result<HtmlPage> {
        Ok(page(self))
    }

    fn table(&self, style: &TableStyle) -> String {
        let is_wide = style.detail == DetailLevel::Wide;
        let NameColumn { names, has_namespaces } = self.names_for(style);
        let namespaced = self.items.iter().any(|item| item.object.namespace.is_some()) && !has_namespaces;
        let is_of_several = self.header.has_several_sources();
        let mut columns = Vec::new();
        if is_of_several {
            columns.push(TableColumn::Fixed(words::SOURCE));
        }
        columns.push(TableColumn::Fixed("VERDICT"));
        if namespaced {
            columns.push(TableColumn::Fixed("NAMESPACE"));
        }
        columns.extend([
            TableColumn::Fixed("NAME"),
            TableColumn::Spare("READY"),
            TableColumn::Spare("SYNCED"),
            TableColumn::Spare("AGE"),
        ]);
        if is_wide {
            columns.extend(["EXTERNAL-NAME", "PROVIDER-CONFIG", "OWNER", "MANAGED-BY"].map(TableColumn::Flexible));
        }
        columns.push(TableColumn::Words("WHY"));
        let labels = self.label_columns.names();
        columns.extend(labels.iter().map(|name| TableColumn::Flexible(name)));
        let rows = self.items.iter().zip(names).map(|(item, name)| {
            let mut row = Vec::with_capacity(columns.len());
            if is_of_several {
                row.push(words::source(item));
            }
            row.push(words::verdict(item.verdict));
            if namespaced {
                row.push(item.object.namespace.as_deref().map(one_line).unwrap_or_default());
            }
            row.push(look(item.verdict, &name));
            row.extend([truth(item.ready), truth(item.synced), item.age.clone()]);
            if is_wide {
                row.push(item.external_name.as_deref().map(one_line).unwrap_or_default());
                row.push(item.provider_config.as_deref().map(one_line).unwrap_or_default());
                row.push(item.owner.as_deref().map(words::object).unwrap_or_default());
                row.push(item.managed_by.as_deref().map(words::object).unwrap_or_default());
            }
            row.push(item.message.as_deref().map(one_line).unwrap_or_default());
            row.extend(self.label_columns.values(&item.labels).iter().map(|value| one_line(value)));
            row
        });
        let mut text = table(&columns, rows, style);
        if !is_wide && style.width.is_some() {
            self.add_shortened_causes(&mut text, style);
        }
        text
    }

    fn long_lines(&self) -> LongLineMode {
        LongLineMode::Scroll
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let (name, line) = if self.header.has_several_sources() { ("| Context ", "|---") } else { ("", "") };
        let mut text = format!("{name}| Verdict | Resource | Ready | Synced | External name | Age | Message |\n");
        text.push_str(&format!("{line}|---|---|---|---|---|---|---|\n"));
        for item in &self.items {
            let cells = [
                item.verdict.as_str().to_owned(),
                words::markdown_cell(&item.object.to_string()),
                item.ready.unwrap_or_default().to_owned(),
                item.synced.unwrap_or_default().to_owned(),
                words::markdown_cell(item.external_name.as_deref().unwrap_or_default()),
                item.age.clone(),
                words::markdown_cell(&cut_in_the_middle(item.message.as_deref().unwrap_or_default(), LONGEST_MESSAGE)),
            ];
            text.push_str(&format!("{}| {} |\n", words::markdown_source(item), cells.join(" | ")));
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn advice_on_templates(&self) -> &'static str {
        "pass --whole for templates that were written for kubectl"
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &[
            "since",
            "externalName",
            "providerConfig",
            "provider",
            "owner",
            "managedBy",
            "created",
            "message",
            "labels",
            "namespace",
            "ready",
            "synced",
            "context",
            "path",
            "source",
            "sources",
        ]
    }
}

/// The contents of the NAME column.
struct NameColumn {
    names: Vec<String>,
    /// True if the names include namespaces.
    has_namespaces: bool,
}

impl ResourceList {
    /// Returns the names of all items. If they would leave no room for kubectl's familiar columns, the group is
    /// shortened to a unique prefix and the namespace is appended: `database.platform/orders -n quotes`, which kubectl
    /// accepts as well.
    fn names_for(&self, style: &TableStyle) -> NameColumn {
        let of_all = |name: &dyn Fn(&ObjectName) -> String| -> Vec<String> {
            self.items.iter().map(|item| one_line(&name(&item.object))).collect()
        };
        let whole = match self.naming {
            ResourceNaming::Name => of_all(&|object| object.name.clone()),
            ResourceNaming::KindAndName => of_all(&ObjectName::kind_and_name),
        };
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default();
        let namespaces =
            widest(&mut self.items.iter().filter_map(|item| Some(columns(item.object.namespace.as_ref()?))));
        let namespaces = if namespaces == 0 { 0 } else { namespaces.max("NAMESPACE".len()) + GAP };
        let verdicts =
            widest(&mut self.items.iter().map(|item| item.verdict.as_str().len())).max("VERDICT".len()) + GAP;
        let sources = match self.header.has_several_sources() {
            true => {
                widest(&mut self.items.iter().map(|item| columns(&words::source(item)))).max(words::SOURCE.len()) + GAP
            }
            false => 0,
        };
        let needed = sources + verdicts + namespaces + FAMILIAR + widest(&mut whole.iter().map(|name| columns(name)));
        let is_narrow = style.detail == DetailLevel::Normal && style.width.is_some_and(|width| needed > width);
        if !is_narrow || self.naming == ResourceNaming::Name {
            return NameColumn { names: whole, has_namespaces: false };
        }
        let groups: BTreeSet<(&str, &str)> =
            self.items.iter().map(|item| (item.object.kind.as_str(), item.object.group())).collect();
        let names = of_all(&|object| match &object.namespace {
            Some(namespace) => format!("{} -n {namespace}", short_name(object, &groups)),
            None => short_name(object, &groups),
        });
        NameColumn { names, has_namespaces: true }
    }
}

/// The maximum number of objects that are named above one cause.
const NAMED: usize = 3;

impl ResourceList {
    /// Adds the causes that the table truncates, worst first, each with the objects that have it: before the rows that are OK,
    /// if those come last.
    fn add_shortened_causes(&self, text: &mut String, style: &TableStyle) {
        let header = usize::from(style.headers == HeaderVisibility::Shown);
        let mut causes: Vec<(String, Vec<&ResourceItem>)> = Vec::new();
        let mut positions: HashMap<String, usize> = HashMap::new();
        for (item, line) in self.items.iter().zip(text.lines().skip(header)) {
            let cause = item.message.as_deref().map(one_line).unwrap_or_default();
            if item.verdict == Verdict::Ok || line.contains(&cause) {
                continue;
            }
            let position = *positions.entry(cause).or_insert_with_key(|cause| {
                causes.push((cause.clone(), Vec::new()));
                causes.len() - 1
            });
            causes[position].1.push(item);
        }
        let mut told = String::new();
        for (cause, items) in causes {
            told.push('\n');
            for item in items.iter().take(NAMED) {
                let before = format!("{}  ", words::verdict(item.verdict));
                words::add_heading(&mut told, &before, &words::object(&item.object), style);
            }
            if items.len() > NAMED {
                told.push_str(&format!("and {} more\n", items.len() - NAMED));
            }
            words::add_wrapped(&mut told, &cause, "  ", style, usize::MAX);
        }
        let is_ok = |item: &Sourced<Box<ResourceItem>>| item.verdict == Verdict::Ok;
        let (bad, total) = (self.items.iter().take_while(|item| !is_ok(item)).count(), self.items.len());
        if told.is_empty() || bad == total || !self.items[bad..].iter().all(is_ok) {
            text.push_str(&told);
            return;
        }
        let end: usize = text.split_inclusive('\n').take(header + bad).map(str::len).sum();
        text.insert_str(end, &format!("{told}\n"));
    }
}

/// The width of READY, SYNCED, and AGE with the gaps before them.
const FAMILIAR: usize = 3 * GAP + 5 + 6 + 4;

/// Returns the name of an object with the shortest prefix of its group that is unique for its kind.
fn short_name(object: &ObjectName, groups: &BTreeSet<(&str, &str)>) -> String {
    let (kind, group) = (object.kind.to_ascii_lowercase(), object.group());
    let others: Vec<&str> = groups
        .iter()
        .filter(|(kind, other)| *kind == object.kind && *other != group)
        .map(|(_, group)| *group)
        .collect();
    let begins = |other: &str, part: &str| other == part || other.starts_with(&format!("{part}."));
    let ends = group.match_indices('.').map(|(at, _)| at).chain([group.len()]);
    let mut parts = ends.map(|end| &group[..end]);
    match parts.find(|part| !part.is_empty() && !others.iter().any(|other| begins(other, part))) {
        Some(part) => format!("{kind}.{part}/{}", object.name),
        None => object.kind_and_name(),
    }
}

/// The maximum length of a message in a comment on a pull request.
const LONGEST_MESSAGE: usize = 300;

fn truth(status: Option<&str>) -> String {
    match status {
        None => "-".to_owned(),
        Some("True") => "True".to_owned(),
        Some("False") => styled(style::BAD, "False"),
        Some(other) => styled(style::WARN, other),
    }
}

fn look(verdict: Verdict, name: &str) -> String {
    match verdict {
        Verdict::Failed | Verdict::NeedsHuman => styled(style::BAD, name),
        Verdict::Stuck | Verdict::Drifted | Verdict::Unknown => styled(style::WARN, name),
        Verdict::Paused => styled(style::FAINT, name),
        Verdict::Progressing | Verdict::Ok => name.to_owned(),
    }
}

fn page(list: &ResourceList) -> HtmlPage {
    let mut page = HtmlPage::new("Resources");
    let rows = list.items.iter().map(|item| {
        let link = |tone, named: Option<(String, &ObjectName)>| HtmlCell::objects(tone, item.source.as_ref(), named);
        let named =
            |object: Option<&ObjectName>| link(TextTone::Plain, object.map(|object| (words::object(object), object)));
        let rest = [
            HtmlCell::verdict(item.verdict),
            HtmlCell::new(item.object.namespace.as_deref().unwrap_or_default()),
            link(TextTone::Strong, Some((item.object.kind_and_name(), &item.object))),
            HtmlCell::new(item.ready.unwrap_or_default()),
            HtmlCell::new(item.synced.unwrap_or_default()),
            HtmlCell::age(&item.age, item.created),
            HtmlCell::new(item.external_name.as_deref().unwrap_or_default()),
            named(item.owner.as_deref()),
            named(item.managed_by.as_deref()),
            HtmlCell::new(item.message.as_deref().unwrap_or_default()),
        ];
        source_cell(item).chain(rest).collect()
    });
    let columns =
        ["Verdict", "Namespace", "Name", "Ready", "Synced", "Age", "External name", "Owner", "Managed by", "Why"];
    let columns = source_column(list.header.has_several_sources()).chain(columns);
    page.parts.push(HtmlPagePart::Table(HtmlTable::new(columns, rows)));
    page.unreadable(&words::unreadable(&list.unreadable));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_distinguishes_kinds_with_the_same_name() {
        let object = |api_version: &str, kind: &str| ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: None,
            name: "a".to_owned(),
        };
        let objects = [
            object("sql.gcp.upbound.io/v1", "DatabaseInstance"),
            object("s3.aws.upbound.io/v1", "Bucket"),
            object("s3.aws.m.upbound.io/v1", "Bucket"),
            object("storage.gcp.upbound.io/v1", "Bucket"),
            object("v1", "Secret"),
        ];
        let groups = objects.iter().map(|object| (object.kind.as_str(), object.group())).collect();
        assert_eq!(
            objects.each_ref().map(|object| short_name(object, &groups)),
            ["databaseinstance.sql/a", "bucket.s3.aws.upbound/a", "bucket.s3.aws.m/a", "bucket.storage/a", "secret/a"]
        );
    }
}
