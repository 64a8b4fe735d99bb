//! The rows of the views.

use std::sync::Arc;

use jiff::Timestamp;

use super::hub::{finding_key, label_words, object_key, owner};
use super::{Browser, Fetched, ObjectPlace, View, hash_of};
use crate::render::fitting::short_object;
use crate::render::words;
use crate::report::command::command_at;
use crate::report::resources::ResourceItem;
use ucp_core::model::comparison::Certainty;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_core::model::verdict::Verdict;
use ucp_features::adopt::cluster::State;
use ucp_features::history::ChangeSort;

/// The position of a row in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RowId {
    pub(super) source: usize,
    pub(super) index: usize,
}

/// One row of a list, as safe text.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) source: Option<Arc<Origin>>,
    /// The verdict of the row, for its color.
    pub(super) verdict: Option<Verdict>,
    /// The first column.
    pub(super) mark: String,
    pub(super) code: String,
    pub(super) since: Option<Timestamp>,
    pub(super) age: String,
    /// Branches before the name, in a tree.
    pub(super) branch: String,
    pub(super) name: String,
    /// More columns, which `w` shows.
    pub(super) wide: Vec<String>,
    pub(super) why: String,
    /// The object of the core cluster that keys act on.
    pub(super) object: Option<ObjectName>,
    /// The object of an app cluster that the row is about.
    pub(super) distant: Option<ObjectName>,
    pub(super) owner: Option<ObjectName>,
    /// The labels of its objects, as `KEY=VALUE`, separated by commas.
    pub(super) labels: String,
    /// More lines about the selected row.
    pub(super) detail: Vec<String>,
    /// The next command.
    pub(super) hint: Option<String>,
}

impl Row {
    /// Returns the texts that a filter searches, in lower case.
    pub(super) fn search_text(&self) -> String {
        let full =
            [&self.object, &self.distant].into_iter().flatten().map(words::object).collect::<Vec<_>>().join("\n");
        let texts = [&full, &self.name, &self.why, &self.mark, &self.code, &self.labels].into_iter().chain(&self.wide);
        let source = self.source.iter().map(|source| source.label());
        texts.map(String::as_str).chain(source).collect::<Vec<_>>().join("\n").to_lowercase()
    }

    /// Returns the name without its kind.
    pub(super) fn short_name(&self) -> String {
        self.named().map_or_else(|| self.name.clone(), |object| object.name.clone())
    }

    /// Returns the object that the row is about.
    pub(super) fn named(&self) -> Option<&ObjectName> {
        self.distant.as_ref().or(self.object.as_ref())
    }

    /// Returns the object of the row and its source.
    pub(super) fn place(&self) -> Option<ObjectPlace> {
        Some(ObjectPlace { source: self.source.clone(), object: self.object.clone()? })
    }
}

/// The names of the additional columns of a view.
pub(super) const fn wide_columns(view: View) -> &'static [&'static str] {
    match view {
        View::Resources | View::Deployments => &["READY", "SYNCED", "OWNER", "EXTERNAL NAME"],
        View::AppClusters => &["SERVER", "EXPIRES"],
        View::Findings => &["HOLDS UP"],
        View::Drift => &["FIELDS"],
        View::Tree | View::Versions | View::History => &[],
    }
}

impl Browser {
    /// Returns an object for a list: in full with `w`.
    fn listed(&self, object: &ObjectName) -> String {
        if self.is_wide { words::object(object) } else { short_object(object) }
    }

    /// Returns a row of a view.
    pub(super) fn row(&self, view: View, id: RowId) -> Option<Row> {
        match view {
            View::Findings => self.finding(id),
            View::Resources => {
                let source = self.sources.get(id.source)?;
                let hub = source.hub.as_ref()?;
                Some(self.resource(source, hub.resources.get(id.index)?, hub.moment))
            }
            View::Deployments => {
                let source = self.sources.get(id.source)?;
                let hub = source.hub.as_ref()?;
                let deployment = hub.deployments.get(id.index)?;
                let mut row = self.resource(source, &deployment.item, hub.moment);
                let deploys = one_line(&deployment.deploys);
                if row.why.is_empty() {
                    row.why.clone_from(&deploys);
                }
                row.detail.extend((!deploys.is_empty()).then(|| format!("deploys {deploys}")));
                Some(row)
            }
            View::Tree => self.tree_row(id.index),
            View::AppClusters => self.app_cluster(id.index),
            View::Drift => self.difference(id.index),
            View::History => self.occurrence(id.index),
            View::Versions => None,
        }
    }

    fn finding(&self, id: RowId) -> Option<Row> {
        let source = self.sources.get(id.source)?;
        let hub = source.hub.as_ref()?;
        let finding = hub.status.findings.get(id.index)?;
        let more = match finding.also.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mut detail = vec![one_line(&finding.message)];
        if !finding.also.is_empty() {
            detail.push(format!("also {}", words::join_objects_limited(&finding.also, 20)));
        }
        if !finding.holds_up.is_empty() {
            let held = words::join_objects_limited(&finding.holds_up, 20);
            detail.push(format!("holds up {}: {held}", finding.holds_up.len()));
        }
        Some(Row {
            source: self.shown_source(source),
            verdict: Some(finding.verdict),
            mark: finding.verdict.as_str().to_owned(),
            code: finding.code.clone(),
            since: finding.since,
            age: finding.since.map(|since| age(since, hub.moment)).unwrap_or_default(),
            name: format!("{}{more}", self.listed(&finding.object)),
            wide: vec![finding.holds_up.len().to_string()],
            labels: hub.finding_labels.get(id.index).cloned().unwrap_or_default(),
            why: one_line(&finding.message),
            owner: hub.owner_of(&finding.object).cloned(),
            object: Some(finding.object.clone()),
            detail,
            hint: finding.hint.as_ref().map(|hint| one_line(&command_at(hint, &source.origin))),
            ..Row::default()
        })
    }

    fn resource(&self, source: &super::SourceView, item: &ResourceItem, moment: Timestamp) -> Row {
        let mut detail = Vec::new();
        detail.extend(item.message.as_deref().map(one_line));
        if let Some(owner) = &item.owner {
            detail.push(format!("owned by {}", words::object(owner)));
        }
        if let Some(manager) = &item.managed_by {
            detail.push(format!("applied by {}", words::object(manager)));
        }
        if let Some(name) = &item.external_name {
            detail.push(format!("external name {}", one_line(name)));
        }
        if !item.findings.is_empty() {
            detail.push(item.findings.join(", "));
        }
        let labels = label_words(item.labels.iter());
        if !labels.is_empty() {
            detail.push(format!("labels {labels}"));
        }
        Row {
            source: self.shown_source(source),
            verdict: Some(item.verdict),
            mark: item.verdict.as_str().to_owned(),
            code: item.findings.first().cloned().unwrap_or_default(),
            since: item.created,
            age: item.created.map_or_else(|| "?".to_owned(), |created| age(created, moment)),
            name: self.listed(&item.object),
            wide: vec![
                item.ready.unwrap_or_default().to_owned(),
                item.synced.unwrap_or_default().to_owned(),
                owner(item).map(words::object).unwrap_or_default(),
                item.external_name.as_deref().map(one_line).unwrap_or_default(),
            ],
            why: item.message.as_deref().map(one_line).unwrap_or_default(),
            object: Some(item.object.clone()),
            owner: owner(item).cloned(),
            labels,
            detail,
            ..Row::default()
        }
    }

    fn tree_row(&self, index: usize) -> Option<Row> {
        let Fetched::Ready(page, _) = &self.tree else { return None };
        let row = page.rows.get(index)?;
        let above = page.rows[..index].iter().rev().find(|other| other.depth < row.depth && other.object.is_some());
        Some(Row {
            source: page.place.source.clone(),
            verdict: row.verdict,
            mark: row.verdict.map(|verdict| verdict.as_str().to_owned()).unwrap_or_default(),
            branch: row.branch.clone(),
            name: match &row.object {
                Some(object) => row.title.replace(&words::object(object), &self.listed(object)),
                None => row.title.clone(),
            },
            why: row.why.clone(),
            object: row.object.clone(),
            owner: above.and_then(|above| above.object.clone()),
            detail: vec![row.why.clone()],
            ..Row::default()
        })
    }

    fn app_cluster(&self, index: usize) -> Option<Row> {
        let Fetched::Ready(list, _) = &self.clusters else { return None };
        let item = list.items.get(index)?;
        let verdict = match item.state {
            State::Duplicated | State::Unreachable | State::Stale | State::Unusable => Verdict::Failed,
            State::Unknown => Verdict::Unknown,
            State::Adoptable => Verdict::Paused,
            State::Adopted => Verdict::Ok,
        };
        let server = item.server.as_deref().map(one_line).unwrap_or_default();
        let expires = item.credential.expires.map(|time| time.strftime("%Y-%m-%d %H:%M UTC").to_string());
        let object = item.provisioned_by.clone().or_else(|| item.secret.clone());
        let registered = item.registered_with.iter().map(|entry| words::object(&entry.object)).collect::<Vec<_>>();
        let mut detail: Vec<String> = item.reason.iter().map(|reason| one_line(reason)).collect();
        detail.push(format!("server {server}"));
        detail.extend(object.iter().map(|object| format!("from {}", words::object(object))));
        detail.extend((!registered.is_empty()).then(|| format!("registered in {}", registered.join(", "))));
        Some(Row {
            source: item.source.clone(),
            verdict: Some(verdict),
            mark: item.state.as_str().to_owned(),
            name: one_line(&item.name),
            wide: vec![server, expires.unwrap_or_else(|| "-".to_owned())],
            why: item.reason.as_deref().map(one_line).unwrap_or_default(),
            object,
            detail,
            ..Row::default()
        })
    }

    fn difference(&self, index: usize) -> Option<Row> {
        let Fetched::Ready(report, _) = &self.drift else { return None };
        let item = report.items.get(index)?;
        let moment = report.header.source.moment_of(item).unwrap_or(report.moment);
        let fields: Vec<String> = item.differences.iter().map(|difference| one_line(&difference.path)).collect();
        let place = item.cluster.as_ref().map(|name| format!(" in {}", one_line(name))).unwrap_or_default();
        let mut detail = vec![one_line(&item.message), words::join_limited(&fields, 20)];
        // An object of another cluster has no tree here, but the object that applies it has.
        let (object, distant) = match &item.cluster {
            Some(_) => (item.managed_by.clone(), Some(item.object.clone())),
            None => (Some(item.object.clone()), None),
        };
        if let Some(cluster) = &item.cluster {
            let by =
                object.as_ref().map(|object| format!(", applied by {}", words::object(object))).unwrap_or_default();
            detail.insert(0, format!("in app cluster {}{by}", one_line(cluster)));
        }
        Some(Row {
            source: item.source.clone(),
            verdict: Some(match item.certainty {
                Certainty::Certain => Verdict::Drifted,
                _ => Verdict::Unknown,
            }),
            mark: item.certainty.as_str().to_owned(),
            code: item.code.clone(),
            since: item.since,
            age: item.since.map(|since| age(since, moment)).unwrap_or_default(),
            name: format!("{}{place}", self.listed(&item.object)),
            wide: vec![words::join_limited(&fields, 3)],
            why: match fields.is_empty() {
                true => one_line(&item.message),
                false => words::join_limited(&fields, 3),
            },
            object,
            distant,
            owner: item.managed_by.clone(),
            detail,
            ..Row::default()
        })
    }

    fn occurrence(&self, index: usize) -> Option<Row> {
        let Fetched::Ready(page, _) = &self.history else { return None };
        let row = page.rows.get(index)?;
        let source = self.only.and_then(|only| self.sources.get(only)).or_else(|| self.source_at(row.time));
        // The name of a gap says that it is one.
        let what = row.what.strip_prefix("gap ").filter(|_| row.object.is_none()).unwrap_or(&row.what);
        Some(Row {
            source: source.and_then(|source| self.shown_source(source)),
            verdict: row.change.and_then(|change| match change {
                ChangeSort::TurnedBad => Some(Verdict::Failed),
                ChangeSort::Warned | ChangeSort::DeletionRequested | ChangeSort::Deleted => Some(Verdict::Stuck),
                ChangeSort::TurnedGood => Some(Verdict::Ok),
                _ => None,
            }),
            mark: row.when.clone(),
            since: Some(row.time),
            age: row.object.as_ref().map(|_| age(row.time, page.to)).unwrap_or_default(),
            branch: match row.level {
                0 => String::new(),
                level => format!("{}└ ", "  ".repeat(level.min(6) - 1)),
            },
            name: row.object.as_ref().map_or_else(|| "gap".to_owned(), |object| self.listed(object)),
            why: what.to_owned(),
            object: row.object.clone(),
            detail: vec![what.to_owned()],
            ..Row::default()
        })
    }

    /// Returns the first snapshot that contains an occurrence, or else the newest one.
    fn source_at(&self, time: Timestamp) -> Option<&super::SourceView> {
        let moments: Vec<_> = self.sources.iter().map(|source| source.hub.as_ref().map(|hub| hub.moment)).collect();
        self.sources.get(position_at(&moments, time)?)
    }

    fn shown_source(&self, source: &super::SourceView) -> Option<Arc<Origin>> {
        (self.sources.len() > 1).then(|| Arc::clone(&source.origin))
    }

    /// Returns the key of a row, which is the same after the row moved.
    pub(super) fn key(&self, view: View, id: RowId) -> u64 {
        let hub = self.sources.get(id.source).and_then(|source| source.hub.as_ref());
        match (view, hub) {
            (View::Findings, Some(hub)) => {
                let finding = hub.status.findings.get(id.index);
                finding.map_or(0, |finding| finding_key(id.source, &finding.object, &finding.code))
            }
            (View::Resources, Some(hub)) => {
                hub.resources.get(id.index).map_or(0, |item| object_key(id.source, &item.object))
            }
            (View::Deployments, Some(hub)) => {
                hub.deployments.get(id.index).map_or(0, |entry| object_key(id.source, &entry.item.object))
            }
            _ => self.row(view, id).map_or(0, |row| {
                let source = row.source.as_ref().map(|source| source.label().to_owned());
                let time = row.since.filter(|_| view == View::History);
                hash_of(&(source, row.name, row.code, time))
            }),
        }
    }

    pub(super) fn is_in_namespace(&self, view: View, id: RowId) -> bool {
        let Some(wanted) = &self.namespace else { return true };
        let hub = self.sources.get(id.source).and_then(|source| source.hub.as_ref());
        let in_it = |object: &ObjectName| object.namespace.as_ref().is_none_or(|namespace| namespace == wanted);
        match (view, hub) {
            (View::Resources, Some(hub)) => hub.resources.get(id.index).is_some_and(|item| in_it(&item.object)),
            (View::Deployments, Some(hub)) => hub.deployments.get(id.index).is_some_and(|it| in_it(&it.item.object)),
            (View::Findings, Some(hub)) => hub.status.findings.get(id.index).is_some_and(|it| in_it(&it.object)),
            _ => self.row(view, id).and_then(|row| row.object).is_none_or(|object| in_it(&object)),
        }
    }
}

/// Returns the position of the earliest of several moments that is not before a time, or else of the latest one.
fn position_at(moments: &[Option<Timestamp>], time: Timestamp) -> Option<usize> {
    let known = || moments.iter().enumerate().filter_map(|(position, moment)| Some(((*moment)?, position)));
    known().filter(|(moment, _)| *moment >= time).min().or_else(|| known().max()).map(|(_, position)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_occurrence_is_of_the_first_snapshot_that_contains_it() {
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        let nights = [Some(at("2026-11-20T03:00:00Z")), None, Some(at("2026-11-19T03:00:00Z"))];
        assert_eq!(position_at(&nights, at("2026-11-18T23:00:00Z")), Some(2));
        assert_eq!(position_at(&nights, at("2026-11-19T23:00:00Z")), Some(0));
        assert_eq!(position_at(&nights, at("2026-11-20T23:00:00Z")), Some(0), "later than the newest");
        assert_eq!(position_at(&[None], at("2026-11-20T23:00:00Z")), None);
    }
}
